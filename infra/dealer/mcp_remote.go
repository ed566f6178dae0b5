package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/mcptools"
	"github.com/dealer-agent/dealer/pkg/outbound"
)

// find reads the dealer's card and settles on a contract.
func (d remoteDealer) find(ctx context.Context) (*mcptools.Found, error) {
	web, err := guarded(d.URL)
	if err != nil {
		return nil, err
	}
	token, err := d.token()
	if err != nil {
		return nil, &mcptools.Failure{Reason: "unauthorized", Message: "The bearer token for this dealer cannot be read. Whoever runs this host finds the reason in its log; go on without this dealer.", Cause: err}
	}
	clock := &dealersClock{RoundTripper: web.Transport}
	web.Transport = clock
	client := a2a.Client{HTTP: web, Token: token}
	remote, err := client.Discover(ctx, d.URL)
	if err != nil {
		return nil, d.notFound(err)
	}
	found := &mcptools.Found{Name: remote.Card.Name, Endpoint: remote.Endpoint, Now: clock.now, Version: remote.Version, Agent: remoteAgent{d, remote}}
	for _, s := range aap.Skills() {
		if declares(remote, s) {
			found.Skills = append(found.Skills, s)
		}
	}
	return found, nil
}

// declares reports whether a card lists the skill, by its id.
func declares(r *a2a.Remote, s aap.Skill) bool {
	return slices.ContainsFunc(r.Card.Skills, func(listed a2a.Skill) bool { return listed.ID == s.ID })
}

// notFound says why a card could not be used.
func (d remoteDealer) notFound(err error) *mcptools.Failure {
	f := d.failure(err)
	if f.Reason == "faulty" {
		f.Message = "The dealer's agent card cannot be used. Whoever runs this host finds the reason in its log; go on without this dealer."
	}
	if errors.Is(err, a2a.ErrNotAAP) {
		f = &mcptools.Failure{Reason: "not_aap", Message: "The agent card at " + d.host() + " names no contract of the Auto Agent Protocol that this program speaks.", Cause: err}
	}
	return f
}

// remoteAgent answers by asking a dealer elsewhere: one message a call.
type remoteAgent struct {
	dealer remoteDealer
	remote *a2a.Remote
}

// longestAnswer is the most that is passed to a host, in bytes: it all goes
// into a model's context.
const longestAnswer = 2 << 20

// Call sends the payload as it is: it is of the contract that the remote
// speaks, which is the one it was given.
func (r remoteAgent) Call(ctx context.Context, _ aap.Version, payload []byte) (agent.Answer, error) {
	skill, ok := agent.SkillOf(payload)
	if !ok {
		return agent.Answer{}, errors.New("a payload of no skill")
	}
	answer, err := r.remote.Call(ctx, skill, payload)
	if refused, ok := errors.AsType[*a2a.Refusal](err); ok {
		if len(refused.Payload) > longestAnswer {
			return agent.Answer{}, tooLong(err)
		}
		told := &mcptools.Refusal{Payload: refused.Payload}
		if e, ok := errors.AsType[*aap.Error](refused); ok && slices.Contains(r.remote.Version.Codes(), e.Code) {
			told.Code = e.Code
		}
		return agent.Answer{}, told
	}
	if err != nil {
		f := r.dealer.failure(err)
		if skill == aap.LeadSubmit && f.Reason != "unauthorized" && f.Reason != "refused" {
			f.Message += " " + afterLostLead(payload)
		}
		return agent.Answer{}, f
	}
	if len(answer) > longestAnswer {
		return agent.Answer{}, tooLong(nil)
	}
	return agent.Answer{Skill: skill, Payload: answer}, nil
}

// afterLostLead is what to do when nobody knows whether a lead arrived.
func afterLostLead(payload []byte) string {
	var sent struct {
		Key string `json:"idempotency_key"`
	}
	if json.Unmarshal(payload, &sent) == nil && sent.Key != "" {
		return "Nobody knows whether the lead arrived: call again with the same arguments and the same idempotency_key, which makes no second lead."
	}
	return "Nobody knows whether the lead arrived, and it had no idempotency_key: a second call may make a second lead, so ask the buyer first."
}

func tooLong(cause error) *mcptools.Failure {
	return &mcptools.Failure{Reason: "too_long", Message: "The dealer's answer is too long to pass on. Ask for less, such as by pagination.limit.", Cause: cause}
}

// failure says what an error of the client means for whoever asked. The text of
// the error itself may hold addresses and a stranger's words; it is only logged.
func (d remoteDealer) failure(err error) *mcptools.Failure {
	f := &mcptools.Failure{Cause: err}
	timeout, isNet := errors.AsType[net.Error](err)
	rpc, isRPC := errors.AsType[*a2a.RPCError](err)
	status := 0
	if isRPC {
		status = rpc.Status
	} else if none, ok := errors.AsType[*a2a.NoAnswer](err); ok {
		status = none.Status
	}
	switch {
	case errors.Is(err, outbound.ErrPrivate):
		f.Reason, f.Message = "refused", "The dealer's card leads to an address inside a private network, which this program does not follow. Go on without this dealer."
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		f.Reason, f.Message = "unauthorized", fmt.Sprintf("The dealer asks for a bearer token. Whoever runs this host puts it into %s and starts the host anew.", d.tokenPlace())
	case isRPC:
		f.Reason, f.Message = "refused", fmt.Sprintf("The dealer's agent refused the call. It said: %q", shortened(rpc.Message))
	case errors.Is(err, a2a.ErrTooLong):
		return tooLong(err)
	case errors.Is(err, context.DeadlineExceeded) || isNet && timeout.Timeout():
		f.Reason, f.Message, f.Retryable = "slow", "The dealer did not answer in time. Try again later, or go on without it.", true
	case isNet || errors.Is(err, context.Canceled) || slices.Contains(busy, status):
		f.Reason, f.Message, f.Retryable = "unreachable", "The dealer cannot be reached. Try again later, or go on without it.", true
	default:
		f.Reason, f.Message = "faulty", "The dealer's agent does not answer as the protocol wants. Go on without this dealer."
	}
	return f
}

// busy are the answers of gateways whose agent may be there again soon.
var busy = []int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}

// shortened is a stranger's text as one short line.
func shortened(s string) string {
	const most = 200
	var out []rune
	for _, r := range s {
		if !unicode.IsPrint(r) {
			r = ' '
		}
		if out = append(out, r); len(out) == most {
			break
		}
	}
	return strings.Join(strings.Fields(string(out)), " ")
}
