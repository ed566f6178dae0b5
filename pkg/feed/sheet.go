package feed

import "slices"

// sheet is a table whose columns are the paths met so far.
type sheet struct {
	header  []string
	index   map[string]int
	costs   map[string]bool
	changed bool // the header has grown since columns was asked
	fields  [][]byte
}

func newSheet() sheet { return sheet{index: map[string]int{}, costs: map[string]bool{}} }

func (s *sheet) columns() []string {
	s.changed = false
	return s.header
}

func (s *sheet) grown() bool { return s.changed }

// blank begins a row.
func (s *sheet) blank() {
	s.fields = slices.Grow(s.fields[:0], len(s.header))[:len(s.header)]
	clear(s.fields)
}

func (s *sheet) cost(path string) bool {
	is, ok := s.costs[path]
	if !ok {
		is = costColumn(path)
		if len(s.costs) < maxColumns {
			s.costs[path] = is
		}
	}
	return is
}

// put sets a column, or adds to its list when the row has it already.
func (s *sheet) put(path, value string) {
	at := s.column(path)
	if at < 0 || value == "" {
		return
	}
	if len(s.fields[at]) > 0 {
		s.fields[at] = append(append(s.fields[at], string(listMark)...), value...)
		return
	}
	s.fields[at] = append([]byte(nil), value...)
}

// column finds a path's column, adding one for a path not met before.
func (s *sheet) column(path string) int {
	if at, ok := s.index[path]; ok {
		return at
	}
	if len(s.header) >= maxColumns || len(path) > 512 {
		return -1
	}
	at := len(s.header)
	s.index[path] = at
	s.header = append(s.header, path)
	s.fields = append(s.fields, nil)
	s.changed = true
	return at
}
