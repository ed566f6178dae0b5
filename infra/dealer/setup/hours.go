package setup

import (
	"fmt"
	"slices"
	"strings"
)

var weekdays = []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}

// daysMeant are words for several days.
var daysMeant = map[string][]string{"daily": weekdays, "weekdays": weekdays[:5], "weekend": weekdays[5:]}

// week reads hours such as "mon-fri 09:00-19:00, sat 9am-5pm, sun closed" as
// hours by day. What stands after the days is left as it is written.
func week(text string) (map[string]string, error) {
	out := map[string]string{}
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' }) {
		part = strings.TrimSpace(part)
		days, hours, ok := strings.Cut(part, " ")
		hours = strings.TrimSpace(hours)
		list, err := daysOf(days)
		if err != nil || !ok || hours == "" {
			return nil, fmt.Errorf("%q is not days and hours; write them like mon-fri 09:00-19:00, sat 09:00-17:00, sun closed", part)
		}
		for _, day := range list {
			if _, twice := out[day]; twice {
				return nil, fmt.Errorf("%s has hours twice; write each day once", day)
			}
			out[day] = hours
		}
	}
	return out, nil
}

// daysOf reads one day, a range such as fri-mon, or a word for several.
func daysOf(text string) ([]string, error) {
	text = strings.ToLower(strings.TrimSuffix(text, ":"))
	if days, ok := daysMeant[text]; ok {
		return days, nil
	}
	first, last, isRange := strings.Cut(text, "-")
	if !isRange {
		last = first
	}
	a, b := dayNumber(first), dayNumber(last)
	if a < 0 || b < 0 {
		return nil, fmt.Errorf("%q names no day", text)
	}
	var out []string
	for i := a; ; i = (i + 1) % 7 {
		out = append(out, weekdays[i])
		if i == b {
			return out, nil
		}
	}
}

// dayNumber finds a day by its name or a beginning of it that no other has.
func dayNumber(text string) int {
	if len(text) < 2 {
		return -1
	}
	return slices.IndexFunc(weekdays, func(day string) bool { return strings.HasPrefix(day, text) })
}

// written is a week as week reads it, equal days that follow each other as one.
func written(hours map[string]string) string {
	var parts []string
	for i := 0; i < len(weekdays); i++ {
		at, ok := hours[weekdays[i]]
		if !ok {
			continue
		}
		j := i
		for j+1 < len(weekdays) && hours[weekdays[j+1]] == at {
			j++
		}
		days := weekdays[i][:3]
		if j > i {
			days += "-" + weekdays[j][:3]
		}
		parts = append(parts, days+" "+at)
		i = j
	}
	return strings.Join(parts, ", ")
}
