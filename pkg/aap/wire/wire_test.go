package wire_test

import (
	"bytes"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/wire"
	"github.com/dealer-agent/dealer/pkg/aap/wire/wiretest"
)

// older lists the contracts that need translation.
func older() []aap.Version { return aap.Versions()[1:] }

func TestEveryValidOlderRequestBecomesAValidNewestOne(t *testing.T) {
	newest := wiretest.New(t, aap.Primary())
	for _, v := range older() {
		c := wiretest.New(t, v)
		for _, s := range aap.Skills() {
			t.Run(v.Label+"/"+s.ID, func(t *testing.T) {
				rapid.Check(t, func(rt *rapid.T) {
					request := c.Draw(rt, s.RequestSchema())
					kept := bytes.Clone(request)
					up, err := wire.Up(v, s, request)
					if err != nil {
						rt.Fatal(err)
					}
					if faults := newest.Faults(t, s.RequestSchema(), up); len(faults) > 0 {
						rt.Fatalf("%v\n%s\nfrom\n%s", faults, up, request)
					}
					if !bytes.Equal(kept, request) {
						rt.Fatal("the payload was changed in place")
					}
				})
			})
		}
	}
}

func TestEveryValidNewestAnswerBecomesAValidOlderOne(t *testing.T) {
	newest := wiretest.New(t, aap.Primary())
	for _, v := range older() {
		c := wiretest.New(t, v)
		for _, s := range aap.Skills() {
			t.Run(v.Label+"/"+s.ID, func(t *testing.T) {
				rapid.Check(t, func(rt *rapid.T) {
					answer := newest.Draw(rt, s.ResponseSchema())
					kept := bytes.Clone(answer)
					down, err := wire.Down(v, s, answer, wire.Context{
						DealerID: "harbor-auto", Brands: rapid.SliceOf(rapid.String()).Draw(rt, "brands"), Priced: rapid.Bool().Draw(rt, "priced"),
					})
					if err != nil {
						rt.Fatal(err)
					}
					if faults := c.Faults(t, s.ResponseSchema(), down); len(faults) > 0 {
						rt.Fatalf("%v\n%s\nfrom\n%s", faults, down, answer)
					}
					if !bytes.Equal(kept, answer) {
						rt.Fatal("the payload was changed in place")
					}
				})
			})
		}
	}
}

func TestPayloadsOfTheNewestContractAreReturnedAsTheyAre(t *testing.T) {
	payload := []byte(` {"type" : "inventory.search.request"} `)
	if up, err := wire.Up(aap.Primary(), aap.InventorySearch, payload); err != nil || &up[0] != &payload[0] {
		t.Errorf("up: %s, %v", up, err)
	}
	if down, err := wire.Down(aap.Primary(), aap.InventorySearch, payload, wire.Context{}); err != nil || &down[0] != &payload[0] {
		t.Errorf("down: %s, %v", down, err)
	}
}

func TestAContractWithoutTranslationIsRefused(t *testing.T) {
	v := aap.Version{Label: "v9.9"}
	if _, err := wire.Up(v, aap.InventorySearch, []byte(`{}`)); !errors.Is(err, wire.ErrUnknown) {
		t.Errorf("up: %v", err)
	}
	if _, err := wire.Down(v, aap.InventorySearch, []byte(`{}`), wire.Context{}); !errors.Is(err, wire.ErrUnknown) {
		t.Errorf("down: %v", err)
	}
	v01, _ := aap.VersionByLabel("v0.1")
	if _, err := wire.Up(v01, aap.InventorySearch, []byte(`[]`)); !errors.Is(err, wire.ErrShape) {
		t.Errorf("an array: %v", err)
	}
}
