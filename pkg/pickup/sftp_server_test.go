package pickup_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
)

// server is an SFTP server of one folder.
type server struct {
	dir, addr string
	config    *ssh.ServerConfig
	keys      []ssh.Signer
	// cutAfter ends a connection after so many bytes; 0 never does.
	cutAfter int64
	// endless makes the listing of a folder never end.
	endless bool

	mu     sync.Mutex
	logins int
	// read is called each time a file was opened, listed each time a folder was.
	read, listed func(name string)
}

func newServer(t *testing.T, keys ...ssh.Signer) *server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{dir: t.TempDir(), addr: listener.Addr().String(), keys: keys, config: &ssh.ServerConfig{}}
	s.config.PasswordCallback = func(c ssh.ConnMetadata, password []byte) (*ssh.Permissions, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.logins++
		if c.User() == "shop" && string(password) == "hunter2" {
			return nil, nil
		}
		return nil, errors.New("no")
	}
	for _, key := range keys {
		s.config.AddHostKey(key)
	}
	var running sync.WaitGroup
	t.Cleanup(func() { listener.Close(); running.Wait() })
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() { s.serve(conn) })
		}
	})
	return s
}

// set changes how the next connections are served.
func (s *server) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func (s *server) serve(conn net.Conn) {
	defer conn.Close()
	var config ssh.ServerConfig
	s.set(func() {
		config = *s.config
		if s.cutAfter > 0 {
			conn = &cutConn{Conn: conn, left: s.cutAfter}
		}
	})
	secured, channels, requests, err := ssh.NewServerConn(conn, &config)
	if err != nil {
		return
	}
	defer secured.Close()
	go ssh.DiscardRequests(requests)
	for offered := range channels {
		channel, asked, err := offered.Accept()
		if err != nil {
			return
		}
		for r := range asked {
			_ = r.Reply(r.Type == "subsystem", nil)
			if r.Type == "subsystem" {
				go ssh.DiscardRequests(asked)
				break
			}
		}
		handlers := sftp.Handlers{FileGet: s, FileList: s}
		_ = sftp.NewRequestServer(channel, handlers).Serve()
		_ = channel.Close()
	}
}

// Fileread opens a file.
func (s *server) Fileread(r *sftp.Request) (io.ReaderAt, error) {
	f, err := os.Open(filepath.Join(s.dir, r.Filepath))
	var read func(string)
	s.set(func() { read = s.read })
	if err == nil && read != nil {
		read(r.Filepath)
	}
	return f, err
}

// Filelist lists a folder or looks at a file.
func (s *server) Filelist(r *sftp.Request) (sftp.ListerAt, error) {
	if r.Method == "List" {
		entries, err := os.ReadDir(filepath.Join(s.dir, r.Filepath))
		var infos listing
		for _, e := range entries {
			if info, err := e.Info(); err == nil {
				infos = append(infos, info)
			}
		}
		endless := false
		var listed func(string)
		s.set(func() { endless, listed = s.endless, s.listed })
		if endless {
			return unending{infos[0]}, err
		}
		if listed != nil {
			listed(r.Filepath)
		}
		return infos, err
	}
	info, err := os.Stat(filepath.Join(s.dir, r.Filepath))
	return listing{info}, err
}

type listing []os.FileInfo

func (l listing) ListAt(into []os.FileInfo, from int64) (int, error) {
	if from >= int64(len(l)) {
		return 0, io.EOF
	}
	n := copy(into, l[from:])
	if n < len(into) {
		return n, io.EOF
	}
	return n, nil
}

// unending lists one file over and over.
type unending struct{ os.FileInfo }

func (u unending) ListAt(into []os.FileInfo, _ int64) (int, error) {
	for i := range into {
		into[i] = u
	}
	return len(into), nil
}

// cutConn breaks off after so many bytes were written to it.
type cutConn struct {
	net.Conn
	left int64
}

func (c *cutConn) Write(p []byte) (int, error) {
	if c.left -= int64(len(p)); c.left < 0 {
		_ = c.Close()
		return 0, net.ErrClosed
	}
	return c.Conn.Write(p)
}

// put writes a file of a time.
func (s *server) put(t *testing.T, name, body string, at time.Time) {
	t.Helper()
	path := filepath.Join(s.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(body), 0o600), os.Chtimes(path, at, at)); err != nil {
		t.Fatal(err)
	}
}

// source reads out/*.csv with the password and the pinned key.
func (s *server) source(hostKey string) string {
	pin := ""
	if hostKey != "" {
		pin = fmt.Sprintf(", host_key: %q", hostKey)
	}
	return fmt.Sprintf(`name: dms, url: "sftp://shop@%s/out/lot-*.csv", password: "env:PASS"%s`, s.addr, pin)
}

func signer(t *testing.T, key any, err error) ssh.Signer {
	t.Helper()
	s, err2 := ssh.NewSignerFromKey(key)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	return s
}

func newKey(t *testing.T) ssh.Signer {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	return signer(t, key, err)
}

func print(key ssh.Signer) string { return ssh.FingerprintSHA256(key.PublicKey()) }
