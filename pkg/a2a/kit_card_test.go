package a2a_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
)

// cardFaults says what the conformance kit would find wrong with a card. Its
// schema closes every object, so a member of A2A before 1.0 is a fault too.
func cardFaults(raw []byte) (faults []string) {
	add := func(format string, a ...any) { faults = append(faults, fmt.Sprintf(format, a...)) }
	card := closed(add, "card", raw, "name", "description", "version", "supportedInterfaces", "capabilities",
		"defaultInputModes", "defaultOutputModes", "skills", "provider?", "documentationUrl?", "iconUrl?", "securitySchemes?")
	each := func(name string, check func(json.RawMessage)) {
		var list []json.RawMessage
		if json.Unmarshal(card[name], &list) != nil || len(list) == 0 {
			add("%s is no list, or empty", name)
		}
		for _, e := range list {
			check(e)
		}
	}
	each("supportedInterfaces", func(e json.RawMessage) {
		i := closed(add, "interface", e, "url", "protocolBinding", "protocolVersion", "tenant?")
		if b := string(i["protocolBinding"]); b != `"JSONRPC"` {
			add("binding %s", b)
		}
		if v := string(i["protocolVersion"]); v != `"1.0"` {
			add("protocol version %s", v)
		}
	})
	each("skills", func(e json.RawMessage) {
		s := closed(add, "skill", e, "id", "name", "description", "tags", "examples?", "inputModes?", "outputModes?")
		if string(s["tags"]) == "[]" {
			add("a skill without tags")
		}
	})
	each("defaultInputModes", func(json.RawMessage) {})
	each("defaultOutputModes", func(json.RawMessage) {})
	capabilities := closed(add, "capabilities", card["capabilities"], "streaming?", "pushNotifications?", "extendedAgentCard?", "extensions?")
	for _, name := range []string{"streaming", "pushNotifications", "extendedAgentCard"} {
		if v := string(capabilities[name]); v != "" && v != "false" {
			add("%s is %s", name, v)
		}
	}
	var extensions []json.RawMessage
	_ = json.Unmarshal(capabilities["extensions"], &extensions)
	for _, e := range extensions {
		// A required extension would shut plain A2A clients out (CORE-CAP-004).
		closed(add, "extension", e, "uri", "description?", "params?")
	}
	if p := card["provider"]; p != nil {
		closed(add, "provider", p, "organization", "url")
	}
	return faults
}

func TestConformanceOfTheCard(t *testing.T) {
	for name, lines := range map[string]string{
		"public": "", "protected": "access: {tokens: [{name: buyer, sha256: " + tokenDigest + "}]}\n", "with provider": "provider: {organization: Tidewater Software, url: https://tidewater.example}\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, base := serve(t, agenttest.Profile+lines)
			resp, err := http.Get(base + "/.well-known/agent-card.json")
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			raw, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != http.StatusOK { // CARD-DISC-001
				t.Fatalf("HTTP %d, %v", resp.StatusCode, err)
			}
			// CARD-STRUCT-001, CARD-PROTO-001 and -002, BIND-FIELD-001, CARD-EXT-001
			for _, f := range cardFaults(raw) {
				t.Error(f)
			}
			for header, form := range map[string]string{
				"Cache-Control": `max-age=\d`, "ETag": `^"[^"]+"$`, "Last-Modified": ` GMT$`, "Content-Type": `^application/json`, // CARD-CACHE-001 to -003
			} {
				if v := resp.Header.Get(header); !regexp.MustCompile(form).MatchString(v) {
					t.Errorf("%s is %q", header, v)
				}
			}
			for _, bend := range [][2]string{
				{`"name"`, `"url": "x", "name"`}, {`"version": "1.0.0"`, `"protocolVersion": "1.0"`}, {`"JSONRPC"`, `"jsonrpc"`}, {`"protocolVersion": "1.0"`, `"protocolVersion": "0.3"`},
				{`"streaming": false`, `"streaming": true`}, {`"uri"`, `"required": true, "uri"`}, {`"tags"`, `"tag"`}, {`"skills": [`, `"skills": [1,`}, {`"defaultInputModes"`, `"inputModes"`},
			} {
				if bent := strings.Replace(string(raw), bend[0], bend[1], 1); bent == string(raw) || cardFaults([]byte(bent)) == nil {
					t.Errorf("nothing wrong was found with %s in place of %s", bend[1], bend[0])
				}
			}
		})
	}
}
