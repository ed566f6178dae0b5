package feed

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// maxMapped is the longest column name that a profile takes.
const maxMapped = 200

// yaml writes the part feed of a profile. Members that the importer fills from
// several columns are left to it, and are named in a comment.
func (p Proposal) yaml(f dealer.Feed) string {
	var b strings.Builder
	b.WriteString("feed:\n")
	if p.NoHeader {
		p.header(&b)
	} else {
		p.columns(&b)
	}
	if f.Encoding != "" {
		fmt.Fprintf(&b, "  encoding: %s\n", f.Encoding)
	}
	if order := p.dateOrder(); order != "" {
		fmt.Fprintf(&b, "  date_order: %s\n", order)
	}
	p.unit(&b, f)
	for _, c := range p.Columns {
		if c.Dropped != "" {
			fmt.Fprintf(&b, "  # dropped: %s (%s)\n", comment(c.Header), c.Dropped)
		}
	}
	return b.String()
}

// lines are the columns of each member, the surest first.
func (p Proposal) lines() map[string][]ProposedColumn {
	out := map[string][]ProposedColumn{}
	for _, c := range p.Columns {
		if c.Member != "" && c.Confidence >= ProposedFrom && !strings.HasPrefix(c.Member, "other_attributes.") {
			out[c.Member] = append(out[c.Member], c)
		}
	}
	return out
}

func (p Proposal) columns(b *strings.Builder) {
	lines := p.lines()
	var comments []string
	begun := false
	for _, name := range sortedKeys(lines) {
		found := lines[name]
		switch {
		case len(found) > 1:
			comments = append(comments, fmt.Sprintf("  # %s: all %d columns of it are read", name, len(found)))
		case found[0].name == "" || len(found[0].name) > maxMapped:
			comments = append(comments, fmt.Sprintf("  # %s: %s is read by itself", name, comment(found[0].Header)))
		default:
			if !begun {
				b.WriteString("  columns:\n")
				begun = true
			}
			fmt.Fprintf(b, "    %s: %s\n", name, quoteYAML(found[0].name))
		}
	}
	for _, c := range p.Columns {
		if c.Member != "" && c.Confidence < ProposedFrom {
			comments = append(comments, fmt.Sprintf("  # perhaps %s: %s", c.Member, comment(c.Header)))
		}
	}
	for _, c := range comments {
		b.WriteString(c + "\n")
	}
}

// header names the columns of a file without a header row.
func (p Proposal) header(b *strings.Builder) {
	var names []string
	for _, c := range p.Columns {
		name := "-"
		if c.Member != "" && c.Confidence >= ProposedFrom && !slices.Contains(names, c.Member) {
			name = c.Member
		}
		names = append(names, name)
	}
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = quoteYAML(n)
	}
	fmt.Fprintf(b, "  # - is a column that is not read; write the member's name where you know it\n  header: [%s]\n", strings.Join(quoted, ", "))
}

// dateOrder is what the dates prove; empty when they prove nothing.
func (p Proposal) dateOrder() string {
	var month, day bool
	for _, c := range p.Columns {
		if c.Member != mInventoryDate.String() && c.Member != mUpdatedAt.String() {
			continue
		}
		for _, v := range c.values {
			if len(v) > 4 && strings.ContainsAny(v[1:3], "/.-") {
				_, us := parseDate(v, "mdy")
				_, other := parseDate(v, "dmy")
				month = month || us && !other
				day = day || other && !us
			}
		}
	}
	switch {
	case day && !month:
		return "dmy"
	case month && !day:
		return "mdy"
	}
	return ""
}

// unit says what nothing in the file says.
func (p Proposal) unit(b *strings.Builder, f dealer.Feed) {
	for _, c := range p.Columns {
		if c.Member == mMileageUnit.String() {
			return
		}
	}
	for _, c := range p.Columns {
		if c.Member != mMileage.String() || headerUnit(c.name) != "" {
			continue
		}
		if share(c.values, func(s string) bool { _, _, ok := parseMileage(line1(s), ""); return ok }) > 0.5 {
			return // the values name it
		}
		if f.MileageUnit == "km" {
			b.WriteString("  mileage_unit: km\n")
		} else {
			b.WriteString("  mileage_unit: mi # nothing in the file says so; write km if they are kilometres\n")
		}
	}
}

var plainYAML = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*( [A-Za-z0-9_]+)*$`)

// quoteYAML writes a scalar that YAML reads back as the same text.
func quoteYAML(s string) string {
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return strconv.Quote(s)
	}
	if plainYAML.MatchString(s) {
		return s
	}
	return strconv.Quote(s)
}

// comment is a text that stays in its comment.
func comment(s string) string { return strings.ReplaceAll(line1(s), "#", "") }
