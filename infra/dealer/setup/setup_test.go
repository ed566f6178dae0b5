package setup_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/dealer-agent/dealer/infra/dealer/setup"
	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// give answers questions by their flags, in the questions' order; answers that
// are refused are left out.
func give(t interface{ Helper() }, answers map[string]string) setup.Answers {
	t.Helper()
	var a setup.Answers
	for _, q := range setup.Questions() {
		answer, ok := answers[q.Flag]
		if !ok {
			answer = q.Proposal(a)
		}
		if answer == "" || !q.Applies(a) {
			continue
		}
		if taken, err := setup.Accept(a, q, answer); err == nil {
			a = taken
		}
	}
	return a
}

// hostile are pieces that mean something to YAML, TOML, SAM or a shell.
var hostile = []string{
	"'", `"`, "''", `\`, `\"`, `"x" y="z"`, ": ", " #", "#", "- ", "? ", "&a", "*a", "!!int", "%", "@", "`", "|", ">", "{", "}", "[", "]", ",", "=", "~",
	"null", "true", "no", "0x1F", "1e3", "08", ".inf", "<<", "2026-01-01", "=Key", " Other=1", "ParameterKey=A,ParameterValue=b", "$(id)", "${x}", "{{x}}",
	"\t", "\n", "\r\n", "\u0085", "\u2028", "\ufeff", "\x00", "\x1b[31m", "\xff", "é", "ß", "日本", "🚗", "́", "\u202e", "…", "'''", `"""`, "---", "...", "\U0010ffff",
}

func words(label string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		pieces := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(hostile), rapid.StringN(0, 6, -1), rapid.SampledFrom([]string{"Auto", "Sons", "Larkspur", " "})), 0, 5).Draw(t, label)
		return strings.Join(pieces, "")
	})
}

func drawn(t *rapid.T) map[string]string {
	out := map[string]string{}
	plain := map[string][]string{
		"timezone": {"America/Denver", "UTC", "Pacific/Honolulu", "America/Argentina/Buenos_Aires"}, "phone": {"+19705550110", "+4930123456", "+1234567"},
		"email": {"sales@example.com", "o'hare+x=y@example.com", "a{b}c@example.com"}, "website": {"https://www.example.com/a,b?c=1#d", "https://example.com:8443"},
		"leads":   append([]string{setup.ToFolder, setup.ToBucket, setup.ToMail, setup.ToHTTPS}, "elead", "generic"),
		"lead-to": {"leads@crm.example.com", "a@example.com, b@example.com", "https://crm.example.com/adf?x=1,2", "crm-bucket"}, "lead-from": {"agent@example.com", "x@gmail.com", "#a@example.com"},
		"lead-server": {"smtp.example.com:587"}, "lead-login": {"token", "user"}, "prices": {"none", "undeclared", "all_mandatory_charges"},
		"fee":    {"none", "Documentation fee=399", "a=1, b=$2", "x=y=3"},
		"region": {"us-east-1", "us-gov-west-1", "none"}, "hours": {"mon-fri 09:00-19:00, sat closed", "fri-mon 10:00-11:00"}, "country": {"US", "CA"},
		"zip": {"80524", "02134", "96701"}, "state": {"CO", "ca", "PR"}, "stack": {"a", "Larkspur-2"}, "alarm-email": {"ops@example.com", `a"b@example.com`},
	}
	for _, q := range setup.Questions() {
		switch rapid.IntRange(0, 4).Draw(t, "kind of "+q.Flag) {
		case 0:
		case 1, 2:
			out[q.Flag] = words(q.Flag).Draw(t, q.Flag)
		default:
			out[q.Flag] = rapid.OneOf(rapid.SampledFrom(append(plain[q.Flag], "Larkspur Auto")), words(q.Flag)).Draw(t, q.Flag)
		}
	}
	return out
}

