package attacks

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTheReviewNamesTestsThatExist reads the names in the package comment, and
// that every test of this package is one of them.
func TestTheReviewNamesTestsThatExist(t *testing.T) {
	parsed, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	test := regexp.MustCompile(`\b(?:Test|Fuzz)[A-Z]\w+`)
	named := test.FindAllString(parsed.Doc.Text(), -1)
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	there := map[string]bool{}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root {
			return fs.SkipDir
		}
		if strings.HasSuffix(path, "_test.go") {
			for _, m := range declared.FindAllStringSubmatch(readFile(t, path), -1) {
				there[m[1]] = true
				if filepath.Dir(path) == filepath.Join(root, "infra", "attacks") && m[1] != "TestMain" && m[1] != "TestTheReviewNamesTestsThatExist" && !slices.Contains(named, m[1]) {
					t.Errorf("the review does not name %s", m[1])
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(named) < 40 {
		t.Errorf("only %d tests are named", len(named))
	}
	for _, name := range named {
		if !there[name] {
			t.Errorf("the review names %s, which does not exist", name)
		}
	}
}
