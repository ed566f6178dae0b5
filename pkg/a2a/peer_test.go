package a2a_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	sdk "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/wellknown"
)

// serve puts a whole agent on a loopback port, its card naming that port.
func serve(t *testing.T, profile string) (*agenttest.Stack, string) {
	t.Helper()
	s := agenttest.New(t, profile)
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.Profile.URL = server.URL
	h := a2a.NewHandler(a2a.Config{Agent: s.Agent, Profiles: dealer.Fixed(s.Profile), Now: agenttest.Now, NewID: s.NewID})
	mux.Handle("/a2a", h)
	mux.Handle("/a2a/", h)
	mux.Handle("/.well-known/", wellknown.Handler(dealer.Fixed(s.Profile), nil))
	return s, server.URL
}

func goClient(t *testing.T, base string) *a2aclient.Client {
	t.Helper()
	card, err := agentcard.DefaultResolver.Resolve(t.Context(), base)
	if err != nil {
		t.Fatalf("resolve the card: %v", err)
	}
	client, err := a2aclient.NewFromCard(t.Context(), card)
	if err != nil {
		t.Fatalf("make a client from the card: %v", err)
	}
	return client
}

func data(t *testing.T, payload string) *sdk.SendMessageRequest {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(payload), &v); err != nil {
		t.Fatal(err)
	}
	return &sdk.SendMessageRequest{Message: sdk.NewMessage(sdk.MessageRoleUser, sdk.NewDataPart(v))}
}

func TestOfficialGoClientCallsEverySkill(t *testing.T) {
	_, base := serve(t, agenttest.Profile)
	client := goClient(t, base)
	for _, payload := range []string{
		information,
		`{"type":"inventory.facets.request"}`,
		`{"type":"inventory.search.request","filters":{"make":["Toyota"]}}`,
		`{"type":"inventory.vehicle.request","vin":"` + agenttest.ListedVIN + `"}`,
		leadPayload,
	} {
		skill, ok := aap.SkillByRequestType(typeOf(t, payload))
		if !ok {
			t.Fatal(payload)
		}
		result, err := client.SendMessage(t.Context(), data(t, payload))
		if err != nil {
			t.Errorf("%s: %v", skill.ID, err)
			continue
		}
		answer, ok := result.(*sdk.Message)
		if !ok || len(answer.Parts) != 1 || answer.Role != sdk.MessageRoleAgent || answer.ContextID == "" {
			t.Errorf("%s: answer %#v", skill.ID, result)
			continue
		}
		got, _ := answer.Parts[0].Content.(sdk.Data)
		members, _ := got.Value.(map[string]any)
		if members["type"] != skill.ResponseType() {
			t.Errorf("%s: payload of type %v", skill.ID, members["type"])
		}
	}
}

func typeOf(t *testing.T, payload string) string {
	t.Helper()
	var p struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal([]byte(payload), &p); err != nil {
		t.Fatal(err)
	}
	return p.Type
}

func TestOfficialGoClientReadsEveryErrorCode(t *testing.T) {
	_, base := serve(t, agenttest.Profile)
	client := goClient(t, base)
	for _, c := range []struct {
		name, payload string
		want          error
		code          string
	}{
		{"unknown skill", `{"type":"lead.general.request"}`, sdk.ErrMethodNotFound, "UNSUPPORTED_SKILL"},
		{"schema faults", `{"type":"inventory.search.request","filters":{"year_min":"x","color":[]}}`, sdk.ErrInvalidParams, "SCHEMA_VALIDATION_FAILED"},
		{"a missing member", `{"type":"inventory.search.request","sort":{"field":"price"}}`, sdk.ErrInvalidParams, "MISSING_REQUIRED_FIELD"},
		{"an absent vehicle", `{"type":"inventory.vehicle.request","vin":"` + agenttest.AbsentVIN + `"}`, sdk.ErrServerError, "VEHICLE_NOT_FOUND"},
		{"a sold vehicle", `{"type":"inventory.vehicle.request","vin":"` + agenttest.SoldVIN + `"}`, sdk.ErrServerError, "VEHICLE_UNAVAILABLE"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := client.SendMessage(t.Context(), data(t, c.payload))
			if !errors.Is(err, c.want) {
				t.Fatalf("error %v, want %v", err, c.want)
			}
			e, ok := errors.AsType[*sdk.Error](err)
			if !ok {
				t.Fatalf("%T carries no details", err)
			}
			found := map[string]bool{}
			for _, d := range e.TypedDetails {
				found[d.TypeURL] = true
				if code, ok := d.Value["code"]; ok && code != c.code {
					t.Errorf("AAP code %v, want %s", code, c.code)
				}
			}
			if !found["https://autoagentprotocol.org/extensions/aap/error"] {
				t.Errorf("no AAP error among %v", found)
			}
		})
	}
	if _, err := client.GetTask(t.Context(), &sdk.GetTaskRequest{ID: "t-1"}); !errors.Is(err, sdk.ErrTaskNotFound) {
		t.Errorf("GetTask: %v", err)
	}
	if list, err := client.ListTasks(t.Context(), &sdk.ListTasksRequest{}); err != nil || len(list.Tasks) != 0 {
		t.Errorf("ListTasks: %v %v", list, err)
	}
	if _, err := client.CreateTaskPushConfig(t.Context(), &sdk.PushConfig{TaskID: "t", URL: "https://x.example"}); !errors.Is(err, sdk.ErrPushNotificationNotSupported) {
		t.Errorf("push: %v", err)
	}
}

func TestOfficialGoClientReadsAProtectedCard(t *testing.T) {
	_, base := serve(t, agenttest.Profile+"access: {token_sha256: ["+tokenDigest+"]}\n")
	card, err := agentcard.DefaultResolver.Resolve(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	if len(card.SecuritySchemes) != 1 {
		t.Errorf("security schemes %v", card.SecuritySchemes)
	}
}
