package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestCarsAreFoundByWhateverTheirNameIsWritten(t *testing.T) {
	exportCase{
		file: "stock,year,make,model,trim,exterior color,color generic,body,driveline,fuel,transmission\n" +
			"CHEV,2020,Chevy,Silverado 1500,LT,Summit White,,Pickup,4WD,Gas,Automatic\n" +
			"CORV,2021,CHEVROLET,Corvette,Stingray,Torch Red,,Coupe,RWD,Gasoline,8-Speed Dual Clutch\n" +
			"GOLF,2018,Volkswagen,Golf,S,Magnetic Gray,,Hatchback,FWD,Gas,Manual\n" +
			"GOLFR,2019,VW,Golf R,,Oryx,White,Hatchback,AWD,Gas,6-Speed M/T\n" +
			"GOLFRL,2019,Volkswagen,Golf,R Line,Silver,,Hatchback,FWD,Gas,Automatic\n" +
			"F150,2020,Ford,F-150,XLT 4WD,Agate Black,,Truck,4x4,Gas,Automatic\n" +
			"F250,2020,Ford,F250,Lariat,Race Red,,Truck,4x4,Diesel,Automatic\n" +
			"CRV,2021,Honda,CR-V,EX,Crystal Black Pearl,,SUV,AWD,Gas,CVT\n" +
			"RAV4,2021,Toyota,RAV4,LE,Blizzard Pearl,White,Sport Utility,AWD,Hybrid,Automatic\n" +
			"MZ3,2020,Mazda,Mazda3,Select,Soul Red,,Sedan,FWD,Gas,Automatic\n" +
			"WR,2020,Jeep,Wrangler,Sport,Grey,,SUV,4WD,Gas,Manual\n" +
			"WRU,2020,Jeep,Wrangler Unlimited,Sahara,Charcoal Metallic,Gray,SUV,4WD,Gas,Automatic\n" +
			"RAM,2021,Ram,1500,Big Horn,White,,Pickup,4x4,Gas,Automatic\n" +
			"TE,1992,Mercedes,300TE-4-Matic,,Smoke Silver,,Wagon,AWD,Gas,Automatic\n" +
			"GLC,2021,Mercedes-Benz,GLC,300 4MATIC,Polar White,,SUV,AWD,Gas,Automatic\n" +
			"BMW,2021,BMW,3 Series,330i xDrive,Alpine White,,Sedan,AWD,Gas,Automatic\n" +
			"HRV,2019,Honda,HR-V,LX,Lunar Silver,,SUV,FWD,Gas,CVT\n" +
			"CX5,2022,Mazda,CX-5,Premium,Snowflake White,,SUV,AWD,Gas,Automatic\n" +
			"LAND,2022,Land Rover,Range Rover Sport,HSE,Santorini Black,,SUV,AWD,Gas,Automatic\n" +
			"COU,2015,MINI,Cooper Countryman,S,British Racing Green,,Hatchback,AWD,Gas,Manual\n",
		found: map[string]string{
			`"make":["Chevy"]`: "CHEV CORV", `"make":["VW"]`: "GOLF GOLFR GOLFRL", `"make":["chevrolet"]`: "CHEV CORV", `"make":["volks-wagen"]`: "GOLF GOLFR GOLFRL",
			`"make":["LandRover"]`: "LAND", `"make":["Mercedes"]`: "GLC TE", `"make":["MB"]`: "GLC TE", `"make":["Mecedes"]`: "",
			`"model":["F150"]`: "F150", `"model":["f 150"]`: "F150", `"model":["F-250"]`: "F250", `"model":["CRV"]`: "CRV", `"model":["hrv"]`: "HRV", `"model":["CX5"]`: "CX5",
			`"model":["RAV-4"]`: "RAV4", `"model":["Rav 4"]`: "RAV4", `"model":["Mazda 3"]`: "MZ3", `"model":["Mazda-3"]`: "MZ3", `"model":["3"]`: "MZ3",
			`"model":["300TE-4-Matic"]`: "TE", `"model":["300 TE 4-Matic"]`: "TE", `"model":["300 Te 4 Matic"]`: "TE", `"model":["300te4matic"]`: "TE",
			`"model":["C"]`: "", `"model":["CR"]`: "", `"model":["F"]`: "", `"model":["R"]`: "", `"model":["GL"]`: "",
			`"model":["Golf"]`: "GOLF GOLFR GOLFRL", `"model":["Golf R"]`: "GOLFR", `"model":["Golf R-Line"]`: "GOLFRL",
			`"model":["Wrangler"]`: "WR WRU", `"model":["Wrangler Unlimited"]`: "WRU",
			`"model":["1500"]`: "RAM", `"model":["Silverado"]`: "CHEV", `"make":["Chevrolet"],"model":["1500"]`: "", `"make":["Dodge"],"model":["1500"]`: "",
			`"model":["GLC 300"]`: "GLC", `"model":["GLC300"]`: "GLC", `"model":["GLC"]`: "GLC", `"model":["330i"]`: "BMW", `"model":["BMW 330i"]`: "BMW", `"model":["3-Series"]`: "BMW",
			`"model":["Range Rover"]`:    "",
			`"exterior_color":["black"]`: "CRV F150 LAND", `"exterior_color":["grey"]`: "GOLF WR WRU", `"exterior_color":["GRAY"]`: "GOLF WR WRU",
			`"exterior_color":["white"]`: "BMW CHEV CX5 GLC GOLFR RAM RAV4", `"exterior_color":["silver"]`: "GOLFRL HRV TE", `"exterior_color":["red"]`: "CORV F250 MZ3",
			`"body":["SUV"],"make":["Toyota"]`: "RAV4", `"driveline":["4WD"],"make":["ford"]`: "F150 F250", `"transmission":["manual"]`: "COU GOLF GOLFR WR", `"fuel":["gasoline"],"make":["Ram"]`: "RAM",
			`"query":"mazda3 red"`: "MZ3", `"query":"f150 black"`: "F150",
		},
	}.run(t)
}

