package adf

import "strings"

// content is the ADF 1.0 DTD's content model of each element with children:
// the children in order, each with ? (at most one), + (at least one), * (any
// number) or nothing (exactly one). The one choice, e-mail or phone in a
// contact, is checked apart.
var content = parseContent(map[string]string{
	"adf":      "prospect+",
	"prospect": "id* requestdate vehicle+ customer vendor provider?",
	"vehicle": "id* year make model vin? stock? trim? doors? bodystyle? transmission? odometer? condition? " +
		"colorcombination* imagetag? price? pricecomments? option* finance? comments?",
	"colorcombination": "interiorcolor? exteriorcolor? preference",
	"option":           "optionname manufacturercode? stock? weighting? price?",
	"finance":          "method amount+ balance?",
	"customer":         "contact id* timeframe? comments?",
	"timeframe":        "description? earliestdate? latestdate?",
	"vendor":           "id* vendorname url? contact",
	"provider":         "id* name service? url? email? phone? contact?",
	"contact":          "name+ email? phone* address?",
	"address":          "street+ apartment? city? regioncode? postalcode? country?",
})

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

// checkContent reports where the children of n depart from the DTD.
func (rd *reading) checkContent(n *element) {
	model, known := content[n.name]
	if !known {
		return
	}
	counts := map[string]int{}
	furthest := 0
	for _, child := range n.children {
		place := -1
		for i, p := range model {
			if p.name == child.name {
				place = i
			}
		}
		if place < 0 {
			rd.fault(child, "element is not part of %s in ADF; kept as unknown", n.name)
			rd.unknown = append(rd.unknown, Unknown{Path: child.path, Text: child.value()})
			continue
		}
		counts[child.name]++
		if counts[child.name] == 2 && !model[place].many {
			rd.fault(child, "more than one %s in %s; the first is used", child.name, n.name)
		}
		if place < furthest {
			rd.fault(child, "%s stands after %s; ADF wants it before", child.name, model[furthest].name)
		}
		furthest = max(furthest, place)
	}
	for _, p := range model {
		if p.mandatory && counts[p.name] == 0 {
			rd.fault(n, "%s is missing in %s", p.name, n.name)
		}
	}
	if n.name == "contact" && counts["email"]+counts["phone"] == 0 {
		rd.fault(n, "contact has neither email nor phone")
	}
}
