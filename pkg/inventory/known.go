package inventory

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// The two files say how they are written in their first lines.
//
//go:embed data/makes.txt
var makesFile string

//go:embed data/synonyms.txt
var synonymsFile string

// known is what is known of cars beyond one dealer's inventory. It is read
// once and never changes.
var known = sync.OnceValue(readKnown)

type knowledge struct {
	// makes maps every folded spelling of a make to its folded name.
	makes map[string]string
	// makeNames maps the folded name to all folded spellings, itself first.
	makeNames map[string][]string
	// models maps make and every folded spelling of a model to the folded name.
	models map[[2]string]string
	// modelNames maps make and folded name to all folded spellings.
	modelNames map[[2]string][]string
	// families maps make and folded name of a version to the folded name of
	// the family it belongs to.
	families map[[2]string]string
	// titles and modelTitles are the names of makes and of families as people
	// write them.
	titles, modelTitles []string
	// groups maps a section of the synonym file to its folded spellings and
	// each of them to the group's folded name; names is the way back.
	groups map[string]map[string]string
	names  map[string]map[string][]string
	// wordForms maps a section to single words and their usual form.
	wordForms map[string]map[string]string
	// subModels are the words that may follow a model, doors the words that
	// may precede a body.
	subModels map[string]bool
	doors     []string
}

func readKnown() *knowledge {
	k := &knowledge{
		makes: map[string]string{}, makeNames: map[string][]string{},
		models: map[[2]string]string{}, modelNames: map[[2]string][]string{}, families: map[[2]string]string{},
		groups: map[string]map[string]string{}, names: map[string]map[string][]string{},
		wordForms: map[string]map[string]string{}, subModels: map[string]bool{},
	}
	k.readMakes(makesFile)
	k.readSynonyms(synonymsFile)
	return k
}

func (k *knowledge) readMakes(text string) {
	var maker, family string
	for line := range strings.Lines(text) {
		title, others, ok := entry(line)
		switch {
		case !ok:
		case line[0] != ' ':
			maker, family = fold(title), ""
			k.titles = append(k.titles, title)
			k.makeNames[maker] = append([]string{maker}, others...)
			for _, spelling := range k.makeNames[maker] {
				k.makes[spelling] = maker
			}
		case !strings.HasPrefix(line, "    "):
			family = k.addModel(maker, title, others)
			k.modelTitles = append(k.modelTitles, title)
		default:
			for version := range strings.SplitSeq(title, ",") {
				k.families[[2]string{maker, k.addModel(maker, version, others)}] = family
			}
		}
	}
}

// addModel registers a family or a version of a make and returns its folded name.
func (k *knowledge) addModel(maker, title string, others []string) string {
	name := fold(title)
	names := append([]string{name}, others...)
	k.modelNames[[2]string{maker, name}] = names
	for _, spelling := range names {
		k.models[[2]string{maker, spelling}] = name
	}
	return name
}

// modelSpellings are the folded spellings of a model of a make by its folded
// name, itself first.
func (k *knowledge) modelSpellings(maker, name string) []string {
	if names := k.modelNames[[2]string{maker, name}]; names != nil {
		return names
	}
	return []string{name}
}

func (k *knowledge) readSynonyms(text string) {
	var section string
	for line := range strings.Lines(text) {
		title, others, ok := entry(line)
		if !ok {
			continue
		}
		if strings.HasPrefix(title, "[") {
			section = strings.Trim(title, "[]")
			continue
		}
		switch section {
		case "sub-models":
			for word := range strings.SplitSeq(title, ",") {
				k.subModels[fold(word)] = true
			}
		case "doors":
			for word := range strings.SplitSeq(title, ",") {
				k.doors = append(k.doors, fold(word))
			}
			slices.SortFunc(k.doors, func(a, b string) int { return len(b) - len(a) }) // 4dr before 4d
		case "color", "transmission words":
			if k.wordForms[section] == nil {
				k.wordForms[section] = map[string]string{}
			}
			for _, other := range others {
				k.wordForms[section][other] = fold(title)
			}
		default:
			if k.groups[section] == nil {
				k.groups[section], k.names[section] = map[string]string{}, map[string][]string{}
			}
			name := fold(title)
			k.names[section][name] = append([]string{name}, others...)
			for _, spelling := range k.names[section][name] {
				k.groups[section][spelling] = name
			}
		}
	}
}

// entry splits "Name = other, other"; the others come folded.
func entry(line string) (title string, others []string, ok bool) {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return "", nil, false
	}
	title, rest, _ := strings.Cut(line, "=")
	for other := range strings.SplitSeq(rest, ",") {
		if other = fold(other); other != "" {
			others = append(others, other)
		}
	}
	return strings.TrimSpace(title), others, true
}

// makeName is the folded name of a make, however it is spelt.
func (k *knowledge) makeName(s string) string {
	f := fold(s)
	if name, ok := k.makes[f]; ok {
		return name
	}
	return f
}

// model is the folded name of a model of a make, which is folded already; a
// make written before the model is taken off.
func (k *knowledge) model(maker, s string) string {
	f := fold(s)
	if name, ok := k.models[[2]string{maker, f}]; ok {
		return name
	}
	for _, spelling := range k.makeSpellings(maker) {
		rest, ok := strings.CutPrefix(f, spelling)
		if !ok || rest == "" {
			continue
		}
		if name, ok := k.models[[2]string{maker, rest}]; ok {
			return name
		}
		if firstWords(s, spelling) {
			return rest
		}
	}
	return f
}

// firstWords reports whether whole leading words of s fold to prefix.
func firstWords(s, prefix string) bool {
	var b strings.Builder
	for _, w := range strings.FieldsFunc(s, blankOrHyphen) {
		b.WriteString(fold(w))
		if b.Len() >= len(prefix) {
			return b.String() == prefix
		}
	}
	return false
}

// own reports whether the file of makes has a folded name as a family of its
// own, not as a version of another one.
func (k *knowledge) own(maker, model string) bool {
	name, ok := k.models[[2]string{maker, model}]
	return ok && k.families[[2]string{maker, name}] == ""
}

// OwnModel reports whether a make is known to have a model of its own by a
// name: Ford has the Bronco Sport, but the F-150 XLT is a version of another
// one. Both may be in any usual spelling.
func OwnModel(maker, model string) bool {
	k := known()
	return k.own(k.makeName(maker), fold(model))
}

func (k *knowledge) makeSpellings(maker string) []string {
	if names := k.makeNames[maker]; names != nil {
		return names
	}
	if maker == "" {
		return nil
	}
	return []string{maker}
}

// group is the folded name of the synonym group that a value belongs to, or
// its folded self.
func (k *knowledge) group(section, s string) string { return k.groupOf(section, fold(s)) }

// groupOf is group for a folded value.
func (k *knowledge) groupOf(section, f string) string {
	if name, ok := k.groups[section][f]; ok {
		return name
	}
	if section == "body" {
		for _, door := range k.doors {
			if rest, ok := strings.CutPrefix(f, door); ok && rest != "" {
				if name, ok := k.groups[section][rest]; ok {
					return name
				}
				return rest
			}
		}
	}
	return f
}

// words are the folded words of a value, each in its usual form.
func (k *knowledge) words(section, s string) []string {
	out := words(s)
	for i, w := range out {
		out[i] = k.wordForm(section, w)
	}
	return out
}

func (k *knowledge) wordForm(section, w string) string {
	if form, ok := k.wordForms[section][w]; ok {
		return form
	}
	return w
}
