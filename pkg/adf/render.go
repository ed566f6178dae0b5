package adf

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// ErrUnrenderable is wrapped by every error of Render: the record or the
// profile cannot give a valid document, and trying again will not help.
var ErrUnrenderable = errors.New("lead cannot be written as ADF")

// Options vary one rendering.
type Options struct {
	// Resend marks the document as one the receiver may have seen before
	// (ADF 1.0 DTD, prospect status); its id stays the same.
	Resend bool
	// ASCII writes numeric character references for everything beyond ASCII.
	ASCII bool
	// Form is the form for one receiver; nil takes the profile's.
	Form *dealer.ADF
	// Visit is the lead's booked visit as it stands now; nil takes the outcome
	// that the buyer was told.
	Visit *lead.Visit
	// Story is what was done about the lead since; channels that the buyer took
	// back are not offered any more.
	Story []lead.Event
}

// Render writes the lead as one ADF 1.0 document in UTF-8: the XML
// declaration, the adf instruction and the adf element on lines of their own.
// The rooftop is the record's, else the profile's first one; times are in its
// zone.
//
// With no_vehicle: omit a lead about no vehicle has no vehicle
// element; the ADF 1.0 DTD demands one, so that setting is only for receivers
// that do not validate.
//
// Errors wrap ErrUnrenderable and hold no personal data.
func Render(r lead.Record, p *dealer.Profile, o Options) ([]byte, error) {
	d := document{writer: writer{buf: make([]byte, 0, 4096), ascii: o.ASCII}, record: &r, profile: p, visit: o.Visit}
	if d.form = o.Form; d.form == nil {
		d.form = &p.ADF
	}
	d.rooftop = Rooftop(r, p)
	primary, err := r.PrimaryOn(d.rooftop.Location())
	if err == nil {
		err = d.lead.decode(primary)
	}
	if err != nil {
		// The decoder's own text may quote the buyer.
		return nil, fmt.Errorf("%w: the stored request is no lead.submit payload", ErrUnrenderable)
	}
	if d.rooftop == nil {
		return nil, fmt.Errorf("%w: the profile has no rooftop", ErrUnrenderable)
	}
	if len(d.rooftop.Phones) == 0 && len(d.rooftop.Emails) == 0 {
		return nil, fmt.Errorf("%w: rooftop %q has neither a phone nor an e-mail", ErrUnrenderable, d.rooftop.Name)
	}
	if d.lead.Customer.Email == "" && d.lead.Customer.Phone == "" {
		return nil, fmt.Errorf("%w: the customer has neither a phone nor an e-mail", ErrUnrenderable)
	}
	if len(o.Story) > 0 {
		d.takeBack(o.Story)
	}
	d.write(o.Resend)
	return d.buf, nil
}

// takeBack removes what the buyer revoked from what the document invites to.
func (d *document) takeBack(story []lead.Event) {
	d.lead.Consent = lead.Remaining(d.lead.Consent, story)
	preferred := &d.lead.Customer.PreferredContact
	if *preferred != "any" && !slices.Contains(d.lead.Consent.AllowedChannels, *preferred) {
		*preferred = ""
	}
}

// Rooftop is the selling location of a lead: the record's, else that of the
// listing, else the profile's first one; nil when the profile has none.
func Rooftop(r lead.Record, p *dealer.Profile) *dealer.Rooftop {
	if t := p.Rooftop(r.Rooftop); t != nil {
		return t
	}
	if r.Listing != nil {
		if t := p.Rooftop(r.Listing.Rooftop); t != nil {
			return t
		}
	}
	if len(p.Rooftops) == 0 {
		return nil
	}
	return &p.Rooftops[0]
}

// document is one rendering under way.
type document struct {
	writer
	record  *lead.Record
	form    *dealer.ADF
	profile *dealer.Profile
	lead    request
	rooftop *dealer.Rooftop
	visit   *lead.Visit
}

func (d *document) write(resend bool) {
	d.buf = append(d.buf, frame...)
	status := "new"
	if resend {
		status = "resend"
	}
	d.open("adf")
	d.open("prospect", "status", status)
	d.leaf("id", d.record.ID, "sequence", "1", "source", d.profile.Name)
	d.leaf("requestdate", d.requestDate())
	d.vehicles()
	d.customer()
	d.vendor()
	d.provider()
	d.close("prospect")
	d.close("adf")
}

// requestDate is when the buyer sent the lead, else when it came, in the
// rooftop's zone with a numeric offset and without a fraction: receivers are
// known to stumble over both.
func (d *document) requestDate() string {
	at, ok := parseTime(d.lead.SubmittedAt)
	if !ok {
		at = d.record.ReceivedAt
	}
	return at.In(d.rooftop.Location()).Format("2006-01-02T15:04:05-07:00")
}

// parseTime reads an RFC 3339 time; the letters may be lower case (RFC 3339 §5.6).
func parseTime(s string) (time.Time, bool) {
	if s == "" {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339, strings.ToUpper(s))
	return at, err == nil
}
