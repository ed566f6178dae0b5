package cloud

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Settings are what a function is told by its environment. They are read once
// at the start; what a dealer decides is in the profile instead.
type Settings struct {
	// InventoryTable and LeadsTable name the DynamoDB tables.
	InventoryTable string
	LeadsTable     string
	// QueueURL is the SQS queue of lead ids.
	QueueURL string
	// ProfileBucket and ProfileKey say where the dealer profile lies in S3. A key
	// that ends in a slash begins those of many dealers: see Pooled.
	ProfileBucket string
	ProfileKey    string
	// DealerRole is the role that a function takes on for one dealer of many,
	// by ARN; empty in a stack of one dealer.
	DealerRole string
	// RequestsPerDealer and LeadsPerDealer are how many calls a minute and how
	// many new leads an hour one dealer of many may have; 0 is no limit.
	RequestsPerDealer int
	LeadsPerDealer    int
	// HandOversPerDealer is how many leads of one dealer of many are handed over
	// at the same time; 0 is no limit.
	HandOversPerDealer int
	// ProfileMaxAge is how long a fetched profile is trusted before S3 is
	// asked whether it changed.
	ProfileMaxAge time.Duration
	// FormKey signs what clients carry between a form and its answer. All
	// instances have the same one.
	FormKey []byte
	// OriginSecret is what the CDN before the API shows; nil where there is none.
	OriginSecret []byte
	// URL is the front door's address, without a slash at the end.
	URL string
	// FeedBucket takes inventory exports, also those that are fetched.
	FeedBucket string
	// ReportPrefix begins the keys of import reports; they lie in the feed's bucket.
	ReportPrefix string
	// LogLevel is the least level that is logged.
	LogLevel slog.Level
}

// Pooled reports whether the stack serves many dealers: each has its profile at
// ProfileKey, its id and /dealer.yaml.
func (s Settings) Pooled() bool { return strings.HasSuffix(s.ProfileKey, "/") }

// Secrets are the schemes that profiles may name secrets by; none is all. Of many
// dealers, none may read the environment, which holds the rights of the function.
func (s Settings) Secrets() []string {
	if s.Pooled() {
		return []string{"ssm", "secretsmanager"}
	}
	return nil
}

// Function is one of the Lambda functions, by the name of its folder.
type Function string

// The functions that read Settings.
const (
	Agent      Function = "agent"
	MCP        Function = "mcp"
	LeadWorker Function = "leadworker"
	FeedImport Function = "feedimport"
	Sweeper    Function = "sweeper"
	Publish    Function = "publish"
)

// Variable describes one environment variable.
type Variable struct {
	Name    string
	Meaning string
	// Default is used when the variable is absent; without one it is required.
	Default string
	// Functions read the variable.
	Functions []Function
	// Secret values are told to nobody.
	Secret bool

	set func(*Settings, string) error
}

// shortestKey is how many characters a key has at least: as many bytes as its MAC.
const shortestKey = 32

// noSecret says that there is no CDN.
const noSecret = "none"

// noRole says that there is one dealer.
const noRole = "none"

