package mcptools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// form is what a person is shown before a lead leaves. An answer holds for this
// message and these channels only.
type form struct {
	message string
	// channels can be ticked; none where the lead brings its consent along.
	channels []string
	// text is the consent the person gives by ticking, word for word.
	text string
}

// newForm shows who would receive what. text and channels are empty where there
// is no consent to be given.
func newForm(receiver string, lines []string, text string, channels []string) form {
	var b strings.Builder
	fmt.Fprintf(&b, "%s would receive:\n", receiver)
	for _, line := range lines {
		b.WriteString("- " + line + "\n")
	}
	if text == "" {
		b.WriteString("\nNothing has been sent. Accept to send it.")
	} else {
		b.WriteString("\nWhat you agree to, word for word:\n" + text + "\n\nNothing has been sent. Tick each way in which you may be contacted, then accept to send it.")
	}
	return form{message: b.String(), channels: channels, text: text}
}

// channelTitles are the ways of contact as people call them.
var channelTitles = map[string]string{"email": "By e-mail", "phone": "By phone call", "sms": "By text message"}

// elicitation is the form as the protocol has it. A switch for each channel is
// the one kind of choice that every revision with forms knows, and none is on.
func (f form) elicitation() *mcp.ElicitParams {
	properties := map[string]any{}
	for _, channel := range f.channels {
		properties[channel] = map[string]any{"type": "boolean", "title": channelTitles[channel], "default": false}
	}
	return &mcp.ElicitParams{
		Mode: "form", Message: f.message,
		RequestedSchema: map[string]any{"type": "object", "properties": properties},
	}
}

// verdict is what a person made of a form.
type verdict int

const (
	unreadable verdict = iota
	accepted
	declined
	cancelled
	noChannel
)

// read takes an answer: the ticked channels in the form's order. What the form
// does not ask for is not looked at, and a tick is true and nothing else.
func (f form) read(answer *mcp.ElicitResult) ([]string, verdict) {
	switch answer.Action {
	case "decline":
		return nil, declined
	case "cancel":
		return nil, cancelled
	case "accept":
	default:
		return nil, unreadable
	}
	var ticked []string
	for _, channel := range f.channels {
		switch tick := answer.Content[channel].(type) {
		case nil:
		case bool:
			if tick {
				ticked = append(ticked, channel)
			}
		default:
			return nil, unreadable
		}
	}
	if len(f.channels) > 0 && len(ticked) == 0 {
		return nil, noChannel
	}
	return ticked, accepted
}

const (
	longLine = 200
	longText = 1000
)

// leadLines tell a lead, given in the form of the primary contract, to the
// person it is about.
func leadLines(payload []byte) ([]string, aap.LeadRequest, error) {
	var req aap.LeadRequest
	if err := json.Unmarshal(payload, &req); err != nil {
		return nil, req, fmt.Errorf("decode a lead that fits its schema: %w", err)
	}
	var lines []string
	line := func(name string, limit int, values ...string) {
		if value := plain(joined(" ", values...), limit); value != "" {
			lines = append(lines, name+": "+value)
		}
	}
	who := req.Customer
	line("Name", longLine, who.FirstName, who.LastName)
	line("E-mail", longLine, who.Email)
	line("Phone", longLine, who.Phone)
	if a := who.Address; a != nil {
		line("Address", longLine, joined(", ", a.AddressLine1, a.AddressLine2, a.City, joined(" ", a.State, a.Zip), a.Country))
	}
	line("Preferred contact", longLine, who.PreferredContact)
	line("Vehicle", longLine, vehicleWords(req.VehicleOfInterest))
	line("Trade-in", longLine, vehicleWords(req.TradeIn))
	if a := req.Appointment; a != nil {
		line("Visit", longLine, strings.ReplaceAll(a.AppointmentType, "_", " "), a.AppointmentAt)
		line("Notes on the visit", longText, a.Notes)
	}
	line("Message", longText, req.Message)
	if c := req.Consent; c.ConsentText != "" {
		line("Consent", longText, joined(", ", c.AllowedChannels...)+", given "+c.GrantedAt+":", c.ConsentText)
	}
	line("Sent by", longLine, req.SourceAgent.Name)
	line("Further members", longText, joined(", ", further(payload)...))
	return lines, req, nil
}

func vehicleWords(v *aap.Vehicle) string {
	if v == nil {
		return ""
	}
	name := func(label, value string) string {
		if value == "" {
			return ""
		}
		return label + " " + value
	}
	year, mileage := "", ""
	if v.Year != nil {
		year = fmt.Sprint(int64(*v.Year))
	}
	if v.Mileage != nil {
		mileage = fmt.Sprint(int64(*v.Mileage)) + " miles"
	}
	words := joined(", ", joined(" ", v.Condition, year, v.Make, v.Model, v.Trim),
		name("VIN", v.VIN), name("stock", v.Stock), name("id", v.VehicleID), mileage, v.Rooftop)
	if words == "" {
		return "described by further members"
	}
	return words
}

// told are the members of vehicles that vehicleWords has.
var told = []string{"condition", "year", "make", "model", "trim", "vin", "stock", "vehicle_id", "mileage", "rooftop"}

// further names what else a lead says of vehicles, so that nothing goes unseen.
func further(payload []byte) []string {
	var vehicles struct {
		Wanted map[string]json.RawMessage `json:"vehicle_of_interest"`
		Given  map[string]json.RawMessage `json:"trade_in"`
	}
	_ = json.Unmarshal(payload, &vehicles) // decoded before
	var names []string
	for label, members := range map[string]map[string]json.RawMessage{"vehicle": vehicles.Wanted, "trade-in": vehicles.Given} {
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if !slices.Contains(told, name) {
				names = append(names, label+" "+name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// joined leaves blanks out.
func joined(by string, values ...string) string {
	return strings.Join(slices.DeleteFunc(values, func(v string) bool { return strings.TrimSpace(v) == "" }), by)
}

// plain makes one line of what others wrote, so that it can neither look like a
// part of the form nor push the form out of sight.
func plain(s string, limit int) string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) {
			return r
		}
		return ' '
	}, s)
	clean = strings.Join(strings.Fields(clean), " ")
	if runes := []rune(clean); len(runes) > limit {
		return fmt.Sprintf("%s… (%d characters in all)", string(runes[:limit]), len(runes))
	}
	return clean
}

// withMember puts a member in front of those of an object.
func withMember(object []byte, name string, value []byte) []byte {
	out := append(make([]byte, 0, len(object)+len(name)+len(value)+4), `{"`+name+`":`...)
	out = append(out, value...)
	rest := bytes.TrimLeft(bytes.TrimSpace(object)[1:], " \t\r\n")
	if rest[0] != '}' {
		out = append(out, ',')
	}
	return append(out, rest...)
}
