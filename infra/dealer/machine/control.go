package machine

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/pickup"
)

// Folder is the open data folder of a running machine, as commands see it.
type Folder struct {
	Leads     lead.Store
	Queue     lead.Queue
	Inventory inventory.Store
	Profiles  dealer.Source
	Now       func() time.Time
	// Picker fetches exports for the dealer of Profiles.
	Picker func(context.Context) (*pickup.Picker, error)
}

// Command runs one command line on the folder and returns its exit code.
type Command func(ctx context.Context, f Folder, args []string, in io.Reader, out, err io.Writer) int

const (
	// controlFile names, in the data folder, the socket of its machine.
	controlFile = "control"
	socketDirs  = ".control-*"
	// longestSocket is what every system takes as the path of a socket.
	longestSocket = 100
	longestLine   = 1 << 20
)

// The frames of an answer: a kind, the length, the bytes.
const (
	frameOut  = 'o'
	frameErr  = 'e'
	frameExit = 'x'
)

// control lets other processes of the same user work on the folder that this
// one holds: a socket in a folder that only they can enter, whose path stands
// in controlFile. A caller sends its arguments as one line of JSON, then its
// standard input; it gets frames until the exit code.
type control struct {
	listener net.Listener
	data     string
	dir      string
}

// listenControl clears away what a killed predecessor left and listens. The
// caller holds the data folder.
func listenControl(data string) (*control, error) {
	if left, err := os.ReadFile(filepath.Join(data, controlFile)); err == nil {
		// The folder may come from elsewhere: nothing but a socket's folder goes.
		dir := filepath.Dir(string(left))
		if ours, _ := filepath.Match(socketDirs, filepath.Base(dir)); ours {
			_ = os.RemoveAll(dir)
		}
	}
	if left, err := filepath.Glob(filepath.Join(data, socketDirs)); err == nil {
		for _, dir := range left {
			_ = os.RemoveAll(dir)
		}
	}
	parent, err := filepath.Abs(data)
	if err != nil {
		return nil, err
	}
	if len(parent)+len(socketDirs)+16 > longestSocket {
		parent = "" // the system's folder for temporary files
	}
	dir, err := os.MkdirTemp(parent, socketDirs) // 0700
	if err != nil {
		return nil, err
	}
	c := &control{data: data, dir: dir}
	path := filepath.Join(dir, "s")
	if c.listener, err = net.Listen("unix", path); err == nil {
		err = os.WriteFile(filepath.Join(data, controlFile), []byte(path), 0o600)
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

func (c *control) close() error {
	if c == nil {
		return nil
	}
	var err error
	if c.listener != nil {
		if err = c.listener.Close(); errors.Is(err, net.ErrClosed) {
			err = nil
		}
		_ = os.Remove(filepath.Join(c.data, controlFile))
	}
	return errors.Join(err, os.RemoveAll(c.dir))
}

// serve runs commands until ctx ends, then waits for those under way.
func (c *control) serve(ctx context.Context, f Folder, run Command) error {
	if c == nil {
		return nil
	}
	var running sync.WaitGroup
	defer running.Wait()
	defer context.AfterFunc(ctx, func() { c.listener.Close() })()
	for {
		conn, err := c.listener.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the control socket: %w", err)
		}
		running.Go(func() { answer(ctx, conn, f, run) })
	}
}

func answer(ctx context.Context, conn net.Conn, f Folder, run Command) {
	defer conn.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// Nobody reads input any more once the machine stops.
	defer context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Now()) })()
	in := bufio.NewReader(io.LimitReader(conn, 1<<40))
	var args []string
	line, err := readLine(in)
	if err != nil || json.Unmarshal(line, &args) != nil {
		return
	}
	w := &frames{out: conn, broken: cancel}
	code := run(ctx, f, args, in, frame{w, frameOut}, frame{w, frameErr})
	_ = w.write(frameExit, binary.BigEndian.AppendUint32(nil, uint32(code)))
}

func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for len(line) < longestLine {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
	return nil, errors.New("the command line is too long")
}

// frames writes frames one at a time; broken is called when nobody reads them.
type frames struct {
	mu     sync.Mutex
	out    io.Writer
	broken func()
}

func (f *frames) write(kind byte, body []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	head := binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(body)))
	_, err := f.out.Write(append(head, body...))
	if err != nil {
		f.broken()
	}
	return err
}

type frame struct {
	*frames
	kind byte
}

func (f frame) Write(p []byte) (int, error) {
	if err := f.write(f.kind, p); err != nil {
		return 0, err
	}
	return len(p), nil
}
