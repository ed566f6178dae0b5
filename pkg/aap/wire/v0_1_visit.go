package wire

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// visits are the types of appointment with what each is called later, and
// what must be said beside it then.
var visits = map[string]struct{ later, words string }{
	"test_drive":         {aap.AppointmentTestDrive, ""},
	"trade_in_appraisal": {aap.AppointmentTradeIn, ""},
	"showroom_visit":     {aap.AppointmentSales, "showroom visit"},
	"handover":           {aap.AppointmentSales, "handover scheduled"},
	"phone_call":         {aap.AppointmentSales, "phone call"},
	"video_call":         {aap.AppointmentSales, "video call"},
}

const (
	// maxNotes is how long the notes of a visit may be, in characters.
	maxNotes = 2000
	// maxWindows bounds the windows that the notes tell of.
	maxWindows = 8
)

// visit takes an appointment to one time: the start of the first window. The
// other windows, and a type that has no word of its own later, go to the notes,
// on the given clock or else on the buyer's.
func visit(a *object, clock *time.Location) {
	if a == nil {
		return
	}
	var says []string
	name, _ := a.text("appointment_type")
	if v, ok := visits[name]; ok {
		a.set("appointment_type", v.later)
		if v.words != "" {
			says = append(says, v.words)
		}
	}
	if zone, _ := a.text("timezone"); clock == nil && zone != "" {
		clock, _ = time.LoadLocation(zone) // nil when it is no zone
	}
	asked := a.objects("requested_windows")
	for i, w := range asked {
		if i == 0 {
			a.setRaw("appointment_at", w.raw("start"))
			a.lasting(w)
			if until, ok := w.text("end"); ok && a.find("duration_minutes") == nil {
				says = append(says, "until "+localTime(until, clock))
			} else if ok && minutes(w) != a.minutes() {
				says = append(says, "within "+window(w, clock))
			}
			continue
		}
		if i > maxWindows {
			says = append(says, fmt.Sprintf("and %d more times", len(asked)-i))
			break
		}
		says = append(says, "or "+window(w, clock))
	}
	a.drop("requested_windows", "timezone")
	if notes, _ := a.text("notes"); notes != "" {
		says = append(says, notes)
	}
	if len(says) == 0 {
		return
	}
	notes := []rune(strings.Join(says, "; "))
	if len(notes) > maxNotes {
		notes = append(notes[:maxNotes-1], '…')
	}
	a.set("notes", string(notes))
}

// lasting sets the duration to that of a window when the buyer gave none.
func (a *object) lasting(w *object) {
	if n := minutes(w); n >= 15 && a.find("duration_minutes") == nil {
		a.set("duration_minutes", n)
	}
}

// minutes is how long a window lasts; 0 when it does not say.
func minutes(w *object) int {
	start, _ := w.text("start")
	end, _ := w.text("end")
	from, err := time.Parse(time.RFC3339, strings.ToUpper(start))
	to, err2 := time.Parse(time.RFC3339, strings.ToUpper(end))
	if err != nil || err2 != nil {
		return 0
	}
	return int(to.Sub(from).Minutes())
}

func (a *object) minutes() int {
	n, _ := strconv.ParseFloat(string(a.raw("duration_minutes")), 64)
	return int(n)
}

func window(w *object, clock *time.Location) string {
	start, _ := w.text("start")
	out := localTime(start, clock)
	if end, ok := w.text("end"); ok {
		out += " to " + localTime(end, clock)
	}
	return out
}

// localTime is a time on the clock, or as it was sent.
func localTime(at string, clock *time.Location) string {
	t, err := time.Parse(time.RFC3339, strings.ToUpper(at))
	if err != nil {
		return at
	}
	if clock != nil {
		t = t.In(clock)
	}
	return t.Format("2006-01-02 15:04 -07:00")
}

// windows takes the outcome of an appointment to windows of time, of which
// only the start is known.
func windows(a *object) {
	start := func(at any) *object {
		w := &object{}
		w.set("start", at)
		return w
	}
	if at, ok := a.text("confirmed_at"); ok {
		a.setRaw("confirmed_window", start(at).append(nil))
	}
	if m := a.find("proposed_times"); m != nil {
		slots := []*object{}
		for _, at := range textsOf(m.raw) {
			slots = append(slots, start(at))
		}
		a.members = append(a.members, member{name: "proposed_slots", list: slots})
	}
	a.drop("confirmed_at", "proposed_times")
}
