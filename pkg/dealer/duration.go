package dealer

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// Duration is a time.Duration written as Go writes it, with d for days of 24
// hours before the rest: 20s, 48h, 30d, 1d12h. It is never negative.
type Duration time.Duration

// Std is the duration as the standard library's type.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// String writes the duration as Go does.
func (d Duration) String() string { return time.Duration(d).String() }

// maxDays keeps the sum of days and a rest inside a time.Duration.
const maxDays = 100 * 365

var errDuration = errors.New("not a duration")

var durationForm = regexp.MustCompile(`^(?:([0-9]{1,9})d)?(.*)$`)

// UnmarshalText reads the written form.
func (d *Duration) UnmarshalText(text []byte) error {
	part := durationForm.FindStringSubmatch(string(text))
	if part == nil || (part[1] == "" && part[2] == "") {
		return errDuration
	}
	var total time.Duration
	if part[1] != "" {
		days, err := strconv.Atoi(part[1])
		if err != nil || days > maxDays {
			return fmt.Errorf("more than %d days", maxDays)
		}
		total = time.Duration(days) * 24 * time.Hour
	}
	if part[2] != "" {
		rest, err := time.ParseDuration(part[2])
		if err != nil {
			return errDuration
		}
		if rest < 0 {
			return errors.New("negative")
		}
		if rest > maxDays*24*time.Hour {
			return fmt.Errorf("more than %d days", maxDays)
		}
		total += rest
	}
	*d = Duration(total)
	return nil
}

func (d *Duration) form() (what, fix string) {
	return "a duration", "write a number with its unit, such as 90m, 48h or 30d"
}

// MarshalText writes what UnmarshalText reads.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }
