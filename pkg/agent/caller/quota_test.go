package caller

import (
	"fmt"
	"testing"
	"time"
)

func TestQuotaGrowsBackEvenly(t *testing.T) {
	q := NewQuota(10)
	now := time.Date(2026, 6, 15, 15, 0, 0, 0, time.UTC)
	for i := range 3 {
		if wait := q.Take(now, "a", 3, time.Minute); wait != 0 {
			t.Fatalf("call %d waits %v", i+1, wait)
		}
	}
	for range 5 { // refused calls cost nothing
		if wait := q.Take(now, "a", 3, time.Minute); wait != 20*time.Second {
			t.Fatalf("wait %v, want 20s", wait)
		}
	}
	if wait := q.Take(now, "b", 3, time.Minute); wait != 0 {
		t.Errorf("another caller waits %v", wait)
	}
	if wait := q.Take(now.Add(20*time.Second), "a", 3, time.Minute); wait != 0 {
		t.Errorf("after the wait: %v more", wait)
	}
	if wait := q.Take(now, "a", 0, time.Minute); wait != 0 {
		t.Errorf("no limit, but a wait of %v", wait)
	}
}

func TestQuotaFollowsAChangedProfile(t *testing.T) {
	q := NewQuota(10)
	now := time.Now()
	for range 2 {
		q.Take(now, "a", 2, time.Minute)
	}
	now = now.Add(time.Hour)
	granted := 0
	for range 10 {
		if q.Take(now, "a", 5, time.Minute) == 0 {
			granted++
		}
	}
	if granted < 2 || granted > 5 {
		t.Errorf("%d calls granted at once", granted)
	}
	granted = 0
	now = now.Add(time.Hour)
	for range 10 {
		if q.Take(now, "a", 5, time.Minute) == 0 {
			granted++
		}
	}
	if granted != 5 {
		t.Errorf("%d calls granted at once, want 5", granted)
	}
}

func TestQuotaForgetsTheCallerHeardOfLongestAgo(t *testing.T) {
	q := NewQuota(100)
	now := time.Now()
	for i := range 10_000 {
		q.Take(now, "frequent", 1_000_000, time.Minute)
		q.Take(now, fmt.Sprint(i), 1, time.Minute)
	}
	if len(q.callers) != 100 || q.recent.Len() != 100 {
		t.Errorf("%d callers kept, want 100", len(q.callers))
	}
	if _, kept := q.callers["frequent"]; !kept {
		t.Error("a frequent caller was forgotten")
	}
}

func TestCallersAreToldApartByAddressNotByPortOrHeader(t *testing.T) {
	for remote, want := range map[string]string{
		"203.0.113.9:4711":             "203.0.113.9",
		"203.0.113.9":                  "203.0.113.9",
		"[::ffff:203.0.113.9]:1":       "203.0.113.9",
		"[2001:db8:1:2:3:4:5:6]:80":    "2001:db8:1:2::/64",
		"[2001:db8:1:2:ffff::1%eth0]:": "2001:db8:1:2::/64",
		"pipe":                         "pipe",
		"":                             "",
	} {
		if got := Address(remote); got != want {
			t.Errorf("Address(%q) = %q, want %q", remote, got, want)
		}
	}
}
