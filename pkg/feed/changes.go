package feed

import (
	"strconv"
	"strings"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

// Differences names the vehicles whose offer an import changed, or would
// change: what buyers can find now and could not before, what they cannot find
// any more, and what costs something else. The lists are in the order of the
// vehicles' keys.
type Differences struct {
	Added    Differing `json:"added"`
	Removed  Differing `json:"removed"`
	Repriced Differing `json:"price_changed"`
}

// Differing is one list of vehicles: how many there are, and the first 200.
type Differing struct {
	Count    int         `json:"count"`
	Vehicles []Different `json:"vehicles"`
}

// Different is one vehicle with the prices buyers see.
type Different struct {
	Vehicle string `json:"vehicle"`
	// Was and Is are the prices before and after, as far as there are any.
	Was *Shown `json:"was,omitempty"`
	Is  *Shown `json:"is,omitempty"`
}

// Shown are the published prices of a vehicle in whole US dollars.
type Shown struct {
	Price     *aap.Int `json:"price,omitempty"`
	ListPrice *aap.Int `json:"list_price,omitempty"`
}

// String is "$24,990", "list price $24,990", both, or "no price".
func (s *Shown) String() string {
	var parts []string
	if s != nil && s.Price != nil {
		parts = append(parts, dollars(*s.Price))
	}
	if s != nil && s.ListPrice != nil {
		parts = append(parts, "list price "+dollars(*s.ListPrice))
	}
	if len(parts) == 0 {
		return "no price"
	}
	return strings.Join(parts, ", ")
}

func dollars(n aap.Int) string {
	s := strconv.FormatInt(int64(n), 10)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return "$" + s
}

// differencesOf compares what buyers could find with what a change leaves them.
func differencesOf(old []inventory.Vehicle, change inventory.Change) *Differences {
	d := &Differences{Added: Differing{Vehicles: []Different{}}, Removed: Differing{Vehicles: []Different{}}, Repriced: Differing{Vehicles: []Different{}}}
	before := make(map[string]*inventory.Vehicle, len(old))
	for i := range old {
		if old[i].State.Listed() {
			before[old[i].Key] = &old[i]
		}
	}
	for i := range change.Put {
		is := &change.Put[i]
		was := before[is.Key]
		switch {
		case was == nil && is.State.Listed():
			d.Added.add(is, nil, shownOf(is))
		case was == nil:
		case !is.State.Listed():
			d.Removed.add(was, shownOf(was), nil)
		default:
			if a, b := shownOf(was), shownOf(is); a.String() != b.String() {
				d.Repriced.add(is, a, b)
			}
		}
	}
	return d
}

func shownOf(v *inventory.Vehicle) *Shown {
	if v.Listing.Price == nil && v.Listing.ListPrice == nil {
		return nil
	}
	return &Shown{v.Listing.Price, v.Listing.ListPrice}
}

func (d *Differing) add(v *inventory.Vehicle, was, is *Shown) {
	d.Count++
	if len(d.Vehicles) < maxListed {
		d.Vehicles = append(d.Vehicles, Different{unitName(&v.Listing), was, is})
	}
}

// More is how many vehicles are not in the list.
func (d Differing) More() int { return d.Count - len(d.Vehicles) }
