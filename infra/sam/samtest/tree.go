package samtest

import (
	"maps"
	"slices"

	"github.com/dealer-agent/dealer/infra/sam/built"
)

type tree = map[string]any

func at(value any, path ...any) any         { return built.At(value, path...) }
func treeAt(value any, path ...any) tree    { return built.TreeAt(value, path...) }
func listAt(value any, path ...any) []any   { return built.ListAt(value, path...) }
func textAt(value any, path ...any) string  { return built.TextAt(value, path...) }
func text(value any) string                 { return built.Text(value) }
func list(value any) []any                  { return built.List(value) }
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
