package stacks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/dealer-agent/dealer/pkg/cloud"
)

// What AWS's services call too many calls.
var throttles = []string{"Throttling", "ThrottlingException", "ThrottledException", "RequestLimitExceeded", "RequestThrottled", "RequestThrottledException",
	"TooManyRequestsException", "SlowDown", "BandwidthLimitExceeded", "LimitExceededException.Rate", "PriorRequestNotComplete"}

// told makes an error of AWS one of this package's, in one sentence.
func told(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	fault, known := errors.AsType[smithy.APIError](err)
	answer, _ := errors.AsType[*smithyhttp.ResponseError](err)
	status := 0
	if answer != nil {
		status = answer.HTTPStatusCode()
	}
	switch access := cloud.Access(err); {
	case known && slices.Contains(throttles, fault.ErrorCode()) || status == 429:
		return fmt.Errorf("%w: %w", ErrThrottled, err)
	case status >= 500:
		return fmt.Errorf("%w: AWS says %d", ErrUnsure, status)
	case known && (strings.Contains(fault.ErrorMessage(), "does not exist") || slices.Contains([]string{"ChangeSetNotFound", "ChangeSetNotFoundException", "NoSuchKey", "NotFound", "NoSuchBucket"}, fault.ErrorCode())):
		return fmt.Errorf("%w: %s", ErrMissing, fault.ErrorMessage())
	case known && fault.ErrorCode() == "AlreadyExistsException":
		return fmt.Errorf("%w: %s", ErrExists, fault.ErrorMessage())
	case known && strings.Contains(fault.ErrorMessage(), "No updates are to be performed"):
		return ErrEmpty
	case known && errors.Is(access, cloud.ErrNoAccess):
		return fmt.Errorf("%w: %w", ErrDenied, access)
	case known:
		return fmt.Errorf("AWS refuses it (%s): %s", fault.ErrorCode(), fault.ErrorMessage())
	}
	if sent, ok := errors.AsType[*smithyhttp.RequestSendError](err); ok {
		return fmt.Errorf("%w: %w", ErrUnsure, sent.Err)
	}
	// The connection ended within the answer, or the answer cannot be read.
	if answer != nil || strings.Contains(err.Error(), "EOF") || strings.Contains(err.Error(), "connection reset") {
		return fmt.Errorf("%w: %w", ErrUnsure, err)
	}
	return err
}
