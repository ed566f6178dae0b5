package lot

// Kinds of units, each with its own quota on the lot.
const (
	kindCar        = "car"
	kindTruck      = "truck"
	kindEV         = "ev"
	kindMotorcycle = "motorcycle"
)

// model is one model as its maker sells it; prices are MSRP in dollars.
type model struct {
	kind, make, name string
	// wmi is the maker's code, positions 1 to 3 of the VIN; vds are 4 to 7.
	wmi, vds         string
	body, drivetrain string
	engine           string
	cc               int
	fuel, gearbox    string
	city, highway    int
	first            int // first model year
	electric         *electric
	trims            []trim
}

type trim struct {
	name string
	msrp int
}

type electric struct {
	rangeMi  int
	kwh      float64
	hp       int
	fast     bool
	port     string
	nacsFrom int // model year from which the port is NACS; 0 never
}

var models = []model{
	{kindCar, "Toyota", "Camry", "4T1", "G11A", "Sedan", "FWD", "2.5L I4 Hybrid", 2487, "Hybrid", "CVT", 53, 50, 2018, nil, []trim{{"LE", 28700}, {"SE", 31000}, {"XLE", 33700}, {"XSE", 34900}}},
	{kindCar, "Toyota", "RAV4", "2T3", "P1RF", "SUV", "AWD", "2.5L I4", 2487, "Gasoline", "8-Speed Automatic", 27, 33, 2016, nil, []trim{{"LE", 30150}, {"XLE", 31650}, {"Limited", 37900}, {"Adventure", 36400}}},
	{kindCar, "Toyota", "Sienna", "5TD", "KRKE", "Minivan", "AWD", "2.5L I4 Hybrid", 2487, "Hybrid", "CVT", 35, 36, 2021, nil, []trim{{"LE", 40600}, {"XLE", 45300}, {"Platinum", 54900}}},
	{kindCar, "Toyota", "GR86", "JF1", "ZNBB", "Coupe", "RWD", "2.4L H4", 2387, "Gasoline", "6-Speed Manual", 20, 27, 2022, nil, []trim{{"Base", 30400}, {"Premium", 33000}}},
	{kindCar, "Honda", "Civic", "2HG", "FE2F", "Sedan", "FWD", "2.0L I4", 1996, "Gasoline", "CVT", 32, 41, 2014, nil, []trim{{"LX", 24250}, {"Sport", 26250}, {"EX", 27100}, {"Touring", 31500}}},
	{kindCar, "Honda", "Accord", "1HG", "CY1F", "Sedan", "FWD", "1.5L Turbo I4", 1498, "Gasoline", "CVT", 29, 37, 2013, nil, []trim{{"LX", 28300}, {"SE", 30600}, {"EX-L", 34600}, {"Touring", 39300}}},
	{kindCar, "Honda", "CR-V", "7FA", "RS4H", "SUV", "AWD", "1.5L Turbo I4", 1498, "Gasoline", "CVT", 27, 32, 2015, nil, []trim{{"LX", 30900}, {"EX", 33000}, {"EX-L", 35600}}},
	{kindCar, "Honda", "Pilot", "5FN", "YG1H", "SUV", "AWD", "3.5L V6", 3471, "Gasoline", "10-Speed Automatic", 19, 25, 2016, nil, []trim{{"Sport", 42400}, {"EX-L", 45500}, {"TrailSport", 50500}, {"Elite", 54600}}},
	{kindCar, "Mazda", "Mazda3", "JM1", "BPAL", "Hatchback", "FWD", "2.5L I4", 2488, "Gasoline", "6-Speed Automatic", 26, 35, 2014, nil, []trim{{"2.5 S", 25700}, {"Preferred", 27600}, {"Carbon Edition", 29500}}},
	{kindCar, "Mazda", "CX-5", "JM3", "KFBD", "SUV", "AWD", "2.5L I4", 2488, "Gasoline", "6-Speed Automatic", 26, 31, 2014, nil, []trim{{"2.5 S Select", 30000}, {"Preferred", 31300}, {"Premium Plus", 37000}}},
	{kindCar, "Mazda", "MX-5 Miata", "JM1", "NDAD", "Convertible", "RWD", "2.0L I4", 1998, "Gasoline", "6-Speed Manual", 26, 34, 2016, nil, []trim{{"Sport", 30500}, {"Club", 34000}, {"Grand Touring", 35400}}},
	{kindCar, "Subaru", "Outback", "4S4", "BTAC", "Wagon", "AWD", "2.5L H4", 2498, "Gasoline", "CVT", 26, 32, 2013, nil, []trim{{"Premium", 33000}, {"Onyx Edition", 37800}, {"Wilderness", 40500}}},
	{kindCar, "Subaru", "Crosstrek", "JF2", "GUAD", "SUV", "AWD", "2.5L H4", 2498, "Gasoline", "CVT", 26, 33, 2014, nil, []trim{{"Base", 27000}, {"Sport", 30500}, {"Limited", 32500}}},
	{kindCar, "Hyundai", "Tucson", "KM8", "JBCD", "SUV", "FWD", "2.5L I4", 2497, "Gasoline", "8-Speed Automatic", 25, 33, 2016, nil, []trim{{"SE", 29200}, {"SEL", 31400}, {"Limited", 39700}}},
	{kindCar, "Hyundai", "Tucson Plug-in Hybrid", "KM8", "JCCD", "SUV", "AWD", "1.6L Turbo I4 Plug-in Hybrid", 1598, "Plug-in Hybrid", "6-Speed Automatic", 35, 35, 2022, &electric{33, 13.8, 90, false, "J1772", 0}, []trim{{"SEL", 40000}, {"Limited", 48500}}},
	{kindCar, "Volkswagen", "Golf GTI", "3VW", "217A", "Hatchback", "FWD", "2.0L Turbo I4", 1984, "Gasoline", "7-Speed DCT", 24, 32, 2015, nil, []trim{{"S", 33700}, {"SE", 38600}, {"Autobahn", 41900}}},
	{kindCar, "Volkswagen", "Atlas", "1V2", "BR2C", "SUV", "AWD", "2.0L Turbo I4", 1984, "Gasoline", "8-Speed Automatic", 19, 26, 2018, nil, []trim{{"SE", 40800}, {"SE with Technology", 43000}, {"SEL Premium R-Line", 54000}}},
	{kindCar, "Jeep", "Wrangler", "1C4", "HJXD", "SUV", "4WD", "3.6L V6", 3604, "Gasoline", "6-Speed Manual", 17, 23, 2014, nil, []trim{{"Sport", 35900}, {"Willys", 43700}, {"Rubicon", 50000}}},
	{kindCar, "Jeep", "Grand Cherokee", "1C4", "RJHB", "SUV", "4WD", "3.6L V6", 3604, "Gasoline", "8-Speed Automatic", 19, 26, 2014, nil, []trim{{"Laredo", 41500}, {"Limited", 47800}, {"Summit", 62000}}},
	{kindCar, "BMW", "330i xDrive", "WBA", "5R7C", "Sedan", "AWD", "2.0L Turbo I4", 1998, "Gasoline", "8-Speed Automatic", 24, 33, 2017, nil, []trim{{"Base", 49500}, {"M Sport", 53000}}},
	{kindCar, "Kia", "Sorento", "5XY", "RLDL", "SUV", "AWD", "2.5L I4", 2497, "Gasoline", "8-Speed Automatic", 23, 28, 2016, nil, []trim{{"LX", 34000}, {"S", 36700}, {"X-Line SX", 44800}}},

	{kindTruck, "Ford", "F-150", "1FT", "FW1E", "Truck", "4WD", "3.5L Twin Turbo V6", 3496, "Gasoline", "10-Speed Automatic", 17, 24, 2013, nil, []trim{{"XL", 43000}, {"XLT", 49500}, {"Lariat", 62500}, {"Platinum", 75000}}},
	{kindTruck, "Ford", "Maverick", "3FT", "TW8E", "Truck", "FWD", "2.5L I4 Hybrid", 2488, "Hybrid", "CVT", 42, 35, 2022, nil, []trim{{"XL", 28000}, {"XLT", 30500}, {"Lariat", 36700}}},
	{kindTruck, "Chevrolet", "Silverado 1500", "1GC", "UDDE", "Truck", "4WD", "5.3L V8", 5328, "Gasoline", "10-Speed Automatic", 16, 20, 2014, nil, []trim{{"WT", 42000}, {"LT", 51000}, {"RST", 54500}, {"High Country", 66500}}},
	{kindTruck, "Ram", "1500", "1C6", "SRFF", "Truck", "4WD", "3.0L Twin Turbo I6", 2993, "Gasoline", "8-Speed Automatic", 18, 24, 2014, nil, []trim{{"Tradesman", 44500}, {"Big Horn", 49900}, {"Laramie", 61500}}},
	{kindTruck, "Ram", "2500", "3C6", "UR5C", "Truck", "4WD", "6.7L Turbo Diesel I6", 6690, "Diesel", "6-Speed Automatic", 0, 0, 2014, nil, []trim{{"Tradesman", 58500}, {"Big Horn", 63500}, {"Laramie", 75500}}},
	{kindTruck, "Toyota", "Tacoma", "3TM", "LB5J", "Truck", "4WD", "2.4L Turbo I4", 2393, "Gasoline", "8-Speed Automatic", 19, 24, 2014, nil, []trim{{"SR5", 39500}, {"TRD Off-Road", 43500}, {"Limited", 54000}}},
	{kindTruck, "Toyota", "Tundra", "5TF", "DA5D", "Truck", "4WD", "3.4L Twin Turbo V6", 3445, "Gasoline", "10-Speed Automatic", 17, 22, 2014, nil, []trim{{"SR5", 50500}, {"Limited", 58000}, {"1794 Edition", 67500}}},

	{kindEV, "Tesla", "Model 3", "5YJ", "3E1E", "Sedan", "RWD", "Electric Motor", 0, "Electric", "1-Speed Automatic", 0, 0, 2018, &electric{272, 57.5, 271, true, "NACS", 2018}, []trim{{"Standard Range Plus", 38990}, {"Long Range", 45990}}},
	{kindEV, "Tesla", "Model Y", "7SA", "YGDE", "SUV", "AWD", "Dual Electric Motors", 0, "Electric", "1-Speed Automatic", 0, 0, 2021, &electric{311, 75, 384, true, "NACS", 2021}, []trim{{"Long Range", 48990}, {"Performance", 54990}}},
	{kindEV, "Ford", "Mustang Mach-E", "3FM", "TK3R", "SUV", "AWD", "Dual Electric Motors", 0, "Electric", "1-Speed Automatic", 0, 0, 2021, &electric{300, 91, 370, true, "CCS", 2025}, []trim{{"Select", 41500}, {"Premium", 46500}, {"GT", 55500}}},
	{kindEV, "Chevrolet", "Bolt EUV", "1G1", "FY6S", "Hatchback", "FWD", "Electric Motor", 0, "Electric", "1-Speed Automatic", 0, 0, 2022, &electric{247, 65, 200, true, "CCS", 0}, []trim{{"LT", 28800}, {"Premier", 33300}}},
	{kindEV, "Hyundai", "IONIQ 5", "KM8", "KRDA", "SUV", "AWD", "Dual Electric Motors", 0, "Electric", "1-Speed Automatic", 0, 0, 2022, &electric{269, 77.4, 320, true, "CCS", 2025}, []trim{{"SE", 46600}, {"SEL", 49500}, {"Limited", 54500}}},
	{kindEV, "Kia", "EV6", "KND", "C3DL", "SUV", "RWD", "Electric Motor", 0, "Electric", "1-Speed Automatic", 0, 0, 2022, &electric{319, 84, 225, true, "CCS", 2025}, []trim{{"Light", 44200}, {"Wind", 50300}, {"GT-Line", 54300}}},
	{kindEV, "Nissan", "LEAF", "1N4", "AZ1B", "Hatchback", "FWD", "Electric Motor", 0, "Electric", "1-Speed Automatic", 0, 0, 2018, &electric{149, 40, 147, true, "CHAdeMO", 2026}, []trim{{"S", 28100}, {"SV Plus", 36200}}},
	{kindEV, "Ford", "F-150 Lightning", "1FT", "VW1E", "Truck", "AWD", "Dual Electric Motors", 0, "Electric", "1-Speed Automatic", 0, 0, 2022, &electric{240, 98, 452, true, "CCS", 0}, []trim{{"Pro", 54800}, {"XLT", 63300}, {"Lariat", 76900}}},

	{kindMotorcycle, "Harley-Davidson", "Street Glide", "1HD", "1KRC", "Touring", "", "1923cc V-Twin", 1923, "Gasoline", "6-Speed Manual", 0, 0, 2019, nil, []trim{{"Base", 25999}, {"Special", 27749}}},
	{kindMotorcycle, "Harley-Davidson", "Nightster", "1HD", "1ZA1", "Cruiser", "", "975cc V-Twin", 975, "Gasoline", "6-Speed Manual", 0, 0, 2022, nil, []trim{{"Base", 9999}, {"Special", 12999}}},
	{kindMotorcycle, "Honda", "Gold Wing", "JH2", "SC79", "Touring", "", "1833cc Flat-Six", 1833, "Gasoline", "7-Speed DCT", 0, 0, 2018, nil, []trim{{"Automatic DCT", 25200}, {"Tour", 28700}}},
	{kindMotorcycle, "Honda", "Rebel 500", "MLH", "PC56", "Cruiser", "", "471cc Parallel Twin", 471, "Gasoline", "6-Speed Manual", 0, 0, 2018, nil, []trim{{"ABS", 6799}, {"ABS SE", 6999}}},
	{kindMotorcycle, "BMW", "R 1250 GS", "WB1", "0J91", "Adventure", "", "1254cc Boxer Twin", 1254, "Gasoline", "6-Speed Manual", 0, 0, 2019, nil, []trim{{"Base", 18295}, {"Adventure", 20345}}},
	{kindMotorcycle, "Yamaha", "MT-07", "JYA", "RM39", "Standard", "", "689cc Parallel Twin", 689, "Gasoline", "6-Speed Manual", 0, 0, 2018, nil, []trim{{"Base", 8199}}},
	{kindMotorcycle, "Kawasaki", "Ninja 400", "JKA", "EXKG", "Sport", "", "399cc Parallel Twin", 399, "Gasoline", "6-Speed Manual", 0, 0, 2018, nil, []trim{{"Base", 5299}, {"KRT Edition", 5499}}},
	{kindMotorcycle, "Ducati", "Multistrada V4", "ZDM", "A15A", "Adventure", "", "1158cc V4", 1158, "Gasoline", "6-Speed Manual", 0, 0, 2021, nil, []trim{{"Base", 20995}, {"S", 27295}}},
	{kindMotorcycle, "Zero", "SR/F", "538", "ZFAZ", "Standard", "", "Electric Motor", 0, "Electric", "1-Speed Automatic", 0, 0, 2020, &electric{171, 15.1, 110, false, "J1772", 0}, []trim{{"Standard", 19995}, {"Premium", 21995}}},
	{kindMotorcycle, "LiveWire", "ONE", "5LR", "LWA1", "Standard", "", "Electric Motor", 0, "Electric", "1-Speed Automatic", 0, 0, 2021, &electric{146, 13.6, 100, true, "CCS", 0}, []trim{{"Base", 22799}}},
}
