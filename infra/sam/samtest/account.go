package samtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// cloudAccount stands before the emulator, which has no IAM that asks about
// resources and calls nobody when an object is put. It lets through what the
// caller's role allows, and tells of objects.
type cloudAccount struct {
	*httptest.Server
	stored func(bucket, key string, size int64)

	mu      sync.Mutex
	roles   map[string]tree
	keys    map[string]string
	refused []string
}

// administrator is the access key of who may everything.
const administrator = "test"

func openAccount(t testing.TB, endpoint string, stored func(bucket, key string, size int64)) *cloudAccount {
	t.Helper()
	target, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	a := &cloudAccount{stored: stored, roles: map[string]tree{}, keys: map[string]string{}}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ModifyResponse = a.answered
	proxy.ErrorLog = log.New(io.Discard, "", 0) // of callers that hung up
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.serve(w, r, proxy) }))
	t.Cleanup(a.Close)
	return a
}

func (a *cloudAccount) addRole(arn string, properties tree) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.roles[arn] = properties
}

// assume gives a service an access key of the role, if it trusts the service.
func (a *cloudAccount) assume(arn, service string) (key string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	role, ok := a.roles[arn]
	if !ok {
		return "", fmt.Errorf("there is no role %q", arn)
	}
	for key, taken := range a.keys {
		if taken == arn+" "+service {
			return key, nil
		}
	}
	for _, statement := range listAt(role, "AssumeRolePolicyDocument", "Statement") {
		if textAt(statement, "Effect") == "Allow" && slices.Contains(list(at(statement, "Principal", "Service")), any(service)) {
			key = fmt.Sprintf("ASIA%016d", len(a.keys))
			a.keys[key] = arn + " " + service
			return key, nil
		}
	}
	return "", fmt.Errorf("role %s does not trust %s", arn, service)
}

// Refused lists what roles asked for in vain.
func (a *cloudAccount) Refused() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.refused)
}

var signedBy = regexp.MustCompile(`Credential=([^/]+)/[^/]+/[^/]+/([^/]+)/aws4_request`)

func (a *cloudAccount) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.TransferEncoding = nil
	signed := signedBy.FindStringSubmatch(r.Header.Get("Authorization"))
	if signed == nil {
		http.Error(w, "the request is not signed", http.StatusForbidden)
		return
	}
	key, service := signed[1], signed[2]
	for _, w2 := range wants(service, r, body) {
		if !a.may(key, w2) {
			a.refuse(w, service, key, w2)
			return
		}
	}
	next.ServeHTTP(w, r)
}

// want is one action on one resource.
type want struct{ action, resource string }

func (w want) String() string { return w.action + " on " + w.resource }

// may reports whether a policy of the key's role allows it. Conditions of
// statements are not looked at.
func (a *cloudAccount) may(key string, w want) bool {
	if key == administrator {
		return true
	}
	a.mu.Lock()
	arn, _, _ := strings.Cut(a.keys[key], " ")
	role := a.roles[arn]
	a.mu.Unlock()
	return allows(role, w)
}

