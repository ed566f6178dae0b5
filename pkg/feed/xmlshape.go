package feed

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"slices"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// errNoItem says that no element of the document looks like a vehicle.
var errNoItem = errors.New("no element looks like a vehicle")

// itemShape says which elements are the vehicles.
type itemShape struct {
	name  string
	depth int // how many elements are open around it at least
	// nests says that elements of the same name stand inside one.
	nests bool
	// columns are those of the element looked at.
	columns []string
}

// sighting is one path of elements as the window shows it.
type sighting struct {
	path, name string
	depth      int
	start, end int // the first whole one in the window
	most       int // the most of them in one element around
	nests      bool
	members    int
	columns    []string
}

// findItem chooses the element that fills most members. One that repeats
// inside one around it is an item before one that stands alone.
func findItem(head []byte, f dealer.Feed) (itemShape, error) {
	seen, err := sightings(head)
	if err != nil {
		return itemShape{}, err
	}
	best := 0
	var other []string
	seen = slices.DeleteFunc(seen, func(s *sighting) bool {
		table := newSheet()
		if (xmlPaths{}).read(&table, mendXML([]byte(text(head[s.start:s.end])))) != nil {
			return true
		}
		m := newMapping(table.header, f)
		for x := range m.by {
			if len(m.by[x]) > 0 {
				s.members++
			}
		}
		s.columns = table.header
		if len(other) < len(table.header) {
			other = table.header
		}
		if !m.identified() || !m.has(mMake) && !m.has(mModel) && !m.has(mYear) && !m.has(mPrice) {
			return true
		}
		best = max(best, s.members)
		return false
	})
	if len(seen) == 0 {
		return itemShape{columns: other}, errNoItem
	}
	// What stands in one of its own name is a part of it, or follows one that
	// was not closed.
	seen = slices.DeleteFunc(seen, func(s *sighting) bool {
		return slices.ContainsFunc(seen, func(o *sighting) bool { return o.name == s.name && o.depth > 0 && o.depth < s.depth })
	})
	chosen := slices.MaxFunc(seen, func(a, b *sighting) int {
		rank := func(s *sighting) int {
			switch {
			case s.depth == 0: // only when there is no other
			case s.most > 1 && 10*s.members >= 6*best:
				return 2
			case s.members == best:
				return 1
			}
			return 0
		}
		return cmp.Or(rank(a)-rank(b), a.depth-b.depth, a.members-b.members)
	})
	return itemShape{name: chosen.name, depth: chosen.depth, nests: chosen.nests, columns: chosen.columns}, nil
}

// maxSightings caps the paths that are looked at.
const maxSightings = 200

// sightings lists the paths of elements that are whole in the window.
func sightings(head []byte) ([]*sighting, error) {
	type opened struct {
		path, name string
		at         int
		counts     map[string]int
		inner      bool // holds an element of its own name
	}
	s := &xmlScanner{r: bufio.NewReader(bytes.NewReader(head)), line: 1, names: map[string]string{}}
	var open []opened
	byPath := map[string]*sighting{}
	var order []*sighting
	for {
		t, err := s.next()
		if errors.Is(err, errDoctype) {
			return nil, err
		}
		if err != nil || s.tooLong {
			return order, nil
		}
		if t.kind == xmlStart || t.kind == xmlEmpty {
			if len(open) >= maxDepth {
				return order, nil
			}
			path := t.name
			if n := len(open); n > 0 {
				path = open[n-1].path + "/" + t.name
				if open[n-1].counts == nil {
					open[n-1].counts = map[string]int{}
				}
				open[n-1].counts[t.name]++
			}
			open = append(open, opened{path: path, name: t.name, at: t.at})
		}
		if t.kind == xmlEnd || t.kind == xmlEmpty {
			at := len(open) - 1
			for at >= 0 && open[at].name != t.name {
				at--
			}
			if at < 0 {
				continue
			}
			whole := at == len(open)-1
			one := open[at]
			open = open[:at]
			if !whole {
				continue
			}
			found := byPath[one.path]
			if found == nil {
				if len(order) >= maxSightings {
					continue
				}
				found = &sighting{path: one.path, name: one.name, depth: at, start: one.at, end: len(s.buf)}
				byPath[one.path] = found
				order = append(order, found)
			}
			found.nests = found.nests || one.inner
			if at > 0 {
				found.most = max(found.most, open[at-1].counts[one.name])
			}
			for i := range open {
				if open[i].name == one.name {
					open[i].inner = true
				}
			}
		}
	}
}
