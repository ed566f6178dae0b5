//go:build unix

package faults

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
	"github.com/dealer-agent/dealer/pkg/embedded"
)

func TestMain(m *testing.M) { os.Exit(machinetest.Main(m)) }

// command is `dealer run` on one data folder, over several lives.
type command struct {
	binary, dir string
	ledger      *ledger
	// limit is the longest file it may write, in blocks of 512 bytes; 0: none.
	limit int

	mu  sync.Mutex
	cmd *exec.Cmd
	url string
}

func newCommand(t *testing.T, l *ledger, profile string) *command {
	t.Helper()
	c := &command{binary: machinetest.Command(t), dir: t.TempDir(), ledger: l}
	if err := os.WriteFile(filepath.Join(c.dir, "dealer.yaml"), []byte(profile), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.kill)
	return c
}

var agentLine = regexp.MustCompile(`^Agent:\s+(\S+)/a2a$`)

// start begins a new life and waits until it can be reached.
func (c *command) start(t *testing.T) {
	t.Helper()
	// Without the trap the signal of a full disk would end the command.
	line := `exec "$0" "$@"`
	if c.limit > 0 {
		line = fmt.Sprintf(`trap "" XFSZ; ulimit -f %d; exec "$0" "$@"`, c.limit)
	}
	cmd := exec.Command("sh", "-c", line, c.binary, "run", "--addr", "127.0.0.1:0",
		"--profile", filepath.Join(c.dir, "dealer.yaml"), "--data", filepath.Join(c.dir, "data"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var faults bytes.Buffer
	cmd.Stderr = &faults
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if m := agentLine.FindStringSubmatch(lines.Text()); m != nil {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			c.mu.Lock()
			c.cmd, c.url = cmd, m[1]
			c.mu.Unlock()
			return
		}
	}
	t.Fatalf("dealer run ended before it said where it is: %v %s", cmd.Wait(), faults.String())
}

// kill ends the life with SIGKILL, if there is one, and begins a new run of
// the ledger.
func (c *command) kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cmd == nil {
		return
	}
	_ = c.cmd.Process.Signal(syscall.SIGKILL)
	_ = c.cmd.Wait()
	c.cmd = nil
	// What the dead process sent may still be in the receivers' hands.
	time.Sleep(100 * time.Millisecond)
	c.ledger.mu.Lock()
	c.ledger.run++
	c.ledger.mu.Unlock()
}

func (c *command) post(body []byte) ([]byte, error) {
	c.mu.Lock()
	url, alive := c.url, c.cmd != nil
	c.mu.Unlock()
	if !alive {
		time.Sleep(10 * time.Millisecond)
		return nil, errDown
	}
	client := http.Client{Timeout: 10 * time.Second}
	answer, err := client.Post(url+"/a2a", "application/json", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	return io.ReadAll(answer.Body)
}

// books opens the data folder between two lives.
func (c *command) books(t *testing.T, read func(*embedded.DB)) {
	t.Helper()
	db, err := embedded.Open(filepath.Join(c.dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	read(db)
}

// finish runs calm lives until everything is delivered, with what was refused
// sent again.
func (c *command) finish(t *testing.T) {
	t.Helper()
	for round := range 2 {
		c.start(t)
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
			if faults := c.ledger.audit(); time.Now().After(deadline) || c.ledger.settled() && (round == 0 || len(faults) == 0) {
				break
			}
		}
		c.close(t, round == 0)
	}
	c.ledger.balance(t)
}

// close stops the command and compares its states, once nothing is queued.
func (c *command) close(t *testing.T, resend bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Second) {
		c.mu.Lock()
		_ = c.cmd.Process.Signal(os.Interrupt)
		err := c.cmd.Wait()
		c.cmd = nil
		c.mu.Unlock()
		if err != nil {
			t.Fatalf("Ctrl-C ended with %v, want exit code 0", err)
		}
		pending := 0
		c.books(t, func(db *embedded.DB) {
			queue := db.Queue(time.Now)
			if pending, err = queue.Pending(context.Background()); err != nil {
				t.Fatal(err)
			}
			if pending == 0 {
				if n := checkStates(t, c.ledger, db.Leads(), queue, time.Now); n > 0 && !resend {
					t.Errorf("%d leads are refused in a calm", n)
				}
			}
		})
		if pending == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d leads are still queued", pending)
		}
		c.start(t)
	}
}

