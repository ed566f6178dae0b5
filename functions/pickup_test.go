package functions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/cloud/lambdatest"
)

// TestTheScheduleReachesNoPrivateAddress runs the compiled importer at a turn
// of its schedule, with sources that lead to the machine it runs on and to what
// stands beside it.
func TestTheScheduleReachesNoPrivateAddress(t *testing.T) {
	s := deploy(t, "https://crm.seabright.example/adf")
	importer := lambdatest.Start(t, lambdatest.Build(t, "./feedimport"), append(s.env, "DEALER_PROFILE_MAX_AGE=0s")...)
	tick := []byte(`{"version":"0","detail-type":"Scheduled Event","source":"aws.events","time":"2026-11-30T12:00:00Z","detail":{}}`)
	invoke(t, importer, tick, nil) // a profile without sources has nothing that is due
	port := s.endpoint[strings.LastIndex(s.endpoint, ":"):]
	for name, url := range map[string]string{"metadata": "https://169.254.169.254/latest/meta-data/", "neighbour": "https://127.0.0.1" + port + "/", "sftp": "sftp://root@localhost/etc/passwd"} {
		secret := ""
		if name == "sftp" {
			secret = `, password: "ssm:/dealer/none"`
		}
		cloudtest.Put(t, s.objects, s.bucket, "config/dealer.yaml", fmt.Appendf(nil, profile+"feed: {sources: [{name: %s, url: %q%s}]}\n", "https://crm.seabright.example/adf", name, url, secret))
		invoke(t, importer, tick, nil)
		want := "private network"
		if name == "sftp" {
			want = "the secret ssm:/dealer/none cannot be read"
		}
		if log := importer.Log(); !strings.Contains(log, want) || !strings.Contains(log, `"source":"`+name+`"`) {
			t.Errorf("%s: the log is\n%s", name, log)
		}
	}
}
