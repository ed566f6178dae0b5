package inside_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/cloud/inside"
	"github.com/dealer-agent/dealer/pkg/cloud/site"
)

// notWell are the findings that are neither pass nor skip, as "id verdict".
func notWell(all []inside.Finding) []string {
	out := []string{}
	for _, f := range all {
		if f.Verdict == inside.Warn || f.Verdict == inside.Fail {
			out = append(out, f.ID+" "+string(f.Verdict))
		}
	}
	return out
}

func text(all []inside.Finding) string {
	var b strings.Builder
	for _, f := range all {
		fmt.Fprintf(&b, "%s %s: %s\n", f.Verdict, f.ID, f.Seen)
	}
	return b.String()
}

// TestAStackIsExaminedFromInside has one stack, which takes a while to make.
func TestAStackIsExaminedFromInside(t *testing.T) {
	w := newWorld(t)
	t.Run("a missing right is a warning that names it", func(t *testing.T) { withoutRights(t, w) })
	t.Run("every fault is found and no other", func(t *testing.T) { withFaults(t, w) })
	t.Run("of many dealers each is looked at", func(t *testing.T) { withDealers(t, w) })
}

// withFaults seeds one fault after the other.
func withFaults(t *testing.T, w *world) {
	w.waited(10*time.Minute, 10*time.Minute)
	w.waited(50*time.Minute, 3*time.Hour) // long over
	well := w.findings(t)
	if bad := notWell(well); len(bad) > 0 || len(well) != 22 {
		t.Fatalf("a well stack:\n%s", text(well))
	}
	seen := map[string]bool{}
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			f.put(t, w)
			got := w.findings(t)
			if diff := cmp.Diff(f.want, notWell(got)); diff != "" {
				t.Errorf("(-want +got):\n%s%s", diff, text(got))
			}
			if !strings.Contains(text(got), f.says) {
				t.Errorf("nothing says %q:\n%s", f.says, text(got))
			}
			for _, g := range got {
				if strings.Contains(g.Seen, "opensesame") || (g.Next != "") != (g.Verdict == inside.Warn || g.Verdict == inside.Fail) || g.Title == g.ID || g.Rule == "" {
					t.Errorf("%+v", g)
				}
			}
			if f.undo != nil {
				f.undo(t, w)
			}
		})
		for _, id := range f.want {
			seen[strings.Fields(id)[0]] = true
		}
	}
	for _, f := range well {
		if !seen[f.ID] {
			t.Errorf("%s was never seen to fail", f.ID)
		}
	}
}

// withoutRights denies each action by itself, and all
// at once: every action that is asked for is in the policy for people.
func withoutRights(t *testing.T, w *world) {
	all := w.findings(t)
	want := slices.DeleteFunc(inside.Actions(), func(a string) bool { return strings.HasPrefix(a, "cloudformation:") })
	asked := slices.Sorted(maps.Keys(w.asked))
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Fatalf("(-allowed +asked):\n%s", diff)
	}
	for _, action := range want {
		w.denied = map[string]bool{action: true}
		got := w.findings(t)
		warned := 0
		for _, f := range got {
			if f.Verdict == inside.Fail {
				t.Errorf("without %s: %+v", action, f)
			}
			if f.Verdict == inside.Warn && strings.Contains(f.Seen, action) && strings.Contains(f.Next, action) {
				warned++
			}
			if strings.Contains(f.Seen, "maxine") {
				t.Errorf("AWS's words are told: %+v", f)
			}
		}
		if warned == 0 || len(got) != len(all) {
			t.Errorf("without %s:\n%s", action, text(got))
		}
	}
	for _, action := range want {
		w.denied[action] = true
	}
	for _, f := range w.findings(t) {
		if f.Verdict == inside.Fail || f.Verdict == inside.Pass && f.ID != "inside.stack" {
			t.Errorf("without any right: %+v", f)
		}
	}
	// Answers of garbage end nothing either.
	w.denied = map[string]bool{}
	for _, action := range []string{"ses:GetAccount", "lambda:GetFunctionConfiguration", "s3:ListBucket", "sqs:GetQueueAttributes", "ssm:DescribeParameters"} {
		w.recorded[action] = "\x00not an answer"
	}
	for _, f := range w.findings(t) {
		if f.Verdict == inside.Fail || strings.Contains(f.Seen, "not an answer") {
			t.Errorf("garbage: %+v", f)
		}
	}
	w.denied, w.recorded = map[string]bool{}, map[string]string{"ses:GetAccount": account, "ses:GetEmailIdentity": domain}
}

