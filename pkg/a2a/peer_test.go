package a2a_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/a2aproject/a2a-go/v2/a2aext"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent"
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
	h := a2a.NewHandler(a2a.Config{Agent: s.Agent, Profiles: dealer.Fixed(s.Profile), Settings: agent.Settings{Now: agenttest.Now, NewID: s.NewID}})
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

// TestOfficialGoClientReadsEveryErrorCode leaves two codes out: this agent never
// refuses an appointment (it proposes other times), and an internal error needs
// a broken store, which TestInternalErrorsShowAnIDAndLogTheCause has.
func TestOfficialGoClientReadsEveryErrorCode(t *testing.T) {
	keyed := func(more string) string {
		return strings.TrimSuffix(leadPayload, "}") + `,"idempotency_key":"K"` + more + `}`
	}
	_, all := serve(t, agenttest.Profile)
	_, pruned := serve(t, agenttest.Profile+"skills: [inventory.search]\n")
	_, busy := serve(t, agenttest.Profile+"access: {per_minute: 1, rate_limit_status: 200}\n")
	for _, first := range []struct{ base, payload string }{{all, keyed("")}, {busy, information}} {
		if _, err := goClient(t, first.base).SendMessage(t.Context(), data(t, first.payload)); err != nil {
			t.Fatal(err)
		}
	}
	left := map[aap.Code]bool{}
	for _, code := range aap.Codes() {
		left[code] = code != aap.AppointmentTimeUnavailable && code != aap.InternalError
	}
	for _, c := range []struct {
		name, base, payload string
		want                error
		code                aap.Code
		detail              string
	}{
		{"unknown skill", all, `{"type":"lead.general.request"}`, sdk.ErrMethodNotFound, aap.UnsupportedSkill, "request_types"},
		{"a skill not offered", pruned, leadPayload, sdk.ErrMethodNotFound, aap.UnsupportedSkill, "request_types"},
		{"schema faults", all, `{"type":"inventory.search.request","filters":{"year_min":"x","color":[]}}`, sdk.ErrInvalidParams, aap.SchemaValidationFailed, "errors"},
		{"a missing member", all, `{"type":"inventory.search.request","sort":{"field":"price"}}`, sdk.ErrInvalidParams, aap.MissingRequiredField, "errors"},
		{"the wrong condition", all, keyed(`,"trade_in":{"condition":"used"}`), sdk.ErrInvalidParams, aap.InvalidCondition, "errors"},
		{"an absent vehicle", all, `{"type":"inventory.vehicle.request","vin":"` + agenttest.AbsentVIN + `"}`, sdk.ErrServerError, aap.VehicleNotFound, ""},
		{"a sold vehicle", all, `{"type":"inventory.vehicle.request","vin":"` + agenttest.SoldVIN + `"}`, sdk.ErrServerError, aap.VehicleUnavailable, ""},
		{"no consent", all, strings.Replace(leadPayload, `"consent"`, `"nothing"`, 1), sdk.ErrServerError, aap.ContactConsentRequired, ""},
		{"a blank consent", all, strings.Replace(leadPayload, "Harbor Auto may e-mail me.", " ", 1), sdk.ErrServerError, aap.InvalidConsent, "errors"},
		{"one key for two leads", all, keyed(`,"message":"another"`), sdk.ErrServerError, aap.IdempotencyConflict, ""},
		// AAP's number for it is A2A's for TaskNotCancelable.
		{"too many calls", busy, information, sdk.ErrTaskNotCancelable, aap.RateLimited, "retry_after_ms"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := goClient(t, c.base).SendMessage(t.Context(), data(t, c.payload))
			if !errors.Is(err, c.want) {
				t.Fatalf("error %v, want %v", err, c.want)
			}
			e, ok := errors.AsType[*sdk.Error](err)
			if !ok || e.Message == "" {
				t.Fatalf("%T carries no details or no message", err)
			}
			var found map[string]any
			for _, d := range e.TypedDetails {
				if d.TypeURL == "https://autoagentprotocol.org/extensions/aap/error" {
					found = d.Value
				}
			}
			if found["code"] != string(c.code) || found["retryable"] != c.code.Retryable() {
				t.Fatalf("AAP error %v, want code %s", found, c.code)
			}
			if details, _ := found["details"].(map[string]any); c.detail != "" && details[c.detail] == nil {
				t.Errorf("details %v hold no %s", details, c.detail)
			}
			left[c.code] = false
		})
	}
	for code, unread := range left {
		if unread {
			t.Errorf("no case reads %s", code)
		}
	}
}

