package leadtest_test

import (
	"testing"

	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/lead/leadtest"
)

func TestMemoryFulfilsTheContract(t *testing.T) {
	leadtest.Run(t, func(*testing.T) lead.Store { return leadtest.NewMemory() })
}
