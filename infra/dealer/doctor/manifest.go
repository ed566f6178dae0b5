package doctor

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/aap"
)

// manifest looks at the file beside the card that some contracts have.
func (x *examination) manifest(ctx context.Context, c *contract) {
	if c.version.Contract != aap.ContractManifest {
		return
	}
	at := x.manifestURL(c)
	got, err := x.ask(ctx, http.MethodGet, at, "", "Accept", "application/json")
	switch {
	case err != nil:
		x.fail("manifest.found", c.of(), "%v", err)
		return
	case got.status != http.StatusOK || !got.is("application/json"):
		x.fail("manifest.found", c.of(), "HTTP status %d, Content-Type %s at %s", got.status, quoted(got.header.Get("Content-Type")), at)
		return
	}
	x.pass("manifest.found", c.of(), "%s", at)
	faults, err := c.set.Check("contract-manifest.schema.json", got.body)
	if err != nil || len(faults) > 0 {
		x.fail("manifest.shape", c.of(), "%s", listed(faults))
		return
	}
	x.pass("manifest.shape", c.of(), "valid")
	var m a2a.Manifest
	if err := json.Unmarshal(got.body, &m); err != nil {
		x.fail("manifest.shape", c.of(), "%v", err)
		return
	}
	x.compare(c, m)
	x.guide(ctx, c, m)
}

// manifestURL is where the card says the manifest is, or its usual place.
func (x *examination) manifestURL(c *contract) string {
	for _, e := range c.remote.Card.Capabilities.Extensions {
		if e.URI == c.version.ExtensionURI && e.Params != nil && e.Params.ManifestURL != "" {
			return e.Params.ManifestURL
		}
	}
	return x.at(a2a.ManifestPath)
}

// compare holds the manifest to the card.
func (x *examination) compare(c *contract, m a2a.Manifest) {
	declared, required := declares(c.remote.RawCard)
	protected := m.AuthType != nil
	if protected != (declared || required) {
		x.fail("manifest.auth", c.of(), "auth_type says %v of a token, the card %v", yes(protected), yes(declared || required))
	} else {
		x.pass("manifest.auth", c.of(), "both say %v of a token", yes(protected))
	}
	var listed []string
	for _, s := range m.A2A.Skills {
		listed = append(listed, s.ID)
	}
	var carded []string
	for _, s := range c.skills {
		carded = append(carded, s.ID)
	}
	slices.Sort(listed)
	slices.Sort(carded)
	if slices.Equal(listed, carded) {
		x.pass("manifest.skills", c.of(), "%d skills", len(listed))
	} else {
		x.fail("manifest.skills", c.of(), "the manifest lists %s, the card %s", quoted(strings.Join(listed, ", ")), quoted(strings.Join(carded, ", ")))
	}
	elsewhere := ""
	addresses := []string{m.A2A.Endpoint}
	if m.LLM != nil && m.LLM.GuideURL != "" {
		addresses = append(addresses, m.LLM.GuideURL)
	}
	for _, address := range addresses {
		if u, err := url.Parse(address); err != nil || !strings.EqualFold(u.Host, x.card.Host) {
			elsewhere = address
		}
	}
	if elsewhere != "" {
		x.warn("manifest.host", c.of(), "%s is on another host", quoted(elsewhere))
	} else {
		x.pass("manifest.host", c.of(), "yes")
	}
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// guide reads the guide, on the card's own host only.
func (x *examination) guide(ctx context.Context, c *contract, m a2a.Manifest) {
	if m.LLM == nil || m.LLM.GuideURL == "" {
		return
	}
	if u, err := url.Parse(m.LLM.GuideURL); err != nil || !strings.EqualFold(u.Host, x.card.Host) {
		x.skip("manifest.guide", c.of(), "it is on another host")
		return
	}
	got, err := x.ask(ctx, http.MethodGet, m.LLM.GuideURL, "")
	switch {
	case err != nil:
		x.warn("manifest.guide", c.of(), "%v", err)
	case got.status != http.StatusOK || len(got.body) == 0:
		x.warn("manifest.guide", c.of(), "HTTP status %d, %d bytes", got.status, len(got.body))
	default:
		x.pass("manifest.guide", c.of(), "%d bytes", len(got.body))
	}
}
