package adf

import (
	"fmt"
	"slices"
	"strings"
)

// content is the ADF 1.0 DTD's content model of each element with children:
// the children in order, each with ? (at most one), + (at least one), * (any
// number) or nothing (exactly one). Two choices are checked apart: an e-mail or
// a phone in a contact, a colour inside or outside in a colour combination. The
// DTD as published does not parse and leaves condition and the children of
// timeframe without a place; here they have one.
var content = parseContent(map[string]string{
	"adf":      "prospect+",
	"prospect": "id* requestdate vehicle+ customer vendor provider?",
	"vehicle": "id* year make model vin? stock? trim? doors? bodystyle? transmission? odometer? condition? " +
		"colorcombination* imagetag? price? pricecomments? option* finance? comments?",
	"colorcombination": "interiorcolor? exteriorcolor? preference",
	"option":           "optionname manufacturercode? stock? weighting? price?",
	"finance":          "method amount+ balance?",
	"customer":         "contact id* timeframe? comments?",
	"timeframe":        "description* earliestdate* latestdate*",
	"vendor":           "id* vendorname url? contact",
	"provider":         "id* name service? url? email? phone? contact?",
	"contact":          "name+ email? phone* address?",
	"address":          "street+ apartment? city? regioncode? postalcode? country?",
})

// attributesOf are the attributes of each element; those without words take
// any text.
var attributesOf = map[string]map[string][]string{
	"prospect":  {"status": {"new", "resend"}},
	"id":        {"sequence": nil, "source": nil},
	"vehicle":   {"interest": {"buy", "lease", "sell", "trade-in", "test-drive"}, "status": {"new", "used"}},
	"odometer":  {"status": {"unknown", "rolledover", "replaced", "original"}, "units": {"km", "mi"}},
	"imagetag":  {"width": nil, "height": nil, "alttext": nil},
	"amount":    {"type": {"downpayment", "monthly", "total"}, "limit": {"maximum", "minimum", "exact"}, "currency": nil},
	"balance":   {"type": {"finance", "residual"}, "currency": nil},
	"contact":   {"primarycontact": {"0", "1"}},
	"name":      {"part": {"surname", "first", "middle", "last", "full"}, "type": {"business", "individual"}},
	"email":     {"preferredcontact": {"0", "1"}},
	"address":   {"type": {"work", "home", "delivery"}},
	"street":    {"line": nil},
	"timeframe": {},
	"phone": {"type": {"voice", "fax", "cellphone", "pager"}, "time": {"morning", "afternoon", "evening", "nopreference", "day"},
		"preferredcontact": {"0", "1"}},
	"price": {"type": {"quote", "offer", "msrp", "invoice", "call", "appraisal", "asking"}, "currency": nil,
		"delta": {"absolute", "relative", "percentage"}, "relativeto": {"msrp", "invoice"}, "source": nil},
}

// otherWords are what senders write for a type of phone that ADF has.
var otherWords = map[string]string{
	"cell": "cellphone", "mobile": "cellphone", "cellular": "cellphone", "phone": "voice", "home": "voice", "work": "voice",
}

// part is one child of a content model.
type part struct {
	name      string
	mandatory bool
	many      bool
}

func parseContent(models map[string]string) map[string][]part {
	out := make(map[string][]part, len(models))
	for element, model := range models {
		for _, word := range strings.Fields(model) {
			name := strings.TrimRight(word, "?+*")
			out[element] = append(out[element], part{
				name:      name,
				mandatory: word == name || strings.HasSuffix(word, "+"),
				many:      strings.HasSuffix(word, "+") || strings.HasSuffix(word, "*"),
			})
		}
	}
	return out
}

// checkAll compares an element that ADF has, and everything in it, with the DTD.
func (rd *reading) checkAll(n *element) {
	for _, c := range rd.checkOne(n) {
		rd.checkAll(c)
	}
}

// checkOne compares one element with the DTD and returns the children that
// have their place in it.
func (rd *reading) checkOne(n *element) []*element {
	if n.written != n.name {
		rd.invalid(n, "the element is written "+n.written, "Write <"+n.name+">: the letters of a name count.")
	}
	rd.checkAttributes(n)
	return rd.checkContent(n)
}

