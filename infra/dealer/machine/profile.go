package machine

import (
	"context"
	"slices"
	"sync"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// localProfile fits a profile to this machine: its own address where the
// profile names none, and the folder of file targets.
type localProfile struct {
	dealer.Source
	url, outbox string

	mu             sync.Mutex
	loaded, fitted *dealer.Profile
}

// Profile returns a fitted copy, the same one as long as the source gives the
// same profile; the cached profile stays as it is.
func (l *localProfile) Profile(ctx context.Context) (*dealer.Profile, error) {
	p, err := l.Source.Profile(ctx)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.loaded != p {
		l.loaded, l.fitted = p, l.fit(p)
	}
	return l.fitted, nil
}

func (l *localProfile) fit(p *dealer.Profile) *dealer.Profile {
	fitted := *p
	if fitted.URL == "" {
		fitted.URL = l.url
	}
	if l.outbox != "" {
		fitted.Delivery = slices.Clone(p.Delivery)
		for i := range fitted.Delivery {
			if fitted.Delivery[i].Type == "file" {
				fitted.Delivery[i].Folder = l.outbox
			}
		}
	}
	return &fitted
}
