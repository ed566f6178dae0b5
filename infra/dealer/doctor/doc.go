// Package doctor looks at any AAP dealer agent from outside, as buyers' agents
// meet it, and reports what they would run into: the card and how it is served,
// every contract version that the agent and this package speak, each declared
// skill, errors, headers, the consent gate, the contract manifest of AAP v0.1
// and the MCP endpoint.
//
// It promises to do no harm and to suffer none. Nothing is written at the
// dealer unless Config.SendTestLead says so: the request that tries the consent
// gate is one that every agent must refuse for two reasons. A token goes to the
// host of the card and to no other. Whatever the other side sends is bounded in
// size and time, and its words reach a report only printable, short and without
// the token.
package doctor