func TestOfficialGoClientReadsTheErrorsOfA2A(t *testing.T) {
	_, base := serve(t, agenttest.Profile)
	client := goClient(t, base)
	if _, err := client.GetTask(t.Context(), &sdk.GetTaskRequest{ID: "t-1"}); !errors.Is(err, sdk.ErrTaskNotFound) {
		t.Errorf("GetTask: %v", err)
	}
	if _, err := client.CancelTask(t.Context(), &sdk.CancelTaskRequest{ID: "t-1"}); !errors.Is(err, sdk.ErrTaskNotFound) {
		t.Errorf("CancelTask: %v", err)
	}
	if list, err := client.ListTasks(t.Context(), &sdk.ListTasksRequest{}); err != nil || len(list.Tasks) != 0 {
		t.Errorf("ListTasks: %v %v", list, err)
	}
	if _, err := client.CreateTaskPushConfig(t.Context(), &sdk.PushConfig{TaskID: "t", URL: "https://x.example"}); !errors.Is(err, sdk.ErrPushNotificationNotSupported) {
		t.Errorf("push: %v", err)
	}
	task := data(t, information)
	task.Message.TaskID = "t-1"
	if _, err := client.SendMessage(t.Context(), task); !errors.Is(err, sdk.ErrTaskNotFound) {
		t.Errorf("a message to a task: %v", err)
	}
	other := a2aclient.AttachServiceParams(t.Context(), a2aclient.ServiceParams{"A2A-Extensions": {strings.Replace(aap.V1_3.ExtensionURI, "1.3", "1.2", 1)}})
	if _, err := client.SendMessage(other, data(t, information)); !errors.Is(err, sdk.ErrExtensionSupportRequired) {
		t.Errorf("another version of AAP: %v", err)
	}
	modes := data(t, information)
	modes.Config = &sdk.SendMessageConfig{AcceptedOutputModes: []string{"image/png"}}
	if _, err := client.SendMessage(t.Context(), modes); !errors.Is(err, sdk.ErrUnsupportedContentType) {
		t.Errorf("pictures only: %v", err)
	}
}

// TestOfficialGoClientStreams: it looks at the card and falls back to one answer.
func TestOfficialGoClientStreams(t *testing.T) {
	_, base := serve(t, agenttest.Profile)
	answers := 0
	for event, err := range goClient(t, base).SendStreamingMessage(t.Context(), data(t, information)) {
		if _, ok := event.(*sdk.Message); err != nil || !ok {
			t.Errorf("event %v, %v", event, err)
		}
		answers++
	}
	if answers != 1 {
		t.Errorf("%d answers, want 1", answers)
	}
}

func TestOfficialGoClientActivatesTheExtension(t *testing.T) {
	_, base := serve(t, agenttest.Profile+"access: {require_a2a_headers: true}\n")
	card, err := agentcard.DefaultResolver.Resolve(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	client, err := a2aclient.NewFromCard(t.Context(), card, a2aclient.WithCallInterceptors(a2aext.NewActivator(aap.V1_3.ExtensionURI)))
	if err != nil {
		t.Fatal(err)
	}
	request := data(t, information)
	request.Message.ContextID = "visit-7"
	result, err := client.SendMessage(t.Context(), request)
	if answer, ok := result.(*sdk.Message); err != nil || !ok || answer.ContextID != "visit-7" {
		t.Errorf("answer %v, %v", result, err)
	}
	if _, err := goClient(t, base).SendMessage(t.Context(), data(t, information)); !errors.Is(err, sdk.ErrExtensionSupportRequired) {
		t.Errorf("without the extension: %v", err)
	}
}

// TestOfficialGoClientSeesTheStatusOfHTTP: whatever is not 200, this client
// names by its status alone.
func TestOfficialGoClientSeesTheStatusOfHTTP(t *testing.T) {
	_, base := serve(t, agenttest.Profile+"access: {per_minute: 1, tokens: [{name: buyer, sha256: "+tokenDigest+"}]}\n")
	client := goClient(t, base)
	if _, err := client.SendMessage(t.Context(), data(t, information)); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("without token: %v", err)
	}
	known := a2aclient.AttachServiceParams(t.Context(), a2aclient.ServiceParams{"Authorization": {"Bearer " + token}})
	if _, err := client.SendMessage(known, data(t, information)); err != nil {
		t.Errorf("with token: %v", err)
	}
	if _, err := client.SendMessage(known, data(t, information)); err == nil || !strings.Contains(err.Error(), "429") {
		t.Errorf("too many calls: %v", err)
	}
}

func TestOfficialGoClientReadsAProtectedCard(t *testing.T) {
	_, base := serve(t, agenttest.Profile+"access: {tokens: [{name: buyer, sha256: "+tokenDigest+"}]}\n")
	card, err := agentcard.DefaultResolver.Resolve(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	if len(card.SecuritySchemes) != 1 {
		t.Errorf("security schemes %v", card.SecuritySchemes)
	}
}
