package dealer

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/dealer-agent/dealer/pkg/aap"
)

var currencyForm = regexp.MustCompile(`^[A-Z]{3}$`)

func checkPrices(v *Prices, r *reader) {
	switch v.Includes {
	case "", PricesComplete, PricesWithoutFees:
	default:
		r.oneOf("prices.includes", v.Includes, PricesComplete, PricesWithoutFees)
	}
	switch {
	case v.Includes == PricesWithoutFees && !r.has("prices.add_fees"):
		r.fault("prices.add_fees", "is missing, so the advertised price cannot be told",
			"list every mandatory charge with name and amount, or write [] when there are none")
	case v.Includes != PricesWithoutFees && r.has("prices.add_fees"):
		r.fault("prices.add_fees", "is only read together with includes: none", "write includes: none, or remove add_fees")
	}
	if v.OutTheDoor && v.Includes == "" {
		r.fault("prices.out_the_door", "is about a price, but without includes none is published", "write includes: all_mandatory_charges or none, or remove out_the_door")
	}
	checkFees("prices.add_fees", v.AddFees, r)
	if !currencyForm.MatchString(v.Currency) {
		fix := "write the three-letter ISO 4217 code, such as USD"
		if strings.Contains(v.Currency, "$") || strings.EqualFold(v.Currency, "usd") {
			fix = "write USD"
		}
		r.fault("prices.currency", quote(v.Currency)+" is not a currency code", fix)
	}
}

var (
	statuses     = []string{"available", "intransit", "pending", "sold", "hidden"}
	conditions   = []string{"new", "used", "cpo"}
	vehicleTypes = []string{"car", "motorcycle", "trailer", "rv", "other"}
	// unitMembers differ from car to car, so a constant would be a lie.
	unitMembers = []string{"vin", "stock", "vehicle_id", "price", "list_price", "msrp", "mileage", "photos", "vdp_url", "updated_at"}
	// feedHelpers are columns that say something about a member.
	feedHelpers = []string{"certified", "used", "sold", "rooftop_code", "currency", "doc_fee", "mileage_unit", "engine_size", "cylinders", "main_photo",
		"exterior_color_generic", "interior_color_generic"}

	moneyMembers = []string{"price", "list_price", "msrp"}
	// costWords head columns that are nobody's business but the dealer's.
	costWords = []string{"invoice", "cost", "wholesale", "holdback", "book", "bookvalue", "acv"}
)

// feedMembers are the members AAP declares on a vehicle, without those a feed
// cannot fill, and the helpers.
func feedMembers() []string {
	var names []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[aap.Vehicle]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name != "-" && name != "dealer_id" && name != "other_attributes" {
			names = append(names, name)
		}
	}
	return append(names, feedHelpers...)
}

// feedMember refuses what is neither a member nor other_attributes.<name>.
func (r *reader) feedMember(at, member string, known []string) bool {
	if name, ok := strings.CutPrefix(member, "other_attributes."); ok && name != "" {
		return true
	}
	return r.oneOf(at, member, known...)
}

func checkFeed(p *Profile, r *reader) {
	f, members := &p.Feed, feedMembers()
	for _, member := range sortedKeys(f.Columns) {
		at, column := "feed.columns."+member, f.Columns[member]
		if !r.feedMember(at, member, members) {
			continue
		}
		r.required(at, column, maxGroup, "write the feed's column name, or remove the line")
		if slices.Contains(moneyMembers, member) && costColumn(column) {
			r.fault(at, quote(column)+" is a cost, which buyers never see", "name the column of the advertised price")
		}
	}
	for _, member := range sortedKeys(f.Constants) {
		at, value := "feed.constants."+member, f.Constants[member]
		if !r.feedMember(at, member, members) {
			continue
		}
		r.required(at, value, maxText, "write the value of every car, or remove the line")
		switch {
		case slices.Contains(unitMembers, member):
			r.fault(at, "differs from car to car", "map a column of the feed to it under feed.columns")
		case member == "status":
			r.oneOf(at, value, statuses...)
		case member == "condition":
			r.oneOf(at, value, conditions...)
		case member == "vehicle_type":
			r.oneOf(at, value, vehicleTypes...)
		case member == "rooftop":
			f.Constants[member] = r.rooftop(p, at, value)
		}
	}
	checkWords("feed.statuses", f.Statuses, statuses, r)
	checkWords("feed.conditions", f.Conditions, conditions, r)
	checkHeader(f.Header, r)
	if f.Encoding = strings.ToLower(f.Encoding); f.Encoding != "" {
		r.oneOf("feed.encoding", f.Encoding, Encodings()...)
	}
	r.oneOf("feed.date_order", f.DateOrder, "mdy", "dmy", "ymd")
	r.oneOf("feed.mileage_unit", f.MileageUnit, "mi", "km")
	if f.Rooftop != "" {
		f.Rooftop = r.rooftop(p, "feed.rooftop", f.Rooftop)
	}
	checkSources(p, r)
}

// maxHeader caps the columns of a file without a header row.
const maxHeader = 1000

func checkHeader(columns []string, r *reader) {
	if r.tooMany("feed.header", len(columns), maxHeader) {
		return
	}
	first := map[string]int{}
	for i, column := range columns {
		at := fmt.Sprintf("feed.header[%d]", i)
		r.required(at, column, maxGroup, "write the column's name, or - for one that is not read")
		if other, twice := first[fold(column)]; twice && column != "-" && column != "" {
			r.fault(at, fmt.Sprintf("is the same name as that of column %d", other+1), "give each column its own name, or - to one that is not read")
		}
		first[fold(column)] = i
	}
}

// checkWords checks a map from the feed's words to ours.
func checkWords(path string, words map[string]string, known []string, r *reader) {
	first := map[string]string{}
	for _, word := range sortedKeys(words) {
		at := path + "." + word
		r.oneOf(at, words[word], known...)
		key := fold(word)
		if other, twice := first[key]; twice {
			r.fault(at, fmt.Sprintf("is the same word as %s", quote(other)), "remove one of them")
		}
		first[key] = word
	}
}

// rooftop returns the name of the rooftop that value names.
func (r *reader) rooftop(p *Profile, path, value string) string {
	if f := p.Rooftop(value); f != nil {
		return f.Name
	}
	var names []string
	for i := range p.Rooftops {
		names = append(names, p.Rooftops[i].Name)
	}
	if !r.broken["rooftops"] && len(names) > 0 {
		r.fault(path, quote(value)+" is no rooftop of this profile", meant(value, names))
	}
	return value
}

// costColumn reports whether one word of a column name speaks of cost.
func costColumn(column string) bool {
	var words []string
	start, runes := 0, []rune(column)
	for i, c := range runes {
		if !unicode.IsLetter(c) {
			words = append(words, string(runes[start:i]))
			start = i + 1
		} else if i > start && unicode.IsUpper(c) && !unicode.IsUpper(runes[i-1]) {
			words = append(words, string(runes[start:i]))
			start = i
		}
	}
	words = append(words, string(runes[start:]))
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(costWords, strings.ToLower(w)) })
}
