package machine_test

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestCallersWhoDoNotReadTheirAnswersHoldUpNobody(t *testing.T) {
	d := open(t, func(profile string) string { return profile + "access: {per_minute: 100000}\n" })
	// The answer repeats the id, and is too long for what a connection buffers.
	body := `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 250<<10) + `","method":"SendMessage","params":{}}`
	var callers sync.WaitGroup
	caller := func() {
		c, err := net.Dial("tcp", strings.TrimPrefix(d.url, "http://"))
		if err != nil {
			t.Error(err)
			return
		}
		t.Cleanup(func() { _ = c.Close() })
		if err := c.(*net.TCPConn).SetReadBuffer(1 << 10); err != nil {
			t.Error(err)
		}
		for range 30 {
			if err := c.SetWriteDeadline(time.Now().Add(time.Second)); err != nil {
				t.Error(err)
			}
			if _, err := fmt.Fprintf(c, "POST /a2a HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body); err != nil {
				break // the server has stopped reading because its answers are not read
			}
		}
	}
	for range 40 {
		callers.Go(caller)
	}
	callers.Wait()
	began := time.Now()
	if n := d.skill(t, `{"type":"inventory.search.request"}`).number("total"); n != 5 {
		t.Errorf("%d vehicles", n)
	}
	if spent := time.Since(began); spent > 3*time.Second {
		t.Errorf("answered after %v", spent)
	}
}

func TestCallersWhoSendSlowlyHoldUpNobody(t *testing.T) {
	d := open(t)
	for range 100 {
		c, err := net.Dial("tcp", strings.TrimPrefix(d.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprint(c, "POST /a2a HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n[1,")
	}
	began := time.Now()
	if n := d.skill(t, `{"type":"inventory.search.request"}`).number("total"); n != 5 {
		t.Errorf("%d vehicles", n)
	}
	if spent := time.Since(began); spent > 3*time.Second {
		t.Errorf("answered after %v", spent)
	}
}