// TestNoLeadIsLostOrDoubledThoughTheCommandIsKilledAtEveryStep kills the real
// command while a CRM holds a document, right after the CRM's answer, and at
// any moment.
func TestNoLeadIsLostOrDoubledThoughTheCommandIsKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	kills := 24
	if testing.Short() {
		kills = 3
	}
	s, l := newStorm(t), newLedger("crm-a", "mail")
	l.workers = 4
	crm := newCRM(t, "crm-a", s, l)
	crm.odd, crm.silent = 12, 1<<30
	mail := newPostOffice(t, "mail", s, l)
	c := newCommand(t, l, profileText(crm.target(), mail.target()))
	var armed sync.Mutex // held while no kill is due
	armed.Lock()
	dead := make(chan struct{}, 1)
	ends := 0
	hook := func() bool {
		if !armed.TryLock() {
			return true
		}
		n := ends
		ends++
		strike := func() {
			c.kill()
			dead <- struct{}{}
		}
		switch n % 3 {
		case 0: // with the document in the CRM's hands
			strike()
			return false
		case 1: // about when the answer arrives
			time.AfterFunc(time.Duration(s.roll(4))*time.Millisecond, strike)
		default:
			time.AfterFunc(time.Duration(s.roll(150))*time.Millisecond, strike)
		}
		return true
	}
	crm.hook.Store(&hook)
	b := buyers{storm: s, ledger: l, post: c.post, granted: time.Now().Add(-24 * time.Hour), atOnce: 4, tries: 400}
	var selling sync.WaitGroup
	stop := make(chan struct{})
	selling.Go(func() {
		for n := 0; ; n += 8 {
			select {
			case <-stop:
				return
			default:
				b.send(n, 8)
			}
		}
	})
	for range kills {
		c.start(t)
		time.Sleep(time.Duration(s.roll(150)) * time.Millisecond)
		armed.Unlock()
		select {
		case <-dead:
		case <-time.After(30 * time.Second):
			t.Fatal("nothing was delivered for half a minute")
		}
	}
	s.over.Store(true)
	c.start(t)
	close(stop)
	selling.Wait()
	c.stop(t)
	c.finish(t)
	t.Logf("%d kills", kills)
}

// stop ends the life as Ctrl-C does.
func (c *command) stop(t *testing.T) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	err := errors.Join(c.cmd.Process.Signal(os.Interrupt), c.cmd.Wait())
	c.cmd = nil
	if err != nil {
		t.Errorf("Ctrl-C ended with %v, want exit code 0", err)
	}
}

// TestNoLeadIsLostOrDoubledOnAFullDisk bounds the data file until nothing can
// be taken or written any more, and then gives it room.
func TestNoLeadIsLostOrDoubledOnAFullDisk(t *testing.T) {
	t.Parallel()
	s, l := newStorm(t), newLedger("crm-a", "mail")
	crm, mail := newCRM(t, "crm-a", s, l), newPostOffice(t, "mail", s, l)
	s.over.Store(true) // the disk alone breaks
	c := newCommand(t, l, profileText(crm.target(), mail.target()))
	c.limit = 512
	c.start(t)
	b := buyers{storm: s, ledger: l, post: c.post, granted: time.Now().Add(-24 * time.Hour), atOnce: 4, tries: 1}
	refused := func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.sent)-len(l.acknowledged) >= 20
	}
	n := 0
	for ; n < 4000 && !refused(); n += 20 {
		b.send(n, 20)
	}
	if !refused() {
		t.Fatalf("%d leads do not fill the disk", n)
	}
	time.Sleep(2 * time.Second) // for the worker to feel it
	c.kill()
	c.limit = 0
	c.start(t)
	b.send(0, n) // who got no answer comes again, and so does everybody else
	c.stop(t)
	c.finish(t)
}
