package dealer

// What a feed's price column holds.
const (
	// PricesComplete: every mandatory charge is inside.
	PricesComplete = "all_mandatory_charges"
	// PricesWithoutFees: Prices.AddFees must be added.
	PricesWithoutFees = "none"
)

// Prices is the dealer's declaration about the feed's price column. Without
// one, no price is published: the number becomes list_price (AAP v1.3
// pricing-and-ftc).
type Prices struct {
	// Includes is "all_mandatory_charges" when the price column already holds
	// every mandatory charge, or "none" when AddFees must be added. Empty: not
	// declared.
	Includes string `yaml:"includes"`
	// AddFees is added to the price column when Includes is "none", and
	// published as the vehicle's fees. An empty list declares that there are
	// no mandatory charges.
	AddFees []Fee `yaml:"add_fees"`
	// Currency of amounts that carry none. Only USD is published. Default USD.
	Currency string `yaml:"currency"`
	// OutTheDoor declares that nothing comes on top of the published price, no
	// tax, title or registration either, so that it is "price" under AAP v1.2
	// and older too, where the word means all that a buyer pays. Default false:
	// there, no vehicle has a price.
	OutTheDoor bool `yaml:"out_the_door"`
}

// Inventory sets freshness and guards.
type Inventory struct {
	// MaxAge is the age of the last good feed past which answers carry a
	// warning. Default 48h.
	MaxAge Duration `yaml:"max_age"`
	// HardMaxAge is the age past which no availability is claimed. Default 0: never.
	HardMaxAge Duration `yaml:"hard_max_age"`
	// MaxDrop is the share of listed cars, 0 to 1, that one import may remove
	// from a file or a rooftop before it is refused. Default 0.5.
	MaxDrop *float64 `yaml:"max_drop"`
	// RememberSold is how long a car that left the feed answers
	// VEHICLE_UNAVAILABLE. Default 720h.
	RememberSold Duration `yaml:"remember_sold"`
	// PageDefault is the page size of an inventory.search that names none, 1
	// to 100 and at most PageMax. Default 20.
	PageDefault int `yaml:"page_default"`
	// PageMax is the largest page, 1 to 1000. Default 100.
	PageMax int `yaml:"page_max"`
}

// Feed says how to read the export.
type Feed struct {
	// Columns maps an AAP vehicle member to the feed's column or JSON path; it
	// wins over the built-in header aliases. The member "price" means the
	// selling price as Prices describes it. Beside the members of AAP v1.3
	// there are other_attributes.<name> and the helpers certified, used, sold,
	// rooftop_code, currency, doc_fee, mileage_unit, engine_size, cylinders,
	// main_photo, exterior_color_generic and interior_color_generic.
	Columns map[string]string `yaml:"columns"`
	// Header names the columns, in order, of delimited text that has no header
	// row. Names follow the same aliases as a header's; "-" is a column that is
	// not read. Default: the first row is the header.
	Header []string `yaml:"header"`
	// Encoding is the charset of a file that does not begin with a byte-order
	// mark, one of Encodings. Default: what an XML declaration says, else UTF-8,
	// and Windows-1252 where the bytes are not.
	Encoding string `yaml:"encoding"`
	// Constants fill a member that the feed lacks, such as make: Toyota; never
	// what differs from car to car, such as vin or price.
	Constants map[string]string `yaml:"constants"`
	// Statuses maps a feed status, case folded, to available, intransit,
	// pending, sold or hidden; it wins over the built-in map.
	Statuses map[string]string `yaml:"statuses"`
	// Conditions maps a feed condition, case folded, to new, used or cpo.
	Conditions map[string]string `yaml:"conditions"`
	// DateOrder is ymd, mdy or dmy for dates with slashes. Default mdy.
	DateOrder string `yaml:"date_order"`
	// MileageUnit is mi or km for columns that name no unit. Default mi.
	MileageUnit string `yaml:"mileage_unit"`
	// Rooftop is the rooftop of rows that name none, by name or alias; it is
	// the name after Parse. Default: the only rooftop, if there is one.
	Rooftop string `yaml:"rooftop"`
	// Sources are where exports are fetched from on a schedule, at most 100;
	// each rooftop is in the file of one of them at most. Default: none.
	Sources []FeedSource `yaml:"sources"`
}

// Encodings are the charsets that Feed.Encoding may name.
func Encodings() []string {
	return []string{"utf-8", "windows-1252", "iso-8859-1", "iso-8859-15", "iso-8859-2", "windows-1250", "macintosh"}
}

// Leads sets how leads are taken and kept.
type Leads struct {
	// DuplicateWindow merges an equal lead of the same customer. Default 24h.
	DuplicateWindow Duration `yaml:"duplicate_window"`
	// ConsentMaxAge ends a grant that carries no expires_at. Default 0: never.
	ConsentMaxAge Duration `yaml:"consent_max_age"`
	// TestDriveNeedsVehicle refuses a test drive without a vehicle of
	// interest. Default false.
	TestDriveNeedsVehicle bool `yaml:"test_drive_needs_vehicle"`
	// IdempotencyTTL is how long a key is remembered; at least 24h. Default 168h.
	IdempotencyTTL Duration `yaml:"idempotency_ttl"`
	// Retention is how long a lead and its consent are kept. Default 17520h
	// (two years).
	Retention Duration `yaml:"retention"`
	// ConsentText is what a buyer agrees to when this agent itself asks for the
	// consent, word for word; it goes into the lead. 1 to 2000 characters, also
	// in several lines. Default: ConsentText(Name).
	ConsentText string `yaml:"consent_text"`
	// Appointments maps sales, service, test_drive and trade_in to their
	// policies. Absent types are manual.
	Appointments map[string]AppointmentPolicy `yaml:"appointments"`
}
