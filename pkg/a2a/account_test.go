package a2a_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// logged is a handler over an agent whose log lines, at every level, can be read.
func logged(s *agenttest.Stack, a a2a.Agent) (http.Handler, *bytes.Buffer, *[]a2a.Exchange) {
	var lines bytes.Buffer
	var seen []a2a.Exchange
	h := a2a.NewHandler(a2a.Config{
		Agent: a, Profiles: dealer.Fixed(s.Profile),
		Settings: agent.Settings{
			Now: agenttest.Now, NewID: s.NewID, Log: slog.New(slog.NewJSONHandler(&lines, &slog.HandlerOptions{Level: slog.LevelDebug})),
		},
		OnExchange: func(_ context.Context, e a2a.Exchange) { seen = append(seen, e) },
	})
	return h, &lines, &seen
}

// failing is an agent that ends every call in its own way.
type failing struct{ call func() }

func (f failing) Call(context.Context, aap.Version, []byte) (agent.Answer, error) {
	f.call()
	return agent.Answer{}, fmt.Errorf("table leads-7 refused: %w", errors.New("connection reset by 10.0.0.7"))
}

func (f failing) Replay(context.Context, aap.Version, []byte) (agent.Answer, bool, error) {
	return agent.Answer{}, false, nil
}

func TestInternalErrorsShowAnIDAndLogTheCause(t *testing.T) {
	for _, c := range []struct {
		name, cause string
		call        func()
	}{
		{"an error", "connection reset", func() {}},
		{"a panic of the runtime", "index out of range", func() { _ = make([]int, 1)[time.Now().Year()] }},
		{"a panic with words", "panic of type string", func() { panic("rosa@quist.example") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, lines, _ := logged(agenttest.New(t, agenttest.Profile), failing{c.call})
			w, got := post(t, h, message(information))
			e := got.aapError(t)
			if w.Code != http.StatusOK || got.code() != -32603 || e.Code != "INTERNAL_ERROR" || !e.Retryable || e.ErrorID == "" {
				t.Errorf("answer %d %s", w.Code, w.Body)
			}
			if found := internals.Find(w.Body.Bytes()); found != nil || strings.Contains(w.Body.String(), "leads-7") || strings.Contains(w.Body.String(), "10.0.0.7") {
				t.Errorf("internal text in %s", w.Body)
			}
			if !strings.Contains(lines.String(), c.cause) || strings.Count(lines.String(), e.ErrorID) != 2 {
				t.Errorf("the log has not both lines with cause and id %s:\n%s", e.ErrorID, lines)
			}
			if strings.Contains(lines.String(), "quist") {
				t.Errorf("what was panicked with is in the log:\n%s", lines)
			}
		})
	}
}

func TestNoPersonalDataReachesTheLog(t *testing.T) {
	s := agenttest.New(t, agenttest.Profile)
	h, lines, seen := logged(s, s.Agent)
	personal := strings.NewReplacer(`"email":"rosa@quist.example"`, `"email":"rosa@quist.example","phone":"+12065550177","address":{"address_line_1":"12 Pier Way","zip":"98101"}`,
		`"source_agent"`, `"message":"My mother is ill.","source_agent"`).Replace(leadPayload)
	for _, payload := range []string{
		personal,
		strings.Replace(personal, `"first_name"`, `"quist_name"`, 1),                      // a fault in the payload
		strings.Replace(personal, `"lead.submit.request"`, `"rosa.quist.request"`, 1),     // in the type
		strings.Replace(personal, `"email":"rosa@quist.example",`, `"email":"rosa@",`, 1), // in a format
	} {
		post(t, h, message(payload))
		post(t, h, strings.Replace(message(payload), `"m-1"`, `""`, 1))
		post(t, h, strings.Replace(message(payload), `"SendMessage"`, `"Quist"`, 1))
		post(t, h, strings.Replace(message(payload), `"id":7`, `"id":"Rosa Quist"`, 1))
	}
	text := strings.ToLower(lines.String())
	for _, word := range []string{"rosa", "quist", "2065550177", "pier", "98101", "mother", "trip-planner"} {
		if strings.Contains(text, word) {
			t.Errorf("the log holds %q:\n%s", word, lines)
		}
	}
	if n := strings.Count(lines.String(), "\n"); n != 16 || len(*seen) != 16 {
		t.Errorf("%d lines and %d exchanges for 16 requests", n, len(*seen))
	}
	e := (*seen)[0]
	if e.Method != "SendMessage" || e.Skill != "lead.submit" || e.Version != "v1.3" || e.Status != 200 || e.RPC != 0 || e.Read == 0 || e.Sent == 0 || e.Duration <= 0 {
		t.Errorf("exchange %+v", e)
	}
}

func TestAProfileThatCannotBeReadIsAnInternalError(t *testing.T) {
	h := a2a.NewHandler(a2a.Config{Agent: failing{func() {}}, Profiles: unreadable{}})
	if _, got := post(t, h, message(information)); got.code() != -32603 {
		t.Errorf("code %d", got.code())
	}
}

type unreadable struct{}

func (unreadable) Profile(context.Context) (*dealer.Profile, error) {
	return nil, errors.New("no bucket")
}

// patient is an agent that works until it is told to stop.
type patient struct{ failing }

func (patient) Call(ctx context.Context, _ aap.Version, _ []byte) (agent.Answer, error) {
	<-ctx.Done()
	return agent.Answer{}, ctx.Err()
}

func TestACallThatTakesTooLongIsAnsweredAsRetryable(t *testing.T) {
	s := agenttest.New(t, agenttest.Profile)
	h := a2a.NewHandler(a2a.Config{Agent: patient{}, Profiles: dealer.Fixed(s.Profile), Settings: agent.Settings{Timeout: time.Millisecond}})
	_, got := post(t, h, message(information))
	if e := got.aapError(t); got.code() != -32603 || e.Code != "INTERNAL_ERROR" || !e.Retryable {
		t.Errorf("code %d, %+v", got.code(), e)
	}
}
