package functions_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/cloud/lambdatest"
)

const generationCars = 40

// generation is a lot in which every car has the same price.
func generation(price int) []byte {
	var b strings.Builder
	b.WriteString("VIN,Stock,Year,Make,Model,Price,Status\n")
	for n := range generationCars {
		fmt.Fprintf(&b, "1FTFW1E50NFB%05d,G%d,2022,Ford,F-150,%d,Available\n", n, n, price)
	}
	return []byte(b.String())
}

// TestEveryAnswerIsOfOneGeneration runs two warm agents, the import and the
// command, each a process of its own, on one table at the same time.
func TestEveryAnswerIsOfOneGeneration(t *testing.T) {
	s := deploy(t, "https://crm.seabright.example/adf")
	profileFile := filepath.Join(t.TempDir(), "dealer.yaml")
	if err := os.WriteFile(profileFile, fmt.Appendf(nil, profile, "https://crm.seabright.example/adf"), 0o600); err != nil {
		t.Fatal(err)
	}
	command := lambdatest.Build(t, "../infra/dealer")
	vehicle := func(args ...string) {
		t.Helper()
		cmd := exec.Command(command, append(append([]string{"vehicle"}, args...), "--profile", profileFile)...)
		cmd.Env = append(os.Environ(), s.env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("vehicle %v: %v\n%s", args, err, out)
		}
	}
	importer := lambdatest.Start(t, lambdatest.Build(t, "./feedimport"), s.env...)
	take := func(price int) {
		t.Helper()
		cloudtest.Put(t, s.objects, s.bucket, "feeds/lot.csv", generation(price))
		invoke(t, importer, s.uploaded("feeds/lot.csv"), nil)
	}
	take(20000)
	bootstrap := lambdatest.Build(t, "./agent")
	agents := []*lambdatest.Function{lambdatest.Start(t, bootstrap, s.env...), lambdatest.Start(t, bootstrap, s.env...)}
	// look returns the price of the lot, of the first car and whether the last is listed.
	look := func(agent *lambdatest.Function) (lot, first int, last bool) {
		data := call(t, agent, `{"type":"inventory.search.request","pagination":{"limit":100},"sort":{"field":"stock","order":"asc"}}`)
		vehicles := data["vehicles"].([]any)
		if int(data["total"].(float64)) != len(vehicles) {
			t.Errorf("total %v, %d listed", data["total"], len(vehicles))
		}
		for _, each := range vehicles {
			car := each.(map[string]any)
			price := int(car["price"].(float64))
			switch stock := car["stock"]; {
			case stock == "G0":
				first = price
			case lot == 0:
				lot = price
			case lot != price:
				t.Errorf("cars of %d and of %d in one answer", lot, price)
			}
			last = last || car["stock"] == fmt.Sprint("G", generationCars-1)
		}
		want := generationCars
		if first == 0 {
			want--
		}
		if !last {
			want--
		}
		if len(vehicles) != want {
			t.Errorf("%d cars, want %d", len(vehicles), want)
		}
		return lot, first, last
	}
	ctx, stop := context.WithCancel(t.Context())
	var readers, writers sync.WaitGroup
	for _, agent := range agents {
		readers.Go(func() {
			newest, answers := 0, 0
			for ; ctx.Err() == nil; answers++ {
				lot, first, _ := look(agent)
				if lot < newest {
					t.Errorf("after the lot of %d comes that of %d", newest, lot)
				}
				if newest = lot; first != lot && (first < 30000 || first > 30005) {
					t.Errorf("the first car costs %d", first)
				}
			}
			t.Logf("%d answers", answers)
		})
	}
	writers.Go(func() {
		for n := range 4 {
			take(20001 + n)
		}
	})
	writers.Go(func() {
		for n := range 3 {
			vehicle("price", "G0", fmt.Sprint(30000+n))
			vehicle("sold", fmt.Sprint("G", generationCars-1))
		}
	})
	writers.Wait()
	stop()
	readers.Wait()
	// At rest, what a command has done shows at the next request of every instance.
	time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second))) // S3 dates objects by the second
	vehicle("price", "G0", "30005")
	for _, agent := range agents {
		if lot, first, _ := look(agent); lot != 20004 || first != 30005 {
			t.Errorf("after the last command: %d, %d", lot, first)
		}
	}
	vehicle("hold", "G0")
	for _, agent := range agents {
		if _, first, _ := look(agent); first != 0 {
			t.Error("a held car is listed")
		}
	}
}
