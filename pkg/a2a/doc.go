// Package a2a is the Agent2Agent 1.0 front of the dealer agent: JSON-RPC 2.0
// over HTTP before the table of skills, the agent card, and the buyer's side
// of the same conversation.
//
// The handler promises one well-formed answer to any bytes: a JSON-RPC answer
// under HTTP 200, or one of the documented refusals (401, 404, 405, 413, 415,
// 429), each with a JSON-RPC error as its body. No internal text and no
// personal data leaves through an error or a log line. There are no tasks,
// streams or push notifications: every message is answered at once.
package a2a
