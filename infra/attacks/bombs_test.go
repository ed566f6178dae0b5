package attacks

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
	"github.com/dealer-agent/dealer/pkg/a2a"
)

// filled repeats a piece between two ends up to the longest body that is read.
func filled(begin, piece, end string) string {
	return begin + strings.Repeat(piece, (a2a.MaxBody-len(begin)-len(end))/len(piece)) + end
}

// bombs are payloads that cost a careless reader much, as the members of a
// search's filters.
func bombs() map[string]string {
	const room = 2000 // for what stands around them
	n := a2a.MaxBody - room
	var names strings.Builder
	for i := range n / 14 {
		fmt.Fprintf(&names, `"k%07d":0,`, i)
	}
	return map[string]string{
		"deep lists":          `"make":` + strings.Repeat("[", n/2) + strings.Repeat("]", n/2),
		"deep objects":        strings.Repeat(`"a":{`, n/6) + `"a":0` + strings.Repeat("}", n/6),
		"many names":          names.String() + `"z":0`,
		"many values":         `"make":[` + strings.Repeat(`"Q",`, n/4) + `"Q"]`,
		"a number of digits":  `"price_max":1` + strings.Repeat("0", n),
		"a number of powers":  `"price_max":1e` + strings.Repeat("9", 300),
		"a small number":      `"price_max":1e-` + strings.Repeat("9", 300),
		"a long fraction":     `"price_max":0.` + strings.Repeat("3", n),
		"duplicate names":     strings.Repeat(`"make":["Kia"],`, n/15) + `"make":["Kia"]`,
		"nearly equal names":  `"make":["Kia"],"MAKE":["Kia"],"maKe":["Kia"],"\u006dake":["Kia"]`,
		"a long string":       `"query":"` + strings.Repeat("x", n) + `"`,
		"a string of escapes": `"query":"` + strings.Repeat(`\u0041`, n/6) + `"`,
		"half characters":     `"query":"` + strings.Repeat(`\ud800`, n/6) + `"`,
		"words for a search":  `"query":"` + strings.Repeat("a ", n/2) + `"`,
		"accents":             `"query":"` + strings.Repeat("\u0065\u0301\u0323", n/5) + `"`,
		"a NUL":               `"query":"\u0000"`,
		"names of prototypes": `"__proto__":{"make":["x"]},"constructor":{"prototype":{}}`,
	}
}

func TestNoBodyCostsTheAgentMoreThanItsLength(t *testing.T) {
	t.Parallel()
	v := attack(t, "access: {per_minute: 100000}\n")
	bodies := map[string]map[string]string{"/a2a": {}, "/a2a/v1.0": {}, "/mcp": {}}
	for name, filters := range bombs() {
		bodies["/a2a"][name] = message(`{"type":"inventory.search.request","filters":{` + filters + `}}`)
		bodies["/a2a/v1.0"][name] = bodies["/a2a"][name]
		bodies["/mcp"][name] = tool("aap_inventory_search", `{"filters":{`+filters+`}}`)
	}
	for path := range bodies {
		for name, body := range map[string]string{
			"brackets alone": filled("", "[", ""), "braces alone": filled("", `{"a":`, ""), "blanks": filled("", " ", ""), "a batch": filled("[", `{"jsonrpc":"2.0","id":1,"method":"x"},`, "{}]"),
			"a long id": filled(`{"jsonrpc":"2.0","id":"`, "x", `","method":"ping"}`), "a long method": filled(`{"jsonrpc":"2.0","id":1,"method":"`, "x", `"}`),
			"bytes that are no text": filled("", "\xff\xfe", ""), "nothing": "", "a mark before it": "\ufeff" + message(information),
		} {
			bodies[path][name] = body
		}
	}
	for path, all := range bodies {
		for name, body := range all {
			if len(body) > a2a.MaxBody {
				t.Fatalf("%s has %d bytes and is refused unread", name, len(body))
			}
			began := time.Now()
			got := do(t, "POST", v.url+path, body, "Accept", "application/json, text/event-stream")
			if spent := time.Since(began); spent > 5*time.Second {
				t.Errorf("%s at %s takes %v", name, path, spent)
			}
			if got.status >= 500 || len(got.body) > 2<<20 || strings.Contains(got.body, "INTERNAL_ERROR") || strings.Contains(got.body, "goroutine") {
				t.Errorf("%s at %s: %d, %d bytes: %.300s", name, path, got.status, len(got.body), got.body)
			}
		}
	}
	if log := v.out.String(); strings.Contains(log, "internal error") || strings.Contains(log, "panic") {
		t.Errorf("the agent broke inside:\n%.2000s", log)
	}
	v.stillServes(t)
}

