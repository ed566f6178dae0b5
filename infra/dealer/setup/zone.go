package setup

import (
	"strconv"
	"strings"
)

// zonesByZip are time zones by the first three digits of US postal codes, each
// up to the number given. Counties that differ within a prefix follow the most people.
var zonesByZip = []struct {
	last int
	zone string
}{
	{4, ""}, {5, "America/New_York"}, {9, "America/Puerto_Rico"}, {323, "America/New_York"}, {325, "America/Chicago"}, {349, "America/New_York"},
	{369, "America/Chicago"}, {372, "America/Chicago"}, {374, "America/New_York"}, {375, "America/Chicago"}, {379, "America/New_York"},
	{397, "America/Chicago"}, {419, "America/New_York"}, {424, "America/Chicago"}, {459, "America/New_York"}, {462, "America/Indiana/Indianapolis"},
	{464, "America/Chicago"}, {475, "America/Indiana/Indianapolis"}, {477, "America/Chicago"}, {479, "America/Indiana/Indianapolis"}, {499, "America/Detroit"},
	{576, "America/Chicago"}, {577, "America/Denver"}, {585, "America/Chicago"}, {586, "America/Denver"}, {589, "America/Chicago"}, {599, "America/Denver"},
	{690, "America/Chicago"}, {693, "America/Denver"}, {797, "America/Chicago"}, {799, "America/Denver"}, {831, "America/Denver"}, {834, "America/Boise"},
	{835, "America/Los_Angeles"}, {837, "America/Boise"}, {838, "America/Los_Angeles"}, {849, "America/Denver"}, {865, "America/Phoenix"},
	{885, "America/Denver"}, {966, "America/Los_Angeles"}, {968, "Pacific/Honolulu"}, {969, "Pacific/Guam"}, {978, "America/Los_Angeles"},
	{979, "America/Boise"}, {994, "America/Los_Angeles"}, {999, "America/Anchorage"},
}

// zonesByState are the zones that most people of a US state or territory, or a
// Canadian province, live in.
var zonesByState = map[string]string{
	"America/New_York": "CT DC DE FL GA MA MD ME NC NH NJ NY OH PA RI SC VA VT WV KY", "America/Detroit": "MI", "America/Indiana/Indianapolis": "IN",
	"America/Chicago": "AL AR IA IL KS LA MN MO MS ND NE OK SD TN TX WI", "America/Denver": "CO MT NM UT WY", "America/Boise": "ID",
	"America/Phoenix": "AZ", "America/Los_Angeles": "CA NV OR WA", "America/Anchorage": "AK", "Pacific/Honolulu": "HI",
	"America/Puerto_Rico": "PR VI", "Pacific/Guam": "GU MP",
	"America/Toronto": "ON QC", "America/Winnipeg": "MB", "America/Regina": "SK", "America/Edmonton": "AB", "America/Vancouver": "BC",
	"America/Halifax": "NS NB PE", "America/St_Johns": "NL",
}

// Zone guesses a time zone from a postal code, or else a state or province by
// its two letters; empty when they tell none.
func Zone(zip, state string) string {
	if len(zip) >= 5 {
		if n, err := strconv.Atoi(zip[:5]); err == nil && n > 0 {
			for _, r := range zonesByZip {
				if n/100 <= r.last {
					return r.zone
				}
			}
		}
	}
	state = strings.ToUpper(strings.TrimSpace(state))
	if len(state) != 2 {
		return ""
	}
	for zone, states := range zonesByState {
		if strings.Contains(states, state) {
			return zone
		}
	}
	return ""
}
