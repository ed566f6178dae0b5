package feed_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/feed"
)

// sizeInMB is how large the generated exports are; DEALER_FEED_MB=1024 is a
// file of 1 GiB in each format.
func sizeInMB(t *testing.T) int {
	t.Helper()
	if s := os.Getenv("DEALER_FEED_MB"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			t.Fatalf("DEALER_FEED_MB=%q is no size", s)
		}
		return n
	}
	if testing.Short() {
		return 1
	}
	return 16
}

// generated writes an export of about size bytes: 500 units over and over, with
// descriptions that do not compress well.
func generated(size int, begin, row, end string) io.Reader {
	r, w := io.Pipe()
	go func() {
		state := uint64(88172645463325252)
		var text [1500]byte
		n, err := io.WriteString(w, begin)
		for i := 0; n < size && err == nil; i++ {
			for at := range text {
				if at%16 == 0 {
					state ^= state << 13
					state ^= state >> 7
					state ^= state << 17
				}
				text[at] = "abcdefghijklmno "[state>>(at%16*4)&15]
			}
			var c int
			c, err = fmt.Fprintf(w, row, i%500, text[:])
			n += c
		}
		if err == nil {
			_, err = io.WriteString(w, end)
		}
		w.CloseWithError(err)
	}()
	return r
}

// gzippedStream packs what it reads.
func gzippedStream(in io.Reader) io.Reader {
	r, w := io.Pipe()
	go func() {
		z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
		if err == nil {
			_, err = io.Copy(z, in)
		}
		if err == nil {
			err = z.Close()
		}
		w.CloseWithError(err)
	}()
	return r
}

// memoryCeiling bounds the live heap while a file of any size is read.
const memoryCeiling = 40 << 20

func TestAFileOfOneGigabyteNeedsNoMoreMemoryThanASmallOne(t *testing.T) {
	size := sizeInMB(t) << 20
	csv := func() io.Reader {
		return generated(size, "stock,year,make,model,description\n", "S%d,2020,Kia,Rio,\"%s\"\n", "")
	}
	for name, file := range map[string]io.Reader{
		"CSV":                csv(),
		"gzip":               gzippedStream(csv()),
		"JSON lines in gzip": gzippedStream(generated(size, "", `{"stock":"S%d","year":2020,"make":"Kia","model":"Rio","description":"%s"}`+"\n", "")),
		"XML in gzip":        gzippedStream(generated(size, "<cars>", "<car><stock>S%d</stock><year>2020</year><make>Kia</make><model>Rio</model><description>%s</description></car>\n", "</cars>")),
		"JSON array":         generated(size, `[{"stock":"first","year":2020,"make":"Kia","model":"Rio"}`, `,{"stock":"S%d","year":2020,"make":"Kia","model":"Rio","description":"%s"}`, "]"),
		"JSON":               generated(size, `{"cars":[{"stock":"first","year":2020,"make":"Kia","model":"Rio"}`, `,{"stock":"S%d","year":2020,"make":"Kia","model":"Rio","description":"%s"}`, "]}"),
		"XML":                generated(size, "<cars>", "<car><stock>S%d</stock><year>2020</year><make>Kia</make><model>Rio</model><description>%s</description></car>\n", "</cars>"),
	} {
		t.Run(name, func(t *testing.T) {
			var before runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			var peak atomic.Uint64
			done, watched := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(watched)
				for {
					select {
					case <-done:
						return
					case <-time.After(20 * time.Millisecond):
						var now runtime.MemStats
						runtime.ReadMemStats(&now)
						peak.Store(max(peak.Load(), now.HeapAlloc))
					}
				}
			}()
			batch, rep, err := feed.Read(t.Context(), feed.Source{Name: name, Body: file}, oneRooftop())
			close(done)
			<-watched
			if err != nil || len(batch.Vehicles) < 500 || len(batch.Vehicles) > 501 || rep.Rejected > 0 || rep.Merged < size/2000-501 {
				t.Fatalf("%v: %d units of %d rows, %d rejected", err, len(batch.Vehicles), rep.Rows, rep.Rejected)
			}
			if p := peak.Load(); p > before.HeapAlloc+memoryCeiling {
				t.Errorf("%d MiB of memory for a file of %d MiB", (p-before.HeapAlloc)>>20, size>>20)
			} else {
				t.Logf("%s: %d rows, %d MiB of memory", name, rep.Rows, (max(p, before.HeapAlloc)-before.HeapAlloc)>>20)
			}
		})
	}
}
