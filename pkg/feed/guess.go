package feed

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// personRuns are letters of a folded header that name data about a person.
var personRuns = []string{
	"customer", "buyer", "salesperson", "salesman", "salesrep", "ownername", "ownerphone", "owneremail", "previousowner",
	"lienholder", "consignor", "firstname", "lastname", "contactname", "contactphone", "contactemail", "homephone", "cellphone",
	"mobilephone", "ssn", "socialsecurity", "driverlicense", "driverslicense", "birth",
}

// personal reports a column about a person, by its name or, where the name
// means nothing here, by what it holds.
func personal(header string, values []string, mapped bool) bool {
	folded := foldHeader(header)
	if slices.ContainsFunc(personRuns, func(run string) bool { return strings.Contains(folded, run) }) {
		return true
	}
	return !mapped && share(values, func(s string) bool {
		at := strings.IndexByte(s, '@')
		return at > 0 && strings.IndexByte(s[at:], '.') > 0 && !strings.Contains(s, " ") || isPhone(s)
	}) >= 0.5
}

// isPhone reports ten or eleven digits set as a telephone number.
func isPhone(s string) bool {
	digits, marks := 0, 0
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case strings.ContainsRune("+()-. ", c):
			marks++
		default:
			return false
		}
	}
	return digits >= 10 && digits <= 13 && marks >= 2
}

// share is the part of values that hold, 0 when there are none.
func share(values []string, hold func(string) bool) float64 {
	n := 0
	for _, v := range values {
		if hold(v) {
			n++
		}
	}
	if len(values) == 0 {
		return 0
	}
	return float64(n) / float64(len(values))
}

// fits reports whether a value is one of the member; true for members whose
// values are any words.
func fits(m member, s string) bool {
	line := line1(s)
	word := func(table string) bool { _, ok := vocabularies()[table].find(line); return ok }
	switch m {
	case mVIN:
		return isVIN(strings.ToUpper(line))
	case mStock, mVehicleID:
		return isID(line)
	case mYear:
		n, ok := plainInt(strings.TrimSuffix(line, ".0"))
		return ok && n >= 1900 && n <= 2100
	case mMake:
		return makes()[squash(line)] != ""
	case mPrice, mListPrice, mMSRP:
		return parseMoney(line).problem == ""
	case mMileage:
		_, _, ok := parseMileage(line, "mi")
		return ok
	case mPhotos, mMainPhoto:
		photos, bad := splitPhotos(s, nil)
		return len(photos) > 0 && bad == 0
	case mVDPURL:
		_, ok := webAddress(s)
		return ok
	case mInventoryDate, mUpdatedAt:
		_, us := parseDate(line, "mdy")
		_, other := parseDate(line, "dmy")
		return us || other
	case mFuel, mTransmission, mDriveline, mBody, mCondition:
		return word(m.String())
	case mSold, mUsed, mFastCharge:
		_, ok := parseBool(line)
		return ok
	case mMileageUnit:
		return parseUnit(line) != ""
	case mCurrency:
		return isCurrency(strings.ToUpper(line))
	case mCityMPG, mHighwayMPG, mElectricRange, mBattery, mMotorPower, mDisplacement:
		_, ok := parseDecimal(line, "mpg", "mi", "miles", "kwh", "hp", "bhp", "cc", "ccm")
		return ok
	}
	return true
}

// guess fills member, confidence and reason of each column: by the names that
// the importer knows, then by names that hold one, then by the values.
func guess(columns []ProposedColumn, m *mapping) {
	taken := map[member]bool{}
	for i := range columns {
		c := &columns[i]
		use := m.use[i]
		target, mapped := memberByName(use)
		switch {
		case use == UseDropped:
			c.Dropped = DroppedCost
		case personal(c.name, c.values, mapped):
			c.Dropped = DroppedPersonal
		case mapped:
			c.propose(target, 0.9, "a usual name of it")
			taken[target] = true
		case use != UseUnmapped:
			c.Member, c.Confidence, c.Why = use, 1, "named so"
		}
	}
	for i := range columns {
		c := &columns[i]
		if c.Dropped != "" || c.Member != "" || c.filled == 0 {
			continue
		}
		if saleColumn(foldHeader(c.name)) {
			c.Why = "may hold for some buyers only; map it to price if every buyer pays it"
			continue
		}
		if sp, ok := spellingOf(c.name, foldHeader(c.name)); ok && taken[sp.member] {
			c.Why = "another column of " + sp.member.String() + " is read"
			continue
		}
		if target, certainty, why := byName(c.name); why != "" && !taken[target] {
			if c.propose(target, certainty, why); c.Confidence >= ProposedFrom {
				taken[target] = true
				continue
			}
			c.Member, c.Confidence, c.Why = "", 0, ""
		}
		if target, certainty, why := byValues(c, columns); why != "" && !taken[target] {
			c.propose(target, certainty, why)
			taken[target] = true
		}
	}
}

