package sam

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/sam/samtest"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
)

// The second id begins with the first, so that a key or a pattern that is not
// ended well reaches from one to the other.
const (
	ash    = "ash"
	ashley = "ash-ley"
)

func pooledProfile(id, crm string) []byte {
	return fmt.Appendf(nil, `id: %s
name: Motors of %s
rooftops:
  - name: Main
    timezone: America/Denver
    phones: [{value: "+13035550100"}]
prices: {includes: all_mandatory_charges}
leads: {appointments: {test_drive: {mode: auto, slot: 1h, capacity: 1, days: {monday: 09:00-17:00, tuesday: 09:00-17:00, wednesday: 09:00-17:00, thursday: 09:00-17:00, friday: 09:00-17:00, saturday: 09:00-17:00, sunday: 09:00-17:00}}}}
delivery:
  - {name: crm, type: https, url: %q, auth: {type: bearer, secret: "ssm:/dealer/%s/crm"}}
`, id, id, crm, id)
}

const (
	ashVIN    = "1FTFW1E50NFA10001"
	ashleyVIN = "4T1G11AK8NU710002"
	lotHead   = "VIN,Stock,Condition,Year,Make,Model,Trim,Mileage,Price,Status\n"
	ashLot    = lotHead + ashVIN + ",F1001,Used,2022,Ford,F-150,Lariat,21000,41500,Available\n"
	ashleyLot = lotHead + ashleyVIN + ",T1002,Used,2022,Toyota,Camry,SE,18000,25900,Available\n"
)

// dealerAt is one dealer of many as buyers reach it.
type dealerAt struct {
	t   *testing.T
	s   *samtest.Stack
	url string
}

func (d dealerAt) post(path, body string) answer {
	d.t.Helper()
	return ask(d.t, d.s.Client(), http.MethodPost, d.url+path, body, "Content-Type", "application/json", "Accept", "application/json, text/event-stream",
		"A2A-Version", "1.0", "A2A-Extensions", "https://autoagentprotocol.org/extensions/aap/v1.3", "MCP-Protocol-Version", "2025-06-18")
}

// call sends a payload and returns the answer's data, or the AAP code of the refusal.
func (d dealerAt) call(payload string) (data map[string]any, code string) {
	d.t.Helper()
	got := d.post("/a2a", message(payload))
	var rpc struct {
		Result struct {
			Message struct {
				Parts []struct {
					Data struct{ Data map[string]any }
				}
			}
		}
		Error struct{ Data struct{ Code string } }
	}
	if err := json.Unmarshal([]byte(got.body), &rpc); err != nil || len(rpc.Result.Message.Parts) != 1 && rpc.Error.Data.Code == "" {
		d.t.Fatalf("%s: %d %s\n%s", payload, got.status, got.body, d.s.Logs()["AgentFunction"])
	}
	if rpc.Error.Data.Code != "" {
		return nil, rpc.Error.Data.Code
	}
	return rpc.Result.Message.Parts[0].Data.Data, ""
}

