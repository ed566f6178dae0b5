// Package inventorytest is the contract of inventory.Store as tests: every
// adapter runs Run against its own opened store.
package inventorytest

import (
	"testing"

	"github.com/dealer-agent/dealer/pkg/inventory"
)

// Run proves that the stores open returns keep the contract of
// inventory.Store. open gives an empty store for each call and registers its
// own clean-up on t.
func Run(t *testing.T, open func(t *testing.T) inventory.Store) {
	for _, claim := range []struct {
		name string
		test func(*testing.T, inventory.Store)
	}{
		{"nothing is there before the first import", testEmptyStore},
		{"units come back as they were written, ordered by key", testRoundTrip},
		{"an inventory of no units is an inventory", testNoUnits},
		{"each change raises the revision and updates what it names", testRevisions},
		{"a stale base conflicts and changes nothing", testConflict},
		{"an empty change keeps the snapshot and the units", testEmptyChange},
		{"forgotten units are gone from every reading", testForget},
		{"identifiers match exactly before folded", testFind},
		{"a listed unit wins over an unlisted one", testFindPrefersListed},
		{"a changed identifier moves the name", testRename},
		{"units that share a name do not take it from each other", testSharedName},
		{"dealers cannot see one another", testIsolation},
		{"what was read belongs to the reader", testOwnership},
		{"a large generation comes back whole", testLarge},
		{"of imports from one base exactly one wins", testRace},
		{"the log has what was shown, in order and until its end", testLog},
		{"an import that lost the race leaves no trace in the log", testLogOfLostRace},
		{"the log survives a time in which none was kept", testLogGap},
		{"readers see whole generations only", testWholeGenerations},
	} {
		t.Run(claim.name, func(t *testing.T) { claim.test(t, open(t)) })
	}
}
