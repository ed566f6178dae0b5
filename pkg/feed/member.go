package feed

import (
	_ "embed"
	"strings"
	"sync"
)

// member is what a column holds. Its name is the AAP vehicle member's, or a
// helper's that ends up in one.
type member uint8

const (
	mVIN member = iota
	mStock
	mVehicleID
	mYear
	mMake
	mModel
	mTrim
	mCondition
	mCertified
	mUsed
	mVehicleType
	mStatus
	mSold
	mRooftop
	mRooftopCode
	mPrice
	mListPrice
	mMSRP
	mCurrency
	mFees
	mDocFee
	mMileage
	mMileageUnit
	mBody
	mTransmission
	mDriveline
	mEngine
	mEngineSize
	mCylinders
	mDisplacement
	mFuel
	mCityMPG
	mHighwayMPG
	mElectricRange
	mBattery
	mMotorPower
	mFastCharge
	mChargePort
	mExteriorColor
	mInteriorColor
	mExteriorColorGeneric
	mInteriorColorGeneric
	mFeatures
	mPhotos
	mMainPhoto
	mVDPURL
	mDescription
	mNotes
	mInventoryDate
	mUpdatedAt
	members
)

var memberNames = [members]string{
	"vin", "stock", "vehicle_id", "year", "make", "model", "trim", "condition", "certified", "used",
	"vehicle_type", "status", "sold", "rooftop", "rooftop_code", "price", "list_price", "msrp", "currency",
	"fees", "doc_fee", "mileage", "mileage_unit", "body", "transmission", "driveline", "engine", "engine_size",
	"cylinders", "displacement_cc", "fuel", "city_mpg", "highway_mpg", "electric_range_mi", "battery_kwh",
	"motor_power_hp", "dc_fast_charge", "charge_port", "exterior_color", "interior_color",
	"exterior_color_generic", "interior_color_generic", "features", "photos", "main_photo",
	"vdp_url", "description", "notes", "inventory_date", "updated_at",
}

func (m member) String() string { return memberNames[m] }

// many reports whether every column of the member is used, not only the first.
func (m member) many() bool {
	return m == mPhotos || m == mFeatures || m == mStatus || m == mVehicleType || m == mCurrency
}

func memberByName(name string) (member, bool) {
	for m, n := range memberNames {
		if n == name {
			return member(m), true
		}
	}
	return 0, false
}

//go:embed columns.txt
var columnsFile string

type spelling struct {
	member member
	rank   int
}

// spellings maps a folded header to its member; read once, never changed.
var spellings = sync.OnceValue(func() map[string]spelling {
	out := map[string]spelling{}
	for _, row := range tableRows(columnsFile) {
		m, ok := memberByName(row.name)
		if !ok {
			continue
		}
		for rank, word := range row.words {
			if key := foldHeader(word); out[key] == (spelling{}) {
				out[key] = spelling{m, rank}
			}
		}
	}
	return out
})

type tableRow struct {
	section, name string
	words         []string
	whole         bool
}

// tableRows reads the format of the three data files.
func tableRows(file string) []tableRow {
	var out []tableRow
	section, whole := "", false
	for ln := range strings.Lines(file) {
		ln = strings.TrimSpace(ln)
		if ln == "" || strings.HasPrefix(ln, "# ") || ln == "#" {
			continue
		}
		if strings.HasPrefix(ln, "[") {
			name, rest, _ := strings.Cut(ln[1:], "]")
			section, whole = name, strings.TrimSpace(rest) == "whole"
			continue
		}
		name, rest, _ := strings.Cut(ln, ":")
		row := tableRow{section: section, name: strings.TrimSpace(name), whole: whole}
		for w := range strings.SplitSeq(rest, "|") {
			if w = strings.TrimSpace(w); w != "" {
				row.words = append(row.words, w)
			}
		}
		out = append(out, row)
	}
	return out
}
