package machine_test

import (
	"encoding/json"
	"io"
	"net/http"
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
