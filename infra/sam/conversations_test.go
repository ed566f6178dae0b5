package sam

import (
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/dealer-agent/dealer/infra/sam/samtest"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

// likeRecorded plays the conversations that were recorded of the agent alone
// through front door, API, function and tables. Only clock and ids differ, and
// what API Gateway does to every answer.
func likeRecorded(t *testing.T, s *samtest.Stack, crm string) {
	files, err := filepath.Glob("../../pkg/a2a/testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for n, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			play(t, s, fmt.Sprint("harbor-auto-", n), crm, archive)
		})
	}
}

func play(t *testing.T, s *samtest.Stack, id, crm string, archive *txtar.Archive) {
	t.Helper()
	later := time.Now().UTC().Truncate(time.Second).Sub(agenttest.Clock)
	profile := strings.Replace(agenttest.Profile, "id: harbor-auto\n", "id: "+id+"\n", 1)
	profile = strings.Replace(profile, "{name: outbox, type: file, folder: /tmp/outbox}", `{name: crm, type: https, url: "`+crm+`/adf"}`, 1)
	for _, f := range archive.Files {
		if f.Name == "profile" {
			profile += string(f.Data)
		}
	}
	upload(t, s, s.Resource("SiteBucket"), s.Parameters["ProfileKey"].(string), []byte(profile))
	stock(t, s, profile, later)
	s.Restart("AgentFunction")
	var got, want aliases
	var sent request
	for _, f := range archive.Files {
		kind, name, _ := strings.Cut(f.Name, " ")
		text := shifted(string(f.Data), later)
		switch kind {
		case "request":
			sent = parseRequest(text)
		case "response":
			heard := strings.ReplaceAll(sent.through(t, s), id, "harbor-auto")
			if !s.API().Routes(sent.method, sent.route()) {
				if !strings.HasPrefix(heard, "404\n") || !strings.Contains(heard, `"type":"aap.error"`) || !strings.HasPrefix(text, "404\n") {
					t.Errorf("%s, which the API has no path for: %s", name, heard)
				}
				continue
			}
			if got, want := got.plain(heard), want.plain(text); got != want {
				t.Errorf("%s, %s %s:\n got %s\nwant %s", name, sent.method, sent.path, got, want)
			}
		}
	}
}

// stock puts the lot of the recorded conversations into the stack's table.
func stock(t *testing.T, s *samtest.Stack, profile string, later time.Duration) {
	t.Helper()
	p, err := dealer.Parse([]byte(profile))
	if err != nil {
		t.Fatal(err)
	}
	vehicles := agenttest.Vehicles()
	for i, v := range vehicles {
		vehicles[i].Listing.UpdatedAt = shifted(v.Listing.UpdatedAt, later)
		if !v.GoneAt.IsZero() {
			vehicles[i].GoneAt = v.GoneAt.Add(later)
		}
	}
	vouched := map[string]time.Time{}
	for _, r := range p.Rooftops {
		vouched[r.Name] = agenttest.Clock.Add(later - 2*time.Hour)
	}
	settings := cloud.Settings{InventoryTable: s.FunctionEnvironment("AgentFunction")["DEALER_INVENTORY_TABLE"]}
	change := inventory.Change{Put: vehicles, All: vehicles, Vouched: vouched}
	if _, err := cloud.NewStack(settings, s.Config()).Inventory().Apply(t.Context(), p.ID, inventory.Head{}, change); err != nil {
		t.Fatal(err)
	}
}

// request is one recorded request: method and path, headers, body.
type request struct {
	method, path string
	header       []string
	body         string
}

func parseRequest(text string) request {
	head, body, _ := strings.Cut(text, "\n\n")
	lines := strings.Split(strings.TrimSpace(head), "\n")
	r := request{body: strings.TrimSpace(body)}
	r.method, r.path, _ = strings.Cut(lines[0], " ")
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ":")
		r.header = append(r.header, strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return r
}

// route is the path alone.
func (r request) route() string {
	path, _, _ := strings.Cut(r.path, "?")
	return path
}

// added are headers that say nothing of the agent: those of servers on the way.
var added = []string{"Date", "Content-Length", "X-Amzn-Requestid", "X-Amzn-Errortype"}

// remapped is how API Gateway calls a header that it does not let through.
const remapped = "X-Amzn-Remapped-"

// through is at the stack's front door.
func (r request) through(t *testing.T, s *samtest.Stack) string {
	t.Helper()
	return r.at(t, s.Client(), s.Address)
}

// at sends the request and writes the answer as the recorded ones are written.
func (r request) at(t *testing.T, client *http.Client, base string) string {
	t.Helper()
	got := ask(t, client, r.method, base+r.path, r.body, r.header...)
	header := http.Header{}
	for name, values := range got.header {
		if !slices.Contains(added, name) {
			header[strings.TrimPrefix(name, remapped)] = values
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d\n", got.status)
	for _, name := range slices.Sorted(maps.Keys(header)) {
		fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(header[name], ", "))
	}
	fmt.Fprintf(&b, "\n%s", got.body)
	return b.String()
}

var (
	timestamp = regexp.MustCompile(`\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	uuid      = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	waiting   = regexp.MustCompile(`(Retry-After: |"retry_after_ms":)\d+`)
	length    = regexp.MustCompile(`(?m)^Content-Length: .*\n`)
)

// shifted moves every time in the text.
func shifted(text string, by time.Duration) string {
	return timestamp.ReplaceAllStringFunc(text, func(found string) string {
		at, err := time.Parse(time.RFC3339Nano, found)
		if err != nil {
			return found
		}
		return at.Add(by).Format(time.RFC3339Nano)
	})
}

// aliases name the ids of one conversation by their first appearance.
type aliases struct{ names map[string]string }

// plain is the text without what differs from one playing to the next.
func (a *aliases) plain(text string) string {
	if a.names == nil {
		a.names = map[string]string{}
	}
	text = uuid.ReplaceAllStringFunc(text, func(found string) string {
		if a.names[found] == "" {
			a.names[found] = fmt.Sprintf("id-%d", len(a.names)+1)
		}
		return a.names[found]
	})
	text = timestamp.ReplaceAllStringFunc(text, func(found string) string {
		at, err := time.Parse(time.RFC3339Nano, found)
		if away := time.Since(at).Abs(); err == nil && away < 110*time.Second {
			return "now"
		}
		return found
	})
	text = waiting.ReplaceAllString(text, "${1}n")
	return strings.TrimSpace(length.ReplaceAllString(text, ""))
}
