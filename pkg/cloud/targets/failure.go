package targets

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"

	"github.com/dealer-agent/dealer/pkg/crm"
)

// failure words what a service said by its error code alone, since messages
// may quote the lead. It is temporary. A service's own fault and a call
// without an answer may have done what was asked for.
func failure(service string, err error) *crm.Failure {
	f := &crm.Failure{Reason: service + " cannot be reached", Cause: err}
	var answered *awshttp.ResponseError
	var api smithy.APIError
	var dial *net.OpError
	switch {
	case errors.As(err, &answered) && errors.As(err, &api):
		f.Reason = service + " says " + api.ErrorCode()
		f.MayHaveReached = answered.HTTPStatusCode() >= http.StatusInternalServerError
		f.Credentials = answered.HTTPStatusCode() == http.StatusForbidden
	case isA[*aws.RequestCanceledError](err), errors.Is(err, context.DeadlineExceeded):
		f.Reason, f.MayHaveReached = service+" did not answer in time", true
	case errors.As(err, &dial) && dial.Op == "dial":
	case signing(err):
	default:
		f.MayHaveReached = true
	}
	return f
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// signing reports whether the call was never sent for want of credentials.
func signing(err error) bool {
	return isA[*v4.SigningError](err) || strings.Contains(err.Error(), "get credentials")
}
