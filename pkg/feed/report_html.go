package feed

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"sync"
)

//go:embed report.html
var reportPage string

// rowList is the part of a list that a page shows.
type rowList struct {
	First []RowNote
	More  int
}

var page = sync.OnceValues(func() (*template.Template, error) {
	return template.New("report").Funcs(template.FuncMap{
		"safe":    safe,
		"percent": func(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) },
		"unused":  func(use string) bool { return use == UseUnmapped || use == UseDropped },
		"dropped": func(use string) bool { return use == UseDropped },
		"of": func(n, all int) float64 {
			if all == 0 {
				return 0
			}
			return min(float64(n)/float64(all), 1)
		},
		"rows": func(rows []RowNote, total int) rowList {
			first := rows[:min(len(rows), maxListed)]
			return rowList{first, total - len(first)}
		},
	}).Parse(reportPage)
})

// Remains is what buyers find after a refusal, as a part of a sentence; "" when
// no stored inventory was looked at.
func (r Report) Remains() string { return r.remains }

// WriteHTML writes the report as one page for a browser: no script, nothing
// loaded from elsewhere, and every text of the file escaped.
func (r Report) WriteHTML(w io.Writer) error {
	t, err := page()
	if err != nil {
		return err
	}
	return t.Execute(w, r)
}
