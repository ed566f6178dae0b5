package a2a_test

import (
	"errors"
	"testing"

	sdk "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
)

// TestOfficialGoClientSpeaksEveryContract starts from each contract's card and
// calls over each binding that the card names. The SDK reads no snake_case, so
// that AAP v0.1's endpoint is told as its manifest tells it.
func TestOfficialGoClientSpeaksEveryContract(t *testing.T) {
	_, base := serve(t, agenttest.Profile+allVersions())
	for _, v := range aap.Versions() {
		bindings := []sdk.TransportProtocol{sdk.TransportProtocolJSONRPC}
		if v.REST {
			bindings = append(bindings, sdk.TransportProtocolHTTPJSON)
		}
		for _, binding := range bindings {
			t.Run(v.Label+" over "+string(binding), func(t *testing.T) {
				client := versionClient(t, base, v, binding)
				for _, payload := range []string{information, `{"type":"inventory.search.request","filters":{"make":["Toyota"]}}`} {
					result, err := client.SendMessage(t.Context(), data(t, payload))
					if err != nil {
						t.Fatal(err)
					}
					answer, ok := result.(*sdk.Message)
					if !ok || len(answer.Parts) != 1 || answer.Role != sdk.MessageRoleAgent || answer.ContextID == "" {
						t.Errorf("answer %#v", result)
					}
				}
				_, err := client.SendMessage(t.Context(), data(t, `{"type":"inventory.vehicle.request","vin":"`+agenttest.SoldVIN+`"}`))
				e, ok := errors.AsType[*sdk.Error](err)
				if !ok {
					t.Fatalf("error %v", err)
				}
				found := false
				for _, d := range e.TypedDetails {
					found = found || d.Value["code"] == string(aap.VehicleUnavailable)
				}
				if !found {
					t.Errorf("no AAP code in %+v", e)
				}
			})
		}
	}
}

func versionClient(t *testing.T, base string, v aap.Version, binding sdk.TransportProtocol) *a2aclient.Client {
	t.Helper()
	prefer := a2aclient.WithConfig(a2aclient.Config{PreferredTransports: []sdk.TransportProtocol{binding}})
	if v.Card == aap.CardManifest {
		client, err := a2aclient.NewFromEndpoints(t.Context(), []*sdk.AgentInterface{sdk.NewAgentInterface(base+v.Path(), binding)}, prefer)
		if err != nil {
			t.Fatal(err)
		}
		return client
	}
	path := a2a.VersionCardPath(v)
	if v == aap.Primary() {
		path = a2a.CardPath
	}
	card, err := agentcard.DefaultResolver.Resolve(t.Context(), base, agentcard.WithPath(path))
	if err != nil {
		t.Fatal(err)
	}
	client, err := a2aclient.NewFromCard(t.Context(), card, prefer)
	if err != nil {
		t.Fatal(err)
	}
	return client
}
