package stack

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
)

// checkReadBack looks whether commands find in the stack by its name what the
// template calls it.
func checkReadBack(t *testing.T, endpoint string, made stackMade) {
	t.Helper()
	d, err := cloud.ReadDeployed(t.Context(), cloudformation.NewFromConfig(cloudtest.Config(endpoint)), "seabright")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(made.Resources, d.Resources); diff != "" {
		t.Errorf("resources (-made +read):\n%s", diff)
	}
	if diff := cmp.Diff(made.Outputs, d.Outputs); diff != "" {
		t.Errorf("outputs (-made +read):\n%s", diff)
	}
	for _, name := range []string{"SiteBucket", "FeedBucket", "LeadsTable", "InventoryTable", "LeadQueue", "LeadDeadLetters"} {
		if d.Resources[name] == "" {
			t.Errorf("commands know no %s", name)
		}
	}
	if d.FeedBucket() != made.Resources["FeedBucket"] || d.Address() != made.Outputs["Address"] || d.Parameters["ProfileKey"] != "dealer.yaml" {
		t.Errorf("commands take %s, %s and %s", d.FeedBucket(), d.Address(), d.Parameters["ProfileKey"])
	}
}
