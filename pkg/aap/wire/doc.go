// Package wire translates payloads between the contracts of the protocol: a
// request of an older contract up to the primary one, which is all the rest of
// the agent knows, and the primary one's response down again.
//
// It promises that a request that fits its own contract's schema fits the
// primary one's afterwards, and that a response that fits the primary schema
// fits the older one's afterwards. What the newer contract has no place for is
// left out; whoever must keep it keeps the payload as it came. Payloads are
// neither checked here nor changed in place, and those of the primary contract
// are returned as they are.
//
// Each contract below the primary one has one file with its two steps, to and
// from the next newer one.
package wire
