package mcptools_test

import (
	"context"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/mcptools"
)

// elsewhere is a host with one dealer whose agent runs elsewhere, under a contract.
func elsewhere(t *testing.T, v aap.Version) *mcp.ClientSession {
	t.Helper()
	remote := agenttest.New(t, agenttest.Profile+"versions: [v1.3, v1.2]\n").Agent
	return hosting(t, mcptools.Network{Dealers: []mcptools.Dealer{{
		Address: "https://agent.elsewhere.example:8443/base",
		Find: func(context.Context) (*mcptools.Found, error) {
			return &mcptools.Found{Name: "Elsewhere\nMotors", Version: v, Skills: aap.Skills(), Agent: remote}, nil
		},
	}}})
}

// hosting is a host with the dealers of a network.
func hosting(t *testing.T, n mcptools.Network) *mcp.ClientSession {
	t.Helper()
	toServer, fromHost := io.Pipe()
	toHost, fromServer := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- mcptools.ServeNetwork(context.Background(), n, toServer, fromServer) }()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, nil).Connect(t.Context(), &mcp.IOTransport{Reader: toHost, Writer: fromHost}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		_ = fromHost.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return session
}

// TestPricesAreExplainedByTheContractTheyCameUnder: up to AAP v1.2 a price is
// all that a buyer pays.
func TestPricesAreExplainedByTheContractTheyCameUnder(t *testing.T) {
	before, ok := aap.VersionByLabel("v1.2")
	if !ok {
		t.Fatal("there is no v1.2")
	}
	for _, c := range []struct {
		version     aap.Version
		says, never []string
	}{
		{aap.V1_3, []string{"advertised price", `data-price="advertised"`}, []string{"out-the-door price in whole", `data-price="out-the-door"`}},
		{before, []string{"out-the-door price in whole", `data-price="out-the-door"`}, []string{"advertised price in whole", `data-price="advertised"`}},
	} {
		session := elsewhere(t, c.version)
		if _, err := session.ListTools(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		text := read(t, session, "aap://agent.elsewhere.example/fees").Text + read(t, session, "ui://dealer-agent/search-results").Text +
			promptText(t, session, "find_car", nil)
		for _, want := range c.says {
			if !strings.Contains(text, want) {
				t.Errorf("%s: nothing says %q", c.version.Label, want)
			}
		}
		for _, wrong := range c.never {
			if strings.Contains(text, wrong) {
				t.Errorf("%s: %q is said", c.version.Label, wrong)
			}
		}
		if !strings.Contains(text, "# Prices and fees of Elsewhere Motors\n") {
			t.Errorf("%s: the dealer's name is not on one line", c.version.Label)
		}
	}
}

// TestThePageLoadsNothing: everything it needs is in it, and dealer text has no
// way into its markup.
func TestThePageLoadsNothing(t *testing.T) {
	page := read(t, open(t, "", nil).connect(t, "2025-11-25"), "ui://dealer-agent/search-results")
	for _, way := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "fetch(", "XMLHttpRequest", "import ", "import(", "<link", "@import", "localStorage"} {
		if strings.Contains(page.Text, way) {
			t.Errorf("the page has %s", way)
		}
	}
	for _, address := range regexp.MustCompile(`https?://[^"' ]+`).FindAllString(page.Text, -1) {
		if address != "http://www.w3.org/2000/svg" {
			t.Errorf("the page names %s", address)
		}
	}
	if len(page.Text) > 30_000 {
		t.Errorf("the page has %d bytes", len(page.Text))
	}
}
