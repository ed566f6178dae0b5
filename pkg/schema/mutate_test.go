package schema_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
)

// mutate changes one place of the payload, at any level, and returns the payload.
func mutate(rnd *rand.Rand, root any) any {
	places := collect(&root)
	at := places[rnd.IntN(len(places))]
	switch v := at.get().(type) {
	case map[string]any:
		keys := sortedKeys(v)
		switch n := rnd.IntN(10); {
		case n < 4 && len(keys) > 0:
			delete(v, keys[rnd.IntN(len(keys))])
		case n < 6:
			v[pick(rnd, names)] = junk(rnd)
		case n < 7 && len(keys) > 0:
			k := keys[rnd.IntN(len(keys))]
			v[k+"_2"] = v[k]
		case n < 8 && len(keys) > 0:
			v[strings.ToUpper(keys[rnd.IntN(len(keys))])] = junk(rnd)
		default:
			at.set(junk(rnd))
		}
	case []any:
		switch n := rnd.IntN(10); {
		case n < 3 && len(v) > 0:
			i := rnd.IntN(len(v))
			at.set(slices.Delete(v, i, i+1))
		case n < 5 && len(v) > 0:
			at.set(append(v, clone(v[rnd.IntN(len(v))])))
		case n < 7:
			at.set(append(v, junk(rnd)))
		case n < 8:
			at.set([]any{})
		default:
			at.set(junk(rnd))
		}
	case string:
		at.set(bend(rnd, v))
	case json.Number:
		at.set(pick(rnd, numbers))
	default:
		at.set(junk(rnd))
	}
	return root
}

var names = []string{
	"vin", "stock", "vehicle_id", "email", "phone", "type", "data", "message", "status", "condition", "trade_in", "name", "filters",
	"vehicle_of_interest", "other_attributes", "fees", "scope", "x", "", "a/b", "~", "monday", "rooftop", "details", "expires_at", "extensions",
	"source_agent", "zip", "offered_price", "price", "amount", "currency", "requested_windows", "appointment_at", "country", "rooftops",
	"last_verified_at", "llm", "skills", "auth_type",
}

var numbers = []any{
	json.Number("0"), json.Number("-1"), json.Number("-0.0"), json.Number("1"), json.Number("14"), json.Number("15"), json.Number("1000"),
	json.Number("1001"), json.Number("1899"), json.Number("1900"), json.Number("1900.0"), json.Number("1899.9999999999999999999"),
	json.Number("2100"), json.Number("2101"), json.Number("2.1e3"), json.Number("3e4"), json.Number("30000.5"), json.Number("1E-7"),
	json.Number("12345678901234567890123"), json.Number("-90"), json.Number("90.0000000001"), json.Number("181"), json.Number("5e-1"), "7", true,
}

var texts = []string{
	"", " ", "x", "new", "good", "mint", "New", "available", "sold", "email", "sms", "any", "lead_submission", "marketing", "confirmed",
	"received", "no_show", "test_drive", "JSONRPC", "price", "asc", "lead.status_changed", "inventory.search.request", "aap.error", "Bad.Type",
	"1HGCV1F30KA000001", "1hgcv1f30ka000001", "1HGCV1F30KA00000I", "+12025550100", "12025550100", "+0123", "+1202555010012345", "202-555-0100",
	"a@b.example", "a@b", "a b@c.example", "@b.example", "2026-02-28", "2026-02-30", "2026-02-28T10:00:00Z", "2026-02-28T10:00:00",
	"2026-02-28t10:00:00.5z", "2026-02-28T24:00:00Z", "2026-02-28T23:59:60Z", "2026-02-28T10:00:00+0100", "2026-02-28 10:00:00Z",
	"https://a.example", "a.example", "//a.example", "mailto:a@b.example", "http://[::1", "https://a.example/ b", "09:00", "24:00", "9:00",
	"USD", "usd", "EURO", "bearer", "76701", "76701-1234", "handover", "In Stock", "offered_price", "AUTH_REQUIRED", "HTTP+JSON",
	"https://autoagentprotocol.org/extensions/a2a-automotive-retail/v0.1", "\u00e9\u4e16", "\u2028", "https://autoagentprotocol.org/extensions/aap/v1.3",
	strings.Repeat("x", 120), strings.Repeat("\u4e16", 121), strings.Repeat("x", 200), strings.Repeat("x", 201), strings.Repeat("x", 128),
	strings.Repeat("x", 129), strings.Repeat("x", 2000), strings.Repeat("x", 2001), strings.Repeat("x", 4001),
}

func bend(rnd *rand.Rand, s string) any {
	switch rnd.IntN(8) {
	case 0:
		return strings.ToUpper(s)
	case 1:
		return s + pick(rnd, []string{" ", "x", "\n", "Z", "0"})
	case 2:
		if s != "" {
			return s[:len(s)-1]
		}
		return "a"
	case 3:
		return junk(rnd)
	}
	return pick(rnd, texts)
}

func junk(rnd *rand.Rand) any {
	switch rnd.IntN(8) {
	case 0:
		return nil
	case 1:
		return rnd.IntN(2) == 0
	case 2:
		return pick(rnd, numbers)
	case 3:
		return []any{pick(rnd, texts), pick(rnd, texts)}
	case 4:
		return map[string]any{pick(rnd, names): pick(rnd, texts)}
	case 5:
		return []any{pick(rnd, numbers), map[string]any{}}
	case 6:
		return map[string]any{}
	}
	return pick(rnd, texts)
}

func pick[T any](rnd *rand.Rand, from []T) T { return from[rnd.IntN(len(from))] }

// place is one value inside a payload that can be replaced: an item, a member
// or, of a *any, the payload itself.
type place struct {
	in    any
	key   string
	index int
}

func (p place) get() any {
	switch in := p.in.(type) {
	case map[string]any:
		return in[p.key]
	case []any:
		return in[p.index]
	default:
		return *p.in.(*any)
	}
}

func (p place) set(v any) {
	switch in := p.in.(type) {
	case map[string]any:
		in[p.key] = v
	case []any:
		in[p.index] = v
	default:
		*p.in.(*any) = v
	}
}

func collect(root *any) []place {
	return below(append(make([]place, 0, 128), place{in: root}), *root)
}

func below(out []place, v any) []place {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range sortedKeys(v) {
			out = below(append(out, place{in: v, key: key}), v[key])
		}
	case []any:
		for i := range v {
			out = below(append(out, place{in: v, index: i}), v[i])
		}
	}
	return out
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, kid := range v {
			out[key] = clone(kid)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, kid := range v {
			out[i] = clone(kid)
		}
		return out
	}
	return v
}