// checkContent reports where what stands in n departs from the DTD, and returns
// the children that have their place there.
func (rd *reading) checkContent(n *element) (placed []*element) {
	model, composed := content[n.name]
	if composed && n.name != "timeframe" && n.hasText() {
		rd.invalid(n, "text between the elements of "+n.name, "Put the text into an element, such as comments, or take it out.")
	}
	counts := map[string]int{}
	furthest := 0
	for _, child := range n.children {
		place := slices.IndexFunc(model, func(p part) bool { return p.name == child.name })
		switch {
		case !composed:
			rd.invalid(child, n.name+" holds text only", "Write "+n.name+" without elements in it; escape < as &lt;.")
			continue
		case place < 0:
			rd.invalid(child, "element is not part of "+n.name+" in ADF; kept as unknown", misplaced(child.name))
			rd.unknown = append(rd.unknown, Unknown{Path: child.path, Text: child.value()})
			continue
		}
		placed = append(placed, child)
		counts[child.name]++
		if counts[child.name] == 2 && !model[place].many {
			rd.invalid(child, fmt.Sprintf("more than one %s in %s; the first is used", child.name, n.name), "Keep one.")
		}
		if place < furthest && n.name != "timeframe" {
			rd.invalid(child, fmt.Sprintf("%s stands after %s; ADF wants it before", child.name, model[furthest].name),
				fmt.Sprintf("Move %s before %s.", child.name, model[furthest].name))
		}
		furthest = max(furthest, place)
	}
	for i, p := range model {
		if p.mandatory && counts[p.name] == 0 {
			rd.invalid(n, fmt.Sprintf("%s is missing in %s", p.name, n.name), added(p.name, n.name, model[:i]))
		}
	}
	if n.name == "contact" && counts["email"]+counts["phone"] == 0 {
		rd.invalid(n, "contact has neither email nor phone", "Add <email> or <phone> after the names.")
	}
	if n.name == "colorcombination" && counts["interiorcolor"]+counts["exteriorcolor"] == 0 {
		rd.invalid(n, "colorcombination has no color", "Add <interiorcolor> or <exteriorcolor> before preference, or take colorcombination out.")
	}
	return placed
}

// misplaced says what to do with an element at a place where ADF has it not.
func misplaced(name string) string {
	if name == "primarycontact" {
		return `Write it as an attribute, as in <contact primarycontact="1">.`
	}
	var parents []string
	for parent, model := range content {
		if slices.ContainsFunc(model, func(p part) bool { return p.name == name }) {
			parents = append(parents, parent)
		}
	}
	if len(parents) == 0 {
		return "Take it out, or put its text into comments."
	}
	slices.Sort(parents)
	return "Move it into " + strings.Join(parents, " or ") + ", or take it out."
}

// added says where a missing element goes.
func added(name, parent string, before []part) string {
	if len(before) == 0 {
		return fmt.Sprintf("Add <%s> as the first element of %s.", name, parent)
	}
	var names []string
	for _, p := range before {
		names = append(names, p.name)
	}
	return fmt.Sprintf("Add <%s> to %s, after %s.", name, parent, strings.Join(names, ", "))
}

func (rd *reading) checkAttributes(n *element) {
	seen := map[string]bool{}
	for _, a := range n.attributes {
		name := strings.ToLower(a.Name.Local)
		full := a.Name.Local
		if a.Name.Space != "" {
			full = a.Name.Space + ":" + full
		}
		words, known := attributesOf[n.name][name]
		switch {
		case seen[full]:
			rd.invalid(n, "attribute "+full+" is written twice", "Keep one.")
		case !known || a.Name.Space != "":
			rd.invalid(n, fmt.Sprintf("attribute %s is not part of %s in ADF", full, n.name), "Take it out.")
		case full != name:
			rd.invalid(n, "the attribute is written "+full, "Write "+name+": the letters of a name count.")
		case words != nil && !slices.Contains(words, a.Value):
			problem, mend := wrongWord(n.name, name, a.Value, words)
			rd.invalid(n, problem, mend)
		}
		seen[full] = true
	}
}

// wrongWord words a value that is none of those ADF has. It quotes the value
// only where that cannot be the buyer's.
func wrongWord(element, attribute, value string, words []string) (problem, mend string) {
	folded := strings.ToLower(strings.TrimSpace(value))
	if other, ok := otherWords[folded]; ok && element == "phone" && attribute == "type" {
		return fmt.Sprintf("phone type %s is written %s in ADF", folded, other), "Write " + other + "."
	}
	problem = fmt.Sprintf("%s %s is not one of %s", element, attribute, strings.Join(words, ", "))
	if slices.Contains(words, folded) {
		return problem, fmt.Sprintf("Write %s in small letters and without blanks.", folded)
	}
	return problem, "Write one of these words, or leave the attribute out."
}
