// Package aap holds the words of the Auto Agent Protocol: skills, wire types,
// error codes and contract versions, named as the protocol names them.
//
// It promises that a value decoded from a schema-valid payload loses nothing
// and that what it encodes fits the released schema of AAP v1.3. It neither
// checks payloads nor knows any transport; see packages schema and a2a.
package aap
