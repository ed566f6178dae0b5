// Command local builds the stack with the SAM CLI and serves it with
// `sam local start-api`, on an emulator of its own that holds a profile and an
// inventory. `make sam-local` runs it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	var s session
	flag.StringVar(&s.profile, "profile", "", "dealer profile, a YAML `FILE`; the sample's without one")
	flag.StringVar(&s.feed, "feed", "", "inventory export, a `FILE`; the sample's without one")
	flag.StringVar(&s.folder, "out", ".aws-sam", "`DIR` for all that is built")
	flag.IntVar(&s.port, "port", 3000, "port that the API is served at")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s.out, s.err = os.Stdout, os.Stderr
	if err := s.run(ctx); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, err)
		stop()
		os.Exit(1)
	}
}
