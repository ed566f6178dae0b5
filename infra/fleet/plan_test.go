package fleet_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/infra/fleet"
	"github.com/dealer-agent/dealer/pkg/cloud/stacks"
)

func TestAPlanSaysWhatWouldChangeAndWhatNobodyAskedFor(t *testing.T) {
	template := source(t)
	home, away := stacks.Place{Region: "us-east-1"}, stacks.Place{Region: "us-east-1", Role: "arn:aws:iam::444455556666:role/r"}
	f := &fleet.File{Name: "n"}
	deployed := map[stacks.Place]fleet.Seen{away: {Err: errors.New("access denied")}}
	var list []stacks.Stack
	add := func(id string, place stacks.Place, status string, change func(*stacks.Stack)) {
		r := fleet.Rooftop{ID: id, Stack: "n-" + id, Place: place, Parameters: template.Complete(nil), Tags: map[string]string{"owner": "n"}}
		f.Rooftops = append(f.Rooftops, r)
		if status == "" {
			return
		}
		s := stacks.Stack{Name: r.Stack, Status: status, Parameters: maps.Clone(r.Parameters), Tags: fleet.Tags(f, template, r)}
		if change != nil {
			change(&s)
		}
		list = append(list, s)
	}
	add("same", home, "UPDATE_COMPLETE", nil)
	add("rolled", home, "UPDATE_ROLLBACK_COMPLETE", nil)
	add("new", home, "", nil)
	add("proposed", home, "REVIEW_IN_PROGRESS", nil)
	add("old", home, "CREATE_COMPLETE", func(s *stacks.Stack) {
		s.Tags["dealer:version"], s.Tags["owner"], s.Tags["extra"] = "000000000000", "m", "x"
		s.Parameters["LogLevel"], s.Parameters["Gone"] = "warn", "1"
	})
	add("failed", home, "ROLLBACK_COMPLETE", nil)
	add("stuck", home, "UPDATE_ROLLBACK_FAILED", nil)
	add("busy", home, "UPDATE_IN_PROGRESS", nil)
	add("foreign", home, "CREATE_COMPLETE", func(s *stacks.Stack) { delete(s.Tags, "dealer:fleet") })
	add("away", away, "", nil)
	list = append(list, stacks.Stack{Name: "n-former", Status: "CREATE_COMPLETE", Tags: map[string]string{"dealer:fleet": "n", "dealer:rooftop": "former"}},
		stacks.Stack{Name: "other", Status: "CREATE_COMPLETE", Tags: map[string]string{"dealer:fleet": "m"}})
	deployed[home] = fleet.Seen{Stacks: list}

	want := map[string]fleet.Action{"same": fleet.Unchanged, "rolled": fleet.Unchanged, "new": fleet.Create, "proposed": fleet.Create, "old": fleet.Update, "failed": fleet.Replace,
		"stuck": fleet.Blocked, "busy": fleet.Waiting, "foreign": fleet.Blocked, "away": fleet.Unknown, "former": fleet.Left}
	steps := fleet.Plan(f, template, f.Rooftops, deployed)
	if len(steps) != len(want) {
		t.Errorf("%d steps, want %d", len(steps), len(want))
	}
	for _, s := range steps {
		if s.Action != want[s.ID] {
			t.Errorf("%s: %s, want %s", s.ID, s.Action, want[s.ID])
		}
		if s.ID == "old" {
			got := fmt.Sprint(s.Changes)
			if want := `[template "000000000000" → "` + template.Version + `" parameter LogLevel "warn" → "info" parameter Gone "1" → "" tag extra "x" → "" tag owner "m" → "n"]`; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		}
		if (s.Action == fleet.Blocked || s.Action == fleet.Unknown || s.Action == fleet.Left) && s.Note == "" {
			t.Errorf("%s: nothing says what to do", s.ID)
		}
	}
}

