package dealer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dealer-agent/dealer/pkg/aap"
)

const (
	maxName  = 120
	maxText  = 2000
	maxGroup = 200

	maxRooftops = 1000
	maxTargets  = 100
	maxBrands   = 100
	maxRules    = 50
	maxGuide    = 20_000
)

var idForm = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// check says everything that is wrong with a read and defaulted profile, and
// puts names into their one spelling.
func check(p *Profile, r *reader) {
	if r.tooMany("rooftops", len(p.Rooftops), maxRooftops) || r.tooMany("delivery", len(p.Delivery), maxTargets) {
		return
	}
	switch {
	case p.ID == "":
		r.fault("id", "is missing", "write a short id of lower-case letters, digits and hyphens, such as example-motors")
	case !idForm.MatchString(p.ID):
		r.fault("id", quote(p.ID)+" is not an id", "write 1 to 63 lower-case letters, digits and inner hyphens, such as example-motors")
	}
	r.required("name", p.Name, maxGroup, "write the dealer group's name as buyers know it")
	r.length("welcome_message", p.WelcomeMessage, maxText)
	r.length("description", p.Description, maxText)
	if p.URL != "" {
		r.baseURL("url", p.URL)
	}
	if p.Provider != nil {
		r.required("provider.organization", p.Provider.Organization, maxGroup, "write the operator's name, or remove provider")
		r.requiredURL("provider.url", p.Provider.URL, "write the operator's website, or remove provider")
	}
	checkOffers(p, r)
	checkTexts("brands", p.Brands, maxBrands, maxName, "write a make such as Honda, or remove the item", r)
	checkTexts("llm.rules", p.LLM.Rules, maxRules, maxText, "write a sentence, or remove the item", r)
	r.length("llm.guide", p.LLM.Guide, maxGuide)
	checkRooftops(p, r)
	checkPrices(&p.Prices, r)
	checkInventory(&p.Inventory, r)
	checkFeed(p, r)
	checkLeads(&p.Leads, r)
	checkAppointments(p, r)
	checkRecords(p, r)
	checkDelivery(p, r)
	checkADF(&p.ADF, "adf", r)
	checkAccess(&p.Access, r)
}

func checkOffers(p *Profile, r *reader) {
	var skills, versions []string
	for _, s := range aap.Skills() {
		skills = append(skills, s.ID)
	}
	for _, v := range aap.Versions() {
		versions = append(versions, v.Label)
	}
	checkList("skills", p.Skills, skills, r)
	for i, item := range p.Skills {
		r.oneOf(fmt.Sprintf("skills[%d]", i), item, skills...)
	}
	checkList("versions", p.Versions, versions, r)
	for i, item := range p.Versions {
		// Each version is a letter away from others, so none is guessed.
		if !slices.Contains(versions, item) {
			r.fault(fmt.Sprintf("versions[%d]", i), quote(item)+" is not known", "write one of "+strings.Join(versions, ", "))
		}
	}
}

// checkList refuses a list of words that is empty or has a word twice.
func checkList(path string, items, known []string, r *reader) {
	if len(items) == 0 {
		r.fault(path, "is empty", "list some of "+strings.Join(known, ", ")+", or remove the line for the default")
	}
	r.unique(path, items)
}

// checkTexts refuses a list that is too long, or has blank, overlong or equal items.
func checkTexts(path string, items []string, most, longest int, fix string, r *reader) {
	if r.tooMany(path, len(items), most) {
		return
	}
	for i, item := range items {
		r.required(fmt.Sprintf("%s[%d]", path, i), item, longest, fix)
	}
	r.unique(path, items)
}

func checkInventory(v *Inventory, r *reader) {
	if v.MaxAge == 0 {
		r.fault("inventory.max_age", "is zero", "write how old a feed may be before answers warn, such as 48h")
	}
	if v.HardMaxAge != 0 && v.HardMaxAge < v.MaxAge {
		r.fault("inventory.hard_max_age", "is shorter than max_age", "write a longer time than "+v.MaxAge.String()+", or 0s for never")
	}
	if d := v.MaxDrop; d != nil && !(*d >= 0 && *d <= 1) {
		r.fault("inventory.max_drop", fmt.Sprintf("%v is not a share", *d), "write a number from 0 to 1, such as 0.5 for half the cars")
	}
	if v.RememberSold == 0 {
		r.fault("inventory.remember_sold", "is zero", "write how long a sold car is remembered, such as 30d")
	}
	r.between("inventory.page_max", v.PageMax, 1, 1000)
	r.between("inventory.page_default", v.PageDefault, 1, 100)
	if v.PageDefault > v.PageMax {
		r.fault("inventory.page_default", "is larger than page_max", fmt.Sprintf("write %d or less", v.PageMax))
	}
}

func checkLeads(l *Leads, r *reader) {
	r.required("leads.consent_text", l.ConsentText, maxText, "write the sentence a buyer agrees to, or remove the line for the default")
	if l.IdempotencyTTL.Std().Hours() < 24 {
		r.fault("leads.idempotency_ttl", l.IdempotencyTTL.String()+" is shorter than a day", "write 24h or more")
	}
	if l.Retention < max(l.IdempotencyTTL, l.DuplicateWindow) {
		r.fault("leads.retention", "is shorter than idempotency_ttl or duplicate_window", "keep leads at least as long as they are compared, such as 730d")
	}
}

func checkAccess(a *Access, r *reader) {
	checkTokens(a, r)
	r.between("access.per_minute", a.PerMinute, 1, 1_000_000)
	r.between("access.leads_per_hour", a.LeadsPerHour, 1, 1_000_000)
	if s := a.RateLimitStatus; s != 429 && s != 200 {
		r.fault("access.rate_limit_status", fmt.Sprintf("%d is not served", s), "write 429, or 200 for clients that drop other bodies")
	}
}

func (r *reader) tooMany(path string, has, most int) bool {
	if has > most {
		r.fault(path, fmt.Sprintf("has %d items", has), fmt.Sprintf("write at most %d", most))
	}
	return has > most
}

// required refuses blank and overlong text.
func (r *reader) required(path, value string, limit int, fix string) {
	if value == "" {
		r.fault(path, r.missing(path), fix)
		return
	}
	r.length(path, value, limit)
}

func (r *reader) missing(path string) string {
	if r.has(path) {
		return "is empty"
	}
	return "is missing"
}

func (r *reader) length(path, value string, limit int) {
	if n := utf8.RuneCountInString(value); n > limit {
		r.fault(path, fmt.Sprintf("has %d characters", n), fmt.Sprintf("write at most %d", limit))
	}
}

// oneOf refuses a word outside a closed list and reports whether it was in it.
func (r *reader) oneOf(path, value string, known ...string) bool {
	for _, k := range known {
		if value == k {
			return true
		}
	}
	problem := quote(value) + " is not known"
	if value == "" {
		problem = r.missing(path)
	}
	r.fault(path, problem, meant(value, known))
	return false
}

func (r *reader) between(path string, value, low, high int) {
	if value < low || value > high {
		r.fault(path, fmt.Sprintf("%d is out of range", value), fmt.Sprintf("write %d to %d", low, high))
	}
}

// unique refuses items of a list that are equal, case and outer blanks aside.
func (r *reader) unique(path string, items []string) {
	first := map[string]int{}
	for i, item := range items {
		key := fold(item)
		if j, twice := first[key]; twice {
			r.fault(fmt.Sprintf("%s[%d]", path, i), fmt.Sprintf("is the same as item %d", j+1), "remove one of them")
			continue
		}
		first[key] = i
	}
}
