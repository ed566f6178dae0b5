package peers

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
)

// The official bridge of MCP Apps hosts, and what drives a browser with it.
const (
	mcpApps   = "@modelcontextprotocol/ext-apps@2.0.4"
	bundler   = "esbuild@0.28.2"
	puppeteer = "puppeteer-core@24.43.1"
	auditor   = "axe-core@4.14.1"
	zod       = "zod@4.2.0"
)

// appCase is one view of the page in a host.
type appCase struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments,omitempty"`
	Raw       any            `json:"raw,omitempty"` // shown instead of a result of the agent's
	Cancelled bool           `json:"cancelled,omitempty"`
	Waiting   bool           `json:"waiting,omitempty"`
	Context   map[string]any `json:"context,omitempty"`
	Changed   map[string]any `json:"changed,omitempty"`
	Scheme    string         `json:"scheme,omitempty"`
	Width     int            `json:"width"`
	OpenLinks bool           `json:"openLinks,omitempty"`
	Press     bool           `json:"press,omitempty"`
}

// appSeen is what the browser showed.
type appSeen struct {
	Meta map[string]any
	Page struct {
		URI, MIMEType string
		Bytes         int
		CSP           struct{ ConnectDomains, ResourceDomains []string }
	}
	Plain struct {
		Meta      map[string]any
		Resources []string
	}
	Resources  []string
	Extensions map[string]any
	Views      []appView
}

type appView struct {
	Name, Heading, Range, Note, State, Background, Text string
	Fault, Pwned, Overflows                             bool
	Cards                                               []appCard
	Elements, Asked, Said, Audit                        []string
	Scripts                                             int
	Host                                                struct {
		Opened, Errors []string
		App            struct{ Name, Version string }
		Height, Sizes  int
	}
}

type appCard struct {
	Title, Price, Alt, AsOf, Open string
	Holds, Fees, Facts, Badges    []string
	Loaded, Blank                 bool
}

// photos serves a picture of each vehicle that has one.
func photos(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, ".png") {
			http.NotFound(w, r)
			return
		}
		picture := image.NewRGBA(image.Rect(0, 0, 320, 200))
		for y := range 200 {
			for x := range 320 {
				c := color.RGBA{R: uint8(70 + y/3), G: uint8(110 + y/4), B: uint8(150 + x/8), A: 255}
				if y > 120 {
					c = color.RGBA{R: 86, G: 88, B: 92, A: 255}
				}
				if x > 70 && x < 250 && y > 90 && y < 140 || x > 110 && x < 210 && y > 60 && y <= 90 {
					c = color.RGBA{R: 178, G: 34, B: 40, A: 255}
				}
				picture.Set(x, y, c)
			}
		}
		_ = png.Encode(w, picture) // fails when the browser hung up
	}))
	t.Cleanup(s.Close)
	return s
}

