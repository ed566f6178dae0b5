package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

func newToken(std streams) *cobra.Command {
	cmd := family(&cobra.Command{
		Use:     "token",
		Short:   "Make bearer tokens for callers of a closed agent",
		Example: `  dealer token new --name partner-a`,
	})
	cmd.AddCommand(newTokenNew(std))
	return cmd
}

// tokenRow is what `dealer token new` tells.
type tokenRow struct {
	Name    string `json:"name"`
	Token   string `json:"token"`
	SHA256  string `json:"sha256"`
	Expires string `json:"expires,omitempty"`
}

func newTokenNew(std streams) *cobra.Command {
	var name, expires string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "new --name NAME",
		Short: "Make a token, and print it once with its row for the profile",
		Long: `New makes a random token and prints it with the row to paste into the dealer
profile under access.tokens. It is shown this once: the row holds its hash alone,
which opens nothing. As soon as a profile has rows, every call needs one of their
tokens; the published files stay open and say so.

To give a holder a new token without a gap, make one of the same name, add its
row beside the old one, and remove that when the new token is in use, or give it
an end with "expires".`,
		Example: `  dealer token new --name partner-a
  dealer token new --name partner-a --expires 90d --json`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := required(cmd, "name"); err != nil {
				return err
			}
			end, err := tokenEnd(expires, time.Now())
			if err != nil {
				return usageError{err}
			}
			if !dealer.IsTokenName(name) {
				return usageError{errors.New("--name wants 1 to 63 lower-case letters, digits and inner hyphens, such as partner-a")}
			}
			token := dealer.NewToken()
			row := tokenRow{name, token, dealer.TokenHash(token), end}
			if asJSON {
				raw, err := json.Marshal(row)
				if err != nil {
					return err
				}
				return printJSON(std.out, raw)
			}
			return row.write(std.out)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&name, "name", "", "whose token it is, a `NAME` that the log and the limits of callers use")
	flags.StringVar(&expires, "expires", "", "when it ends to be good: a `TIME` such as 90d, 2027-03-31 or 2027-03-31T18:00:00Z (default: never)")
	flags.BoolVar(&asJSON, "json", false, "print token and row as JSON")
	return cmd
}

func (r tokenRow) write(out io.Writer) error {
	end := ""
	if r.Expires != "" {
		end = ", expires: " + r.Expires
	}
	_, err := fmt.Fprintf(out, `The token of %s, which is shown this once. Give it to them over a safe channel:

%s

The row for the dealer profile, which holds its hash alone:

access:
  tokens:
    - {name: %s, sha256: %s%s}
`, r.Name, r.Token, r.Name, r.SHA256, end)
	return err
}

// tokenEnd is when a token ends, as a profile has it; empty for never.
func tokenEnd(given string, now time.Time) (string, error) {
	if given == "" {
		return "", nil
	}
	var end dealer.Moment
	var after dealer.Duration
	if after.UnmarshalText([]byte(given)) == nil {
		end = dealer.Moment(now.Add(after.Std()).UTC().Truncate(time.Second))
	} else if end.UnmarshalText([]byte(given)) != nil {
		return "", errors.New("--expires wants a time such as 90d, 2027-03-31 or 2027-03-31T18:00:00Z")
	}
	if end.Past(now) {
		return "", errors.New("--expires lies in the past; the token would never be good")
	}
	text, err := end.MarshalText()
	return string(text), err
}
