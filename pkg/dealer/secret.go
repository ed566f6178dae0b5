package dealer

import (
	"regexp"
	"strings"
)

// A secret is referred to by one of
//
//	env:NAME                    an environment variable
//	ssm:/path/name              a parameter of Systems Manager, decrypted (AWS)
//	secretsmanager:ID           a secret of Secrets Manager, by name or ARN (AWS)
//	secretsmanager:ID#member    one text member of a secret that is a JSON object
//
// and read when a lead is delivered, never before.
var secretForms = map[string]*regexp.Regexp{
	"env":            regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`),
	"ssm":            regexp.MustCompile(`^(/[A-Za-z0-9_.-]+)+$`),
	"secretsmanager": regexp.MustCompile(`^[A-Za-z0-9/_+=.@:-]{1,600}(#[^#\s]{1,200})?$`),
}

// secretFix is what to write for a credential.
const secretFix = "write env:CRM_TOKEN, ssm:/path/name or secretsmanager:name and put the value there"

// SplitSecret parts a reference into its scheme (env, ssm, secretsmanager) and
// the name in it; false for a value that is no reference.
func SplitSecret(ref string) (scheme, name string, ok bool) {
	scheme, name, _ = strings.Cut(ref, ":")
	_, ok = secretForms[scheme]
	return scheme, name, ok
}

// IsSecret reports whether a value is, or is meant as, a secret reference.
func IsSecret(value string) bool {
	_, _, ok := SplitSecret(value)
	return ok
}

// goodSecret reports whether the value is a reference in good form.
func goodSecret(value string) bool {
	scheme, name, ok := SplitSecret(value)
	return ok && secretForms[scheme].MatchString(name)
}
