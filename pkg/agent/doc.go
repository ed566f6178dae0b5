// Package agent is the five skills of the Auto Agent Protocol as one table.
// Every transport, card and document reads that table; a new skill is a new row.
//
// Agent.Call promises that a skill sees only payloads that fit the schema of
// the version they came in under, and that a refused payload is told every
// fault at once. It knows no transport: what comes back is a payload or an
// error, and only an *aap.Error may be shown to a buyer.
package agent
