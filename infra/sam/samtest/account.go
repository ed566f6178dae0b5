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
	"time"
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
	tags    map[string]map[string]string // of the sessions of keys
	refused []string
	asked   []Asked
}

// administrator is the access key of who may everything.
const administrator = "test"

func openAccount(t testing.TB, endpoint string, stored func(bucket, key string, size int64)) *cloudAccount {
	t.Helper()
	target, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	a := &cloudAccount{stored: stored, roles: map[string]tree{}, keys: map[string]string{}, tags: map[string]map[string]string{}}
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
	if trusts(role, "Service", service, "sts:AssumeRole", nil) {
		key = fmt.Sprintf("ASIA%016d", len(a.keys))
		a.keys[key] = arn + " " + service
		return key, nil
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
	if service == "sts" {
		a.assumeRole(w, key, body)
		return
	}
	for _, w2 := range wants(service, r, body) {
		if !a.may(key, w2) {
			a.refuse(w, service, key, w2)
			return
		}
	}
	next.ServeHTTP(w, r)
}

// assumeRole is STS: it gives a role a key of another that trusts it, tagged as
// it asks (AWS STS API Reference, "AssumeRole"). In one account the trust is enough.
func (a *cloudAccount) assumeRole(w http.ResponseWriter, key string, body []byte) {
	form, err := url.ParseQuery(string(body))
	arn, tags := form.Get("RoleArn"), map[string]string{}
	for n := 1; form.Has(fmt.Sprintf("Tags.member.%d.Key", n)); n++ {
		tags[form.Get(fmt.Sprintf("Tags.member.%d.Key", n))] = form.Get(fmt.Sprintf("Tags.member.%d.Value", n))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	caller, _, _ := strings.Cut(a.keys[key], " ")
	role := a.roles[arn]
	if err != nil || form.Get("Action") != "AssumeRole" || !trusts(role, "AWS", caller, "sts:AssumeRole", tags) || len(tags) > 0 && !trusts(role, "AWS", caller, "sts:TagSession", tags) {
		a.refused = append(a.refused, fmt.Sprintf("%s: to be %s with %v", a.keys[key], arn, tags))
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, "<ErrorResponse><Error><Code>AccessDenied</Code><Message>not authorized to perform: sts:AssumeRole</Message></Error></ErrorResponse>")
		return
	}
	session := fmt.Sprintf("ASIA%016d", len(a.keys))
	a.keys[session], a.tags[session] = arn+" "+form.Get("RoleSessionName"), tags
	w.Header().Set("Content-Type", "text/xml")
	_, _ = fmt.Fprintf(w, `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><AssumedRoleUser><Arn>%s</Arn><AssumedRoleId>AROA:x</AssumedRoleId></AssumedRoleUser>
		<Credentials><AccessKeyId>%s</AccessKeyId><SecretAccessKey>test</SecretAccessKey><SessionToken>t</SessionToken><Expiration>%s</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`,
		arn, session, time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
}

// may reports whether a policy of the key's role allows it.
func (a *cloudAccount) may(key string, w want) bool {
	if key == administrator {
		return true
	}
	a.mu.Lock()
	arn, _, _ := strings.Cut(a.keys[key], " ")
	role, tags := a.roles[arn], a.tags[key]
	for _, named := range w.context["dynamodb:LeadingKeys"] {
		a.asked = append(a.asked, Asked{arn, w.action, w.resource, named, tags})
	}
	a.mu.Unlock()
	return allows(role, tags, w)
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
		!a.may(signed[1], want{"s3:ListBucket", "arn:aws:s3:::" + bucket, nil}):
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
		return []want{{service + ":" + action, "", nil}}
	}
	var ask tree
	if err := json.Unmarshal(body, &ask); err != nil {
		return []want{{service + ":" + action, "", nil}}
	}
	switch service {
	case "dynamodb":
		return wantsOfDynamoDB(action, ask)
	case "sqs":
		return []want{{"sqs:" + strings.TrimSuffix(action, "Batch"), arnOf("sqs", lastOf(textAt(ask, "QueueUrl"))), nil}}
	case "ssm":
		return []want{{"ssm:" + action, arnOf("ssm", "parameter/"+strings.TrimPrefix(textAt(ask, "Name"), "/")), nil}}
	case "secretsmanager":
		id := textAt(ask, "SecretId")
		if !strings.HasPrefix(id, "arn:") {
			id = arnOf("secretsmanager", "secret:"+id)
		}
		return []want{{"secretsmanager:" + action, id, nil}}
	}
	return []want{{service + ":" + action, "", nil}}
}

func lastOf(url string) string { return url[strings.LastIndex(url, "/")+1:] }

func wantsOfS3(r *http.Request) []want {
	bucket, key, named := object(r)
	if !named {
		return []want{{"s3:ListBucket", "arn:aws:s3:::" + bucket, map[string][]string{"s3:prefix": r.URL.Query()["prefix"]}}}
	}
	action := map[string]string{"GET": "GetObject", "HEAD": "GetObject", "PUT": "PutObject", "POST": "PutObject", "DELETE": "DeleteObject"}[r.Method]
	return []want{{"s3:" + action, "arn:aws:s3:::" + bucket + "/" + key, nil}}
}

func wantsOfDynamoDB(action string, ask tree) (all []want) {
	add := func(action string, table any, keys []string) {
		all = append(all, want{"dynamodb:" + action, arnOf("dynamodb", "table/"+text(table)), map[string][]string{"dynamodb:LeadingKeys": keys}})
	}
	switch action {
	case "TransactWriteItems", "TransactGetItems":
		for _, item := range listAt(ask, "TransactItems") {
			for kind, part := range item.(tree) {
				name := kind + "Item"
				if kind == "ConditionCheck" {
					name = "ConditionCheckItem"
				}
				add(name, at(part, "TableName"), leadingKeys(part))
			}
		}
	case "BatchGetItem", "BatchWriteItem":
		for table, asked := range treeAt(ask, "RequestItems") {
			var keys []string
			for _, key := range listAt(asked, "Keys") {
				keys = append(keys, leadingKeys(tree{"Key": key})...)
			}
			for _, write := range list(asked) {
				keys = append(keys, leadingKeys(write)...)
			}
			add(action, table, keys)
		}
	default:
		if index := textAt(ask, "IndexName"); index != "" {
			add(action, textAt(ask, "TableName")+"/index/"+index, leadingKeys(ask))
		} else {
			add(action, ask["TableName"], leadingKeys(ask))
		}
	}
	return all
}
