package fleet_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/dealer-agent/dealer/infra/fleet"
	"github.com/dealer-agent/dealer/pkg/cloud/stacks"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// source is the template that dealers deploy; its release differs in where the code lies.
func source(t testing.TB) *fleet.Template {
	t.Helper()
	body, err := os.ReadFile("../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	template, err := fleet.ReadTemplate(body)
	if !errors.Is(err, fleet.ErrMacro) {
		t.Fatalf("the SAM template is read as plain CloudFormation: %v", err)
	}
	return template
}

const northwind = `fleet: northwind
code_bucket: northwind-code-{region}
defaults:
  region: us-east-1
  role: arn:aws:iam::{account}:role/dealer-fleet
  external_id: nw-4711
  profile: profiles/{id}.yaml
  parameters: {LogRetentionDays: 30}
  tags: {owner: northwind}
rooftops:
  - id: seabright
    account: "111122223333"
    parameters: {DealerName: Seabright Motors, RequestsPerSecond: 20}
  - id: alder
    account: "444455556666"
    region: eu-west-1
    stack: alder-cars
    tags: {owner: alder, tier: gold}
`

func TestAFleetFileNamesEachStackWithDefaultsBelowIt(t *testing.T) {
	f, err := fleet.Read("fleet.yaml", []byte(northwind), source(t), fleet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Rooftops) != 2 || f.Name != "northwind" || f.CodePrefix != "dealer" || f.Bucket("eu-west-1") != "northwind-code-eu-west-1" {
		t.Fatalf("%+v", f)
	}
	one, two := f.Rooftops[0], f.Rooftops[1]
	if one.Stack != "northwind-seabright" || one.Profile != "profiles/seabright.yaml" ||
		one.Place != (stacks.Place{Region: "us-east-1", Role: "arn:aws:iam::111122223333:role/dealer-fleet", ExternalID: "nw-4711"}) {
		t.Errorf("%+v", one)
	}
	if two.Stack != "alder-cars" || two.Place.Region != "eu-west-1" || two.Place.Account() != "444455556666" {
		t.Errorf("%+v", two)
	}
	if one.Parameters["LogRetentionDays"] != "30" || one.Parameters["RequestsPerSecond"] != "20" || one.Parameters["LogLevel"] != "info" || two.Parameters["RequestsPerSecond"] != "50" {
		t.Errorf("parameters: %v and %v", one.Parameters, two.Parameters)
	}
	if diff := cmp.Diff(map[string]string{"owner": "alder", "tier": "gold"}, two.Tags); diff != "" {
		t.Error(diff)
	}
}

func TestCSVSaysTheSameAsYAML(t *testing.T) {
	table := "\ufeffid,region,role,external_id,stack,profile,LogRetentionDays,DealerName,RequestsPerSecond,tag:owner,tag:tier\r\n" +
		"seabright,us-east-1,arn:aws:iam::111122223333:role/dealer-fleet,nw-4711,,profiles/seabright.yaml,30,Seabright Motors,20,northwind,\r\n" +
		"alder,eu-west-1,arn:aws:iam::444455556666:role/dealer-fleet,nw-4711,alder-cars,profiles/alder.yaml,30,,,alder,gold\r\n"
	a, err := fleet.Read("northwind.csv", []byte(table), source(t), fleet.Options{CodeBucket: "northwind-code-{region}"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := fleet.Read("fleet.yaml", []byte(northwind), source(t), fleet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range b.Rooftops {
		b.Rooftops[i].Line = a.Rooftops[i].Line
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Error(diff)
	}
}

func TestATableThatASpreadsheetSavedIsReadAllTheSame(t *testing.T) {
	want, err := fleet.Read("fleet.csv", []byte("id,region,tag:owner\nseabright,us-east-1,northwind\nalder,eu-west-1,alder\n"), source(t), fleet.Options{CodeBucket: "code"})
	if err != nil {
		t.Fatal(err)
	}
	for name, table := range map[string]string{
		"semicolons":         "id;region;tag:owner\r\nseabright;us-east-1;northwind\r\nalder;eu-west-1;alder\r\n",
		"columns left empty": "id,region,tag:owner,,\nseabright,us-east-1,northwind,,\nalder,eu-west-1,alder,,\n",
		"rows left empty":    "id,region,tag:owner\nseabright,us-east-1,northwind\nalder,eu-west-1,alder\n,,\n, ,\n",
	} {
		got, err := fleet.Read("fleet.csv", []byte(table), source(t), fleet.Options{CodeBucket: "code"})
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}

func TestEveryFaultOfAFleetFileIsToldAtOnceWithItsLineAndWhatToWrite(t *testing.T) {
	const faulty = `fleet: 9lives
colour: red
code_bucket: Code
defaults:
  region: us east 1
  parameters:
    LogLevel: loud
rooftops:
  - id: seabright
    parameters:
      DealerFone: "+19705550110"
      DealerPhone: 970-555
      RequestsPerSecond: 0
  - id: Seabright
    region: us-east-1
    stack: 1st
    role: dealer-fleet
  - id: alder
    region: us-east-1
    account: "12"
    parameters: {LogLevel: info, DomainName: agent.alder.example, MostPerAddress: 9, Dealers: many}
    tags: {"aws:x": y, "dealer:fleet": z, ok: "<b>"}
  - region: us-east-1
`
	_, err := fleet.Read("dir/fleet.yaml", []byte(faulty), source(t), fleet.Options{})
	if _, ok := errors.AsType[*dealer.Faults](err); !ok {
		t.Fatal(err)
	}
	for _, want := range []string{
		`fleet.yaml:1: fleet: "9lives" is no name for a fleet; write a letter`,
		`fleet.yaml:2: colour: is not known; write one of fleet, code_bucket`,
		`fleet.yaml:3: code_bucket: "Code" is no name of a bucket`,
		`fleet.yaml:5: rooftops[0].region: "us east 1" cannot be used; write a region`,
		`fleet.yaml:7: rooftops[0].parameters.LogLevel: "loud" is none of the values it may have; write one of debug, info, warn, error`,
		`fleet.yaml:11: rooftops[0].parameters.DealerFone: is no parameter of the template`,
		`fleet.yaml:12: rooftops[0].parameters.DealerPhone: "970-555" has a form that the template refuses; write plus, country code and number`,
		`fleet.yaml:13: rooftops[0].parameters.RequestsPerSecond: 0 is too small; write 1 or more`,
		`fleet.yaml:14: id: "Seabright" is that of line 9 too`,
		`fleet.yaml:17: rooftops[1].role: "dealer-fleet" cannot be used; write the ARN of a role`,
		`fleet.yaml:20: rooftops[2].account: "12" cannot be used; write the 12 digits`,
		`fleet.yaml:18: rooftops[2].parameters: the template refuses these together; Give CertificateArn too`,
		`fleet.yaml:18: rooftops[2].parameters: the template refuses these together; Give HandOversAtOnce 10 or more`,
		`fleet.yaml:18: rooftops[2].parameters: the template refuses these together; Give MostPerAddress 10 or more`,
		`fleet.yaml:22: rooftops[2].tags.aws:x: begins as tags of AWS and of the fleet do`,
		`fleet.yaml:22: rooftops[2].tags.dealer:fleet: begins as tags`,
		`fleet.yaml:22: rooftops[2].tags.ok: "<b>" is no value of a tag`,
		`fleet.yaml:23: rooftops[3].id: "" is no id`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("missing: %s", want)
		}
	}
	if t.Failed() {
		t.Logf("got:\n%v", err)
	}
}

func TestFilesThatAreNoFleetAreToldSo(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"fleet.yaml", "", "the file is empty"},
		{"fleet.yaml", "- a\n", "is not a group of members"},
		{"fleet.yaml", "fleet: [\n", "this is not YAML"},
		{"fleet.yaml", "fleet: a\ncode_bucket: bbb\n", "rooftops: there are none"},
		{"fleet.yaml", "fleet: a\ncode_bucket: bbb\nrooftops: yes\n", "rooftops: is not a list"},
		{"fleet.csv", "", "the first line does not name the columns"},
		{"fleet.csv", "id,region,colour\na,us-east-1,red\n", "colour: is no column"},
		{"fleet.csv", "id,id\n", "is the name of two columns"},
		{"fleet.csv", "id,region,\na,us-east-1,x\n", `fleet.csv:2: "x" stands in a column without a name; write the name of its column into the first line`},
		{"fleet.csv", "id,region\na,us-east-1,x\n", "fleet.csv:2: has 3 cells under 2 columns"},
		{"fleet.csv", "id,region\na,\"us\n", "cannot be read"},
		{"fleet.csv", "id,region,stack\na,us-east-1,x-1\nb,us-east-1,x-1\n", `fleet.csv:3: stack: "x-1" is that of line 2 too`},
		{"fleet.csv", "id,region,stack\na,us-east-1," + strings.Repeat("x", 129) + "\n", "128 at most"},
	} {
		if _, err := fleet.Read(c.name, []byte(c.body), source(t), fleet.Options{CodeBucket: "bbb"}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: want %q, got %v", c.body, c.want, err)
		}
	}
}

// A small file must not become a long one by what it says of one rooftop, or of
// all, over and over.
func TestAFileThatRepeatsItselfCostsLittle(t *testing.T) {
	var many strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&many, "    P%d: x\n", i)
	}
	top := "fleet: a\ncode_bucket: bbb\ndefaults:\n  region: us-east-1\n  parameters: &p\n"
	one := top + many.String()
	for name, body := range map[string]string{
		"parameters of all":       one + "rooftops:\n" + rooftops(300),
		"parameters of each":      one + "rooftops:\n- &r {id: x, parameters: *p}\n" + strings.Repeat("- *r\n", 300),
		"tags":                    strings.Replace(one, "parameters:", "tags:", 1) + "rooftops:\n- &r {id: x, tags: *p}\n" + strings.Repeat("- *r\n", 300),
		"rooftops without an end": top + "    LogLevel: info\nrooftops:\n- &r {id: x, region: us-east-1, parameters: *p, tags: {a: b}}\n" + strings.Repeat("- *r\n", 20_000),
	} {
		began := time.Now()
		if _, err := fleet.Read("fleet.yaml", []byte(body), source(t), fleet.Options{}); err == nil || time.Since(began) > 10*time.Second {
			t.Errorf("%s: %v after %s", name, err == nil, time.Since(began))
		}
	}
}

