package stack

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/feeds"
	"github.com/dealer-agent/dealer/pkg/pickup"
)

// checkEvents: the worker hears of leads and the importer of feeds, and neither
// of anything else.
func checkEvents(t template) (f faults) {
	for _, id := range t.functions() {
		events := treeAt(t.function(id), "Events")
		if id != "LeadWorkerFunction" {
			if len(events) > 0 {
				f.add("%s: has events %v", id, sorted(events))
			}
			continue
		}
		if len(events) != 1 {
			f.add("%s: has events %v, want one", id, sorted(events))
		}
		for name, event := range events {
			if textAt(event, "Type") != "SQS" || render(at(event, "Properties", "Queue")) != "${LeadQueue.Arn}" {
				f.add("%s: event %s is %s of %s, want the lead queue", id, name, textAt(event, "Type"), render(at(event, "Properties", "Queue")))
			}
			if got := list(at(event, "Properties", "FunctionResponseTypes")); len(got) != 1 || got[0] != "ReportBatchItemFailures" {
				f.add("%s: one lead that fails brings back its whole batch", id)
			}
			if at(event, "Properties", "ScalingConfig", "MaximumConcurrency") == nil {
				f.add("%s: nothing spares the CRM", id)
			}
			if size := numAt(event, "Properties", "BatchSize"); size < 1 || size > 10 {
				f.add("%s: a batch has %v messages", id, size)
			}
		}
	}
	f = append(f, checkSchedule(t)...)
	notes := listAt(t.props("FeedBucket"), "NotificationConfiguration", "LambdaConfigurations")
	if len(notes) != 1 || textAt(notes, 0, "Event") != "s3:ObjectCreated:*" || render(at(notes, 0, "Function")) != "${FeedImportFunction.Arn}" {
		f.add("FeedBucket: the importer does not hear of new files")
	}
	rules := listAt(notes, 0, "Filter", "S3Key", "Rules")
	prefix := textAt(rules, 0, "Value")
	if len(rules) != 1 || textAt(rules, 0, "Name") != "prefix" || needs["FeedImportRole"]["${FeedBucket.Arn}/"+prefix+"*"] == nil {
		f.add("FeedBucket: files below %q are told, which the importer may not read", prefix)
	}
	if reports := t.reportPrefix(); reports == "" || strings.HasPrefix(reports, prefix) || needs["FeedImportRole"]["${FeedBucket.Arn}/"+reports+"*"] == nil {
		f.add("reports go below %q, which the importer may not write or would import", reports)
	}
	if depends := list(at(tree(t), "Resources", "FeedBucket", "DependsOn")); !slices.Contains(depends, any("FeedImportPermission")) {
		f.add("FeedBucket: S3 checks the permission when the bucket is made, so it must come first")
	}
	return f
}

// checkSchedule: the sweeper and the importer, which fetches what is due, are
// called each minute, and the publisher each day and when the profile changes;
// nothing else runs by itself.
func checkSchedule(t template) (f faults) {
	rules := t.of("AWS::Events::Rule", "AWS::Scheduler::Schedule")
	if !slices.Equal(rules, []string{"PickupSchedule", "PublishRule", "SweepSchedule"}) {
		f.add("what runs by itself is %v", rules)
		return f
	}
	for id, want := range map[string][2]string{"PickupSchedule": {"rate(1 minute)", "FeedImportFunction"}, "SweepSchedule": {"rate(1 minute)", "SweeperFunction"}, "PublishRule": {"rate(1 day)", "PublishFunction"}} {
		p := t.props(id)
		if got := textAt(p, "ScheduleExpression"); got != want[0] {
			f.add("%s: runs at %s", id, got)
		}
		if got := textAt(p, "State"); got != "ENABLED" {
			f.add("%s: is %s", id, got)
		}
		if targets := listAt(p, "Targets"); len(targets) != 1 || render(at(targets, 0, "Arn")) != "${"+want[1]+".Arn}" {
			f.add("%s: calls %s", id, render(at(targets, 0, "Arn")))
		}
	}
	return append(f, checkPublishing(t)...)
}