// appFeed is a lot with each way of stating a price.
func appFeed(t *testing.T, pictures string) string {
	t.Helper()
	vehicles := []map[string]any{
		{"vin": "1HGCV1F30KA000001", "stock": "T100", "year": 2022, "make": "Honda", "model": "Civic", "trim": "EX", "condition": "cpo", "status": "available", "price": 26780,
			"mileage": 22150, "rooftop": "North", "exterior_color": "Crystal Black Pearl", "photos": []string{pictures + "/civic.png"}, "vdp_url": "https://www.demo.example/civic",
			"fees": []any{map[string]any{"name": "Documentation", "amount": 500}, map[string]any{"name": "Protection package", "amount": 1290}}, "updated_at": "2026-04-30T10:15:00Z"},
		{"stock": "T101", "year": 2024, "make": "Honda", "model": "CR-V", "trim": "Touring", "condition": "new", "status": "intransit", "list_price": 37990, "msrp": 38990,
			"rooftop": "North", "photos": []string{pictures + "/gone.jpg"}, "updated_at": "2026-04-30T08:00:00Z"},
		{"vin": "JM1BK32F781234567", "stock": "S200", "year": 2021, "make": "Mazda", "model": "3", "condition": "used", "status": "pending", "price": 18500, "mileage": 40000,
			"rooftop": "South", "updated_at": "2026-04-29T00:00:00Z"},
		{"vin": "5YJ3E1EA7KF000316", "stock": "T102", "year": 2019, "make": "Tesla", "model": "Model 3", "condition": "used", "status": "available", "price": 23900, "mileage": 51000,
			"rooftop": "North", "photos": []string{pictures + "/model3.png"}, "updated_at": "2026-04-27T00:00:00Z"},
	}
	raw, err := json.Marshal(vehicles)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "feed.json")
	if err := os.WriteFile(name, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// hostile is the answer of a dealer's agent that tries to run scripts in the
// host's page; an import here takes markup out of a feed.
func hostile(elsewhere string) any {
	const attack = `"><img src=x onerror=window.pwned=true><script>window.pwned=true</script>`
	const script = "javascript:window.pwned=true"
	return map[string]any{"content": []any{map[string]any{"type": "text", "text": "{}"}}, "structuredContent": map[string]any{
		"type": "inventory.search.response", "message": attack, "data": map[string]any{"total": 1, "skip": 0, "vehicles": []any{map[string]any{
			"stock": "<b>1</b>", "year": attack, "make": "Hostile", "model": attack, "trim": "<svg/onload=window.pwned=true>", "condition": "__proto__", "status": "constructor",
			"price": 9000, "mileage": "<iframe srcdoc=x>", "rooftop": attack, "exterior_color": script, "photos": []any{script, "data:text/html,x", elsewhere + "/x.png"},
			"vdp_url": script, "updated_at": attack, "fees": []any{map[string]any{"name": attack, "amount": attack}, nil},
		}}},
	}}
}

func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	aaptest.Missing(t, "chromium")
	return ""
}

