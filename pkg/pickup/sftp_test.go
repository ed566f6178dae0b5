package pickup_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/dealer-agent/dealer/pkg/pickup"
)

var morning = time.Date(2026, 5, 1, 6, 0, 0, 0, time.UTC)

func TestTheNewestFileOfAFolderIsTaken(t *testing.T) {
	key := newKey(t)
	s := newServer(t, key)
	s.put(t, "out/lot-0430.csv", head+ford, morning.Add(-24*time.Hour))
	s.put(t, "out/lot-0501.csv", head+civic+camry, morning)
	s.put(t, "out/lot-0502.csv.part", head, morning.Add(time.Hour))
	s.put(t, "out/.lot-0503.csv", head, morning.Add(time.Hour))
	s.put(t, "out/lot-x.csv/inside.csv", head, morning.Add(time.Hour))
	l := newLot(t, nil, s.source(print(key)))
	l.secrets.kept["env:PASS"] = "hunter2"
	l.want(pickup.Imported, 2, "")
	if !l.vouched().Equal(morning) || l.took[0].Name != "dms.csv" {
		t.Errorf("vouched for at %s, %q", l.vouched(), l.took[0].Name)
	}
	l.want(pickup.Unchanged, 2, "")
	s.put(t, "out/lot-0502.csv", head+civic+camry+ford, morning.Add(time.Hour))
	l.want(pickup.Imported, 3, "")
	// The newest one vanishes: what is left is older than what was taken.
	if err := os.Remove(filepath.Join(s.dir, "out/lot-0502.csv")); err != nil {
		t.Fatal(err)
	}
	l.want(pickup.Failed, 3, "older than the one taken before")
	if err := os.RemoveAll(filepath.Join(s.dir, "out")); err != nil {
		t.Fatal(err)
	}
	l.want(pickup.Failed, 3, "no such folder")
	s.put(t, "out/note.txt", "x", morning)
	l.want(pickup.Failed, 3, "matches the pattern")
	if len(l.took) != 2 {
		t.Errorf("%d files were brought", len(l.took))
	}
	l.discreet("hunter2", "127.0.0.1")
}

func TestAFileThatIsStillBeingWrittenWaits(t *testing.T) {
	key := newKey(t)
	s := newServer(t, key)
	l := newLot(t, nil, s.source(print(key)))
	l.secrets.kept["env:PASS"] = "hunter2"
	s.put(t, "out/lot-1.csv", head+civic, morning)
	s.set(func() {
		s.listed = func(string) { s.put(t, "out/lot-1.csv", head+civic+camry, morning.Add(time.Second)) }
	})
	st := l.want(pickup.Waiting, 0, "still being written")
	if st.Failures != 0 || st.Wait > 5*time.Minute {
		t.Errorf("%+v", st)
	}
	s.set(func() {
		s.listed = nil
		s.read = func(string) { s.put(t, "out/lot-1.csv", head+civic+camry+ford, morning.Add(2*time.Second)) }
	})
	l.want(pickup.Waiting, 0, "still being written")
	s.set(func() { // written over with as many bytes
		s.read = func(string) { s.put(t, "out/lot-1.csv", head+civic+camry+ford, morning.Add(3*time.Second)) }
	})
	l.want(pickup.Waiting, 0, "still being written")
	s.set(func() { s.read = nil })
	l.later(4 * time.Minute)
	if st := l.turn(); st.Result != pickup.Waiting {
		t.Errorf("%+v", st)
	}
	l.later(time.Minute)
	if st := l.turn(); st.Result != pickup.Imported || l.listed() != 3 {
		t.Errorf("after five minutes: %+v", st)
	}
}

func TestAFileThatBreaksOffIsNotTaken(t *testing.T) {
	key := newKey(t)
	s := newServer(t, key)
	l := newLot(t, nil, s.source(print(key)))
	l.secrets.kept["env:PASS"] = "hunter2"
	var long strings.Builder
	long.WriteString(head)
	for i := range 5_000 {
		fmt.Fprintf(&long, ",S%05d,2020,Kia,Rio,%d\n", i, 10_000+i)
	}
	s.put(t, "out/lot-1.csv", long.String(), morning)
	s.set(func() { s.cutAfter = 60_000 })
	l.want(pickup.Failed, 0, "broke off")
	s.set(func() { s.cutAfter = 0 })
	l.want(pickup.Imported, 5_000, "")
}

