package inventory_test

import "testing"

// TestNamesThatLookAlikeStayApart takes names of the market that begin, end or
// sound like another one.
func TestNamesThatLookAlikeStayApart(t *testing.T) {
	l, p := lotOf(t, units(t, alike)), twoRooftops()
	for _, c := range []struct{ filters, want string }{
		{`"model":["C"]`, ""},
		{`"model":["CR-V"]`, "CRV"},
		{`"model":["Mazda 3"]`, "MZ3"},
		{`"model":["3 Series"]`, "BMW3 BMW330"},
		{`"model":["3er"],"make":["Bimmer"]`, "BMW3 BMW330"},
		{`"model":["330i"]`, "BMW3 BMW330"},
		{`"model":["Ram 1500"]`, "DODGERAM RAM"},
		{`"model":["1500"]`, "DODGERAM RAM"},
		{`"model":["1500"],"make":["Ram"]`, "RAM"},
		{`"model":["Ram 1500"],"make":["Dodge"]`, "DODGERAM"},
		{`"model":["Silverado"]`, "SILV"},
		{`"model":["F150"]`, "F150"},
		{`"model":["F-150 Lightning"]`, "LIGHT"},
		{`"model":["Lightning"],"make":["ford truck"]`, "LIGHT"},
		{`"model":["GLC"]`, "GLC GLC300"},
		{`"model":["GLC 300"]`, "GLC300"},
		{`"model":["GLC-Class"]`, "GLC GLC300"},
		{`"model":["Model 3"]`, "TES3"},
		{`"model":["500"]`, "F500"},
		{`"model":["500X"]`, "F500X"},
		{`"model":["Bronco"]`, "BRONCO"},
		{`"model":["Bronco Sport"]`, "BSPORT BSPORTP"},
		{`"model":["RX"]`, "RX350"},
		{`"model":["Street Glide"]`, "SG SGS"},
		{`"model":["FLHX"],"make":["Harley"]`, "SG SGS"},
		{`"model":["street-glide special"]`, "SGS"},
		{`"model":["Road Glide"]`, "RG"},
		{`"model":["FatBoy"],"make":["HD"]`, "FB"},
		{`"model":["Fat Bob"]`, ""},
		{`"model":["Goldwing"]`, "GW"},
		{`"model":["Ninja"]`, "N400"},
		{`"model":["Mercedes GLA 250"]`, "GLA250"},
		{`"model":["GLA-250"]`, "GLA250"},
		{`"model":["GLA"]`, "GLA250"},
		{`"model":["GLA 25"]`, ""},
		{`"model":["GLA 4MATIC"]`, ""},
		{`"model":["Golf R"]`, "GOLFR"},
		{`"model":["Golf R-Line"]`, "GOLFRL"},
		{`"model":["Tiguan R"]`, ""},
		{`"model":["Outlander Sport"]`, "OUTSP"},
		{`"model":["Outlander"]`, "OUTTS"},
		{`"model":["Mustang GT"]`, "MUSTGT"},
		{`"model":["Mustang GT350"]`, "MUST350"},
		{`"model":["XC 60"]`, "XC60"},
		{`"model":["VW Jetta SE"]`, "JETTA"},
		{`"make":["Kia"],"model":["Jetta SE"]`, ""},
	} {
		if got := search(t, l, p, `{"filters":{`+c.filters+`}}`).sorted(); got != c.want {
			t.Errorf("%s finds %q, want %q", c.filters, got, c.want)
		}
	}
}

const alike = `[
{"stock":"CRV","make":"Honda","model":"CR-V"}, {"stock":"MZ3","make":"Mazda","model":"3"},
{"stock":"BMW3","make":"BMW","model":"3 Series","trim":"330i"}, {"stock":"BMW330","make":"BMW","model":"330i"},
{"stock":"RAM","make":"RAM","model":"1500"}, {"stock":"DODGERAM","make":"Dodge","model":"Ram 1500"},
{"stock":"SILV","make":"Chevrolet","model":"Silverado 1500"}, {"stock":"F150","make":"Ford","model":"F-150"},
{"stock":"LIGHT","make":"Ford","model":"F-150 Lightning"}, {"stock":"GLC","make":"Mercedes-Benz","model":"GLC"},
{"stock":"GLC300","make":"Mercedes-Benz","model":"GLC 300"}, {"stock":"TES3","make":"Tesla","model":"Model 3"},
{"stock":"F500","make":"FIAT","model":"500"}, {"stock":"F500X","make":"FIAT","model":"500X"},
{"stock":"BRONCO","make":"Ford","model":"Bronco"}, {"stock":"BSPORT","make":"Ford","model":"Bronco Sport"},
{"stock":"BSPORTP","make":"Ford","model":"Bronco Sport Premium"}, {"stock":"RX350","make":"Lexus","model":"RX 350"},
{"stock":"SG","make":"Harley-Davidson","model":"FLHX"}, {"stock":"SGS","make":"Harley-Davidson","model":"Street Glide Special"},
{"stock":"RG","make":"Harley-Davidson","model":"Road Glide"}, {"stock":"FB","make":"Harley Davidson","model":"Fat Boy"},
{"stock":"GW","make":"Honda","model":"Gold Wing"}, {"stock":"N400","make":"Kawasaki","model":"Ninja 400"},
{"stock":"GLA250","make":"Mercedes-Benz","model":"GLA","trim":"250 4MATIC"},
{"stock":"GOLFR","make":"Volkswagen","model":"Golf","trim":"R"}, {"stock":"GOLFRL","make":"Volkswagen","model":"Golf","trim":"R Line"},
{"stock":"TIG","make":"Volkswagen","model":"Tiguan","trim":"SE R-Line"}, {"stock":"JETTA","make":"Volkswagen","model":"Jetta","trim":"SE 1.4T"},
{"stock":"OUTSP","make":"Mitsubishi","model":"Outlander Sport","trim":"ES"}, {"stock":"OUTTS","make":"Mitsubishi","model":"Outlander","trim":"Sport Touring"},
{"stock":"MUSTGT","make":"Ford","model":"Mustang","trim":"GT Premium"}, {"stock":"MUST350","make":"Ford","model":"Mustang","trim":"GT350 R"},
{"stock":"XC60","make":"Volvo","model":"XC60","trim":"T6 R-Design"}
]`
