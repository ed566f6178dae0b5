package feed

import (
	"strings"
	"time"
)

// dated is when a document says it was made.
type dated struct {
	stamp   time.Time
	stampAt int // how good the member is that said so; 0 is none
}

// stamps are members that date a document, best first.
var stamps = []string{"generatedat", "exportedat", "feedtime", "feeddate", "generated", "lastupdated", "updatedat", "createdat", "timestamp", "asof", "exported", "exportdate", "exporttime", "lastbuilddate", "pubdate", "updated"}

func (d *dated) at() time.Time { return d.stamp }

// date takes a member of the document that may date it.
func (d *dated) date(name, value string) {
	rank := len(stamps)
	for i, s := range stamps {
		if s == foldHeader(name) {
			rank = i
		}
	}
	if rank == len(stamps) || d.stampAt > 0 && rank >= d.stampAt-1 {
		return
	}
	for _, layout := range []string{time.RFC3339, time.RFC1123Z, time.RFC1123} {
		if t, err := time.Parse(layout, strings.TrimSpace(value)); err == nil {
			d.stamp, d.stampAt = t, rank+1
			return
		}
	}
}