// propose weighs the certainty of a name by the values that fit.
func (c *ProposedColumn) propose(m member, certainty float64, why string) {
	c.Member, c.Why = m.String(), why
	if c.filled == 0 {
		c.Confidence, c.Why = math.Round(certainty*70)/100, why+"; no value to look at"
		return
	}
	fit := share(c.values, func(s string) bool { return fits(m, s) })
	if m == mMake && fit < 0.5 {
		fit = 0.5 // a small make is no fault
	}
	if m == mMake || m == mFuel || m == mTransmission || m == mDriveline || m == mBody || m == mCondition {
		fit = max(fit, 0.6) // words that are not known are kept as they are
	}
	c.Confidence = math.Round(100*min(certainty*(0.3+0.7*fit)+0.09*math.Floor(fit), 0.99)) / 100
	if fit < 1 {
		c.Why += fmt.Sprintf("; %.0f %% of the values fit", 100*fit)
	}
}

// byName finds the longest known name inside a header.
func byName(header string) (m member, certainty float64, why string) {
	folded, longest := foldHeader(header), ""
	for key, sp := range spellings() {
		if len(key) >= 4 && strings.Contains(folded, key) && (len(key) > len(longest) || len(key) == len(longest) && key < longest) {
			longest, m = key, sp.member
		}
	}
	if longest == "" || 3*len(longest) < 2*len(folded) || slices.Contains(generic, longest) {
		return 0, 0, ""
	}
	return m, 0.7, "its name holds " + longest
}

// byValues recognises what a column holds.
func byValues(c *ProposedColumn, all []ProposedColumn) (m member, certainty float64, why string) {
	all80 := func(hold func(string) bool) bool { return share(c.values, hold) >= 0.8 }
	of := func(m member) func(string) bool { return func(s string) bool { return fits(m, s) } }
	digits := func(s string) bool { _, _, ok := parseMileage(line1(s), "mi"); return ok }
	money := func(s string) bool {
		a := parseMoney(line1(s))
		return a.problem == "" && a.dollars > 0 && (a.currency != "" || strings.ContainsAny(s, "$€£") || strings.Contains(s, "kr"))
	}
	switch {
	case all80(of(mVIN)):
		return mVIN, 0.95, "its values are VINs"
	case all80(of(mPhotos)) && slices.ContainsFunc(c.values, func(s string) bool { return strings.Count(s, "://") > 1 || imageName(s) }):
		return mPhotos, 0.85, "its values are addresses of pictures"
	case all80(func(s string) bool { return fits(mVDPURL, s) && strings.Count(strings.TrimSuffix(s, "/"), "/") > 2 }):
		return mVDPURL, 0.6, "its values are web addresses"
	case all80(of(mYear)):
		return mYear, 0.75, "its values are years"
	case all80(of(mMake)):
		return mMake, 0.9, "its values are makes"
	case all80(money):
		return mPrice, 0.65, "its values are amounts of money"
	case headerUnit(c.name) != "" && all80(digits):
		return mMileage, 0.75, "its name holds a unit of distance"
	case all80(func(s string) bool { return digits(s) && (strings.Contains(s, "km") || strings.Contains(s, "mi")) }):
		return mMileage, 0.8, "its values are distances"
	}
	for _, m := range []member{mFuel, mTransmission, mDriveline, mBody, mCondition} {
		if all80(of(m)) {
			return m, 0.75, "its values are words for it"
		}
	}
	average := 0
	for _, s := range c.values {
		average += len(s)
	}
	if average/len(c.values) > 100 {
		return mDescription, 0.6, "its values are long texts"
	}
	named := slices.ContainsFunc(all, func(o ProposedColumn) bool {
		return o.Member == mStock.String() || o.Member == mVehicleID.String()
	})
	if !named && len(c.values) == c.filled && c.Filled == 1 && share(c.values, stockLike) == 1 && share(c.values, of(mStock)) == 1 {
		return mStock, 0.5, "its values differ in every row"
	}
	return 0, 0, ""
}

func imageName(s string) bool {
	s = strings.ToLower(s)
	return slices.ContainsFunc([]string{".jpg", ".jpeg", ".png", ".webp", "image", "photo"}, func(e string) bool { return strings.Contains(s, e) })
}
