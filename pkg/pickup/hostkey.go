package pickup

import (
	"errors"
	"fmt"
	"net"

	"golang.org/x/crypto/ssh"
)

// keyKinds are the kinds of host keys, in the order they are asked for.
var keyKinds = [][]string{
	{ssh.KeyAlgoED25519},
	{ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521},
	{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256},
}

// pinned takes one host key only, by its fingerprint.
type pinned struct {
	want string
	// shown is the fingerprint of the first key that the server showed.
	shown string
	met   bool
}

var errForeignKey = errors.New("another host key than the profile's")

func (p *pinned) check(_ string, _ net.Addr, key ssh.PublicKey) error {
	shown := ssh.FingerprintSHA256(key)
	if p.shown == "" {
		p.shown = shown
	}
	if p.want == "" || shown != p.want {
		return errForeignKey
	}
	p.met = true
	return nil
}

// foreign reports whether another kind of key may be the pinned one: the
// server showed a key that is not, or has none of the kind.
func (p *pinned) foreign(err error) bool {
	if p.want == "" && p.shown != "" {
		return false // no kind is better than another
	}
	_, lacking := errors.AsType[*ssh.AlgorithmNegotiationError](err)
	return lacking || errors.Is(err, errForeignKey)
}

func (p *pinned) fault() *Fault {
	if p.want == "" {
		return &Fault{Denied: true, Reason: fmt.Sprintf(
			`the server is not known yet; ask whoever runs it whether %s is the fingerprint of its key, then write host_key: "%s"`, p.shown, p.shown)}
	}
	return &Fault{Denied: true, Reason: fmt.Sprintf(
		`the server shows another key than host_key says, so nothing was sent to it: it was renewed, or somebody stands in between; ask whoever runs it, and only if %s is its fingerprint write host_key: "%s"`, p.shown, p.shown)}
}
