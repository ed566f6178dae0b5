package machine_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// TestEveryListedContractIsAtItsURL asks the running agent at every URL that
// any contract has.
func TestEveryListedContractIsAtItsURL(t *testing.T) {
	d := open(t, add("versions: [v1.3, v1.1, v0.1]"))
	rpc := `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":{"type":"dealer.information.request"}}]}}}`
	rest := `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":{"type":"dealer.information.request"}}]}}`
	for _, v := range aap.Versions() {
		listed := strings.Contains("v1.3 v1.1 v0.1", v.Label)
		for path, body := range map[string]string{v.Path(): rpc, v.Path() + "/": rpc, v.VersionPath(): rpc, v.VersionPath() + "/": rpc, v.Path() + "/message:send": rest} {
			want := http.StatusNotFound
			if listed && (body == rpc || v.REST) {
				want = http.StatusOK
			}
			status, answer := d.postTo(t, path, body)
			if status != want || !json.Valid([]byte(answer)) || want == http.StatusOK && !strings.Contains(answer, `"dealer.information.response"`) {
				t.Errorf("POST %s: %d, want %d: %s", path, status, want, answer)
			}
		}
		_, body := d.get(t, "/.well-known/agent-card-"+v.Label+".json")
		if published := strings.Contains(string(body), d.url+v.Path()+`"`); published != (listed && v != aap.Primary()) {
			t.Errorf("card of %s: %s", v.Label, body)
		}
	}
	if _, body := d.get(t, "/.well-known/auto-agent-contract.json"); !strings.Contains(string(body), `"endpoint": "`+d.url+`/a2a/v0.1"`) {
		t.Errorf("manifest %s", body)
	}
}

func (d *door) postTo(t *testing.T, path, body string) (int, string) {
	t.Helper()
	res, err := d.client.Post(d.url+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(answer)
}
