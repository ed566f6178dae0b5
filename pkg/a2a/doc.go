// Package a2a is the Agent2Agent 1.0 front of the dealer agent: JSON-RPC 2.0
// and, under contracts that have it, HTTP+JSON before the table of skills, the
// agent cards and the contract manifest, and the buyer's side of the same
// conversation.
//
// Every contract version has a URL, a card and answers of its own; what sets
// them apart are rows of aap.Version and nothing here.
//
// The handler promises one well-formed answer to any bytes: a JSON-RPC answer
// under HTTP 200, or one of the documented refusals (401, 404, 405, 413, 415,
// 429), each with a JSON-RPC error as its body. Over HTTP+JSON every error has
// its own status. No internal text and no personal data leaves through an error
// or a log line. There are no tasks, streams or push notifications: every
// message is answered at once.
package a2a
