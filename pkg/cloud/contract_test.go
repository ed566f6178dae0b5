package cloud_test

import (
	"testing"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/inventory/inventorytest"
	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/lead/leadtest"
	"github.com/dealer-agent/dealer/pkg/pickup"
	"github.com/dealer-agent/dealer/pkg/pickup/pickuptest"
)

func TestInventoryContractOnDynalite(t *testing.T) {
	client := cloudtest.DynamoDB(cloudtest.Dynalite(t))
	inventorytest.Run(t, func(t *testing.T) inventory.Store {
		return cloud.NewInventory(client, cloudtest.Table(t, client))
	})
}

func TestInventoryContractOnMoto(t *testing.T) {
	client := cloudtest.DynamoDB(cloudtest.Moto(t))
	inventorytest.Run(t, func(t *testing.T) inventory.Store {
		return cloud.NewInventory(client, cloudtest.Table(t, client))
	})
}

func TestLeadContractOnMoto(t *testing.T) {
	client := cloudtest.DynamoDB(cloudtest.Moto(t))
	leadtest.Run(t, func(t *testing.T) lead.Store {
		return cloud.NewLeads(client, cloudtest.Table(t, client))
	})
}

func TestPickupContractOnMoto(t *testing.T) {
	client := cloudtest.DynamoDB(cloudtest.Moto(t))
	pickuptest.Run(t, func(t *testing.T) pickup.Store {
		return cloud.NewPickups(client, cloudtest.Table(t, client))
	})
}
