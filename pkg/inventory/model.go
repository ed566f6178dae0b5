package inventory

import (
	"slices"
	"strings"
)

// models is what the model filter needs beyond the field of models, whose
// terms are pairs of make and model.
//
// A filter value finds, first, the models it names: folded, with or without
// the make before it, by any known other spelling. It also finds the versions
// of a family it names (3 Series finds 330i) and models that consist of the
// value and sub-model words, blank between (Silverado finds Silverado 1500, C
// does not find CR-V), unless they are a family of their own (Bronco does not
// find Bronco Sport). And it finds cars whose trim begins with it, for
// dealers who write 3 Series with trim 330i: always when the value has a
// digit, else only when no model has the name. Last, it finds cars of which
// model and first words of the trim make up the value (GLC 300 finds GLC with
// trim 300 4MATIC).
type models struct {
	*field
	trims *field
	// keys are the make and model of each term.
	keys []string
	// byMake finds pairs by the make.
	byMake map[string][]uint32
	// families finds pairs by the model without its sub-model words.
	families map[string][]uint32
	// trimStarts finds trims by their leading words.
	trimStarts map[string][]uint32
	// longestFirst and longestTrim are the most bytes of a key of byName or
	// byMake, and of trimStarts: no longer part of a value is looked up, which
	// bounds the work on a value made to be dear.
	longestFirst, longestTrim int
}

const pairSeparator = "\x00"

func pairKey(maker, model string) string {
	m := known().makeName(maker)
	return m + pairSeparator + known().model(m, model)
}

// newModels registers the names of a field whose terms were keyed by pairKey.
// keys are these keys by term.
func newModels(f, trims *field, keys []string) *models {
	m := &models{field: f, trims: trims, keys: keys, byMake: map[string][]uint32{}, families: map[string][]uint32{}, trimStarts: map[string][]uint32{}}
	k := known()
	f.byName = map[string][]uint32{}
	for id := 1; id < len(f.terms); id++ {
		maker, model, _ := strings.Cut(keys[id], pairSeparator)
		for _, name := range append(slices.Clone(k.modelSpellings(maker, model)), fold(f.terms[id].display)) {
			f.name(name, uint32(id))
			for _, spelling := range k.makeSpellings(maker) {
				f.name(spelling+name, uint32(id))
			}
		}
		for _, spelling := range k.makeSpellings(maker) {
			m.byMake[spelling] = append(m.byMake[spelling], uint32(id))
		}
		m.addFamilies(uint32(id), maker, model, f.terms[id].display)
	}
	for id := 1; id < len(trims.terms); id++ {
		var start strings.Builder
		for _, w := range strings.FieldsFunc(trims.terms[id].display, blankOrSlash) {
			start.WriteString(fold(w))
			m.trimStarts[start.String()] = appendOnce(m.trimStarts[start.String()], uint32(id))
		}
	}
	m.longestFirst = max(longestKey(f.byName), longestKey(m.byMake))
	m.longestTrim = max(1, longestKey(m.trimStarts))
	return m
}

// longestKey is in bytes.
func longestKey(names map[string][]uint32) int {
	most := 0
	for name := range names {
		most = max(most, len(name))
	}
	return most
}

func blankOrSlash(r rune) bool { return r == ' ' || r == '/' || r == ',' || r == '\t' }

// addFamilies registers the names under which a model is found besides its
// own: the family that the file of makes puts it in, and its leading words when
// only sub-model words follow. The longest leading words that the file knows
// say what the car is; no shorter name of the file finds it then.
func (m *models) addFamilies(id uint32, maker, model, display string) {
	k := known()
	_, settled := k.models[[2]string{maker, model}]
	if family := k.families[[2]string{maker, model}]; family != "" {
		m.addFamily(id, maker, family)
	}
	ws := strings.Fields(display)
	for cut := len(ws) - 1; cut > 0 && subModelWord(ws[cut]); cut-- {
		base := k.model(maker, strings.Join(ws[:cut], " "))
		if _, listed := k.models[[2]string{maker, base}]; listed {
			if settled {
				continue
			}
			settled = true
			if family := k.families[[2]string{maker, base}]; family != "" {
				m.addFamily(id, maker, family)
			}
		}
		m.addFamily(id, maker, base)
	}
}

