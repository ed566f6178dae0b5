// Package rules holds the tests that keep the repository in its shape: who may
// import whom, what lies at the top, and that the documents tell the truth.
package rules

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/dealer-agent/dealer/"

// mayImport lists, for each package, the packages of this module it may
// import, their sub-packages and its own included. The order is the one way: nothing imports what stands below it.
var mayImport = []importRule{
	{"schemas", nil},
	{"pkg/aap", nil},
	{"pkg/schema", []string{"schemas", "pkg/aap"}},
	{"pkg/dealer", []string{"pkg/aap", "pkg/schema"}},
	{"pkg/inventory", []string{"pkg/aap", "pkg/dealer"}},
	{"pkg/outbound", nil},
	{"pkg/feed", []string{"pkg/aap", "pkg/dealer", "pkg/inventory"}},
	{"pkg/pickup", []string{"pkg/dealer", "pkg/inventory", "pkg/feed", "pkg/outbound"}},
	{"pkg/lead", []string{"pkg/aap", "pkg/schema", "pkg/dealer", "pkg/inventory"}},
	{"pkg/adf", []string{"pkg/aap", "pkg/dealer", "pkg/inventory", "pkg/lead"}},
	{"pkg/crm", []string{"pkg/aap", "pkg/dealer", "pkg/lead", "pkg/adf"}},
	{"pkg/stored", []string{"pkg/aap", "pkg/inventory", "pkg/lead"}},
	{"pkg/embedded", []string{"pkg/aap", "pkg/inventory", "pkg/pickup", "pkg/lead", "pkg/stored"}},
	{"pkg/agent", []string{"schemas", "pkg/aap", "pkg/schema", "pkg/dealer", "pkg/inventory", "pkg/lead"}},
	{"pkg/a2a", []string{"pkg/aap", "pkg/schema", "pkg/dealer", "pkg/agent"}},
	{"pkg/mcptools", []string{"schemas", "pkg/aap", "pkg/schema", "pkg/dealer", "pkg/lead", "pkg/agent"}},
	{"pkg/wellknown", []string{"pkg/aap", "pkg/dealer", "pkg/agent", "pkg/a2a"}},
	{"pkg/cloud", []string{"schemas", "pkg/aap", "pkg/schema", "pkg/dealer", "pkg/inventory", "pkg/feed", "pkg/pickup", "pkg/lead", "pkg/adf", "pkg/crm",
		"pkg/stored", "pkg/agent", "pkg/a2a", "pkg/wellknown"}},
	{"infra/cost", nil},
	{"infra/fleet", []string{"pkg/dealer", "pkg/cloud/stacks", "infra/cost", "infra/sam/built"}},
}

type importRule struct {
	pkg  string
	uses []string
}

// ruleFor finds the rule of a package or of the one it is a part of.
func ruleFor(pkg string) (importRule, bool) {
	i := slices.IndexFunc(mayImport, func(r importRule) bool { return pkg == r.pkg || strings.HasPrefix(pkg, r.pkg+"/") })
	if i < 0 {
		return importRule{}, false
	}
	return mayImport[i], true
}

// allows reports whether the rule's package may import another one.
func (r importRule) allows(imported string) bool {
	return slices.ContainsFunc(append(r.uses, r.pkg), func(p string) bool {
		return imported == p || strings.HasPrefix(imported, p+"/")
	})
}

// onlyIn names the packages (by prefix) that may import an outside module.
var onlyIn = []struct {
	module string
	pkgs   []string
}{
	{"github.com/aws/", []string{"pkg/cloud", "functions/"}},
	{"github.com/santhosh-tekuri/jsonschema", []string{"pkg/schema"}},
	{"github.com/modelcontextprotocol/go-sdk", []string{"pkg/mcptools"}},
	{"golang.org/x/crypto/ssh", []string{"pkg/pickup"}},
	{"github.com/pkg/sftp", []string{"pkg/pickup"}},
	{"go.etcd.io/bbolt", []string{"pkg/embedded"}},
}

// withoutHTTP are the packages that know no transport.
var withoutHTTP = []string{"pkg/aap", "pkg/inventory", "pkg/adf", "pkg/lead", "pkg/feed"}

// TestImportsGoOneWay reads the import lines of all code that ships.
func TestImportsGoOneWay(t *testing.T) {
	for file, imports := range importsBySource(t) {
		pkg := path.Dir(file)
		for _, imported := range imports {
			if own, ok := strings.CutPrefix(imported, module); ok {
				if rule, ok := ruleFor(pkg); ok && !rule.allows(own) {
					t.Errorf("%s imports %s; %s may import only %v", file, own, pkg, rule.uses)
				}
				continue
			}
			if imported == "net/http" && slices.Contains(withoutHTTP, pkg) {
				t.Errorf("%s imports net/http; package %s knows no transport", file, pkg)
			}
			for _, rule := range onlyIn {
				if strings.HasPrefix(imported, rule.module) && !slices.ContainsFunc(rule.pkgs, func(p string) bool {
					return pkg == p || strings.HasPrefix(pkg, strings.TrimSuffix(p, "/")+"/")
				}) {
					t.Errorf("%s imports %s; only %v may", file, imported, rule.pkgs)
				}
			}
		}
	}
}

// TestEveryPackageHasAnImportRule keeps the table above complete.
func TestEveryPackageHasAnImportRule(t *testing.T) {
	entries, err := os.ReadDir(filepath.Join(root(t), "pkg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if _, ok := ruleFor("pkg/" + e.Name()); !ok {
			t.Errorf("pkg/%s has no row in mayImport", e.Name())
		}
	}
}

// TestNoPackageIsCalledAfterNothing refuses names that say nothing.
func TestNoPackageIsCalledAfterNothing(t *testing.T) {
	empty := []string{"util", "utils", "common", "types", "models", "helpers", "handlers", "services", "base", "shared", "misc"}
	for file := range importsBySource(t) {
		if name := path.Base(path.Dir(file)); slices.Contains(empty, name) {
			t.Errorf("%s: a package called %q says nothing about the business", file, name)
		}
	}
}

// TestTopLevelIsFixed allows only what the layout names, and what make builds.
func TestTopLevelIsFixed(t *testing.T) {
	allowed := []string{"functions", "pkg", "infra", "schemas", "go.mod", "go.sum", "Makefile", "template.yaml", "README.md", "LICENSE", "bin", "dist"}
	entries, err := os.ReadDir(root(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(allowed, e.Name()) {
			t.Errorf("%s is not part of the layout", e.Name())
		}
	}
}

// importsBySource maps each shipped Go file, by slash path from the root, to
// what it imports. Test files and test-support packages (…test) do not ship.
func importsBySource(t *testing.T) map[string][]string {
	t.Helper()
	top := root(t)
	found := map[string][]string{}
	err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != top || d.Name() == "node_modules" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		rel, _ := filepath.Rel(top, name)
		rel = filepath.ToSlash(rel)
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") || strings.HasSuffix(path.Dir(rel), "test") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		found[rel] = nil
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			found[rel] = append(found[rel], imported)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Fatal("no Go source found")
	}
	return found
}

// root is the top of the repository.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		t.Fatal(err)
	}
	return dir
}
