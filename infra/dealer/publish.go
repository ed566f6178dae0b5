package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/wellknown"
)

func newPublish(std streams) *cobra.Command {
	var profile, dir string
	var remote remotePublish
	cmd := &cobra.Command{
		Use:   "publish --profile FILE (--dir DIR | --stack STACK | --bucket BUCKET)",
		Short: "Write the agent card and the other published files for a web server or bucket",
		Long: `Publish makes every file that belongs below /.well-known/ from the profile and
writes it below DIR, to be uploaded to the root of the agent's host. The profile
must have a url, since the card names it. Each line tells a file and the
Content-Type and Cache-Control to serve it with.

With --stack the profile is uploaded to AWS, for the stack to go by, and its files
are made there; without --profile they are made anew of the one that is there.
In a stack of many dealers the profile's id says whose they are, or --dealer.
With --bucket the files go into a bucket of your own, with their headers. Files
that the profile has no more are removed from either.`,
		Example: `  dealer publish --profile dealer.yaml --dir public
  dealer publish --profile dealer.yaml --stack my-dealer`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if remote.dealer != "" && remote.stack == "" {
				return usageError{errDealerAlone}
			}
			if cmd.Flags().Changed("stack") && !cmd.Flags().Changed("dir") && !cmd.Flags().Changed("bucket") {
				return remote.toStack(cmd.Context(), std, profile)
			}
			if err := required(cmd, "profile"); err != nil {
				return err
			}
			targets := 0
			for _, name := range []string{"dir", "bucket", "stack"} {
				if cmd.Flags().Changed(name) {
					targets++
				}
			}
			if targets != 1 {
				return usageError{errors.New("dealer publish needs one of --dir, --stack and --bucket")}
			}
			p, files, err := publishedBy(cmd.Context(), profile)
			if err != nil {
				return err
			}
			if remote.bucket != "" {
				return remote.toBucket(cmd.Context(), std, p, files)
			}
			for _, f := range files {
				name := filepath.Join(dir, filepath.FromSlash(f.Path))
				if err := replaceFile(name, f.Body); err != nil {
					return err
				}
				if err := tellFile(std, name, f); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&profile, "profile", "", "dealer profile, a YAML `FILE`")
	cmd.Flags().StringVar(&dir, "dir", "", "`DIR` that gets the files, as .well-known/…")
	remote.flags(cmd)
	return cmd
}

func tellFile(std streams, name string, f wellknown.File) error {
	_, err := fmt.Fprintf(std.out, "%s  %d bytes  %s  %s\n", name, len(f.Body), f.ContentType, f.CacheControl)
	return err
}

// publishedBy makes all files before any is written, so that a profile at fault
// leaves the folder as it is.
func publishedBy(ctx context.Context, profile string) (*dealer.Profile, []wellknown.File, error) {
	p, err := loadProfile(ctx, profile)
	if err != nil {
		return nil, nil, err
	}
	files, err := wellknown.Files(p)
	if errors.Is(err, wellknown.ErrNoURL) {
		return nil, nil, fmt.Errorf("%s: %w; add the address buyers reach, such as url: https://agent.example.com", profile, err)
	}
	return p, files, err
}

// replaceFile puts the body at name, whole or not at all, readable by a web server.
func replaceFile(name string, body []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return writeWhole(name, func(f *os.File) error {
		_, err := f.Write(body)
		return errors.Join(err, f.Chmod(0o644))
	})
}