func rooftops(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "- {id: r%d}\n", i)
	}
	return b.String()
}

// Whatever is read without a fault is within the bounds of CloudFormation.
func FuzzFleetFiles(f *testing.F) {
	f.Add("fleet.yaml", northwind)
	f.Add("fleet.csv", "id,region,tag:a\nx,us-east-1,b\n")
	f.Add("fleet.yaml", "fleet: &a a\nrooftops: [{id: *a, region: us-east-1, parameters: {<<: *a}}]\n")
	template := source(f)
	f.Fuzz(func(t *testing.T, name, body string) {
		got, err := fleet.Read(name, []byte(body), template, fleet.Options{CodeBucket: "code"})
		if faults, ok := errors.AsType[*dealer.Faults](err); err != nil && (!ok || len(faults.List) == 0) {
			t.Fatalf("%v is no list of faults", err)
		}
		if err != nil {
			return
		}
		for _, r := range got.Rooftops {
			if len(r.Stack) > 128 || r.Stack == "" || r.Place.Region == "" || len(r.Tags) > 46 {
				t.Errorf("%+v", r)
			}
		}
	})
}

func TestAPlanOfWhatWasJustMadeIsUnchanged(t *testing.T) {
	template := source(t)
	rapid.Check(t, func(t *rapid.T) {
		r := fleet.Rooftop{
			ID: "a", Stack: "n-a", Place: stacks.Place{Region: "us-east-1"},
			Parameters: template.Complete(map[string]string{"DealerName": rapid.StringN(0, 9, 20).Draw(t, "name")}),
			Tags:       rapid.MapOfN(rapid.StringMatching(`[a-z]{1,5}`), rapid.StringMatching(`[a-z ]{0,9}`), 0, 5).Draw(t, "tags"),
		}
		f := &fleet.File{Name: "n", Rooftops: []fleet.Rooftop{r}}
		stack := stacks.Stack{Name: "n-a", Status: "CREATE_COMPLETE", Parameters: r.Parameters, Tags: fleet.Tags(f, template, r)}
		steps := fleet.Plan(f, template, f.Rooftops, map[stacks.Place]fleet.Seen{r.Place: {Stacks: []stacks.Stack{stack}}})
		if len(steps) != 1 || steps[0].Action != fleet.Unchanged {
			t.Fatalf("%+v", steps)
		}
	})
}

func TestTheFleetFileOfTheManualIsReadWithoutAFault(t *testing.T) {
	manual, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(manual), "```yaml\nfleet: ")
	file, _, found := strings.Cut(after, "```")
	if !found {
		t.Fatal("infra/README.md shows no fleet file")
	}
	f, err := fleet.Read("fleet.yaml", []byte("fleet: "+file), source(t), fleet.Options{})
	if err != nil || len(f.Rooftops) != 2 || f.Rooftops[0].Place.Account() != "111122223333" {
		t.Errorf("%v: %+v", err, f)
	}
}