// Variables lists every environment variable that functions read.
func Variables() []Variable {
	return []Variable{
		{"DEALER_INVENTORY_TABLE", "name of the DynamoDB table of vehicles", "", []Function{Agent, MCP, FeedImport}, false,
			text(func(s *Settings) *string { return &s.InventoryTable })},
		{"DEALER_LEADS_TABLE", "name of the DynamoDB table of leads", "", []Function{Agent, MCP, LeadWorker, Sweeper}, false,
			text(func(s *Settings) *string { return &s.LeadsTable })},
		{"DEALER_QUEUE_URL", "URL of the SQS queue of lead ids", "", []Function{Agent, MCP, LeadWorker, Sweeper}, false,
			func(s *Settings, value string) error {
				u, err := url.Parse(value)
				if err != nil || u.Host == "" {
					return errors.New("must be the queue's URL, such as https://sqs.us-east-1.amazonaws.com/123456789012/leads")
				}
				s.QueueURL = value
				return nil
			}},
		{"DEALER_PROFILE_BUCKET", "S3 bucket with the dealer profile", "", []Function{Agent, MCP, LeadWorker, FeedImport, Sweeper, Publish}, false,
			text(func(s *Settings) *string { return &s.ProfileBucket })},
		{"DEALER_PROFILE_KEY", "S3 key of the dealer profile; with a slash at the end, where the profiles of many dealers begin, as in dealers/<id>/dealer.yaml", "dealer.yaml", []Function{Agent, MCP, LeadWorker, FeedImport, Sweeper, Publish}, false,
			text(func(s *Settings) *string { return &s.ProfileKey })},
		{"DEALER_PROFILE_MAX_AGE", "how long a fetched profile is trusted, such as 1m", "1m", []Function{Agent, MCP, LeadWorker, FeedImport, Sweeper, Publish}, false,
			func(s *Settings, value string) (err error) {
				if s.ProfileMaxAge, err = time.ParseDuration(value); err != nil || s.ProfileMaxAge < 0 {
					return errors.New("must be a duration, such as 1m or 30s")
				}
				return nil
			}},
		{"DEALER_ROLE", "ARN of the role for the data of one dealer, where the stack serves many; none where it serves one", noRole,
			[]Function{Agent, MCP, LeadWorker, FeedImport, Sweeper}, false,
			func(s *Settings, value string) error {
				if value != noRole {
					s.DealerRole = value
				}
				return nil
			}},
		{"DEALER_REQUESTS_PER_DEALER", "calls a minute that one dealer of many may have, over all instances; 0 for no limit", "0", []Function{Agent, MCP}, false,
			count(func(s *Settings) *int { return &s.RequestsPerDealer })},
		{"DEALER_LEADS_PER_DEALER", "new leads an hour that one dealer of many may have, over all instances; 0 for no limit", "0", []Function{Agent, MCP}, false,
			count(func(s *Settings) *int { return &s.LeadsPerDealer })},
		{"DEALER_HANDOVERS_PER_DEALER", "leads of one dealer of many that are handed over at the same time; 0 for no limit", "0", []Function{LeadWorker}, false,
			count(func(s *Settings) *int { return &s.HandOversPerDealer })},
		{"DEALER_FORM_KEY", "secret of at least 32 characters that signs what MCP clients carry between a form and its answer; whoever has a form open when it changes is asked again", "",
			[]Function{MCP}, true,
			func(s *Settings, value string) error {
				if len(value) < shortestKey {
					return fmt.Errorf("must have at least %d characters", shortestKey)
				}
				s.FormKey = []byte(value)
				return nil
			}},
		{"DEALER_ORIGIN_SECRET", "secret of at least 32 characters that the CDN before the API shows; none where buyers reach the API itself", noSecret,
			[]Function{Agent, MCP}, true,
			func(s *Settings, value string) error {
				if value == noSecret {
					return nil
				}
				if len(value) < shortestKey {
					return fmt.Errorf("must have at least %d characters, or be %s", shortestKey, noSecret)
				}
				s.OriginSecret = []byte(value)
				return nil
			}},
		{"DEALER_URL", "https address under which buyers reach the stack, without a slash at the end", "", []Function{Publish}, false,
			func(s *Settings, value string) error {
				u, err := url.Parse(value)
				if err != nil || u.Scheme != "https" || u.Host == "" || u.Path != "" || u.RawQuery != "" {
					return errors.New("must be an address such as https://agent.example.com")
				}
				s.URL = value
				return nil
			}},
		{"DEALER_FEED_BUCKET", "S3 bucket of inventory exports, for those that are fetched on a schedule", "", []Function{FeedImport}, false,
			text(func(s *Settings) *string { return &s.FeedBucket })},
		{"DEALER_REPORT_PREFIX", "beginning of the S3 keys of import reports", "reports/", []Function{FeedImport}, false,
			text(func(s *Settings) *string { return &s.ReportPrefix })},
		{"DEALER_LOG_LEVEL", "least level that is logged: debug, info, warn or error", "info", []Function{Agent, MCP, LeadWorker, FeedImport, Sweeper, Publish}, false,
			func(s *Settings, value string) error {
				if s.LogLevel.UnmarshalText([]byte(value)) != nil {
					return errors.New("must be debug, info, warn or error")
				}
				return nil
			}},
	}
}

// ReadSettings reads what the function needs through lookup, which is
// os.LookupEnv in production. The error lists every fault, one a line.
func ReadSettings(f Function, lookup func(string) (string, bool)) (Settings, error) {
	var s Settings
	var faults []error
	for _, v := range Variables() {
		if !slices.Contains(v.Functions, f) {
			continue
		}
		value, found := lookup(v.Name)
		if value = strings.TrimSpace(value); !found || value == "" {
			value = v.Default
		}
		if value == "" {
			faults = append(faults, fmt.Errorf("%s is not set: %s", v.Name, v.Meaning))
			continue
		}
		if err := v.set(&s, value); err != nil {
			told := fmt.Sprintf("=%q", value)
			if v.Secret {
				told = ""
			}
			faults = append(faults, fmt.Errorf("%s%s: %w", v.Name, told, err))
		}
	}
	if f != Publish && s.Pooled() != (s.DealerRole != "") {
		faults = append(faults, errors.New("DEALER_ROLE goes with a DEALER_PROFILE_KEY that ends in a slash: give both, or neither"))
	}
	return s, errors.Join(faults...)
}

func count(field func(*Settings) *int) func(*Settings, string) error {
	return func(s *Settings, value string) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			return errors.New("must be a number, 0 or more")
		}
		*field(s) = n
		return nil
	}
}

func text(field func(*Settings) *string) func(*Settings, string) error {
	return func(s *Settings, value string) error {
		*field(s) = value
		return nil
	}
}
