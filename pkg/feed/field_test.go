package feed_test

import (
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

func TestPhotosOfIndexedColumnsAndListsStayWhole(t *testing.T) {
	const a, b = "https://x.example.com/a.jpg", "https://x.example.com/b.jpg?w=1,2"
	for name, file := range map[string]string{
		"a column each": "stock,year,make,model,image[0].url,image[1].url\nA1,2020,Kia,Rio," + a + ",\"" + b + "\"\n",
		"commas":        "stock,year,make,model,image list\nA1,2020,Kia,Rio,\"" + a + ", " + b + "\"\n",
		"pipes":         "stock,year,make,model,image list\nA1,2020,Kia,Rio,\"" + a + "|" + b + "\"\n",
		"semicolons":    "stock,year,make,model,image list\nA1,2020,Kia,Rio,\"" + a + ";" + b + "\"\n",
		"XML":           "<cars>" + item("A1", "<image><url>"+a+"</url></image><image><url>"+b+"</url><tag>rear</tag></image>") + "</cars>",
	} {
		if v, _ := one(t, oneRooftop(), file); strings.Join(v.Photos, " ") != a+" "+b {
			t.Errorf("%s: %q", name, v.Photos)
		}
	}
}

func TestAVINOlderThanTheStandardIsKeptAsAnIDInEveryFormat(t *testing.T) {
	for name, file := range map[string]string{
		"CSV":  "vin,stock,year,make,model\n7R01C100001,67-M,1967,Ford,Mustang\n",
		"JSON": `[{"vin":"7R01C100001","stock":"67-M","year":1967,"make":"Ford","model":"Mustang"}]`,
		"XML":  "<v><car vin='7R01C100001' stock='67-M' year='1967' make='Ford' model='Mustang'/></v>",
	} {
		if v, _ := one(t, oneRooftop(), file); v.VIN != "" || v.VehicleID != "7R01C100001" || v.Stock != "67-M" {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

func TestPricesFollowTheDeclarationInEveryFormat(t *testing.T) {
	for name, file := range map[string]string{
		"CSV": "stock,year,make,model,price\nA1,2020,Kia,Rio,24990\n",
		"XML": "<cars>" + item("A1", "<price>24990</price>") + "</cars>",
	} {
		p := oneRooftop()
		p.Prices = dealer.Prices{Includes: dealer.PricesWithoutFees, AddFees: []dealer.Fee{{Name: "Documentation fee", Amount: 899}}}
		v, rep := one(t, p, file)
		if num(v.Price) != int64(25889) || num(v.ListPrice) != int64(24990) || len(v.Fees) != 1 || !strings.Contains(rep.Prices.Says, "added to the price column") {
			t.Errorf("%s: %v %v %+v", name, num(v.Price), num(v.ListPrice), rep.Prices)
		}
		p.Prices = dealer.Prices{}
		if v, rep = one(t, p, file); v.Price != nil || num(v.ListPrice) != int64(24990) || !strings.Contains(rep.Prices.Says, "prices.includes") {
			t.Errorf("%s, not declared: %v %v %+v", name, num(v.Price), num(v.ListPrice), rep.Prices)
		}
	}
}

func TestADelimiterIsToldFromTheHeader(t *testing.T) {
	for _, d := range []string{",", "\t", "|", ";"} {
		row := strings.Join([]string{"A1", "2020", "Kia", "Rio"}, d) + "\n"
		if v, _ := one(t, oneRooftop(), "\xEF\xBB\xBF"+strings.Join([]string{"stock", "year", "make", "model"}, d)+"\n"+row); v.Stock != "A1" {
			t.Errorf("%q: %+v", d, v)
		}
	}
}
