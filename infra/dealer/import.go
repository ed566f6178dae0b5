package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/embedded"
	"github.com/dealer-agent/dealer/pkg/feed"
)

func newImport(std streams) *cobra.Command {
	var profile, feedFile, data, page string
	var asJSON, dryRun bool
	var pages int
	var remote remoteImport
	cmd := &cobra.Command{
		Use:   "import (--profile FILE --feed FILE --data DIR | --stack STACK --feed FILE | s3://BUCKET/KEY)",
		Short: "Import an inventory export and report what it changed",
		Long: `Import reads the export as the profile says, compares it with the inventory in
the data folder and applies the difference. A file that it refuses leaves the
inventory as it was, but for vehicles that the file itself marks as sold.

With --stack the export is uploaded to AWS, where the stack imports it by the
profile it has, in a stack of many that of --dealer; an address s3://BUCKET/KEY
is one that lies there, to be replaced by --feed or else imported again. The
report is waited for and printed. The exit code is 1 when the export was refused,
and 3 when AWS cannot be reached.`,
		Example: `  dealer import --profile dealer.yaml --feed inventory.csv --data DIR --dry-run
  dealer import --stack my-dealer --feed inventory.csv
  dealer import s3://dealer-feeds-1234/feeds/inventory.csv`,
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			if aws, err := remote.onAWS(cmd, given); aws || err != nil {
				if err != nil {
					return err
				}
				remote.export = feedFile
				out, err := remote.run(cmd.Context(), func(form string, args ...any) { fmt.Fprintf(std.err, form+"\n", args...) })
				if err != nil {
					return err
				}
				return remote.show(std, out, page, asJSON)
			}
			if err := required(cmd, "profile", "feed", "data"); err != nil {
				return err
			}
			report, err := importFile(cmd, std.err, profile, feedFile, data, pages, dryRun)
			if report.File == "" {
				return err // the feed was not even opened
			}
			if asJSON {
				enc := json.NewEncoder(std.out)
				enc.SetIndent("", "  ")
				if err := enc.Encode(report); err != nil {
					return err
				}
			} else if werr := report.WriteText(std.out); werr != nil {
				return werr
			}
			if page != "" {
				if werr := writeWhole(page, func(f *os.File) error { return report.WriteHTML(f) }); werr != nil {
					return fmt.Errorf("the import is done, but its page was not written: %w", werr)
				}
			}
			if report.Refused != "" {
				return errRefusedFeed
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&profile, "profile", "", "dealer profile, a YAML `FILE`")
	flags.StringVar(&feedFile, "feed", "", "inventory export, a `FILE`")
	flags.StringVar(&data, "data", "", "`DIR` that keeps the inventory")
	flags.BoolVar(&asJSON, "json", false, "print the report as JSON")
	flags.StringVar(&page, "report-html", "", "write the report also as a page for a browser, to this `FILE`")
	flags.IntVar(&pages, "check-pages", 0, "compare the prices of the first `N` vehicles with their own pages in the web, and report what differs")
	flags.BoolVar(&dryRun, "dry-run", false, "report what would change, and change nothing")
	remote.flags(cmd)
	return cmd
}

var errRefusedFeed = errors.New("the feed was refused; the report says why")

func importFile(cmd *cobra.Command, terminal io.Writer, profile, feedFile, data string, pages int, dryRun bool) (feed.Report, error) {
	p, err := loadProfile(cmd.Context(), profile)
	if err != nil {
		return feed.Report{}, err
	}
	file, err := os.Open(feedFile)
	if err != nil {
		return feed.Report{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return feed.Report{}, err
	}
	db, err := embedded.Open(data)
	if errors.Is(err, embedded.ErrInUse) {
		return feed.Report{}, fmt.Errorf("another process is using %s; a running agent imports the file of its --feed by itself within seconds of a change, so replace that file, or stop the agent and import again", data)
	}
	if err != nil {
		return feed.Report{}, err
	}
	defer db.Close()
	bar := progress(terminal, info.Size())
	defer bar.Finish()
	importer := feed.Importer{Store: db.Inventory(), Profiles: dealer.Fixed(p), Now: time.Now}
	if pages > 0 {
		if importer.Pages, err = pagesOf(p); err != nil {
			return feed.Report{}, err
		}
		importer.ComparePages = pages
	}
	return importer.Import(cmd.Context(), feed.Source{
		Name: info.Name(), Size: info.Size(), Modified: info.ModTime(),
		Body: io.TeeReader(file, bar),
	}, dryRun)
}

// progress shows bytes read, on a terminal only: a log has no use for it.
func progress(out io.Writer, size int64) *progressbar.ProgressBar {
	f, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return progressbar.DefaultBytesSilent(size)
	}
	return progressbar.NewOptions64(size, progressbar.OptionSetWriter(f), progressbar.OptionShowBytes(true),
		progressbar.OptionSetDescription("importing"), progressbar.OptionClearOnFinish())
}
