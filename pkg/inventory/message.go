package inventory

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// messageMax is the longest message AAP allows, in characters.
const messageMax = 2000

// notes are what an evaluation has to say besides its result.
type notes struct {
	emptied string
	before  int
}

func (r *narrowing) notes() notes { return notes{r.emptied, r.before} }

// message tells the buyer's agent what it is looking at.
func (x *Index) message(p *dealer.Profile, v aap.Version, req *aap.SearchRequest, page *Page, now time.Time) string {
	var say sentences
	switch {
	case page.Len() == 1:
		say.add("%d match; showing %d.", page.Total, page.Skip+1)
	case page.Len() > 1:
		say.add("%d match; showing %d-%d.", page.Total, page.Skip+1, page.Skip+page.Len())
	case page.Total > 0:
		say.add("%d match; none from skip %d on.", page.Total, page.Skip)
	}
	x.explain(&say, p, &req.Filters, page.note, page.Total)
	if limit := plainWords(req.Filters.Query); limit != "" {
		say.add("query is plain words: %q is not read as a limit; use price_max, price_min, mileage_max, year_min or year_max.", short(limit, 40))
	}
	if priced(req) {
		say.price(p, v, page.Total)
	}
	x.warn(&say, p, now)
	return say.String()
}

// price says what the price means under a contract.
func (s *sentences) price(p *dealer.Profile, v aap.Version, total int) {
	switch {
	case !p.Prices.Shown(v):
		s.add("No vehicle has a price here: AAP %s means all that a buyer pays by it, which this dealer does not publish; list_price is for information only.", v.Label)
	case total == 0:
	case p.Prices.Includes == "":
		s.add("This dealer publishes no complete price; list_price is for information only.")
	case v.PriceIsOutTheDoor:
		s.add("price is all that a buyer pays.")
	default:
		s.add("price includes every mandatory dealer charge and excludes tax, title and registration.")
	}
}

func priced(req *aap.SearchRequest) bool {
	return req.Filters.PriceMin != nil || req.Filters.PriceMax != nil || req.Sort != nil && req.Sort.Field == "price"
}

// explain names the filter that left nothing, and makes and models that
// nobody spells so.
func (x *Index) explain(say *sentences, p *dealer.Profile, f *aap.Filters, n notes, total int) {
	switch {
	case total > 0:
	case n.emptied == "freshness":
		say.add("Nothing can be claimed available: the dealer's inventory is older than %s.", age(p.Inventory.HardMaxAge.Std()))
	case n.emptied != "":
		say.add("0 match: the filter %s left none of %d.", n.emptied, n.before)
	default:
		say.add("0 match: the dealer lists no vehicles now.")
	}
	if total > 0 {
		return
	}
	said := 0
	for _, value := range f.Make {
		if said < unknownMax && len(x.fields[fieldMake].match(value)) == 0 {
			said++
			say.unknown("make", value, closest(value, x.fields[fieldMake].displays(), known().titles))
		}
	}
	for _, value := range f.Model {
		if said == unknownMax {
			break
		}
		if len(x.models.matching(nil, value)) == 0 && x.models.together(nil, value) == nil {
			said++
			say.unknown("model", value, closest(value, x.fields[fieldModel].displays(), known().modelTitles))
		}
	}
}

// unknownMax bounds how many unknown names are explained: looking for the
// closest name costs far more than a search.
const unknownMax = 3

// warn tells of rooftops whose feed is older than it should be.
func (x *Index) warn(say *sentences, p *dealer.Profile, now time.Time) {
	limit, hard := p.Inventory.MaxAge.Std(), p.Inventory.HardMaxAge.Std()
	var old []string
	var oldest time.Duration
	withheld := false
	for _, rooftop := range x.stale {
		since := now.Sub(rooftop.vouched)
		if rooftop.docs.count() == 0 {
			continue
		}
		if hard > 0 && since > hard {
			withheld = true
		}
		if limit > 0 && since > limit {
			name := rooftop.name
			if name == "" {
				name = "the inventory"
			}
			old, oldest = append(old, name), max(oldest, since)
		}
	}
	if len(old) > 0 {
		say.add("Warning: not confirmed by the dealer's system for %s (%s); availability may have changed.", age(oldest), short(strings.Join(old, ", "), 200))
	}
	if withheld {
		say.add("Vehicles older than %s are left out.", age(hard))
	}
}

func age(d time.Duration) string {
	switch hours := int(d.Hours()); {
	case hours < 1:
		return fmt.Sprintf("%d minutes", int(d.Minutes()))
	case hours == 1:
		return "1 hour"
	case hours >= 72:
		return fmt.Sprintf("%d days", hours/24)
	default:
		return fmt.Sprintf("%d hours", hours)
	}
}

// sentences is a message under construction.
type sentences struct{ strings.Builder }

func (s *sentences) add(format string, args ...any) {
	sentence := fmt.Sprintf(format, args...)
	if s.Len()+len(sentence)+1 > messageMax {
		return
	}
	if s.Len() > 0 {
		s.WriteByte(' ')
	}
	s.WriteString(sentence)
}

func (s *sentences) unknown(member, value, nearest string) {
	value = short(value, 60)
	if nearest == "" {
		s.add("No listing has the %s %q.", member, value)
		return
	}
	s.add("No listing has the %s %q; the closest known is %q.", member, value, nearest)
}

// short cuts foreign text to n letters and drops what does not print.
func short(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
