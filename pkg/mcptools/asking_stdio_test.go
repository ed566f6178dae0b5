package mcptools_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/mcptools"
)

// desk is a dealer's agent that a host started and holds the pipes of.
type desk struct {
	stack *agenttest.Stack
	log   bytes.Buffer
	in    *io.PipeWriter
	out   *io.PipeReader
	ended chan struct{} // closed, with err set
	err   error
}

func (d *desk) Read(b []byte) (int, error)  { return d.out.Read(b) }
func (d *desk) Write(b []byte) (int, error) { return d.in.Write(b) }

// Close hangs up and waits for the end of the agent.
func (d *desk) Close() error {
	_ = d.in.Close()
	go func() { _, _ = io.Copy(io.Discard, d.out) }()
	<-d.ended
	return d.err
}

func openDesk(t *testing.T, asking mcptools.Asking, timeout time.Duration) *desk {
	t.Helper()
	in, toIn := io.Pipe()
	fromOut, out := io.Pipe()
	d := &desk{stack: agenttest.New(t, agenttest.Profile), in: toIn, out: fromOut, ended: make(chan struct{})}
	c := mcptools.Config{
		Agent: d.stack.Agent, Profiles: dealer.Fixed(d.stack.Profile), Asking: asking,
		Settings: agent.Settings{Now: agenttest.Now, NewID: d.stack.NewID, Timeout: timeout, Log: slog.New(slog.NewJSONHandler(&d.log, nil))},
	}
	go func() {
		d.err = mcptools.ServeStdio(context.Background(), c, in, out)
		_ = out.Close()
		close(d.ended)
	}()
	return d
}

// connect is the official client, whose person answers forms.
func (d *desk) connect(t *testing.T, revision string, person func(*mcp.ElicitParams) (*mcp.ElicitResult, error)) *mcp.ClientSession {
	t.Helper()
	options := &mcp.ClientOptions{}
	if person != nil {
		options.ElicitationHandler = func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) { return person(r.Params) }
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, options).
		Connect(t.Context(), &mcp.IOTransport{Reader: d, Writer: d}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// says is a person who always answers so.
func says(action string, content map[string]any) func(*mcp.ElicitParams) (*mcp.ElicitResult, error) {
	return func(*mcp.ElicitParams) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: action, Content: content}, nil
	}
}

func reasonOf(payload map[string]any) any {
	details, _ := payload["details"].(map[string]any)
	return details["reason"]
}

func TestAPersonAtAPipeIsAskedInEachRevisionThatHasForms(t *testing.T) {
	for _, revision := range []string{"", "2025-11-25", "2025-06-18"} {
		for _, c := range []struct {
			action, reason string
			content        map[string]any
			taken          int
		}{
			{"accept", "<nil>", map[string]any{"email": true, "phone": true}, 1},
			{"accept", "no_channel", map[string]any{"email": false}, 0},
			{"accept", "no_channel", nil, 0},
			{"decline", "declined", nil, 0},
			{"cancel", "cancelled", nil, 0},
		} {
			d := openDesk(t, mcptools.Asking{}, 0)
			payload, isError := call(t, d.connect(t, revision, says(c.action, c.content)), "aap_lead_submit", unconsented(""))
			leads := kept(t, d.stack)
			if isError != (c.taken == 0) || fmt.Sprint(reasonOf(payload)) != c.reason || len(leads) != c.taken {
				t.Errorf("%q, %s: %d leads, %v", revision, c.action, len(leads), payload)
			}
			if len(leads) == 1 && (!slices.Equal(leads[0].Consent.AllowedChannels, []string{"email", "phone"}) || leads[0].Consent.GrantedAt != "2026-06-15T15:00:00Z") {
				t.Errorf("%q: %+v", revision, leads[0])
			}
		}
	}
	for _, revision := range []string{"2025-03-26", "2024-11-05"} {
		d := openDesk(t, mcptools.Asking{}, 0)
		payload, _ := call(t, d.connect(t, revision, says("accept", map[string]any{"email": true})), "aap_lead_submit", unconsented(""))
		if payload["code"] != string(aap.ContactConsentRequired) || reasonOf(payload) != nil {
			t.Errorf("%s: %v", revision, payload)
		}
	}
}

