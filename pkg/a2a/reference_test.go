package a2a_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/schema/schematest"
)

// TestPublishedExamplesAreServed sends every request the protocol publishes, bare
// or in its envelope, and holds the answers to the released schemas.
func TestPublishedExamplesAreServed(t *testing.T) {
	root := aaptest.Reference(t, "aap", "v1.3")
	released := schematest.Released(t, aap.V1_3)
	files, err := filepath.Glob(filepath.Join(root, "examples", "*-request*.example.json"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	h := handler(agenttest.New(t, agenttest.Profile))
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".example.json"), func(t *testing.T) {
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			request := string(body)
			if !strings.Contains(file, "jsonrpc") {
				request = message(request)
			}
			w, got := post(t, h, request, "A2A-Extensions", aapHeader)
			if got.Error != nil {
				if faults, err := released.Check("error.schema.json", got.Error.Data); err != nil || len(faults) > 0 {
					t.Errorf("error.data %s: %v %v", got.Error.Data, err, faults)
				}
				// The examples' cars are not on this lot, and their consents
				// may have run out; anything else is our fault.
				switch e := got.aapError(t); aap.Code(e.Code) {
				case aap.VehicleNotFound, aap.InvalidConsent:
				default:
					t.Errorf("refused: %s", w.Body)
				}
				return
			}
			var result struct {
				Message struct {
					Parts []struct {
						Data json.RawMessage `json:"data"`
					} `json:"parts"`
				} `json:"message"`
			}
			if err := json.Unmarshal(got.Result, &result); err != nil || len(result.Message.Parts) != 1 {
				t.Fatalf("result %s: %v", got.Result, err)
			}
			payload := result.Message.Parts[0].Data
			skill, ok := aap.SkillByRequestType(strings.Replace(typeOf(t, string(payload)), ".response", ".request", 1))
			if !ok {
				t.Fatalf("payload %s", payload)
			}
			if faults, err := released.Check(skill.ResponseSchema(), payload); err != nil || len(faults) > 0 {
				t.Errorf("payload %s: %v %v", payload, err, faults)
			}
		})
	}
}

func TestCardFitsTheSchemaAsReleased(t *testing.T) {
	released := schematest.Released(t, aap.V1_3)
	_, card := cardOf(t, profile(t, "access: {tokens: [{name: buyer, sha256: "+tokenDigest+"}]}\n"))
	if faults, err := released.Check("agent-card.schema.json", card); err != nil || len(faults) > 0 {
		t.Errorf("%v %v", err, faults)
	}
	_, data := post(t, handler(agenttest.New(t, agenttest.Profile)), message(`{"type":"inventory.search.request","sort":{}}`))
	if faults, err := released.Check("error.schema.json", data.Error.Data); err != nil || len(faults) > 0 {
		t.Errorf("error.data: %v %v", err, faults)
	}
}
