package dealer

import (
	"fmt"
	"strings"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// fillDefaults sets what the document does not have.
func fillDefaults(p *Profile, has func(path string) bool) {
	text := func(path string, at *string, value string) {
		if !has(path) {
			*at = value
		}
	}
	number := func(path string, at *int, value int) {
		if !has(path) {
			*at = value
		}
	}
	duration := func(path string, at *Duration, value time.Duration) {
		if !has(path) {
			*at = Duration(value)
		}
	}

	text("description", &p.Description, "Typed inventory, dealer information and lead submission for "+p.Name+".")
	if !has("skills") {
		for _, s := range aap.Skills() {
			p.Skills = append(p.Skills, s.ID)
		}
	}
	if !has("versions") {
		p.Versions = []string{aap.Primary().Label}
	}
	for i := range p.Rooftops {
		if a := p.Rooftops[i].Address; a != nil {
			text(fmt.Sprintf("rooftops[%d].address.country", i), &a.Country, "US")
		}
	}
	text("prices.currency", &p.Prices.Currency, "USD")
	duration("inventory.max_age", &p.Inventory.MaxAge, 48*time.Hour)
	duration("inventory.remember_sold", &p.Inventory.RememberSold, 720*time.Hour)
	if !has("inventory.max_drop") {
		half := 0.5
		p.Inventory.MaxDrop = &half
	}
	number("inventory.page_max", &p.Inventory.PageMax, 100)
	number("inventory.page_default", &p.Inventory.PageDefault, 20)
	if !has("inventory.page_default") && p.Inventory.PageMax >= 1 {
		p.Inventory.PageDefault = min(20, p.Inventory.PageMax)
	}
	text("feed.date_order", &p.Feed.DateOrder, "mdy")
	text("feed.mileage_unit", &p.Feed.MileageUnit, "mi")
	if !has("feed.rooftop") && len(p.Rooftops) == 1 {
		p.Feed.Rooftop = p.Rooftops[0].Name
	}
	for i := range p.Feed.Sources {
		duration(fmt.Sprintf("feed.sources[%d].every", i), &p.Feed.Sources[i].Every, time.Hour)
	}
	text("leads.consent_text", &p.Leads.ConsentText, ConsentText(p.Name))
	duration("leads.duplicate_window", &p.Leads.DuplicateWindow, 24*time.Hour)
	duration("leads.idempotency_ttl", &p.Leads.IdempotencyTTL, 168*time.Hour)
	duration("leads.retention", &p.Leads.Retention, 17520*time.Hour)
	if p.inCalifornia() != "" {
		duration("records.prices", &p.Records.Prices, twoYears)
	}
	for name, policy := range p.Leads.Appointments {
		at := "leads.appointments." + name
		text(at+".mode", &policy.Mode, AppointmentManual)
		duration(at+".slot", &policy.Slot, 30*time.Minute)
		number(at+".capacity", &policy.Capacity, 1)
		duration(at+".lead_time", &policy.LeadTime, 2*time.Hour)
		duration(at+".horizon", &policy.Horizon, 30*24*time.Hour)
		p.Leads.Appointments[name] = policy
	}
	text("adf.names", &p.ADF.Names, "all")
	text("adf.no_vehicle", &p.ADF.NoVehicle, "placeholder")
	for i := range p.Delivery {
		t, at := &p.Delivery[i], fmt.Sprintf("delivery[%d]", i)
		duration(at+".timeout", &t.Timeout, 20*time.Second)
		t.Type = strings.ToLower(t.Type)
		form := p.ADF
		fillCRM(t, &form, func(member string) bool { return has(at + "." + member) })
		fillTarget(t, func(member string, into *string, value string) {
			if *into == "" {
				text(at+"."+member, into, value)
			}
		})
		if own := t.ADF; own != nil {
			if has(at + ".adf.names") {
				form.Names = own.Names
			}
			if has(at + ".adf.provider_name") {
				form.ProviderName = own.ProviderName
			}
			if has(at + ".adf.no_vehicle") {
				form.NoVehicle = own.NoVehicle
			}
			if has(at + ".adf.consent") {
				form.Consent = own.Consent
			}
		}
		if t.ADF != nil || form != p.ADF {
			t.ADF = &form
		}
	}
	number("access.per_minute", &p.Access.PerMinute, 600)
	number("access.leads_per_hour", &p.Access.LeadsPerHour, 120)
	number("access.rate_limit_status", &p.Access.RateLimitStatus, 429)
}

// fillTarget sets what neither the document nor the CRM's profile says.
func fillTarget(t *Target, text func(member string, into *string, value string)) {
	switch t.Type {
	case TargetHTTPS:
		text("content_type", &t.ContentType, "application/x-adf+xml")
		if t.Auth != nil && t.Auth.Type == AuthHMAC {
			text("auth.header", &t.Auth.Header, "X-Signature")
		}
	case TargetSMTP:
		text("starttls", &t.StartTLS, "required")
		fallthrough
	case TargetSES:
		text("subject", &t.Subject, "ADF lead for {rooftop}")
		text("mode", &t.Mode, "body")
	}
}
