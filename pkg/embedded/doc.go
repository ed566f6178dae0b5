// Package embedded keeps one machine's dealer in one file: the inventory, the
// leads and the queue of leads to hand over. It is the default of the dealer
// command and a production choice for one host, not a stand-in.
//
// The file is a bbolt database. Every write is on disk when it returns, and
// writes that arrive together share one flush. One process may hold the file;
// a second one gets ErrInUse.
//
// Top-level buckets: "meta" (format), "inventory" and "leads" with one bucket a
// dealer in each, so that no key of one dealer is reachable under another's id,
// and "queue".
package embedded
