package main

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/feed"
)

// maxPage is how much of a vehicle's page is read, in bytes.
const maxPage = 4 << 20

// webPages reads vehicles' pages. The addresses come from a file, so that
// beside the dealer's own site only public addresses are gone to.
type webPages struct{ client *http.Client }

func pagesOf(p *dealer.Profile) (feed.Pages, error) {
	site := p.URL
	for _, r := range p.Rooftops {
		if r.Website != "" {
			site = r.Website
			break
		}
	}
	client, err := guarded(site)
	return webPages{client}, err
}

// Page implements feed.Pages.
func (w webPages) Page(ctx context.Context, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/html")
	res, err := w.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d", res.StatusCode)
	}
	return io.ReadAll(io.LimitReader(res.Body, maxPage))
}
