package cloud

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// ErrNoAccess: AWS cannot be asked, or not with these rights.
var ErrNoAccess = errors.New("no access to AWS")

// What AWS's services call credentials that are wrong or have ended, and rights
// that are missing.
var (
	badCredentials = []string{
		"ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "RequestExpired", "InvalidClientTokenId", "UnrecognizedClientException",
		"InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidSignatureException", "IncompleteSignature", "InvalidToken", "OptInRequired",
	}
	noRight = []string{
		"AccessDenied", "AccessDeniedException", "AuthorizationError", "AuthorizationErrorException", "UnauthorizedOperation", "Forbidden", "NotAuthorized",
	}
)

// Access makes an error about access to AWS one plain sentence that says what
// to do, an ErrNoAccess. Errors about what was asked stay as they are.
func Access(err error) error {
	if err == nil || errors.Is(err, ErrNoAccess) {
		return err
	}
	if fault, ok := errors.AsType[smithy.APIError](err); ok {
		switch code := fault.ErrorCode(); {
		case slices.Contains(badCredentials, code):
			return fmt.Errorf("%w: the credentials are not accepted (%s); renew them with `aws sso login` or `aws configure`", ErrNoAccess, code)
		case LacksRight(code):
			return fmt.Errorf("%w: these credentials lack the right; ask who manages the account for it (AWS says: %s)", ErrNoAccess, fault.ErrorMessage())
		}
		return err
	}
	if _, ok := errors.AsType[*smithyhttp.RequestSendError](err); ok {
		return fmt.Errorf("%w: it cannot be reached; look at the network connection and the region (%w)", ErrNoAccess, rootCause(err))
	}
	return err
}

// LacksRight reports whether a fault's code is one of those that AWS's services
// have for a right that is missing.
func LacksRight(code string) bool { return slices.Contains(noRight, code) }

// rootCause leaves out the layers of the client, which repeat each other.
func rootCause(err error) error {
	if sent, ok := errors.AsType[*smithyhttp.RequestSendError](err); ok && sent.Err != nil {
		return sent.Err
	}
	return err
}

// identified reports what is missing before anything can be asked at all.
func identified(ctx context.Context, cfg aws.Config) error {
	if cfg.Region == "" {
		return fmt.Errorf("%w: no region is set; give one, such as --region us-east-1, or set AWS_REGION", ErrNoAccess)
	}
	if _, err := cfg.Credentials.Retrieve(ctx); err != nil {
		return fmt.Errorf("%w: there are no credentials that are valid; log in with `aws sso login`, or enter them with `aws configure`", ErrNoAccess)
	}
	return nil
}
