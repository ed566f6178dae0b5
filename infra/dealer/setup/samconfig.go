package setup

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// samConfig is what `sam` reads of samconfig.toml.
type samConfig struct {
	Version float64   `toml:"version" comment:"Settings of sam build and sam deploy for this dealer, used with --config-file.\nCommand lines win over them."`
	Default samTables `toml:"default"`
}

type samTables struct {
	Global samGlobal `toml:"global"`
	Deploy samDeploy `toml:"deploy"`
}

type samGlobal struct {
	Parameters struct {
		StackName string `toml:"stack_name"`
		Region    string `toml:"region"`
	} `toml:"parameters"`
}

type samDeploy struct {
	Parameters struct {
		Capabilities string `toml:"capabilities" comment:"The stack makes the roles of its functions, each as narrow as its work."`
		Confirm      bool   `toml:"confirm_changeset" comment:"Shows what would change, and asks before it does."`
		EmptyFails   bool   `toml:"fail_on_empty_changeset"`
		ResolveS3    bool   `toml:"resolve_s3" comment:"The code goes into a bucket that SAM makes for itself."`
		S3Prefix     string `toml:"s3_prefix"`
		Overrides    string `toml:"parameter_overrides" comment:"The template's parameters; those that are not here have the template's defaults."`
		Tags         string `toml:"tags"`
	} `toml:"parameters"`
}

// SAMConfig is samconfig.toml for a deployment of the dealer, or an error of
// the encoder.
func (a Answers) SAMConfig() ([]byte, error) {
	a = a.whole()
	c := samConfig{Version: 0.1}
	c.Default.Global.Parameters.StackName, c.Default.Global.Parameters.Region = a.Stack, a.Region
	d := &c.Default.Deploy.Parameters
	d.Capabilities, d.Confirm, d.ResolveS3, d.S3Prefix = "CAPABILITY_IAM", true, true, a.Stack
	d.Overrides = a.overrides()
	d.Tags = "application=dealer-agent dealer=" + a.ID
	var out bytes.Buffer
	encoder := toml.NewEncoder(&out)
	err := encoder.Encode(c)
	return out.Bytes(), err
}

var (
	phoneForm = regexp.MustCompile(`^[+][1-9][0-9]{7,14}$`)
	zoneForm  = regexp.MustCompile(`^[A-Za-z]+(/[A-Za-z0-9_+-]+)+$`)
)

// longestName is how much of a name the template takes, in characters.
const longestName = 100

// overrides are the template's parameters, Name="value" with blanks between.
// What the template or that form cannot carry is left out: it is only about the
// first profile, which the dealer's own replaces.
func (a Answers) overrides() string {
	var parts []string
	set := func(name, value string) { parts = append(parts, name+"="+quoted(value)) }
	if carried(a.Name) && utf8.RuneCountInString(a.Name) <= longestName && phoneForm.MatchString(a.Phone) && zoneForm.MatchString(a.Timezone) {
		set("DealerName", a.Name)
		set("DealerPhone", a.Phone)
		set("DealerTimezone", a.Timezone)
	}
	set("SecretPrefix", a.secretPrefix())
	switch a.target() {
	case dealer.TargetSES:
		set("SesIdentity", a.SESIdentity)
	case dealer.TargetS3:
		set("LeadDropBucket", a.LeadTo)
	}
	if a.AlarmEmail != "" && carried(a.AlarmEmail) {
		set("AlarmEmail", a.AlarmEmail)
	}
	return strings.Join(parts, " ")
}

// carried reports whether SAM reads a quoted value back as it is: it knows no
// escape for a backslash, and this word is another form of the whole.
func carried(value string) bool {
	return utf8.ValidString(value) && !strings.Contains(value, `\`) && !strings.Contains(value, "ParameterKey=")
}

func quoted(value string) string { return `"` + strings.ReplaceAll(value, `"`, `\"`) + `"` }
