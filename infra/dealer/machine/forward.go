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
)

// ErrNoControl: nobody who holds the data folder takes commands.
var ErrNoControl = errors.New("whoever uses the data folder takes no commands")

// longestFrame bounds what a frame may take in memory.
const longestFrame = 64 << 20

// Forward has the machine that holds the data folder run the command line, with
// this process's input and output, and returns its exit code. ErrNoControl when
// there is no such machine.
func Forward(ctx context.Context, data string, args []string, in io.Reader, out, errs io.Writer) (int, error) {
	path, err := os.ReadFile(filepath.Join(data, controlFile))
	if err != nil {
		return 0, errors.Join(ErrNoControl, err)
	}
	conn, err := new(net.Dialer).DialContext(ctx, "unix", string(path))
	if err != nil {
		return 0, errors.Join(ErrNoControl, err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	line, err := json.Marshal(args)
	if err != nil {
		return 0, err
	}
	if _, err := conn.Write(append(line, '\n')); err != nil {
		return 0, err
	}
	go func() {
		_, _ = io.Copy(conn, in)
		if half, ok := conn.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite()
		}
	}()
	answer := bufio.NewReader(conn)
	for {
		code, done, err := readFrame(answer, out, errs)
		if err != nil {
			return 0, fmt.Errorf("the running agent broke off: %w", errors.Join(err, ctx.Err()))
		}
		if done {
			return code, nil
		}
	}
}

// readFrame passes one frame on, or returns the exit code.
func readFrame(in io.Reader, out, errs io.Writer) (code int, done bool, err error) {
	var head [5]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return 0, false, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > longestFrame {
		return 0, false, errors.New("an answer of another release")
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(in, body); err != nil {
		return 0, false, err
	}
	switch {
	case head[0] == frameOut:
		_, err = out.Write(body)
	case head[0] == frameErr:
		_, err = errs.Write(body)
	case head[0] == frameExit && n == 4:
		return int(binary.BigEndian.Uint32(body)), true, nil
	default:
		err = errors.New("an answer of another release")
	}
	return 0, false, err
}
