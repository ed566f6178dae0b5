package stack

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/dealer-agent/dealer/pkg/cloud"
)

// checkFunctions: one folder of functions/, one function, one make target, one
// role; and a form in which a Go binary runs.
func checkFunctions(t template) (f faults) {
	mains, err := filepath.Glob(functionsDir + "/*/main.go")
	if err != nil || len(mains) == 0 {
		f.add("no functions found: %v", err)
	}
	rules, err := os.ReadFile(makefile)
	if err != nil {
		f.add("%v", err)
	}
	folders := map[string]bool{}
	for _, main := range mains {
		folders[filepath.Base(filepath.Dir(main))] = false
	}
	users := map[string]string{}
	for _, id := range t.functions() {
		folder, p := folderOf(id), t.function(id)
		if _, found := folders[folder]; !found {
			f.add("%s: there is no functions/%s", id, folder)
		}
		folders[folder] = true
		build := regexp.MustCompile(`(?m)^build-` + id + `:.*\n\t.*-o \$\(ARTIFACTS_DIR\)/bootstrap \./functions/` + folder + `$`)
		if !build.Match(rules) {
			f.add("%s: the Makefile has no target build-%s that makes bootstrap of functions/%s", id, id, folder)
		}
		for member, want := range map[string]string{"Runtime": "provided.al2023", "Handler": "bootstrap", "CodeUri": "."} {
			if got := textAt(p, member); got != want {
				f.add("%s: %s is %q, want %q", id, member, got, want)
			}
		}
		if got := render(at(p, "Architectures", 0)); got != "arm64" || len(listAt(p, "Architectures")) != 1 {
			f.add("%s: Architectures begin with %s, want arm64 alone", id, got)
		}
		if got := textAt(tree(t), "Resources", id, "Metadata", "BuildMethod"); got != "makefile" {
			f.add("%s: BuildMethod is %q, want makefile", id, got)
		}
		if timeout := numAt(p, "Timeout"); timeout < 1 || timeout > 900 {
			f.add("%s: Timeout is %v seconds", id, timeout)
		}
		if memory := numAt(p, "MemorySize"); memory < 128 || memory > 3008 {
			f.add("%s: MemorySize is %v MB", id, memory)
		}
		role := render(p["Role"])
		if !slices.ContainsFunc(t.of("AWS::IAM::Role"), func(r string) bool { return role == "${"+r+".Arn}" }) {
			f.add("%s: Role is %s, not one of the written-out roles", id, role)
		}
		if other := users[role]; other != "" {
			f.add("%s and %s share the role %s", other, id, role)
		}
		users[role] = id
		for _, extra := range []string{"Policies", "PermissionsBoundary", "FunctionUrlConfig", "Layers"} {
			if p[extra] != nil {
				f.add("%s: %s would widen what the function may or who may call it", id, extra)
			}
		}
	}
	for _, id := range []string{"AgentFunction", "McpFunction"} {
		if waits := numAt(t.function(id), "Timeout"); waits > 29 {
			f.add("%s: Timeout is %v seconds, but API Gateway waits for 29", id, waits)
		}
	}
	for _, folder := range sorted(folders) {
		if !folders[folder] {
			f.add("functions/%s has no function in the template", folder)
		}
	}
	return f
}

// deployed are what the references in environments become.
var deployed = map[string]string{
	"LeadQueue": "https://sqs.us-east-1.amazonaws.com/123456789012/LeadQueue", "ProfileKey": "dealer.yaml", "LogLevel": "warn",
	"RequestsPerDealer": "1200", "LeadsPerDealer": "600", "HandOversPerDealer": "2",
}

// checkEnvironment: each function gets the variables it reads and no others,
// with values that its settings take. No environment has a secret but those that
// the template makes.
func checkEnvironment(t template) (f faults) {
	for _, id := range t.functions() {
		name := cloud.Function(folderOf(id))
		given := treeAt(t.function(id), "Environment", "Variables")
		want := map[string]bool{}
		for _, v := range cloud.Variables() {
			if slices.Contains(v.Functions, name) {
				want[v.Name] = true
			}
		}
		for _, variable := range sorted(given) {
			if !want[variable] {
				f.add("%s: nothing reads %s", id, variable)
			}
		}
		for _, v := range cloud.Variables() {
			if v.Secret && given[v.Name] != nil && !t.makesSecret(given[v.Name], v.Default) {
				f.add("%s: %s is %s, not a reference to a secret that this template makes, of %d characters or more", id, v.Name, render(given[v.Name]), shortestSecret)
			}
		}
		for _, variable := range sorted(want) {
			if given[variable] == nil {
				f.add("%s: %s is missing", id, variable)
			}
		}
		f = append(f, checkSettings(id, name, given)...)
	}
	return f
}

// shortestSecret is how long a generated secret is at least.
const shortestSecret = 32

// makesSecret reports whether the value is a secret that nobody has to think
// of, or one only where a condition wants it and the default otherwise.
func (t template) makesSecret(given any, otherwise string) bool {
	if choice := listAt(given, "Fn::If"); len(choice) == 3 && otherwise != "" {
		return render(choice[2]) == otherwise && t.makesSecret(choice[1], "")
	}
	value := render(given)
	for _, id := range t.of("AWS::SecretsManager::Secret") {
		if value == "{{resolve:secretsmanager:${"+id+"}}}" {
			return numAt(t.props(id), "GenerateSecretString", "PasswordLength") >= shortestSecret
		}
	}
	return false
}

// checkSettings reads the environment as the function will.
func checkSettings(id string, name cloud.Function, given tree) (f faults) {
	settings, err := cloud.ReadSettings(name, func(variable string) (string, bool) {
		value, found := given[variable]
		if choice := listAt(value, "Fn::If"); len(choice) == 3 {
			value = choice[1]
		}
		text := subVariable.ReplaceAllStringFunc(render(value), func(reference string) string {
			reference = strings.Trim(reference, "${}")
			if value, found := deployed[reference]; found {
				return value
			}
			return reference
		})
		return text, found
	})
	if err != nil {
		f.add("%s: %v", id, err)
	}
	for _, wired := range []struct{ setting, got, want string }{
		{"the inventory table", settings.InventoryTable, "InventoryTable"},
		{"the leads table", settings.LeadsTable, "LeadsTable"},
		{"the queue", settings.QueueURL, deployed["LeadQueue"]},
		{"the profile's bucket", settings.ProfileBucket, "SiteBucket"},
		{"the profile's key", settings.ProfileKey, deployed["ProfileKey"]},
	} {
		if wired.got != "" && wired.got != wired.want {
			f.add("%s: %s is %s, want %s", id, wired.setting, wired.got, wired.want)
		}
	}
	return f
}
