package wire

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

var (
	zipForm   = regexp.MustCompile(`^[0-9]{5}(-[0-9]{4})?$`)
	e164Form  = regexp.MustCompile(`^\+[1-9][0-9]{1,14}$`)
	emailForm = regexp.MustCompile(`^[A-Za-z0-9_%+-]+(\.[A-Za-z0-9_%+-]+)*@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}$`)
)

// capabilities are the ones that have a member; a tag of that name says yes,
// and no tag says nothing.
var capabilities = []string{"test_drive", "financing", "trade_in", "service", "delivery", "remote_delivery"}

// oneDealer takes a group of rooftops to one dealer: the group's name at the
// place of the first rooftop. The others are told of in the notes, the welcome
// in the message.
func oneDealer(response *object, c Context) {
	group := response.object("data")
	trade, _ := group.text("name")
	var main *object
	rooftops := group.objects("rooftops")
	if len(rooftops) > 0 {
		main = rooftops[0]
	}
	legal, _ := main.text("legal_name")
	if legal == "" {
		legal = trade
	}
	d := &object{}
	d.set("dealer_id", c.DealerID)
	d.set("legal_name", legal)
	d.set("trade_name", trade)
	d.set("brands", append([]string{}, c.Brands...))
	address := &object{}
	if a := main.object("address"); a != nil {
		address = a
	}
	address.drop("country")
	address.keepIf(func(v json.RawMessage) bool { return zipForm.MatchString(textOf(v)) }, "zip")
	d.setRaw("address", address.append(nil))
	d.copy(main, "geo", "geo")
	d.points(main, "phones", "phone", e164Form, 16)
	d.points(main, "emails", "email", emailForm, 254)
	d.copy(main, "website", "website")
	if weeks := main.objects("schedules"); len(weeks) > 0 {
		d.copy(weeks[0], "value", "schedule")
	}
	d.copy(main, "timezone", "timezone")
	if notes := noted(main, rooftops); notes != "" {
		d.set("notes", notes)
	}
	can := &object{}
	tags := textsOf(main.raw("capabilities"))
	for _, name := range capabilities {
		if slices.Contains(tags, name) {
			can.set(name, true)
		}
	}
	if len(can.members) > 0 {
		d.setRaw("capabilities", can.append(nil))
	}
	response.setRaw("data", d.append(nil))
	if welcome, ok := group.text("welcome_message"); ok && response.find("message") == nil && len(welcome) <= 2000 {
		response.set("message", welcome)
	}
}

// copy takes a member over under another name.
func (o *object) copy(from *object, name, as string) {
	if value := from.raw(name); value != nil {
		o.setRaw(as, value)
	}
}

// points are the labelled phones or e-mails that have the form demanded here.
func (o *object) points(from *object, list, as string, form *regexp.Regexp, longest int) {
	points := []*object{}
	for _, p := range from.objects(list) {
		value, _ := p.text("value")
		if len(value) > longest || !form.MatchString(value) || strings.IndexByte(value, '@') > 64 {
			continue
		}
		point := &object{}
		point.copy(p, "name", "name")
		point.set(as, value)
		points = append(points, point)
	}
	if len(points) > 0 {
		o.members = append(o.members, member{name: list, list: points})
	}
}

// noted are the main rooftop's notes and where the others are.
func noted(main *object, rooftops []*object) string {
	notes, _ := main.text("notes")
	var also []string
	for _, r := range rooftops[min(1, len(rooftops)):] {
		name, _ := r.text("name")
		city, _ := r.object("address").text("city")
		state, _ := r.object("address").text("state")
		phone := ""
		if phones := r.objects("phones"); len(phones) > 0 {
			phone, _ = phones[0].text("value")
		}
		parts := slices.DeleteFunc([]string{name, city, state, phone}, func(s string) bool { return s == "" })
		also = append(also, strings.Join(parts, ", "))
	}
	if len(also) > 0 {
		notes = strings.TrimSpace(notes + "\nAlso at: " + strings.Join(also, "; ") + ".")
	}
	return notes
}
