package feed_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/feed"
)

func TestIdentity(t *testing.T) {
	for _, c := range []struct{ name, header, row, vin, stock, id string }{
		{"a VIN in lower case with blanks", "vin", " 19xfl2h89pe020417 ", vinA, "", ""},
		{"stock equal to the VIN", "vin;stock", vinA + ";" + vinA, vinA, vinA, ""},
		{"a provisional VIN", "vin", "19XFL2H89PEO20417", "", "", "19XFL2H89PEO20417"},
		{"sixteen characters behind a blank", "vin", " 19XFL2H89PE02041", "", "", "19XFL2H89PE02041"},
		{"a short VIN beside a stock number", "vin;stock", "1HD1ZZK21;0042", "", "0042", "1HD1ZZK21"},
		{"a masked VIN beside a stock number", "vin;stock", "11111111111111111;P877", "", "P877", ""},
		{"words instead of a VIN", "vin;stock", "please call us for the VIN;P1", "", "P1", ""},
		{"an id that is a stock number", "id", "24-118302B", "", "24-118302B", "24-118302B"},
		{"an id beside a stock column", "id;stock", "771204;K20417", "", "K20417", "771204"},
		{"an id that is a slug", "id", "2018-acme-roadster-deluxe", "", "", "2018-acme-roadster-deluxe"},
		{"an id that is the VIN", "id;vin", vinA + ";" + vinA, vinA, "", vinA},
		{"leading zeros", "stock", "00562", "", "00562", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, _ := one(t, oneRooftop(), "year;make;model;"+c.header+"\n2020;Honda;Civic;"+c.row+"\n")
			if v.VIN != c.vin || v.Stock != c.stock || v.VehicleID != c.id {
				t.Errorf("vin %q stock %q id %q", v.VIN, v.Stock, v.VehicleID)
			}
		})
	}
}

func TestAWrongCheckDigitIsOnlyAWarning(t *testing.T) {
	v, rep := one(t, oneRooftop(), "vin,year,make,model\n19XFL2H81PE020417,2023,Honda,Civic\n")
	if v.VIN != "19XFL2H81PE020417" || !warned(rep, "check digit") {
		t.Errorf("%+v %+v", v, rep.Warnings)
	}
	if _, rep := one(t, oneRooftop(), "vin,year,make,model\n19XFL2H89PE020417,2023,Honda,Civic\n"); warned(rep, "check digit") {
		t.Error("a right check digit is called wrong")
	}
}

func TestTheFirstRowOfAUnitWinsAndTheDifferenceIsNamed(t *testing.T) {
	units, rep := read(t, oneRooftop(), "vin,stock,year,make,model,price\n"+vinA+",A1,2020,Honda,Civic,20500\n"+vinB+",B1,2022,Ford,F-150,40000\n"+vinA+",A2,2020,Honda,Civic,19500\n,B7,2020,Kia,Rio,9000\n,B7,2020,Kia,Rio,9000\n")
	if len(units) != 3 || num(units[0].Listing.Price) != int64(20500) || rep.Merged != 2 {
		t.Fatalf("%d units, %+v", len(units), rep)
	}
	if r := rep.MergedRows[0]; r.Line != 4 || !strings.Contains(r.Reason, "differs in price, stock") {
		t.Errorf("%+v", r)
	}
	if rep.Rows != rep.Accepted+rep.Merged+rep.Rejected {
		t.Errorf("%+v", rep)
	}
}

func TestTwoVINsWithOneStockNumberStayAndAreReported(t *testing.T) {
	units, rep := read(t, oneRooftop(), "vin,stock,year,make,model\n"+vinA+",A-1,2020,Honda,Civic\n"+vinB+",a1,2022,Ford,F-150\n")
	if len(units) != 2 || !warned(rep, "stock number that another unit") {
		t.Errorf("%d units, %+v", len(units), rep.Warnings)
	}
}

func TestRowsAreRejectedForWhatAVehicleCannotLack(t *testing.T) {
	_, rep := read(t, oneRooftop(), "vin,stock,year,make,model\n"+vinA+",,,Honda,Civic\n,S1,,Honda,Civic\n,S2,2020,,Civic\n,S3,2020,Honda,\n,,2020,Honda,Civic\n,S4,19,Honda,Civic\n")
	want := map[string]int{"neither a model year nor a valid VIN": 2, "no make": 1, "no model": 1, "no vin, stock number or id": 1}
	if diff := cmp.Diff(want, rep.RejectedBy); diff != "" || rep.Accepted != 1 {
		t.Error(diff)
	}
	if rep.RejectedRows[0].Line != 3 || rep.RejectedRows[3].Line != 6 {
		t.Errorf("%+v", rep.RejectedRows)
	}
}

func TestAFileWithoutOneVehicleIsRefusedWithWhatToDo(t *testing.T) {
	for table, want := range map[string]string{
		"stock,year,make,model\n":                "no row below the names of its columns; see that the export has vehicles in it",
		"stock,year,model\nA1,2020,Civic\n":      "none of the 1 rows is a vehicle: no make; name its column in feed.columns, or write it into feed.constants when all are of one make",
		"stock,year,make\nA1,2020,Honda\n":       "none of the 1 rows is a vehicle: no model; name its column in feed.columns",
		"stock,year,make,model\n,2020,Kia,Rio\n": "none of the 1 rows is a vehicle: no vin, stock number or id",
	} {
		_, _, err := feed.Read(t.Context(), feed.Source{Name: "export.csv", Body: strings.NewReader(table)}, oneRooftop())
		if !errors.Is(err, feed.ErrRefused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", table, err)
		}
	}
}