func TestABatchIsAnsweredAtNoGreatLength(t *testing.T) {
	t.Parallel()
	v := attack(t, "access: {per_minute: 100000}\n")
	for name, one := range map[string]string{
		"lists": `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "searches": tool("aap_inventory_search", `{}`), "faults": `{"jsonrpc":"2.0","id":1,"method":"x"}`,
	} {
		for path, most := range map[string]int{"/mcp": 2 << 20, "/a2a": 4 << 10} {
			before := len(v.out.String())
			got := do(t, "POST", v.url+path, filled("[", one+",", one+"]"), "Accept", "application/json, text/event-stream", "MCP-Protocol-Version", "2025-03-26")
			if len(got.body) > most || got.status >= 500 {
				t.Errorf("%s at %s: %d, %d bytes", name, path, got.status, len(got.body))
			}
			if logged := len(v.out.String()) - before; logged > 10<<10 {
				t.Errorf("%s at %s: %d bytes of log for one request", name, path, logged)
			}
		}
	}
	v.stillServes(t)
}

// secretFile is what outside references of documents point to.
func secretFile(t *testing.T) string {
	t.Helper()
	at := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(at, []byte(unpublished), 0o600); err != nil {
		t.Fatal(err)
	}
	return at
}

// laughs is a document type whose entity "z" grows by ten with each of nine levels.
func laughs(root string) string {
	var b strings.Builder
	b.WriteString("<!DOCTYPE " + root + ` [<!ENTITY a0 "ha">`)
	for i := 1; i < 10; i++ {
		fmt.Fprintf(&b, `<!ENTITY a%d "%s">`, i, strings.Repeat(fmt.Sprintf("&a%d;", i-1), 10))
	}
	b.WriteString(`<!ENTITY z "&a9;">]>`)
	return b.String()
}

// documents are XML bombs around a body with a place for an entity, %s, and one
// for attributes, %s.
func documents(t *testing.T, root, body string) map[string]string {
	file := secretFile(t)
	at := newTrap(t)
	in := func(doctype, entity, attributes string) string {
		return `<?xml version="1.0"?>` + doctype + fmt.Sprintf(body, attributes, entity)
	}
	var many strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&many, ` a%d="x"`, i)
	}
	return map[string]string{
		"a billion laughs":      in(laughs(root), "&z;", ""),
		"one long entity":       in("<!DOCTYPE "+root+` [<!ENTITY z "`+strings.Repeat("x", 50_000)+`">]>`, strings.Repeat("&z;", 50_000), ""),
		"an entity of itself":   in("<!DOCTYPE "+root+` [<!ENTITY z "&z;">]>`, "&z;", ""),
		"a file as entity":      in("<!DOCTYPE "+root+` [<!ENTITY z SYSTEM "file://`+file+`">]>`, "&z;", ""),
		"a page as entity":      in("<!DOCTYPE "+root+` [<!ENTITY z SYSTEM "`+at.url+`/entity">]>`, "&z;", ""),
		"a DTD elsewhere":       in("<!DOCTYPE "+root+` SYSTEM "`+at.url+`/dtd">`, "", ""),
		"a parameter elsewhere": in("<!DOCTYPE "+root+` [<!ENTITY % p SYSTEM "`+at.url+`/parameter"> %p;]>`, "", ""),
		"an inclusion":          in("", `<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file://`+file+`" parse="text"/>`, ""),
		"a style sheet":         in(`<?xml-stylesheet type="text/xsl" href="`+at.url+`/style"?>`, "", ""),
		"many attributes":       in("", "", many.String()),
		"one long attribute":    in("", "", ` a="`+strings.Repeat("x", 4<<20)+`"`),
		"deep elements":         in("", strings.Repeat("<a>", 500_000)+strings.Repeat("</a>", 500_000), ""),
		"elements never closed": in("", strings.Repeat("<a>", 1_000_000), ""),
		"a comment never ended": in("", "<!--"+strings.Repeat("x", 4<<20), ""),
	}
}

