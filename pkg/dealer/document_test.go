package dealer_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"strings"
	"testing"
)

func TestEveryProfileFieldIsDocumentedWhereItIsDeclared(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	documented := 0
	files := token.NewFileSet()
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, e.Name(), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			structure, ok := n.(*ast.StructType)
			if !ok {
				return true
			}
			for _, field := range structure.Fields.List {
				if field.Tag == nil || reflect.StructTag(strings.Trim(field.Tag.Value, "`")).Get("yaml") == "" {
					continue
				}
				switch text := field.Doc.Text() + field.Comment.Text(); {
				case len(field.Names) != 1:
					t.Errorf("%s: declare one profile field a line", files.Position(field.Pos()))
				case !strings.HasPrefix(text, field.Names[0].Name+" "):
					t.Errorf("%s: %s needs a comment that begins with its name", files.Position(field.Pos()), field.Names[0].Name)
				default:
					documented++
				}
			}
			return true
		})
	}
	if documented < 80 {
		t.Errorf("only %d fields were looked at", documented)
	}
}
