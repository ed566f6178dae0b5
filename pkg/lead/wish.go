package lead

import (
	"slices"
	"strconv"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// wish is a time that a buyer asks for: the start of the visit, or when until
// is set the time within which all of it shall be.
type wish struct{ from, until time.Time }

const (
	// maxWishes bounds the windows of one request that are looked at.
	maxWishes = 8
	// longestVisit is what is booked without a person, in minutes.
	longestVisit = 24 * 60
)

// wishesOf reads the times asked for, the most wanted one first, and for how
// many minutes; 0 leaves that to the dealer. Only AAP v0.1 knows windows, of
// which the primary contract keeps the first one's start.
func wishesOf(sent any, a *aap.Appointment) (wishes []wish, minutes int64) {
	doc, _ := sent.(map[string]any)
	visit, _ := doc["appointment"].(map[string]any)
	windows, old := visit["requested_windows"].([]any)
	if !old {
		if a.DurationMinutes != nil {
			minutes = int64(*a.DurationMinutes)
		}
		if at, err := parseTime(a.AppointmentAt); err == nil {
			wishes = []wish{{from: at}}
		}
		return wishes, minutes
	}
	minutes = wholeOf(visit["duration_minutes"])
	for _, w := range windows[:min(len(windows), maxWishes)] {
		window, _ := w.(map[string]any)
		start, _ := window["start"].(string)
		end, _ := window["end"].(string)
		from, err := parseTime(start)
		if err != nil {
			continue
		}
		until, err := parseTime(end)
		if err != nil || !until.After(from) {
			until = time.Time{}
		}
		wishes = append(wishes, wish{from, until})
	}
	return wishes, minutes
}

// wholeOf is a JSON number without its fraction; what is no number is 0.
func wholeOf(v any) int64 {
	number, ok := v.(interface{ String() string })
	if !ok {
		return 0
	}
	f, err := strconv.ParseFloat(number.String(), 64)
	if err != nil || f < 0 || f > longestVisit+1 {
		return longestVisit + 1
	}
	return int64(f)
}

// comesHere reports whether a kind of visit takes a slot at the rooftop. Of
// those that AAP v0.1 tells apart, calls take none, and a handover is arranged
// with the buyer of the car.
func comesHere(kind string) bool {
	return !slices.Contains([]string{"phone_call", "video_call", "handover"}, kind)
}
