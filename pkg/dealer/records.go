package dealer

import (
	"strings"
	"time"
)

// twoYears is how long California has dealers keep what they advertised (SB
// 766 of 2025, in force since October 2026).
const twoYears = 17520 * time.Hour

// Records sets what the agent keeps because the law may ask for it.
type Records struct {
	// Prices is how long the log of published prices, charges and availability
	// is kept; 0 keeps none. Default 17520h (two years) with a rooftop in
	// California, where less is refused, and else 0.
	Prices Duration `yaml:"prices"`
}

// inCalifornia names the first rooftop there, if any.
func (p *Profile) inCalifornia() string {
	for i := range p.Rooftops {
		a := p.Rooftops[i].Address
		if a == nil || a.Country != "" && !strings.EqualFold(a.Country, "US") {
			continue
		}
		if state := strings.TrimSpace(a.State); strings.EqualFold(state, "CA") || strings.EqualFold(state, "California") {
			return p.Rooftops[i].Name
		}
	}
	return ""
}

func checkRecords(p *Profile, r *reader) {
	if name := p.inCalifornia(); name != "" && p.Records.Prices.Std() < twoYears {
		r.fault("records.prices", "is shorter than two years, and "+quote(name)+" is in California, where dealers keep what they advertised for two years",
			"write 730d or more, or remove the line")
	}
}
