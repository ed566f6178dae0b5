package crm_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/crm"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// cacheOf is a cache on the bench's clock with one source.
func cacheOf(b *bench, read func() (string, error)) *crm.SecretCache {
	return &crm.SecretCache{
		Now:     func() time.Time { return b.clock },
		Sources: map[string]crm.Source{"env": func(context.Context, string) (string, error) { return read() }},
	}
}

func TestASecretIsKeptSomeMinutesAndFailuresAreNot(t *testing.T) {
	b := &bench{clock: start}
	reads, fail := 0, true
	c := cacheOf(b, func() (string, error) {
		reads++
		if fail {
			return "", errors.New("out of reach")
		}
		return strings.Repeat("s", reads), nil
	})
	read := func() string {
		t.Helper()
		v, err := c.Read(t.Context(), "env:A")
		if (err != nil) != fail {
			t.Fatal(err)
		}
		return v
	}
	read()
	fail = false
	if got := read(); got != "ss" {
		t.Errorf("a failure was kept: %q", got)
	}
	b.clock = start.Add(5*time.Minute - time.Nanosecond)
	if got := read(); got != "ss" {
		t.Errorf("asked again too early: %q", got)
	}
	b.clock = start.Add(5 * time.Minute)
	if got := read(); got != "sss" {
		t.Errorf("kept too long: %q", got)
	}
	c.Forget("env:A")
	if got := read(); got != "ssss" {
		t.Errorf("not forgotten: %q", got)
	}
}

func TestASecretWithoutASourceIsToldInOneSentence(t *testing.T) {
	target := dealer.Target{Name: "crm", Type: dealer.TargetHTTPS, URL: "http://127.0.0.1:9", Auth: &dealer.Auth{Type: dealer.AuthBearer, Secret: "ssm:/dealer/token"}}
	b := newBench(t, target, dealer.Target{Name: "mail", Type: dealer.TargetSES}, outbox("box", "out"))
	err := b.Check(b.profile)
	want := "delivery target crm: ssm:/dealer/token needs AWS, which is not configured here: set AWS_REGION and credentials, or write env:NAME\n" +
		"delivery target mail: a target of type ses needs AWS, which is not configured here: set AWS_REGION and credentials, or use another type"
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	// A profile that changes while the process runs must not cost the lead.
	b.submit(t, "L-1", nil)
	if err := b.handle(t, "L-1"); err == nil || !strings.Contains(err.Error(), "the secret ssm:/dealer/token cannot be read here") {
		t.Errorf("got %v", err)
	}
	b.want(t, "L-1", "crm", lead.Retrying, 1)
	b.want(t, "L-1", "mail", lead.Retrying, 0)
	b.want(t, "L-1", "box", lead.HandedOver, 1)
}
