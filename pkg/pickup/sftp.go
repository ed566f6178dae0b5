package pickup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"strings"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/outbound"
)

// maxListing caps the entries of a folder that is looked through.
const maxListing = 20_000

// collection fetches the newest file of a folder on an SFTP server.
type collection struct {
	source  *dealer.FeedSource
	secrets Secrets
	route   outbound.Route
	// pause lies between the two looks that tell whether a file is still being
	// written.
	pause time.Duration
}

// fetch is as download.fetch; errWriting when the newest file is not done.
func (c collection) fetch(ctx context.Context, known State, out io.Writer) (arrival, error) {
	u, err := url.Parse(c.source.URL)
	if err != nil {
		return arrival{}, &Fault{Reason: "the url is not an address"}
	}
	left := &meter{}
	conn, err := c.connect(ctx, u, left)
	if err != nil {
		return arrival{}, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	client, err := sftp.NewClient(conn)
	if err != nil {
		f := connecting(ctx, err)
		if ctx.Err() == nil {
			f.Reason = "the server takes the login, but offers no SFTP to it; ask whoever runs it"
		}
		return arrival{}, f
	}
	defer client.Close()
	name := strings.TrimPrefix(u.Path, "/~/") // a path from the login's own folder
	file, first, err := newest(ctx, client, name)
	if err != nil && left.over() && ctx.Err() == nil {
		err = tooLong()
	}
	if err != nil {
		return arrival{}, err
	}
	left.bytes.Store(2 * maxFile)
	a := arrival{modified: first.ModTime(), tag: tagOf(file, first)}
	if a.tag == known.Tag {
		return a, errUnchanged
	}
	select {
	case <-ctx.Done():
		return arrival{}, connecting(ctx, ctx.Err())
	case <-time.After(c.pause):
	}
	if err := settled(ctx, client, file, a.tag); err != nil {
		return arrival{}, err
	}
	if first.Size() > maxFile {
		return arrival{}, connecting(ctx, errTooLarge)
	}
	if err := read(ctx, client, file, first.Size(), out); err != nil {
		return arrival{}, err
	}
	return a, settled(ctx, client, file, a.tag)
}

func tagOf(file string, info fs.FileInfo) string {
	return fmt.Sprintf("%s|%d|%d", path.Base(file), info.Size(), info.ModTime().Unix())
}

// settled is errWriting when the file is not what it was at the first look.
func settled(ctx context.Context, client *sftp.Client, file, tag string) error {
	info, err := client.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errWriting
	case err != nil:
		return reading(ctx, err)
	case tagOf(file, info) != tag:
		return errWriting
	}
	return nil
}

