package embedded_test

import (
	"testing"

	"github.com/dealer-agent/dealer/pkg/embedded"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/inventory/inventorytest"
	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/lead/leadtest"
	"github.com/dealer-agent/dealer/pkg/pickup"
	"github.com/dealer-agent/dealer/pkg/pickup/pickuptest"
)

func open(t testing.TB, dir string) *embedded.DB {
	t.Helper()
	db, err := embedded.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func TestInventoryContract(t *testing.T) {
	inventorytest.Run(t, func(t *testing.T) inventory.Store { return open(t, t.TempDir()).Inventory() })
}

func TestLeadContract(t *testing.T) {
	leadtest.Run(t, func(t *testing.T) lead.Store { return open(t, t.TempDir()).Leads() })
}

func TestPickupContract(t *testing.T) {
	pickuptest.Run(t, func(t *testing.T) pickup.Store { return open(t, t.TempDir()).Pickups() })
}
