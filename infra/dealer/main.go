// Command dealer runs and operates a dealer agent on one machine and speaks to
// dealer agents anywhere.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"github.com/dealer-agent/dealer/pkg/cloud"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(execute(ctx, os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}

// execute runs one command line and returns its exit code: 0 done, 1 the
// command failed, 2 the command line itself is wrong, 3 an agent that was to be
// examined, or AWS, cannot be reached.
func execute(ctx context.Context, args []string, std streams) int {
	cmd := newRoot(std)
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if !errors.Is(err, errReported) {
		fmt.Fprintln(std.err, "dealer:", told(err))
	}
	if _, ok := errors.AsType[usageError](err); ok {
		return 2
	}
	if code, ok := errors.AsType[exit](err); ok {
		return int(code)
	}
	if errors.Is(err, errUnreachable) || errors.Is(err, cloud.ErrNoAccess) {
		return 3
	}
	return 1
}

// told is an error as a terminal may show it: what it repeats, such as the name
// of a file that somebody sent, moves no cursor and begins no line.
func told(err error) string {
	text := err.Error()
	if broken, ok := errors.AsType[*fs.PathError](err); ok && strings.ContainsFunc(broken.Path, unicode.IsControl) {
		text = strings.ReplaceAll(text, broken.Path, strconv.Quote(broken.Path))
	}
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
