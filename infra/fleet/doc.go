// Package fleet plans and runs many stacks, one for each rooftop of a vendor: it
// reads a fleet file, compares it with what is deployed, and brings each stack
// where the file wants it. What AWS is asked lies behind interfaces that package
// stacks fulfils, so that everything here runs on any clock.
//
// A stack carries its state in tags: the fleet, the rooftop and the version, a
// digest of the template. Whatever a run has done is read back from there; a
// journal beside the fleet file only saves questions.
//
// The dealers of a pooled fleet share one stack, which is there already. What a
// PoolRunner brings there are their profiles, told apart by their digests.
package fleet
