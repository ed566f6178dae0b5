package cloud

import "time"

// Request counts one call of a skill, by result, and its duration by skill. A
// call of none is counted as "none".
func (m *Metrics) Request(skill, result string, took time.Duration) {
	if skill == "" {
		skill = "none"
	}
	m.put(map[string]string{"Skill": skill, "Result": result},
		family{[]string{"Skill", "Result"}, []reading{{"Requests", inCount, 1}}},
		family{[]string{"Skill"}, []reading{{"Latency", inMillis, millis(took)}}})
}

// IndexAge tells how old the inventory behind an answer was.
func (m *Metrics) IndexAge(age time.Duration) {
	m.put(nil, family{nil, []reading{{"IndexAge", inSeconds, secs(age)}}})
}

// IndexLoaded tells of an index that was built of the stored inventory: its
// vehicles, the bytes of its listings, and the time that it took.
func (m *Metrics) IndexLoaded(vehicles, size int, took time.Duration) {
	m.put(nil, family{nil, []reading{
		{"IndexVehicles", inCount, float64(vehicles)}, {"IndexSize", inBytes, float64(size)}, {"IndexLoad", inMillis, millis(took)},
	}})
}

// States of leads that are counted besides those of package lead.
const (
	LeadRepeated   = "repeated"    // its key was known
	LeadRevoked    = "revoked"     // withheld since the buyer took the consent back
	LeadQueuedLate = "queued_late" // by the sweeper
)

// Leads counts leads that came into a state.
func (m *Metrics) Leads(state string, n int) {
	m.put(map[string]string{"State": state}, family{[]string{"State"}, []reading{{"Leads", inCount, float64(n)}}})
}

// LeadWaits tells how long a lead that is not handed over yet has waited. SQS
// itself does not tell the age of messages that came back a few times.
func (m *Metrics) LeadWaits(age time.Duration) {
	m.put(nil, family{nil, []reading{{"UndeliveredLeadAge", inSeconds, secs(age)}}})
}

// Feed is what an import did.
type Feed struct {
	// Result is imported, refused or failed.
	Result string
	// Rows and Rejected count the file's rows, Listed the vehicles for sale in
	// it, and Gone those that count as sold since it leaves them out.
	Rows, Listed, Rejected, Gone int
	Took                         time.Duration
}

// Feed counts one import.
func (m *Metrics) Feed(f Feed) {
	refused := 0.0
	if f.Result == "refused" {
		refused = 1
	}
	m.put(map[string]string{"Result": f.Result},
		family{[]string{"Result"}, []reading{{"Feeds", inCount, 1}}},
		family{nil, []reading{
			{"FeedRefused", inCount, refused}, {"FeedRows", inCount, float64(f.Rows)}, {"FeedListed", inCount, float64(f.Listed)},
			{"FeedRejected", inCount, float64(f.Rejected)}, {"FeedGone", inCount, float64(f.Gone)}, {"FeedDuration", inMillis, millis(f.Took)},
		}})
}

// Published counts one try to write the published files: published with their
// number, refused for a profile at fault, none without a profile, or failed.
func (m *Metrics) Published(result string, files int, took time.Duration) {
	m.put(map[string]string{"Result": result},
		family{[]string{"Result"}, []reading{{"Publications", inCount, 1}}},
		family{nil, []reading{{"PublishedFiles", inCount, float64(files)}, {"PublishDuration", inMillis, millis(took)}}})
}
