package a2a

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"runtime"
	"strings"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent/caller"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// exchange is one request on its way to its answer.
type exchange struct {
	*handler
	route
	ctx   context.Context
	r     *http.Request
	began time.Time

	profile *dealer.Profile
	service service
	caller  caller.Caller
	wait    time.Duration // until the caller's next call is within quota; 0: it is

	read   int
	id     json.RawMessage
	method string
	params json.RawMessage
	// envelopeFaults are duplicate names, nesting and numbers below params.
	envelopeFaults []aap.Violation
	skill          aap.Skill
}

// answer runs the checks in the one order that satisfies A2A 1.0, its
// conformance kits and AAP: HTTP method, content type, size, JSON, envelope,
// A2A method, A2A version, credentials, extensions, then the method itself.
func (x *exchange) answer() (a answer) {
	defer func() {
		if v := recover(); v != nil {
			a = x.refuse(faultOf(recovered(v)))
		}
	}()
	if f := x.findRoute(); f != nil {
		return x.refuse(f)
	}
	x.service = readService(x.r)
	if f := x.checkHTTP(); f != nil {
		return x.refuse(f)
	}
	body, f := x.body()
	if f != nil {
		return x.refuse(f)
	}
	if f := x.binding.read(x, body); f != nil {
		return x.refuse(f)
	}
	run, known := x.operation()
	if !known {
		return x.refuse(x.unknownMethod())
	}
	if f := x.service.checkVersion(x.version, x.profile); f != nil {
		return x.refuse(f)
	}
	if x.profile == nil {
		return x.refuse(faultOf(x.loadProfile()))
	}
	if f := x.authenticate(); f != nil {
		return x.refuse(f)
	}
	if f := x.service.checkExtensions(x.version, x.Versions, x.profile); f != nil {
		return x.refuse(f)
	}
	x.wait = x.takeCall()
	if x.wait > 0 && !x.sends() {
		return x.refuse(x.overQuota(x.wait))
	}
	result, f := run(x)
	if f != nil {
		return x.refuse(f)
	}
	return answer{status: http.StatusOK, result: result}
}

// checkHTTP looks at the HTTP method and the media type. The latter comes
// before any parsing: the conformance kit sends text that is no JSON as
// text/plain and wants the media type refused.
func (x *exchange) checkHTTP() *fault {
	if x.r.Method != http.MethodPost {
		return &fault{
			code: codeInvalidRequest, status: http.StatusMethodNotAllowed, allow: http.MethodPost,
			message: x.binding.post(),
		}
	}
	types, codings := x.r.Header.Values("Content-Type"), x.r.Header.Values("Content-Encoding")
	if len(types) > 1 || len(codings) > 1 {
		return a2aFault(errContentType, "Send Content-Type once, and no Content-Encoding.").
			http(http.StatusUnsupportedMediaType)
	}
	media, params, err := mime.ParseMediaType(x.r.Header.Get("Content-Type"))
	charset := params["charset"]
	isJSON := media == "application/json" || strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json")
	if err != nil || !isJSON || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return a2aFault(errContentType, "Send the request as Content-Type: application/json in UTF-8.").
			http(http.StatusUnsupportedMediaType)
	}
	if coding := strings.Join(codings, ""); coding != "" && !strings.EqualFold(coding, "identity") {
		return a2aFault(errContentType, "Send the request body without a Content-Encoding.").
			http(http.StatusUnsupportedMediaType)
	}
	return nil
}

// body reads what was posted, up to MaxBody.
func (x *exchange) body() ([]byte, *fault) {
	tooLong := &fault{
		code: codeInvalidRequest, status: http.StatusRequestEntityTooLarge,
		message: fmt.Sprintf("The request is longer than %d bytes.", MaxBody),
	}
	if x.r.ContentLength > MaxBody {
		return nil, tooLong
	}
	body, err := io.ReadAll(io.LimitReader(x.r.Body, MaxBody+1))
	x.read = len(body)
	switch {
	case err != nil:
		return nil, &fault{code: codeParse, message: "The request body could not be read whole."}
	case len(body) > MaxBody:
		return nil, tooLong
	}
	return body, nil
}

// profileOrNil loads the profile in force; nil when it cannot be had, which
// answer reports once the checks that need none have passed.
func (x *exchange) profileOrNil() *dealer.Profile {
	if p, err := x.Profiles.Profile(x.ctx); err == nil {
		x.profile = p
	}
	return x.profile
}

// loadProfile says why there is no profile.
func (x *exchange) loadProfile() error {
	_, err := x.Profiles.Profile(x.ctx)
	if err == nil {
		err = errors.New("no profile in force")
	}
	return fmt.Errorf("load the dealer profile: %w", err)
}

func (x *exchange) unknownMethod() *fault {
	message := "Method not found. AAP " + x.version.Label + " is spoken with SendMessage."
	if strings.Contains(x.method, "/") {
		message += " Names with a slash belong to A2A before 1.0."
	}
	x.method = "" // a foreign word is no label for logs
	return &fault{code: codeMethodNotFound, message: message}
}

// recovered turns a panic into an error that is safe to log: the text of a
// panic may hold what the buyer sent, unless the runtime wrote it.
func recovered(v any) error {
	buf := make([]byte, 4<<10)
	stack := buf[:runtime.Stack(buf, false)]
	if e, ok := v.(runtime.Error); ok {
		return fmt.Errorf("panic: %w\n%s", e, stack)
	}
	return fmt.Errorf("panic of type %T\n%s", v, stack)
}
