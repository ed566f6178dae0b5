package setup_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/infra/dealer/setup"
)

func complete(t *testing.T, more ...string) setup.Answers {
	t.Helper()
	answers := map[string]string{"name": "Larkspur", "phone": "+19705550110", "zip": "80524", "leads": "folder", "prices": "undeclared"}
	for i := 0; i+1 < len(more); i += 2 {
		answers[more[i]] = more[i+1]
	}
	return give(t, answers)
}

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return strings.Join(list, " ")
}

func TestFilesAreWrittenAllOrNoneAndNeverOver(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	a := complete(t)
	if _, err := a.Write(dir, setup.Keep); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); got != "dealer.yaml samconfig.toml" {
		t.Errorf("the folder holds %s", got)
	}
	own := []byte("# mine\n")
	for _, taken := range []string{"dealer.yaml", "samconfig.toml"} {
		dir := t.TempDir()
		path := filepath.Join(dir, taken)
		if err := os.WriteFile(path, own, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Write(dir, setup.Keep); !errors.Is(err, setup.ErrExists) || !strings.Contains(err.Error(), taken) || !strings.Contains(err.Error(), "--force") {
			t.Errorf("%s is there: %v", taken, err)
		}
		if body, _ := os.ReadFile(path); string(body) != string(own) || names(t, dir) != taken {
			t.Errorf("%s: %s; the folder holds %s", taken, body, names(t, dir))
		}
		if _, err := a.Write(dir, setup.Replace); err != nil {
			t.Error(err)
		}
		if body, _ := os.ReadFile(path); string(body) == string(own) || names(t, dir) != "dealer.yaml samconfig.toml" {
			t.Errorf("%s was not replaced; the folder holds %s", taken, names(t, dir))
		}
	}
}

func TestNothingIsWrittenWhereAFolderStandsInTheWay(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "samconfig.toml"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := complete(t).Write(dir, setup.Replace); err == nil || names(t, dir) != "samconfig.toml" {
		t.Errorf("%v; the folder holds %s", err, names(t, dir))
	}
}

func TestWithoutAWSThereIsNothingAboutIt(t *testing.T) {
	dir := t.TempDir()
	a := complete(t, "region", "none", "leads", "mail", "lead-to", "leads@crm.example.com", "lead-from", "agent@example.com", "lead-server", "smtp.example.com:587", "lead-login", "agent")
	if _, err := a.Write(dir, setup.Keep); err != nil {
		t.Fatal(err)
	}
	profile, err := os.ReadFile(filepath.Join(dir, "dealer.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if steps := a.Steps(dir, ""); names(t, dir) != "dealer.yaml" || !strings.Contains(string(profile), "password: env:SMTP_PASSWORD") || strings.Contains(steps, "sam ") || !strings.Contains(steps, "export SMTP_PASSWORD") {
		t.Errorf("%s\n%s\n%s", names(t, dir), profile, steps)
	}
}

func TestTheNextStepsNameTheSecretAndNeverItsValue(t *testing.T) {
	for _, c := range []struct {
		answers         []string
		secret, profile string
	}{
		{[]string{"leads", "https", "lead-to", "https://crm.example.com/adf", "lead-login", "token"}, "/dealer/larkspur/crm-token", "secret: ssm:/dealer/larkspur/crm-token"},
		{[]string{"leads", "https", "lead-to", "https://crm.example.com/adf", "lead-login", "agent"}, "/dealer/larkspur/crm-password", "username: agent"},
		{[]string{"leads", "elead", "lead-to", "leads@crm.example.com", "lead-from", "a@example.com", "lead-server", "smtp.example.com:587", "lead-login", "agent"}, "/dealer/larkspur/smtp-password", "password: ssm:/dealer/larkspur/smtp-password"},
	} {
		a := complete(t, c.answers...)
		command := `aws ssm put-parameter --region us-east-1 --type SecureString --overwrite --name ` + c.secret + ` --value "$(cat)"`
		if steps := a.Steps("my dealer", "it's.csv"); !strings.Contains(steps, command) || !strings.Contains(steps, `'my dealer/dealer.yaml'`) || !strings.Contains(steps, `'it'\''s.csv'`) {
			t.Errorf("%v:\n%s", c.answers, steps)
		}
		if !strings.Contains(string(a.Profile()), c.profile) {
			t.Errorf("%v:\n%s", c.answers, a.Profile())
		}
	}
}
