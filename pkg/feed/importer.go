package feed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

// Importer brings export files into the stored inventory. It is safe for
// concurrent use as far as its parts are.
type Importer struct {
	Store    inventory.Store
	Profiles dealer.Source
	Now      func() time.Time
	// Pages reads the vehicles' pages to compare their prices; nil compares
	// none, else the first ComparePages that can be are.
	Pages        Pages
	ComparePages int
}

// conflictTries is how often an import plans again after another one, or an
// order about a single vehicle, was faster.
const conflictTries = 20

// Import reads src and makes the stored inventory what it says; a dry run stops
// before writing. Readers see the old inventory or the new one. An error means
// that the old one stays: ErrRefused when the file cannot be used, an
// *inventory.Refused when a guard of the inventory trips, where only cars that
// the file itself marks sold become so; anything else when a part failed and the
// same call may succeed later. The report is meaningful in every case.
func (im *Importer) Import(ctx context.Context, src Source, dryRun bool) (Report, error) {
	fail := func(rep Report, doing string, err error) (Report, error) {
		return rep, fmt.Errorf("%s: %w", doing, err)
	}
	p, err := im.Profiles.Profile(ctx)
	if err != nil {
		return fail(newReport(src.Name), "load the profile", err)
	}
	now := im.Now()
	if src.Modified.IsZero() || src.Modified.After(now) {
		src.Modified = now
	}
	batch, rep, err := Read(ctx, src, p)
	rep.DryRun = dryRun
	if err != nil {
		// A store that does not answer now leaves the report without that sentence.
		head, unknown := im.Store.Head(ctx, p.ID)
		rep.remains = remains(head, unknown)
		return rep, err
	}
	if batch.VouchedAt.After(now) {
		batch.VouchedAt = now
		rep.FeedTime = now
	}
	if im.Pages != nil {
		rep.comparePages(ctx, batch.Vehicles, im.Pages, im.ComparePages)
	}
	for try := 1; ; try++ {
		err := im.apply(ctx, p, batch, &rep, now)
		if errors.Is(err, inventory.ErrConflict) && try < conflictTries {
			continue
		}
		if refused, ok := errors.AsType[*inventory.Refused](err); ok {
			rep.Refused = refused.Error()
			return rep, err
		}
		if err != nil {
			return fail(rep, "store the inventory", err)
		}
		return rep, nil
	}
}

func (im *Importer) apply(ctx context.Context, p *dealer.Profile, batch inventory.Batch, rep *Report, now time.Time) error {
	head, err := im.Store.Head(ctx, p.ID)
	var old []inventory.Vehicle
	switch {
	case errors.Is(err, inventory.ErrNotFound):
		head = inventory.Head{}
	case err != nil:
		return err
	default:
		if old, err = im.Store.Snapshot(ctx, p.ID, head); err != nil {
			return err
		}
	}
	rep.remains = remains(head, nil)
	batch.Source = rep.File
	change, outcome, refused := inventory.Plan(old, head, batch, p, now)
	if !rep.DryRun && (refused == nil || !change.Empty()) {
		if _, err := im.Store.Apply(ctx, p.ID, head, change); err != nil {
			return err
		}
	}
	if refused == nil || !change.Empty() {
		rep.Differences = differencesOf(old, change)
	}
	if refused != nil {
		return refused
	}
	rep.lost(old, batch.Rooftops)
	rep.Changes = &outcome
	return nil
}

// remains is what buyers find after a refusal, by the head from before; "" when
// that is not known.
func remains(head inventory.Head, err error) string {
	switch {
	case errors.Is(err, inventory.ErrNotFound) || err == nil && head.Revision == 0:
		return "there is no inventory yet, buyers find no vehicle"
	case err != nil:
		return ""
	}
	return "the last good inventory stays"
}

// lost warns of members that the inventory had so far and this file gives to
// no unit, at the rooftops it is about.
func (r *Report) lost(old []inventory.Vehicle, rooftops []string) {
	var before [members]int
	listed := 0
	for i := range old {
		if !old[i].State.Listed() || len(rooftops) > 0 && !slices.Contains(rooftops, old[i].Listing.Rooftop) {
			continue
		}
		listed++
		for m := range before {
			if filled(&old[i].Listing, member(m)) {
				before[m]++
			}
		}
	}
	for m, n := range before {
		if n > 0 && r.filled[m] == 0 {
			r.warn(0, fmt.Sprintf("%s is gone: %d of %d listed units had it before this file", member(m), n, listed))
		}
	}
}
