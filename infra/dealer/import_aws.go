package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/feeds"
)

// remoteImport is an import by a stack on AWS.
type remoteImport struct {
	stack, region, dealer string
	wait                  time.Duration
	// url is s3://BUCKET/KEY when no stack is named.
	url string
	// export is the file to upload; empty to import again what lies there.
	export string
}

func (r *remoteImport) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&r.stack, "stack", "", "import on AWS: upload the feed to this `STACK` and wait for its report")
	cmd.Flags().StringVar(&r.region, "region", "", "the `REGION` of the stack (default: the environment's)")
	dealerFlag(cmd.Flags(), &r.dealer)
	cmd.Flags().DurationVar(&r.wait, "wait", 5*time.Minute, "how long to wait for the report of the stack")
	section(cmd.Flags(), "On AWS", "stack", "region", "dealer", "wait")
}

// onAWS reports whether the command line means AWS, or what is wrong with it.
func (r *remoteImport) onAWS(cmd *cobra.Command, given []string) (bool, error) {
	if r.stack == "" && r.dealer != "" {
		return true, usageError{errDealerAlone}
	}
	if r.stack == "" && len(given) == 0 {
		return false, nil
	}
	for _, name := range []string{"profile", "data", "dry-run", "check-pages"} {
		if cmd.Flags().Changed(name) {
			return true, usageError{fmt.Errorf("--%s is for an import on this machine; the stack reads its own profile and inventory", name)}
		}
	}
	switch {
	case len(given) == 0:
		return true, required(cmd, "feed")
	case r.stack != "":
		return true, usageError{errors.New("name either --stack or an address s3://BUCKET/KEY")}
	}
	r.url = given[0]
	if bucket, key := r.object(); bucket == "" || key == cloud.FeedPrefix || !strings.HasPrefix(key, cloud.FeedPrefix) {
		return true, usageError{fmt.Errorf("%q is not s3://BUCKET/%sNAME, where a stack looks for exports", r.url, cloud.FeedPrefix)}
	}
	return true, nil
}

// object parts s3://BUCKET/KEY.
func (r *remoteImport) object() (bucket, key string) {
	rest, ok := strings.CutPrefix(r.url, "s3://")
	if !ok {
		return "", ""
	}
	bucket, key, _ = strings.Cut(rest, "/")
	return bucket, key
}

// run uploads, waits and returns the outcome.
func (r *remoteImport) run(ctx context.Context, say func(form string, args ...any)) (feeds.Outcome, error) {
	remote := feeds.Remote{Pause: time.Second}
	var stack *cloud.Stack
	var err error
	bucket, key := r.object()
	if r.stack != "" {
		stack, bucket, key, err = r.place(ctx)
	} else {
		stack, err = cloud.OpenFor(ctx, cloud.Settings{ReportPrefix: "reports/"}, r.region)
	}
	if err != nil {
		return feeds.Outcome{}, err
	}
	remote.Objects, remote.Bucket, remote.ReportPrefix = stack.Objects(), bucket, stack.Settings.ReportPrefix
	awaited, err := r.begin(ctx, remote, key)
	if err != nil {
		return feeds.Outcome{}, cloud.Access(err)
	}
	say("s3://%s/%s is there; waiting for the import …", bucket, key)
	ctx, cancel := context.WithTimeout(ctx, r.wait)
	defer cancel()
	out, err := remote.Wait(ctx, awaited)
	if errors.Is(err, feeds.ErrNoReport) {
		return out, fmt.Errorf("%w after %s; the log of the stack's FeedImportFunction says why", err, r.wait)
	}
	return out, cloud.Access(err)
}

// place is where the stack takes the export: that of one dealer of many in the
// dealer's own folder.
func (r *remoteImport) place(ctx context.Context) (stack *cloud.Stack, bucket, key string, err error) {
	ctx, s, err := openStackFor(ctx, r.stack, r.region, r.dealer, "")
	if err != nil {
		return nil, "", "", err
	}
	if bucket = s.deployed.FeedBucket(); bucket == "" {
		return nil, "", "", fmt.Errorf("the stack %s has no bucket for exports (its state is %s); is it a dealer agent, and deployed whole?", s.deployed.Name, s.deployed.Status)
	}
	if s.dealer != "" {
		if err := s.absent(ctx); err != nil {
			return nil, "", "", err
		}
	}
	return s.Stack, bucket, path.Join(cloud.FeedPrefix, s.dealer, filepath.Base(r.export)), nil
}

func (r *remoteImport) begin(ctx context.Context, remote feeds.Remote, key string) (feeds.Awaited, error) {
	if r.export == "" {
		return remote.Again(ctx, key)
	}
	file, err := os.Open(r.export)
	if err != nil {
		return feeds.Awaited{}, err
	}
	defer file.Close()
	return remote.Upload(ctx, key, file)
}

// show prints the outcome, and returns how the command ends.
func (r *remoteImport) show(std streams, out feeds.Outcome, page string, asJSON bool) error {
	var err error
	if asJSON {
		enc := json.NewEncoder(std.out)
		enc.SetIndent("", "  ")
		err = enc.Encode(out)
	} else {
		err = out.Report.WriteText(std.out)
	}
	if err == nil && page != "" {
		err = writeWhole(page, func(f *os.File) error { return out.Report.WriteHTML(f) })
	}
	switch {
	case err != nil:
		return err
	case out.Result == "refused":
		return errRefusedFeed
	case !slices.Contains([]string{"imported", "refused"}, out.Result):
		return fmt.Errorf("the import ended as %q: %s", out.Result, out.Reason)
	}
	return nil
}