// checkPublishing: the publisher hears of the profile and of each deployment,
// which tells it what a first profile is made of.
func checkPublishing(t template) (f faults) {
	raw, _ := json.Marshal(at(t.props("PublishRule"), "EventPattern"))
	want := `{"detail":{"bucket":{"name":[{"Ref":"SiteBucket"}]},"object":{"key":[{"Ref":"ProfileKey"}]}},"detail-type":["Object Created"],"source":["aws.s3"]}`
	if string(raw) != want {
		f.add("PublishRule: waits for %s, want %s", raw, want)
	}
	if !flagAt(t.props("SiteBucket"), "NotificationConfiguration", "EventBridgeConfiguration", "EventBridgeEnabled") {
		f.add("SiteBucket: tells nobody that the profile changed")
	}
	told := t.props("PublishedFiles")
	for name, want := range map[string]string{
		"ServiceToken": "${PublishFunction.Arn}", "ProfileKey": "${ProfileKey}",
		"DealerName": "${DealerName}", "DealerPhone": "${DealerPhone}", "DealerTimezone": "${DealerTimezone}",
	} {
		if got := render(told[name]); got != want {
			f.add("PublishedFiles: %s is %s, want %s", name, got, want)
		}
	}
	if waits, runs := numAt(told, "ServiceTimeout"), numAt(t.function("PublishFunction"), "Timeout"); waits < runs {
		f.add("PublishedFiles: the deployment waits %v seconds for a function that may take %v", waits, runs)
	}
	address := render(at(t.function("PublishFunction"), "Environment", "Variables", "DEALER_URL"))
	door := `{"Fn::If":["CloudFrontDoor",{"Fn::Sub":"https://${Distribution.DomainName}"},{"Fn::Sub":"https://${DomainName}"}]}`
	if address != door || render(told["Address"]) != door || render(at(tree(t), "Outputs", "Address", "Value")) != door {
		f.add("the cards name %s, want the front door", address)
	}
	return f
}

// reportPrefix is where imports write their reports.
func (t template) reportPrefix() string {
	return textAt(t.function("FeedImportFunction"), "Environment", "Variables", "DEALER_REPORT_PREFIX")
}

// checkLogs: each function writes to a log group of its own that forgets.
func checkLogs(t template) (f faults) {
	used := map[string]string{}
	for _, id := range t.functions() {
		group := strings.Trim(render(at(t.function(id), "LoggingConfig", "LogGroup")), "${}")
		if !t.isA(group, "AWS::Logs::LogGroup") {
			f.add("%s: logs to %s, which is not declared", id, group)
		}
		if other := used[group]; other != "" {
			f.add("%s and %s share a log group", other, id)
		}
		used[group] = id
		if got := textAt(tree(t), "Resources", group, "DeletionPolicy"); got != "Delete" {
			f.add("%s: a log group that stays hinders the next stack of this name", group)
		}
		if name := render(at(t.props(group), "LogGroupName")); name != "/dealer/${AWS::StackName}/"+folderOf(id) {
			f.add("%s: is called %s", group, name)
		}
	}
	for _, group := range t.of("AWS::Logs::LogGroup") {
		if at(t.props(group), "RetentionInDays") == nil {
			f.add("%s: kept for ever", group)
		}
		if used[group] == "" && group != "ApiLogGroup" {
			f.add("%s: nothing logs there", group)
		}
	}
	return f
}

// logged are the log lines that a person must hear of, by function.
var logged = map[cloud.Function][]string{
	cloud.Agent:      {cloud.LogProfile, "internal error"},
	cloud.MCP:        {cloud.LogProfile, "internal error"},
	cloud.LeadWorker: {cloud.LogProfile, "lead delivery failed", "receiver refuses the credentials", "lead withheld"},
	cloud.Sweeper:    {cloud.LogProfile},
	cloud.Publish:    {cloud.LogProfile},
	cloud.FeedImport: {cloud.LogProfile, feeds.LogRefused, feeds.LogKept, feeds.LogImported, pickup.LogFailing},
}

var (
	matchedLine = regexp.MustCompile(`\$\.msg = "([^"]+)"`)
	linePattern = regexp.MustCompile(`^\{ (\$\.msg = "[^"]+"|\(\$\.msg = "[^"]+"\)( \|\| \(\$\.msg = "[^"]+"\))*( && \(\$\.level = "ERROR"\))?) \}$`)
)

