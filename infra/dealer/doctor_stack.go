package main

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/dealer-agent/dealer/infra/dealer/doctor"
	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/inside"
	"github.com/dealer-agent/dealer/pkg/cloud/site"
)

// stackPlace is which stack to look inside, and at whose part of it; none without
// a name.
type stackPlace struct{ name, region, dealer string }

// openStack is a stack that was found; nil where none was asked for.
type openStack struct {
	stack    *cloud.Stack
	deployed cloud.Deployed
	// dealer is the one of many to look at; empty for all there are.
	dealer string
	// address is where buyers reach the agent.
	address string
}

// open finds the stack. One of many dealers is looked at as a whole where a URL
// says whose agent is examined from outside.
func (s stackPlace) open(ctx context.Context, url string) (*openStack, error) {
	if s.name == "" {
		for flag, given := range map[string]string{"region": s.region, "dealer": s.dealer} {
			if given != "" {
				return nil, usageError{fmt.Errorf("--%s goes with --stack", flag)}
			}
		}
		return nil, nil
	}
	if url != "" && s.dealer == "" {
		stack, deployed, err := cloud.OpenDeployed(ctx, s.name, s.region)
		if err != nil {
			return nil, err
		}
		return &openStack{stack: stack, deployed: deployed, address: url}, nil
	}
	ctx, stack, err := openStackFor(ctx, s.name, s.region, s.dealer, "")
	if err != nil {
		return nil, err
	}
	o := &openStack{stack.Stack, stack.deployed, stack.dealer, url}
	if url != "" {
		return o, nil
	}
	if o.address = stack.deployed.Address(); stack.dealer != "" {
		p, err := stack.profile(ctx)
		if err != nil {
			return nil, err
		}
		_, own := site.Place(stack.Settings, stack.dealer)
		o.address = cmp.Or(p.URL, own)
	}
	return o, nil
}

// findings are those of inside, in the form of the report's.
func (o *openStack) findings(ctx context.Context, within time.Duration) []doctor.Finding {
	if o == nil {
		return nil
	}
	if o.dealer != "" {
		ctx = cloud.ForDealer(ctx, o.dealer)
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
