package main

import (
	"os"
	"testing"

	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
)

func TestMain(m *testing.M) { os.Exit(machinetest.Main(m)) }
