package fleet_test

import (
	"os"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/infra/fleet"
)

func TestDealersOfAPooledFleetShareTheStackOfItsDefaults(t *testing.T) {
	f, err := fleet.Read("fleet.yaml", []byte("fleet: nw\nmode: pooled\ndefaults: {region: us-east-1, profile: \"p/{id}.yaml\"}\nrooftops:\n  - id: ash\n  - {id: ash-ley, profile: other.yaml}\n"), nil, fleet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	one, two := f.Rooftops[0], f.Rooftops[1]
	if f.Mode != fleet.ModePooled || one.Stack != "nw" || two.Stack != "nw" || one.Place != two.Place || one.Profile != "p/ash.yaml" || two.Profile != "other.yaml" {
		t.Errorf("%+v", f)
	}
}

func TestWhatDealersOfOneStackCannotHaveForThemselvesIsRefused(t *testing.T) {
	text := `fleet: nw
mode: pooled
defaults: {region: us-east-1, stack: "nw-{id}", tags: {owner: nw}}
rooftops:
  - {id: ash, region: eu-west-1}
  - {id: Ash-Ley, stack: own}
  - {id: oak, parameters: {LogLevel: warn}}
  - {id: oak}
`
	_, err := fleet.Read("fleet.yaml", []byte(text), nil, fleet.Options{})
	if err == nil {
		t.Fatal("the file is taken")
	}
	for _, want := range []string{
		"fleet.yaml:3: defaults.stack: names a stack for each dealer", "fleet.yaml:3: defaults.tags: belong to the stack", "fleet.yaml:5: rooftops[0].region: is that of the one stack",
		`fleet.yaml:6: rooftops[1].id: "Ash-Ley" is no id of a dealer`, "fleet.yaml:6: rooftops[1].stack: is that of the one stack", "fleet.yaml:7: rooftops[2].parameters: belong to the stack",
		`fleet.yaml:8: id: "oak" is that of line 7 too`, "rooftops[0].profile: is missing",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("nothing says %q:\n%v", want, err)
		}
	}
	if _, err := fleet.Read("fleet.yaml", []byte("fleet: nw\nmode: pool\nrooftops: [{id: ash, region: us-east-1}]\n"), nil, fleet.Options{}); err == nil || !strings.Contains(err.Error(), "write mode: pooled") {
		t.Errorf("an unknown mode: %v", err)
	}
}

func TestThePooledFleetFileOfTheManualIsReadWithoutAFault(t *testing.T) {
	manual, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(manual), "```yaml\nfleet: northwind\nmode: ")
	file, _, found := strings.Cut(after, "```")
	if !found {
		t.Fatal("infra/README.md shows no pooled fleet file")
	}
	f, err := fleet.Read("fleet.yaml", []byte("fleet: northwind\nmode: "+file), nil, fleet.Options{})
	if err != nil || len(f.Rooftops) != 2 || f.Rooftops[0].Profile != "profiles/seabright.yaml" {
		t.Errorf("%v: %+v", err, f)
	}
}
