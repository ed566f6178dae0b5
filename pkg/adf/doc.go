// Package adf writes an accepted lead as ADF/XML, the form dealers' CRMs take
// leads in, and reads ADF leniently.
//
// Writing is strict: the element order is the one of the ADF 1.0 DTD, one
// document holds one prospect, every value is escaped, and nothing appears
// that is not in the lead, the dealer's profile or the dealer's own listing.
// Reading is lenient: what senders really write is taken as far as it can be
// understood, and each departure is reported with its line.
package adf