func TestAnOptionalColumnNeverDecidesVisibility(t *testing.T) {
	units, rep := read(t, oneRooftop(), "stock,year,make,model,price,mileage,color,photos,description,date in stock\nA1,2020,Honda,Civic,,,,,,\n")
	if !units[0].State.Listed() || rep.Visible != 1 {
		t.Errorf("%+v", rep)
	}
}

func TestConditionNewOfAnOldModelYearIsNotClaimed(t *testing.T) {
	v, rep := one(t, oneRooftop(), "stock,year,make,model,condition\nA1,2011,Jeep,Patriot,new\n")
	if v.Condition != "" || !warned(rep, "older than two years") {
		t.Errorf("%q %+v", v.Condition, rep.Warnings)
	}
	for _, c := range []struct{ header, value, want string }{
		{"certified", "True", "cpo"}, {"certified", "False", "used"}, {"certified", "", "used"}, {"Certified", "1", "cpo"}, {"cpo", "y", "cpo"},
	} {
		if v, _ := cell(t, oneRooftop(), c.header, c.value); v.Condition != c.want {
			t.Errorf("%+v: %q", c, v.Condition)
		}
	}
}

func TestRooftops(t *testing.T) {
	two := oneRooftop()
	two.Rooftops = []dealer.Rooftop{{Name: "North", Aliases: []string{"D-17"}}, {Name: "South"}}
	const head = "stock,year,make,model,dealer name,dealer id\nA1,2020,Honda,Civic,"
	for row, want := range map[string]string{"north,": "North", "South ,": "South", ",D-17": "North", "West,": "", ",": "", "West,d-17": "North"} {
		v, rep := one(t, two, head+row+"\n")
		if v.Rooftop != want {
			t.Errorf("%q: %q, want %q", row, v.Rooftop, want)
		}
		if strings.HasPrefix(row, "West,") && want == "" && !warned(rep, `rooftop "West"`) {
			t.Errorf("%+v", rep.Warnings)
		}
	}
	two.Feed.Rooftop = "South"
	if v, _ := one(t, two, head+",\n"); v.Rooftop != "South" {
		t.Errorf("default rooftop: %q", v.Rooftop)
	}
	if v, _ := one(t, oneRooftop(), head+"Example Motors of Town,\n"); v.Rooftop != "Example Motors" {
		t.Errorf("the only rooftop: %q", v.Rooftop)
	}
}

func TestColumnsAndConstantsOfTheProfileWin(t *testing.T) {
	p := oneRooftop()
	p.Feed.Columns = map[string]string{"trim": "Model", "stock": "Ref", "other_attributes.final_drive": "Drive Kind", "notes": "Remarks"}
	p.Feed.Constants = map[string]string{"make": "Acme Moto", "model": "Tourer", "condition": "new", "vehicle_type": "motorcycle", "other_attributes.wheels": "2"}
	v, _ := one(t, p, "Ref,Stock,Model,Year,Drive Kind,Remarks,attr:ABS,attr:Code,attr:cc\nR1,S1,GT,2026,belt,\"Just in, clean\",true,007,1868.5\n")
	if v.Stock != "R1" || v.Trim != "GT" || v.Model != "Tourer" || v.Make != "Acme Moto" || v.Condition != "new" || v.VehicleType != "motorcycle" || v.Notes != "Just in, clean" {
		t.Errorf("%+v", v)
	}
	want := map[string]any{"final_drive": "belt", "wheels": 2.0, "abs": true, "code": "007", "cc": 1868.5}
	if diff := cmp.Diff(want, v.OtherAttributes); diff != "" {
		t.Error(diff)
	}
}

func TestElectricMembers(t *testing.T) {
	v, rep := one(t, oneRooftop(), "stock;year;make;model;fuel type;electric range;battery kwh;motor hp;dc fast charge;charge port;city mpg;displacement cc\nE1;2024;Tesla;Model 3;Electric;272 mi;57.5 kWh;271;Yes;SAE J3400;138;\n")
	if v.Fuel != "bev" || *v.ElectricRangeMi != 272 || *v.BatteryKWh != 57.5 || *v.MotorPowerHP != 271 || !*v.DCFastCharge || v.ChargePort != "nacs" || v.CityMPG != nil {
		t.Errorf("%+v %+v", v, rep.Warnings)
	}
	v, rep = one(t, oneRooftop(), "stock;year;make;model;city mpg;hwy mpg;displacement cc;battery kwh\nE1;2020;Honda;CBR;11.2L/100km;36;998cc;about 50\n")
	if v.CityMPG != nil || num(v.HighwayMPG) != int64(36) || num(v.DisplacementCC) != int64(998) || v.BatteryKWh != nil || !warned(rep, "city_mpg") || !warned(rep, "battery_kwh") {
		t.Errorf("%+v %+v", v, rep.Warnings)
	}
}

func TestFeaturesAreOneListEach(t *testing.T) {
	for value, want := range map[string][]string{
		"Heated Seats|Sunroof": {"Heated Seats", "Sunroof"}, "A, B,, a": {"A", "B", "a"}, "<ul><li>A</li><li>B, C</li></ul>": {"A", "B, C"}, `["A","B"]`: {"A", "B"}, "N/A": nil, "A|N/A|A": {"A"},
	} {
		v, _ := one(t, oneRooftop(), "stock\tyear\tmake\tmodel\toptions\nA1\t2020\tHonda\tCivic\t"+value+"\n")
		if diff := cmp.Diff(want, v.Features); diff != "" && len(v.Features)+len(want) > 0 {
			t.Errorf("%q: %s", value, diff)
		}
	}
}