// checkAlarms: everything that needs a person reaches the one topic.
func checkAlarms(t template) (f faults) {
	watched := map[string]bool{}
	for _, id := range t.of("AWS::CloudWatch::Alarm") {
		p := t.props(id)
		if actions := listAt(p, "AlarmActions"); len(actions) != 1 || render(actions[0]) != "${AlarmTopic}" {
			f.add("%s: nobody hears of it", id)
		}
		silence, sign := []string{"notBreaching", "GreaterThanThreshold"}, ">"
		if id == "FeedStaleAlarm" {
			silence, sign = []string{"breaching", "LessThanThreshold"}, "<"
		}
		if textAt(p, "TreatMissingData") != silence[0] || textAt(p, "ComparisonOperator") != silence[1] {
			f.add("%s: silence must be good news, and more than the threshold bad", id)
		}
		if ok := listAt(p, "OKActions"); len(ok) != 1 || render(ok[0]) != "${AlarmTopic}" {
			f.add("%s: nobody hears when it is over", id)
		}
		// What is told at each try of a lead must not be over before the next one.
		if textAt(p, "MetricName") == "UndeliveredLeadAge" && render(at(p, "Dimensions", 0, "Value")) == "${LeadWorkerFunction}" && numAt(p, "Period") < 3600 {
			f.add("%s: is over while the lead still waits", id)
		}
		if len(textAt(p, "AlarmDescription")) < 40 {
			f.add("%s: does not say what happened", id)
		}
		key := render(p["Namespace"]) + " " + render(p["MetricName"])
		for _, d := range listAt(p, "Dimensions") {
			key += " " + render(at(d, "Value"))
		}
		watched[fmt.Sprintf("%s %s %v", key, sign, numAt(p, "Threshold"))] = true
	}
	want := []string{
		"AWS/SQS ApproximateNumberOfMessagesVisible ${LeadDeadLetters.QueueName} > 0",
		"AWS/SQS ApproximateAgeOfOldestMessage ${LeadQueue.QueueName} > 1200",
		cloud.MetricsNamespace + " UndeliveredLeadAge ${LeadWorkerFunction} > 1200",
		cloud.MetricsNamespace + " UndeliveredLeadAge ${SweeperFunction} > 1200",
		cloud.MetricsNamespace + " IndexAge ${AgentFunction} > 172800",
		"AWS/ApiGateway 5XXError ${AWS::StackName} live > 0",
		"AWS/ApiGateway Latency ${AWS::StackName} live > 0", // the parameter's own number
	}
	for _, id := range t.functions() {
		want = append(want, "AWS/Lambda Errors ${"+id+"} > 0", "AWS/Lambda Throttles ${"+id+"} > 0")
	}
	lines := map[string]bool{}
	for _, id := range t.of("AWS::Logs::MetricFilter") {
		p := t.props(id)
		pattern := textAt(p, "FilterPattern")
		if !linePattern.MatchString(pattern) {
			f.add("%s: pattern %s is not understood", id, pattern)
		}
		for _, match := range matchedLine.FindAllStringSubmatch(pattern, -1) {
			lines[render(p["LogGroupName"])+" "+match[1]] = true
		}
		for _, m := range listAt(p, "MetricTransformations") {
			bad := "> 0"
			if id == "FeedImportedFilter" {
				bad = "< 1"
			}
			want = append(want, fmt.Sprintf("%s %s %s", render(at(m, "MetricNamespace")), render(at(m, "MetricName")), bad))
		}
		if len(listAt(p, "MetricTransformations")) != 1 {
			f.add("%s: want one metric", id)
		}
	}
	for _, id := range t.functions() {
		for _, line := range logged[cloud.Function(folderOf(id))] {
			if group := render(at(t.function(id), "LoggingConfig", "LogGroup")); !lines[group+" "+line] {
				f.add("%s: nothing counts the line %q", id, line)
			}
		}
	}
	for _, alarm := range want {
		if !watched[alarm] {
			f.add("no alarm on %s", alarm)
		}
	}
	return f
}
