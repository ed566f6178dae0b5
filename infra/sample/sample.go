// Package sample is a fictional dealer group with two rooftops: a profile that
// teaches every setting, and a feed of a few hundred vehicles.
package sample

import _ "embed"

//go:generate go run ./internal/generate

var (
	//go:embed dealer.yaml
	profile string
	//go:embed inventory.csv
	feed string
)

// Profile is the sample's dealer.yaml; the caller owns the bytes.
func Profile() []byte { return []byte(profile) }

// Feed is the sample's export file and the name that tells its format; the
// caller owns the bytes. It is dated 2026-04-28, and so are its cars.
func Feed() (name string, data []byte) { return "inventory.csv", []byte(feed) }
