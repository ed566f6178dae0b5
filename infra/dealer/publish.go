package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/dealer-agent/dealer/pkg/wellknown"
)

func newPublish(std streams) *cobra.Command {
	var profile, dir string
	cmd := &cobra.Command{
		Use:   "publish --profile FILE --dir DIR",
		Short: "Write the agent card and the other published files for a web server or bucket",
		Long: `Publish makes every file that belongs below /.well-known/ from the profile and
writes it below DIR, to be uploaded to the root of the agent's host. The profile
must have a url, since the card names it. Each line tells a file and the
Content-Type and Cache-Control to serve it with.`,
		Example: `  dealer publish --profile dealer.yaml --dir public`,
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := required(cmd, "profile", "dir"); err != nil {
				return err
			}
			files, err := publishedBy(cmd.Context(), profile)
			if err != nil {
				return err
			}
			for _, f := range files {
				name := filepath.Join(dir, filepath.FromSlash(f.Path))
				if err := replaceFile(name, f.Body); err != nil {
					return err
				}
				if _, err := fmt.Fprintf(std.out, "%s  %d bytes  %s  %s\n", name, len(f.Body), f.ContentType, f.CacheControl); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&profile, "profile", "", "dealer profile, a YAML `FILE`")
	cmd.Flags().StringVar(&dir, "dir", "", "`DIR` that gets the files, as .well-known/…")
	return cmd
}

// publishedBy makes all files before any is written, so that a profile at fault
// leaves the folder as it is.
func publishedBy(ctx context.Context, profile string) ([]wellknown.File, error) {
	p, err := loadProfile(ctx, profile)
	if err != nil {
		return nil, err
	}
	files, err := wellknown.Files(p)
	if errors.Is(err, wellknown.ErrNoURL) {
		return nil, fmt.Errorf("%s: %w; add the address buyers reach, such as url: https://agent.example.com", profile, err)
	}
	return files, err
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
