package dealer_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// rooftopWith puts lines into the only rooftop of the smallest profile.
func rooftopWith(lines string) string {
	return instead("    timezone: America/Denver\n", "    timezone: America/Denver\n    "+strings.ReplaceAll(lines, "\n", "\n    ")+"\n")
}

// target replaces the only delivery target.
func target(fields string) string {
	return instead("{name: outbox, type: file, folder: outbox}", "{"+fields+"}")
}

// source is the smallest profile with one feed source.
func source(fields string) string { return with("feed: {sources: [{" + fields + "}]}\n") }

const mailTarget = `name: m, type: smtp, server: "smtp.example.com:587", from: a@example.com, to: [b@example.com]`

// mistake is a profile with one fault.
type mistake struct{ name, document, path, problem, fix string }

func (m mistake) hold(t *testing.T) {
	faults := faultsOf(t, m.document)
	if len(faults) != 1 {
		t.Fatalf("want one fault, got %d:\n%s", len(faults), (&dealer.Faults{List: faults}).Error())
	}
	f := faults[0]
	if f.Path != m.path || !strings.Contains(f.Problem, m.problem) || !strings.Contains(f.Fix, m.fix) {
		t.Errorf("got  %s: %s; %s\nwant %s: …%s…; …%s…", f.Path, f.Problem, f.Fix, m.path, m.problem, m.fix)
	}
}

