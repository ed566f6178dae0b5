// Package built knows a SAM template as the SAM CLI leaves it behind: built by
// make, translated to CloudFormation by AWS's translator, and resolved.
package built

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"
)

// Artifacts are what `sam build` leaves behind: a folder for each function, with its
// bootstrap, and the template that names these folders.
type Artifacts struct {
	Folder string
	// Template is the path of the built template.
	Template string
	// Functions are the logical ids of what was built.
	Functions []string
}

// Bootstrap is the program of a function.
func (a Artifacts) Bootstrap(id string) string { return filepath.Join(a.Folder, id, "bootstrap") }

// Build does what `sam build` does with BuildMethod makefile: it calls the make
// target of each function with ARTIFACTS_DIR, and writes the template anew with
// each CodeUri replaced. The programs are for this machine's architecture.
func Build(folder string) (Artifacts, error) {
	top, err := root()
	if err != nil {
		return Artifacts{}, err
	}
	source, err := os.ReadFile(filepath.Join(top, "template.yaml"))
	if err != nil {
		return Artifacts{}, err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(source, &document); err != nil {
		return Artifacts{}, err
	}
	b := Artifacts{Folder: folder, Template: filepath.Join(folder, "template.yaml")}
	if len(document.Content) != 1 {
		return Artifacts{}, errors.New("the template is empty")
	}
	whole := document.Content[0]
	common := textOf(member(whole, "Globals", "Function", "CodeUri"))
	resources := member(whole, "Resources")
	for i := 0; resources != nil && i+1 < len(resources.Content); i += 2 {
		id, resource := resources.Content[i].Value, resources.Content[i+1]
		if textOf(member(resource, "Type")) != "AWS::Serverless::Function" {
			continue
		}
		if method := textOf(member(resource, "Metadata", "BuildMethod")); method != "makefile" {
			return Artifacts{}, fmt.Errorf("%s: BuildMethod is %q, and only makefile is known here", id, method)
		}
		properties := own(resource, "Properties")
		if properties == nil {
			return Artifacts{}, fmt.Errorf("%s has no properties", id)
		}
		code := textOf(member(properties, "CodeUri"))
		if code == "" {
			code = common
		}
		if err := makeTarget(filepath.Join(top, code), id, filepath.Join(folder, id)); err != nil {
			return Artifacts{}, err
		}
		put(properties, "CodeUri", id)
		b.Functions = append(b.Functions, id)
	}
	if len(b.Functions) == 0 {
		return Artifacts{}, errors.New("the template has no function")
	}
	out, err := yaml.Marshal(&document)
	if err != nil {
		return Artifacts{}, err
	}
	return b, os.WriteFile(b.Template, out, 0o600)
}

// makeTarget calls make where the code lies, as aws-lambda-builders does.
func makeTarget(code, id, artifacts string) error {
	if err := os.MkdirAll(artifacts, 0o755); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "make", "build-"+id, "ARTIFACTS_DIR="+artifacts, "ARCH="+runtime.GOARCH)
	cmd.Dir = code
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("make build-%s: %w\n%s", id, err, out)
	}
	return nil
}

// member follows the keys of mappings.
func member(n *yaml.Node, keys ...string) *yaml.Node {
	for _, key := range keys {
		if n = behind(n); n == nil || n.Kind != yaml.MappingNode {
			return nil
		}
		var merged, found *yaml.Node
		for i := 0; i+1 < len(n.Content); i += 2 {
			switch k := n.Content[i]; {
			case k.Value == key:
				found = n.Content[i+1]
			case k.Tag == "!!merge":
				merged = member(n.Content[i+1], key)
			}
		}
		if n = found; n == nil {
			n = merged
		}
	}
	return behind(n)
}

func behind(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func textOf(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	return n.Value
}

// own is a member that nothing else shares: one that is an alias is copied.
func own(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != key {
			continue
		}
		if shared := n.Content[i+1]; shared.Kind == yaml.AliasNode {
			n.Content[i+1] = &yaml.Node{Kind: shared.Alias.Kind, Tag: shared.Alias.Tag, Content: append([]*yaml.Node(nil), shared.Alias.Content...)}
		}
		return n.Content[i+1]
	}
	return nil
}

func put(n *yaml.Node, key, value string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			n.Content[i+1] = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
			return
		}
	}
	n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value})
}

//go:embed translate.py
var translator string

// ErrNoTranslator: this machine has no AWS translator of SAM templates.
var ErrNoTranslator = errors.New("aws-sam-translator is missing (pip install aws-sam-translator)")

// Translate makes the CloudFormation of a SAM template with AWS's translator,
// which is a Python package. The error says what the translator says.
func Translate(ctx context.Context, source []byte) ([]byte, error) {
	if err := exec.CommandContext(ctx, "python3", "-c", "import samtranslator").Run(); err != nil {
		return nil, ErrNoTranslator
	}
	var out, complaints bytes.Buffer
	cmd := exec.CommandContext(ctx, "python3", "-c", translator)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(source), &out, &complaints
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("the translator refuses the template: %w\n%s", err, complaints.Bytes())
	}
	return out.Bytes(), nil
}

// root is the top of the repository.
func root() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		above := filepath.Dir(dir)
		if above == dir {
			return "", errors.New("no go.mod above this folder")
		}
		dir = above
	}
	return "", err
}

// ForMachine is a template whose functions run on the architecture, with more
// variables in each environment.
func ForMachine(source []byte, architecture string, variables map[string]string) ([]byte, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(source, &document); err != nil {
		return nil, err
	}
	if len(document.Content) != 1 {
		return nil, errors.New("the template is empty")
	}
	common := member(document.Content[0], "Globals", "Function")
	environment := member(common, "Environment", "Variables")
	if environment == nil {
		return nil, errors.New("the template has no environment for all functions")
	}
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		put(environment, name, variables[name])
	}
	list := own(common, "Architectures")
	if list == nil {
		return nil, errors.New("the template names no architecture for all functions")
	}
	list.Content = []*yaml.Node{{Kind: yaml.ScalarNode, Value: architecture}}
	return yaml.Marshal(&document)
}