// addFamily lets the spellings of a folded name find the model.
func (m *models) addFamily(id uint32, maker, name string) {
	for _, base := range known().modelSpellings(maker, name) {
		m.families[base] = appendOnce(m.families[base], id)
		for _, spelling := range known().makeSpellings(maker) {
			m.families[spelling+base] = appendOnce(m.families[spelling+base], id)
		}
	}
}

// subModelWord reports whether a word may follow a model: a listed one, or a
// number of three digits or more such as 1500 or 2500HD.
func subModelWord(w string) bool {
	for part := range strings.FieldsFuncSeq(w, blankOrHyphen) {
		f := fold(part)
		digits := len(f) - len(strings.TrimLeft(f, "0123456789"))
		if digits < 3 && !known().subModels[f] {
			return false
		}
	}
	return true
}

// match returns the pairs and the trims a filter value means.
func (m *models) match(value string) (pairs, trims []uint32) {
	if len(value) > longestName {
		return nil, nil
	}
	f := fold(value)
	if f == "" {
		return nil, nil
	}
	pairs = m.byName[f]
	if family := m.families[f]; len(family) > 0 {
		pairs = append(slices.Clone(pairs), family...)
		slices.Sort(pairs)
		pairs = slices.Compact(pairs)
	}
	if len(f) > 1 && (len(pairs) == 0 || strings.ContainsAny(f, "0123456789")) {
		trims = m.trimStarts[f]
	}
	return pairs, trims
}

// matching adds the terms that a filter value finds, of models and of trims.
func (m *models) matching(out []*term, value string) []*term {
	pairs, trims := m.match(value)
	for _, id := range pairs {
		out = append(out, &m.terms[id])
	}
	for _, id := range trims {
		out = append(out, &m.trims.terms[id])
	}
	return out
}

// together adds to docs, which it makes when it is nil, the cars whose model
// and first words of the trim, one after the other, are the value, or whose
// make and first words of a trim with a digit (BMW 330i). A single
// letter must be all of the trim: Golf R is no Golf with trim R-Line, however
// that is written. Nor is a name that is a model of its own looked for in two
// parts.
func (m *models) together(docs set, value string) set {
	if len(value) > longestName {
		return docs
	}
	f := fold(value)
	for cut := max(1, len(f)-m.longestTrim); cut < len(f) && cut <= m.longestFirst; cut++ {
		pairs, rest := m.byName[f[:cut]], f[cut:]
		if len(rest) > 1 && strings.ContainsAny(rest, "0123456789") {
			pairs = append(slices.Clip(pairs), m.byMake[f[:cut]]...)
		}
		trims := m.trimStarts[rest]
		if len(rest) == 1 {
			trims = m.trims.byName[rest]
		}
		if len(pairs) == 0 || len(trims) == 0 {
			continue
		}
		both, of := newSet(len(m.of)), newSet(len(m.of))
		for _, id := range pairs {
			if !m.apart(id, rest) {
				both.orTerms([]*term{&m.terms[id]})
			}
		}
		for _, id := range trims {
			of.orTerms([]*term{&m.trims.terms[id]})
		}
		if both.and(of); both.count() == 0 {
			continue
		}
		if docs == nil {
			docs = both
		} else {
			docs.or(both)
		}
	}
	return docs
}

// apart reports whether a model and a model with more behind it are two
// families of their make.
func (m *models) apart(pair uint32, rest string) bool {
	maker, model, _ := strings.Cut(m.keys[pair], pairSeparator)
	return known().own(maker, model) && known().own(maker, model+rest)
}
