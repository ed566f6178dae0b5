// Package schema checks JSON payloads against the schemas of one contract
// version and reports every violation at once.
//
// It promises that a payload without violations decodes into the types of
// package aap without loss: no member is ambiguous (duplicate, or a
// near-duplicate by letter case, which a decoder would take for the declared
// one), no number is out of reach and no text is broken. It fetches nothing,
// neither from the network nor from the disk.
//
// The JSON Schema library reads, resolves and vets the schemas. Payloads are
// then walked here rather than by the library, because the answer has to be
// complete, ordered, in words that repeat nothing the payload said, and bounded
// in time and size for hostile input; tests hold the walk to the library's
// verdict.
package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// MaxDepth is how deep arrays and objects of a payload may be nested; the
// payload itself is the first level.
const MaxDepth = 32

// ErrUnknown says that the contract version has no schema file of that name.
var ErrUnknown = errors.New("schema: no such schema file")

// Set is the schemas of one contract version. It is safe for concurrent use; a
// schema is read and compiled when it is first needed, with those it refers to.
type Set struct {
	version aap.Version
	files   fs.FS

	ready sync.Map // file name -> *entry

	mu       sync.Mutex // guards the two below, which compiling changes
	compiler *jsonschema.Compiler
	rules    map[*jsonschema.Schema]*rule
}

// entry is the outcome of compiling one file.
type entry struct {
	rule *rule
	err  error
}

// New makes the set of a version from its files, as schemas.Version returns
// them. Nothing is read yet beyond the folder itself.
func New(v aap.Version, files fs.FS) (*Set, error) {
	if files == nil {
		return nil, fmt.Errorf("schema: no files for %s", v.Label)
	}
	found, err := fs.Glob(files, "*.schema.json")
	if err != nil {
		return nil, fmt.Errorf("schema: %s: %w", v.Label, err)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("schema: %s: no schema files: %w", v.Label, fs.ErrNotExist)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(folder{base: v.SchemaBaseURL(), files: files})
	compiler.AssertFormat()
	for _, f := range formats() {
		compiler.RegisterFormat(f)
	}
	return &Set{version: v, files: files, compiler: compiler, rules: map[*jsonschema.Schema]*rule{}}, nil
}

// Version is the contract version the set belongs to.
func (s *Set) Version() aap.Version { return s.version }

// Check reports every violation of payload against the named schema file,
// sorted by pointer and then keyword; none means valid. Where several rules say
// the same of one place, the narrowest is reported. Input with more than a
// thousand faults gets the first of them and one entry that says so.
//
// The keywords are those of JSON Schema 2020-12 and, for what it does not
// cover: syntax, encoding, duplicateKey, caseMismatch, maxDepth, number and
// tooMany. The error is about the schema itself (ErrUnknown, or a schema that
// does not compile), never about the payload.
func (s *Set) Check(file string, payload []byte) ([]aap.Violation, error) {
	r, err := s.rule(file)
	if err != nil {
		return nil, err
	}
	doc, found := read(payload, MaxDepth, true)
	if doc.kind != kindNone {
		c := checker{found: found}
		c.check(r, &doc, true)
	}
	return found.sorted(), nil
}

// Scan reports what is wrong with any JSON document before its meaning matters:
// broken syntax or text, duplicate members, nesting over maxDepth and numbers no
// program can hold. Violations are sorted as those of Check. Check includes it.
func Scan(doc []byte, maxDepth int) []aap.Violation {
	_, found := read(doc, maxDepth, false)
	return found.sorted()
}

// Compile prepares the named schema now, for a caller who would rather wait at
// start than at the first payload.
func (s *Set) Compile(file string) error {
	_, err := s.rule(file)
	return err
}

func (s *Set) rule(file string) (*rule, error) {
	if e, ok := s.ready.Load(file); ok {
		return e.(*entry).rule, e.(*entry).err
	}
	if !fs.ValidPath(file) {
		return nil, fmt.Errorf("%w: %q in %s", ErrUnknown, file, s.version.Label)
	}
	if info, err := fs.Stat(s.files, file); err != nil || info.IsDir() {
		// Not remembered: any number of names does not exist.
		return nil, fmt.Errorf("%w: %q in %s", ErrUnknown, file, s.version.Label)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.ready.Load(file); ok {
		return e.(*entry).rule, e.(*entry).err
	}
	e := &entry{}
	e.rule, e.err = s.compile(file)
	s.ready.Store(file, e)
	return e.rule, e.err
}

func (s *Set) compile(file string) (*rule, error) {
	compiled, err := s.compiler.Compile(s.version.SchemaBaseURL() + file)
	if err != nil {
		return nil, fmt.Errorf("schema: %s of %s: %w", file, s.version.Label, err)
	}
	r, err := translate(compiled, s.rules)
	if err == nil && endless(maps.Values(s.rules)) {
		err = errors.New("a schema applies itself to the same value without end")
	}
	if err != nil {
		return nil, fmt.Errorf("schema: %s of %s: %w", file, s.version.Label, err)
	}
	return r, nil
}

// folder is the only place schemas are loaded from: a file system that stands
// for the version's base URL. Every other address is refused.
type folder struct {
	base  string
	files fs.FS
}

// Load implements jsonschema.URLLoader.
func (f folder) Load(url string) (any, error) {
	if len(url) <= len(f.base) || url[:len(f.base)] != f.base {
		return nil, fmt.Errorf("%w: %s lies outside %s", ErrUnknown, url, f.base)
	}
	text, err := fs.ReadFile(f.files, url[len(f.base):])
	if err != nil {
		return nil, err
	}
	var doc any
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	return doc, nil
}
