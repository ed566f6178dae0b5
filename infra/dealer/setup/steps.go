package setup

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// Steps tells what to do next, with commands to paste. export is the file of
// the inventory, or empty.
func (a Answers) Steps(dir, export string) string {
	a = a.whole()
	profile, data := filepath.Join(dir, ProfileName), filepath.Join(dir, "data")
	if export == "" {
		export = "inventory.csv"
	}
	var b strings.Builder
	say := func(form string, args ...any) { fmt.Fprintf(&b, form+"\n", args...) }
	step := func(words ...string) {
		for i, w := range words {
			words[i] = shell(w)
		}
		b.WriteString("  " + strings.Join(words, " ") + "\n")
	}
	secret, has := a.Secret()

	say("Look at the import, then run the agent on this machine:")
	step("bin/dealer", "import", "--profile", profile, "--feed", export, "--data", data, "--dry-run")
	if t := a.target(); a.OnAWS() && (has || t == dealer.TargetSES || t == dealer.TargetS3) {
		b.WriteString("  AWS_REGION=" + a.Region)
		b.WriteString(" ")
	} else {
		b.WriteString("  ")
	}
	fmt.Fprintf(&b, "bin/dealer run --profile %s --feed %s --data %s\n", shell(profile), shell(export), shell(data))
	if !a.OnAWS() {
		if has {
			say("\nBefore that, give it %s, without writing it down:", secret.What)
			say("  read -rs %[1]s && export %[1]s", secret.Name)
		}
		return b.String()
	}
	if a.target() == dealer.TargetFile {
		say("\nAWS has no folder for leads: before you deploy, name your CRM under delivery in\n%s.", profile)
	}
	if has {
		say("\nPut %s into Systems Manager: paste it, then Enter and Ctrl-D.", secret.What)
		b.WriteString("  aws ssm put-parameter --region " + a.Region + " --type SecureString --overwrite --name " + secret.Name + ` --value "$(cat)"` + "\n")
	}
	if a.target() == dealer.TargetSES {
		say("\nHave Amazon SES verify the sender, as its answer tells, and ask AWS to take SES\nout of the sandbox, where it mails to verified addresses only:")
		step("aws", "sesv2", "create-email-identity", "--region", a.Region, "--email-identity", a.SESIdentity)
		step("aws", "sesv2", "put-account-details", "--region", a.Region, "--production-access-enabled", "--mail-type", "TRANSACTIONAL",
			"--website-url", website(a), "--use-case-description", "Leads of buyers to our own CRM")
	}
	say("\nOn AWS, in the folder of this repository:")
	step("sam", "build")
	step("sam", "deploy", "--guided", "--config-file", filepath.Join(dir, SAMConfigName))
	step("bin/dealer", "publish", "--profile", profile, "--stack", a.Stack, "--region", a.Region)
	step("bin/dealer", "import", "--feed", export, "--stack", a.Stack, "--region", a.Region)
	say("\n`dealer publish` prints the address of the agent. Then see whether it is well:")
	step("bin/dealer", "doctor", "https://ADDRESS", "--deep", "--stack", a.Stack, "--region", a.Region)
	return b.String()
}

func website(a Answers) string {
	if a.Website != "" {
		return a.Website
	}
	return "https://YOUR-WEBSITE"
}

// shell quotes a word for a shell where it must be.
func shell(word string) string {
	if word != "" && strings.IndexFunc(word, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:@%+=,", r))
	}) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
