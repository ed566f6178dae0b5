package fleet

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dealer-agent/dealer/pkg/cloud/stacks"
)

var (
	namePattern     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]{0,62}$`)
	idPattern       = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,62}$`)
	stackPattern    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]{0,127}$`)
	regionPattern   = regexp.MustCompile(`^[a-z]{2}(-[a-z]+)+-[0-9]$`)
	accountPattern  = regexp.MustCompile(`^[0-9]{12}$`)
	rolePattern     = regexp.MustCompile(`^arn:[a-z-]+:iam::[0-9]{12}:role/[A-Za-z0-9+=,.@_/-]{1,576}$`)
	externalPattern = regexp.MustCompile(`^[A-Za-z0-9+=,.@:/_-]{2,}$`)
	bucketPattern   = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	// pooledPattern is a dealer id, which names folders and keys of a shared stack.
	pooledPattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)
	prefixPattern = regexp.MustCompile(`^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*$`)
)

// The parameters of a template that say where its code lies.
const (
	CodeBucket = "CodeBucket"
	CodePrefix = "CodePrefix"
)

// mostTags are those that CloudFormation takes on a stack.
const mostTags = 50

// assemble checks a draft and makes the fleet of it.
func (r *reader) assemble(d draft) *File {
	f := &File{Name: d.name.text, Mode: d.mode.text, CodeBucket: d.bucket.text, CodePrefix: d.prefix.text}
	switch f.Mode {
	case "":
	case ModePooled:
		r.template, r.unchecked = &Template{}, true // the stack is not made of this file
		r.shared(&d)
	default:
		r.add(d.mode.line, "mode", fmt.Sprintf("%q is no mode", f.Mode), "write mode: pooled where dealers share one stack, or leave it out")
	}
	if f.CodePrefix == "" {
		f.CodePrefix = "dealer"
	}
	if !namePattern.MatchString(f.Name) {
		r.add(d.name.line, "fleet", fmt.Sprintf("%q is no name for a fleet", f.Name), "write a letter, then letters, digits and hyphens, 63 at most")
	}
	r.code(f, d)
	switch {
	case len(d.rows) == 0:
		r.add(1, "rooftops", "there are none", "write one rooftop for each stack, each with an id")
	case len(d.rows) > most:
		r.add(d.rows[most].line, "rooftops", fmt.Sprintf("there are more than %d", most), "split the fleet")
	}
	ids, names := map[string]int{}, map[string]int{}
	for i, row := range d.rows {
		if len(r.faults) == mostFaults {
			break
		}
		o := r.rooftop(f, d.defaults, row, fmt.Sprintf("rooftops[%d]", i))
		if before, ok := ids[strings.ToLower(o.ID)]; ok && o.ID != "" {
			r.add(o.Line, "id", fmt.Sprintf("%q is that of line %d too", o.ID, before), "give each rooftop an id of its own")
		}
		where := fmt.Sprint(o.Place.Region, o.Place.Account(), "/", o.Stack)
		if before, ok := names[where]; ok && o.Stack != "" && f.Mode != ModePooled && ids[strings.ToLower(o.ID)] == 0 {
			r.add(o.Line, "stack", fmt.Sprintf("%q is that of line %d too", o.Stack, before), "give each rooftop a stack of its own, for example with stack: "+f.Name+"-{id}")
		}
		ids[strings.ToLower(o.ID)], names[where] = o.Line, o.Line
		f.Rooftops = append(f.Rooftops, o)
	}
	if len(f.Rooftops) > 0 {
		f.Region = f.Rooftops[0].Place.Region
	}
	return f
}

// code checks where the code lies.
func (r *reader) code(f *File, d draft) {
	if f.CodeBucket == "" {
		if _, asked := r.template.parameter(CodeBucket); asked {
			r.add(1, "code_bucket", "is missing", "write the bucket that gets the code, such as code_bucket: northwind-code-{region}, or give --code-bucket")
		}
	} else if !bucketPattern.MatchString(f.Bucket("us-east-1")) {
		r.add(d.bucket.line, "code_bucket", fmt.Sprintf("%q is no name of a bucket", f.CodeBucket), "write small letters, digits and hyphens; {region} stands for the region")
	}
	if !prefixPattern.MatchString(f.CodePrefix) {
		r.add(d.prefix.line, "code_prefix", fmt.Sprintf("%q is no beginning of a key", f.CodePrefix), "write words of letters and digits with slashes between them, such as dealer")
	}
}

// rooftop is one row over the defaults.
func (r *reader) rooftop(f *File, defaults, row row, path string) Rooftop {
	merged := func(d, own map[string]cell) map[string]cell {
		all := maps.Clone(d)
		if all == nil {
			all = map[string]cell{}
		}
		maps.Copy(all, own)
		return all
	}
	members := merged(defaults.members, row.members)
	id := members["id"].text
	if !idPattern.MatchString(id) {
		r.add(row.line, path+".id", fmt.Sprintf("%q is no id", id), "write letters, digits and hyphens, 63 at most, such as id: seabright")
	}
	fill := strings.NewReplacer("{id}", id, "{fleet}", f.Name, "{region}", members["region"].text, "{account}", members["account"].text)
	o := Rooftop{ID: id, Line: row.line, Stack: fill.Replace(members["stack"].text), Profile: fill.Replace(members["profile"].text)}
	o.Place = stacks.Place{Region: members["region"].text, Role: fill.Replace(members["role"].text), ExternalID: members["external_id"].text}
	switch {
	case f.Mode == ModePooled:
		o.Stack = cmp.Or(o.Stack, f.Name)
		r.pooled(&o, row, path)
	case o.Stack == "":
		o.Stack = f.Name + "-" + id
	}
	// A fault of the defaults is told once.
	line := func(member string) int {
		if c, ok := row.members[member]; ok {
			return c.line
		}
		if c, ok := defaults.members[member]; ok {
			return c.line
		}
		return row.line
	}
	check := func(member, value string, ok bool, fix string) {
		if !ok {
			r.once(line(member), path+"."+member, fmt.Sprintf("%q cannot be used", value), fix)
		}
	}
	check("region", o.Place.Region, regionPattern.MatchString(o.Place.Region), "write a region of AWS, such as region: us-east-1")
	account := members["account"].text
	check("account", account, account == "" || accountPattern.MatchString(account), "write the 12 digits of the account, in quotes")
	check("role", o.Place.Role, o.Place.Role == "" || rolePattern.MatchString(o.Place.Role), "write the ARN of a role, such as role: arn:aws:iam::123456789012:role/dealer-fleet")
	check("account", account, account == "" || o.Place.Role != "", "write a role in that account too, such as role: arn:aws:iam::{account}:role/dealer-fleet")
	check("account", account, account == "" || o.Place.Role == "" || account == o.Place.Account(), "write the account of the role, or use {account} in the role")
	check("external_id", o.Place.ExternalID, o.Place.ExternalID == "" || len(o.Place.ExternalID) <= 1224 && externalPattern.MatchString(o.Place.ExternalID), "write 2 to 1224 letters, digits and +=,.@:/_-")
	if namePattern.MatchString(f.Name) && idPattern.MatchString(id) {
		check("stack", o.Stack, stackPattern.MatchString(o.Stack), "write a letter, then letters, digits and hyphens, 128 at most")
	}
	o.Parameters = r.parameters(f, o.Place.Region, merged(defaults.parameters, row.parameters), path, row.line)
	o.Tags = r.tags(merged(defaults.tags, row.tags), path)
	return o
}

// once adds a fault unless its line has the same one already, for another
// rooftop: a fault of the defaults.
func (r *reader) once(line int, path, problem, fix string) {
	member := func(path string) string { return path[strings.Index(path, "]")+1:] }
	for _, f := range r.faults {
		if f.Line == max(1, line) && f.Problem == problem && f.Fix == fix && member(f.Path) == member(path) {
			return
		}
	}
	r.add(line, path, problem, fix)
}

// parameters checks values and completes them.
func (r *reader) parameters(f *File, region string, given map[string]cell, path string, line int) map[string]string {
	values := map[string]string{}
	if r.unchecked {
		return values
	}
	before := len(r.faults)
	for _, name := range slices.Sorted(maps.Keys(given)) {
		c, at := given[name], path+".parameters."+name
		p, known := r.template.parameter(name)
		switch {
		case name == CodeBucket || name == CodePrefix:
			r.once(c.line, at, "is set by the fleet", "write code_bucket and code_prefix at the top of the file instead")
			continue
		case !known:
			r.once(c.line, at, "is no parameter of the template", meant(name, r.template.names()))
			continue
		}
		if problem, fix := p.fault(c.text); problem != "" {
			r.once(c.line, at, problem, fix)
		}
		values[name] = c.text
	}
	if _, ok := r.template.parameter(CodeBucket); ok {
		values[CodeBucket] = f.Bucket(region)
	}
	if _, ok := r.template.parameter(CodePrefix); ok {
		values[CodePrefix] = f.CodePrefix
	}
	values = r.template.Complete(values)
	for _, p := range r.template.Parameters {
		if _, ok := values[p.Name]; !ok {
			r.once(line, path+".parameters."+p.Name, "is missing, and the template has no default", "write it here or below defaults")
		}
	}
	if len(r.faults) == before {
		for _, said := range r.template.broken(values) {
			r.once(line, path+".parameters", "the template refuses these together", said)
		}
	}
	return values
}

func (r *reader) tags(given map[string]cell, path string) map[string]string {
	tags := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		c, at := given[name], path+".tags."+name
		switch {
		case strings.HasPrefix(strings.ToLower(name), "aws:"), strings.HasPrefix(name, tagPrefix):
			r.once(c.line, at, "begins as tags of AWS and of the fleet do", "choose a name that begins neither with aws: nor with "+tagPrefix)
		case name == "" || utf8.RuneCountInString(name) > 128 || !tagText(name):
			r.once(c.line, at, "is no name of a tag", "write at most 128 letters, digits, spaces and + - = . _ : / @")
		case utf8.RuneCountInString(c.text) > 256 || !tagText(c.text):
			r.once(c.line, at, fmt.Sprintf("%q is no value of a tag", c.text), "write at most 256 letters, digits, spaces and + - = . _ : / @")
		}
		tags[name] = c.text
	}
	if len(tags) > mostTags-ownTags {
		r.once(0, path+".tags", fmt.Sprintf("there are %d", len(tags)), fmt.Sprintf("keep at most %d; the fleet adds %d", mostTags-ownTags, ownTags))
	}
	return tags
}

func tagText(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune(" +-=._:/@", c)
	})
}

// meant is the fix for a word outside a list.
func meant(word string, known []string) string {
	for _, k := range known {
		if strings.EqualFold(strings.ReplaceAll(k, "_", ""), strings.ReplaceAll(strings.ReplaceAll(word, "_", ""), "-", "")) {
			return "write " + k
		}
	}
	return "write one of " + strings.Join(known, ", ")
}
