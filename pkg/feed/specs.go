package feed

import (
	"math"
	"regexp"
	"strings"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// mileage reads the odometer. Zero is believed of new units only.
func (b *builder) mileage() {
	s := b.cell(mMileage)
	if s == "" {
		return
	}
	unit := parseUnit(b.line(mMileageUnit))
	if unit == "" {
		unit = b.m.unit[mMileage]
	}
	if unit == "" {
		unit = b.profile.Feed.MileageUnit
	}
	if unit == "" {
		unit = "mi"
	}
	l := &b.v.Listing
	n, given, ok := parseMileage(line1(s), unit)
	switch {
	case !ok:
		b.warn("mileage that cannot be read with certainty; left out")
	case !given:
	case n == 0 && l.Condition != "new":
		b.warn("mileage 0 on a unit that is not new; left out")
	default:
		if l.Condition == "new" && n > 100 {
			b.warn("new unit with more than 100 miles")
		}
		l.Mileage = number(n)
	}
}

// usual gives a member in the word the table has for it, else the dealer's
// own text; words that say nothing are absent.
func (b *builder) usual(m member) string {
	s := b.line(m)
	if s == "" {
		return ""
	}
	return b.memos[m].of(s, func(s string) string {
		if _, says := vocabularies()["unsettled"].find(s); says {
			return ""
		}
		if v, ok := vocabularies()[m.String()].find(s); ok {
			return v
		}
		return s
	})
}

func (b *builder) specs() {
	l := &b.v.Listing
	body := b.line(mBody)
	l.Body = b.usual(mBody)
	if t := b.bodyTypes.of(body, vehicleType); t == "motorcycle" || t == "trailer" || t == "rv" {
		if l.VehicleType == "" {
			l.VehicleType = t
		}
		if squash(body) == squash(t) {
			l.Body = ""
		} else if l.Body != "" {
			l.Body = body
		}
	}
	l.Fuel = b.usual(mFuel)
	l.Driveline = b.usual(mDriveline)
	l.Transmission = b.transmission()
	l.Engine = b.engine()
	l.ExteriorColor, l.InteriorColor = b.color(mExteriorColor, mExteriorColorGeneric), b.color(mInteriorColor, mInteriorColorGeneric)
	if s := b.line(mDisplacement); s != "" {
		if n, ok := parseDecimal(s, "cc", "ccm", "cm3"); ok && n >= 20 && n < 30_000 {
			l.DisplacementCC = number(int64(math.Round(n)))
		}
	}
	if l.Fuel != "bev" {
		l.CityMPG, l.HighwayMPG = b.mpg(mCityMPG), b.mpg(mHighwayMPG)
	}
}

// color is the maker's name for a color. The plain color beside it becomes a
// member of other_attributes, by which searches find Blizzard Pearl as white;
// alone it is the color.
func (b *builder) color(name, generic member) string {
	s, plain := b.line(name), b.line(generic)
	if s == "" {
		return plain
	}
	if plain != "" && !strings.EqualFold(s, plain) {
		b.attribute(generic.String(), plain)
	}
	return s
}

func (b *builder) mpg(m member) *aap.Int {
	s := b.line(m)
	if s == "" {
		return nil
	}
	n, ok := parseDecimal(s, "mpg")
	if !ok || n > 250 {
		b.warn(m.String() + " that is not in miles per gallon; left out")
		return nil
	}
	if n < 1 {
		return nil
	}
	return number(int64(math.Round(n)))
}

func (b *builder) transmission() string {
	s := b.usual(mTransmission)
	if speeds, rest, ok := strings.Cut(strings.ToLower(s), " speed "); ok {
		if _, numeric := plainInt(speeds); numeric && (rest == "automatic" || rest == "manual") {
			return speeds + "-speed " + rest
		}
	}
	if m := gearbox.FindStringSubmatch(s); m != nil {
		kind := map[byte]string{'a': "automatic", 'm': "manual"}[m[2][0]|0x20]
		return m[1] + "-speed " + kind
	}
	return s
}

// gearbox is a number of gears with an abbreviation: 6-Speed M/T, 8AT, 5 spd auto.
var gearbox = regexp.MustCompile(`(?i)^(\d{1,2})[ -]?(?:speed|spd)?\.?[ -]?(a/t|m/t|at|mt|auto|man)\.?$`)

// engine joins the size and the cylinders to a description that lacks them.
func (b *builder) engine() string {
	s := b.line(mEngine)
	if s != "" {
		return s
	}
	size, cyl := b.line(mEngineSize), b.line(mCylinders)
	if _, numeric := plainInt(cyl); numeric {
		cyl += " cylinders"
	}
	if size == "" || cyl == "0 cylinders" {
		return size
	}
	return strings.TrimSpace(size + " " + cyl)
}

func (b *builder) electric() {
	l := &b.v.Listing
	l.ElectricRangeMi = b.decimal(mElectricRange, "mi", "miles")
	if l.ElectricRangeMi != nil && b.m.unit[mElectricRange] == "km" {
		*l.ElectricRangeMi = math.Round(*l.ElectricRangeMi*milesPerKm*10) / 10
	}
	l.BatteryKWh = b.decimal(mBattery, "kwh")
	l.MotorPowerHP = b.decimal(mMotorPower, "hp", "bhp")
	if s := b.line(mFastCharge); s != "" {
		if v, ok := parseBool(s); ok {
			l.DCFastCharge = &v
		}
	}
	l.ChargePort = b.usual(mChargePort)
}

func (b *builder) decimal(m member, units ...string) *float64 {
	s := b.line(m)
	if s == "" {
		return nil
	}
	n, ok := parseDecimal(s, units...)
	if !ok {
		b.warn(m.String() + " that is not a number in " + units[0] + "; left out")
		return nil
	}
	if n == 0 {
		return nil
	}
	return &n
}

func (b *builder) media() {
	l := &b.v.Listing
	for _, c := range b.m.photoColumns {
		var bad int
		if l.Photos, bad = splitPhotos(b.at(c), l.Photos); bad > 0 {
			b.warn("photo that is not an http or https address; left out")
		}
	}
	for _, c := range b.m.by[mFeatures] {
		if s := b.at(c); s != "" {
			l.Features = splitFeatures(s, l.Features)
		}
	}
	if s := b.line(mVDPURL); s != "" {
		u, ok := webAddress(strings.TrimSpace(b.cell(mVDPURL)))
		if !ok {
			b.warn("vdp_url that is not an http or https address; left out")
		}
		l.VDPURL = u
	}
	if s := b.cell(mDescription); s != "" {
		if s = prose(s); !isAbsent(s) {
			l.Description = s
		}
	}
	if s := b.cell(mNotes); s != "" {
		l.Notes = prose(s)
	}
	if l.Notes == "" && l.VIN == "" && l.Stock == "" {
		l.Notes = onlyID
	}
}

// onlyID explains a unit without VIN and stock number, as AAP v1.3
// behavior-rules asks.
const onlyID = "The dealer's inventory names neither a VIN nor a stock number for this vehicle; refer to it by vehicle_id."

// firstDay is the first year a unit in stock may have come in; dates before it,
// such as 1/1/1900, are what systems write for none.
const firstDay = 1980

func (b *builder) dates() {
	l := &b.v.Listing
	dateOrder := b.profile.Feed.DateOrder
	if s := b.line(mInventoryDate); s != "" {
		if d, ok := parseDate(s, dateOrder); ok && d.Year() >= firstDay {
			l.InventoryDate = d.Format(time.DateOnly)
		} else {
			b.warn("inventory_date that is no date in the profile's date_order; left out")
		}
	}
	s := b.line(mUpdatedAt)
	if s == "" {
		return
	}
	at, ok := parseMoment(s, dateOrder, b.profile.Rooftop(l.Rooftop).Location())
	switch {
	case !ok:
		b.warn("updated_at that is no date and time; left out")
	case !b.asOf.IsZero() && at.After(b.asOf.Add(24*time.Hour)):
		b.warn("updated_at in the future; left out")
	default:
		l.UpdatedAt = at.UTC().Format(time.RFC3339)
	}
}
