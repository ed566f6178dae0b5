package machine_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

func (d *door) get(t *testing.T, path string, header ...string) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, d.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := d.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, body
}

func TestCardIsServedWithValidators(t *testing.T) {
	d := open(t)
	res, body := d.get(t, "/.well-known/agent-card.json")
	for _, name := range []string{"ETag", "Cache-Control", "Last-Modified"} {
		if res.Header.Get(name) == "" {
			t.Errorf("no %s", name)
		}
	}
	var card struct {
		SupportedInterfaces []struct{ URL, ProtocolBinding, ProtocolVersion string }
		Capabilities        struct {
			Extensions []struct {
				URI    string
				Params map[string]any
			}
		}
		Skills []struct{ ID string }
	}
	if err := json.Unmarshal(body, &card); err != nil {
		t.Fatal(err)
	}
	if len(card.SupportedInterfaces) != 1 || card.SupportedInterfaces[0].URL != d.url+"/a2a" || card.SupportedInterfaces[0].ProtocolVersion != "1.0" {
		t.Errorf("interfaces %+v", card.SupportedInterfaces)
	}
	if len(card.Skills) != 5 || len(card.Capabilities.Extensions) != 1 ||
		card.Capabilities.Extensions[0].URI != "https://autoagentprotocol.org/extensions/aap/v1.3" {
		t.Errorf("card %s", body)
	}
	if res, many := d.get(t, "/.well-known/agent-card.json", "Range", "bytes=0-,0-,0-"); res.StatusCode != 200 || len(many) != len(body) {
		t.Errorf("three ranges: HTTP %d with %d bytes, the card has %d", res.StatusCode, len(many), len(body))
	}
	if res, _ := d.get(t, "/.well-known/agent-card.json", "If-None-Match", res.Header.Get("ETag")); res.StatusCode != 304 {
		t.Errorf("conditional GET: HTTP %d, want 304", res.StatusCode)
	}
	if res, _ := d.get(t, "/.well-known/dealer-agent.json"); res.StatusCode != 404 {
		t.Errorf("unknown file: HTTP %d, want 404", res.StatusCode)
	}
}

func TestEditedCardHasNewIdentity(t *testing.T) {
	identity := func(d *door) (string, string) {
		res, body := d.get(t, "/.well-known/agent-card.json")
		var card struct {
			Capabilities struct {
				Extensions []struct{ Params struct{ ID string } }
			}
		}
		if err := json.Unmarshal(body, &card); err != nil {
			t.Fatal(err)
		}
		return card.Capabilities.Extensions[0].Params.ID, res.Header.Get("ETag")
	}
	id, tag := identity(open(t))
	otherID, otherTag := identity(open(t, func(p string) string { return p + "description: Cars and motorcycles in two cities.\n" }))
	if id == "" || id == otherID || tag == otherTag {
		t.Errorf("ids %q %q, tags %q %q: an edited card needs new ones", id, otherID, tag, otherTag)
	}
}

func TestCardFitsItsSchemaAndListsOnlyWhatIsOffered(t *testing.T) {
	for _, skills := range [][]string{
		{"dealer.information", "inventory.facets", "inventory.search", "inventory.vehicle", "lead.submit"},
		{"inventory.search"},
		{"inventory.search", "lead.submit"},
	} {
		d := open(t, replace("prices:", "skills: ["+strings.Join(skills, ", ")+"]\nprices:"))
		_, body := d.get(t, "/.well-known/agent-card.json")
		sets, err := contract()
		if err != nil {
			t.Fatal(err)
		}
		for _, set := range sets {
			if faults, err := set.Check("agent-card.schema.json", body); err != nil || len(faults) > 0 {
				t.Errorf("the card breaks its schema: %v %v", faults, err)
			}
		}
		var card struct {
			SupportedInterfaces                   []struct{ ProtocolBinding string }
			DefaultInputModes, DefaultOutputModes []string
			Capabilities                          struct {
				Streaming, PushNotifications, ExtendedAgentCard bool
				Extensions                                      []struct {
					Required bool
					Params   struct {
						ID, Version   string
						SchemaBaseURL string            `json:"schema_base_url"`
						Skills        map[string]object `json:"skills"`
					}
				}
			}
			Skills []object
		}
		if err := json.Unmarshal(body, &card); err != nil {
			t.Fatal(err)
		}
		c := card.Capabilities
		if c.Streaming || c.PushNotifications || c.ExtendedAgentCard || len(c.Extensions) != 1 || c.Extensions[0].Required {
			t.Errorf("the card promises what the agent does not do: %+v", c)
		}
		for _, i := range card.SupportedInterfaces {
			if i.ProtocolBinding != "JSONRPC" {
				t.Errorf("a binding the agent does not have: %+v", i)
			}
		}
		if len(card.DefaultInputModes) == 0 || len(card.DefaultOutputModes) == 0 {
			t.Error("no default modes")
		}
		params := c.Extensions[0].Params
		if params.ID == "" || params.Version != "1.3.0" || params.SchemaBaseURL != "https://autoagentprotocol.org/v1.3/schemas/" {
			t.Errorf("params %+v", params)
		}
		var listed []string
		for _, s := range card.Skills {
			id, _ := s["id"].(string)
			listed = append(listed, id)
			tags, _ := s["tags"].([]any)
			if s["name"] == "" || s["description"] == "" || len(tags) == 0 || s["examples"] != nil || s["request_schema"] != nil {
				t.Errorf("skill %v", s)
			}
			stem := map[string]string{"inventory.vehicle": "vehicle-detail"}[id]
			if stem == "" {
				stem = strings.ReplaceAll(id, ".", "-")
			}
			want := object{"request_schema": params.SchemaBaseURL + stem + "-request.schema.json", "response_schema": params.SchemaBaseURL + stem + "-response.schema.json"}
			if !equalJSON(t, params.Skills[id], want) {
				t.Errorf("schemas of %s: %v", id, params.Skills[id])
			}
		}
		if strings.Join(listed, " ") != strings.Join(skills, " ") || len(params.Skills) != len(skills) {
			t.Errorf("the card lists %v with schemas of %d, the dealer offers %v", listed, len(params.Skills), skills)
		}
		for _, payload := range []string{request("dealer.information", ``), request("inventory.facets", ``), request("inventory.search", ``), request("inventory.vehicle", `"stock":"T100"`), lead(nil)} {
			offered := false
			for _, id := range skills {
				offered = offered || strings.HasPrefix(payload, `{"type":"`+id+`.request"`) || id == "lead.submit" && strings.Contains(payload, "lead.submit.request")
			}
			a := d.skill(t, payload)
			if offered {
				a.want("ok")
			} else {
				a.want("-32601 UNSUPPORTED_SKILL")
			}
		}
	}
}
