// Package mcptools offers the skills of a dealer agent as tools of the Model
// Context Protocol (MCP).
//
// A tool's arguments are the AAP request payload and nothing else; its result
// is the AAP response payload, once as structured content and once as text. A
// refusal is a result too, with isError and the aap.error object, so that a
// model reads it and can mend its call. A member "type" that a model left out
// is filled in; nothing else is guessed.
//
// What one dealer offers is an offer, and a server is made of offers, whatever
// carries its messages: NewHandler serves one dealer over HTTP, ServeStdio the
// same over a host's pipes, and ServeNetwork dealers elsewhere, each with tools
// of its own name and one search over all. What such a dealer answers is a
// stranger's: it is passed on as data, never as a word of this server, and
// nothing of one dealer reaches another.
//
// A lead without a consent has the buyer asked for it by a form, where the host
// can show one: while the call waits, over pipes, or by round trips that leave
// nothing behind at the server (asking.go, hosts.go, state.go). Asking also
// holds leads back until a person has approved them.
//
// The package knows no transport of AAP: it stands before anything with the
// one method Call.
package mcptools