// TestAPersonMayTakeTheirTimeButNotForever: the time for the agent's work is
// not theirs, other calls go on meanwhile, and who walks away is not waited for.
// Time passes only while everybody waits, so that a busy machine changes nothing.
func TestAPersonMayTakeTheirTimeButNotForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		meanwhile := make(chan struct{})
		d := openDesk(t, mcptools.Asking{}, time.Second)
		session := d.connect(t, "2025-11-25", func(*mcp.ElicitParams) (*mcp.ElicitResult, error) {
			<-meanwhile
			time.Sleep(9 * time.Minute)
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"email": true}}, nil
		})
		done := make(chan map[string]any)
		go func() {
			payload, _ := call(t, session, "aap_lead_submit", unconsented(""))
			done <- payload
		}()
		if payload, isError := call(t, session, "aap_dealer_information", `{}`); isError {
			t.Error(payload)
		}
		close(meanwhile)
		if payload := <-done; payload["type"] != "lead.submit.response" {
			t.Error(payload)
		}
		_ = session.Close()
	})
	synctest.Test(t, func(t *testing.T) {
		d := openDesk(t, mcptools.Asking{}, time.Hour)
		forever := make(chan struct{})
		session := d.connect(t, "2025-11-25", func(*mcp.ElicitParams) (*mcp.ElicitResult, error) {
			<-forever
			return nil, errors.New("nobody there")
		})
		began := time.Now()
		if payload, _ := call(t, session, "aap_lead_submit", unconsented("")); reasonOf(payload) != "unanswered" || time.Since(began) != 10*time.Minute || len(kept(t, d.stack)) != 0 {
			t.Errorf("after %v: %v", time.Since(began), payload)
		}
		close(forever)
		_ = session.Close()
	})
}

func TestAHostThatFailsAtTheFormSendsNothing(t *testing.T) {
	d := openDesk(t, mcptools.Asking{}, 0)
	session := d.connect(t, "2025-11-25", func(*mcp.ElicitParams) (*mcp.ElicitResult, error) { return nil, errors.New("Rosa's screen is broken") })
	if payload, isError := call(t, session, "aap_lead_submit", unconsented("")); !isError || reasonOf(payload) != "unanswered" || strings.Contains(fmt.Sprint(payload), "Rosa") || len(kept(t, d.stack)) != 0 {
		t.Errorf("%v", payload)
	}
	_ = session.Close()
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if strings.Contains(d.log.String(), "Rosa") {
		t.Errorf("the log: %s", d.log.String())
	}
}

