package main

import (
	"os"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/infra/sample"
	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/schemas"
)

// TestDocumentsNameEveryContract keeps what people read in step with the table
// of contracts, and the table with the schemas.
func TestDocumentsNameEveryContract(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range aap.Versions() {
		for name, text := range map[string]string{"README.md": string(readme), "the sample profile": string(sample.Profile())} {
			if !strings.Contains(text, v.Label) {
				t.Errorf("%s does not name %s", name, v.Label)
			}
		}
	}
	if got, want := len(schemas.Labels()), len(aap.Versions()); got != want {
		t.Errorf("%d folders of schemas, %d contracts", got, want)
	}
	if !strings.Contains(string(readme), "Protocol](https://autoagentprotocol.org/) "+aap.Primary().Label+",") {
		t.Errorf("README.md does not call %s the contract it speaks", aap.Primary().Label)
	}
}
