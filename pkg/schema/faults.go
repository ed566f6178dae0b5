package schema

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// The keywords of faults JSON Schema has no word for.
const (
	keySyntax       = "syntax"
	keyEncoding     = "encoding"
	keyDuplicate    = "duplicateKey"
	keyCaseMismatch = "caseMismatch"
	keyMaxDepth     = "maxDepth"
	keyNumber       = "number"
	keyTooMany      = "tooMany"
)

// An answer of more faults, or of longer ones, helps nobody but an attacker.
const (
	maxFaults     = 1000
	maxFaultBytes = 256 << 10
)

// faults collects violations.
type faults struct {
	list []aap.Violation
	size int
	full bool
}

// add notes one violation. What follows a full list is only counted as "more".
func (f *faults) add(at pointer, keyword, text string) {
	if f.full {
		return
	}
	size := at.size() + len(text)
	if len(f.list) == maxFaults || f.size+size > maxFaultBytes {
		f.full = true
		return
	}
	f.size += size
	f.list = append(f.list, aap.Violation{InstanceLocation: at.String(), Keyword: keyword, Error: text})
}

// sorted returns the violations by pointer and keyword, one of each.
func (f *faults) sorted() []aap.Violation {
	if f.full {
		f.list = append(f.list, aap.Violation{Keyword: keyTooMany, Error: "There are more faults than this list shows; mend these first."})
		f.full = false
	}
	if len(f.list) < 2 {
		return f.list
	}
	// Of two rules about one place the narrower one has the shorter list.
	slices.SortFunc(f.list, func(a, b aap.Violation) int {
		return cmp.Or(
			strings.Compare(a.InstanceLocation, b.InstanceLocation), strings.Compare(a.Keyword, b.Keyword),
			cmp.Compare(len(a.Error), len(b.Error)), strings.Compare(a.Error, b.Error))
	})
	return slices.CompactFunc(f.list, func(a, b aap.Violation) bool {
		return a.InstanceLocation == b.InstanceLocation && a.Keyword == b.Keyword
	})
}

// pointer is a place in the payload, from the root down.
type pointer []step

// step is a member's name, or an item's index if the index is not negative.
type step struct {
	key   string
	index int
}

func name(key string) step { return step{key: key, index: -1} }

// with is the pointer to a child, for a single use: it may share memory with
// other children.
func (p pointer) with(s step) pointer { return append(p, s) }

func (p pointer) size() int {
	n := 0
	for _, s := range p {
		n += 8 + len(s.key)
	}
	return n
}

// String writes the JSON Pointer (RFC 6901); the root is "".
func (p pointer) String() string {
	var b strings.Builder
	for _, s := range p {
		b.WriteByte('/')
		if s.index >= 0 {
			b.WriteString(strconv.Itoa(s.index))
			continue
		}
		for i := range len(s.key) {
			switch s.key[i] {
			case '~':
				b.WriteString("~0")
			case '/':
				b.WriteString("~1")
			default:
				b.WriteByte(s.key[i])
			}
		}
	}
	return b.String()
}
