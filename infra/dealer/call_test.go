package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// echo is an agent of the official Go SDK that sends back what it is sent.
type echo struct{}

func (echo) Execute(_ context.Context, x *a2asrv.ExecutorContext) iter.Seq2[sdk.Event, error] {
	return func(yield func(sdk.Event, error) bool) {
		yield(sdk.NewMessage(sdk.MessageRoleAgent, x.Message.Parts...), nil)
	}
}

func (echo) Cancel(context.Context, *a2asrv.ExecutorContext) iter.Seq2[sdk.Event, error] {
	return func(func(sdk.Event, error) bool) {}
}

// TestCallOfOtherAgents calls what is not this agent and must say what is wrong with it.
func TestCallOfOtherAgents(t *testing.T) {
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	defer server.Close()
	card := func(name, extension string) {
		mux.HandleFunc("/"+name+"/.well-known/agent-card.json", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprintf(w, `{"name":"Other","capabilities":{"extensions":[%s]},"supportedInterfaces":[{"url":"%s/%s/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`, extension, server.URL, name)
		})
	}
	ours := `{"uri":"` + aap.V1_3.ExtensionURI + `"}`
	answer := func(name, body string) {
		card(name, ours)
		mux.HandleFunc("/"+name+"/a2a", func(w http.ResponseWriter, r *http.Request) {
			request, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			_, id, _ := strings.Cut(string(request), `"id":"`)
			id, _, _ = strings.Cut(id, `"`)
			_, _ = io.WriteString(w, strings.Replace(body, "ID", `"`+id+`"`, 1))
		})
	}
	card("plain", "")
	sdkServer := a2asrv.NewJSONRPCHandler(a2asrv.NewHandler(echo{}))
	mux.Handle("/plain/a2a", sdkServer)
	card("echo", ours)
	mux.Handle("/echo/a2a", sdkServer)
	answer("array", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"m","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"VEHICLE_NOT_FOUND"},{"@type":"x","type":"aap.error","code":"VEHICLE_NOT_FOUND","message":"No such car.","retryable":false}]}}`)
	answer("info", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32009,"message":"Too old.","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"VERSION_NOT_SUPPORTED"}]}}`)
	answer("paint", "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"message\":{\"parts\":[{\"data\":{\"type\":\"dealer.information.response\",\"a\":\"\u009b31mred\"}}]}}}")
	card("moved", ours)
	mux.Handle("/moved/a2a", http.RedirectHandler("/array/a2a", http.StatusPermanentRedirect))
	mux.Handle("/cardmoved/", http.RedirectHandler("/array/.well-known/agent-card.json", http.StatusFound))
	mux.HandleFunc("/huge/", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strings.Repeat(" ", 2<<20)) })

	for _, c := range []struct {
		name, agent string
		code        int
		out, err    string
	}{
		{"an agent without AAP", "plain", 1, "", "/plain/.well-known/agent-card.json names none"},
		{"an agent that only echoes", "echo", 1, "", `of type "dealer.information.request", not dealer.information.response`},
		{"errors as an array", "array", 1, `"code": "VEHICLE_NOT_FOUND"`, ""},
		{"an error of A2A", "info", 1, "", "-32009 (VERSION_NOT_SUPPORTED): Too old."},
		{"an answer that paints", "paint", 0, `"a": "\u009b31mred"`, ""},
		{"an endpoint that moved", "moved", 1, "", "redirects to /array/a2a"},
		{"a card that moved", "cardmoved", 1, `"code": "VEHICLE_NOT_FOUND"`, ""},
		{"a huge card", "huge", 1, "", "longer than"},
		{"no card", "nobody", 1, "", "status 404; give the agent's base URL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := dealerCommand(t, "", "call", server.URL+"/"+c.agent, "dealer.information")
			if r.code != c.code || !strings.Contains(r.out, c.out) || !strings.Contains(r.err, c.err) || (r.out == "") != (c.out == "") || (r.err == "") != (c.err == "") {
				t.Errorf("exit code %d\n%s%s\nwant %d %s%s", r.code, r.out, r.err, c.code, c.out, c.err)
			}
		})
	}
}
