package machine

import (
	"context"
	"testing"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// given is a source of whatever it points to.
type given struct{ profile *dealer.Profile }

func (g *given) Profile(context.Context) (*dealer.Profile, error) { return g.profile, nil }

func TestALoadedProfileIsFittedOnce(t *testing.T) {
	source := &given{&dealer.Profile{ID: "one", Delivery: []dealer.Target{{Type: "file", Folder: "mine"}}}}
	l := &localProfile{Source: source, url: "http://127.0.0.1:8080", outbox: "out"}
	take := func() *dealer.Profile {
		p, err := l.Profile(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	first := take()
	if first.URL != l.url || first.Delivery[0].Folder != "out" || source.profile.URL != "" || source.profile.Delivery[0].Folder != "mine" {
		t.Errorf("fitted %+v of %+v", first, source.profile)
	}
	if take() != first {
		t.Error("the same profile is fitted again")
	}
	source.profile = &dealer.Profile{ID: "two", URL: "https://two.example"}
	if second := take(); second.ID != "two" || second.URL != "https://two.example" {
		t.Errorf("after a reload: %+v", second)
	}
}