func TestAHiddenParameterThatChangedIsSeenByItsDigest(t *testing.T) {
	template, err := fleet.ReadTemplate([]byte(`{"Parameters":{"Token":{"Type":"String","NoEcho":true}},"Resources":{"Q":{"Type":"AWS::SQS::Queue"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	was := fleet.Rooftop{ID: "a", Stack: "n-a", Parameters: map[string]string{"Token": "one"}}
	f := &fleet.File{Name: "n", Rooftops: []fleet.Rooftop{was}}
	stack := stacks.Stack{Name: "n-a", Status: "CREATE_COMPLETE", Parameters: map[string]string{"Token": "****"}, Tags: fleet.Tags(f, template, was)}
	plan := func(r fleet.Rooftop) fleet.Step {
		return fleet.Plan(f, template, []fleet.Rooftop{r}, map[stacks.Place]fleet.Seen{{}: {Stacks: []stacks.Stack{stack}}})[0]
	}
	if s := plan(was); s.Action != fleet.Unchanged {
		t.Errorf("%+v", s)
	}
	now := was
	now.Parameters = map[string]string{"Token": "two"}
	if s := plan(now); s.Action != fleet.Update || strings.Contains(fmt.Sprint(s.Changes), "two") {
		t.Errorf("%+v", s)
	}
}

func TestTheMonthCountsWhatTheTemplateMakes(t *testing.T) {
	template := source(t)
	has := template.Resources(template.Complete(nil))
	if has["AWS::CloudWatch::Alarm"] < 10 || has["AWS::SecretsManager::Secret"] != 2 || has["AWS::WAFv2::WebACL"] != 0 || has["AWS::ApiGateway::DomainName"] != 0 {
		t.Errorf("with CloudFront: %v", has)
	}
	plain := fleet.MonthOf(template, template.Complete(nil))
	if want := float64(has["AWS::CloudWatch::Alarm"]) * 0.10; math.Abs(plain.Alarms-want) > 1e-9 || math.Abs(plain.Secrets-0.80) > 1e-9 || math.Abs(plain.Idle-0.29) > 0.01 {
		t.Errorf("%+v", plain)
	}
	walled := fleet.MonthOf(template, template.Complete(map[string]string{"MostPerAddress": "100"}))
	if got := walled.Total() - plain.Total(); math.Abs(got-6) > 1e-9 {
		t.Errorf("the rate rule adds %v", got)
	}
	own := template.Complete(map[string]string{"DomainName": "a.example", "CertificateArn": "arn:aws:acm:us-east-1:123456789012:certificate/1"})
	if month := fleet.MonthOf(template, own); math.Abs(month.Secrets-0.40) > 1e-9 {
		t.Errorf("%+v", month)
	}
}

func TestAccountLimitsAreToldBeforeTheyAreHit(t *testing.T) {
	template := source(t)
	var rooftops []fleet.Rooftop
	for i := range 500 {
		rooftops = append(rooftops, fleet.Rooftop{ID: fmt.Sprint(i), Place: stacks.Place{Region: "us-east-1"}, Parameters: template.Complete(nil)})
	}
	said, has := fmt.Sprint(fleet.Limits(template, rooftops)), template.Resources(template.Complete(nil))
	for _, want := range []string{
		fmt.Sprintf("your account: the fleet needs %d roles, an account has 1000 by default; ask AWS", 500*has["AWS::IAM::Role"]),
		fmt.Sprintf("us-east-1: the fleet needs %d EventBridge rules", 500*has["AWS::Events::Rule"]), "500 CloudFront functions",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("missing %q in %s", want, said)
		}
	}
	if over := fleet.Limits(template, rooftops[:50]); len(over) != 0 {
		t.Errorf("50 rooftops: %v", over)
	}
	for i := range rooftops {
		rooftops[i].Place.Role = fmt.Sprintf("arn:aws:iam::%012d:role/r", i)
	}
	if over := fleet.Limits(template, rooftops); len(over) != 0 {
		t.Errorf("an account each: %v", over)
	}
}