// withDealers makes the stack one of three dealers, of which one is at fault in
// everything.
func withDealers(t *testing.T, w *world) {
	clear(w.watch.points)
	w.deployed.Parameters["Dealers"] = "many"
	settings := w.stack.Settings
	settings.ProfileKey = "dealers/"
	w.stack = cloud.NewStack(settings, w.stack.Config())
	objects, bucket := cloudtest.Objects(w.endpoint), w.deployed.Resources["SiteBucket"]
	profileOf := func(id string) []byte {
		return []byte(strings.NewReplacer("id: seabright", "id: "+id, "/dealer/", "/dealer/"+id+"/", "dealer/store", "dealer/"+id+"/store").Replace(profile))
	}
	for _, id := range []string{"harbor", "north"} {
		cloudtest.Put(t, objects, bucket, settings.ProfileKeyOf(id), profileOf(id))
		cloudtest.Parameter(t, w.endpoint, "/dealer/"+id+"/crm-token", "opensesame")
		must[any](t)(secretsmanager.NewFromConfig(w.config).CreateSecret(t.Context(), &secretsmanager.CreateSecretInput{
			Name: aws.String("dealer/" + id + "/store"), SecretString: aws.String(`{"token":"opensesame"}`),
		}))
		w.inventoryOf(t, id, w.now.Add(-2*time.Hour))
		cloudtest.Put(t, objects, w.deployed.Resources["FeedBucket"], "reports/feeds/"+id+"/lot.csv.json", fmt.Appendf(nil, `{"feed":"s3://f/feeds/%s/lot.csv","result":"imported"}`, id))
	}
	must[any](t)(objects.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: aws.String(w.deployed.Resources["FeedBucket"]), Key: aws.String("reports/feeds/lot.csv.json")}))
	if err := site.Handler(w.stack)(t.Context(), []byte(`{"source":"aws.events"}`)); err != nil {
		t.Fatal(err)
	}
	if got := w.findings(t); len(notWell(got)) > 0 || !strings.Contains(text(got), "those of 2 dealers") || !strings.Contains(text(got), "the last files of 2 dealers") {
		t.Errorf("well dealers:\n%s", text(got))
	}
	// Unpublished, without inventory, with another's secrets and a refused file.
	cloudtest.Put(t, objects, bucket, settings.ProfileKeyOf("west"), []byte(strings.Replace(string(profileOf("harbor")), "id: harbor", "id: west", 1)))
	cloudtest.Put(t, objects, bucket, settings.ProfileKeyOf("south"), profileOf("north"))
	cloudtest.Put(t, objects, w.deployed.Resources["FeedBucket"], "reports/feeds/west/lot.csv.json", []byte(`{"feed":"s3://f/feeds/west/lot.csv","result":"refused"}`))
	cloudtest.Put(t, objects, w.deployed.Resources["FeedBucket"], "reports/pickups/south/dms/lot.csv.json", []byte(`{"feed":"s3://f/pickups/south/dms/lot.csv","result":"refused"}`))
	cloudtest.Put(t, objects, w.deployed.Resources["FeedBucket"], "reports/pickups/east/dms/lot.csv.json", []byte(`{"feed":"s3://f/pickups/east/dms/lot.csv","result":"imported"}`))
	got := w.findings(t)
	want := []string{"inside.profile fail", "inside.published fail", "inside.feed-age fail", "inside.feed-report fail", "inside.secrets fail"}
	if diff := cmp.Diff(want, notWell(got)); diff != "" {
		t.Errorf("(-want +got):\n%s%s", diff, text(got))
	}
	for _, says := range []string{
		"dealers/south/dealer.yaml is of dealer north", "west: /.well-known/agent-card.json is missing", "west: nothing was imported", "feeds/west/lot.csv was refused", "pickups/south/dms/lot.csv was refused",
		"west: ssm:/dealer/harbor/crm-token is not below /dealer/west/",
	} {
		if !strings.Contains(text(got), says) {
			t.Errorf("nothing says %q:\n%s", says, text(got))
		}
	}
}
