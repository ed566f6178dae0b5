package main

import "testing"

func TestTroubleOfTheSameKindIsReadRightToo(t *testing.T) {
	for _, c := range []exportCase{
		{
			name: "short names of columns",
			file: "StockNo;ModelYear;MakeName;ModelName;TrimName;Selling_Price;Miles;ExtColorDesc;IntColorDesc;Body Type;Drivetype;Fuel;Gearbox;Image URLs;VDP Link;Comments;Date In Stock\n" +
				"A1;2020;Kia;Rio;LX;$9,000.00;41k;Red;Black;4 Door Sedan;Front-Wheel Drive;Unleaded;6AT;https://x.example.com/a.jpg;https://x.example.com/v;Nice;2026-03-05\n",
			units: map[string]string{"A1": `{"trim":"LX","price":9000,"exterior_color":"Red","interior_color":"Black","driveline":"fwd","fuel":"gas","transmission":"6-speed automatic","vdp_url":"https://x.example.com/v","description":"Nice","inventory_date":"2026-03-05","photos":["https://x.example.com/a.jpg"]}`},
		},
		{
			name: "names of columns that all begin alike",
			file: "VehicleStockNumber,VehicleYear,VehicleMake,VehicleModel,VehicleTrim,AskingPrice,OdometerMiles,ExteriorColour,InteriorColour,BodyStyle,DriveTrain,FuelType,TransmissionType,PhotoURLs,DetailPageURL,VehicleDescription,InStockDate,IsCertified,NewUsed\n" +
				"A1,2020,Kia,Rio,LX,9000,41000,Red,Black,Sedan,FWD,Gasoline Fuel,Automatic,https://x.example.com/a.jpg,https://x.example.com/v,Nice,2026-03-05,Yes,Used\n",
			units: map[string]string{"A1": `{"trim":"LX","price":9000,"mileage":41000,"exterior_color":"Red","interior_color":"Black","driveline":"fwd","fuel":"gas","transmission":"automatic","vdp_url":"https://x.example.com/v","description":"Nice","inventory_date":"2026-03-05","photos":["https://x.example.com/a.jpg"],"condition":"cpo","body":"sedan"}`},
		},
		{
			name: "units and numbers in the names of columns",
			file: "\"Stock No.\",\"Yr.\",\"Mk\",\"Mdl\",\"Price (USD)\",\"Mileage (mi)\",\"Colour - Exterior\",\"Photo 1\",\"Photo 2\",\"Web URL\"\n" +
				"A1,2020,Kia,Rio,9000,41000,Red,https://x.example.com/a.jpg,https://x.example.com/b.jpg,https://x.example.com/v\n",
			units: map[string]string{"A1": `{"make":"Kia","model":"Rio","price":9000,"mileage":41000,"exterior_color":"Red","photos":["https://x.example.com/a.jpg","https://x.example.com/b.jpg"]}`},
		},
		{
			name: "money of other countries that looks like dollars",
			file: "stock,year,make,model,price\n" +
				"A1,2020,Kia,Rio,\"US$ 9,000\"\n" +
				"A2,2020,Kia,Rio,\"9,000.00 usd\"\n" +
				"A3,2020,Kia,Rio,\"$9.000,00\"\n" +
				"A4,2020,Kia,Rio,9000 dollars\n" +
				"A5,2020,Kia,Rio,\"9 000\"\n" +
				"A6,2020,Kia,Rio,NZ$9000\n" +
				"A7,2020,Kia,Rio,9000 MXN\n" +
				"A8,2020,Kia,Rio,R$ 9000\n" +
				"A9,2020,Kia,Rio,HK$9000\n" +
				"B1,2020,Kia,Rio,9000 kr.\n" +
				"B2,2020,Kia,Rio,AED 9000\n" +
				"B3,2020,Kia,Rio,$9000 MXN\n" +
				"B4,2020,Kia,Rio,9000 $CAD\n" +
				"B5,2020,Kia,Rio,Can$9000\n" +
				"B6,2020,Kia,Rio,MX$9000\n" +
				"B7,2020,Kia,Rio,₩9000000\n" +
				"B8,2020,Kia,Rio,9000 pesos\n",
			found: map[string]string{`"price_min":0`: "A1 A2 A3 A4 A5"},
		},
		{
			name: "quotes of every fashion",
			file: "stock,year,make,model,description,price\n" +
				"'A1',2020,Ram,1500,'x',9000\n" +
				"A2,2020,Ram,1500,he said \"hi, there\" ok,9000\n" +
				"A3,2020,Ram,1500,\\\"esc, aped\\\",9000\n" +
				"A4,2020,Ram,1500,\"back \\\"slash\\\", yes\",9000\n" +
				"A5,2020,Ram,1500,“curly, quotes”,9000\n" +
				"A6,2020,Ram,1500, \"blank before\",9000\n" +
				"A7,2020,Ram,1500,\"ok\" ,9000\n" +
				"A8,2020,Ram,1500,\"two\n" +
				"lines\",9000\n" +
				"A9,2020,Ram,1500,plain,9000\n",
			found: map[string]string{`"stock":"A9"`: "A9", `"stock":"A8"`: "A8", `"stock":"A7"`: "A7", `"stock":"A6"`: "A6", `"stock":"A4"`: "A4", `"stock":"A5"`: ""},
			units: map[string]string{"A4": `{"price":9000,"description":"back \"slash\", yes"}`, "A6": `{"price":9000,"description":"blank before"}`, "A7": `{"price":9000}`},
		},
		{
			name: "dates as systems and spreadsheets write them",
			file: "stock,year,make,model,inventory date\n" +
				"A1,2020,Kia,Rio,46086\n" +
				"A2,2020,Kia,Rio,2026/03/05\n" +
				"A3,2020,Kia,Rio,5 March 2026\n" +
				"A4,2020,Kia,Rio,2026-03-05T23:30:00-08:00\n" +
				"A5,2020,Kia,Rio,2026-03-05 13:00\n" +
				"A6,2020,Kia,Rio,Thu Mar 5 2026\n" +
				"A7,2020,Kia,Rio,\"Thursday, March 5, 2026\"\n" +
				"A8,2020,Kia,Rio,1772668800\n" +
				"A9,2020,Kia,Rio,05MAR2026\n" +
				"B1,2020,Kia,Rio,0000-00-00\n" +
				"B2,2020,Kia,Rio,13/13/2026\n" +
				"B3,2020,Kia,Rio,3/25/2026\n",
			units: map[string]string{"A2": `{"inventory_date":"2026-03-05"}`, "A3": `{"inventory_date":"2026-03-05"}`, "A4": `{"inventory_date":"2026-03-05"}`, "A5": `{"inventory_date":"2026-03-05"}`, "A6": `{"inventory_date":"2026-03-05"}`, "A7": `{"inventory_date":"2026-03-05"}`, "A9": `{"inventory_date":"2026-03-05"}`, "B1": `{"inventory_date":null}`, "B2": `{"inventory_date":null}`, "B3": `{"inventory_date":"2026-03-25"}`, "A1": `{"inventory_date":null}`, "A8": `{"inventory_date":null}`},
		},
		{
			name: "miles and kilometers",
			file: "stock,year,make,model,condition,mileage\n" +
				"A1,2020,Kia,Rio,Used,\"41,000 mi.\"\n" +
				"A2,2020,Kia,Rio,Used,41000 Miles\n" +
				"A3,2020,Kia,Rio,Used,66000 kilometers\n" +
				"A4,2020,Kia,Rio,Used,66.000 km\n" +
				"A5,2020,Kia,Rio,Used,999999\n" +
				"A6,2020,Kia,Rio,Used,Exempt\n" +
				"A7,2020,Kia,Rio,Used,41 000\n",
			units: map[string]string{"A1": `{"mileage":41000}`, "A2": `{"mileage":41000}`, "A3": `{"mileage":41010}`, "A6": `{"mileage":null}`, "A7": `{"mileage":41000}`, "A4": `{"mileage":null}`, "A5": `{"mileage":null}`},
		},
		{
			name: "trims inside the model and no column of trims",
			file: "stock,year,make,model,trim\n" +
				"A1,2020,Honda,Civic EX,\n" +
				"A2,2020,Ford,F-150 XLT,\n" +
				"A3,2020,Toyota,Camry XSE V6,\n" +
				"A4,2020,Chevrolet,Silverado 1500 LTZ,\n" +
				"A5,2020,Ford,F-150 Lightning,\n" +
				"A6,2020,Ford,F-150 Lightning Lariat,\n" +
				"A7,2020,Toyota,Corolla Cross LE,\n" +
				"A8,2020,Nissan,Rogue SV,\n" +
				"A9,2020,Nissan,Rogue Sport SV,\n" +
				"B1,2020,Toyota,Rav4 hybrid XLE,\n" +
				"B2,2020,Lexus,RX350,F Sport\n" +
				"B3,2020,Lexus,RX,350 F Sport\n" +
				"B4,2020,Infiniti,Q50,3.0t Luxe\n" +
				"B5,2020,Hyundai,Santa-Fe,SEL\n" +
				"B6,2020,Kia,Optima / K5,\n" +
				"B7,2020,Mercedes-Benz,E 350,\n" +
				"B8,2020,Mercedes-Benz,E-Class,E 350 4MATIC\n",
			found: map[string]string{`"model":["Civic"]`: "A1", `"model":["F-150"]`: "A2", `"model":["Camry"]`: "A3", `"model":["Silverado 1500"]`: "A4", `"model":["Silverado"]`: "A4", `"model":["F-150 Lightning"]`: "A5 A6", `"model":["Corolla"]`: "", `"model":["Corolla Cross"]`: "A7", `"model":["Rogue"]`: "A8", `"model":["Rogue Sport"]`: "A9", `"model":["RAV4 Hybrid"]`: "B1", `"model":["RAV4"]`: "B1", `"model":["RX 350"]`: "B2 B3", `"model":["RX"]`: "B2 B3", `"model":["SantaFe"]`: "B5", `"model":["E350"]`: "B7 B8", `"model":["E-Class"]`: "B7 B8", `"model":["E Class"]`: "B7 B8"},
		},
		{
			name: "one car in two rows",
			file: "vin,stock,year,make,model,price\n" +
				"19XFL2H89PE020417,A1,2020,Kia,Rio,9000\n" +
				"19xfl2h89pe020417,A1-B,2020,Kia,Rio,9000\n" +
				",A2,2020,Kia,Rio,9000\n" +
				",a-2,2020,Kia,Rio,9000\n",
			found: map[string]string{`"make":["Kia"]`: "A1 A2 a-2"},
		},
		{
			name: "words for a car that is on offer or not",
			file: "stock,year,make,model,status\n" +
				"A1,2020,Kia,Rio,For Sale\n" +
				"A2,2020,Kia,Rio,On Lot\n" +
				"A3,2020,Kia,Rio,Active\n" +
				"A4,2020,Kia,Rio,In Transit\n" +
				"A5,2020,Kia,Rio,Sale Pending\n" +
				"A6,2020,Kia,Rio,Deal Pending\n" +
				"A7,2020,Kia,Rio,Service Loaner\n" +
				"A8,2020,Kia,Rio,SOLD!\n" +
				"A9,2020,Kia,Rio,Demo\n" +
				"B1,2020,Kia,Rio,Deposit\n" +
				"B2,2020,Kia,Rio,Live\n",
			found: map[string]string{`"make":["Kia"]`: "A1 A2 A3 A4 A5 A6 B1 B2"},
		},
	} {
		t.Run(c.name, c.run)
	}
}
