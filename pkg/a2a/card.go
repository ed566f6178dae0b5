package a2a

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// CardPath is where the card of the primary contract lies (A2A 1.0 §8.2).
const CardPath = "/.well-known/agent-card.json"

// VersionCardPath is where the card of any other contract lies, such as
// /.well-known/agent-card-v1.1.json. The name is this agent's convention.
func VersionCardPath(v aap.Version) string { return "/.well-known/" + versionCard(v) }

func versionCard(v aap.Version) string { return "agent-card-" + v.Label + ".json" }

// agentVersion is the card's own version: that of this agent's behaviour.
const agentVersion = "1.0.0"

// Card renders the agent card of one contract version at one endpoint. Equal
// arguments give equal bytes on every instance, and params.id, where the
// contract has it, differs whenever anything else on the card does. The card of
// the primary contract also declares those that are found by a manifest.
func Card(p *dealer.Profile, v aap.Version, endpoint string) ([]byte, error) {
	form := cardForms[v.Card]
	params := form.params(p, v)
	card := AgentCard{
		Name:                p.Name,
		Description:         p.Description,
		Version:             agentVersion,
		SupportedInterfaces: interfaces(v, endpoint),
		Capabilities: Capabilities{Extensions: []Extension{{
			URI:         v.ExtensionURI,
			Description: "Auto Agent Protocol " + v.Label + ": typed dealership skills over " + bindingNames(v) + ".",
			Required:    v.Headers == aap.HeadersRequired,
			Params:      params,
		}}},
		DefaultInputModes:  []string{"application/json"},
		DefaultOutputModes: []string{"application/json"},
		Skills:             cardSkills(p, v),
	}
	if card.Description == "" {
		card.Description = "Dealer agent of " + p.Name + ": inventory, dealer information and leads over the Auto Agent Protocol."
	}
	if p.Provider != nil {
		card.Provider = &Provider{p.Provider.Organization, p.Provider.URL}
	}
	if p.Access.Guarded() {
		form.protect(&card)
	}
	if v == aap.Primary() {
		card.Capabilities.Extensions = append(card.Capabilities.Extensions, byManifest(p, v)...)
	}
	if len(card.Skills) == 0 {
		return nil, fmt.Errorf("the profile of %s offers no skill: a card needs one", p.ID)
	}
	if strings.TrimSpace(endpoint) == "" {
		return nil, fmt.Errorf("the card of %s needs an endpoint URL", p.ID)
	}
	if form.id {
		draft, err := encode(card)
		if err != nil {
			return nil, err
		}
		params.ID = contentID(draft, p.Modified)
	}
	raw, err := encode(card)
	if err != nil {
		return nil, err
	}
	return form.spell(raw), nil
}

// byManifest declares the other contracts whose agents start at the same card
// and go on by a manifest (AAP v0.1 discovery).
func byManifest(p *dealer.Profile, main aap.Version) (found []Extension) {
	for _, v := range aap.Versions() {
		if v != main && v.Contract == aap.ContractManifest && p.Serves(v) {
			found = append(found, Extension{
				URI:         v.ExtensionURI,
				Description: "Auto Agent Protocol " + v.Label + ": at an endpoint of its own, which the contract manifest names.",
				Params:      cardForms[v.Card].params(p, v),
			})
		}
	}
	return found
}

func interfaces(v aap.Version, endpoint string) []Interface {
	all := []Interface{{URL: endpoint, ProtocolBinding: bindingRPC, ProtocolVersion: protocolVersion}}
	if v.REST {
		all = append(all, Interface{URL: endpoint, ProtocolBinding: bindingREST, ProtocolVersion: protocolVersion})
	}
	return all
}

func bindingNames(v aap.Version) string {
	if v.REST {
		return "JSON-RPC and HTTP+JSON"
	}
	return "JSON-RPC"
}

func cardSkills(p *dealer.Profile, v aap.Version) (skills []Skill) {
	for _, row := range agent.Table() {
		if !p.Offers(row.Skill) {
			continue
		}
		row = row.Under(v)
		skills = append(skills, Skill{
			ID: row.ID, Name: row.Name, Description: row.Description, Tags: row.Tags,
			InputModes:  []string{row.RequestMediaType(), "application/json"},
			OutputModes: []string{row.ResponseMediaType(), "application/json"},
		})
	}
	return skills
}

func encode(document any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(document); err != nil {
		return nil, fmt.Errorf("encode a %T: %w", document, err)
	}
	return b.Bytes(), nil
}

// contentID is shaped as a UUIDv7 whose time is when the profile was changed
// and whose random part is the hash of the card.
func contentID(card []byte, modified time.Time) string {
	var id uuid.UUID
	sum := sha256.Sum256(card)
	copy(id[:], sum[:])
	var ms [8]byte
	if !modified.IsZero() {
		binary.BigEndian.PutUint64(ms[:], uint64(max(modified.UnixMilli(), 0)))
	}
	copy(id[:6], ms[2:])
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	return id.String()
}