func allows(role tree, w want) (allowed bool) {
	for _, policy := range listAt(role, "Policies") {
		for _, statement := range list(at(policy, "PolicyDocument", "Statement")) {
			if !anyGlob(list(at(statement, "Action")), w.action) || w.resource != "" && !anyGlob(list(at(statement, "Resource")), w.resource) {
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

func anyGlob(patterns []any, value string) bool {
	return slices.ContainsFunc(patterns, func(p any) bool { return glob(text(p), value) })
}

// glob matches as IAM does: * is any text, ? any character.
func glob(pattern, value string) bool {
	quoted := regexp.QuoteMeta(pattern)
	quoted = strings.ReplaceAll(strings.ReplaceAll(quoted, `\*`, ".*"), `\?`, ".")
	return regexp.MustCompile("(?is)^" + quoted + "$").MatchString(value)
}

func (a *cloudAccount) refuse(w http.ResponseWriter, service, key string, what want) {
	a.mu.Lock()
	a.refused = append(a.refused, fmt.Sprintf("%s: %s", a.keys[key], what))
	a.mu.Unlock()
	if service == "s3" {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>")
		return
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = fmt.Fprintf(w, `{"__type":"AccessDeniedException","message":"not authorized to perform: %s"}`, what.action)
}

// answered tells of an object that was put, and hides from a role that may not
// list a bucket what is not there.
func (a *cloudAccount) answered(res *http.Response) error {
	r := res.Request
	signed := signedBy.FindStringSubmatch(r.Header.Get("Authorization"))
	if signed == nil || signed[2] != "s3" {
		return nil
	}
	bucket, key, ok := object(r)
	if !ok {
		return nil
	}
	switch {
	case r.Method == http.MethodPut && !r.URL.Query().Has("partNumber") && res.StatusCode == http.StatusOK,
		r.Method == http.MethodPost && r.URL.Query().Has("uploadId") && res.StatusCode == http.StatusOK:
		a.stored(bucket, key, r.ContentLength)
	case res.StatusCode == http.StatusNotFound && (r.Method == http.MethodGet || r.Method == http.MethodHead) &&
		!a.may(signed[1], want{"s3:ListBucket", "arn:aws:s3:::" + bucket}):
		body := "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"
		res.StatusCode, res.Status = http.StatusForbidden, "403 Forbidden"
		_ = res.Body.Close()
		if r.Method == http.MethodHead {
			body = ""
		}
		res.Body, res.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		res.Header.Set("Content-Length", fmt.Sprint(len(body)))
	}
	return nil
}

// object is the bucket and key of a path-style request about an object.
func object(r *http.Request) (bucket, key string, ok bool) {
	bucket, key, _ = strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	return bucket, key, key != ""
}

// wants are the actions that a request needs (Service Authorization Reference).
func wants(service string, r *http.Request, body []byte) []want {
	if service == "s3" {
		return wantsOfS3(r)
	}
	_, action, targeted := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	if !targeted {
		action = map[string]string{"ses": "SendEmail"}[service]
		return []want{{service + ":" + action, ""}}
	}
	var ask tree
	if err := json.Unmarshal(body, &ask); err != nil {
		return []want{{service + ":" + action, ""}}
	}
	switch service {
	case "dynamodb":
		return wantsOfDynamoDB(action, ask)
	case "sqs":
		return []want{{"sqs:" + strings.TrimSuffix(action, "Batch"), arnOf("sqs", lastOf(textAt(ask, "QueueUrl")))}}
	case "ssm":
		return []want{{"ssm:" + action, arnOf("ssm", "parameter/"+strings.TrimPrefix(textAt(ask, "Name"), "/"))}}
	case "secretsmanager":
		id := textAt(ask, "SecretId")
		if !strings.HasPrefix(id, "arn:") {
			id = arnOf("secretsmanager", "secret:"+id)
		}
		return []want{{"secretsmanager:" + action, id}}
	}
	return []want{{service + ":" + action, ""}}
}

func lastOf(url string) string { return url[strings.LastIndex(url, "/")+1:] }

func wantsOfS3(r *http.Request) []want {
	bucket, key, named := object(r)
	if !named {
		return []want{{"s3:ListBucket", "arn:aws:s3:::" + bucket}}
	}
	action := map[string]string{"GET": "GetObject", "HEAD": "GetObject", "PUT": "PutObject", "POST": "PutObject", "DELETE": "DeleteObject"}[r.Method]
	return []want{{"s3:" + action, "arn:aws:s3:::" + bucket + "/" + key}}
}

func wantsOfDynamoDB(action string, ask tree) (all []want) {
	add := func(action string, table any) {
		all = append(all, want{"dynamodb:" + action, arnOf("dynamodb", "table/"+text(table))})
	}
	switch action {
	case "TransactWriteItems", "TransactGetItems":
		for _, item := range listAt(ask, "TransactItems") {
			for kind, part := range item.(tree) {
				name := kind + "Item"
				if kind == "ConditionCheck" {
					name = "ConditionCheckItem"
				}
				add(name, at(part, "TableName"))
			}
		}
	case "BatchGetItem", "BatchWriteItem":
		for table := range treeAt(ask, "RequestItems") {
			add(action, table)
		}
	default:
		if index := textAt(ask, "IndexName"); index != "" {
			add(action, textAt(ask, "TableName")+"/index/"+index)
		} else {
			add(action, ask["TableName"])
		}
	}
	return all
}
