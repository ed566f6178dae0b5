package dealer

import (
	"math"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// Shown reports whether the dealer's price has the meaning that contract v
// gives to "price" (AAP v1.3 and v1.2 pricing-and-ftc).
func (p Prices) Shown(v aap.Version) bool { return p.OutTheDoor || !v.PriceIsOutTheDoor }

// Publish says what a vehicle shows for the number in the feed's price column,
// in whole US dollars; zero or less is no number. Nil results are absent
// members.
//
// Only a number that is known to hold every mandatory charge becomes the AAP
// price (AAP v1.3 pricing-and-ftc): the column itself when the dealer declared
// it complete, or the column plus AddFees, which then stand in fees. Without a
// declaration the number is the list price and nothing more. It never panics
// and never gives a price below the column.
func (p Prices) Publish(selling int64) (price, listPrice *aap.Int, fees []aap.Fee) {
	if selling <= 0 {
		return nil, nil, nil
	}
	column := aap.Int(selling)
	switch p.Includes {
	case PricesComplete:
		return &column, nil, nil
	case PricesWithoutFees:
		total := selling
		for _, f := range p.AddFees {
			if f.Amount < 0 || total > math.MaxInt64-f.Amount {
				return nil, &column, nil
			}
			total += f.Amount
		}
		advertised := aap.Int(total)
		fees = make([]aap.Fee, 0, len(p.AddFees))
		fees = append(fees, wireFees(p.AddFees)...)
		if total == selling {
			return &advertised, nil, fees
		}
		return &advertised, &column, fees
	}
	return nil, &column, nil
}
