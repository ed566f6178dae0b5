package fleet

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"
)

// Journal notes the rooftops that a run is done with, a line each, so that the
// run that follows an interruption does not ask about them again. Losing it costs
// these questions and nothing else.
type Journal struct {
	mu   sync.Mutex
	file *os.File
	done map[string]entry
}

type entry struct {
	ID   string    `json:"rooftop"`
	Mark string    `json:"mark"`
	At   time.Time `json:"at"`
}

// fresh is how long a note is believed: afterwards somebody may have changed the stack.
const fresh = time.Hour

// OpenJournal reads what an interrupted run left at path. A line that was being
// written when the run was killed is left out.
func OpenJournal(path string) (*Journal, error) {
	body, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	j := &Journal{done: map[string]entry{}}
	for lines := bufio.NewScanner(bytes.NewReader(body)); lines.Scan(); {
		var e entry
		if json.Unmarshal(lines.Bytes(), &e) == nil && e.ID != "" {
			j.done[e.ID] = e
		}
	}
	if j.file, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err != nil {
		return nil, err
	}
	if n := len(body); n > 0 && body[n-1] != '\n' {
		_, err = j.file.Write([]byte("\n"))
	}
	return j, err
}

// Done reports whether the rooftop was brought to that mark a short time ago.
func (j *Journal) Done(id, mark string, now time.Time) bool {
	if j == nil {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	e, ok := j.done[id]
	return ok && e.Mark == mark && now.Sub(e.At) < fresh
}

// Add notes that the rooftop is there.
func (j *Journal) Add(id, mark string, now time.Time) error {
	if j == nil {
		return nil
	}
	line, err := json.Marshal(entry{id, mark, now})
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.done[id] = entry{id, mark, now}
	_, err = j.file.Write(append(line, '\n'))
	return err
}

// Close keeps the journal for the next run.
func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	return j.file.Close()
}

// Finish removes the journal of a run that came to its end.
func (j *Journal) Finish() error {
	if j == nil {
		return nil
	}
	return errors.Join(j.file.Close(), os.Remove(j.file.Name()))
}
