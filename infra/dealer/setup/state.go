package setup

import (
	"fmt"
	"regexp"
	"strings"
)

var twoLetters = regexp.MustCompile(`^[A-Za-z]{2}$`)

// statesByName are the two letters of US states by their names in small letters.
var statesByName = map[string]string{
	"alabama": "AL", "alaska": "AK", "arizona": "AZ", "arkansas": "AR", "california": "CA", "colorado": "CO", "connecticut": "CT",
	"delaware": "DE", "district of columbia": "DC", "florida": "FL", "georgia": "GA", "hawaii": "HI", "idaho": "ID", "illinois": "IL",
	"indiana": "IN", "iowa": "IA", "kansas": "KS", "kentucky": "KY", "louisiana": "LA", "maine": "ME", "maryland": "MD",
	"massachusetts": "MA", "michigan": "MI", "minnesota": "MN", "mississippi": "MS", "missouri": "MO", "montana": "MT", "nebraska": "NE",
	"nevada": "NV", "new hampshire": "NH", "new jersey": "NJ", "new mexico": "NM", "new york": "NY", "north carolina": "NC",
	"north dakota": "ND", "ohio": "OH", "oklahoma": "OK", "oregon": "OR", "pennsylvania": "PA", "puerto rico": "PR", "rhode island": "RI",
	"south carolina": "SC", "south dakota": "SD", "tennessee": "TN", "texas": "TX", "utah": "UT", "vermont": "VT", "virginia": "VA",
	"washington": "WA", "west virginia": "WV", "wisconsin": "WI", "wyoming": "WY",
}

// takeState takes two letters. A country that was given before may name its
// regions otherwise.
func takeState(a *Answers, s string) error {
	if s != "" && !twoLetters.MatchString(s) && (a.Country == "" || a.Country == "US") {
		if code, ok := statesByName[strings.ToLower(strings.Join(strings.Fields(s), " "))]; ok {
			return &Refusal{Why: fmt.Sprintf("%q is not two letters; write %s", s, code), Instead: code}
		}
		return fmt.Errorf("%q is not two letters; write them as on an envelope, such as CO", s)
	}
	a.State = s
	return nil
}