func TestASearchTellsItsTotalAndNotItsPage(t *testing.T) {
	var file strings.Builder
	file.WriteString("stock,year,make,model\n")
	for i := range 37 {
		fmt.Fprintf(&file, "A%d,2020,Kia,Rio\n", i)
	}
	d := &importing{dir: t.TempDir(), data: filepath.Join(t.TempDir(), "data")}
	d.importText(t, exportCase{file: file.String()})
	url, stop := d.serve(t)
	defer stop()
	answer := ask(t, url, "inventory.search", map[string]any{"pagination": map[string]any{"limit": 20}})
	if page := answer["data"].(map[string]any); page["total"] != 37.0 || answer["message"] != "37 match; showing 1-20." {
		t.Errorf("%v, %v", page["total"], answer["message"])
	}
}

func TestACarWithoutAPriceIsNeitherCheapNorHidden(t *testing.T) {
	d := &importing{dir: t.TempDir(), data: filepath.Join(t.TempDir(), "data")}
	d.importText(t, exportCase{file: "stock,year,make,model,price\nA,2020,Kia,Rio,18000\nB,2020,Kia,Rio,\nC,2020,Kia,Rio,25000\n"})
	url, stop := d.serve(t)
	defer stop()
	for _, c := range []struct {
		want    string
		request map[string]any
	}{
		{"A", map[string]any{"filters": map[string]any{"price_max": 20000}}},
		{"A C B", map[string]any{"sort": map[string]any{"field": "price", "order": "asc"}}},
		{"C A B", map[string]any{"sort": map[string]any{"field": "price", "order": "desc"}}},
	} {
		if got := inOrder(ask(t, url, "inventory.search", c.request)); got != c.want {
			t.Errorf("%v gives %q, want %q", c.request, got, c.want)
		}
	}
}

func TestAFeedThatDoesNotComeAnyMoreIsNotCalledFresh(t *testing.T) {
	const file = "stock,year,make,model,price\nA,2020,Kia,Rio,18000\n"
	written := time.Now().Add(-49 * time.Hour).UTC().Truncate(time.Second)
	for _, c := range []struct {
		name, settings string
		total          float64
		message        string
	}{
		{"past the soft limit", "", 1, "Warning: not confirmed by the dealer's system for 49 hours"},
		{"past the hard limit", "inventory: {hard_max_age: 48h}\n", 0, "Nothing can be claimed available"},
		{"within the limit", "inventory: {max_age: 72h}\n", 1, "1 match; showing 1."},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := &importing{dir: t.TempDir(), data: filepath.Join(t.TempDir(), "data")}
			d.importText(t, exportCase{settings: c.settings, file: file})
			d.data = filepath.Join(t.TempDir(), "other") // as the file was written then
			feed := filepath.Join(d.dir, "export.txt")
			if err := os.Chtimes(feed, written, written); err != nil {
				t.Fatal(err)
			}
			if r := dealerCommand(t, "", "import", "--profile", filepath.Join(d.dir, "dealer.yaml"), "--feed", feed, "--data", d.data); r.code != 0 {
				t.Fatal(r.out + r.err)
			}
			url, stop := d.serve(t)
			defer stop()
			answer := ask(t, url, "inventory.search", map[string]any{})
			page := answer["data"].(map[string]any)
			if message := answer["message"].(string); page["total"] != c.total || !strings.Contains(message, c.message) {
				t.Errorf("%v found: %q", page["total"], message)
			}
			for _, v := range page["vehicles"].([]any) {
				if at := v.(map[string]any)["updated_at"]; at != written.Format(time.RFC3339) {
					t.Errorf("updated_at %v, want %v", at, written)
				}
			}
		})
	}
}