// TestSearchResultsInAHostOfMCPApps shows the real answers of a running agent
// in a real browser: the official client fetches them, the official bridge
// talks to the page.
func TestSearchResultsInAHostOfMCPApps(t *testing.T) {
	browser := chromium(t)
	folder := npmInstall(t, mcpApps, mcpClientAt, zod, bundler, puppeteer, auditor)
	pictures := photos(t)
	var reached atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(elsewhere.Close)
	at := serveFeed(t, "", appFeed(t, pictures.URL))
	cases := []appCase{
		{Name: "all", Width: 820, OpenLinks: true, Press: true, Context: map[string]any{"theme": "light", "locale": "en-US", "timeZone": "America/Denver"}},
		{Name: "small", Width: 320, Scheme: "dark"},
		{Name: "dark", Width: 820, OpenLinks: true, Changed: map[string]any{"theme": "dark"}, Context: map[string]any{"theme": "light", "locale": "not a locale", "timeZone": "Nowhere/None"}},
		{Name: "page", Width: 640, Arguments: map[string]any{"pagination": map[string]any{"skip": 1, "limit": 2}, "sort": map[string]any{"field": "price", "order": "asc"}}},
		{Name: "empty", Width: 640, Arguments: map[string]any{"filters": map[string]any{"make": []string{"Hnda"}}}},
		{Name: "refused", Width: 640, Arguments: map[string]any{"filters": map[string]any{"color": []string{"red"}}}},
		{Name: "cancelled", Width: 640, Cancelled: true},
		{Name: "waiting", Width: 640, Waiting: true},
		{Name: "odd", Width: 640, Raw: map[string]any{"content": []any{map[string]any{"type": "text", "text": "no JSON"}}}},
		{Name: "hostile", Width: 640, OpenLinks: true, Raw: hostile(elsewhere.URL)},
		{Name: "text only", Width: 640, Raw: map[string]any{"content": []any{map[string]any{"type": "text", "text": `{"type":"inventory.search.response","data":{"total":1,"vehicles":[` +
			`{"stock":"Q","status":"available","price":"12000","updated_at":"soon","photos":"x","fees":[]},null]}}`}}}},
	}
	var seen appSeen
	runNode(t, folder, "app.mjs", map[string]any{"mcp": at + "/mcp", "chrome": browser, "cases": cases, "shots": os.Getenv("APP_SCREENSHOTS")}, &seen)

	t.Run("what is declared", func(t *testing.T) {
		if ui, _ := seen.Meta["ui"].(map[string]any); ui["resourceUri"] != seen.Page.URI || !strings.HasPrefix(seen.Page.URI, "ui://") {
			t.Errorf("the tool names %v, the page is %s", seen.Meta["ui"], seen.Page.URI)
		}
		if seen.Page.MIMEType != "text/html;profile=mcp-app" || seen.Page.Bytes < 1000 || seen.Page.Bytes > 30_000 {
			t.Errorf("%+v", seen.Page)
		}
		if got := seen.Page.CSP; !slices.Equal(got.ResourceDomains, []string{pictures.URL}) || len(got.ConnectDomains) > 0 {
			t.Errorf("the page asks for %+v, it needs photos from %s", got, pictures.URL)
		}
		if _, ok := seen.Extensions["io.modelcontextprotocol/ui"]; !ok || !slices.Contains(seen.Resources, seen.Page.URI) {
			t.Errorf("extensions %v, resources %v", seen.Extensions, seen.Resources)
		}
		// A host that does not name the extension is not told of it.
		if seen.Plain.Meta["ui"] != nil || seen.Plain.Meta["aap_skill_id"] != "inventory.search" || slices.Contains(seen.Plain.Resources, seen.Page.URI) || len(seen.Plain.Resources) == 0 {
			t.Errorf("%+v", seen.Plain)
		}
	})
	views := map[string]appView{}
	for _, v := range seen.Views {
		views[v.Name] = v
		t.Run("every view "+v.Name, func(t *testing.T) {
			if v.Pwned || v.Scripts != 1 || slices.ContainsFunc(v.Elements, func(e string) bool { return e == "b" || e == "iframe" }) {
				t.Errorf("dealer text became markup: %v", v.Elements)
			}
			for _, url := range v.Asked {
				if !strings.HasPrefix(url, pictures.URL+"/") {
					t.Errorf("the page asked for %s", url)
				}
			}
			if v.Overflows || len(v.Audit) > 0 || len(v.Host.Errors) > 0 || v.Host.Sizes == 0 || v.Host.Height < 50 || v.Host.App.Name == "" {
				t.Errorf("overflows %v\naudit %s\nhost %+v", v.Overflows, strings.Join(v.Audit, "\n"), v.Host)
			}
		})
	}
	if len(views) != len(cases) {
		t.Fatalf("%d views of %d", len(views), len(cases))
	}
	t.Run("cards", func(t *testing.T) { judgeCards(t, views["all"]) })
	t.Run("dealer text stays text", func(t *testing.T) {
		judgeHostile(t, views["hostile"])
		if n := reached.Load(); n > 0 {
			t.Errorf("%d requests to a host that the page did not declare", n)
		}
	})
	t.Run("themes", func(t *testing.T) {
		light, dark, small := views["all"].Background, views["dark"].Background, views["small"].Background
		if light != "rgb(255, 255, 255)" || dark != small || dark == light {
			t.Errorf("light %s, dark by the host %s, dark by the system %s", light, dark, small)
		}
	})
	t.Run("a locale and a time zone that do not exist", func(t *testing.T) {
		if c := views["dark"].Cards[0]; c.Price != "$26,780" || c.AsOf != "As of Apr 30, 2026" {
			t.Errorf("%+v", c)
		}
	})
	t.Run("states", func(t *testing.T) { judgeStates(t, views) })
}

const holds = "Advertised price. Includes all mandatory dealer charges. Tax, title and registration are extra."

