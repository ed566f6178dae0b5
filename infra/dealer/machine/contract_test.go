package machine_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
	"github.com/dealer-agent/dealer/pkg/schema"
	"github.com/dealer-agent/dealer/schemas"
)

// contract is every set of schemas that answers are held to: the repository's
// own, and the released ones where they are on this machine.
var contract = sync.OnceValues(func() (sets []*schema.Set, err error) {
	own, err := schemas.Version(aap.V1_3.Label)
	if err != nil {
		return nil, err
	}
	set, err := schema.New(aap.V1_3, own)
	if err != nil {
		return nil, err
	}
	sets = append(sets, set)
	if at, ok := aaptest.Find("aap", "v1.3", "schemas"); ok {
		set, err := schema.New(aap.V1_3, os.DirFS(at))
		return append(sets, set), err
	}
	return sets, nil
})

// breaches lists what in an answer does not fit the contract.
func breaches(t testing.TB, a answer) []string {
	t.Helper()
	sets, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	check := func(file string, payload json.RawMessage) {
		for _, set := range sets {
			faults, err := set.Check(file, payload)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range faults {
				found = append(found, file+" "+f.InstanceLocation+" "+f.Keyword)
			}
		}
	}
	for _, part := range a.rpc.Result.Message.Parts {
		at := slices.IndexFunc(aap.Skills(), func(s aap.Skill) bool { return s.ResponseMediaType() == part.MediaType })
		if at < 0 {
			found = append(found, "media type "+part.MediaType)
			continue
		}
		check(aap.Skills()[at].ResponseSchema(), part.Data)
	}
	if a.rpc.Error == nil || len(a.rpc.Error.Data) == 0 {
		return found
	}
	if a.rpc.Error.Data[0] == '{' {
		check("error.schema.json", a.rpc.Error.Data)
		return found
	}
	var details []map[string]any
	if err := json.Unmarshal(a.rpc.Error.Data, &details); err != nil {
		return append(found, err.Error())
	}
	for _, detail := range details {
		if detail["@type"] == "https://autoagentprotocol.org/extensions/aap/error" {
			delete(detail, "@type")
			b, err := json.Marshal(detail)
			if err != nil {
				t.Fatal(err)
			}
			check("error.schema.json", b)
		}
	}
	return found
}

// holdToContract fails the test when an answer is not what its schema says;
// every answer that a test of this package reads goes through it.
func holdToContract(t testing.TB, a answer) {
	t.Helper()
	if found := breaches(t, a); len(found) > 0 {
		t.Errorf("the answer breaks its schema: %s\n%s", strings.Join(found, ", "), a.body)
	}
	if a.rpc.Error != nil && strings.Contains(string(a.body), "goroutine ") {
		t.Errorf("an internal text is shown: %s", a.body)
	}
}

func TestAnswersAreHeldToOwnAndReleasedSchemas(t *testing.T) {
	aaptest.Reference(t, "aap", "v1.3")
	sets, err := contract()
	if err != nil || len(sets) != 2 {
		t.Fatalf("%d sets of schemas, %v; want the own and the released", len(sets), err)
	}
	for name, body := range map[string]string{
		"a vehicle that is sold":       `{"result":{"message":{"parts":[{"mediaType":"application/vnd.autoagent.vehicle-detail-response+json","data":{"type":"inventory.vehicle.response","data":{"status":"sold"}}}]}}}`,
		"a member nobody knows":        `{"result":{"message":{"parts":[{"mediaType":"application/vnd.autoagent.dealer-information-response+json","data":{"type":"dealer.information.response","data":{"name":"x","rooftops":[{"name":"x"}]},"x":1}}]}}}`,
		"a media type nobody knows":    `{"result":{"message":{"parts":[{"mediaType":"application/json","data":{}}]}}}`,
		"an error without its members": `{"error":{"code":-32000,"data":{"type":"aap.error","code":"VEHICLE_NOT_FOUND"}}}`,
		"an unknown code in a list":    `{"error":{"code":-32000,"data":[{"@type":"https://autoagentprotocol.org/extensions/aap/error","type":"aap.error","code":"AUTH_REQUIRED"}]}}`,
	} {
		var a answer
		if err := json.Unmarshal([]byte(body), &a.rpc); err != nil {
			t.Fatal(err)
		}
		if len(breaches(t, a)) == 0 {
			t.Errorf("%s is not noticed", name)
		}
	}
}
