package a2a_test

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/schema/schematest"
	"github.com/dealer-agent/dealer/schemas"
)

// planner finds its way as a language model with a web tool does: it knows AAP
// v0.1 and the card's address, and reads everything else.
type planner struct {
	t     *testing.T
	token string
	// vin is what a search gave.
	vin string
}

func (p *planner) get(address string) []byte {
	p.t.Helper()
	resp, err := http.Get(address)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		p.t.Fatalf("%s: %d %v", address, resp.StatusCode, err)
	}
	return body
}

// manifest goes from the card to the contract manifest.
func (p *planner) manifest(base string) a2a.Manifest {
	p.t.Helper()
	var m a2a.Manifest
	for _, e := range readAnyCard(p.t, p.get(base+"/.well-known/agent-card.json")).Capabilities.Extensions {
		if e.URI == "https://autoagentprotocol.org/extensions/a2a-automotive-retail/v0.1" {
			address, _ := e.Params["manifest_url"].(string)
			if err := json.Unmarshal(p.get(address), &m); err != nil {
				p.t.Fatal(err)
			}
		}
	}
	return m
}

// payload is made of what a skill's request schema requires.
func (p *planner) payload(s a2a.ManifestSkill, consent bool) map[string]any {
	p.t.Helper()
	files, err := schemas.Version("v0.1") // what lies at the schema's public address
	if err != nil {
		p.t.Fatal(err)
	}
	raw, err := fs.ReadFile(files, path.Base(s.RequestSchema))
	if err != nil {
		p.t.Fatal(err)
	}
	var schema struct {
		ID         string `json:"$id"`
		Required   []string
		Properties map[string]struct{ Const string }
		AnyOf      []struct{ Required []string } `json:"anyOf"`
	}
	if err := json.Unmarshal(raw, &schema); err != nil || schema.ID != s.RequestSchema {
		p.t.Fatalf("%s: %v", s.RequestSchema, err)
	}
	required := schema.Required
	if len(schema.AnyOf) > 0 {
		required = append(required, schema.AnyOf[0].Required...)
	}
	knows := map[string]any{
		"type": schema.Properties["type"].Const, "vin": p.vin, "source_agent": "planner",
		"customer": map[string]any{"first_name": "Rosa", "last_name": "Quist", "email": "rosa@quist.example"},
		"consent": map[string]any{
			"granted_at": "2026-06-15T14:58:00Z", "allowed_channels": []string{"email"}, "consent_text": "Harbor Auto may e-mail me.",
			"scope": []string{"lead_submission"}, "source_agent": "planner",
		},
	}
	out := map[string]any{}
	for _, member := range required {
		if member == "consent" && !consent {
			continue
		}
		if out[member] = knows[member]; out[member] == nil {
			p.t.Fatalf("%s requires %s, which the planner does not know", s.ID, member)
		}
	}
	return out
}

// call sends a payload as the manifest says and returns the answer's payload,
// or the AAP code of the refusal.
func (p *planner) call(m a2a.Manifest, payload map[string]any) (data json.RawMessage, code string) {
	p.t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": "1", "method": "SendMessage", "params": map[string]any{
		"message": map[string]any{"messageId": "m-1", "role": "ROLE_USER", "parts": []any{map[string]any{"data": payload}}},
	}})
	if err != nil {
		p.t.Fatal(err)
	}
	req, err := http.NewRequest(http.MethodPost, m.A2A.Endpoint, bytes.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if p.token != "" {
		req.Header.Set("Authorization", "Bearer "+p.token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	v, _ := aap.VersionByLabel("v0.1")
	if code = holdAnswer(p.t, schematest.Own(p.t, v), answer); code != "" {
		return nil, code
	}
	var a struct {
		Result struct {
			Message struct {
				Parts []struct{ Data json.RawMessage }
			}
		}
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		p.t.Fatal(err)
	}
	return a.Result.Message.Parts[0].Data, ""
}

// TestAPlannerFindsEverySkillFromTheCard follows card, manifest, schema and
// flags to a call of each skill, of a public and of a protected dealer.
func TestAPlannerFindsEverySkillFromTheCard(t *testing.T) {
	for name, access := range map[string]string{"public": "", "bearer": bearerAccess} {
		t.Run(name, func(t *testing.T) {
			s, base := serve(t, agenttest.Profile+"versions: [v1.3, v0.1]\n"+access)
			p := &planner{t: t}
			m := p.manifest(base)
			if m.A2A.ProtocolBinding != "JSONRPC" || len(m.A2A.Skills) != 5 || m.Dealer.Name != s.Profile.Name {
				t.Fatalf("manifest %+v", m)
			}
			guide := string(p.get(m.LLM.GuideURL))
			if m.AuthType != nil {
				if _, code := p.call(m, p.payload(m.A2A.Skills[0], false)); code != "AUTH_REQUIRED" {
					t.Errorf("without a token: %q", code)
				}
				p.token = token
			}
			for _, skill := range m.A2A.Skills {
				if !strings.Contains(guide, "### "+skill.ID) || !strings.Contains(guide, skill.RequestSchema) {
					t.Errorf("the guide does not tell %s:\n%s", skill.ID, guide)
				}
				data, code := p.call(m, p.payload(skill, skill.ConsentRequired))
				if code != "" || !strings.Contains(string(data), `"type":"`+skill.ID+`.response"`) {
					t.Errorf("%s: %s %s", skill.ID, code, data)
				}
				if skill.ID == "inventory.search" {
					var found struct {
						Data struct{ Vehicles []struct{ VIN string } }
					}
					if err := json.Unmarshal(data, &found); err != nil || len(found.Data.Vehicles) == 0 {
						t.Fatalf("search: %s %v", data, err)
					}
					i := slices.IndexFunc(found.Data.Vehicles, func(v struct{ VIN string }) bool { return v.VIN != "" })
					p.vin = found.Data.Vehicles[i].VIN
				}
				if !skill.ConsentRequired {
					continue
				}
				if _, code := p.call(m, p.payload(skill, false)); code != "CONTACT_CONSENT_REQUIRED" {
					t.Errorf("%s without consent: %q", skill.ID, code)
				}
			}
		})
	}
}
