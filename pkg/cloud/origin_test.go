package cloud_test

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

func objects(t *testing.T) (*s3.Client, string) {
	t.Helper()
	server := httptest.NewServer(gofakes3.New(s3mem.New()).Server())
	t.Cleanup(server.Close)
	client := cloudtest.Objects(server.URL)
	return client, cloudtest.Bucket(t, client)
}

func TestTheProfileIsFetchedOnceForEachVersion(t *testing.T) {
	client, bucket := objects(t)
	origin := cloud.NewOrigin(client, bucket, "dealer.yaml")
	if _, err := origin.Fetch(t.Context(), ""); err == nil || errors.Is(err, dealer.ErrNotModified) || !strings.Contains(err.Error(), "s3://"+bucket+"/dealer.yaml") {
		t.Fatalf("a missing profile: %v; want an error that names it", err)
	}
	cloudtest.Put(t, client, bucket, "dealer.yaml", []byte("one"))
	first, err := origin.Fetch(t.Context(), "")
	if err != nil || string(first.Body) != "one" || first.Tag == "" || time.Since(first.Modified) > time.Hour {
		t.Fatalf("%+v, %v", first, err)
	}
	if _, err := origin.Fetch(t.Context(), first.Tag); !errors.Is(err, dealer.ErrNotModified) {
		t.Fatalf("the same version again: %v, want ErrNotModified", err)
	}
	cloudtest.Put(t, client, bucket, "dealer.yaml", []byte("two"))
	second, err := origin.Fetch(t.Context(), first.Tag)
	if err != nil || string(second.Body) != "two" || second.Tag == first.Tag {
		t.Fatalf("%+v, %v", second, err)
	}
}

func TestABadNewProfileLeavesTheLastGoodOne(t *testing.T) {
	client, bucket := objects(t)
	put := func(name string) {
		cloudtest.Put(t, client, bucket, "dealer.yaml", fmt.Appendf(nil, `
id: seabright
name: %s
url: https://agent.seabright.example
rooftops: [{name: Harbor, timezone: America/Los_Angeles, phones: [{value: "+18315550100"}]}]
prices: {includes: all_mandatory_charges}
delivery: [{name: crm, type: https, url: "https://crm.example.com/adf"}]
`, name))
	}
	put("Seabright")
	now := time.Now()
	source := dealer.NewCache(cloud.NewOrigin(client, bucket, "dealer.yaml"), time.Minute, func() time.Time { return now }, nil)
	want := func(name string) {
		t.Helper()
		if p, err := source.Profile(t.Context()); err != nil || p.Name != name {
			t.Fatalf("%+v, %v; want %s", p, err, name)
		}
	}
	want("Seabright")
	put("Seabright Motors")
	want("Seabright")
	now = now.Add(2 * time.Minute)
	want("Seabright Motors")
	cloudtest.Put(t, client, bucket, "dealer.yaml", []byte("id: [broken"))
	now = now.Add(2 * time.Minute)
	want("Seabright Motors")
}