func TestAServerIsKnownByItsKey(t *testing.T) {
	own := newKey(t)
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	rsaSigner := signer(t, rsaKey, err)
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	curveSigner := signer(t, curve, err)
	for _, c := range []struct {
		name, pin, result, says string
		keys                    []ssh.Signer
		logins                  int
	}{
		{"not known yet", "", pickup.Failed, fmt.Sprintf(`then write host_key: "%s"`, print(own)), []ssh.Signer{own, rsaSigner}, 0},
		{"another one", print(newKey(t)), pickup.Failed, "shows another key", []ssh.Signer{own, rsaSigner}, 0},
		{"its first key", print(own), pickup.Imported, "", []ssh.Signer{own, rsaSigner}, 1},
		{"its RSA key", print(rsaSigner), pickup.Imported, "", []ssh.Signer{own, curveSigner, rsaSigner}, 1},
		{"only an ECDSA key", print(curveSigner), pickup.Imported, "", []ssh.Signer{curveSigner}, 1},
		{"only an RSA key, not known yet", "", pickup.Failed, print(rsaSigner), []ssh.Signer{rsaSigner}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newServer(t, c.keys...)
			s.put(t, "out/lot-1.csv", head+civic, morning)
			l := newLot(t, nil, s.source(c.pin))
			l.secrets.kept["env:PASS"] = "hunter2"
			listed := 0
			if c.result == pickup.Imported {
				listed = 1
			}
			l.want(c.result, listed, c.says)
			if s.mu.Lock(); s.logins != c.logins {
				t.Errorf("the password was sent %d times", s.logins)
			}
			s.mu.Unlock()
			l.discreet("hunter2")
		})
	}
}

func TestALoginIsByPasswordOrKey(t *testing.T) {
	host := newKey(t)
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	mine := signer(t, private, nil)
	written := func(block *pem.Block, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		return string(pem.EncodeToMemory(block))
	}
	plain := written(ssh.MarshalPrivateKey(private, ""))
	locked := written(ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte("passphrase")))
	s := newServer(t, host)
	s.put(t, "out/lot-1.csv", head+civic, morning)
	allowed := func(c ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
		if c.User() == "shop" && ssh.FingerprintSHA256(key) == print(mine) {
			return nil, nil
		}
		return nil, errors.New("no")
	}
	s.set(func() { s.config.PublicKeyCallback = allowed })
	for _, c := range []struct{ name, secret, result, says string }{
		{"a key", strings.TrimSpace(plain), pickup.Imported, ""},
		{"a key with a passphrase", locked, pickup.Failed, "is a key with a passphrase"},
		{"no key", "hunter2", pickup.Failed, "is no private key"},
		{"another key", written(ssh.MarshalPrivateKey(func() ed25519.PrivateKey { _, k, _ := ed25519.GenerateKey(rand.Reader); return k }(), "")), pickup.Failed, "the login is refused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLot(t, nil, strings.Replace(s.source(print(host)), "password", "private_key", 1))
			l.secrets.kept["env:PASS"] = c.secret
			listed := 0
			if c.result == pickup.Imported {
				listed = 1
			}
			l.want(c.result, listed, c.says)
			l.discreet("hunter2", "PRIVATE KEY")
		})
	}
	t.Run("a wrong password", func(t *testing.T) {
		l := newLot(t, nil, s.source(print(host)))
		l.secrets.kept["env:PASS"] = "Hunter3"
		st := l.want(pickup.Failed, 0, "the login is refused")
		if st.Wait != time.Hour || len(l.secrets.forgot) == 0 {
			t.Errorf("asked again in %s; %v", st.Wait, l.secrets.forgot)
		}
		l.discreet("Hunter3")
	})
	t.Run("by questions", func(t *testing.T) {
		asks := newServer(t, host)
		asks.put(t, "out/lot-1.csv", head+civic, morning)
		answered := func(_ ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
			if answers, err := ask("", "", []string{"Password: "}, []bool{false}); err != nil || len(answers) != 1 || answers[0] != "hunter2" {
				return nil, errors.New("no")
			}
			return nil, nil
		}
		asks.set(func() { asks.config.PasswordCallback, asks.config.KeyboardInteractiveCallback = nil, answered })
		l := newLot(t, nil, asks.source(print(host)))
		l.secrets.kept["env:PASS"] = "hunter2"
		l.want(pickup.Imported, 1, "")
	})
	t.Run("nobody there", func(t *testing.T) {
		l := newLot(t, nil, strings.Replace(s.source(print(host)), s.addr, "127.0.0.1:1", 1))
		l.secrets.kept["env:PASS"] = "hunter2"
		l.want(pickup.Failed, 0, "refuses the connection")
	})
}

func TestAFolderWithoutEndIsLeftSoon(t *testing.T) {
	key := newKey(t)
	s := newServer(t, key)
	s.put(t, "out/lot-1.csv", head+civic, morning)
	s.endless = true
	l := newLot(t, nil, s.source(print(key)))
	l.secrets.kept["env:PASS"] = "hunter2"
	l.want(pickup.Failed, 0, "the folder has more than 20000 entries")
	s.set(func() { s.endless = false })
	l.want(pickup.Imported, 1, "")
}
