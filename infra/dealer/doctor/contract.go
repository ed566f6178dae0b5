package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/schema"
)

// contract is one version that both sides speak.
type contract struct {
	version aap.Version
	remote  *a2a.Remote
	set     *schema.Set
	// skills are those of AAP that its card lists, in card order.
	skills []aap.Skill
	// vehicle is a car of its inventory, once one was seen.
	vehicle json.RawMessage
	// answered is true once a skill gave an answer, and confirmed is the first
	// A2A-Extensions header of one.
	answered  bool
	confirmed string
	// refused are the errors of calls so far.
	refused []refusal
}

// of is what findings about the contract, or one of its skills, are of.
func (c *contract) of(s ...aap.Skill) about {
	a := about{version: c.version.Label}
	if len(s) > 0 {
		a.skill = s[0].ID
	}
	return a
}

func (c *contract) offers(s aap.Skill) bool { return slices.Contains(c.skills, s) }

// agree finds every contract that the agent declares and this package speaks,
// newest first, each by the way a buyer's client finds it.
func (x *examination) agree(ctx context.Context) {
	for _, v := range aap.Versions() {
		client := a2a.Client{HTTP: x.http, Token: x.Token, Versions: []aap.Version{v}, NewID: x.NewID}
		remote, err := client.Discover(ctx, x.card.String())
		switch {
		case errors.Is(err, a2a.ErrNotAAP):
			continue
		case err != nil && !strings.Contains(string(x.raw), `"`+v.ExtensionURI+`"`):
			// The card does not name it; what lies beside the card may be anything.
			x.skip("contract.endpoint", about{version: v.Label}, "looking for its own card: %v", plain(err))
			continue
		case err != nil:
			x.fail("contract.endpoint", about{version: v.Label}, "%v", plain(err))
			continue
		}
		set, err := x.schemas(v)
		if err != nil {
			x.skip("card.shape", about{version: v.Label}, "%v", err)
			continue
		}
		c := &contract{version: v, remote: remote, set: set}
		for _, s := range remote.Card.Skills {
			if known, ok := aap.SkillByID(s.ID); ok && !c.offers(known) {
				c.skills = append(c.skills, known)
			}
		}
		x.contracts = append(x.contracts, c)
		x.report.Versions = append(x.report.Versions, v.Label)
		x.pass("contract.endpoint", c.of(), "%s at %s", remote.Binding(), remote.Endpoint)
	}
	switch {
	case len(x.contracts) > 0:
		x.pass("contract.spoken", about{}, "%s", strings.Join(x.report.Versions, ", "))
	case !slices.ContainsFunc(x.findings, func(f Finding) bool { return f.ID == "contract.endpoint" && f.Verdict == Fail }):
		x.fail("contract.spoken", about{}, "its extensions are %s", x.extensions())
	}
}

// extensions lists what the main card names instead.
func (x *examination) extensions() string {
	var card struct {
		Capabilities struct {
			Extensions []struct {
				URI string `json:"uri"`
			} `json:"extensions"`
		} `json:"capabilities"`
	}
	_ = json.Unmarshal(x.raw, &card) // a card of another shape names none
	var named []string
	for _, e := range card.Capabilities.Extensions {
		named = append(named, quoted(e.URI))
	}
	if named == nil {
		return "none"
	}
	return strings.Join(named, ", ")
}
