package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/dealer-agent/dealer/infra/fleet"
	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/feed"
)

// refusing is a front of the emulator that refuses writes of one key with 403.
func refusing(t *testing.T, endpoint, key string) {
	t.Helper()
	moto, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	rest := httputil.NewSingleHostReverseProxy(moto)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, key) {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, "<Error><Code>AccessDenied</Code><Message>no</Message></Error>")
			return
		}
		rest.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	t.Setenv("AWS_ENDPOINT_URL", front.URL)
}

func TestAFleetOfDealersWhoShareAStackIsPlannedAppliedWatchedAndDestroyed(t *testing.T) {
	const dealers = 200
	endpoint, stack := poolOf(t, 0)
	dir := t.TempDir()
	base, err := os.ReadFile(fixtureProfile)
	if err != nil {
		t.Fatal(err)
	}
	base = bytes.Replace(base, []byte("  - {name: outbox, type: file, folder: outbox}"), []byte("  - {name: crm, type: https, url: \"https://crm.example.com/adf\"}"), 1)
	id := func(n int) string { return fmt.Sprintf("d%03d", n) }
	write := func(name string, body []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	profile := func(n int, more string) []byte {
		return append(bytes.Replace(base, []byte("id: demo-group"), []byte("id: "+id(n)), 1), more...)
	}
	file := func(first, last int) {
		text := "fleet: nw\nmode: pooled\ndefaults: {region: us-east-1, stack: larkspur, profile: \"{id}.yaml\"}\nrooftops:\n"
		for n := first; n < last; n++ {
			text += "  - id: " + id(n) + "\n"
		}
		write("fleet.yaml", []byte(text))
	}
	for n := range dealers {
		write(id(n)+".yaml", profile(n, ""))
	}
	file(0, dealers)
	in := func(stdin string, wantCode int, wants string, args ...string) result {
		t.Helper()
		r := dealerCommand(t, stdin, append([]string{"fleet", args[0], filepath.Join(dir, "fleet.yaml"), "--template", "none.json"}, args[1:]...)...)
		if r.code != wantCode || !strings.Contains(r.out+r.err, wants) {
			t.Fatalf("%v: exit code %d, want %d and %q\n%.3000s%.3000s", args, r.code, wantCode, wants, r.out, r.err)
		}
		return r
	}
	in("", 4, "200 create\n", "plan")

	// One that fails stops no other, and the next apply makes up for it.
	real := os.Getenv("AWS_ENDPOINT_URL")
	refusing(t, endpoint, "/dealers/d007/dealer.yaml")
	in("", 1, "d007 (larkspur, us-east-1) failed: ", "apply")
	t.Setenv("AWS_ENDPOINT_URL", real)
	in("", 4, "1 create, 199 unchanged\n", "plan")
	in("", 0, "1 created, 199 unchanged\n", "apply", "--parallel", "16")

	// By content: uploaded by other means it is the same, and one byte more is another.
	cloudtest.Put(t, stack.Objects(), poolBucket, "dealers/d001/dealer.yaml", profile(1, ""))
	in("", 0, "200 unchanged\n", "plan")
	write("d002.yaml", profile(2, "\n# new\n"))
	in("", 4, `d002:
  profile "`, "plan")
	in("", 0, "1 updated", "apply", "--only", "d001,d002")
	if _, there := object(t, stack.Objects(), poolBucket, "dealers/d002/dealer.yaml"); there != string(profile(2, "\n# new\n")) {
		t.Errorf("d002 has %s", there)
	}

	// Status: published, imported, leads.
	for _, n := range []int{1, 3} {
		cloudtest.Put(t, stack.Objects(), poolBucket, cloud.RosterKey(id(n), cloud.NoHost), nil)
	}
	takenLead(t, stack.Leads(), "d001", poolLead)
	imported(t, stack, profile(1, ""))
	var list []fleet.Status
	if err := json.Unmarshal([]byte(in("", 1, "", "status", "--json").out), &list); err != nil || len(list) != dealers {
		t.Fatalf("%d dealers, %v", len(list), err)
	}
	if s := list[1]; !s.Well() || s.State != fleet.Pooled || s.LastImport == nil || s.LeadsToday == nil || *s.LeadsToday != 1 {
		t.Errorf("%+v", s)
	}
	if s := list[3]; !s.Well() || s.LastImport != nil || *s.LeadsToday != 0 {
		t.Errorf("%+v", s)
	}
	if s := list[2]; s.Well() || !strings.Contains(s.Note, "is not published") {
		t.Errorf("%+v", s)
	}
	in("", 0, "2 of 2 are well", "status", "--only", "d001,d003")

	// Who is not in the file any more stays until destroy.
	file(1, dealers)
	in("", 0, "199 unchanged, 1 not in file", "plan")
	in("", 0, "199 unchanged", "apply")
	object(t, stack.Objects(), poolBucket, "dealers/d000/dealer.yaml")
	in("nw\n", 1, "nothing was removed", "destroy", "d000")
	in("", 2, "has no profile of d999", "destroy", "d999")
	gone := in("d000\n", 0, "1 removed", "destroy", "d000")
	for _, want := range []string{"stays: what is theirs in LeadsTable " + stack.Settings.LeadsTable, "dealer leads erase --stack larkspur --dealer ID"} {
		if !strings.Contains(gone.err, want) || strings.Contains(gone.err, "come back") {
			t.Errorf("nothing says %q: %s", want, gone.err)
		}
	}
	if _, err := stack.Objects().HeadObject(context.Background(), &s3.HeadObjectInput{Bucket: aws.String(poolBucket), Key: aws.String("dealers/d000/dealer.yaml")}); err == nil {
		t.Error("the profile is still there")
	}
	in("", 0, "199 unchanged\n", "plan")
}

// imported gives the dealer of the profile an inventory.
func imported(t *testing.T, stack *cloud.Stack, profile []byte) {
	t.Helper()
	p, err := dealer.Parse(profile)
	if err != nil {
		t.Fatal(err)
	}
	export, err := os.ReadFile(fixtureFeed)
	if err != nil {
		t.Fatal(err)
	}
	importer := feed.Importer{Store: stack.Inventory(), Profiles: dealer.Fixed(p), Now: time.Now}
	if _, err := importer.Import(t.Context(), feed.Source{Name: "feed.json", Size: int64(len(export)), Modified: time.Now(), Body: bytes.NewReader(export)}, false); err != nil {
		t.Fatal(err)
	}
}