func TestEachMistakeIsRefusedWithWhatToWriteInstead(t *testing.T) {
	for _, c := range []mistake{
		{"no id", instead("id: example-motors\n", ""), "id", "is missing", "such as example-motors"},
		{"id of blanks", instead("id: example-motors", `id: " "`), "id", "blank", "remove"},
		{"id with a final hyphen", instead("id: example-motors", "id: example-"), "id", "not an id", "hyphens"},
		{"id of 64", instead("id: example-motors", "id: "+strings.Repeat("a", 64)), "id", "not an id", "63"},
		{"no name", instead("name: Example Motors\n", ""), "name", "is missing", "as buyers know it"},
		{"a group for a name", instead("name: Example Motors", "name: {en: x}"), "name", "is a group of members, not text", "one value"},
		{"true for a name", instead("name: Example Motors", "name: true"), "name", "is true, not text", "quotes"},
		{"a line end in a name", instead("name: Example Motors", `name: "Example\r\nMotors"`), "name", "line end", "one line"},
		{"a control character", instead("name: Example Motors", `name: "Ex\x07"`), "name", "U+0007", "plain text"},
		{"no value", with("welcome_message:\n"), "welcome_message", "has no value", "remove the line"},
		{"unknown key far from all", with("zzzzzz: 1\n"), "zzzzzz", "is not known", "known here: id, name"},
		{"swapped letters", with("acesss: {}\n"), "acesss", "is not known", "write access"},
		{"url with a slash", with("url: https://a.example.com/\n"), "url", "ends with a slash", "write https://a.example.com"},
		{"url without scheme", with("url: a.example.com\n"), "url", "is not an https URL", "write https://a.example.com"},
		{"url in the clear", with("url: http://a.example.com\n"), "url", "is not encrypted", "write https://a.example.com"},
		{"url with a query", with("url: https://a.example.com?x=1\n"), "url", "query", "up to the path"},
		{"url with a blank inside", with("url: https://a.example.com/a b\n"), "url", "is not a URL", "percent-encoded"},
		{"half a provider", with("provider: {organization: X}\n"), "provider.url", "is missing", "remove provider"},
		{"unknown skill", with("skills: [inventory.serach]\n"), "skills[0]", "is not known", "write inventory.search"},
		{"no skill", with("skills: []\n"), "skills", "is empty", "remove the line"},
		{"a skill twice", with("skills: [lead.submit, lead.submit]\n"), "skills[1]", "the same as item 1", "remove one"},
		{"skills not a list", with("skills: lead.submit\n"), "skills", "is a single value, not a list", "hyphen"},
		{"unknown version", with("versions: [v9.9]\n"), "versions[0]", "is not known", "v1.3"},
		{"a brand without a name", with("brands: [Honda, \"\"]\n"), "brands[1]", "is empty", "such as Honda"},
		{"a brand twice", with("brands: [Honda, honda]\n"), "brands[1]", "the same as item 1", "remove one"},
		{"too many brands", with("brands: [" + strings.Repeat("a,", 101) + "]\n"), "brands", "has 101 items", "at most 100"},
		{"an empty rule", with("llm: {rules: [\"\"]}\n"), "llm.rules[0]", "is empty", "write a sentence"},
		{"a rule of two lines", with("llm: {rules: [\"a\\nb\"]}\n"), "llm.rules[0]", "line end", "one line"},
		{"an endless guide", with("llm: {guide: " + strings.Repeat("a", 20_001) + "}\n"), "llm.guide", "has 20001 characters", "at most 20000"},
		{"out-the-door without a price", with("prices: {out_the_door: true}\n"), "prices.out_the_door", "none is published", "includes"},

		{"too many rooftops", "rooftops: [" + strings.Repeat("{name: a},", 1001) + "]\n", "rooftops", "has 1001 items", "at most 1000"},
		{"no rooftop", instead(least[strings.Index(least, "rooftops:"):strings.Index(least, "delivery:")], ""), "rooftops", "is missing", "timezone"},
		{"rooftop without a name", instead("- name: Main Street\n    timezone", "- timezone"), "rooftops[0].name", "is missing", "location's name"},
		{"alias is its own name", rooftopWith("aliases: [MAIN street]"), "rooftops[0].aliases[0]", "is already rooftops[0].name", "of its own"},
		{"rooftop nobody can reach", instead(`phones: [{value: "+14155550100"}]`, "phones: []"), "rooftops[0]", "neither phone nor e-mail", "phones:"},
		{"national phone", instead("+14155550100", "415-555-0100"), "rooftops[0].phones[0].value", "E.164", "write +14155550100"},
		{"phone with a one", instead("+14155550100", "1 (415) 555-0100"), "rooftops[0].phones[0].value", "E.164", "write +14155550100"},
		{"phone of letters", instead("+14155550100", "call us"), "rooftops[0].phones[0].value", "E.164", "such as +14155550100"},
		{"phone too long", instead("+14155550100", "+1415555010012345"), "rooftops[0].phones[0].value", "E.164", "country code"},
		{"mail with a name", rooftopWith(`emails: [{value: "Sales <s@example.com>"}]`), "rooftops[0].emails[0].value", "not an e-mail", "write s@example.com"},
		{"mail without a domain", rooftopWith("emails: [{value: sales}]"), "rooftops[0].emails[0].value", "not an e-mail", "plain address"},
		{"mail with a header in it", rooftopWith(`emails: [{value: "a@example.com\nBcc: b@example.com"}]`), "rooftops[0].emails[0].value", "line end", "one line"},
		{"zone by abbreviation", instead("America/Denver", "MST"), "rooftops[0].timezone", "not an IANA time zone", "write America/Denver"},
		{"zone by city", instead("America/Denver", "Los Angeles"), "rooftops[0].timezone", "not an IANA time zone", "write America/Los_Angeles"},
		{"zone of the machine", instead("America/Denver", "Local"), "rooftops[0].timezone", "not an IANA time zone", "IANA name"},
		{"zone with a path", instead("America/Denver", "../../etc/passwd"), "rooftops[0].timezone", "not an IANA time zone", "IANA name"},
		{"no zone", instead("    timezone: America/Denver\n", ""), "rooftops[0].timezone", "is missing", "America/Denver"},
		{"hours in words", rooftopWith("hours: [{days: {monday: 9am-7pm}}]"), "rooftops[0].hours[0].days.monday", "not opening hours", `write "09:00-19:00"`},
		{"noon and midnight", rooftopWith("hours: [{days: {monday: 12am to 12pm}}]"), "rooftops[0].hours[0].days.monday", "not opening hours", `write "00:00-12:00"`},
		{"24 o'clock", rooftopWith(`hours: [{days: {monday: "09:00-24:00"}}]`), "rooftops[0].hours[0].days.monday", "not opening hours", "24 hour clock"},
		{"past midnight", rooftopWith(`hours: [{days: {monday: "19:00-02:00"}}]`), "rooftops[0].hours[0].days.monday", "closes at 02:00", "23:59"},
		{"open for no time", rooftopWith(`hours: [{days: {monday: "09:00-09:00"}}]`), "rooftops[0].hours[0].days.monday", "closes at 09:00", "earlier"},
		{"short day name", rooftopWith("hours: [{days: {tue: closed}}]"), "rooftops[0].hours[0].days.tue", "is not known", "write tuesday"},
		{"a week without days", rooftopWith("hours: [{name: Sales}]"), "rooftops[0].hours[0].days", "is missing", "at least one day"},
		{"two weeks of one name", rooftopWith("hours: [{name: Sales, days: {monday: closed}}, {name: SALES, days: {monday: closed}}]"), "rooftops[0].hours[1]", "the same as item 1", "remove"},
		{"fee without amount", rooftopWith("fees: [{name: Doc}]"), "rooftops[0].fees[0].amount", "is missing", "whole US dollars"},
		{"fee in cents", rooftopWith("fees: [{name: Doc, amount: 499.50}]"), "rooftops[0].fees[0].amount", `"499.50" is not a whole number`, "digits only"},
		{"fee with a sign", rooftopWith(`fees: [{name: Doc, amount: $499}]`), "rooftops[0].fees[0].amount", `"$499" is not a whole number`, "such as 499"},
		{"fee that is a discount", rooftopWith("fees: [{name: Rebate, amount: -500}]"), "rooftops[0].fees[0].amount", "negative", "0 or more"},
		{"fee without name", rooftopWith("fees: [{amount: 5}]"), "rooftops[0].fees[0].name", "is missing", "Documentation fee"},
		{"fee with a long name", rooftopWith("fees: [{name: " + strings.Repeat("é", 121) + ", amount: 5}]"), "rooftops[0].fees[0].name", "121 characters", "at most 120"},
		{"fee twice with other amounts", rooftopWith("fees: [{name: Doc, amount: 5}, {name: doc, amount: 6}]"), "rooftops[0].fees[1]", "the same as item 1", "remove one"},
		{"fees without value", rooftopWith("fees:"), "rooftops[0].fees", "has no value", "write [] for none"},
		{"latitude too large", rooftopWith("geo: {latitude: 91, longitude: 0}"), "rooftops[0].geo.latitude", "91 is out of range", "-90 to 90"},
		{"half a position", rooftopWith("geo: {latitude: 40}"), "rooftops[0].geo.longitude", "is missing", "degrees"},
		{"no number at all", rooftopWith("geo: {latitude: .nan, longitude: 0}"), "rooftops[0].geo.latitude", "is not a number", "39.75"},
		{"country by name", rooftopWith("address: {country: United States}"), "rooftops[0].address.country", "not a country code", "write US"},
		{"website in the clear", rooftopWith("website: http://www.example.com"), "rooftops[0].website", "not encrypted", "write https://www.example.com"},

		{"unknown price policy", with("prices: {includes: everything}\n"), "prices.includes", "is not known", "all_mandatory_charges"},
		{"fees to add, none listed", with("prices: {includes: none}\n"), "prices.add_fees", "is missing", "write []"},
		{"fees to add to a full price", with("prices: {includes: all_mandatory_charges, add_fees: []}\n"), "prices.add_fees", "only read together with includes: none", "remove add_fees"},
		{"a currency sign", with("prices: {currency: $}\n"), "prices.currency", "not a currency code", "write USD"},

		{"duration without unit", with("inventory: {max_age: 48}\n"), "inventory.max_age", `"48" is not a duration`, "30d"},
		{"negative duration", with("inventory: {max_age: -1h}\n"), "inventory.max_age", "negative", "48h"},
		{"endless duration", with("inventory: {max_age: 99999999d}\n"), "inventory.max_age", "more than", "30d"},
		{"hard age below the soft one", with("inventory: {max_age: 48h, hard_max_age: 1d}\n"), "inventory.hard_max_age", "shorter than max_age", "48h"},
		{"drop of more than all", with("inventory: {max_drop: 50}\n"), "inventory.max_drop", "50 is not a share", "0 to 1"},
		{"default page above 100", with("inventory: {page_default: 101, page_max: 1000}\n"), "inventory.page_default", "out of range", "1 to 100"},
		{"largest page above 1000", with("inventory: {page_max: 1001}\n"), "inventory.page_max", "out of range", "1 to 1000"},
		{"default above the largest", with("inventory: {page_default: 50, page_max: 40}\n"), "inventory.page_default", "larger than page_max", "40 or less"},

		{"column of no member", with("feed: {columns: {colour: Color}}\n"), "feed.columns.colour", "is not known", "write one of"},
		{"member misspelt", with("feed: {columns: {exteriorcolor: Color}}\n"), "feed.columns.exteriorcolor", "is not known", "write exterior_color"},
		{"price from a cost column", with("feed: {columns: {price: Dealer Cost}}\n"), "feed.columns.price", "is a cost", "advertised price"},
		{"list price from InvoicePrice", with("feed: {columns: {list_price: InvoicePrice}}\n"), "feed.columns.list_price", "is a cost", "advertised price"},
		{"one VIN for every car", with("feed: {constants: {vin: X}}\n"), "feed.constants.vin", "differs from car to car", "feed.columns"},
		{"constant condition unknown", with("feed: {constants: {condition: old}}\n"), "feed.constants.condition", "is not known", "used"},
		{"constant rooftop unknown", with("feed: {constants: {rooftop: Main Stret}}\n"), "feed.constants.rooftop", "is no rooftop", "write Main Street"},
		{"source without a name", source(`url: "https://x.example.com/a.csv"`), "feed.sources[0].name", "is missing", "such as export"},
		{"source with a path for a name", source(`name: ../a, url: "https://x.example.com/a.csv"`), "feed.sources[0].name", "not a source's name", "letters"},
		{"source without an address", source("name: a"), "feed.sources[0].url", "is missing", "sftp://user@"},
		{"source in the clear", source(`name: a, url: "http://127.0.0.1/a.csv"`), "feed.sources[0].url", "is not encrypted", "write https://127.0.0.1/a.csv"},
		{"source over FTP", source(`name: a, url: "ftp://x.example.com/a.csv"`), "feed.sources[0].url", "in the clear", "over SFTP"},
		{"source over FTPS", source(`name: a, url: "ftps://x.example.com/a.csv"`), "feed.sources[0].url", "not spoken", "https address"},
		{"source of no scheme", source(`name: a, url: x.example.com/a.csv`), "feed.sources[0].url", "not an https URL", "https://x.example.com/a.csv"},
		{"source with a login in the address", source(`name: a, url: "https://me:pw@x.example.com/a.csv"`), "feed.sources[0].url", "user name or password", "before the @"},
		{"source with a token in the address", source(`name: a, url: "https://x.example.com/a.csv?access_token=12"`), "feed.sources[0].url", "written out", "query: {access_token: env:"},
		{"source with a token in the query", source(`name: a, url: "https://x.example.com/a.csv", query: {key: s3same}`), "feed.sources[0].query.key", "is a credential", "env:"},
		{"parameter twice", source(`name: a, url: "https://x.example.com/a.csv?lot=1", query: {lot: "2"}`), "feed.sources[0].query.lot", "in the url too", "remove one"},
		{"source with a fragment", source(`name: a, url: "https://x.example.com/a.csv#x"`), "feed.sources[0].url", "fragment", "remove"},
		{"source asked all the time", source(`name: a, url: "https://x.example.com/a.csv", every: 1m`), "feed.sources[0].every", "out of range", "5m to 7d"},
		{"source with a signature", source(`name: a, url: "https://x.example.com/a.csv", auth: {type: hmac, secret: "env:K"}`), "feed.sources[0].auth.type", "is not known", "basic"},
		{"source with a header twice", source(`name: a, url: "https://x.example.com/a.csv", auth: {type: bearer, secret: "env:K"}, headers: {Authorization: "env:K"}`), "feed.sources[0].auth", "headers sets too", "remove one"},
		{"download with a host key", source(`name: a, url: "https://x.example.com/a.csv", host_key: "SHA256:x"`), "feed.sources[0].host_key", "belongs to sources of sftp", "remove"},
		{"SFTP with headers", source(`name: a, url: "sftp://u@x.example.com/a.csv", password: "env:P", headers: {X-A: b}`), "feed.sources[0].headers", "belongs to sources of https", "remove"},
		{"SFTP without a user", source(`name: a, url: "sftp://x.example.com/a.csv", password: "env:P"`), "feed.sources[0].url", "names no user", "user@"},
		{"SFTP with its password", source(`name: a, url: "sftp://u:pw@x.example.com/a.csv", password: "env:P"`), "feed.sources[0].url", "holds a password", "env:SFTP_PASSWORD"},
		{"SFTP to a folder", source(`name: a, url: "sftp://u@x.example.com/out/", password: "env:P"`), "feed.sources[0].url", "names no file", "*.csv"},
		{"SFTP to a pattern of folders", source(`name: a, url: "sftp://u@x.example.com/*/a.csv", password: "env:P"`), "feed.sources[0].url", "folder's name", "last step"},
		{"SFTP with half a pattern", source(`name: a, url: "sftp://u@x.example.com/out/[a.csv", password: "env:P"`), "feed.sources[0].url", "not a pattern", "bracket"},
		{"SFTP with a question mark", source(`name: a, url: "sftp://u@x.example.com/out/a?.csv", password: "env:P"`), "feed.sources[0].url", "holds a ?", "%3F"},
		{"SFTP without a credential", source(`name: a, url: "sftp://u@x.example.com/a.csv"`), "feed.sources[0].password", "no private_key either", "env:"},
		{"SFTP with a key written out", source(`name: a, url: "sftp://u@x.example.com/a.csv", private_key: "-----BEGIN"`), "feed.sources[0].private_key", "written in the profile", "env:"},
		{"SFTP with an old fingerprint", source(`name: a, url: "sftp://u@x.example.com/a.csv", password: "env:P", host_key: "MD5:aa:bb"`), "feed.sources[0].host_key", "not a fingerprint", "ssh-keygen"},
		{"source of an unknown rooftop", source(`name: a, url: "https://x.example.com/a.csv", rooftops: [Main Stret]`), "feed.sources[0].rooftops[0]", "is no rooftop", "write Main Street"},
		{"two sources of one rooftop", source(`name: a, url: "https://x.example.com/a.csv"}, {name: b, url: "https://x.example.com/b.csv"`), "feed.sources[1]", "taken for sold", "rooftops of its own"},
		{"status to a word we lack", with("feed: {statuses: {Gone: disappeared}}\n"), "feed.statuses.Gone", "is not known", "sold"},
		{"one status word twice", with("feed: {statuses: {gone: sold, GONE: hidden}}\n"), "feed.statuses.gone", "the same word", "remove one"},
		{"condition to certified", with("feed: {conditions: {C: certified}}\n"), "feed.conditions.C", "is not known", "cpo"},
		{"date order", with("feed: {date_order: us}\n"), "feed.date_order", "is not known", "mdy"},
		{"mileage in metres", with("feed: {mileage_unit: m}\n"), "feed.mileage_unit", "is not known", "mi"},
		{"feed rooftop unknown", with("feed: {rooftop: Elsewhere}\n"), "feed.rooftop", "is no rooftop", "Main Street"},

		{"short idempotency", with("leads: {idempotency_ttl: 1h}\n"), "leads.idempotency_ttl", "shorter than a day", "24h"},
		{"blank consent text", with("leads: {consent_text: ''}\n"), "leads.consent_text", "is empty", "default"},
		{"long consent text", with("leads: {consent_text: " + strings.Repeat("a", 2001) + "}\n"), "leads.consent_text", "has 2001 characters", "at most 2000"},
		{"short retention", with("leads: {retention: 1d}\n"), "leads.retention", "shorter than idempotency_ttl", "730d"},
		{"unknown appointment", with("leads: {appointments: {testdrive: {mode: manual}}}\n"), "leads.appointments.testdrive", "is not known", "write test_drive"},
		{"yes for true", with("leads: {test_drive_needs_vehicle: yes}\n"), "leads.test_drive_needs_vehicle", "is not true or false", "write true or false"},

		{"leads without delivery", instead("delivery:\n  - {name: outbox, type: file, folder: outbox}\n", ""), "delivery", "reach nobody", "do not offer lead.submit"},
		{"unknown target type", target("name: a, type: email"), "delivery[0].type", "is not known", "smtp"},
		{"no target type", target("name: a"), "delivery[0].type", "is missing", "file, https, smtp, ses, s3"},
		{"no target name", target("type: file, folder: x"), "delivery[0].name", "is missing", "such as crm"},
		{"target name with a blank", target("name: my crm, type: file, folder: x"), "delivery[0].name", "not a target name", "letters"},
		{"no folder", target("name: a, type: file"), "delivery[0].folder", "is missing", "outbox"},
		{"a folder for mail", target(mailTarget + ", folder: x"), "delivery[0].folder", "belongs to targets of type file", "remove it"},
		{"no url", target("name: a, type: https"), "delivery[0].url", "is missing", "crm.example.com"},
		{"url in the clear to a CRM", target(`name: a, type: https, url: "http://crm.example.com"`), "delivery[0].url", "not encrypted", "https://crm.example.com"},
		{"loopback by a look-alike", target(`name: a, type: https, url: "http://localhost.example.com"`), "delivery[0].url", "not encrypted", "https://"},
		{"content type", target(`name: a, type: https, url: "https://crm.example.com", content_type: xml`), "delivery[0].content_type", "not a media type", "application/xml"},
		{"credential in the clear", target(`name: a, type: https, url: "https://crm.example.com", headers: {X-Api-Key: abc}`), "delivery[0].headers.X-Api-Key", "is a credential", "env:CRM_TOKEN"},
		{"header smuggled in a value", target(`name: a, type: https, url: "https://crm.example.com", headers: {X-Source: "a\r\nX-B: c"}`), "delivery[0].headers.X-Source", "line end", "one line"},
		{"header smuggled in a name", target(`name: a, type: https, url: "https://crm.example.com", headers: {"X-A: b\r\nX-C": d}`), "delivery[0].headers", "line end", "one line"},
		{"header of the agent", target(`name: a, type: https, url: "https://crm.example.com", headers: {host: x}`), "delivery[0].headers.host", "set by the agent", "remove it"},
		{"bad variable name", target(`name: a, type: https, url: "https://crm.example.com", headers: {X-A: "env:A B"}`), "delivery[0].headers.X-A", "no environment variable", "env:CRM_TOKEN"},
		{"relay without port", target(`name: m, type: smtp, server: smtp.example.com, from: a@example.com, to: [b@example.com]`), "delivery[0].server", "not host:port", "write smtp.example.com:587"},
		{"no receiver", target(`name: m, type: smtp, server: "smtp.example.com:587", from: a@example.com`), "delivery[0].to", "is missing", "in a list"},
		{"no sender", target(`name: m, type: smtp, server: "smtp.example.com:587", to: [b@example.com]`), "delivery[0].from", "is missing", "agent@example.com"},
		{"mail in the clear", target(mailTarget + ", starttls: off"), "delivery[0].starttls", "unencrypted", "write required"},
		{"password maybe in the clear", target(mailTarget + ", starttls: opportunistic, username: u, password: env:P"), "delivery[0].starttls", "password unencrypted", "write required"},
		{"password in the profile", target(mailTarget + ", username: u, password: secret"), "delivery[0].password", "is written in the profile", "ssm:/path"},
		{"user without password", target(mailTarget + ", username: u"), "delivery[0].username", "come together", "both"},
		{"name in the subject", target(mailTarget + `, subject: "Lead {first_name}"`), "delivery[0].subject", `"{first_name}" is not known`, "{rooftop}"},
		{"header in the subject", target(mailTarget + `, subject: "Lead\nBcc: x@example.com"`), "delivery[0].subject", "line end", "one line"},
		{"half a placeholder", target(mailTarget + `, subject: "Lead {rooftop"`), "delivery[0].subject", "is not known", "{rooftop}"},
		{"a CRM nobody knows", target("name: a, type: file, folder: x, profile: vinsolution"), "delivery[0].profile", "is not known", "write vinsolutions"},
		{"secret of no path", target(mailTarget + ", username: u, password: ssm:token"), "delivery[0].password", "names no secret of ssm", "ssm:/dealer/crm-token"},
		{"secret of no name", target(`name: a, type: https, url: "https://crm.example.com", headers: {X-A: "secretsmanager:a b"}`), "delivery[0].headers.X-A", "names no secret of secretsmanager", "secretsmanager:dealer/crm#token"},
		{"a token in the profile", target(`name: a, type: https, url: "https://crm.example.com", auth: {type: bearer, secret: abc}`), "delivery[0].auth.secret", "is written in the profile", "env:CRM_TOKEN"},
		{"auth without secret", target(`name: a, type: https, url: "https://crm.example.com", auth: {type: bearer}`), "delivery[0].auth.secret", "is missing", "env:CRM_TOKEN"},
		{"auth of no kind", target(`name: a, type: https, url: "https://crm.example.com", auth: {type: digest, secret: env:A}`), "delivery[0].auth.type", "is not known", "basic, bearer, hmac"},
		{"password without a name", target(`name: a, type: https, url: "https://crm.example.com", auth: {type: basic, secret: env:A}`), "delivery[0].auth.username", "is missing", "goes with the password"},
		{"a name with a token", target(`name: a, type: https, url: "https://crm.example.com", auth: {type: bearer, username: u, secret: env:A}`), "delivery[0].auth.username", "belongs to basic", "remove it"},
		{"signature in the agent's own header", target(`name: a, type: https, url: "https://crm.example.com", auth: {type: hmac, header: Host, secret: env:A}`), "delivery[0].auth.header", "cannot carry the signature", "X-Signature"},
		{"a header set twice", target(`name: a, type: https, url: "https://crm.example.com", headers: {authorization: env:B}, auth: {type: bearer, secret: env:A}`), "delivery[0].auth", "which headers sets too", "remove one"},
		{"a blank failure word", target(`name: a, type: https, url: "https://crm.example.com", failure_words: [""]`), "delivery[0].failure_words[0]", "is empty", "such as error"},
		{"mail mode", target(mailTarget + ", mode: inline"), "delivery[0].mode", "is not known", "body, attachment"},
		{"relay settings for ses", target("name: m, type: ses, from: a@example.com, to: [b@example.com], server: x:25"), "delivery[0].server", "belongs to targets of type smtp", "remove it"},
		{"mail settings for a bucket", target("name: m, type: s3, bucket: leads-here, subject: x"), "delivery[0].subject", "belongs to targets of type smtp or ses", "remove it"},
		{"configuration set", target("name: m, type: ses, from: a@example.com, to: [b@example.com], configuration_set: a b"), "delivery[0].configuration_set", "is no name of a configuration set", "letters"},
		{"no bucket", target("name: m, type: s3"), "delivery[0].bucket", "is missing", "example-crm-leads"},
		{"a bucket by its address", target("name: m, type: s3, bucket: s3://leads"), "delivery[0].bucket", "is not a bucket name", "example-crm-leads"},
		{"prefix with a blank", target("name: m, type: s3, bucket: leads-here, prefix: a b/"), "delivery[0].prefix", "is not the beginning of a key", "leads/"},
		{"form of one target", target("name: a, type: file, folder: x, adf: {names: both}"), "delivery[0].adf.names", "is not known", "all, full, split"},
		{"timeout of nothing", target("name: a, type: file, folder: x, timeout: 0s"), "delivery[0].timeout", "out of range", "1s to 5m"},
		{"target of no rooftop", target("name: a, type: file, folder: x, rooftops: [Nowhere]"), "delivery[0].rooftops[0]", "is no rooftop", "Main Street"},
		{"target for nobody", target("name: a, type: file, folder: x, rooftops: []"), "delivery[0].rooftops", "is empty", "remove the line"},

		{"ADF names", with("adf: {names: both}\n"), "adf.names", "is not known", "all, full, split"},
		{"ADF without vehicle", with("adf: {no_vehicle: none}\n"), "adf.no_vehicle", "is not known", "omit"},
		{"a token itself", with("access: {tokens: [{name: a, sha256: letmein}]}\n"), "access.tokens[0].sha256", "is not a SHA-256", "64 hex digits"},
		{"a token in place of its row", with("access: {tokens: [letmein]}\n"), "access.tokens[0]", "is a single value", "members below it"},
		{"a token in place of its name", with("access: {tokens: [{name: Letmein, sha256: " + strings.Repeat("ab", 32) + "}]}\n"), "access.tokens[0].name", "is not a name", "partner-a"},
		{"a token of nobody", with("access: {tokens: [{sha256: " + strings.Repeat("ab", 32) + "}]}\n"), "access.tokens[0].name", "missing", "partner-a"},
		{"a token twice", with("access: {tokens: [{name: a, sha256: " + strings.Repeat("ab", 32) + "}, {name: b, sha256: " + strings.Repeat("AB", 32) + "}]}\n"), "access.tokens[1].sha256", "the same as in item 1", "remove one"},
		{"a token that ends some day", with("access: {tokens: [{name: a, sha256: " + strings.Repeat("ab", 32) + ", expires: soon}]}\n"), "access.tokens[0].expires", "is not a date", "2027-03-31"},
		{"the last token taken away", with("access: {tokens: []}\n"), "access.tokens", "nobody could call", "remove the line for an agent that is open to all"},
		{"no leads an hour", with("access: {leads_per_hour: 0}\n"), "access.leads_per_hour", "out of range", "write 1"},
		{"odd status", with("access: {rate_limit_status: 503}\n"), "access.rate_limit_status", "503 is not served", "429"},
		{"number in quotes", with("access: {per_minute: \"600\"}\n"), "access.per_minute", "is not a whole number", "digits only"},
	} {
		t.Run(c.name, c.hold)
	}
}

