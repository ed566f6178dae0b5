package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// car is one row of a feed.
func car(vin, stock string, price int, updated string) string {
	priced := ""
	if price > 0 {
		priced = fmt.Sprintf(`"price":%d,`, price)
	}
	return fmt.Sprintf(`{"vin":%q,"stock":%q,"vehicle_id":"v-%s",%s"year":2022,"make":"Honda","model":"Civic","condition":"used","status":"available","mileage":100,"rooftop":"North","body":"sedan","updated_at":%q}`,
		vin, stock, stock, priced, updated)
}

// The cars of two dealers; twin stands at both.
const (
	twin   = "1HGCV1F30KA000001"
	second = "1HGCV1F31KA000002"
	third  = "1HGCV1F32KA000003"
	fourth = "1HGCV1F33KA000004"
)

func northFeed() string {
	return "[" + car(twin, "N1", 21000, "2026-04-29T10:00:00Z") + "," + car(second, "N2", 0, "2026-04-28T10:00:00Z") + "," +
		car(third, "N3", 18000, "2026-04-25T10:00:00Z") + "]"
}

func southFeed() string {
	return "[" + car(twin, "S1", 20500, "2026-04-30T10:00:00Z") + "," + car(fourth, "S2", 19000, "2026-04-27T10:00:00Z") + "]"
}

// two runs two dealers, each behind a counter.
func two(t *testing.T, northLines, southLines string) (north, south *counter) {
	t.Helper()
	a, _ := lot(t, northFeed(), northLines)
	b, _ := lot(t, southFeed(), southLines)
	return before(t, a), before(t, b)
}

// found is the answer of a search over all dealers.
type found struct {
	Type string
	Data struct {
		Total, Skip, Limit int
		Vehicles           []struct {
			Dealer        string
			PriceIncludes string `json:"price_includes"`
			Vehicle       struct{ Stock string }
			AlsoAt        []struct {
				Dealer, Stock string
				Price         *int
				PriceIncludes string `json:"price_includes"`
			} `json:"also_at"`
		}
		Dealers []struct {
			Dealer, Status, Reason, Code, Message, Contract string
			Total, Compared                                 int
		}
	}
	Notes []string
}

func (f found) stocks() string {
	var list []string
	for _, v := range f.Data.Vehicles {
		list = append(list, v.Dealer+":"+v.Vehicle.Stock)
	}
	return strings.Join(list, " ")
}

func (f found) statuses() string {
	var list []string
	for _, d := range f.Data.Dealers {
		list = append(list, d.Dealer+"="+d.Status)
	}
	return strings.Join(list, " ")
}

func (h *host) search(t *testing.T, arguments string) (f found, isError bool) {
	t.Helper()
	answer, isError := h.call(t, "aap_network_search", arguments)
	raw, _ := json.Marshal(answer)
	if err := json.Unmarshal(raw, &f); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return f, isError
}