func judgeCards(t *testing.T, v appView) {
	if v.Heading != "4 vehicles" || v.Range != "" || v.State != "" || len(v.Cards) != 4 {
		t.Fatalf("%q %q %q, %d cards", v.Heading, v.Range, v.State, len(v.Cards))
	}
	want := []appCard{
		{Title: "2022 Honda CivicEX", Price: "$26,780", Holds: []string{holds}, Fees: []string{"Documentation$500", "Protection package$1,290"},
			Facts: []string{"Mileage", "22,150 miles", "Location", "North", "Color", "Crystal Black Pearl", "Stock", "T100"}, Badges: []string{"Certified pre-owned"},
			Alt: "Photo of 2022 Honda Civic EX Crystal Black Pearl", Loaded: true, AsOf: "As of Apr 30, 2026", Open: "Open the dealer's page of 2022 Honda Civic EX"},
		{Title: "2024 Honda CR-VTouring", Price: "Price not published", Holds: []string{"Ask the dealer for the price of this vehicle."},
			Facts: []string{"Location", "North", "Stock", "T101"}, Badges: []string{"New", "In transit"}, Blank: true, AsOf: "As of Apr 30, 2026"},
		{Title: "2021 Mazda 3", Price: "$18,500", Holds: []string{holds}, Facts: []string{"Mileage", "40,000 miles", "Location", "South", "Stock", "S200"},
			Badges: []string{"Used", "Sale pending"}, Blank: true, AsOf: "As of Apr 28, 2026"},
		{Title: "2019 Tesla Model 3", Price: "$23,900", Holds: []string{holds}, Facts: []string{"Mileage", "51,000 miles", "Location", "North", "Stock", "T102"},
			Badges: []string{"Used"}, Alt: "Photo of 2019 Tesla Model 3", Loaded: true, AsOf: "As of Apr 26, 2026"},
	}
	for i := range want {
		if diff := cmp.Diff(want[i], v.Cards[i], emptyIsNil); diff != "" {
			t.Errorf("card %d (-want +got):\n%s", i, diff)
		}
	}
	if !slices.Equal(v.Host.Opened, []string{"https://www.demo.example/civic"}) {
		t.Errorf("opened %v", v.Host.Opened)
	}
	// What is not the price is shown nowhere.
	if text := fmt.Sprint(v.Cards); strings.Contains(text, "37,990") || strings.Contains(text, "38,990") {
		t.Errorf("a list price stands where no price is published: %s", text)
	}
}

var emptyIsNil = cmp.Transformer("empty", func(s []string) []string { return append([]string(nil), s...) })

// judgeHostile: the text is all there, as text, and no address of it is used
// that the page did not declare.
func judgeHostile(t *testing.T, v appView) {
	if len(v.Cards) != 1 || !strings.Contains(v.Note, "<script>window.pwned=true</script>") {
		t.Fatalf("%+v", v)
	}
	card := v.Cards[0]
	if !strings.Contains(card.Title, "<script>window.pwned=true</script>") || !strings.Contains(card.Title, "<svg/onload") || card.Open != "" || card.Loaded || !card.Blank ||
		card.Price != "$9,000" || len(card.Badges) > 0 || card.AsOf != "Date not stated" || !strings.Contains(card.Fees[0], "<img") {
		t.Errorf("%+v", card)
	}
}

func judgeStates(t *testing.T, views map[string]appView) {
	for name, want := range map[string]struct {
		state string
		fault bool
	}{
		"empty": {"No vehicles found", false}, "refused": {"The search was not answered", true}, "cancelled": {"The search was stopped", false},
		"waiting": {"Searching", false}, "odd": {"This result cannot be shown", true},
	} {
		v := views[name]
		if !strings.HasPrefix(v.State, want.state) || v.Fault != want.fault || len(v.Cards) > 0 {
			t.Errorf("%s: %q, fault %v, %d cards", name, v.State, v.Fault, len(v.Cards))
		}
	}
	// The agent's own words, which say what to change.
	for _, name := range []string{"empty", "refused"} {
		var payload struct{ Message string }
		if err := json.Unmarshal([]byte(views[name].Text), &payload); err != nil || payload.Message == "" || !strings.Contains(views[name].State, payload.Message) {
			t.Errorf("%s: %q does not hold %q", name, views[name].State, payload.Message)
		}
	}
	if v := views["page"]; v.Heading != "4 vehicles" || v.Range != "Showing 2 to 3" || len(v.Cards) != 2 || v.Cards[0].Price != "$23,900" {
		t.Errorf("%+v", v)
	}
	if v := views["text only"]; v.Heading != "1 vehicle" || len(v.Cards) != 1 || v.Cards[0].Price != "Price not published" || v.Cards[0].AsOf != "Date not stated" || v.Cards[0].Title != "Vehicle Q" {
		t.Errorf("%+v", v)
	}
}
