package sam

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/infra/sam/samtest"
)

// seeded takes what a test of a faulty stack would fail with.
type seeded struct {
	testing.TB
	said []string
}

func (s *seeded) Error(args ...any) { s.said = append(s.said, fmt.Sprint(args...)) }
func (s *seeded) Errorf(format string, args ...any) {
	s.said = append(s.said, fmt.Sprintf(format, args...))
}

// TestWhatATemplateForgetsIsFoundWhereItIsNeeded takes a right, a permission and
// the CloudFront secret away, and sees that somebody notices.
func TestWhatATemplateForgetsIsFoundWhereItIsNeeded(t *testing.T) {
	a := artifacts(t)
	source, err := os.ReadFile(a.Template)
	if err != nil {
		t.Fatal(err)
	}
	faulty := string(source)
	for _, fault := range [][2]string{
		{"Action: sqs:SendMessage\n", "Action: sqs:GetQueueUrl\n"},
		{"${Api}/live/*/mcp", "${Api}/live/*/tools"},
		{"- !Sub ${SiteBucket.Arn}/.well-known/*", "- !Sub ${SiteBucket.Arn}/well-known/*"}, // of API Gateway, the first
	} {
		if !strings.Contains(faulty, fault[0]) {
			t.Fatalf("the template has no %q any more", fault[0])
		}
		faulty = strings.Replace(faulty, fault[0], fault[1], 1)
	}
	a.Template = filepath.Join(t.TempDir(), "template.yaml")
	if err := os.WriteFile(a.Template, []byte(faulty), 0o600); err != nil {
		t.Fatal(err)
	}
	watched := &seeded{TB: t}
	t.Cleanup(func() { // after the stack has ended
		all := strings.Join(watched.said, "\n")
		for _, want := range []string{"AgentRole lambda.amazonaws.com: sqs:SendMessage", "SiteReaderRole apigateway.amazonaws.com: s3:GetObject", "post /mcp: the API may not call"} {
			if !strings.Contains(all, want) {
				t.Errorf("nobody finds %q, only:\n%s", want, all)
			}
		}
	})
	s := samtest.Deploy(watched, a, dealerOnly)
	profile := sampleProfile(t, "http://127.0.0.1:9")
	upload(t, s, s.Resource("SiteBucket"), s.Parameters["ProfileKey"].(string), profile)
	s.Restart()
	if got := ask(t, s.Client(), http.MethodGet, s.Address+"/.well-known/agent-card.json", ""); got.status != http.StatusNotFound {
		t.Errorf("a card that API Gateway may not read: %d %s", got.status, got.body)
	}
	got := ask(t, s.Client(), http.MethodPost, s.Address+"/mcp", "{}", "Content-Type", "application/json")
	if _, code, _ := typed(t, got); got.status != http.StatusInternalServerError || code != "INTERNAL_ERROR" {
		t.Errorf("a function that the API may not call: %d %s", got.status, got.body)
	}
	// The buyer is answered all the same: the sweeper will see to it.
	if id, _ := call(t, s, fmt.Sprintf(leadForm, "1FTFW1E50NFA10001"))["lead_id"].(string); id == "" {
		t.Error("a lead that misses the queue is lost")
	}
}
