package a2a

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/rawjson"
)

// mostModes is how many alternatives of output one request may name.
const mostModes = 100

// readOutputModes reads configuration.acceptedOutputModes.
func (c *checker) readOutputModes(params object) []string {
	const at = "/configuration/acceptedOutputModes"
	raw := c.member(params, "", "configuration", "configuration")
	if raw == nil {
		return nil
	}
	if !isObject(raw) {
		c.add("/configuration", "type", "Send an object.")
		return nil
	}
	raw = c.member(open(raw), "/configuration", "acceptedOutputModes", "accepted_output_modes")
	if raw != nil && !isArray(raw) {
		c.add(at, "type", "Send an array of media types.")
		return nil
	}
	var modes []string
	for e := range rawjson.Elements(raw) {
		mode, ok := text(e)
		if !ok {
			c.add(at, "type", "Send an array of media types.")
			return nil
		}
		if len(modes) == mostModes {
			c.add(at, "maxItems", "Send at most 100 media types.")
			return nil
		}
		modes = append(modes, mode)
	}
	return modes
}

// checkOutputModes refuses callers who accept nothing the skill can give. The
// list is a set of alternatives; an empty one is no wish.
func (x *exchange) checkOutputModes(modes []string) *fault {
	if len(modes) == 0 || x.skill == (aap.Skill{}) {
		return nil
	}
	exact := x.skill.ResponseMediaType()
	if slices.ContainsFunc(modes, func(mode string) bool {
		mode, _, _ = strings.Cut(mode, ";")
		switch mode = strings.ToLower(strings.TrimSpace(mode)); mode {
		case exact, "application/json", "application/*", "*/*":
			return true
		}
		return false
	}) {
		return nil
	}
	return a2aFault(errContentType, fmt.Sprintf("acceptedOutputModes names nothing this skill answers with. Add %s or application/json.", exact)).
		with("supportedMediaTypes", exact+", application/json")
}