func TestAcceptedAnswersMakeAProfileThatLoadsAndHoldsThemAsTheyAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := give(t, drawn(t))
		p, err := dealer.Parse(a.Profile())
		if err != nil {
			t.Fatalf("%v\n%s", err, a.Profile())
		}
		got := map[string]string{"name": p.Name, "rooftop": p.Rooftops[0].Name}
		want := map[string]string{"name": a.Name, "rooftop": a.Name}
		if a.Name == "" {
			want["name"], want["rooftop"] = p.Name, p.Name // not answered
		}
		compare := func(member, told, read string) {
			if told != "" {
				want[member], got[member] = told, read
			}
		}
		r, d := p.Rooftops[0], p.Delivery[0]
		compare("id", a.ID, p.ID)
		compare("website", a.Website, r.Website)
		compare("timezone", a.Timezone, r.Timezone)
		if len(r.Phones) > 0 {
			compare("phone", a.Phone, r.Phones[0].Value)
		}
		if len(r.Emails) > 0 {
			compare("email", a.Email, r.Emails[0].Value)
		}
		if r.Address != nil {
			compare("street", a.Street, r.Address.Line1)
			compare("city", a.City, r.Address.City)
			compare("state", a.State, r.Address.State)
			compare("zip", a.Zip, r.Address.Zip)
		} else if a.Street+a.City+a.State+a.Zip != "" {
			t.Fatalf("the address is lost\n%s", a.Profile())
		}
		if d.From != "" {
			compare("from", a.LeadFrom, d.From)
		}
		compare("lead to", a.LeadTo, d.URL+d.Bucket+strings.Join(d.To, ", ")+strings.TrimPrefix(d.Folder, "outbox"))
		if diff := cmp.Diff(squeezed(want), squeezed(got)); diff != "" {
			t.Fatalf("(-answered +loaded):\n%s\n%s", diff, a.Profile())
		}
		if a.Prices == dealer.PricesWithoutFees {
			if diff := cmp.Diff(a.Fees, p.Prices.AddFees); diff != "" && len(a.Fees)+len(p.Prices.AddFees) > 0 {
				t.Fatalf("fees: %s", diff)
			}
		}
		if len(a.Hours) > 0 {
			if diff := cmp.Diff(a.Hours, r.Hours[0].Days); diff != "" {
				t.Fatalf("hours: %s", diff)
			}
		}
	})
}

// squeezed drops the blanks after commas, which lists of addresses may have.
func squeezed(m map[string]string) map[string]string {
	if to, ok := m["lead to"]; ok && strings.Contains(to, "@") {
		var list []string
		for part := range strings.SplitSeq(to, ",") {
			list = append(list, strings.TrimSpace(part))
		}
		m["lead to"] = strings.Join(list, ",")
	}
	return m
}

// samOverrides reads parameter_overrides as SAM documents it: Name=value pairs
// with blanks between; a value may stand in quotes, in which a backslash
// escapes quotes and blanks.
func samOverrides(text string) (map[string]string, error) {
	out := map[string]string{}
	if strings.Contains(text, "ParameterKey=") {
		return nil, errors.New("SAM would read this as its other form")
	}
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimLeft(text, " ") {
		name, rest, ok := strings.Cut(text, "=")
		if !ok || !regexp.MustCompile(`^[A-Za-z0-9]+$`).MatchString(name) || !strings.HasPrefix(rest, `"`) {
			return nil, errors.New("no Name=\"value\" at " + text)
		}
		var value strings.Builder
		i, closed := 1, false
		for i < len(rest) && !closed {
			switch c := rest[i]; {
			case c == '"':
				closed = true
			case c == '\\' && i+1 < len(rest):
				if next := rest[i+1]; next != '"' && next != '\'' && next != ' ' {
					value.WriteByte(c) // SAM leaves other backslashes in
				}
				i++
				value.WriteByte(rest[i])
			default:
				value.WriteByte(c)
			}
			i++
		}
		if !closed || i < len(rest) && rest[i] != ' ' {
			return nil, errors.New("quotes that do not close at " + text)
		}
		out[name], text = value.String(), rest[i:]
	}
	return out, nil
}

type templateParameter struct {
	AllowedPattern string `yaml:"AllowedPattern"`
	MaxLength      int    `yaml:"MaxLength"`
}

func templateParameters(t *testing.T) map[string]templateParameter {
	t.Helper()
	body, err := os.ReadFile("../../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var template struct {
		Parameters map[string]templateParameter `yaml:"Parameters"`
	}
	if err := yaml.Unmarshal(body, &template); err != nil {
		t.Fatal(err)
	}
	if len(template.Parameters) < 10 {
		t.Fatalf("the template has %d parameters", len(template.Parameters))
	}
	return template.Parameters
}

