package adf

import (
	"slices"
	"strings"
	"time"
)

// comments is the one comments text of the customer: what the buyer wrote,
// the visit asked for, how the buyer may be contacted, and the agent's card.
func (d *document) comments() string {
	var parts []string
	add := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	add(d.lead.Message)
	if a := d.lead.Appointment; a != nil {
		for _, sentence := range d.appointment(a) {
			add(sentence)
		}
		if a.Notes != "" {
			add("Visit notes: " + a.Notes)
		}
	}
	add(d.channels())
	if _, card := agentURLs(d.lead.SourceAgent); card != "" {
		add("Agent card: " + plainURL(card))
	}
	if d.form.Consent {
		c := d.lead.Consent
		add("Consent given " + c.GrantedAt + ": " + c.ConsentText)
	}
	return strings.Join(parts, " ")
}

// channels says how the buyer may be contacted when the contact data would
// invite to more than the consent covers: a phone number beside consent for
// e-mail only must not be called.
func (d *document) channels() string {
	allowed := d.lead.Consent.AllowedChannels
	var may []string
	restricted := false
	for _, c := range []struct {
		channel, words string
		reachable      bool
	}{
		{"email", "email", d.lead.Customer.Email != ""},
		{"phone", "phone", d.lead.Customer.Phone != ""},
		{"sms", "text message", d.lead.Customer.Phone != ""},
	} {
		switch {
		case !c.reachable:
		case slices.Contains(allowed, c.channel):
			may = append(may, c.words)
		default:
			restricted = true
		}
	}
	text := ""
	switch {
	case restricted && len(may) == 0:
		text = "Do not contact: no allowed channel."
	case restricted:
		text = "Contact by " + strings.Join(may, " or ") + " only."
	}
	if d.lead.Customer.PreferredContact == "sms" && len(may) != 1 {
		text = strings.TrimSpace(text + " Prefers text message.")
	}
	return text
}

// localTime writes a time as the rooftop's staff read it: with the generic
// label in the zones that have one, else with the numeric offset.
func localTime(at time.Time, zone *time.Location) string {
	at = at.In(zone)
	return at.Format("2006-01-02 15:04 ") + zoneLabel(at)
}

func zoneLabel(at time.Time) string {
	name := at.Location().String()
	if name == "UTC" || name == "Etc/UTC" {
		return "UTC"
	}
	if unitedStates(name) {
		switch abbreviation, _ := at.Zone(); abbreviation {
		case "PST", "PDT":
			return "PT"
		case "MST", "MDT":
			return "MT"
		case "CST", "CDT":
			return "CT"
		case "EST", "EDT":
			return "ET"
		}
	}
	return at.Format("-07:00")
}

// unitedStates reports whether an IANA zone is a United States one; the same
// abbreviations mean other zones elsewhere.
func unitedStates(zone string) bool {
	for _, region := range []string{"US/", "America/Indiana/", "America/Kentucky/", "America/North_Dakota/"} {
		if strings.HasPrefix(zone, region) {
			return true
		}
	}
	switch strings.TrimPrefix(zone, "America/") {
	case "New_York", "Detroit", "Chicago", "Menominee", "Denver", "Boise", "Phoenix", "Los_Angeles",
		"Indianapolis", "Fort_Wayne", "Louisville", "Shiprock", "Navajo", "EST5EDT", "CST6CDT", "MST7MDT", "PST8PDT":
		return true
	}
	return false
}

// plainURL drops query and fragment: receivers reject comments with odd
// characters in an address.
func plainURL(url string) string {
	if i := strings.IndexAny(url, "?#"); i >= 0 {
		return url[:i]
	}
	return url
}
