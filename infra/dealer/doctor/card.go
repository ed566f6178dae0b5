package doctor

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/aap"
)

// cardOf looks at the card that declares a contract.
func (x *examination) cardOf(c *contract) {
	if c.ownCard() {
		faults, err := c.set.Check("agent-card.schema.json", c.remote.RawCard)
		switch {
		case err != nil:
			x.skip("card.shape", c.of(), "%v", err)
		case len(faults) > 0:
			x.fail("card.shape", c.of(), "%s", listed(faults))
		default:
			x.pass("card.shape", c.of(), "valid")
		}
	} else {
		x.skip("card.shape", c.of(), "its entry stands on a card of another contract")
	}
	card := c.remote.Card
	if c.version.Card != aap.CardManifest {
		if len(card.DefaultInputModes) == 0 || len(card.DefaultOutputModes) == 0 {
			x.fail("card.modes", c.of(), "%d input modes, %d output modes", len(card.DefaultInputModes), len(card.DefaultOutputModes))
		} else {
			x.pass("card.modes", c.of(), "%d input modes, %d output modes", len(card.DefaultInputModes), len(card.DefaultOutputModes))
		}
	}
	x.listedSkills(c)
	x.params(c)
	if to, err := url.Parse(c.remote.Endpoint); err == nil && !strings.EqualFold(to.Host, x.card.Host) {
		x.warn("card.host", c.of(), "the endpoint is on %s", quoted(to.Host))
	} else {
		x.pass("card.host", c.of(), "yes")
	}
}

// ownCard reports whether the card is written as the contract's cards are. An
// entry of AAP v0.1, in snake_case, may stand on a card of a later contract.
func (c *contract) ownCard() bool {
	var card struct {
		Camel json.RawMessage `json:"supportedInterfaces"`
	}
	_ = json.Unmarshal(c.remote.RawCard, &card) // it was read before
	return c.version.Card != aap.CardManifest || card.Camel == nil
}

func (x *examination) listedSkills(c *contract) {
	seen, twice := map[string]bool{}, ""
	for _, s := range c.remote.Card.Skills {
		if seen[s.ID] {
			twice = s.ID
		}
		seen[s.ID] = true
	}
	switch {
	case len(c.skills) == 0:
		x.fail("card.skills", c.of(), "none of the %d skills is of AAP", len(c.remote.Card.Skills))
	case twice != "":
		x.fail("card.skills", c.of(), "%s is listed twice", quoted(twice))
	case !c.offers(aap.InventorySearch) || !c.offers(aap.LeadSubmit):
		x.warn("card.skills", c.of(), "%s", skillNames(c.skills))
	default:
		x.pass("card.skills", c.of(), "%s", skillNames(c.skills))
	}
}

func skillNames(skills []aap.Skill) string {
	var ids []string
	for _, s := range skills {
		ids = append(ids, s.ID)
	}
	return strings.Join(ids, ", ")
}

// params looks at the parameters of the contract's extension entry.
func (x *examination) params(c *contract) {
	i := slices.IndexFunc(c.remote.Card.Capabilities.Extensions, func(e a2a.Extension) bool { return e.URI == c.version.ExtensionURI })
	if i < 0 || c.version.Card == aap.CardManifest || len(c.skills) == 0 {
		return
	}
	p := c.remote.Card.Capabilities.Extensions[i].Params
	if p == nil {
		p = &a2a.Params{}
	}
	var wrong, unusual []string
	if p.ID == "" {
		unusual = append(unusual, "there is no id, by which readers tell that the card changed")
	}
	if c.version.Card == aap.CardSchemas {
		wrong = append(wrong, schemaParams(c, p)...)
	}
	if c.version.Card != aap.CardNamed && p.Version != c.version.SemVer {
		wrong = append(wrong, "version is "+quoted(p.Version)+", not "+c.version.SemVer)
	}
	switch {
	case len(wrong) > 0:
		x.fail("card.params", c.of(), "%s", strings.Join(wrong, "; "))
	case len(unusual) > 0:
		x.warn("card.params", c.of(), "%s", strings.Join(unusual, "; "))
	default:
		x.pass("card.params", c.of(), "version %s", quoted(p.Version))
	}
}

// schemaParams says what is wrong with the schemas that params name.
func schemaParams(c *contract, p *a2a.Params) (wrong []string) {
	for _, s := range c.skills {
		named, ok := p.Skills[s.ID]
		switch {
		case !ok:
			wrong = append(wrong, "params.skills lacks "+s.ID)
		case !pinned(named.Request, c.version, s.RequestSchema()) || !pinned(named.Response, c.version, s.ResponseSchema()):
			wrong = append(wrong, "the schemas of "+s.ID+" are not those of "+c.version.Label)
		}
	}
	for id := range p.Skills {
		if s, ok := aap.SkillByID(id); ok && !c.offers(s) {
			wrong = append(wrong, "params.skills has "+id+", which skills has not")
		}
	}
	slices.Sort(wrong)
	return wrong
}

// pinned reports whether an address is absolute and names the contract's file,
// at the release or at a copy of it.
func pinned(address string, v aap.Version, file string) bool {
	u, err := url.Parse(address)
	return err == nil && u.IsAbs() && strings.HasSuffix(u.Path, "/"+v.Label+"/schemas/"+file)
}
