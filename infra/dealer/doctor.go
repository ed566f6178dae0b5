package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/dealer-agent/dealer/infra/dealer/doctor"
)

func newDoctor(std streams) *cobra.Command {
	var asJSON bool
	var access givenToken
	var stack stackPlace
	c := doctor.Config{}
	cmd := &cobra.Command{
		Use:   "doctor (URL | --stack STACK)",
		Short: "Examine any dealer agent from outside, as buyers' agents meet it",
		Long: `Doctor reads the agent card below URL, calls each declared skill under every
contract that both sides speak, makes the requests that must be refused, and
reports what is right, what is unusual and what is wrong: with the rule, its
page and what to do next. It leaves nothing behind at the dealer, unless
--send-test-lead says so: that lead says that it is a test.

With --stack it also looks inside a stack on AWS, with your own rights there:
mail, queues, feed, secrets, alarms, tables, buckets and functions. It reads no
secret and no lead. Without URL it takes the stack's own address, and in a stack
of many that of --dealer, at which alone it looks then.

The exit code is 0 when nothing failed, 1 when something did, 2 when the command
line is wrong and 3 when the agent cannot be reached.`,
		Example: `  dealer doctor https://agent.example.com --deep
  dealer doctor --stack dealer-agent --region us-east-1
  AGENT_TOKEN=… dealer doctor https://agent.example.com --token-env AGENT_TOKEN --json`,
		Args: args(func(cmd *cobra.Command, given []string) error {
			if len(given) == 0 && stack.name != "" {
				return nil
			}
			return cobra.ExactArgs(1)(cmd, given)
		}),
		RunE: func(cmd *cobra.Command, given []string) error {
			var err error
			if c.Token, err = access.read(cmd, std.in); err != nil {
				return err
			}
			if c.Timeout <= 0 || c.Timeout > time.Minute {
				return usageError{errors.New("--timeout wants a time up to 1m, such as 10s")}
			}
			if len(given) > 0 {
				c.URL = given[0]
			}
			inside, err := stack.open(cmd.Context(), c.URL)
			if err != nil {
				return err
			}
			if inside != nil {
				c.URL = inside.address
			}
			report, err := doctor.Examine(cmd.Context(), c)
			if err != nil {
				return usageError{err}
			}
			report.Add(inside.findings(cmd.Context(), 12*c.Timeout)...)
			if err := cmd.Context().Err(); err != nil {
				return fmt.Errorf("the examination was broken off: %w", err)
			}
			if err := writeReport(std.out, report, asJSON); err != nil {
				return err
			}
			switch {
			case !report.Reachable:
				return errUnreachable
			case report.Verdict == doctor.Fail:
				return errReported
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&c.Deep, "deep", false, "look at the inventory and at the published schemas too")
	flags.BoolVar(&asJSON, "json", false, "print the report as JSON")
	flags.BoolVar(&c.SendTestLead, "send-test-lead", false, "submit one lead that is marked as a test")
	flags.StringVar(&stack.name, "stack", "", "look inside the AWS `STACK` of this name too")
	flags.StringVar(&stack.region, "region", "", "the stack's AWS `REGION`; default: that of your AWS configuration")
	dealerFlag(flags, &stack.dealer)
	access.flags(cmd)
	flags.DurationVar(&c.Timeout, "timeout", 10*time.Second, "how long one request may take")
	return cmd
}

func writeReport(out io.Writer, report *doctor.Report, asJSON bool) error {
	if asJSON {
		raw, err := json.Marshal(report)
		if err != nil {
			return err
		}
		return printJSON(out, raw)
	}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == "" {
		return report.WriteColors(out)
	}
	return report.WriteText(out)
}
