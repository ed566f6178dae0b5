// Package lead says what must be true before a lead is taken and what is true
// after: consent, channels, conditions, idempotency, duplicates, vehicles and
// appointments, in that order, then one durable record and one queued id.
//
// It knows neither storage nor transport: Store and Queue are contracts that
// packages embedded and cloud fulfil, and package adf writes the XML.
package lead
