package a2a

import "encoding/json"

// AgentCard is the card of A2A 1.0 §4.4 as far as AAP uses it.
type AgentCard struct {
	Name                string                    `json:"name"`
	Description         string                    `json:"description"`
	Version             string                    `json:"version"`
	SupportedInterfaces []Interface               `json:"supportedInterfaces"`
	Provider            *Provider                 `json:"provider,omitempty"`
	Capabilities        Capabilities              `json:"capabilities"`
	SecuritySchemes     map[string]SecurityScheme `json:"securitySchemes,omitempty"`
	// SecurityRequirements is kept as it stands: releases differ over its form.
	SecurityRequirements json.RawMessage `json:"securityRequirements,omitempty"`
	DefaultInputModes    []string        `json:"defaultInputModes"`
	DefaultOutputModes   []string        `json:"defaultOutputModes"`
	Skills               []Skill         `json:"skills"`
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
	URI         string `json:"uri"`
	Description string `json:"description,omitempty"`
	// Required: calls that do not activate the extension are refused (A2A 1.0 §4.6.3).
	Required bool    `json:"required,omitempty"`
	Params   *Params `json:"params,omitempty"`
}

// Params are the parameters of the AAP extension; which of them a contract has
// differs (AAP discovery pages). ID changes whenever anything on the card does.
type Params struct {
	ID            string             `json:"id,omitempty"`
	Version       string             `json:"version,omitempty"`
	SchemaBaseURL string             `json:"schema_base_url,omitempty"`
	Skills        map[string]Schemas `json:"skills,omitempty"`

	// The rest is of AAP v0.1. AuthType is "bearer", or absent for a public agent.
	ProfileName    string   `json:"profile_name,omitempty"`
	ProfileVersion string   `json:"profile_version,omitempty"`
	ContractURI    string   `json:"contract_uri,omitempty"`
	ManifestURL    string   `json:"manifest_url,omitempty"`
	KnownSkills    []string `json:"aap_skill_ids,omitempty"`
	OfferedSkills  []string `json:"implemented_skills,omitempty"`
	AuthType       string   `json:"auth_type,omitempty"`
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
