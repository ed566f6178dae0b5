package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dealer-agent/dealer/infra/dealer/doctor"
	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/inside"
)

// stackPlace is which stack to look inside; none without a name.
type stackPlace struct{ name, region string }

// openStack is a stack that was found; nil where none was asked for.
type openStack struct {
	stack    *cloud.Stack
	deployed cloud.Deployed
}

func (s stackPlace) open(ctx context.Context) (*openStack, error) {
	if s.name == "" {
		if s.region != "" {
			return nil, usageError{errors.New("--region goes with --stack")}
		}
		return nil, nil
	}
	stack, deployed, err := cloud.OpenDeployed(ctx, s.name, s.region)
	if err != nil {
		return nil, err
	}
	return &openStack{stack, deployed}, nil
}

// address is where buyers reach the stack, if that is one dealer's.
func (o *openStack) address() (string, error) {
	if o == nil {
		return "", nil
	}
	at := o.deployed.Address()
	if o.stack.Settings.Pooled() {
		one := strings.Replace(at, "*", "ID", 1) + cloud.DealersPath + "ID"
		return "", usageError{fmt.Errorf("the stack serves many dealers; name the address of one, such as %s", one)}
	}
	return at, nil
}

// findings are those of inside, in the form of the report's.
func (o *openStack) findings(ctx context.Context, within time.Duration) []doctor.Finding {
	if o == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var out []doctor.Finding
	for _, f := range inside.Examine(ctx, o.stack, o.deployed, time.Now) {
		out = append(out, doctor.Finding{
			ID: f.ID, Verdict: doctor.Verdict(f.Verdict), Title: f.Title, Seen: doctor.Printable(f.Seen), Rule: f.Rule, URL: f.URL, Next: f.Next,
		})
	}
	return out
}
