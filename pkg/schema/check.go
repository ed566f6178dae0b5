package schema

import (
	"strings"
	"unicode/utf8"
)

// checker holds one payload against a rule.
type checker struct {
	path  pointer
	found *faults
}

// check reports whether v satisfies r. With tell it notes every fault, and
// also members that are spelt in the wrong case, which no schema forbids.
func (c *checker) check(r *rule, v *value, tell bool) bool {
	if c.found.full {
		return false // the verdict is known, and nobody reads further
	}
	if v.kind == kindHostile {
		return !r.never
	}
	if r.never {
		c.note(tell, "false", "Nothing is accepted here; leave it out.")
		return false
	}
	if r.kinds != 0 && !r.admits(v) {
		c.note(tell, "type", typeText(r, v, tell))
		return false
	}
	ok := true
	if r.constant != nil && !r.constant.is(v) {
		ok = c.note(tell, "const", constText(r, tell))
	}
	if r.enum != nil && !r.lists(v) {
		ok = c.note(tell, "enum", enumText(r, v, tell))
	}
	switch v.kind {
	case kindString:
		ok = c.text(r, v, tell) && ok
	case kindNumber:
		ok = c.number(r, v, tell) && ok
	case kindArray:
		ok = c.array(r, v, tell) && ok
	case kindObject:
		ok = c.object(r, v, tell) && ok
	}
	if !ok && !tell {
		return false
	}
	return c.combined(r, v, tell) && ok
}

// note adds a fault if it is to be told; it always returns false.
func (c *checker) note(tell bool, keyword, text string) bool {
	if tell {
		c.found.add(c.path, keyword, text)
	}
	return false
}

// combined checks what a schema says through other schemas about the same value.
func (c *checker) combined(r *rule, v *value, tell bool) bool {
	ok := true
	for _, part := range r.all {
		ok = c.check(part, v, tell) && ok
	}
	if r.any != nil {
		ok = c.anyOf(r, v, tell) && ok
	}
	if r.one != nil {
		ok = c.oneOf(r, v, tell) && ok
	}
	if r.when != nil {
		next := r.otherwise
		if c.check(r.when, v, false) {
			next = r.then
		}
		if next != nil {
			ok = c.check(next, v, tell) && ok
		}
	}
	return ok
}

func (c *checker) anyOf(r *rule, v *value, tell bool) bool {
	for _, part := range r.any {
		if c.check(part, v, false) {
			if tell && v.kind == kindObject {
				c.check(part, v, true) // for members in the wrong case
			}
			return true
		}
	}
	if !tell {
		return false
	}
	return c.alternatives(r.any, "anyOf", v)
}

func (c *checker) oneOf(r *rule, v *value, tell bool) bool {
	var match *rule
	for _, part := range r.one {
		if c.check(part, v, false) {
			if match != nil {
				return c.note(tell, "oneOf", "This fits more than one of the alternatives; make it fit exactly one.")
			}
			match = part
		}
	}
	if match == nil {
		if !tell {
			return false
		}
		return c.alternatives(r.one, "oneOf", v)
	}
	if tell && v.kind == kindObject {
		c.check(match, v, true)
	}
	return true
}

// alternatives tells that v fits none of the rules. Where they ask for one
// member or another, each missing member is named at its place; where just one
// of them is for values of v's type, the faults are those it finds.
func (c *checker) alternatives(rules []*rule, keyword string, v *value) bool {
	requires := true
	var near []*rule
	for _, r := range rules {
		requires = requires && r.onlyRequires
		if r.kinds == 0 || r.admits(v) {
			near = append(near, r)
		}
	}
	switch {
	case requires && v.kind == kindObject:
		text := alternativeText(rules)
		for _, r := range rules {
			for _, missing := range r.required {
				if v.find(missing) == nil {
					c.found.add(c.path.with(name(missing)), keyword, text)
				}
			}
		}
	case len(near) == 1:
		c.check(near[0], v, true)
	default:
		c.found.add(c.path, keyword, "Send "+wants(rules...)+".")
	}
	return false
}

