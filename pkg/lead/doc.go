// Package lead says what must be true before a lead is taken and what is true
// after: idempotency, consent, channels, duplicates, vehicles and appointments,
// in that order, then one durable record and one queued id.
//
// Desk takes leads, Refuse answers those that broke the schema, Discreet keeps
// the buyer out of the logs. The package knows neither storage nor transport:
// Store and Queue are contracts that packages embedded and cloud fulfil and
// package leadtest checks, and package adf writes the XML.
package lead
