// Package crm hands one lead over to the dealer's CRM, or says why not.
//
// A lead goes to each of the profile's delivery targets at least once. The
// state written before and after every attempt makes a second document rare:
// it is sent only when an earlier attempt may have arrived without saying so,
// and is then marked as a resend under the same lead id. No state claims more
// than the transport said.
//
// Logs and errors name the lead id and the target, never the buyer and never
// what a receiver answered.
package crm
