package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/site"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/wellknown"
)

// remotePublish is where published files go on AWS.
type remotePublish struct{ stack, bucket, region, dealer string }

func (r *remotePublish) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&r.stack, "stack", "", "the `STACK` that gets the profile and its files")
	cmd.Flags().StringVar(&r.bucket, "bucket", "", "the `BUCKET` that gets the files")
	cmd.Flags().StringVar(&r.region, "region", "", "the `REGION` (default: the environment's)")
	dealerFlag(cmd.Flags(), &r.dealer)
	section(cmd.Flags(), "On AWS", "stack", "bucket", "region", "dealer")
}

// toBucket writes the files, the card last.
func (r *remotePublish) toBucket(ctx context.Context, std streams, p *dealer.Profile, files []wellknown.File) error {
	stack, err := cloud.OpenFor(ctx, cloud.Settings{ProfileBucket: r.bucket}, r.region)
	if err != nil {
		return err
	}
	publisher := telling(&site.Publisher{Objects: stack.Objects(), Bucket: r.bucket}, std)
	removed, err := publisher.Put(ctx, p, files)
	if err != nil {
		return cloud.Access(err)
	}
	return tellRemoved(std, removed)
}

// telling has the publisher tell each file that it writes.
func telling(p *site.Publisher, std streams) *site.Publisher {
	p.OnFile = func(address string, f wellknown.File) { _ = tellFile(std, address, f) }
	return p
}

func tellRemoved(std streams, removed int) (err error) {
	if removed > 0 {
		_, err = fmt.Fprintf(std.out, "Removed %d that the profile has no more.\n", removed)
	}
	return err
}

// toStack uploads the profile, if there is one, and makes its files as the
// stack itself does when the profile changes.
func (r *remotePublish) toStack(ctx context.Context, std streams, profile string) error {
	var document []byte
	id := ""
	if profile != "" {
		p, err := loadProfile(ctx, profile)
		if err != nil {
			return err
		}
		if id = p.ID; r.dealer != "" && r.dealer != id {
			return usageError{fmt.Errorf("the profile is of the dealer %s, and --dealer says %.64q; leave --dealer out", id, r.dealer)}
		}
		if document, err = os.ReadFile(profile); err != nil {
			return err
		}
		for _, fault := range unfit(p) {
			fmt.Fprintln(std.err, "Mend this, or leads wait: "+fault)
		}
	}
	ctx, stack, err := openStackFor(ctx, r.stack, r.region, r.dealer, id)
	if err != nil {
		return err
	}
	if stack.Settings.ProfileBucket == "" || stack.Settings.ProfileKey == "" {
		return fmt.Errorf("the stack %s has no bucket for a profile (its state is %s); is it a dealer agent, and deployed whole?", stack.deployed.Name, stack.deployed.Status)
	}
	if document == nil && stack.dealer != "" {
		if err := stack.absent(ctx); err != nil {
			return err
		}
	}
	publisher := telling(site.Of(stack.Stack, stack.dealer, slog.New(slog.DiscardHandler)), std)
	if document != nil {
		if err := publisher.Upload(ctx, document); err != nil {
			return cloud.Access(err)
		}
		fmt.Fprintf(std.out, "s3://%s/%s  %d bytes  the profile\n", publisher.Bucket, publisher.ProfileKey, len(document))
	}
	err = publisher.Publish(ctx)
	if denied := cloud.Access(err); errors.Is(denied, cloud.ErrNoAccess) {
		return denied
	}
	if errors.Is(err, site.ErrNoProfile) {
		return fmt.Errorf("the stack %s has no profile yet; give one with --profile", stack.deployed.Name)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.out, "Buyers reach the agent at %s\n", publisher.Address())
	return err
}

// unfit says which targets of a profile cannot work on AWS.
func unfit(p *dealer.Profile) []string {
	var faults []string
	for _, t := range p.Delivery {
		if t.Type == dealer.TargetFile {
			faults = append(faults, fmt.Sprintf("target %s is of type file, and AWS has no folder; use https, ses, s3 or smtp", t.Name))
		}
		if slices.ContainsFunc(t.Secrets(), func(ref string) bool { return strings.HasPrefix(ref, "env:") }) {
			faults = append(faults, fmt.Sprintf("target %s takes its secret from the environment; on AWS write ssm: or secretsmanager:", t.Name))
		}
	}
	return faults
}