func TestTwoDealersHaveToolsOfTheirOwnAndOneSearchOverBoth(t *testing.T) {
	north, south := two(t, "", "")
	for _, revision := range revisions {
		h := connect(t, revision, nil, "--agent", "north="+north.URL, "--agent", "south="+south.URL)
		var want []string
		for _, dealer := range []string{"north", "south"} {
			for _, tool := range allTools {
				want = append(want, dealer+"__"+tool)
			}
		}
		names := h.names(t)
		if !slices.Equal(names, append([]string{"aap_network_search"}, want...)) {
			t.Fatalf("%q: tools %v\n%s", revision, names, h.stderr)
		}
		for _, name := range names {
			if !regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`).MatchString(name) {
				t.Errorf("%s is no name that every model API takes", name)
			}
		}
		list, err := h.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range list.Tools {
			a := tool.Annotations
			if len(tool.Description) < 80 || len(tool.Description) > 200 || a == nil || a.Title != tool.Title || a.DestructiveHint == nil || a.OpenWorldHint == nil || a.ReadOnlyHint == strings.HasSuffix(tool.Name, "lead_submit") {
				t.Errorf("%q: %s: %q %+v", revision, tool.Name, tool.Description, a)
			}
		}
		for dealer, stock := range map[string]string{"north": "N1", "south": "S1"} {
			answer, isError := h.call(t, dealer+"__aap_inventory_vehicle", `{"vin":"`+twin+`"}`)
			if isError || !strings.Contains(fmt.Sprint(answer), stock) {
				t.Errorf("%q: %s answered %v", revision, dealer, answer)
			}
		}
		for name, right := range map[string]string{
			"aap_inventory_search":         "Call one of: north__aap_inventory_search, south__aap_inventory_search.",
			"east__aap_inventory_search":   "aap_network_search, north__aap_dealer_information",
			"north__aap_network_search":    "aap_network_search, north__aap_dealer_information",
			"north__south__aap_lead":       "south__aap_lead_submit",
			"NORTH__aap_inventory_search":  "north__aap_inventory_search",
			"north_aap_inventory_search":   "north__aap_inventory_search",
			"__aap_inventory_search":       "north__aap_inventory_search",
			"north__":                      "north__aap_inventory_search",
			"north__aap_inventory_search ": "north__aap_inventory_search",
		} {
			if said := h.refused(t, name); !strings.Contains(said, right) {
				t.Errorf("%q: %s: %s", revision, name, said)
			}
		}
	}
	if n := strings.Count(north.text(), "agent-card.json"); n != len(revisions) {
		t.Errorf("the card was read %d times by %d hosts", n, len(revisions))
	}
}

// TestADealerThatIsSlowOrDiesHoldsUpNoOther is one session of a host: south
// stalls, comes back, and dies while it is asked.
func TestADealerThatIsSlowOrDiesHoldsUpNoOther(t *testing.T) {
	north, south := two(t, "", "")
	stall, kill := make(chan struct{}), make(chan struct{})
	mood := make(chan string, 1)
	mood <- "well"
	south.meanwhile = func(w http.ResponseWriter, r *http.Request) bool {
		now := <-mood
		mood <- now
		switch {
		case now == "slow" && r.Method == http.MethodPost:
			select {
			case <-stall:
			case <-r.Context().Done():
			}
		case now == "dying" && r.Method == http.MethodPost:
			close(kill)
			<-r.Context().Done()
			return true
		}
		return false
	}
	turn := func(to string) { <-mood; mood <- to }
	h := connect(t, "", nil, "--agent", "north="+north.URL, "--agent", "south="+south.URL, "--deadline", "2s")
	if f, _ := h.search(t, `{}`); f.statuses() != "north=answered south=answered" {
		t.Fatalf("%+v\n%s", f, h.stderr)
	}

	turn("slow")
	began := time.Now()
	f, isError := h.search(t, `{}`)
	if took := time.Since(began); isError || f.statuses() != "north=answered south=slow" || f.Data.Total != 3 || took > 15*time.Second {
		t.Errorf("with south stalling, after %v: %+v", took, f)
	}
	asked := make(chan string, 1)
	go func() {
		result, err := h.CallTool(t.Context(), &mcp.CallToolParams{Name: "south__aap_inventory_search", Arguments: json.RawMessage(`{}`)})
		asked <- fmt.Sprint(err == nil && !result.IsError)
	}()
	for range 3 {
		if answer, isError := h.call(t, "north__aap_inventory_search", `{}`); isError {
			t.Errorf("north while south stalls: %v", answer)
		}
	}
	close(stall)
	if ok := <-asked; ok != "true" {
		t.Error("south came back and did not answer what it was asked before")
	}

	turn("dying")
	searched := make(chan found, 1)
	go func() { f, _ := h.search(t, `{}`); searched <- f }()
	<-kill
	south.CloseClientConnections()
	_ = south.Listener.Close()
	if f := <-searched; f.Data.Total != 3 || f.Data.Dealers[1].Status == "answered" || f.Data.Dealers[1].Message == "" {
		t.Errorf("while south died: %+v", f)
	}
	if f, isError := h.search(t, `{}`); isError || f.Data.Dealers[1].Reason != "unreachable" || f.stocks() != "north:N1 north:N2 north:N3" {
		t.Errorf("after south died: %+v", f)
	}
	if answer, isError := h.call(t, "south__aap_inventory_search", `{}`); !isError || answer["reason"] != "unreachable" || answer["dealer"] != "south" {
		t.Errorf("south itself: %v", answer)
	}
	if answer, isError := h.call(t, "north__aap_dealer_information", `{}`); isError {
		t.Errorf("north after south died: %v", answer)
	}
}

func TestNothingLeaksBetweenDealers(t *testing.T) {
	const shibboleth = "access: {tokens: [{name: one, sha256: 9d8f3ecf8f3b1d3d7d3bbcf8c3a7b5b5d8e7b4c8a5b0f4f6e2f7a6c1b0d9e8f7}, {name: two, sha256: d0c04f4b1951e4aeaaec8223ed2039e542f3aae805a6fa7f6d794e5afff5d272}]}\n"
	north, south := two(t, tokenLines, shibboleth)
	south.meanwhile = answering(func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32000,"message":"x","data":{"type":"aap.error","error_id":"e","code":"RATE_LIMITED","message":"ask secret-of-south","retryable":true,"created_at":"2026-05-01T12:00:00Z"}}}`
	})
	h := connect(t, "", []string{"DEALER_TOKEN=plain", "DEALER_TOKEN_NORTH=sesame", "DEALER_TOKEN_SOUTH=southern"}, "--agent", "north="+north.URL, "--agent", "south="+south.URL)
	f, isError := h.search(t, `{}`)
	if isError || f.statuses() != "north=answered south=refused" || f.Data.Dealers[1].Code != "RATE_LIMITED" {
		t.Errorf("%+v", f)
	}
	if strings.Contains(fmt.Sprint(f), "secret-of-south") {
		t.Errorf("one dealer's words stand in an answer about all: %+v", f)
	}
	if answer, isError := h.call(t, "north__aap_lead_submit", buyer("")); isError {
		t.Errorf("%v", answer)
	}
	for who, text := range map[string]string{"north": north.text(), "south": south.text()} {
		for token, owner := range map[string]string{"Bearer sesame": "north", "Bearer southern": "south", "Bearer plain": "", "Rosa": "north"} {
			if strings.Contains(text, token) != (who == owner) {
				t.Errorf("%s was sent %q: %v", who, token, who != owner)
			}
		}
	}
	if text := h.stderr.String(); strings.Contains(text, "sesame") || strings.Contains(text, "southern") || strings.Contains(text, "secret-of") || strings.Contains(text, "osa") {
		t.Errorf("the log tells too much:\n%s", text)
	}
}

func TestDealersOfAFileBringTheirOwnTokens(t *testing.T) {
	north, south := two(t, tokenLines, "")
	file := filepath.Join(t.TempDir(), "dealers.yaml")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("- {name: north, url: " + north.URL + ", token_env: NORTHERN}\n- {name: south, url: " + south.URL + "}\n")
	h := connect(t, "", []string{"NORTHERN=sesame"}, "--agents", file)
	if f, _ := h.search(t, `{}`); f.statuses() != "north=answered south=answered" {
		t.Errorf("%+v\n%s", f, h.stderr)
	}
	for _, faulty := range []string{"", "[]", "name: north", "- {name: north, url: http://x.example, token: sesame}", "- {name: north, url: http://x.example, token_env: T}\n- {name: south, url: http://y.example, token_env: T}"} {
		write(faulty)
		if r := dealerCommand(t, "", "mcp", "--agents", file); r.code == 0 || r.out != "" || strings.Count(strings.TrimSpace(r.err), "\n") > 1 {
			t.Errorf("%q: %+v", faulty, r)
		}
	}
}
