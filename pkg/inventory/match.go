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
	a := described(voi)
	if a.make == "" || a.model == "" {
		return Vehicle{}, ErrNotFound
	}
	x, err := l.index(ctx, p.ID)
	if err != nil {
		return Vehicle{}, err
	}
	if unit, ok, err := x.matchListed(a); ok || err != nil {
		return unit, err
	}
	for _, agree := range [...]func(have, asked string) bool{sameTrim, trimsAgree} {
		for _, g := range x.gone {
			if g.year == a.year && g.pair == a.pair &&
				agree(g.unit.Listing.Trim, a.trim) && !forgotten(g.unit, p, now) {
				return g.unit, nil
			}
		}
	}
	return Vehicle{}, ErrNotFound
}

// description is a vehicle by year, make, model and trim, the texts folded.
type description struct {
	year              int64
	make, model, trim string
	pair              string
	makes             string // the make as it was written
}

// described folds what a buyer wrote, once. A text longer than any name
// describes nothing.
func described(v aap.Vehicle) description {
	if len(v.Make) > longestName || len(v.Model) > longestName || len(v.Trim) > longestName || v.Year == nil {
		return description{}
	}
	return description{
		year: int64(*v.Year), make: fold(v.Make), model: fold(v.Model), trim: fold(v.Trim),
		pair: pairKey(v.Make, v.Model), makes: v.Make,
	}
}

// matchListed finds a listing by year, make, model and trim; one with exactly
// the trim before one whose trim goes on.
func (x *Index) matchListed(a description) (unit Vehicle, ok bool, err error) {
	pairs, makes := x.models.byName[a.model], x.fields[fieldMake].match(a.makes)
	trims, best := x.fields[fieldTrim], -1
	for doc := range x.keys {
		if x.columns[colYear][doc] != float64(a.year) ||
			!slices.Contains(makes, x.fields[fieldMake].of[doc]) ||
			!slices.Contains(pairs, x.fields[fieldModel].of[doc]) {
			continue
		}
		have := trims.terms[trims.of[doc]].display
		if sameTrim(have, a.trim) {
			best = doc
			break
		}
		if best < 0 && trimsAgree(have, a.trim) {
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

// sameTrim and trimsAgree compare a unit's trim with an asked one, folded.
func sameTrim(have, asked string) bool { return fold(have) == asked }

// trimsAgree reports whether a unit's trim is the asked one, or continues it
// with further words; no asked trim agrees with any.
func trimsAgree(have, asked string) bool {
	return asked == "" || sameTrim(have, asked) || firstWords(have, asked)
}
