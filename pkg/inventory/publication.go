package inventory

import (
	"reflect"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// Publication is what the agent told buyers about one vehicle from a moment
// on, until the next one about it: price, charges and availability. Dealers
// keep such a log where the law asks for it, as California's does for two years.
type Publication struct {
	At      time.Time `json:"at"`
	Key     string    `json:"key"`
	VIN     string    `json:"vin,omitempty"`
	Stock   string    `json:"stock,omitempty"`
	Rooftop string    `json:"rooftop,omitempty"`
	// Status is the availability that was told; sold or hidden when the
	// vehicle was not offered any more.
	Status State `json:"status"`
	// Price is the advertised price, ListPrice and MSRP what stood beside it,
	// in whole dollars; absent ones were not published.
	Price     *aap.Int `json:"price,omitempty"`
	ListPrice *aap.Int `json:"list_price,omitempty"`
	MSRP      *aap.Int `json:"msrp,omitempty"`
	// Fees are the mandatory charges that were listed with the vehicle; nil:
	// none were.
	Fees []aap.Fee `json:"fees"`
	// Column is the dealer's word on the price column of the feed:
	// all_mandatory_charges, none (the fees were added), or empty.
	Column string `json:"price_column,omitempty"`
	// Source is the name of the file that said so, and FeedTime its own time.
	Source   string    `json:"source,omitempty"`
	FeedTime time.Time `json:"feed_time,omitzero"`
}

// Log is what an import adds to the log of publications.
type Log struct {
	// Kept says that the dealer keeps one; Head.Logged follows it.
	Kept bool
	// Until ends the retention of Entries.
	Until   time.Time
	Entries []Publication
}

// log works out what the change publishes anew, when the profile keeps a log:
// every vehicle of which it changes what buyers are told, or, where no log was
// kept so far, every vehicle that is offered.
func (c Change) log(old []Vehicle, head Head, b Batch, p *dealer.Profile, now time.Time) Log {
	keep := p.Records.Prices.Std()
	if keep <= 0 {
		return Log{}
	}
	l := Log{Kept: true, Until: now.Add(keep)}
	say := func(v *Vehicle) {
		entry := published(v)
		entry.At, entry.Source, entry.FeedTime = now.UTC(), b.Source, b.VouchedAt.UTC()
		entry.Column = p.Prices.Includes
		l.Entries = append(l.Entries, entry)
	}
	if !head.Logged {
		for i := range c.All {
			if c.All[i].State.Listed() {
				say(&c.All[i])
			}
		}
		return l
	}
	if len(c.Put) == 0 {
		return l
	}
	before := make(map[string]*Vehicle, len(old))
	for i := range old {
		before[old[i].Key] = &old[i]
	}
	for i := range c.Put {
		v := &c.Put[i]
		was := before[v.Key]
		offered := v.State.Listed() || was != nil && was.State.Listed()
		if offered && (was == nil || !reflect.DeepEqual(published(was), published(v))) {
			say(v)
		}
	}
	return l
}

// published is what a log says of the vehicle, apart from when and why.
func published(v *Vehicle) Publication {
	l := &v.Listing
	return Publication{
		Key: v.Key, VIN: l.VIN, Stock: l.Stock, Rooftop: l.Rooftop, Status: v.State,
		Price: l.Price, ListPrice: l.ListPrice, MSRP: l.MSRP, Fees: l.Fees,
	}
}

// Is reports whether the publication is about the vehicle with this VIN, stock
// number or key; stock numbers are folded.
func (p Publication) Is(id string) bool {
	return id != "" && (id == p.Key || id == p.VIN || p.Stock != "" && FoldID(p.Stock) == FoldID(id))
}
