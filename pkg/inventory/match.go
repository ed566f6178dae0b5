package inventory

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// Match finds the dealer's unit that a lead is about: by VIN, stock number or
// vehicle id as Vehicle does, else by year, make and model together, which the
// trim narrows when given. Units that are not listed are returned too, but a
// listed one wins; of several the one with the smallest key. ErrNotFound when
// nothing matches or the description is too thin.
func (l *Lot) Match(ctx context.Context, p *dealer.Profile, voi aap.Vehicle) (Vehicle, error) {
	now := l.now()
	unit, err := l.find(ctx, p, now, voi.VIN, voi.Stock, voi.VehicleID)
	if !errors.Is(err, ErrNotFound) {
		return unit, err
	}
	if voi.Year == nil || fold(voi.Make) == "" || fold(voi.Model) == "" {
		return Vehicle{}, ErrNotFound
	}
	x, err := l.index(ctx, p.ID)
	if err != nil {
		return Vehicle{}, err
	}
	if unit, ok, err := x.matchListed(voi); ok || err != nil {
		return unit, err
	}
	for _, agree := range [...]func(have, asked string) bool{sameTrim, trimsAgree} {
		for _, g := range x.gone {
			if g.year == int64(*voi.Year) && g.pair == pairKey(voi.Make, voi.Model) &&
				agree(g.unit.Listing.Trim, voi.Trim) && !forgotten(g.unit, p, now) {
				return g.unit, nil
			}
		}
	}
	return Vehicle{}, ErrNotFound
}

// matchListed finds a listing by year, make, model and trim; one with exactly
// the trim before one whose trim goes on.
func (x *Index) matchListed(voi aap.Vehicle) (unit Vehicle, ok bool, err error) {
	pairs, makes := x.models.byName[fold(voi.Model)], x.fields[fieldMake].match(voi.Make)
	trims, best := x.fields[fieldTrim], -1
	for doc := range x.keys {
		if x.columns[colYear][doc] != float64(*voi.Year) ||
			!slices.Contains(makes, x.fields[fieldMake].of[doc]) ||
			!slices.Contains(pairs, x.fields[fieldModel].of[doc]) {
			continue
		}
		have := trims.terms[trims.of[doc]].display
		if sameTrim(have, voi.Trim) {
			best = doc
			break
		}
		if best < 0 && trimsAgree(have, voi.Trim) {
			best = doc
		}
	}
	if best < 0 {
		return Vehicle{}, false, nil
	}
	unit.Key = x.keys[best]
	if err := unit.Listing.UnmarshalJSON(x.listing(uint32(best))); err != nil {
		return Vehicle{}, false, fmt.Errorf("read a listing back: %w", err)
	}
	unit.State, unit.Listing.Status = State(unit.Listing.Status), ""
	return unit, true, nil
}

func sameTrim(have, asked string) bool { return fold(have) == fold(asked) }

// trimsAgree reports whether a unit's trim is the asked one, or continues it
// with further words; no asked trim agrees with any.
func trimsAgree(have, asked string) bool {
	return fold(asked) == "" || sameTrim(have, asked) || firstWords(have, fold(asked))
}
