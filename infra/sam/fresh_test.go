package sam

import (
	"net/http"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/wellknown"
)

func TestAFreshStackServesItsCardAtTheFrontDoor(t *testing.T) {
	s := deploy(t, dealerOnly)
	card := ask(t, s.Client(), http.MethodGet, s.Address+wellknown.CardPath, "")
	if card.status != http.StatusOK || !strings.Contains(card.body, `"`+s.Address+`/a2a"`) || !strings.Contains(card.body, "Seabright Motors") {
		t.Fatalf("%d %v\n%s", card.status, card.header, card.body)
	}
	if got := call(t, s, `{"type":"dealer.information.request"}`)["name"]; got != "Seabright Motors" {
		t.Errorf("the dealer is called %v", got)
	}
}
