package a2a

import (
	"encoding/json"
	"strings"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// cardForm is how a contract's card differs from those of other contracts.
type cardForm struct {
	// params are those of the AAP extension entry, but for the id.
	params func(*dealer.Profile, aap.Version) *Params
	// id: the params carry one.
	id bool
	// protect says on the card that calls need a token.
	protect func(*AgentCard)
	// spell gives the members of the finished card their names.
	spell func([]byte) []byte
}

var cardForms = map[aap.CardForm]cardForm{
	aap.CardSchemas:   {params: schemaParams, id: true, protect: protect, spell: camelCase},
	aap.CardVersioned: {params: versionParams, id: true, protect: protect, spell: camelCase},
	aap.CardNamed:     {params: noParams, id: true, protect: protect, spell: camelCase},
	aap.CardManifest:  {params: manifestParams, protect: protectSnake, spell: snakeCase},
}

func noParams(*dealer.Profile, aap.Version) *Params { return &Params{} }

func versionParams(_ *dealer.Profile, v aap.Version) *Params { return &Params{Version: v.SemVer} }

func schemaParams(p *dealer.Profile, v aap.Version) *Params {
	params := &Params{Version: v.SemVer, SchemaBaseURL: v.SchemaBaseURL(), Skills: map[string]Schemas{}}
	for _, row := range agent.Table() {
		if p.Offers(row.Skill) {
			params.Skills[row.ID] = schemasOf(row.Skill, v)
		}
	}
	return params
}

func schemasOf(s aap.Skill, v aap.Version) Schemas {
	return Schemas{v.SchemaBaseURL() + s.RequestSchema(), v.SchemaBaseURL() + s.ResponseSchema()}
}

func manifestParams(p *dealer.Profile, v aap.Version) *Params {
	params := &Params{
		ProfileName: profileName, ProfileVersion: v.SemVer, ContractURI: contractURI(v),
		ManifestURL: p.URL + ManifestPath, SchemaBaseURL: v.SchemaBaseURL(),
	}
	for _, row := range agent.Table() {
		params.KnownSkills = append(params.KnownSkills, row.ID)
		if p.Offers(row.Skill) {
			params.OfferedSkills = append(params.OfferedSkills, row.ID)
		}
	}
	if auth := authType(p); auth != nil {
		params.AuthType = *auth
	}
	return params
}

const bearerHelp = "Every call needs a bearer token from the dealer."

// protect names the scheme alone. There are no securityRequirements: the form
// A2A 1.0 prescribes makes the current Go SDK refuse the whole card
// (a2aproject/a2a-go issue 430), and any other form breaks other readers. The
// 401 says the rest.
func protect(card *AgentCard) {
	card.SecuritySchemes = map[string]SecurityScheme{"bearer": {HTTPAuth: &HTTPAuth{Description: bearerHelp, Scheme: "Bearer"}}}
}

// protectSnake names scheme and requirement, which a contract manifest's
// auth_type must agree with (AAP v0.1 discovery).
func protectSnake(card *AgentCard) {
	protect(card)
	card.SecurityRequirements = json.RawMessage(`[{"bearer":[]}]`)
}

func camelCase(card []byte) []byte { return card }

// snakeNames are the card's members as AAP v0.1 spells them.
var snakeNames = []string{
	"supportedInterfaces", "supported_interfaces", "protocolBinding", "protocol_binding", "protocolVersion", "protocol_version",
	"pushNotifications", "push_notifications", "extendedAgentCard", "extended_agent_card",
	"securitySchemes", "security_schemes", "securityRequirements", "security_requirements",
	"httpAuthSecurityScheme", "http_security_scheme",
	"defaultInputModes", "default_input_modes", "defaultOutputModes", "default_output_modes",
	"inputModes", "input_modes", "outputModes", "output_modes",
}

// snakeCase renames members in a card that encode wrote: there, a name in
// quotes before a colon is a member, since strings hold no bare quote.
func snakeCase(card []byte) []byte {
	var pairs []string
	for _, name := range snakeNames {
		pairs = append(pairs, `"`+name+`":`)
	}
	return []byte(strings.NewReplacer(pairs...).Replace(string(card)))
}

// readCard reads a card in either spelling.
func readCard(raw []byte) (card AgentCard, err error) {
	if err = json.Unmarshal(raw, &card); err != nil || card.SupportedInterfaces != nil {
		return card, err
	}
	var members map[string]any
	if err = json.Unmarshal(raw, &members); err != nil || members["supported_interfaces"] == nil {
		return card, err
	}
	camel := map[string]string{}
	for i := 0; i < len(snakeNames); i += 2 {
		camel[snakeNames[i+1]] = snakeNames[i]
	}
	renamed, err := json.Marshal(rename(members, camel))
	if err != nil {
		return card, err
	}
	card = AgentCard{}
	return card, json.Unmarshal(renamed, &card)
}

// rename gives members at any depth their names in the table.
func rename(value any, names map[string]string) any {
	switch value := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(value))
		for name, member := range value {
			if other, ok := names[name]; ok {
				name = other
			}
			out[name] = rename(member, names)
		}
		return out
	case []any:
		for i := range value {
			value[i] = rename(value[i], names)
		}
	}
	return value
}