func TestAFaultHidesNoOtherFault(t *testing.T) {
	faults := faultsOf(t, `id: a
name: A
provider: {organization: ""}
rooftops:
  - name: North
    timezone: PST
    hours: [{name: Sales, days: {monday: 9-5}}, {name: Sales}]
    fees: [{name: Doc, amount: 1}, {name: Doc, amount: -1}]
  - name: North
    aliases: ["", North]
    timezone: MST
    geo: {}
delivery:
  - {name: one, type: smtp, server: x, starttls: maybe, password: p, to: [a, a], headers: {}}
  - {name: one, type: file, rooftops: [West]}
name: B
`)
	var paths []string
	for _, f := range faults {
		paths = append(paths, f.Path)
	}
	want := []string{
		"provider.organization", "provider.url", "rooftops[0]", "rooftops[0].timezone", "rooftops[0].hours[0].days.monday",
		"rooftops[0].hours[1].days", "rooftops[0].hours[1]", "rooftops[0].fees[1].amount", "rooftops[0].fees[1]",
		"rooftops[1].name", "rooftops[1]", "rooftops[1].aliases[0]", "rooftops[1].aliases[1]", "rooftops[1].timezone",
		"rooftops[1].geo.latitude", "rooftops[1].geo.longitude", "delivery[0].headers", "delivery[0].server", "delivery[0].starttls",
		"delivery[0].password", "delivery[0].username", "delivery[0].from", "delivery[0].to[0]", "delivery[0].to[1]", "delivery[0].to[1]",
		"delivery[1].folder", "delivery[1].rooftops[0]", "delivery[1]", "name",
	}
	slices.Sort(paths)
	slices.Sort(want)
	if !slices.Equal(paths, want) {
		t.Errorf("got  %q\nwant %q", paths, want)
	}
}

