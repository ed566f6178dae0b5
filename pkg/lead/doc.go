// Package lead says what must be true before a lead is taken and what is true
// after: idempotency, consent, channels, duplicates, vehicles and appointments,
// in that order, then one durable record and one queued id.
//
// A visit is confirmed only in the transaction that takes its slot. A time that
// is no free slot gets the nearest free ones proposed; what has passed, lies
// beyond the horizon, names no time or finds nothing free is requested, for
// people to arrange. Since the lead is worth keeping in each case, no visit is
// rejected and no lead refused for its time (AAP v1.3 lead-submit-response).
//
// Desk takes leads, Refuse answers those that broke the schema, Discreet keeps
// the buyer out of the logs. The package knows neither storage nor transport:
// Store and Queue are contracts that packages embedded and cloud fulfil and
// package leadtest checks, and package adf writes the XML.
package lead
