package wire

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/rawjson"
)

// leadVehicles are the vehicles of a lead; another request has none.
func leadVehicles(request *object) []*object {
	var out []*object
	for _, name := range []string{"vehicle_of_interest", "trade_in"} {
		if v := request.object(name); v != nil {
			out = append(out, v)
		}
	}
	return out
}

// listings are the vehicles of an answer, by its data.
func listings(s aap.Skill, data *object) []*object {
	switch {
	case s == aap.InventorySearch:
		return data.objects("vehicles")
	case s == aap.InventoryVehicle && data != nil:
		return []*object{data}
	}
	return nil
}

// facets are the facets of an answer, by its data; nil when it has none.
func facets(s aap.Skill, data *object) *object {
	switch s {
	case aap.InventorySearch:
		return data.object("facets")
	case aap.InventoryFacets:
		return data
	}
	return nil
}

// keepIf drops the named members that a newer contract declares and that are
// not what it takes them for. The vehicle object is open, so an older contract
// lets any value stand under a name it does not declare.
func (o *object) keepIf(fits func(json.RawMessage) bool, names ...string) {
	for _, name := range names {
		if value := o.raw(name); value != nil && !fits(value) {
			o.drop(name)
		}
	}
}

func isText(v json.RawMessage) bool { return kind(v) == '"' }

func isBool(v json.RawMessage) bool { k := kind(v); return k == 't' || k == 'f' }

func isNumber(v json.RawMessage) bool {
	k := kind(v)
	return k == '-' || k >= '0' && k <= '9'
}

func isTextOrNull(v json.RawMessage) bool { return isText(v) || kind(v) == 'n' }

// isAmount accepts a number that is not negative.
func isAmount(v json.RawMessage) bool { return isNumber(v) && kind(v) != '-' }

// isCount accepts a whole number that is not negative.
func isCount(v json.RawMessage) bool {
	var n aap.Int
	return isAmount(v) && n.UnmarshalJSON(v) == nil
}

func textOf(v json.RawMessage) string {
	var s string
	_ = json.Unmarshal(v, &s)
	return s
}

// textsOf are the strings of an array of strings.
func textsOf(v json.RawMessage) []string {
	var list []string
	_ = json.Unmarshal(v, &list)
	return list
}

func oneOf(words ...string) func(json.RawMessage) bool {
	return func(v json.RawMessage) bool { return isText(v) && slices.Contains(words, textOf(v)) }
}

func listOf(fits func(json.RawMessage) bool) func(json.RawMessage) bool {
	return func(v json.RawMessage) bool {
		if kind(v) != '[' {
			return false
		}
		for element := range rawjson.Elements(v) {
			if !fits(element) {
				return false
			}
		}
		return true
	}
}

// isURI accepts the absolute web addresses among the URIs.
func isURI(v json.RawMessage) bool {
	s := textOf(v)
	if !isText(v) || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune("<>\"{}|\\^`", r) }) {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

func isDate(v json.RawMessage) bool {
	_, err := time.Parse(time.DateOnly, textOf(v))
	return isText(v) && err == nil
}

func isTime(v json.RawMessage) bool {
	s := textOf(v)
	_, err := time.Parse(time.RFC3339, s)
	return isText(v) && err == nil && s[13] == ':' && !strings.Contains(s, ",")
}

func isAttributes(v json.RawMessage) bool {
	if kind(v) != '{' {
		return false
	}
	for _, value := range rawjson.Members(v) {
		if !isText(value) && !isBool(value) && !isNumber(value) && !listOf(isText)(value) && !listOf(isNumber)(value) {
			return false
		}
	}
	return true
}

// isFees accepts a list of {name, amount} whose entries differ.
func isFees(v json.RawMessage) bool {
	var seen []aap.Fee
	return listOf(func(fee json.RawMessage) bool {
		o, ok := parse(fee)
		if !ok || len(o.members) != 2 || !isCount(o.raw("amount")) {
			return false
		}
		name, _ := o.text("name")
		one := aap.Fee{Name: name}
		if strings.TrimSpace(name) == "" || len(name) > 120 || one.Amount.UnmarshalJSON(o.raw("amount")) != nil || slices.Contains(seen, one) {
			return false
		}
		seen = append(seen, one)
		return true
	})(v)
}
