package feed

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// WriteText writes the report for people, at most 100 characters a line where
// the file's own texts allow it.
func (r Report) WriteText(w io.Writer) error {
	out := bufio.NewWriter(w)
	p := func(format string, args ...any) { fmt.Fprintf(out, format, args...) }

	p("%s", r.File)
	if r.Format != "" {
		p(" (%s", r.Format)
		if r.Encoding != "" {
			p(", %s", r.Encoding)
		}
		p(")")
	}
	p("\n")
	if !r.FeedTime.IsZero() {
		p("as of %s\n", r.FeedTime.UTC().Format(time.RFC3339))
	}
	switch {
	case r.Refused != "" && r.DryRun:
		p("dry run, REFUSED: %s\n", r.Refused)
	case r.Refused != "":
		p("REFUSED: %s\n", r.Refused)
	case r.DryRun:
		p("dry run, nothing was changed\n")
	}
	p("\n%8d rows\n%8d accepted, %d of them for sale\n%8d merged into an earlier row\n%8d rejected\n",
		r.Rows, r.Accepted, r.Visible, r.Merged, r.Rejected)
	for _, why := range sortedKeys(r.Hidden) {
		p("%8d hidden: %s\n", r.Hidden[why], why)
	}
	if r.WithoutPhotos > 0 {
		p("%8d for sale without a photo\n", r.WithoutPhotos)
	}
	p("\n%s\n", r.Prices.Says)
	if c := r.Changes; c != nil {
		p("\nchanges: %d added, %d changed, %d unchanged, %d gone\n", c.Added, c.Changed, c.Unchanged, c.Gone)
		if c.ByHand > 0 {
			p("  %d as said by hand, after this file was written\n", c.ByHand)
		}
		if c.Overruled > 0 {
			p("  %d said by hand and ended by this file, which is newer\n", c.Overruled)
		}
		for _, k := range c.Kept {
			p("  kept as it was: %s (%s)\n", safe(k.Rooftop), safe(k.Reason))
		}
	}
	r.writeRows(p)
	if len(r.Warnings) > 0 {
		p("\nwarnings\n")
		for _, x := range r.Warnings {
			if x.Line > 0 {
				p("%8d  %s (first on line %d)\n", x.Count, x.Text, x.Line)
			} else {
				p("%8s  %s\n", "", x.Text)
			}
		}
	}
	if len(r.Columns) > 0 {
		p("\ncolumns\n")
		width := 0
		for _, c := range r.Columns {
			width = max(width, utf8.RuneCountInString(c.Header))
		}
		for _, c := range r.Columns {
			p("  %s%s  %s\n", c.Header, strings.Repeat(" ", width-utf8.RuneCountInString(c.Header)), c.Use)
		}
	}
	if len(r.Fill) > 0 && r.Accepted > 0 {
		p("\nfilled\n")
		for _, f := range r.Fill {
			p("  %-18s %5.1f %%  %d\n", f.Member, 100*f.Share, f.Count)
		}
	}
	return out.Flush()
}

func (r Report) writeRows(p func(string, ...any)) {
	list := func(title string, rows []RowNote, total int) {
		if len(rows) == 0 {
			return
		}
		p("\n%s\n", title)
		rows = rows[:min(len(rows), maxListed)]
		for _, x := range rows {
			p("  line %d: %s\n", x.Line, x.Reason)
		}
		if total > len(rows) {
			p("  and %d more; the JSON report lists up to 10,000\n", total-len(rows))
		}
	}
	list("rejected", r.RejectedRows, r.Rejected)
	list("merged", r.MergedRows, r.Merged)
}
