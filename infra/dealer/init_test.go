package main

import (
	"bufio"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/term"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
	"github.com/dealer-agent/dealer/infra/dealer/setup"
)

// larkspur are the flags of a small dealer.
func larkspur(more ...string) []string {
	return append([]string{"init", "--name", "Larkspur Auto", "--phone", "+19705550110", "--zip", "80524", "--leads", "folder", "--prices", "all_mandatory_charges"}, more...)
}

func TestWhatInitWritesRunsAsItStands(t *testing.T) {
	dir, export := t.TempDir(), filepath.Join(t.TempDir(), "export.csv")
	rows := "Stock No,VIN,Yr,Make,Model,Our Price,Odometer\nL1,1HGCV1F30NA123456,2022,Honda,Accord,24990,18200\nL2,3FA6P0HD5ER100001,2014,Ford,Fusion,8990,90110\n"
	if err := os.WriteFile(export, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	r := dealerCommand(t, "", larkspur("--dir", dir, "--feed", export, "--hours", "mon-fri 9:00-18:00")...)
	if r.code != 2 || !strings.Contains(r.err, `--hours: monday: "9:00-18:00" is not opening hours; write "09:00-18:00"`) || len(folder(t, dir)) != 0 {
		t.Fatalf("exit code %d: %s%s", r.code, r.out, r.err)
	}
	r = dealerCommand(t, "", larkspur("--dir", dir, "--feed", export, "--hours", "mon-fri 09:00-18:00")...)
	if r.code != 0 || r.err != "" || !strings.Contains(r.out, "sam deploy --guided --config-file "+filepath.Join(dir, "samconfig.toml")) {
		t.Fatalf("exit code %d: %s%s", r.code, r.out, r.err)
	}
	profile := filepath.Join(dir, "dealer.yaml")
	body, err := os.ReadFile(profile)
	if err != nil || !strings.Contains(string(body), "stock: Stock No") || !strings.Contains(string(body), "timezone: America/Denver") {
		t.Errorf("%v\n%s", err, body)
	}
	m, _ := machinetest.Serve(t, machine.Config{Addr: "127.0.0.1:0", Profile: profile, Feed: export, Data: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
	found := dealerCommand(t, "", "call", m.URL(), "inventory.search", `{"filters":{"price_max":10000}}`)
	if found.code != 0 || !strings.Contains(found.out, `"stock": "L2"`) || strings.Contains(found.out, `"L1"`) {
		t.Errorf("exit code %d: %s%s", found.code, found.out, found.err)
	}
	again := dealerCommand(t, "", larkspur("--dir", dir)...)
	if after, _ := os.ReadFile(profile); again.code != 1 || !strings.Contains(again.err, "replace with --force") || string(after) != string(body) {
		t.Errorf("a second time: exit code %d: %s", again.code, again.err)
	}
	if forced := dealerCommand(t, "", larkspur("--dir", dir, "--force")...); forced.code != 0 {
		t.Errorf("by force: exit code %d: %s", forced.code, forced.err)
	}
}

func TestAnExportThatTellsNothingLeavesAProfileThatLoads(t *testing.T) {
	dir, export := t.TempDir(), filepath.Join(t.TempDir(), "export.csv")
	if err := os.WriteFile(export, []byte("Zyx,Wvu\nab,cd\nef,gh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := dealerCommand(t, "", larkspur("--dir", dir, "--feed", export)...); r.code != 0 {
		t.Fatalf("exit code %d: %s", r.code, r.err)
	}
	if _, err := loadProfile(t.Context(), filepath.Join(dir, "dealer.yaml")); err != nil {
		t.Error(err)
	}
}

func TestWithoutATerminalInitSaysWhichFlagsAreMissing(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "dealer: dealer init cannot ask here, and needs --name, --phone or --email, --timezone (or --zip or --state), --leads and --prices; `dealer init --help` explains them\n"},
		{[]string{"--name", "X", "--phone", "+19705550110", "--state", "OR", "--leads", "elead", "--prices", "none"},
			"dealer: dealer init cannot ask here, and needs --lead-to, --lead-from and --fee; `dealer init --help` explains them\n"},
		{[]string{"--name", "X", "--email", "a@example.com", "--state", "OR", "--leads", "mail", "--lead-to", "b@example.com", "--prices", "undeclared", "--region", "none"},
			"dealer: dealer init cannot ask here, and needs --lead-server; `dealer init --help` explains them\n"},
		{[]string{"--name", "X", "--phone", "555"}, "dealer: --phone: \"555\" is not an E.164 number; write the number with + and country code, digits only, such as +14155550100\n"},
		{larkspur("--lead-from", "a@example.com")[1:], "dealer: --lead-from has no place here: leads go to folder, region us-east-1; leave it out\n"},
	} {
		dir := t.TempDir()
		r := dealerCommand(t, "", append([]string{"init", "--dir", dir}, c.args...)...)
		if r.code != 2 || r.err != c.want || r.out != "" || len(folder(t, dir)) != 0 {
			t.Errorf("%v: exit code %d\n got %s want %s", c.args, r.code, r.err, c.want)
		}
	}
}

// person sits at a terminal: says what follows when a question ends in want.
type person struct {
	t      *testing.T
	master *os.File
	screen strings.Builder
	said   chan string
}

// atTerminal runs a command line at a terminal.
func atTerminal(t *testing.T, args ...string) (*person, <-chan int) {
	t.Helper()
	master, slave := openTerminal(t)
	if _, err := term.MakeRaw(int(slave.Fd())); err != nil {
		t.Fatal(err)
	}
	p := &person{t: t, master: master, said: make(chan string, 64)}
	go func() {
		lines := bufio.NewReader(master)
		for {
			b, err := lines.ReadByte()
			if err != nil {
				close(p.said)
				return
			}
			p.said <- string(b)
		}
	}()
	done := make(chan int, 1)
	go func() { done <- execute(t.Context(), args, streams{in: slave, out: slave, err: slave}) }()
	return p, done
}

// answer waits for a question and types a line.
func (p *person) answer(question, line string) {
	p.t.Helper()
	deadline := time.After(20 * time.Second)
	for !strings.HasSuffix(p.screen.String(), question) {
		select {
		case s, ok := <-p.said:
			if !ok {
				p.t.Fatalf("the terminal closed before %q:\n%s", question, &p.screen)
			}
			p.screen.WriteString(s)
		case <-deadline:
			p.t.Fatalf("%q was never asked:\n%s", question, &p.screen)
		}
	}
	if _, err := io.WriteString(p.master, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

func TestAtATerminalAPersonIsAskedAndHelped(t *testing.T) {
	dir := t.TempDir()
	p, done := atTerminal(t, "init", "--dir", dir, "--city", "Fort Collins")
	for _, step := range [][2]string{
		{"as buyers know it: ", ""}, {"This one is needed.\nName of the dealership, as buyers know it: ", `  Larkspur "Ridge" Auto & Sons  `},
		{"Street and number: ", "1200 Example Parkway"}, {"State, two letters: ", "CO"}, {"ZIP code: ", "80524"},
		{"sales department: ", "(970) 555-0110"}, {"[+19705550110]: ", ""},
		{"E-mail of the sales department: ", "-"}, {"Time zone [America/Denver]: ", ""},
		{"sun closed: ", "mon-sat 9am-7pm"}, {"[mon-sat 09:00-19:00]: ", ""}, {"Website: ", ""},
		{"dx1: ", "vinsolutions"}, {"for a bucket its name: ", "leads@crm.example.com"}, {"mailed from: ", "agent@example.com"},
		{"(no price is published): ", "none"}, {"or none: ", "Documentation fee=399"}, {"[us-east-1]: ", "us-west-2"},
		{"(SES): ", "smtp.example.com:587"}, {"nobody logs in: ", "agent"}, {"[larkspur-ridge-auto-sons]: ", ""}, {"alarms: ", "ops@example.com"},
	} {
		p.answer(step[0], step[1])
	}
	select {
	case code := <-done:
		if code != 0 {
			t.Errorf("exit code %d:\n%s", code, &p.screen)
		}
	case <-time.After(20 * time.Second):
		t.Fatalf("it does not end:\n%s", &p.screen)
	}
	profile, err := loadProfile(t.Context(), filepath.Join(dir, setup.ProfileName))
	if err != nil {
		t.Fatal(err)
	}
	r, d := profile.Rooftops[0], profile.Delivery[0]
	if profile.Name != `Larkspur "Ridge" Auto & Sons` || r.Address.City != "Fort Collins" || r.Phones[0].Value != "+19705550110" || len(r.Emails) != 0 ||
		r.Timezone != "America/Denver" || r.Hours[0].Days["saturday"] != "09:00-19:00" || r.Fees[0].Amount != 399 ||
		d.Profile != "vinsolutions" || d.Server != "smtp.example.com:587" || d.Password != "ssm:/dealer/larkspur-ridge-auto-sons/smtp-password" {
		t.Errorf("%+v", profile)
	}
}

func TestWhatStopsInitIsToldBeforeAnythingIsAsked(t *testing.T) {
	taken := t.TempDir()
	if err := os.WriteFile(filepath.Join(taken, setup.ProfileName), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--dir", taken}, "dealer.yaml is there already; choose another folder with --dir, or replace with --force\n"},
		{[]string{"--dir", t.TempDir(), "--feed", "nowhere.csv"}, "no such file or directory; name another with --feed, or leave it out\n"},
	} {
		// Without a terminal the questions that are open come last.
		if r := dealerCommand(t, "", append([]string{"init"}, c.args...)...); r.code != 1 || !strings.HasSuffix(r.err, c.want) || r.out != "" {
			t.Errorf("%v: exit code %d\n%s%s", c.args, r.code, r.out, r.err)
		}
	}
}

func TestATerminalThatClosesLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	p, done := atTerminal(t, "init", "--dir", dir)
	p.answer("as buyers know it: ", "Larkspur")
	p.answer("Street and number: ", "1 Main Street")
	if err := p.master.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		t.Fatal(err)
	}
	if code := <-done; code != 1 || len(folder(t, dir)) != 0 {
		t.Errorf("exit code %d; the folder holds %v", code, folder(t, dir))
	}
}
