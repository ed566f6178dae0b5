package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// everyByte is all that lies in the data folder but the documents handed over.
func everyByte(t *testing.T, dir string) []byte {
	t.Helper()
	var all []byte
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && d.Name() == "outbox" {
			return filepath.SkipDir
		}
		if d.Type().IsRegular() {
			body, err := os.ReadFile(path)
			all = append(append(all, path...), body...)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestAnErasedPersonIsInNoByteOfTheFolder(t *testing.T) {
	for _, running := range []bool{true, false} {
		t.Run(fmt.Sprint("agent runs: ", running), func(t *testing.T) {
			s := openShopfront(t)
			id := s.submit(t, "Zelda@Example.com", "Zelda", "about the red one")
			s.handedOver(t, id)
			second := s.submit(t, "zelda@example.com", "Zelda", "about the blue one")
			kept := s.submit(t, "theo@example.com", "Theo", "keep me")
			if second != id { // an equal lead of hers is a duplicate with a key of its own
				t.Errorf("the repeat is lead %s, want %s", second, id)
			}
			if !running {
				s.stop()
			}
			for _, word := range []string{"zelda@example.com\n", " Zelda@example.com\r\n", "zelda@example.com"} { // in no list of processes
				if r := dealerCommand(t, word, "leads", "erase", "--email", "-", "--dry-run", "--data", s.data); r.code != 0 || !strings.Contains(r.out, "Found 1 lead") {
					t.Errorf("%q: exit code %d\n%s%s", word, r.code, r.out, r.err)
				}
			}
			if r := dealerCommand(t, "+1 303 555 0142\n", "leads", "erase", "--phone", "-", "--dry-run", "--data", s.data); r.code != 0 || !strings.Contains(r.out, "Found 2 leads") {
				t.Errorf("exit code %d\n%s%s", r.code, r.out, r.err)
			}
			for _, nothing := range []string{"", "\n", "-\n"} {
				if r := dealerCommand(t, nothing, "leads", "erase", "--email", "-", "--data", s.data); r.code != 2 || !strings.Contains(r.err, "--email - wants the address on standard input") {
					t.Errorf("%q: exit code %d\n%s%s", nothing, r.code, r.out, r.err)
				}
			}
			if out := s.leads(t, "erase", "--email", "zelda@example.com", "--dry-run"); !strings.Contains(out, "Found 1 lead") {
				t.Errorf("dry run: %s", out)
			}
			r := dealerCommand(t, "zelda@example.com\nno\n", "leads", "erase", "--email", "-", "--data", s.data)
			if r.code != 1 || !bytes.Contains(everyByte(t, s.data), []byte("Zelda")) {
				t.Fatalf("no was taken for yes: %d %s%s", r.code, r.out, r.err)
			}
			r = dealerCommand(t, "zelda@example.com\nyes\n", "leads", "erase", "--email", "-", "--data", s.data)
			if r.code != 0 || !strings.Contains(r.out, "Erased 1 lead") || !strings.Contains(r.out, "outbox") || !strings.Contains(r.out, id+".xml") {
				t.Fatalf("exit code %d\n%s%s", r.code, r.out, r.err)
			}
			all := everyByte(t, s.data)
			for _, trace := range []string{"elda@", "ELDA", "Zelda", id, "red one", "blue one"} {
				if bytes.Contains(all, []byte(trace)) {
					t.Errorf("%q is still there", trace)
				}
			}
			if audit := s.leads(t, "audit", "--json"); !strings.Contains(audit, `"action":"erase","leads":1`) || strings.Contains(strings.ToLower(audit), "zelda") {
				t.Errorf("account: %s", audit)
			}
			if !strings.Contains(s.leads(t, "list"), kept) {
				t.Error("another buyer's lead is gone")
			}
			if running {
				if again := s.submit(t, "Zelda@Example.com", "Zelda", "about the red one"); again == id {
					t.Error("the same lead afterwards is not a new one")
				}
			}
		})
	}
}

func TestErasingWhileLeadsComeLeavesNobodyBehind(t *testing.T) {
	s := openShopfront(t)
	done := make(chan bool)
	go func() {
		defer close(done)
		for n := range 40 {
			body := strings.NewReplacer("KEY", fmt.Sprint("k", n)).Replace(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"KEY","role":"ROLE_USER","parts":[{"data":{
"type":"lead.submit.request","customer":{"first_name":"Quentin","last_name":"KEY","email":"quentin@example.com"},"message":"KEY","idempotency_key":"quentin-KEY",
"vehicle_of_interest":{"year":2020,"make":"KEY","model":"X"},
"consent":{"granted_at":"2026-01-01T15:04:05Z","allowed_channels":["email"],"consent_text":"Yes.","scope":["lead_submission"]},"source_agent":{"name":"a"}}}]}}}`)
			res, err := http.Post(s.url+"/a2a", "application/json", strings.NewReader(body))
			if err == nil {
				_, _ = io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}
		}
	}()
	for range 5 {
		s.leads(t, "erase", "--email", "quentin@example.com", "--yes")
	}
	<-done
	time.Sleep(200 * time.Millisecond) // deliveries under way end
	s.leads(t, "erase", "--email", "quentin@example.com", "--yes")
	time.Sleep(200 * time.Millisecond)
	if left := everyByte(t, s.data); bytes.Contains(bytes.ToLower(left), []byte("quentin")) {
		t.Error("the buyer is still in the folder")
	}
	if out := s.leads(t, "list", "--json"); out != "[]\n" {
		t.Errorf("left: %s", out)
	}
}
