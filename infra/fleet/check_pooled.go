package fleet

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// shared refuses what rooftops of one stack cannot have for themselves.
func (r *reader) shared(d *draft) {
	for i, row := range d.rows {
		path := fmt.Sprintf("rooftops[%d]", i)
		for _, member := range sharedMembers {
			if c, ok := row.members[member]; ok && member != "profile" {
				r.add(c.line, path+"."+member, "is that of the one stack which all dealers share", "write it below defaults")
			}
		}
		r.none(row, path)
	}
	r.none(d.defaults, "defaults")
	if c := d.defaults.members["stack"]; strings.Contains(c.text, "{id}") {
		r.add(c.line, "defaults.stack", "names a stack for each dealer", "write the name of the one stack that all share")
	}
}

// none refuses parameters and tags: the stack is deployed by itself.
func (r *reader) none(row row, path string) {
	for what, given := range map[string]map[string]cell{"parameters": row.parameters, "tags": row.tags} {
		var lines []int
		for _, c := range given {
			lines = append(lines, c.line)
		}
		if len(lines) > 0 {
			r.add(slices.Min(lines), path+"."+what, "belong to the stack, which this file does not make", "give them to `sam deploy` or CloudFormation")
		}
	}
}

// pooled checks what a dealer of a shared stack needs.
func (r *reader) pooled(o *Rooftop, row row, path string) {
	if idPattern.MatchString(o.ID) && !pooledPattern.MatchString(o.ID) {
		r.add(row.line, path+".id", fmt.Sprintf("%q is no id of a dealer", o.ID), "write the id in the dealer's profile: small letters, digits and hyphens")
	}
	if o.Profile == "" {
		r.once(row.line, path+".profile", "is missing", "write the dealer's profile, or for all below defaults profile: profiles/{id}.yaml")
	}
}

// ModeOf is the mode that a fleet file says, whether or not the rest can be used.
func ModeOf(name string, body []byte) string {
	var head struct {
		Mode string `yaml:"mode"`
	}
	if strings.EqualFold(filepath.Ext(name), ".csv") || len(body) > MaxFile || yaml.Unmarshal(body, &head) != nil {
		return ""
	}
	return head.Mode
}
