package inventory

import (
	"slices"
	"strings"
)

// longestName bounds, in bytes, what is looked up as a name; those of a feed
// are shorter. A filter value may be as long as a whole request.
const longestName = 1024

// match returns the terms a filter value means, in ascending order.
func (f *field) match(value string) []uint32 {
	if len(value) > longestName {
		return nil
	}
	// Both forms come of one pass over a value that may be one of thousands.
	lower := strings.ToLower(plain(value))
	return f.meant(lower, withoutBlanks(lower))
}

// meant is match for a value in lower case without accents, and the same
// folded.
func (f *field) meant(lower, folded string) []uint32 {
	k := known()
	key := folded
	if f.info.section != "" {
		key = k.groupOf(f.info.section, folded)
	}
	ids := f.byName[key]
	if !f.info.contains {
		return ids
	}
	out := slices.Clone(ids)
	out = f.containing(out, f.knownWords(lower))
	for _, name := range k.names[f.info.section][key] {
		if name != folded {
			out = f.containing(out, []string{name})
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// knownWords are the different words of a lower-case value in their usual form; none when
// the field has no term with one of them.
func (f *field) knownWords(lower string) []string {
	var out []string
	for w := range wordsOf(lower) {
		w = known().wordForm(f.info.wordForms, w)
		if len(f.byWord[w]) == 0 {
			return nil
		}
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// containing adds the terms that hold every one of the words.
func (f *field) containing(ids []uint32, wanted []string) []uint32 {
	if len(wanted) == 0 {
		return ids
	}
next:
	for _, id := range f.byWord[wanted[0]] {
		if len(wanted) > len(f.terms[id].words) {
			continue
		}
		for _, w := range wanted[1:] {
			if !slices.Contains(f.terms[id].words, w) {
				continue next
			}
		}
		if f.info.filter == "fuel" && !sameDrive(wanted, f.terms[id].words) {
			continue
		}
		ids = append(ids, id)
	}
	return ids
}

// sameDrive keeps a filter for gas or electric from finding "Gas/Electric
// Hybrid": what names a hybrid is found by a filter that names one.
func sameDrive(wanted, have []string) bool {
	hybrid := func(w string) bool { return w == "hybrid" || w == "phev" || w == "hev" || w == "mhev" }
	return !slices.ContainsFunc(have, hybrid) || slices.ContainsFunc(wanted, hybrid)
}
