package stacks_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/cloud/stacks"
)

// answering is an AWS that answers each action as given; the form and the
// Authorization header of each call are kept.
func answering(t *testing.T, answers func(action string, form url.Values) (status int, body string)) (*stacks.Accounts, func(action string) []call) {
	t.Helper()
	var mu sync.Mutex
	var calls []call
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		form, _ := url.ParseQuery(string(body))
		mu.Lock()
		calls = append(calls, call{form, r.Header.Get("Authorization")})
		mu.Unlock()
		status, answer := answers(form.Get("Action"), form)
		if status == 0 {
			if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
				c.Close()
			}
			return
		}
		w.Header().Set("Content-Type", "text/xml")
		w.WriteHeader(status)
		fmt.Fprint(w, answer)
	}))
	t.Cleanup(server.Close)
	return stacks.NewAccounts(cloudtest.Config(server.URL)), func(action string) []call {
		mu.Lock()
		defer mu.Unlock()
		var of []call
		for _, c := range calls {
			if c.form.Get("Action") == action {
				of = append(of, c)
			}
		}
		return of
	}
}

type call struct {
	form          url.Values
	authorization string
}

const (
	assumed = `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials><AccessKeyId>ASIADEALER</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`
	nothing = `<DescribeStacksResponse><DescribeStacksResult><Stacks/></DescribeStacksResult></DescribeStacksResponse>`
	role    = "arn:aws:iam::111122223333:role/dealer-fleet"
)

func refusal(code, message string) string {
	return "<ErrorResponse><Error><Type>Sender</Type><Code>" + code + "</Code><Message>" + message + "</Message></Error></ErrorResponse>"
}

func TestARoleIsAssumedOnceForAllRegionsAndRooftopsOfItsAccount(t *testing.T) {
	accounts, calls := answering(t, func(action string, _ url.Values) (int, string) {
		if action == "AssumeRole" {
			return 200, assumed
		}
		return 200, nothing
	})
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			region := []string{"us-east-1", "eu-west-1"}[n%2]
			if _, err := accounts.At(stacks.Place{Region: region, Role: role, ExternalID: "nw-4711"}).All(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	asked := calls("AssumeRole")
	if len(asked) != 1 || asked[0].form.Get("RoleArn") != role || asked[0].form.Get("ExternalId") != "nw-4711" || asked[0].form.Get("RoleSessionName") != "dealer-fleet" {
		t.Fatalf("%d times: %v", len(asked), asked)
	}
	described := calls("DescribeStacks")
	if len(described) != 20 {
		t.Errorf("%d calls", len(described))
	}
	for _, c := range described {
		if !strings.Contains(c.authorization, "Credential=ASIADEALER/") {
			t.Errorf("signed by %s", c.authorization)
		}
	}
	if _, err := accounts.At(stacks.Place{Region: "us-east-1"}).All(t.Context()); err != nil {
		t.Error(err)
	}
	if own := calls("DescribeStacks")[20]; !strings.Contains(own.authorization, "Credential=test/") || len(calls("AssumeRole")) != 1 {
		t.Errorf("one's own account is asked with %s", own.authorization)
	}
}

func TestErrorsTellWhetherTheCallMayBeRepeated(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		want   error
	}{
		{400, refusal("Throttling", "Rate exceeded"), stacks.ErrThrottled},
		{429, "", stacks.ErrThrottled},
		{500, refusal("InternalFailure", "oops"), stacks.ErrUnsure},
		{503, "", stacks.ErrUnsure},
		{0, "", stacks.ErrUnsure},
		{200, "<DescribeStacksResponse><Descr", stacks.ErrUnsure},
		{400, refusal("ValidationError", "Stack with id x does not exist"), stacks.ErrMissing},
		{400, refusal("AlreadyExistsException", "ChangeSet x already exists"), stacks.ErrExists},
		{400, refusal("ValidationError", "No updates are to be performed."), stacks.ErrEmpty},
		{403, refusal("AccessDenied", "User is not authorized"), stacks.ErrDenied},
		{403, refusal("ExpiredToken", "The token has expired"), stacks.ErrDenied},
	} {
		accounts, calls := answering(t, func(string, url.Values) (int, string) { return c.status, c.body })
		_, err := accounts.At(stacks.Place{Region: "us-east-1"}).Find(t.Context(), "x")
		if !errors.Is(err, c.want) {
			t.Errorf("%d %s: %v, want %v", c.status, c.body, err, c.want)
		}
		if n := len(calls("DescribeStacks")); n != 1 {
			t.Errorf("%d %s: called %d times", c.status, c.body, n)
		}
	}
	accounts, _ := answering(t, func(string, url.Values) (int, string) {
		return 400, refusal("ValidationError", "Template format error")
	})
	if _, err := accounts.At(stacks.Place{Region: "us-east-1"}).Find(t.Context(), "x"); err == nil || err.Error() != "AWS refuses it (ValidationError): Template format error" {
		t.Errorf("%v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := accounts.At(stacks.Place{Region: "us-east-1"}).Find(ended, "x"); !errors.Is(err, context.Canceled) || errors.Is(err, stacks.ErrUnsure) {
		t.Errorf("a call that was called off: %v", err)
	}
}

func TestARoleThatMayNotBeAssumedIsToldInPlainWords(t *testing.T) {
	accounts, _ := answering(t, func(string, url.Values) (int, string) {
		return 403, refusal("AccessDenied", "User kim is not authorized to perform: sts:AssumeRole")
	})
	_, err := accounts.At(stacks.Place{Region: "us-east-1", Role: role}).All(t.Context())
	if !errors.Is(err, stacks.ErrDenied) || !strings.Contains(err.Error(), "kim is not authorized") || strings.Contains(err.Error(), "operation error") {
		t.Errorf("%v", err)
	}
}

func TestAllPagesOfStacksAreRead(t *testing.T) {
	accounts, _ := answering(t, func(_ string, form url.Values) (int, string) {
		one := func(name, next string) string {
			return "<R><DescribeStacksResult><Stacks><member><StackName>" + name + "</StackName><StackStatus>CREATE_COMPLETE</StackStatus><CreationTime>2026-01-01T00:00:00Z</CreationTime></member></Stacks>" + next + "</DescribeStacksResult></R>"
		}
		if form.Get("NextToken") == "" {
			return 200, one("a", "<NextToken>more</NextToken>")
		}
		return 200, one("b", "")
	})
	all, err := accounts.At(stacks.Place{Region: "us-east-1"}).All(t.Context())
	if err != nil || len(all) != 2 || all[0].Name != "a" || all[1].Name != "b" {
		t.Errorf("%v: %+v", err, all)
	}
}

func TestAlarmsBelongToTheStackWhoseNameTheyBegin(t *testing.T) {
	all := []string{"nw-a-FeedStaleAlarm-1AB", "nw-a-b-DeadLettersAlarm-2CD", "nw-ab-OldestLeadAlarm-3EF", "other", "nw-a-AgentErrorsAlarm-4GH"}
	if got := fmt.Sprint(stacks.AlarmsOf("nw-a", all)); got != "[AgentErrorsAlarm FeedStaleAlarm]" {
		t.Error(got)
	}
	if got := fmt.Sprint(stacks.AlarmsOf("nw-a-b", all)); got != "[DeadLettersAlarm]" {
		t.Error(got)
	}
}
