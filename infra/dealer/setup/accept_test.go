package setup_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/infra/dealer/setup"
)

func TestAnAnswerThatIsRefusedIsToldWithWhatWasMeant(t *testing.T) {
	for _, c := range []struct{ flag, answer, says, instead string }{
		{"phone", "(970) 555-0110", "is not an E.164 number", "+19705550110"},
		{"phone", "none", "is not an E.164 number; write the number with + and country code", ""},
		{"email", "Sales <sales@example.com>", "is not an e-mail address", "sales@example.com"},
		{"timezone", "Mountain Time", "is not an IANA time zone", "America/Denver"},
		{"website", "www.example.com", "is not an https URL", "https://www.example.com"},
		{"hours", "mon-fri 9am-7pm, sat 9-17", "monday: \"9am-7pm\" is not opening hours", "mon-fri 09:00-19:00, sat 09:00-17:00"},
		{"hours", "mon-fri 9-6, sat 10-4:30", "monday: \"9-6\" is not opening hours", "mon-fri 09:00-18:00, sat 10:00-16:30"},
		{"hours", "mon-fri 9am-7pm, sun maybe", "is not opening hours", ""},
		{"hours", "always", "mon-fri 09:00-19:00", ""},
		{"hours", "mon 09:00-10:00, mon closed", "monday has hours twice", ""},
		{"name", "a\nb", "holds a line end", ""},
		{"country", "USA", "is not a country code", "US"},
		{"leads", "sticky notes", "mail suits every other CRM", ""},
		{"prices", "some", "write one of all_mandatory_charges, none, undeclared", ""},
		{"state", "New mexico", "is not two letters; write NM", "NM"},
		{"state", "970-555-0110", "is not two letters; write them as on an envelope, such as CO", ""},
		{"lead-to", "our crm", "\"our crm\" is not an e-mail address", ""},
		{"region", "Ohio", "us-east-1", ""},
		{"stack", "my stack", "letters, digits and hyphens", ""},
		{"id", "My Id", "is not an id", ""},
	} {
		a := give(t, map[string]string{"name": "Larkspur", "region": "us-east-1", "leads": "mail"})
		i := slices.IndexFunc(setup.Questions(), func(q setup.Question) bool { return q.Flag == c.flag })
		after, err := setup.Accept(a, setup.Questions()[i], c.answer)
		refusal, ok := errors.AsType[*setup.Refusal](err)
		if !ok || !strings.Contains(refusal.Why, c.says) || refusal.Instead != c.instead || strings.Contains(refusal.Why, "[0]") {
			t.Errorf("%s %q: %v (instead %+v)", c.flag, c.answer, err, refusal)
		}
		if diff := cmp.Diff(a.Profile(), after.Profile()); diff != "" {
			t.Errorf("%s %q changed the answers: %s", c.flag, c.answer, diff)
		}
	}
}

func TestTimeZonesAreGuessedFromZIPCodesAndStates(t *testing.T) {
	for _, c := range []struct{ zip, state, want string }{
		{"80524", "", "America/Denver"}, {"97701", "OR", "America/Los_Angeles"}, {"97914", "", "America/Boise"}, {"79901", "TX", "America/Denver"}, {"75201", "", "America/Chicago"},
		{"32501", "FL", "America/Chicago"}, {"33101", "", "America/New_York"}, {"85001", "", "America/Phoenix"}, {"99501", "", "America/Anchorage"}, {"96813-1234", "", "Pacific/Honolulu"},
		{"00901", "", "America/Puerto_Rico"}, {"02108", "", "America/New_York"}, {"37402", "TN", "America/New_York"}, {"37201", "TN", "America/Chicago"}, {"46204", "", "America/Indiana/Indianapolis"},
		{"", "mi", "America/Detroit"}, {"", "BC", "America/Vancouver"}, {"V5K 0A1", "BC", "America/Vancouver"}, {"", "Colorado", ""}, {"", "XX", ""}, {"00000", "", ""}, {"", "", ""},
	} {
		if got := setup.Zone(c.zip, c.state); got != c.want {
			t.Errorf("%q %q: %q, want %q", c.zip, c.state, got, c.want)
		}
	}
	for n := range 1000 {
		zip := string(rune('0'+n/100)) + string(rune('0'+n/10%10)) + string(rune('0'+n%10)) + "50"
		if zone := setup.Zone(zip, ""); zone != "" || n >= 5 {
			if _, err := time.LoadLocation(zone); err != nil || zone == "" {
				t.Errorf("ZIP %s: %q, %v", zip, zone, err)
			}
		}
	}
	for _, state := range strings.Fields("AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC PR GU VI") {
		if _, err := time.LoadLocation(setup.Zone("", state)); err != nil || setup.Zone("", state) == "" {
			t.Errorf("%s: %q", state, setup.Zone("", state))
		}
	}
}
