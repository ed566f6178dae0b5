package inventorytest_test

import (
	"testing"

	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/inventory/inventorytest"
)

func TestMemoryKeepsTheContract(t *testing.T) {
	inventorytest.Run(t, func(*testing.T) inventory.Store { return new(inventorytest.Memory) })
}