// limited runs a command line with a limit on its memory and time, and reports
// what it said. It must not be killed.
func limited(t *testing.T, stdin io.Reader, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), machinetest.Command(t), args...)
	cmd.Env = append(os.Environ(), "GOGC=50")
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &out, &out
	began := time.Now()
	_ = cmd.Run() // whether it is taken or refused is the command's to judge
	if code := cmd.ProcessState.ExitCode(); code != 0 && code != 1 {
		t.Errorf("exit code %d: %.500s", code, out.String())
	}
	if spent := time.Since(began); spent > 10*time.Second {
		t.Errorf("it takes %v", spent)
	}
	if peak := peakMemory(cmd.ProcessState); peak > 400<<20 {
		t.Errorf("it takes %d MiB of memory", peak>>20)
	}
	if strings.Contains(out.String(), unpublished) || strings.Contains(out.String(), "hahahaha") || strings.Contains(out.String(), "goroutine ") {
		t.Errorf("it tells more than it should: %.500s", out.String())
	}
	return out.String()
}

func TestNoXMLFeedGrowsBeyondItsLengthOrReadsWhatIsElsewhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	profileAt := filepath.Join(dir, "dealer.yaml")
	if err := os.WriteFile(profileAt, []byte(profile), 0o600); err != nil {
		t.Fatal(err)
	}
	body := `<cars><car%s><stock>A1</stock><year>2020</year><make>Kia</make><model>Rio</model><description>%s</description></car></cars>`
	for name, document := range documents(t, "cars", body) {
		feed := filepath.Join(dir, "feed.xml")
		if err := os.WriteFile(feed, []byte(document), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			data := filepath.Join(t.TempDir(), "data")
			out := limited(t, nil, "import", "--profile", profileAt, "--feed", feed, "--data", data)
			if strings.TrimSpace(out) == "" {
				t.Error("nothing is said of it")
			}
			_ = filepath.WalkDir(data, func(path string, d os.DirEntry, err error) error {
				if err == nil && !d.IsDir() && strings.Contains(readFile(t, path), unpublished) {
					t.Errorf("%s holds what lay elsewhere", path)
				}
				return nil
			})
		})
	}
}

func TestNoADFDocumentGrowsBeyondItsLengthOrReadsWhatIsElsewhere(t *testing.T) {
	t.Parallel()
	body := `<adf><prospect%s><requestdate>2026-01-01T00:00:00Z</requestdate><vehicle><year>2020</year><make>Kia</make><model>Rio</model><comments>%s</comments></vehicle>` +
		`<customer><contact><name part="full">Pat</name><email>pat@example.com</email></contact></customer><vendor><vendorname>V</vendorname><contact><name part="full">V</name></contact></vendor></prospect></adf>`
	for name, document := range documents(t, "adf", body) {
		t.Run(name, func(t *testing.T) {
			for _, command := range []string{"check", "read"} {
				limited(t, strings.NewReader(document), "adf", command, "-")
			}
		})
	}
}

func TestNoArchiveUnpacksToMoreThanAFeedMayHave(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	profileAt := filepath.Join(dir, "dealer.yaml")
	if err := os.WriteFile(profileAt, []byte(profile), 0o600); err != nil {
		t.Fatal(err)
	}
	zeros := func(w io.Writer, n int) {
		piece := make([]byte, 1<<20)
		for range n >> 20 {
			if _, err := w.Write(piece); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, pack := range map[string]func(io.Writer){
		"bomb.gz": func(w io.Writer) { z := gzip.NewWriter(w); zeros(z, 128<<20); _ = z.Close() },
		"bomb.zip": func(w io.Writer) {
			z := zip.NewWriter(w)
			f, err := z.Create("export.csv")
			if err != nil {
				t.Fatal(err)
			}
			zeros(f, 128<<20)
			_ = z.Close()
		},
		"files.zip": func(w io.Writer) {
			z := zip.NewWriter(w)
			for i := range 60_000 {
				if _, err := z.Create(fmt.Sprintf("../../../tmp/%d.csv", i)); err != nil {
					t.Fatal(err)
				}
			}
			_ = z.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			at := filepath.Join(dir, name)
			f, err := os.Create(at)
			if err != nil {
				t.Fatal(err)
			}
			pack(f)
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			if out := limited(t, nil, "import", "--profile", profileAt, "--feed", at, "--data", filepath.Join(t.TempDir(), "data")); !strings.Contains(out, "refused") {
				t.Errorf("it is taken: %.500s", out)
			}
		})
	}
}
