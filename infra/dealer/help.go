package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// sectionKey annotates flags with the heading that help shows them under.
const sectionKey = "section"

// section puts flags under a heading of their own in help.
func section(set *pflag.FlagSet, heading string, names ...string) {
	for _, name := range names {
		f := set.Lookup(name)
		if f.Annotations == nil {
			f.Annotations = map[string][]string{}
		}
		f.Annotations[sectionKey] = []string{heading}
	}
}

// usage writes how a command is used, its commands under the headings of their
// groups, there in this order, and its flags under theirs.
func usage(cmd *cobra.Command, order []string) error {
	out := cmd.OutOrStderr()
	fmt.Fprintln(out, "Usage:")
	if !cmd.HasAvailableSubCommands() || hasOwnFlags(cmd) {
		fmt.Fprintf(out, "  %s\n", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(out, "  %s COMMAND\n", cmd.CommandPath())
	}
	if cmd.HasExample() {
		fmt.Fprintf(out, "\nExamples:\n%s\n", cmd.Example)
	}
	grouped := slices.Clone(cmd.Commands())
	slices.SortStableFunc(grouped, func(a, b *cobra.Command) int {
		return slices.Index(order, a.Name()) - slices.Index(order, b.Name())
	})
	for _, group := range cmd.Groups() {
		listCommands(out, group.Title, grouped, group.ID)
	}
	listCommands(out, "Commands", cmd.Commands(), "")
	listFlags(out, cmd.LocalFlags())
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(out, "\n`%s COMMAND --help` explains one.\n", cmd.CommandPath())
	}
	return nil
}

// hasOwnFlags reports whether a command has more flags than --help.
func hasOwnFlags(cmd *cobra.Command) bool {
	own := false
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { own = own || f.Name != "help" })
	return own
}

// listCommands writes the commands of one group, if there are any.
func listCommands(out io.Writer, heading string, all []*cobra.Command, group string) {
	first := true
	for _, c := range all {
		if c.GroupID != group || !c.IsAvailableCommand() || c.Name() == "help" {
			continue
		}
		if first {
			fmt.Fprintf(out, "\n%s:\n", heading)
			first = false
		}
		fmt.Fprintf(out, "  %-*s %s\n", c.NamePadding(), c.Name(), c.Short)
	}
}

// listFlags writes the flags without a section first.
func listFlags(out io.Writer, all *pflag.FlagSet) {
	const rest = "Flags"
	headings := []string{rest}
	sections := map[string]*pflag.FlagSet{}
	all.VisitAll(func(f *pflag.Flag) {
		heading := rest
		if given := f.Annotations[sectionKey]; len(given) > 0 {
			heading = given[0]
		}
		if sections[heading] == nil {
			sections[heading] = pflag.NewFlagSet("", pflag.ContinueOnError)
		}
		sections[heading].AddFlag(f)
		if !slices.Contains(headings, heading) {
			headings = append(headings, heading)
		}
	})
	for _, heading := range headings {
		if set := sections[heading]; set != nil && set.HasAvailableFlags() {
			fmt.Fprintf(out, "\n%s:\n%s", heading, set.FlagUsages())
		}
	}
}

// family makes cmd a command that only holds others: alone it shows its help,
// and a name it does not have is a fault of the command line.
func family(cmd *cobra.Command) *cobra.Command {
	cmd.Args = cobra.ArbitraryArgs
	cmd.SuggestionsMinimumDistance = 2
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		if len(given) == 0 {
			return cmd.Help()
		}
		meant := ""
		if close := cmd.SuggestionsFor(given[0]); len(close) > 0 {
			meant = "did you mean " + strings.Join(close, " or ") + "? "
		}
		return usageError{fmt.Errorf("%s has no command %q; %s`%s --help` names them", cmd.CommandPath(), given[0], meant, cmd.CommandPath())}
	}
	return cmd
}

// args makes the failure of an argument check one of usage, in plain words.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, given []string) error {
		if check(cmd, given) == nil {
			return nil
		}
		surplus := ""
		if fewer := len(given) - 1; fewer >= 0 && check(cmd, given[:fewer]) == nil {
			surplus = fmt.Sprintf("%q is too much; ", given[fewer])
		}
		parent := ""
		if cmd.HasParent() {
			parent = cmd.Parent().CommandPath() + " "
		}
		return usageError{fmt.Errorf("%susage: %s%s; `%s --help` explains it", surplus, parent, cmd.Use, cmd.CommandPath())}
	}
}