func (c *checker) object(r *rule, v *value, tell bool) bool {
	ok := true
	for _, key := range r.required {
		if v.find(key) == nil {
			if !tell {
				return false
			}
			c.found.add(c.path.with(name(key)), "required", requiredText(r.members[key]))
			ok = false
		}
	}
	if r.members == nil && !r.closed && r.rest == nil {
		return ok
	}
	for i := range v.kids {
		key, kid := v.kids[i].key, &v.kids[i].value
		c.path = append(c.path, name(key))
		ok = c.member(r, key, kid, tell) && ok
		c.path = c.path[:len(c.path)-1]
		if !ok && !tell || c.found.full {
			return false
		}
	}
	return ok
}

func (c *checker) member(r *rule, key string, v *value, tell bool) bool {
	if part, declared := r.members[key]; declared {
		return c.check(part, v, tell)
	}
	if tell && r.folded != nil {
		if meant, near := r.folded[fold(key)]; near {
			c.found.add(c.path, keyCaseMismatch, "Member names are case-sensitive; write this one as "+meant+".")
			return !r.closed
		}
	}
	if r.closed {
		return c.note(tell, "additionalProperties", unknownText(r, key, tell))
	}
	return r.rest == nil || c.check(r.rest, v, tell)
}

func (c *checker) array(r *rule, v *value, tell bool) bool {
	ok := true
	n := len(v.kids)
	if r.minItems > n || r.maxItems >= 0 && n > r.maxItems {
		keyword := "minItems"
		if r.minItems <= n {
			keyword = "maxItems"
		}
		ok = c.note(tell, keyword, itemsText(r, tell))
	}
	if r.unique && n > 1 && !v.unique() {
		ok = c.note(tell, "uniqueItems", "List every value only once.")
	}
	if r.contains != nil {
		has := false
		for i := range v.kids {
			has = has || c.check(r.contains, &v.kids[i].value, false)
		}
		if !has {
			ok = c.note(tell, "contains", containsText(r, tell))
		}
	}
	if r.items == nil {
		return ok
	}
	for i := range v.kids {
		c.path = append(c.path, step{index: i})
		ok = c.check(r.items, &v.kids[i].value, tell) && ok
		c.path = c.path[:len(c.path)-1]
		if !ok && !tell || c.found.full {
			return false
		}
	}
	return ok
}

func (c *checker) text(r *rule, v *value, tell bool) bool {
	ok := true
	if r.minLength >= 0 || r.maxLength >= 0 {
		switch n := utf8.RuneCountInString(v.text); {
		case n < r.minLength:
			ok = c.note(tell, "minLength", lengthText(r, n, tell))
		case r.maxLength >= 0 && n > r.maxLength:
			ok = c.note(tell, "maxLength", lengthText(r, n, tell))
		}
	}
	if r.pattern != nil && !r.pattern.MatchString(v.text) {
		ok = c.note(tell, "pattern", patternText(r, v.text, tell))
	}
	if r.format != nil && r.format.Validate(v.text) != nil {
		ok = c.note(tell, "format", formatText(r))
	}
	return ok
}

func (c *checker) number(r *rule, v *value, tell bool) bool {
	if r.minimum != nil && r.minimum.compare(v.text) < 0 {
		return c.note(tell, "minimum", rangeText(r, tell))
	}
	if r.maximum != nil && r.maximum.compare(v.text) > 0 {
		return c.note(tell, "maximum", rangeText(r, tell))
	}
	return true
}

// admits reports whether v has one of the types the rule allows.
func (r *rule) admits(v *value) bool {
	if v.kind != kindNumber {
		return r.kinds&v.kind != 0
	}
	if r.kinds&kindNumber != 0 {
		return true
	}
	return r.kinds&kindInteger != 0 && isInteger(v.text)
}

func isInteger(literal string) bool { return plain(literal) || decimalOf(literal).integer() }

// is reports whether v is this choice.
func (c *choice) is(v *value) bool {
	if c.isString {
		return v.kind == kindString && v.text == c.text
	}
	return v.kind != kindString && string(v.canonical(nil)) == c.canonical
}

// lists reports whether v is one of the values the rule enumerates.
func (r *rule) lists(v *value) bool {
	for i := range r.enum {
		if r.enum[i].is(v) {
			return true
		}
	}
	return false
}

// resembles reports whether the choice is text up to letter case and blanks.
func (c *choice) resembles(text string) bool {
	return c.isString && strings.EqualFold(c.text, strings.TrimSpace(text))
}