type samConfig struct {
	Version float64 `toml:"version"`
	Default struct {
		Global struct {
			Parameters struct {
				StackName string `toml:"stack_name"`
				Region    string `toml:"region"`
			} `toml:"parameters"`
		} `toml:"global"`
		Deploy struct {
			Parameters map[string]any `toml:"parameters"`
		} `toml:"deploy"`
	} `toml:"default"`
}

func TestTheDeploymentsSettingsSurviveTOMLAndSAMAndFitTheTemplate(t *testing.T) {
	parameters := templateParameters(t)
	patterns := map[string]*regexp.Regexp{}
	for name, p := range parameters {
		patterns[name] = regexp.MustCompile(p.AllowedPattern)
	}
	rapid.Check(t, func(t *rapid.T) {
		a := give(t, drawn(t))
		raw, err := a.SAMConfig()
		if err != nil {
			t.Fatal(err)
		}
		var c samConfig
		if err := toml.Unmarshal(raw, &c); err != nil {
			t.Fatalf("%v\n%s", err, raw)
		}
		deploy := c.Default.Deploy.Parameters
		if c.Version != 0.1 || deploy["confirm_changeset"] != true || deploy["resolve_s3"] != true || deploy["capabilities"] != "CAPABILITY_IAM" {
			t.Fatalf("%s", raw)
		}
		if a.OnAWS() && (c.Default.Global.Parameters.Region != a.Region || a.Stack != "" && c.Default.Global.Parameters.StackName != a.Stack) {
			t.Fatalf("%s", raw)
		}
		told, err := samOverrides(deploy["parameter_overrides"].(string))
		if err != nil {
			t.Fatalf("%v\n%s", err, raw)
		}
		for name, value := range told {
			p, known := parameters[name]
			if !known || !patterns[name].MatchString(value) || p.MaxLength > 0 && utf8.RuneCountInString(value) > p.MaxLength {
				t.Fatalf("the template refuses %s=%q", name, value)
			}
		}
		for name, want := range map[string]string{"DealerName": a.Name, "DealerPhone": a.Phone, "DealerTimezone": a.Timezone, "AlarmEmail": a.AlarmEmail, "SesIdentity": a.SESIdentity} {
			if got, ok := told[name]; ok && want != "" && got != want {
				t.Fatalf("%s is %q, want %q", name, got, want)
			}
		}
		if secret, has := a.Secret(); has && a.OnAWS() && !strings.HasPrefix(secret.Name, "/"+told["SecretPrefix"]+"/") {
			t.Fatalf("the worker may not read %s: %s", secret.Name, told["SecretPrefix"])
		}
	})
}

// TestATOMLReaderOfPythonReadsTheSettings: SAM is a Python program.
func TestATOMLReaderOfPythonReadsTheSettings(t *testing.T) {
	if exec.Command("python3", "-c", "import tomllib").Run() != nil {
		aaptest.Missing(t, "python3 with tomllib (3.11)")
	}
	name := `O'Hare & "Sons" = Autos  #1 日本`
	a := give(t, map[string]string{"name": name, "phone": "+19705550110", "zip": "80524", "leads": "folder", "prices": "undeclared", "alarm-email": "ops@example.com"})
	raw, err := a.SAMConfig()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "python3", "-c", "import json,sys,tomllib; print(json.dumps(tomllib.loads(sys.stdin.buffer.read().decode())['default']['deploy']['parameters']))")
	cmd.Stdin = strings.NewReader(string(raw))
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	var got map[string]any
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	told, err := samOverrides(got["parameter_overrides"].(string))
	want := map[string]string{"DealerName": name, "DealerPhone": "+19705550110", "DealerTimezone": "America/Denver", "SecretPrefix": "dealer/ohare-sons-autos-1", "AlarmEmail": "ops@example.com"}
	if diff := cmp.Diff(want, told); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if got["tags"] != "application=dealer-agent dealer=ohare-sons-autos-1" {
		t.Errorf("tags %v", got["tags"])
	}
}
