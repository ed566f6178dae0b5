package schema

import (
	"fmt"
	"slices"
	"strings"
)

// The sentences of violations say what to send instead. They never repeat a
// value of the payload, which may be personal, with one exception: a VIN in the
// wrong case is given back in capitals. Functions that take tell return
// "" without it, because nobody will read the sentence.

const maxAbout = 180 // a longer description is not a hint any more

func typeText(r *rule, v *value, tell bool) string {
	if !tell {
		return ""
	}
	got := map[kind]string{
		kindNull: "null", kindFalse: "a boolean", kindTrue: "a boolean", kindNumber: "a number",
		kindString: "a string", kindArray: "an array", kindObject: "an object",
	}[v.kind]
	switch {
	case v.kind == kindNull:
		return "Send " + wants(r) + ", or leave the member out; null is not accepted."
	case v.kind == kindString && r.kinds&(kindNumber|kindInteger|kindBoolean) != 0:
		return "Send " + wants(r) + " without quotation marks, not a string."
	case v.kind == kindNumber:
		got = "a number with a fraction"
		if r.kinds&kindInteger == 0 {
			got = "a number"
		}
	case r.kinds == kindArray:
		return "Send an array, even for a single value; this is " + got + "."
	}
	return "Send " + wants(r) + ", not " + got + "."
}