func TestEveryRooftopHasSomewhereToSendItsLeads(t *testing.T) {
	faults := faultsOf(t, `id: a
name: A
rooftops:
  - {name: North, timezone: America/Denver, emails: [{value: n@example.com}]}
  - {name: South, timezone: America/Denver, emails: [{value: s@example.com}]}
delivery:
  - {name: one, type: file, folder: x, rooftops: [North]}
`)
	if len(faults) != 1 || faults[0].Path != "delivery" || !strings.Contains(faults[0].Problem, `"South"`) {
		t.Errorf("got %+v", faults)
	}
}

func TestUnusualButGoodSettingsAreTaken(t *testing.T) {
	for name, document := range map[string]string{
		"no leads, no delivery":  instead("delivery:\n  - {name: outbox, type: file, folder: outbox}\n", "skills: [inventory.search]\n"),
		"http on this machine":   target(`name: a, type: https, url: "http://127.0.0.1:9000/adf"`),
		"http on IPv6 loopback":  target(`name: a, type: https, url: "http://[::1]:9000/adf"`),
		"plain local relay":      target(`name: m, type: smtp, server: "localhost:2525", starttls: off, from: a@example.com, to: [b@example.com]`),
		"signed post":            target(`name: a, type: https, url: "https://crm.example.com", auth: {type: hmac, secret: "secretsmanager:dealer/crm#key"}, failure_words: [error]`),
		"password in SSM":        target(mailTarget + ", username: u, password: ssm:/dealer/mail-password"),
		"mail through SES":       target("name: m, type: ses, from: a@example.com, to: [b@example.com], configuration_set: leads"),
		"bucket":                 target("name: m, type: s3, bucket: leads-here, prefix: leads/"),
		"no mandatory charges":   with("prices: {includes: none, add_fees: []}\n") + "",
		"rooftop with no fees":   rooftopWith("fees: []"),
		"foreign feed currency":  with("prices: {currency: CAD}\n"),
		"no duplicate window":    with("leads: {duplicate_window: 0s}\n"),
		"UTC":                    instead("America/Denver", "UTC"),
		"whole days":             with("inventory: {max_age: 2d12h}\n"),
		"helper column":          with("feed: {columns: {certified: CPO Flag, other_attributes.final_drive: Drive}}\n"),
		"boolean constant":       with("feed: {constants: {dc_fast_charge: true}}\n"),
		"small pages":            with("inventory: {page_max: 5}\n"),
		"open until a minute to": rooftopWith(`hours: [{days: {monday: "00:00-23:59"}}]`),
		"largest line of fees":   rooftopWith("fees: [{name: " + strings.Repeat("é", 120) + ", amount: 0}]"),
		"book in another word":   with("feed: {columns: {price: Facebook Price}}\n"),
	} {
		t.Run(name, func(t *testing.T) { mustParse(t, document) })
	}
}
