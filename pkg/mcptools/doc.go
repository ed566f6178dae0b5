// Package mcptools offers the skills of a dealer agent as tools of the Model
// Context Protocol (MCP).
//
// A tool's arguments are the AAP request payload and nothing else; its result
// is the AAP response payload, once as structured content and once as text. A
// refusal is a result too, with isError and the aap.error object, so that a
// model reads it and can mend its call. A member "type" that a model left out
// is filled in; nothing else is guessed.
//
// The package knows no transport of AAP: it stands before anything with the
// one method Call.
package mcptools
