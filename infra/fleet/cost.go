package fleet

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dealer-agent/dealer/infra/cost"
)

// Month is what one stack costs in a month without a single buyer, in US
// dollars at the list prices of infra/README.md.
type Month struct {
	Alarms     float64 `json:"alarms"`
	Metrics    float64 `json:"metrics"`
	Secrets    float64 `json:"secrets"`
	Idle       float64 `json:"idle_calls"`
	Firewall   float64 `json:"firewall"`
	Dashboards float64 `json:"dashboards"`
}

// Total adds up the lines.
func (m Month) Total() float64 {
	return m.Alarms + m.Metrics + m.Secrets + m.Idle + m.Firewall + m.Dashboards
}

// MonthOf estimates a stack with these values from the resources that it has.
func MonthOf(t *Template, values map[string]string) Month {
	has := t.Resources(values)
	m := Month{
		Alarms:     float64(has["AWS::CloudWatch::Alarm"]) * cost.AlarmMonth,
		Secrets:    float64(has["AWS::SecretsManager::Secret"]) * cost.SecretMonth,
		Dashboards: float64(has["AWS::CloudWatch::Dashboard"]) * cost.DashboardMonth,
		Firewall:   float64(has["AWS::WAFv2::WebACL"]) * (cost.WebACLMonth + cost.WebRuleMonth),
	}
	if has["AWS::Logs::MetricFilter"] > 0 {
		m.Metrics = cost.Metrics * cost.MetricMonth
	}
	if has["AWS::SQS::Queue"] > 0 {
		m.Idle += cost.PollsMinute * cost.Minutes * cost.SQSRequest
	}
	if has["AWS::Events::Rule"] > 0 {
		m.Idle += cost.Minutes * (2*cost.LambdaRequest + (cost.SweepSeconds/8+cost.PickupSeconds)*cost.LambdaSecond)
	}
	return m
}

// Assumed says what the estimate is made of.
const Assumed = "fixed costs only: alarms, metrics, secrets, dashboards, polling of the queue, sweeper and importer each minute; list prices of us-east-1 without free tiers. " +
	"Buyers' requests, imports and storage come on top, see infra/README.md"

// quota is how many of a kind an account has by default. AWS raises it when asked.
type quota struct {
	kind, called string
	most         int
	perAccount   bool
}

var quotas = []quota{
	{"AWS::CloudFormation::Stack", "stacks", 2000, false},
	{"AWS::IAM::Role", "roles", 1000, true},
	{"AWS::ApiGateway::RestApi", "regional REST APIs", 600, false},
	{"AWS::ApiGateway::DomainName", "own host names of APIs", 120, false},
	{"AWS::Events::Rule", "EventBridge rules", 300, false},
	{"AWS::CloudFront::Distribution", "CloudFront distributions", 200, true},
	{"AWS::CloudFront::Function", "CloudFront functions", 100, true},
	{"AWS::DynamoDB::Table", "tables", 2500, false},
	{"AWS::WAFv2::WebACL", "web ACLs", 100, false},
}

// Limit is a default quota that a fleet goes beyond.
type Limit struct {
	Place string `json:"place"`
	What  string `json:"what"`
	Needs int    `json:"needs"`
	Most  int    `json:"most"`
}

func (l Limit) String() string {
	return fmt.Sprintf("%s: the fleet needs %d %s, an account has %d by default; ask AWS for a higher quota, or use more accounts", l.Place, l.Needs, l.What, l.Most)
}

// Limits finds the default quotas that the fleet's own stacks exceed. What else
// runs in the accounts is not known.
func Limits(t *Template, rooftops []Rooftop) []Limit {
	type where struct {
		place string
		q     int
	}
	needs := map[where]int{}
	for _, r := range rooftops {
		has := t.Resources(r.Parameters)
		has["AWS::CloudFormation::Stack"] = 1
		for i, q := range quotas {
			place := r.Place.String()
			if q.perAccount {
				place = cmp.Or(r.Place.Account(), "your account")
			}
			needs[where{place, i}] += has[q.kind]
		}
	}
	var over []Limit
	for w, n := range needs {
		if q := quotas[w.q]; n > q.most {
			over = append(over, Limit{w.place, q.called, n, q.most})
		}
	}
	slices.SortFunc(over, func(a, b Limit) int {
		return cmp.Or(strings.Compare(a.Place, b.Place), strings.Compare(a.What, b.What))
	})
	return over
}

// Sum adds up the months of steps; a stack that is not known costs nothing.
func Sum(steps []Step) Month {
	var sum Month
	for _, s := range steps {
		if s.Month == nil {
			continue
		}
		sum.Alarms += s.Month.Alarms
		sum.Metrics += s.Month.Metrics
		sum.Secrets += s.Month.Secrets
		sum.Idle += s.Month.Idle
		sum.Firewall += s.Month.Firewall
		sum.Dashboards += s.Month.Dashboards
	}
	return sum
}
