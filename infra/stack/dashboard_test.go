package stack

import (
	"encoding/json"
	"strings"

	"github.com/dealer-agent/dealer/pkg/cloud"
)

// checkDashboard: CloudWatch can read it, and it shows every function, both
// queues and the metrics that the code and the log filters make.
func checkDashboard(t template) (f faults) {
	body := render(t.props("Dashboard")["DashboardBody"])
	var shown struct {
		Widgets []struct {
			Type       string
			Properties struct {
				Title, Region string
				Metrics       [][]any
			}
		}
	}
	if err := json.Unmarshal([]byte(body), &shown); err != nil || len(shown.Widgets) == 0 {
		f.add("Dashboard: %q is no dashboard: %v", body, err)
	}
	for _, w := range shown.Widgets {
		if w.Type != "metric" || w.Properties.Title == "" || w.Properties.Region != "${AWS::Region}" || len(w.Properties.Metrics) == 0 {
			f.add("Dashboard: %q shows nothing", w.Properties.Title)
		}
	}
	want := []string{"${LeadQueue.QueueName}", "${LeadDeadLetters.QueueName}", cloud.MetricsNamespace + ",Function,Skill,Result", cloud.MetricsNamespace + ",Function,Skill}",
		`{DealerAgent,Function,State} Function=\"${LeadWorkerFunction}\"`, `{DealerAgent,Function,Skill} Function=\"${McpFunction}\"`, `"5XXError", "ApiName", "${AWS::StackName}"`,
		`{DealerAgent,Function,Result} Function=\"${PublishFunction}\"`}
	for _, own := range []string{
		`IndexAge", "Function", "${Agent`, `IndexLoad", "Function", "${Agent`, `IndexSize", "Function", "${Mcp`, `UndeliveredLeadAge", "Function", "${LeadWorker`, `UndeliveredLeadAge", "Function", "${Sweeper`,
		`FeedRows", "Function", "${FeedImport`, `FeedListed", "Function", "${FeedImport`, `FeedRejected", "Function", "${FeedImport`, `FeedGone", "Function", "${FeedImport`,
	} {
		want = append(want, `["DealerAgent", "`+own+`Function}"]`)
	}
	for _, id := range t.functions() {
		want = append(want, `"Errors", "FunctionName", "${`+id+`}"`, `"Throttles", "FunctionName", "${`+id+`}"`)
	}
	for _, metric := range []string{"FeedImported", "FeedRefused", "FeedSourceFailing", "LeadFailed", "LeadWithheld", "ProfileRefused", "InternalErrors"} {
		want = append(want, `"Dealer/${AWS::StackName}", "`+metric+`"`)
	}
	for _, text := range want {
		if !strings.Contains(body, text) {
			f.add("Dashboard: does not show %s", text)
		}
	}
	return f
}

var dashboardFaults = []seeded{
	{"a dashboard that is no JSON", "dashboard", "is no dashboard", set(sub(`{"widgets": [}`), in("Dashboard", "DashboardBody")...)},
	{"no dashboard", "dashboard", "does not show", set(nil, "Resources", "Dashboard")},
	{"a widget of nothing", "dashboard", "shows nothing", set(sub(`{"widgets": [{"type": "metric", "properties": {"title": "x", "region": "${AWS::Region}"}}]}`), in("Dashboard", "DashboardBody")...)},
}
