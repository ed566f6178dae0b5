package adf

import (
	"net/mail"
	"regexp"
	"strings"
	"time"
)

// contact reads a person or a business. Only a person's full name is turned
// round when it is written "Last, First".
func (rd *reading) contact(n *element, person bool) Contact {
	c := Contact{Primary: n.attrs["primarycontact"] == "1" || n.first("primarycontact").value() == "1"}
	suffix := ""
	for _, name := range n.all("name") {
		text := name.value()
		if text == "" {
			continue
		}
		switch part := strings.ToLower(name.attrs["part"]); part {
		case "first":
			c.First = text
		case "middle":
			c.Middle = text
		case "last", "surname":
			c.Last = text
		case "", "full":
			c.Full = text
		case "suffix":
			suffix = text
		}
	}
	parts := c.First + c.Middle + c.Last
	switch last, first, comma := strings.Cut(c.Full, ","); {
	case parts != "" && c.Full == "":
		c.Full = strings.Join(strings.Fields(c.First+" "+c.Middle+" "+c.Last+" "+suffix), " ")
	case person && parts == "" && comma && !strings.Contains(first, ","):
		c.Last, c.First = strings.TrimSpace(last), strings.TrimSpace(first)
	}
	email := n.first("email")
	c.Email = rd.email(email)
	if c.Email != "" && email.attrs["preferredcontact"] == "1" {
		c.Preferred = "email"
	}
	for _, phone := range n.all("phone") {
		if number := phone.value(); dialable(number) {
			c.Phones = append(c.Phones, Phone{Number: number, Type: phoneType(phone), Time: rd.word(phone, "time", "")})
			if c.Preferred == "" && phone.attrs["preferredcontact"] == "1" {
				c.Preferred = "phone"
			}
		} else if number != "" {
			rd.odd(phone, "not a phone number", "Write the number with its country code, or leave the phone out.")
		}
	}
	c.Address = rd.address(n.first("address"))
	return c
}

// email reads an address; what cannot be one is reported and dropped.
func (rd *reading) email(n *element) string {
	text := n.value()
	if rest, ok := strings.CutPrefix(strings.ToLower(text), "mailto:"); ok {
		rd.odd(n, "the e-mail is written as a mailto: link", "Write the address alone.")
		text = strings.TrimSpace(text[len(text)-len(rest):])
	}
	if text == "" {
		return ""
	}
	at, err := mail.ParseAddress(text)
	if err != nil {
		rd.odd(n, "not an e-mail address", "Write an address such as name@example.com, or leave the element out.")
		return ""
	}
	if strings.HasSuffix(text, ">") {
		return at.Address
	}
	return text
}

// dialable reports whether a text has a digit other than zero.
func dialable(text string) bool { return strings.ContainsAny(text, "123456789") }

// phoneType folds what senders write for a type that ADF has.
func phoneType(n *element) string {
	kind := strings.ToLower(strings.TrimSpace(n.attrs["type"]))
	switch kind {
	case "voice", "fax", "cellphone", "pager":
		return kind
	}
	if other, ok := otherWords[kind]; ok {
		return other
	}
	return "voice"
}

func (rd *reading) address(n *element) *Address {
	a := Address{
		Type:       rd.word(n, "type", ""),
		Apartment:  n.first("apartment").value(),
		City:       n.first("city").value(),
		RegionCode: n.first("regioncode").value(),
		PostalCode: n.first("postalcode").value(),
		Country:    n.first("country").value(),
	}
	for _, s := range n.all("street") {
		if text := s.value(); text != "" {
			a.Streets = append(a.Streets, text)
		}
	}
	if len(a.Streets) == 0 && a.Apartment+a.City+a.RegionCode+a.PostalCode+a.Country == "" {
		return nil
	}
	return &a
}

var (
	dateShape = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2})(?:[T ]+(\d{1,2}:\d{2})(:\d{2})?(?:[.,]\d+)?)?\s*(.*)$`)
	goodZone  = regexp.MustCompile(`^([+-])(\d{2}):?(\d{2})$`)
)

const goodDate = "Write it as 2026-04-30T10:15:10-07:00."

// otherDate reads what senders write for ISO 8601; days after the month, as
// in the United States. It is zero when it is none of these.
func otherDate(text string) (at time.Time, zoned bool) {
	for _, form := range []struct {
		layout string
		zoned  bool
	}{
		{time.RFC1123Z, true}, {"2 Jan 2006 15:04:05 -0700", true}, {"20060102T150405-0700", true}, {"20060102T150405Z", true},
		{"20060102T150405", false}, {"20060102", false}, {"1/2/2006 3:04:05 PM", false}, {"1/2/2006 3:04 PM", false},
		{"1/2/2006 15:04:05", false}, {"1/2/2006 15:04", false}, {"1/2/2006", false},
	} {
		if at, err := time.Parse(form.layout, text); err == nil {
			return at, form.zoned
		}
	}
	return time.Time{}, false
}

// date reads a request date in the shapes senders write.
func (rd *reading) date(n *element, p *Prospect) {
	p.RequestDate = n.value()
	if p.RequestDate == "" {
		return
	}
	m := dateShape.FindStringSubmatch(strings.ToUpper(p.RequestDate))
	if m == nil {
		rd.odd(n, "the date is not ISO 8601", goodDate)
		p.RequestedAt, p.HasZone = otherDate(p.RequestDate)
		return
	}
	day, clock, seconds, zone := m[1], m[2], m[3], m[4]
	if clock == "" {
		rd.odd(n, "the date has no time", goodDate)
		clock = "00:00"
	} else if seconds == "" {
		rd.odd(n, "the time has no seconds", goodDate)
	}
	if seconds == "" {
		seconds = ":00"
	}
	if len(clock) == 4 {
		clock = "0" + clock
	}
	offset := "Z"
	switch z := goodZone.FindStringSubmatch(zone); {
	case zone == "Z", zone == "UTC", zone == "GMT":
		p.HasZone = true
	case z != nil:
		p.HasZone, offset = true, z[1]+z[2]+":"+z[3]
		if !strings.Contains(zone, ":") {
			rd.odd(n, "the offset is written without a colon", goodDate)
		}
	case zone == "":
		rd.odd(n, "the time has no zone", goodDate)
	default:
		rd.odd(n, "the offset is malformed; the time is kept without it", goodDate)
	}
	at, err := time.Parse(time.RFC3339, day+"T"+clock+seconds+offset)
	if err != nil {
		rd.odd(n, "the date does not exist", goodDate)
		p.HasZone = false
		return
	}
	p.RequestedAt = at
}