// newest finds the file by its pattern: the one written last, and of several of
// one time the last by name.
func newest(ctx context.Context, client *sftp.Client, pattern string) (string, fs.FileInfo, error) {
	dir, last := path.Dir(pattern), path.Base(pattern)
	if !strings.ContainsAny(last, `*?[\`) {
		info, err := client.Stat(pattern)
		if errors.Is(err, fs.ErrNotExist) {
			return "", nil, &Fault{Reason: "there is no file of the name on the server; check the url, or ask whether the export has moved", Cause: err}
		}
		if err == nil && info.IsDir() {
			return "", nil, &Fault{Reason: "the url names a folder; write the pattern of the file's name behind it, such as /*.csv"}
		}
		if err != nil {
			return "", nil, reading(ctx, err)
		}
		return pattern, info, nil
	}
	entries, err := client.ReadDirContext(ctx, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, &Fault{Reason: "there is no such folder on the server; check the url", Cause: err}
	}
	if err != nil {
		return "", nil, reading(ctx, err)
	}
	if len(entries) > maxListing {
		return "", nil, tooLong()
	}
	var found string
	var info fs.FileInfo
	for _, e := range entries {
		if ok, err := path.Match(last, e.Name()); err != nil || !ok || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		full := path.Join(dir, e.Name())
		if e.Mode()&fs.ModeSymlink != 0 {
			if e, err = client.Stat(full); err != nil {
				continue // it leads nowhere
			}
		}
		if !e.Mode().IsRegular() {
			continue
		}
		if info == nil || cmp.Or(e.ModTime().Compare(info.ModTime()), strings.Compare(full, found)) > 0 {
			found, info = full, e
		}
	}
	if info == nil {
		return "", nil, &Fault{Reason: "no file in the folder matches the pattern; check the url, or ask whether the export was written"}
	}
	return found, info, nil
}

func tooLong() *Fault {
	return &Fault{Reason: fmt.Sprintf("the folder has more than %d entries; have old ones removed", maxListing)}
}

// read copies exactly size bytes, which is what the file had at both looks.
func read(ctx context.Context, client *sftp.Client, file string, size int64, out io.Writer) error {
	f, err := client.Open(file)
	if err != nil {
		return reading(ctx, err)
	}
	defer f.Close()
	n, err := f.WriteTo(out)
	switch {
	case err != nil:
		return reading(ctx, err)
	case n > size:
		return errWriting
	case n < size:
		return &Fault{Reason: fmt.Sprintf("the file broke off after %d of %d bytes; it is asked for again", n, size)}
	}
	return nil
}

func reading(ctx context.Context, err error) *Fault {
	if errors.Is(err, sftp.ErrSSHFxConnectionLost) {
		err = errors.Join(err, io.ErrUnexpectedEOF)
	}
	f := connecting(ctx, err)
	if errors.Is(err, os.ErrPermission) && ctx.Err() == nil {
		f.Denied, f.Reason = true, "the login may not read there; ask whoever runs the server for the right to list the folder and read the file"
	}
	return f
}

// connect logs in at the server that has the pinned key; left bounds what
// comes from there.
func (c collection) connect(ctx context.Context, u *url.URL, left *meter) (*ssh.Client, error) {
	methods, err := c.methods(ctx)
	if err != nil {
		return nil, err
	}
	pin := &pinned{want: c.source.HostKey}
	address := u.Host
	if u.Port() == "" {
		address = u.Host + ":22"
	}
	// A server has a key of each kind, and shows the one that is asked for first.
	for _, kinds := range keyKinds {
		var client *ssh.Client
		client, err = c.login(ctx, address, left, &ssh.ClientConfig{
			User: u.User.Username(), Auth: methods, HostKeyCallback: pin.check, HostKeyAlgorithms: kinds,
			ClientVersion: "SSH-2.0-dealer-agent",
		})
		if err == nil {
			return client, nil
		}
		if pin.met || !pin.foreign(err) {
			break
		}
	}
	if !pin.met && pin.shown != "" {
		return nil, pin.fault()
	}
	f := connecting(ctx, err)
	if pin.met && ctx.Err() == nil && strings.Contains(err.Error(), "unable to authenticate") {
		f.Denied, f.Reason = true, "the login is refused; check the user in the url, and the secret with the password or key"
	}
	return nil, f
}

func (c collection) login(ctx context.Context, address string, left *meter, config *ssh.ClientConfig) (*ssh.Client, error) {
	conn, err := c.route.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	left.bytes.Store(maxTalk)
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(handshakeTime))
	secured, channels, requests, err := ssh.NewClientConn(metered{conn, left}, address, config)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	_ = conn.SetDeadline(time.Time{})
	return ssh.NewClient(secured, channels, requests), nil
}

// handshakeTime bounds the login.
const handshakeTime = 30 * time.Second

// methods are the ways to log in that the profile gives.
func (c collection) methods(ctx context.Context) ([]ssh.AuthMethod, error) {
	var methods []ssh.AuthMethod
	if c.source.PrivateKey != "" {
		text, err := resolve(ctx, c.secrets, c.source.PrivateKey)
		if err != nil {
			return nil, err
		}
		key, err := ssh.ParsePrivateKey([]byte(strings.TrimSpace(text) + "\n"))
		if _, locked := errors.AsType[*ssh.PassphraseMissingError](err); locked {
			return nil, &Fault{Reason: "the secret " + c.source.PrivateKey + " is a key with a passphrase; store one without"}
		}
		if err != nil { // its text may quote the key
			return nil, &Fault{Reason: "the secret " + c.source.PrivateKey + " is no private key; store the whole text of the file that ssh-keygen wrote"}
		}
		methods = append(methods, ssh.PublicKeys(key))
	}
	if c.source.Password != "" {
		password, err := resolve(ctx, c.secrets, c.source.Password)
		if err != nil {
			return nil, err
		}
		methods = append(methods, ssh.Password(password), ssh.KeyboardInteractive(
			func(_, _ string, questions []string, _ []bool) ([]string, error) {
				answers := make([]string, len(questions))
				for i := range answers {
					answers[i] = password
				}
				return answers, nil
			}))
	}
	return methods, nil
}
