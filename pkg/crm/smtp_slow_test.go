package crm_test

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
)

func TestAMailServerThatNeverStopsTalkingIsLeft(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	said := make(chan int, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		n, _ := io.WriteString(conn, "220 mail.example\r\n")
		for line := []byte(strings.Repeat("250-and another thing\r\n", 1000)); err == nil; {
			var more int
			more, err = conn.Write(line)
			n += more
		}
		said <- n
	}()
	b := newBench(t, dealer.Target{
		Name: "mail", Type: dealer.TargetSMTP, Server: listener.Addr().String(), StartTLS: "off", From: "a@lakeside.example",
		To: []string{"leads@crm.example"}, Timeout: dealer.Duration(time.Minute),
	})
	b.submit(t, "L-1", nil)
	begun := time.Now()
	_ = b.handle(t, "L-1")
	if d := b.want(t, "L-1", "mail", lead.Retrying, 1); d.Begun {
		t.Errorf("%+v", d)
	}
	// What lies in the buffers of the connection counts as said.
	if n := <-said; n > 32<<20 || time.Since(begun) > 30*time.Second {
		t.Errorf("heard up to %d bytes in %s", n, time.Since(begun))
	}
}

func TestMailServerThatIsSilentTimesOut(t *testing.T) {
	for name, greeting := range map[string]string{"from the start": "", "after its greeting": "220 mail.example\r\n"} {
		t.Run(name, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			var held sync.WaitGroup
			defer held.Wait()
			defer listener.Close()
			held.Go(func() {
				// Kept, since the runtime closes connections that nobody has.
				var open []net.Conn
				for {
					conn, err := listener.Accept()
					if err != nil {
						break
					}
					_, _ = conn.Write([]byte(greeting))
					open = append(open, conn)
				}
				for _, conn := range open {
					conn.Close()
				}
			})
			b := newBench(t, dealer.Target{
				Name: "mail", Type: dealer.TargetSMTP, Server: listener.Addr().String(), StartTLS: "off",
				From: "agent@lakeside.example", To: []string{"leads@crm.example"}, Timeout: dealer.Duration(200 * time.Millisecond),
			})
			b.submit(t, "L-1", nil)
			begin := time.Now()
			if err := b.handle(t, "L-1"); err == nil || !strings.Contains(err.Error(), "timed out") {
				t.Errorf("got %v", err)
			}
			if took := time.Since(begin); took > 5*time.Second {
				t.Errorf("took %v", took)
			}
			if d := b.want(t, "L-1", "mail", lead.Retrying, 1); d.Begun {
				t.Error("a mail that was never sent may not have arrived")
			}
		})
	}
}