func TestManyDealersShareAStackAndNothingElse(t *testing.T) {
	var crms [2]*receiver
	var hooks [2]string
	for n := range crms {
		crms[n] = &receiver{}
		server := httptest.NewServer(crms[n])
		defer server.Close()
		hooks[n] = server.URL
	}
	s := deploy(t, map[string]string{"Dealers": "many", "HandOversAtOnce": "10", "RequestsPerDealer": "75", "LeadsPerDealer": "3"})
	lots := map[string]string{ash: ashLot, ashley: ashleyLot}
	doors := map[string]dealerAt{}
	for n, id := range []string{ash, ashley} {
		parameter(t, s, "/dealer/"+id+"/crm", "token-of-"+id)
		upload(t, s, s.Resource("SiteBucket"), "dealers/"+id+"/dealer.yaml", pooledProfile(id, hooks[n]+"/adf"))
		upload(t, s, s.Resource("FeedBucket"), "feeds/"+id+"/lot.csv", []byte(lots[id]))
		doors[id] = dealerAt{t, s, s.Address + "/dealers/" + id}
	}
	one, other := doors[ash], doors[ashley]

	for id, d := range doors {
		card := ask(t, s.Client(), http.MethodGet, d.url+"/.well-known/agent-card.json", "")
		if card.status != 200 || !strings.Contains(card.body, "Motors of "+id+`"`) || !strings.Contains(card.body, d.url+"/a2a\"") {
			t.Fatalf("%s: %d %s\n%s", id, card.status, card.body, s.Logs()["PublishFunction"])
		}
		if data, code := d.call(`{"type":"dealer.information.request"}`); code != "" || !strings.Contains(fmt.Sprint(data), "Motors of "+id+" ") && !strings.Contains(fmt.Sprint(data), "Motors of "+id+"]") {
			t.Errorf("%s: %v %s", id, data, code)
		}
	}

	t.Run("inventory", func(t *testing.T) {
		for _, payload := range []string{`{"type":"inventory.search.request"}`, `{"type":"inventory.facets.request"}`} {
			data, code := other.call(payload)
			if said := fmt.Sprint(data); code != "" || !strings.Contains(said, "Toyota") || strings.Contains(said, "Ford") {
				t.Errorf("%s: %s %s\n%s", payload, said, code, s.Logs()["FeedImportFunction"])
			}
		}
		for _, by := range []string{`"vin":"` + ashVIN + `"`, `"stock":"F1001"`} {
			if _, code := one.call(`{"type":"inventory.vehicle.request",` + by + `}`); code != "" {
				t.Errorf("%s: its own dealer says %s", by, code)
			}
			if _, code := other.call(`{"type":"inventory.vehicle.request",` + by + `}`); code != "VEHICLE_NOT_FOUND" {
				t.Errorf("%s: another dealer says %q", by, code)
			}
		}
		// A page that begins where the dealer's own cars end has nobody else's.
		if data, code := other.call(`{"type":"inventory.search.request","pagination":{"skip":1,"limit":10}}`); code != "" || strings.Contains(fmt.Sprint(data), "Ford") || strings.Contains(fmt.Sprint(data), ashVIN) {
			t.Errorf("the page behind the last car: %v %s", data, code)
		}
		tool := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"aap_inventory_vehicle","arguments":{"vin":"` + ashVIN + `"}}}`
		if got := one.post("/mcp", tool); !strings.Contains(got.body, "F1001") {
			t.Errorf("MCP: %d %s\n%s", got.status, got.body, s.Logs()["McpFunction"])
		}
		if got := other.post("/mcp", tool); strings.Contains(got.body, "F1001") || strings.Contains(got.body, "41500") {
			t.Errorf("MCP tells of another dealer's car: %s", got.body)
		}
	})

	t.Run("leads", func(t *testing.T) {
		form := fmt.Sprintf(leadForm, ashVIN)
		first, code := one.call(form)
		if again, _ := one.call(form); code != "" || again["lead_id"] != first["lead_id"] {
			t.Fatalf("%v %v %s", first, again, code)
		}
		// The same key and the same words: another dealer knows neither.
		second, code := other.call(form)
		if code != "" || second["lead_id"] == "" || second["lead_id"] == first["lead_id"] || second["status"] == "duplicate" {
			t.Errorf("the other dealer answers %v %s to a key of the first; want a lead of its own", second, code)
		}
		eventually(t, "both CRMs have their lead", func() bool { return len(crms[0].documents()) > 0 && len(crms[1].documents()) > 0 })
		for n, id := range []any{first["lead_id"], second["lead_id"]} {
			if got := crms[n].documents(); len(got) != 1 || !strings.Contains(got[0], fmt.Sprint(id)) {
				t.Errorf("CRM %d got %d documents; want the lead %v", n, len(got), id)
			}
		}
	})

	t.Run("appointments", func(t *testing.T) {
		denver, err := time.LoadLocation("America/Denver")
		if err != nil {
			t.Fatal(err)
		}
		day := time.Now().In(denver).AddDate(0, 0, 3)
		at := time.Date(day.Year(), day.Month(), day.Day(), 11, 0, 0, 0, denver).Format(time.RFC3339)
		visit := func(d dealerAt, n int, vin string) string {
			t.Helper()
			form := strings.NewReplacer("key-1", fmt.Sprint("visit-", n), "maxine@", fmt.Sprintf("visitor%d@", n), "8315550188", fmt.Sprint("831555012", n),
				`"type":"lead.submit.request",`, `"type":"lead.submit.request","appointment":{"appointment_type":"test_drive","appointment_at":"`+at+`"},`).Replace(fmt.Sprintf(leadForm, vin))
			data, code := d.call(form)
			booked, _ := data["appointment"].(map[string]any)
			if code != "" || booked == nil {
				t.Fatalf("%v %s", data, code)
			}
			return fmt.Sprint(booked["status"])
		}
		if first, second := visit(one, 1, ashVIN), visit(one, 2, ashVIN); first != "confirmed" || second == "confirmed" {
			t.Errorf("the one slot of the dealer is %s, and once more %s", first, second)
		}
		if got := visit(other, 1, ashleyVIN); got != "confirmed" {
			t.Errorf("a visit to one dealer takes the slot of the other: %s", got)
		}
	})

	t.Run("addresses", func(t *testing.T) {
		for _, path := range []string{"/dealers/oak/a2a", "/dealers/ASH/a2a", "/dealers/ash%23b/a2a", "/dealers/*/a2a", "/dealers/%2e%2e/a2a", "/a2a", "/mcp", "/dealers/ash-/mcp"} {
			got := dealerAt{t, s, s.Address}.post(path, message(`{"type":"dealer.information.request"}`))
			if got.status != 404 || !strings.Contains(got.body, `"aap.error"`) || strings.Contains(got.body, "Motors") {
				t.Errorf("%s: %d %s", path, got.status, got.body)
			}
		}
		for _, path := range []string{
			"/dealers/ash/.well-known/..%2Fdealer.yaml", "/dealers/ash/.well-known/..%2F..%2F..%2Fdealers%2Fash%2Fdealer.yaml", "/dealers/..%2Fdealers%2Fash/.well-known/..%2Fdealer.yaml",
			"/dealers/oak/.well-known/agent-card.json", "/.well-known/agent-card.json", "/dealers/..%2Froster/.well-known/agent-card.json",
		} {
			if got := ask(t, s.Client(), http.MethodGet, s.Address+path, ""); got.status != 404 {
				t.Errorf("%s: %d %s", path, got.status, got.body)
			}
		}
	})

	s.Scheduled() // every dealer's outbox is swept, and every one published anew
	t.Run("policies", func(t *testing.T) { ownKeysAlone(t, s) })

	t.Run("leads without end", func(t *testing.T) {
		form := func(n int) string {
			return message(strings.NewReplacer("key-1", fmt.Sprint("more-", n), "maxine@", fmt.Sprintf("maxine%d@", n), "8315550188", fmt.Sprint("831555010", n)).Replace(fmt.Sprintf(leadForm, ashVIN)))
		}
		refused := answer{}
		for n := range 7 { // of 3 an hour, should one end meanwhile
			if got := one.post("/a2a", form(n)); strings.Contains(got.body, `"RATE_LIMITED"`) {
				refused = got
				break
			}
		}
		if refused.status != 429 || refused.header.Get("Retry-After") == "" {
			t.Errorf("a dealer who was given too many leads answers %d %s", refused.status, refused.body)
		}
		if again, code := one.call(fmt.Sprintf(leadForm, ashVIN)); again["lead_id"] == "" || code != "" {
			t.Errorf("a lead that was taken is answered %v %s", again, code)
		}
		if got := other.post("/a2a", form(1)); strings.Contains(got.body, `"RATE_LIMITED"`) {
			t.Errorf("the other dealer answers %s", got.body)
		}
	})

	t.Run("flood", func(t *testing.T) {
		refused := answer{}
		for range 160 { // of 75 a minute, should one end meanwhile
			if got := one.post("/a2a", message(`{"type":"dealer.information.request"}`)); got.status != 200 {
				refused = got
				break
			}
		}
		if refused.status != 429 || refused.header.Get("Retry-After") == "" || !strings.Contains(refused.body, `"RATE_LIMITED"`) {
			t.Errorf("a dealer who is called too often answers %d %s", refused.status, refused.body)
		}
		if _, code := other.call(`{"type":"dealer.information.request"}`); code != "" {
			t.Errorf("the other dealer answers %s", code)
		}
	})
}

// ownKeysAlone holds the template's policies against the keys that the functions
// have asked for.
func ownKeysAlone(t *testing.T, s *samtest.Stack) {
	asked := map[string]int{}
	for _, a := range s.Asked() {
		id := a.Tags["dealer"]
		if id != ash && id != ashley || !strings.HasPrefix(a.Key, id+"#") {
			t.Errorf("%s asks %s for %s as %q", a.Role, a.Action, a.Key, id)
		}
		role := a.Role[strings.LastIndex(a.Role, "-")+1:]
		asked[role]++
		may := func(dealer string, keys ...string) bool {
			tags := map[string]string{"dealer": dealer}
			if dealer == "" {
				tags = nil
			}
			return s.May(role, tags, a.Action, a.Table, map[string][]string{"dynamodb:LeadingKeys": keys})
		}
		if !may(id, a.Key) {
			t.Errorf("%s: %s may not %s %s", role, id, a.Action, a.Key)
		}
		for _, dealer := range []string{"", "a", "as", "oak", ash + ashley, map[string]string{ash: ashley, ashley: ash}[id]} {
			if may(dealer, a.Key) || may(id, a.Key, dealer+"#head") {
				t.Errorf("%s: %q may %s %s", role, dealer, a.Action, a.Key)
			}
		}
		if may(id) {
			t.Errorf("%s: may %s without a key", role, a.Action)
		}
		for _, action := range []string{"Scan", "PartiQLSelect", "PartiQLUpdate", "PartiQLDelete", "ExportTableToPointInTime", "DeleteTable"} {
			if s.May(role, a.Tags, "dynamodb:"+action, a.Table, map[string][]string{"dynamodb:LeadingKeys": {a.Key}}) {
				t.Errorf("%s: may %s", role, action)
			}
		}
	}
	for _, role := range []string{"BuyersDealerRole", "LeadWorkerDealerRole", "SweeperDealerRole", "FeedImportDealerRole"} {
		if asked[role] == 0 {
			t.Errorf("nothing was asked for as %s: %v", role, asked)
		}
	}
	tags, site := map[string]string{"dealer": ash}, "arn:aws:s3:::"+s.Resource("SiteBucket")
	feeds := "arn:aws:s3:::" + s.Resource("FeedBucket")
	secret := "arn:aws:ssm:us-east-1:123456789012:parameter/dealer/"
	for _, c := range []struct{ role, action, own, others string }{
		{"BuyersDealerRole", "s3:GetObject", site + "/dealers/ash/dealer.yaml", site + "/dealers/ash-ley/dealer.yaml"},
		{"FeedImportDealerRole", "s3:GetObject", feeds + "/feeds/ash/lot.csv", feeds + "/feeds/ash-ley/lot.csv"},
		{"FeedImportDealerRole", "s3:PutObject", feeds + "/reports/feeds/ash/lot.csv.json", feeds + "/reports/feeds/ash-ley/lot.csv.json"},
		{"LeadWorkerDealerRole", "ssm:GetParameter", secret + "ash/crm", secret + "ash-ley/crm"},
	} {
		if !s.May(c.role, tags, c.action, c.own, nil) || s.May(c.role, tags, c.action, c.others, nil) || s.May(c.role, nil, c.action, c.own, nil) {
			t.Errorf("%s: %s is not for the own dealer alone", c.role, c.action)
		}
	}
	for _, role := range []string{"AgentRole", "McpRole", "LeadWorkerRole", "SweeperRole", "FeedImportRole", "PublishRole"} {
		for _, table := range []string{"InventoryTable", "LeadsTable"} {
			if s.May(role, tags, "dynamodb:GetItem", s.Attribute(table, "Arn"), map[string][]string{"dynamodb:LeadingKeys": {"ash#head"}}) {
				t.Errorf("%s reaches %s without being a dealer", role, table)
			}
		}
	}
}

func parameter(t *testing.T, s *samtest.Stack, name, value string) {
	t.Helper()
	cloudtest.Parameter(t, endpoint(s), name, value)
}
