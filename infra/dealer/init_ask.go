package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dealer-agent/dealer/infra/dealer/setup"
)

// interview collects the answers of flags, then of a person or of what follows
// from others.
type interview struct {
	out     io.Writer
	lines   *bufio.Reader
	answers setup.Answers
	// given are the questions that were answered, or were left out on purpose.
	given map[string]bool
}

// flag takes the values of a flag, if there are any.
func (i *interview) flag(q setup.Question, values []string) error {
	for _, value := range values {
		taken, err := setup.Accept(i.answers, q, value)
		if err != nil {
			return usageError{fmt.Errorf("--%s: %w", q.Flag, err)}
		}
		i.answers, i.given[q.Flag] = taken, true
	}
	return nil
}

// propose takes what can be told from the flags, and says which are missing.
func (i *interview) propose(context.Context) error {
	for _, q := range setup.Questions() {
		if i.given[q.Flag] || !q.Applies(i.answers) {
			continue
		}
		if proposal := q.Proposal(i.answers); proposal != "" {
			// What does not fit is missing, or left out.
			if taken, err := setup.Accept(i.answers, q, proposal); err == nil {
				i.answers, i.given[q.Flag] = taken, true
			}
		}
	}
	if missing := setup.Missing(i.answers, i.given); len(missing) > 0 {
		return usageError{fmt.Errorf("dealer init cannot ask here, and needs %s; `dealer init --help` explains them", flagNames(missing))}
	}
	return i.surplus()
}

// flagNames names flags, and what spares one.
func flagNames(questions []setup.Question) string {
	var names []string
	for _, q := range questions {
		switch q.Flag {
		case "phone":
			names = append(names, "--phone or --email")
		case "email": // named with the other
		case "timezone":
			names = append(names, "--timezone (or --zip or --state)")
		default:
			names = append(names, "--"+q.Flag)
		}
	}
	if last := len(names) - 1; last > 0 {
		return strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return names[0]
}

// surplus refuses a flag that has no place among the other answers.
func (i *interview) surplus() error {
	for _, q := range setup.Questions() {
		if i.given[q.Flag] && !q.Applies(i.answers) {
			return usageError{fmt.Errorf("--%s has no place here: leads go to %s, region %s; leave it out", q.Flag, i.answers.Leads, i.answers.Region)}
		}
	}
	return nil
}

// ask has a person answer what no flag did.
func (i *interview) ask(ctx context.Context) error {
	fmt.Fprint(i.out, "Enter takes what stands in brackets; - leaves a question out.\n\n")
	for _, q := range setup.Questions() {
		if i.given[q.Flag] || !q.Applies(i.answers) {
			continue
		}
		if err := i.one(ctx, q); err != nil {
			return err
		}
	}
	fmt.Fprintln(i.out)
	return i.surplus()
}

// one asks until an answer is taken, or the question may be left out.
func (i *interview) one(ctx context.Context, q setup.Question) error {
	proposal := q.Proposal(i.answers)
	for {
		answer := proposal
		if q.Ask != "" {
			var err error
			if answer, err = i.line(ctx, q.Ask, proposal); err != nil {
				return err
			}
		}
		switch {
		case answer == "-" && !q.Required(i.answers), answer == "" && !q.Required(i.answers):
			return nil
		case answer == "" || answer == "-":
			fmt.Fprintln(i.out, "  This one is needed.")
			continue
		}
		taken, err := setup.Accept(i.answers, q, answer)
		if err == nil {
			i.answers, i.given[q.Flag] = taken, true
			return nil
		}
		fmt.Fprintf(i.out, "  %v\n", err)
		if refusal, ok := errors.AsType[*setup.Refusal](err); ok && refusal.Instead != "" {
			proposal = refusal.Instead
		}
		if q.Ask == "" {
			return err
		}
	}
}

// line reads one answer. Ctrl-C ends the wait.
func (i *interview) line(ctx context.Context, ask, proposal string) (string, error) {
	if proposal != "" {
		ask += " [" + proposal + "]"
	}
	fmt.Fprint(i.out, ask+": ")
	type read struct {
		text string
		err  error
	}
	got := make(chan read, 1)
	go func() {
		text, err := i.lines.ReadString('\n')
		got <- read{text, err}
	}()
	select {
	case <-ctx.Done():
		return "", errors.New("broken off; nothing was written")
	case r := <-got:
		text := strings.TrimSpace(r.text)
		if r.err != nil && text == "" {
			return "", errors.New("the answers ended early; nothing was written")
		}
		if text == "" {
			return proposal, nil
		}
		return text, nil
	}
}
