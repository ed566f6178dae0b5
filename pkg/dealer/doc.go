// Package dealer is the dealer profile: the one document that says everything
// about a dealer. It is loaded, defaulted and checked once; every fault is
// reported together with its line and what to write instead, so the rest of
// the program takes a Profile as true.
//
// What is not here: secrets (they are named by reference) and anything that
// changes by the hour, such as inventory.
package dealer