// wants says what values the rules accept, as the end of "Send ...".
func wants(rules ...*rule) string {
	var words []string
	for _, r := range rules {
		for _, w := range r.words() {
			if !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
	}
	if len(words) == 0 {
		return "a value"
	}
	return strings.Join(words, " or ")
}

func (r *rule) words() []string {
	switch {
	case r.constant != nil:
		return []string{`"` + r.constant.text + `"`}
	case r.enum != nil:
		return []string{"one of: " + joined(r.enum)}
	}
	var words []string
	add := func(k kind, word string) {
		if r.kinds&k != 0 {
			words = append(words, word)
		}
	}
	switch {
	case r.kinds&kindNumber != 0:
		words = append(words, "a number"+between(r))
	default:
		add(kindInteger, "a whole number"+between(r))
	}
	add(kindString, "a string")
	add(kindBoolean, "true or false")
	add(kindObject, "an object")
	if r.kinds&kindArray != 0 {
		word := "an array"
		if r.items != nil {
			if w := r.items.words(); len(w) == 1 && (r.items.kinds == kindString || r.items.kinds&kindNumber != 0) && r.items.enum == nil {
				word += " of " + strings.TrimPrefix(w[0], "a ") + "s"
			}
		}
		words = append(words, word)
	}
	add(kindNull, "null")
	if words == nil {
		for _, part := range r.all {
			words = append(words, part.words()...)
		}
	}
	return words
}

func between(r *rule) string {
	switch {
	case r.minimum != nil && r.maximum != nil:
		return " from " + r.minimum.text + " to " + r.maximum.text
	case r.minimum != nil:
		return " of " + r.minimum.text + " or more"
	case r.maximum != nil:
		return " of " + r.maximum.text + " or less"
	}
	return ""
}

func joined(choices []choice) string {
	texts := make([]string, len(choices))
	for i, c := range choices {
		texts[i] = c.text
	}
	return strings.Join(texts, ", ")
}

func constText(r *rule, tell bool) string {
	if !tell {
		return ""
	}
	return `Send "` + r.constant.text + `".`
}

func enumText(r *rule, v *value, tell bool) string {
	if !tell {
		return ""
	}
	text := "Send one of: " + joined(r.enum) + "."
	if v.kind == kindString {
		for i := range r.enum {
			if r.enum[i].resembles(v.text) {
				text += ` Write it exactly as "` + r.enum[i].text + `".`
			}
		}
	}
	return text
}

func requiredText(r *rule) string {
	if r == nil {
		return "This member is missing; it is required."
	}
	return "This member is required; send " + wants(r) + "." + r.hint()
}

// hint is the schema's own description, if it is short.
func (r *rule) hint() string {
	if r.about == "" || len(r.about) > maxAbout {
		return ""
	}
	return " " + r.about
}

func alternativeText(rules []*rule) string {
	var names []string
	for _, r := range rules {
		names = append(names, strings.Join(r.required, " with "))
	}
	if n := len(names); n > 1 {
		return "Send at least one of " + strings.Join(names[:n-1], ", ") + " and " + names[n-1] + "; none is there."
	}
	return "Send " + strings.Join(names, "") + "."
}

func unknownText(r *rule, key string, tell bool) string {
	if !tell {
		return ""
	}
	const text = "This member is not part of the contract; leave it out."
	if near := r.near(key); len(near) > 0 {
		return text + " Did you mean " + strings.Join(near, " or ") + "?"
	}
	if n := len(r.names); n > 0 && n <= 12 {
		return text + " Known here: " + strings.Join(r.names, ", ") + "."
	}
	return text
}

// near lists up to four declared names that look like key.
func (r *rule) near(key string) []string {
	if len(key) < 3 || len(key) > 40 {
		return nil
	}
	key = strings.ReplaceAll(strings.ToLower(key), "-", "_")
	var out []string
	for _, known := range r.names {
		flat := strings.ReplaceAll(known, "_", "")
		if strings.Contains(known, key) || strings.Contains(key, known) && len(known) > 2 ||
			flat == strings.ReplaceAll(key, "_", "") || len(key) > 3 && max(len(known)-len(key), len(key)-len(known)) <= 2 && distance(known, key) <= 2 {
			out = append(out, known)
		}
	}
	return out[:min(len(out), 4)]
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0]++
		for j := range len(b) {
			change := before
			if a[i] != b[j] {
				change++
			}
			before, row[j+1] = row[j+1], min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

func itemsText(r *rule, tell bool) string {
	switch {
	case !tell:
		return ""
	case r.minItems == r.maxItems:
		return fmt.Sprintf("List exactly %d.", r.minItems)
	case r.minItems >= 0 && r.maxItems >= 0:
		return fmt.Sprintf("List %d to %d.", r.minItems, r.maxItems)
	case r.minItems >= 0:
		return fmt.Sprintf("List at least %d.", r.minItems)
	}
	return fmt.Sprintf("List at most %d.", r.maxItems)
}

func containsText(r *rule, tell bool) string {
	if !tell {
		return ""
	}
	for _, name := range r.contains.names {
		if c := r.contains.members[name].constant; c != nil {
			return fmt.Sprintf("Add an entry whose %s is %q.", name, c.text)
		}
	}
	return "An entry that has to be in this list is missing."
}

func lengthText(r *rule, n int, tell bool) string {
	switch {
	case !tell:
		return ""
	case n == 0:
		return "Send a text that is not empty."
	case n < r.minLength:
		return fmt.Sprintf("Send at least %d characters; there are %d.", r.minLength, n)
	}
	return fmt.Sprintf("Send at most %d characters; there are %d.", r.maxLength, n)
}

// vinPattern is how AAP writes the form of a VIN, in every version.
const vinPattern = "^[A-HJ-NPR-Z0-9]{17}$"

func patternText(r *rule, text string, tell bool) string {
	if !tell {
		return ""
	}
	if r.pattern.String() == vinPattern {
		if upper := strings.ToUpper(strings.TrimSpace(text)); r.pattern.MatchString(upper) {
			return "Write the VIN in capitals and without blanks: " + upper + "."
		}
	}
	if hint := r.hint(); hint != "" {
		return "This does not have the right form." + hint
	}
	return "This does not have the right form; it has to match " + r.pattern.String() + "."
}

func formatText(r *rule) string {
	switch r.format.Name {
	case "date-time":
		return "Send an RFC 3339 date and time with Z or a numeric offset, such as 2030-01-31T18:00:00-05:00."
	case "date":
		return "Send a date that exists as YYYY-MM-DD, such as 2030-01-31."
	case "email":
		return "Send one e-mail address, such as name@example.com, without a display name."
	case "uri":
		return "Send an absolute URI with its scheme, such as https://example.com/page, without blanks."
	}
	return "Send a value in the format " + r.format.Name + "."
}

func rangeText(r *rule, tell bool) string {
	if !tell {
		return ""
	}
	return "Send a number" + between(r) + "."
}
