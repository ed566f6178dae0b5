package samtest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// want is one action on one resource, with the keys that conditions ask for.
type want struct {
	action, resource string
	context          map[string][]string
}

func (w want) String() string { return w.action + " on " + w.resource }

// allows reports whether the role's policies allow it to a session with the tags.
func allows(role tree, tags map[string]string, w want) (allowed bool) {
	for _, policy := range listAt(role, "Policies") {
		for _, statement := range list(at(policy, "PolicyDocument", "Statement")) {
			if !anyGlob(list(at(statement, "Action")), w.action) || w.resource != "" && !anyGlob(filled(list(at(statement, "Resource")), tags), w.resource) {
				continue
			}
			if !fulfilled(treeAt(statement, "Condition"), tags, w.context) {
				continue
			}
			if textAt(statement, "Effect") == "Deny" {
				return false
			}
			allowed = true
		}
	}
	return allowed
}

// trusts reports whether the role may be assumed by a principal of the kind, with
// the session tags that are asked for.
func trusts(role tree, kind, principal, action string, tags map[string]string) bool {
	keys := map[string][]string{"aws:TagKeys": nil}
	for name, value := range tags {
		keys["aws:TagKeys"] = append(keys["aws:TagKeys"], name)
		keys["aws:RequestTag/"+name] = []string{value}
	}
	return slices.ContainsFunc(list(at(role, "AssumeRolePolicyDocument", "Statement")), func(statement any) bool {
		return textAt(statement, "Effect") == "Allow" && anyGlob(list(at(statement, "Action")), action) &&
			slices.Contains(list(at(statement, "Principal", kind)), any(principal)) && fulfilled(treeAt(statement, "Condition"), nil, keys)
	})
}

var principalTag = regexp.MustCompile(`\$\{aws:PrincipalTag/([^}]+)\}`)

// filled puts a session's tags in the place of policy variables. One that is
// missing fits nothing.
func filled(patterns []any, tags map[string]string) (out []any) {
	for _, pattern := range patterns {
		fits := true
		written := principalTag.ReplaceAllStringFunc(text(pattern), func(found string) string {
			value, tagged := tags[principalTag.FindStringSubmatch(found)[1]]
			fits = fits && tagged
			return value
		})
		if fits {
			out = append(out, written)
		}
	}
	return out
}

// fulfilled evaluates the condition block (IAM User Guide, "Condition operators"):
// every test of every operator must hold. ForAllValues holds for a key that is
// absent; other operators do not.
func fulfilled(block tree, tags map[string]string, keys map[string][]string) bool {
	for operator, tests := range block {
		each, forAll := strings.CutPrefix(operator, "ForAllValues:")
		for key, expected := range tests.(tree) {
			values, patterns := keys[key], filled(list(expected), tags)
			if each == "Null" {
				if fmt.Sprint(len(values) == 0) != text(list(expected)[0]) {
					return false
				}
				continue
			}
			fits := func(value string) bool {
				switch each {
				case "StringLike":
					return slices.ContainsFunc(patterns, func(p any) bool { return exactGlob(text(p), value) })
				case "StringEquals":
					return slices.Contains(patterns, any(value))
				}
				return false // an operator that is not known here allows nothing
			}
			if !forAll && (len(values) == 0 || !slices.ContainsFunc(values, fits)) {
				return false
			}
			if forAll && slices.ContainsFunc(values, func(v string) bool { return !fits(v) }) {
				return false
			}
		}
	}
	return true
}

// exactGlob is glob with respect for capitals, as string operators have it.
func exactGlob(pattern, value string) bool {
	quoted := regexp.QuoteMeta(pattern)
	quoted = strings.ReplaceAll(strings.ReplaceAll(quoted, `\*`, ".*"), `\?`, ".")
	return regexp.MustCompile("(?s)^" + quoted + "$").MatchString(value)
}

// leadingKeys are the partition keys that a part of a request names; of a Scan
// there are none (DynamoDB Developer Guide, "Using IAM policy conditions").
func leadingKeys(part any) (keys []string) {
	for _, place := range [][]any{{"Key"}, {"Item"}, {"PutRequest", "Item"}, {"DeleteRequest", "Key"}} {
		if key, ok := at(part, append(place, "pk", "S")...).(string); ok {
			keys = append(keys, key)
		}
	}
	if match := partitionIs.FindStringSubmatch(textAt(part, "KeyConditionExpression")); match != nil && textAt(part, "ExpressionAttributeNames", match[1]) == "pk" {
		keys = append(keys, textAt(part, "ExpressionAttributeValues", match[2], "S"))
	}
	return keys
}

var partitionIs = regexp.MustCompile(`^(#\w+) = (:\w+)`)

// May reports whether the policies of a role of the template allow the action on
// the resource, with the keys that its conditions ask for, to a session that is
// tagged so.
func (s *Stack) May(role string, tags map[string]string, action, resource string, keys map[string][]string) bool {
	s.aws.mu.Lock()
	defer s.aws.mu.Unlock()
	return allows(s.aws.roles[s.resources[role].Attributes["Arn"]], tags, want{action, resource, keys})
}

// Asked are the partition keys that functions named to DynamoDB so far, each with
// the tags of the session that did.
func (s *Stack) Asked() []Asked {
	s.aws.mu.Lock()
	defer s.aws.mu.Unlock()
	return slices.Clone(s.aws.asked)
}

// Asked is one partition key in a request of a function.
type Asked struct {
	Role, Action, Table, Key string
	Tags                     map[string]string
}
