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
type remotePublish struct{ stack, bucket, region string }

func (r *remotePublish) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&r.stack, "stack", "", "the `STACK` that gets the profile and its files")
	cmd.Flags().StringVar(&r.bucket, "bucket", "", "the `BUCKET` that gets the files")
	cmd.Flags().StringVar(&r.region, "region", "", "the `REGION` (default: the environment's)")
	section(cmd.Flags(), "On AWS", "stack", "bucket", "region")
}

// toBucket writes the files, the card last.
func (r *remotePublish) toBucket(ctx context.Context, std streams, p *dealer.Profile, files []wellknown.File) error {
	stack, err := cloud.OpenFor(ctx, cloud.Settings{ProfileBucket: r.bucket}, r.region)
	if err != nil {
		return err
	}
	publisher := publisherOf(stack, std)
	removed, err := publisher.Put(ctx, p, files)
	if err != nil {
		return cloud.Access(err)
	}
	return tellRemoved(std, removed)
}

// publisherOf tells each file that it writes.
func publisherOf(stack *cloud.Stack, std streams) *site.Publisher {
	return &site.Publisher{
		Objects: stack.Objects(), Bucket: stack.Settings.ProfileBucket, ProfileKey: stack.Settings.ProfileKey, URL: stack.Settings.URL, Log: slog.New(slog.DiscardHandler),
		OnFile: func(address string, f wellknown.File) { _ = tellFile(std, address, f) },
	}
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
		if document, err = os.ReadFile(profile); err != nil {
			return err
		}
		id = p.ID
		for _, fault := range unfit(p) {
			fmt.Fprintln(std.err, "Mend this, or leads wait: "+fault)
		}
	}
	stack, d, err := cloud.OpenDeployed(ctx, r.stack, r.region)
	if err != nil {
		return err
	}
	if stack.Settings.ProfileBucket == "" || stack.Settings.ProfileKey == "" {
		return fmt.Errorf("the stack %s has no bucket for a profile (its state is %s); is it a dealer agent, and deployed whole?", d.Name, d.Status)
	}
	publisher := publisherOf(stack, std)
	if stack.Settings.Pooled() {
		return toPool(ctx, std, publisher, stack.Settings, id, document)
	}
	if document != nil {
		if err := publisher.Upload(ctx, document); err != nil {
			return cloud.Access(err)
		}
		fmt.Fprintf(std.out, "s3://%s/%s  %d bytes  the profile\n", stack.Settings.ProfileBucket, stack.Settings.ProfileKey, len(document))
	}
	err = publisher.Publish(ctx)
	if denied := cloud.Access(err); errors.Is(denied, cloud.ErrNoAccess) {
		return denied
	}
	if errors.Is(err, site.ErrNoProfile) {
		return fmt.Errorf("the stack %s has no profile yet; give one with --profile", d.Name)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.out, "Buyers reach the agent at %s\n", d.Address())
	return err
}

// toPool uploads the profile of one dealer of many. Its files are for the stack to
// make, which knows whose host is whose.
func toPool(ctx context.Context, std streams, publisher *site.Publisher, s cloud.Settings, id string, document []byte) error {
	if document == nil {
		return errors.New("the stack serves many dealers; give the profile of one with --profile")
	}
	publisher.ProfileKey = s.ProfileKeyOf(id)
	if err := publisher.Upload(ctx, document); err != nil {
		return cloud.Access(err)
	}
	_, err := fmt.Fprintf(std.out, "s3://%s/%s  %d bytes  the profile; its files follow within seconds\n", s.ProfileBucket, publisher.ProfileKey, len(document))
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
