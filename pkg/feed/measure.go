package feed

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// milesPerKm is the factor feeds and buyers use; half miles round up.
const milesPerKm = 0.621371

// maxMileage is the largest odometer reading taken for one.
const maxMileage = 2_000_000

// parseMileage reads an odometer cell in miles. unit is what the file or the
// profile says about cells that name none. ok is false when the cell has a
// reading that cannot be trusted.
func parseMileage(s, unit string) (miles int64, given, ok bool) {
	s = strings.TrimSpace(s)
	n, plain := quickNumber(s)
	if !plain {
		if s == "" || isAbsent(s) {
			return 0, false, true
		}
		number, words, found := cutNumber(s)
		if !found {
			return 0, true, false
		}
		for _, w := range words {
			switch strings.ToLower(strings.Trim(w, ".:")) {
			case "mi", "mile", "miles", "mls":
				unit = "mi"
			case "km", "kms", "kilometers", "kilometres", "kilometer":
				unit = "km"
			case "":
			default:
				return 0, true, false
			}
		}
		whole, hundredths, read := readNumber(number, 2)
		if !read {
			return 0, true, false
		}
		n = whole
		if hundredths >= 50 && unit != "km" {
			n++
		}
	}
	switch unit {
	case "km":
		n = int64(float64(n)*milesPerKm + 0.5)
	case "mi":
	default:
		return 0, true, false
	}
	if n > maxMileage || n == 999_999 && unit == "mi" { // what an odometer that is not known is filled with
		return 0, true, false
	}
	return n, true, true
}

// parseUnit reads a unit column.
func parseUnit(s string) string {
	switch squash(s) {
	case "km", "kms", "kilometers", "kilometres", "k", "kmt":
		return "km"
	case "mi", "mile", "miles", "m", "smi":
		return "mi"
	}
	return ""
}

// parseDecimal reads a number that may carry one of the given units.
func parseDecimal(s string, units ...string) (float64, bool) {
	number, words, ok := cutNumber(s)
	if !ok || strings.ContainsAny(s, "-~<>") {
		return 0, false
	}
	for _, w := range words {
		if !contains(units, strings.ToLower(strings.Trim(w, ".:"))) {
			return 0, false
		}
	}
	if i := strings.IndexByte(number, ','); i >= 0 {
		whole, _, ok := readNumber(number, 2)
		return float64(whole), ok
	}
	f, err := strconv.ParseFloat(number, 64)
	return f, err == nil && f >= 0 && f < 1e7
}

func parseBool(s string) (value, ok bool) {
	switch squash(s) {
	case "true", "yes", "y", "1", "t":
		return true, true
	case "false", "no", "n", "0", "f":
		return false, true
	}
	return false, false
}

var months = []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}

// parseDate reads a calendar day. order (ymd, mdy, dmy) decides what slashes,
// dots and hyphens mean when the year does not stand first; a date that order
// makes impossible is not read the other way round.
func parseDate(s, order string) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if len(s) > 40 {
		return time.Time{}, false
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, true
	}
	if n, ok := plainInt(s); ok && len(s) == 8 {
		return day(n/10000, n/100%100, n%100)
	}
	// A time of day after the date does not matter here, nor does a weekday
	// before it.
	if i := strings.LastIndexAny(s[:max(0, strings.IndexByte(s, ':'))], "T "); i > 0 {
		s = s[:i]
	}
	parts := strings.FieldsFunc(s, func(c rune) bool {
		return c == '/' || c == '-' || c == '.' || c == ',' || c == ' '
	})
	if len(parts) == 4 && weekday(parts[0]) {
		parts = parts[1:]
	}
	if len(parts) == 1 && len(s) == 9 && monthNumber(s[2:5]) > 0 { // 05MAR2026
		parts = []string{s[:2], s[2:5], s[5:]}
	}
	if len(parts) != 3 {
		return time.Time{}, false
	}
	for i, p := range parts {
		month := monthNumber(p)
		if month == 0 {
			continue
		}
		rest := append(append([]string{}, parts[:i]...), parts[i+1:]...)
		d, okD := plainInt(strings.TrimRight(rest[0], "stndrh"))
		y, okY := plainInt(rest[1])
		if !okD || !okY {
			return time.Time{}, false
		}
		return day(fullYear(y, len(rest[1])), month, d)
	}
	var n [3]int64
	for i, p := range parts {
		v, ok := plainInt(p)
		if !ok || len(p) > 4 || len(p) == 3 {
			return time.Time{}, false
		}
		n[i] = v
	}
	switch {
	case len(parts[0]) == 4:
		return day(n[0], n[1], n[2])
	case order == "ymd":
		return day(fullYear(n[0], len(parts[0])), n[1], n[2])
	case order == "dmy":
		return day(fullYear(n[2], len(parts[2])), n[1], n[0])
	default:
		return day(fullYear(n[2], len(parts[2])), n[0], n[1])
	}
}

func weekday(s string) bool {
	return len(s) >= 3 && slices.Contains([]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}, strings.ToLower(s[:3]))
}

func monthNumber(s string) int64 {
	if len(s) < 3 {
		return 0
	}
	for i, m := range months {
		if strings.EqualFold(s[:3], m) {
			return int64(i + 1)
		}
	}
	return 0
}

func fullYear(y int64, digits int) int64 {
	switch {
	case digits == 4:
		return y
	case digits == 2 && y < 80:
		return 2000 + y
	case digits == 2:
		return 1900 + y
	}
	return 0
}

func day(y, m, d int64) (time.Time, bool) {
	if y < 1900 || y > 2100 || m < 1 || m > 12 || d < 1 || d > 31 {
		return time.Time{}, false
	}
	t := time.Date(int(y), time.Month(m), int(d), 0, 0, 0, 0, time.UTC)
	return t, t.Day() == int(d)
}

// parseMoment reads a date and time; one without an offset is in loc.
func parseMoment(s, order string, loc *time.Location) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, true
	}
	for _, layout := range []string{"2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04"} {
		if t, err := time.ParseInLocation(layout, s, loc); err == nil {
			return t, true
		}
	}
	d, ok := parseDate(s, order)
	if !ok {
		return time.Time{}, false
	}
	y, m, dd := d.Date()
	clock := time.Time{}
	if i := strings.IndexByte(s, ' '); i > 0 {
		for _, layout := range []string{"15:04:05", "15:04", "3:04:05 PM", "3:04 PM", "3:04PM"} {
			if t, err := time.Parse(layout, strings.TrimSpace(s[i:])); err == nil {
				clock = t
				break
			}
		}
	}
	return time.Date(y, m, dd, clock.Hour(), clock.Minute(), clock.Second(), 0, loc), true
}