// TestAnswersThatBreakTheFormSendNothing speaks line by line, as a host that
// checks nothing.
func TestAnswersThatBreakTheFormSendNothing(t *testing.T) {
	for _, answer := range []string{
		`"result":{"action":"accept","content":{"email":"true"}}`, `"result":{"action":"accept","content":{"email":1}}`, `"result":{"action":"accept","content":[true]}`,
		`"result":{"action":"ACCEPT","content":{"email":true}}`, `"result":{"content":{"email":true}}`, `"result":{}`, `"result":null`, `"result":"accept"`,
		`"error":{"code":-32601,"message":"Rosa is out"}`, `"result":{"action":"accept","content":{"consent":{"allowed_channels":["email"]}}}`,
		`"result":{"action":"accept","content":{"` + strings.Repeat("x", 1<<20) + `":true}}`,
	} {
		d := openDesk(t, mcptools.Asking{Patience: 5 * time.Second}, 0)
		lines := bufio.NewReaderSize(d, 1<<22)
		for _, line := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":` + shows + `,"clientInfo":{"name":"x","version":"1"}}}`,
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`, toolCall("aap_lead_submit", unconsented("")),
		} {
			_, _ = io.WriteString(d, strings.Replace(line, `"id":1,"method":"tools/call"`, `"id":7,"method":"tools/call"`, 1)+"\n")
		}
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				t.Fatalf("%.80s: %v", answer, err)
			}
			var message struct {
				ID     json.RawMessage
				Method string
				Result round
			}
			if err := json.Unmarshal(line, &message); err != nil {
				t.Fatal(err)
			}
			if message.Method == "elicitation/create" {
				_, _ = io.WriteString(d, `{"jsonrpc":"2.0","id":`+string(message.ID)+`,`+answer+"}\n")
			}
			if string(message.ID) == "7" && message.Method == "" {
				if reason := reasonOf(message.Result.StructuredContent); !message.Result.IsError || !slices.Contains([]any{"unanswered", "unreadable", "no_channel"}, reason) {
					t.Errorf("%.80s: %s", answer, line)
				}
				break
			}
		}
		if err := d.Close(); err != nil || len(kept(t, d.stack)) != 0 || strings.Contains(d.log.String(), "Rosa") {
			t.Errorf("%.80s: %v, %d leads, %s", answer, err, len(kept(t, d.stack)), d.log.String())
		}
	}
}

func TestAHostThatHangsUpWhileItsPersonThinksSendsNothing(t *testing.T) {
	d := openDesk(t, mcptools.Asking{}, 100*time.Millisecond)
	asked, forever := make(chan struct{}), make(chan struct{})
	defer close(forever)
	session := d.connect(t, "2025-11-25", func(*mcp.ElicitParams) (*mcp.ElicitResult, error) {
		close(asked)
		<-forever
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"email": true}}, nil
	})
	go func() {
		_, _ = session.CallTool(context.Background(), &mcp.CallToolParams{Name: "aap_lead_submit", Arguments: json.RawMessage(unconsented(""))})
	}()
	<-asked
	_ = d.in.Close()
	go func() { _, _ = io.Copy(io.Discard, d.out) }()
	select {
	case <-d.ended:
	case <-time.After(10 * time.Second):
		t.Fatal("the agent stays when its host is gone")
	}
	if n := len(kept(t, d.stack)); n != 0 {
		t.Errorf("%d leads", n)
	}
}

// TestEachWriteIsApprovedWhereThatIsAskedFor: also one with a consent, which
// goes out as it came.
func TestEachWriteIsApprovedWhereThatIsAskedFor(t *testing.T) {
	for _, revision := range []string{"", "2025-11-25"} {
		for action, reason := range map[string]any{"accept": nil, "decline": "declined", "cancel": "cancelled"} {
			var forms []*mcp.ElicitParams
			d := openDesk(t, mcptools.Asking{ApproveWrites: true}, 0)
			session := d.connect(t, revision, func(p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
				forms = append(forms, p)
				return &mcp.ElicitResult{Action: action}, nil
			})
			if payload, isError := call(t, session, "aap_inventory_search", `{}`); isError || len(forms) != 0 {
				t.Errorf("%q: a reading tool: %v, %d forms", revision, payload, len(forms))
			}
			payload, isError := call(t, session, "aap_lead_submit", lead(`,"vehicle_of_interest":{"stock":"H-1107"}`))
			if isError != (reason != nil) || reasonOf(payload) != reason || len(forms) != 1 {
				t.Fatalf("%q, %s: %d forms, %v", revision, action, len(forms), payload)
			}
			schema, _ := json.Marshal(forms[0].RequestedSchema)
			for _, want := range []string{"Harbor Auto Group (agent.harbor-auto.example)", "Rosa Quist", "rosa@quist.example", "stock H-1107", "email, given 2026-06-15T14:58:00Z: Harbor Auto may e-mail me.", "trip-planner"} {
				if !strings.Contains(forms[0].Message, want) {
					t.Errorf("the form does not tell of %q: %s", want, forms[0].Message)
				}
			}
			if string(schema) != `{"properties":{},"type":"object"}` {
				t.Errorf("the form asks for %s", schema)
			}
			leads := kept(t, d.stack)
			if len(leads) == 1 != (action == "accept") || len(leads) == 1 && leads[0].Consent.ConsentText != "Harbor Auto may e-mail me." {
				t.Errorf("%q, %s: %+v", revision, action, leads)
			}
			if again, _ := call(t, session, "aap_lead_submit", lead(`,"vehicle_of_interest":{"stock":"H-1107"}`)); action == "accept" && (fmt.Sprint(again) != fmt.Sprint(payload) || len(forms) != 1) {
				t.Errorf("%q: what was approved is asked about again: %v", revision, again)
			}
			if _, isError := call(t, session, "aap_lead_submit", strings.Replace(lead(""), `"scope"`, `"scop"`, 1)); !isError || len(forms) > 2 {
				t.Errorf("%q: a person is asked about a lead that nobody takes", revision)
			}
		}
	}
}

// TestConsentAndApprovalAreOneForm: a person is asked once.
func TestConsentAndApprovalAreOneForm(t *testing.T) {
	asked := 0
	d := openDesk(t, mcptools.Asking{ApproveWrites: true}, 0)
	session := d.connect(t, "2025-11-25", func(p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		asked++
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"sms": true}}, nil
	})
	if payload, isError := call(t, session, "aap_lead_submit", unconsented("")); isError || asked != 1 || len(kept(t, d.stack)) != 1 {
		t.Errorf("asked %d times: %v", asked, payload)
	}
}

func TestAWriteIsHeldBackWhereNobodyCanBeAsked(t *testing.T) {
	for _, revision := range []string{"", "2025-11-25", "2024-11-05"} {
		d := openDesk(t, mcptools.Asking{ApproveWrites: true}, 0)
		session := d.connect(t, revision, nil)
		// Nobody is asked for a consent, or for what else is missing, in vain.
		for _, arguments := range []string{lead(""), unconsented(""), strings.Replace(unconsented(""), `"email"`, `"e_mail"`, 1), strings.Replace(lead(""), `"scope"`, `"scop"`, 1)} {
			payload, isError := call(t, session, "aap_lead_submit", arguments)
			if !isError || reasonOf(payload) != "held_back" || !strings.Contains(fmt.Sprint(payload["message"]), "--approve-writes=false") || payload["retryable"] != false {
				t.Errorf("%q: %s: %v", revision, arguments, payload)
			}
		}
		if n := len(kept(t, d.stack)); n != 0 {
			t.Errorf("%q: %d leads", revision, n)
		}
	}
}
