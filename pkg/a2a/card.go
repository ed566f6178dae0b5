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

// AgentCard is the card of A2A 1.0 §4.4 as far as AAP uses it.
type AgentCard struct {
	Name                string                    `json:"name"`
	Description         string                    `json:"description"`
	Version             string                    `json:"version"`
	SupportedInterfaces []Interface               `json:"supportedInterfaces"`
	Provider            *Provider                 `json:"provider,omitempty"`
	Capabilities        Capabilities              `json:"capabilities"`
	SecuritySchemes     map[string]SecurityScheme `json:"securitySchemes,omitempty"`
	DefaultInputModes   []string                  `json:"defaultInputModes"`
	DefaultOutputModes  []string                  `json:"defaultOutputModes"`
	Skills              []Skill                   `json:"skills"`
}

// Interface is one URL at which the agent is spoken to.
type Interface struct {
	URL             string `json:"url"`
	ProtocolBinding string `json:"protocolBinding"`
	ProtocolVersion string `json:"protocolVersion"`
}

// Provider is the organisation that operates the agent.
type Provider struct {
	Organization string `json:"organization"`
	URL          string `json:"url"`
}

// Capabilities are written out even when false: signers and strict parsers
// differ over absent booleans.
type Capabilities struct {
	Streaming         bool        `json:"streaming"`
	PushNotifications bool        `json:"pushNotifications"`
	ExtendedAgentCard bool        `json:"extendedAgentCard"`
	Extensions        []Extension `json:"extensions"`
}

// Extension declares one version of AAP.
type Extension struct {
	URI         string  `json:"uri"`
	Description string  `json:"description,omitempty"`
	Params      *Params `json:"params,omitempty"`
}

// Params are the parameters of the AAP extension (AAP v1.3 discovery). ID
// changes whenever anything on the card does.
type Params struct {
	ID            string             `json:"id"`
	Version       string             `json:"version"`
	SchemaBaseURL string             `json:"schema_base_url"`
	Skills        map[string]Schemas `json:"skills"`
}

// Schemas are the absolute URLs of a skill's schemas.
type Schemas struct {
	Request  string `json:"request_schema"`
	Response string `json:"response_schema"`
}

// Skill is one offered skill.
type Skill struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Tags        []string `json:"tags"`
	InputModes  []string `json:"inputModes,omitempty"`
	OutputModes []string `json:"outputModes,omitempty"`
}

// SecurityScheme is the bearer scheme, the only one this agent knows.
type SecurityScheme struct {
	HTTPAuth *HTTPAuth `json:"httpAuthSecurityScheme,omitempty"`
}

// HTTPAuth is HTTP authentication (RFC 9110 §11).
type HTTPAuth struct {
	Description string `json:"description,omitempty"`
	Scheme      string `json:"scheme"`
}

// agentVersion is the card's own version: that of this agent's behaviour.
const agentVersion = "1.0.0"

// Card renders the agent card of one contract version at one endpoint. Equal
// arguments give equal bytes on every instance, and params.id differs whenever
// anything else on the card does.
func Card(p *dealer.Profile, v aap.Version, endpoint string) ([]byte, error) {
	params := &Params{Version: v.SemVer, SchemaBaseURL: v.SchemaBaseURL(), Skills: map[string]Schemas{}}
	card := AgentCard{
		Name:        p.Name,
		Description: p.Description,
		Version:     agentVersion,
		SupportedInterfaces: []Interface{
			{URL: endpoint, ProtocolBinding: "JSONRPC", ProtocolVersion: protocolVersion},
		},
		Capabilities: Capabilities{Extensions: []Extension{{
			URI:         v.ExtensionURI,
			Description: "Auto Agent Protocol " + v.Label + ": typed dealership skills over JSON-RPC.",
			Params:      params,
		}}},
		DefaultInputModes:  []string{"application/json"},
		DefaultOutputModes: []string{"application/json"},
	}
	if card.Description == "" {
		card.Description = "Dealer agent of " + p.Name + ": inventory, dealer information and leads over the Auto Agent Protocol."
	}
	if p.Provider != nil {
		card.Provider = &Provider{p.Provider.Organization, p.Provider.URL}
	}
	if len(p.Access.TokenSHA256) > 0 {
		// No securityRequirements: the form A2A 1.0 prescribes makes the
		// current Go SDK refuse the whole card (a2aproject/a2a-go issue 430),
		// and any other form breaks other readers. The 401 says the rest.
		card.SecuritySchemes = map[string]SecurityScheme{"bearer": {HTTPAuth: &HTTPAuth{
			Description: "Every call needs a bearer token from the dealer.", Scheme: "Bearer",
		}}}
	}
	for _, row := range agent.Table() {
		if !p.Offers(row.Skill) {
			continue
		}
		params.Skills[row.ID] = Schemas{v.SchemaBaseURL() + row.RequestSchema(), v.SchemaBaseURL() + row.ResponseSchema()}
		card.Skills = append(card.Skills, Skill{
			ID: row.ID, Name: row.Name, Description: row.Description, Tags: row.Tags,
			InputModes:  []string{row.RequestMediaType(), "application/json"},
			OutputModes: []string{row.ResponseMediaType(), "application/json"},
		})
	}
	if len(card.Skills) == 0 {
		return nil, fmt.Errorf("the profile of %s offers no skill: a card needs one", p.ID)
	}
	if strings.TrimSpace(endpoint) == "" {
		return nil, fmt.Errorf("the card of %s needs an endpoint URL", p.ID)
	}
	draft, err := encodeCard(card)
	if err != nil {
		return nil, err
	}
	params.ID = contentID(draft, p.Modified)
	return encodeCard(card)
}

func encodeCard(card AgentCard) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(card); err != nil {
		return nil, fmt.Errorf("encode the agent card: %w", err)
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
