package targets

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"

	"github.com/dealer-agent/dealer/pkg/crm"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// sesMail sends the document as one mail through SES, byte by byte the mail
// that a relay would get. A message id from SES is a hand-over and no more. What
// SES says instead:
//
//	message rejected, bad request            permanent
//	address or domain not verified           temporary: the account is in the sandbox, or
//	                                         the identity is not set up
//	account or configuration set paused      temporary
//	no permission, no configuration set      temporary
//	too many requests, quota used up         temporary
//	SES's own fault, no answer once sent     temporary, and the mail may have been sent
type sesMail struct {
	client *sesv2.Client
	target dealer.Target
}

func openSES(cfg aws.Config) crm.Opener {
	client := sync.OnceValue(func() *sesv2.Client {
		return sesv2.NewFromConfig(cfg, func(o *sesv2.Options) {
			// A call whose answer was lost may have sent the mail; repeating it
			// is for the worker, which marks the document as a resend.
			o.Retryer = aws.NopRetryer{}
		})
	})
	return func(t dealer.Target, _ crm.Setup) (crm.Transport, error) { return sesMail{client(), t}, nil }
}

func (s sesMail) Deliver(ctx context.Context, d crm.Document) (crm.Receipt, error) {
	text, err := crm.Mail(s.target, d)
	if err != nil {
		return crm.Receipt{}, &crm.Failure{Reason: "the mail cannot be written", Permanent: true, Cause: err}
	}
	in := &sesv2.SendEmailInput{
		FromEmailAddress: aws.String(s.target.From),
		Destination:      &types.Destination{ToAddresses: s.target.To},
		Content:          &types.EmailContent{Raw: &types.RawMessage{Data: text}},
	}
	if s.target.ConfigurationSet != "" {
		in.ConfigurationSetName = aws.String(s.target.ConfigurationSet)
	}
	out, err := s.client.SendEmail(ctx, in)
	if err != nil {
		return crm.Receipt{}, sesFailure(err)
	}
	return crm.Receipt{Status: "SES accepted", Text: aws.ToString(out.MessageId)}, nil
}

// sesFailure sorts what SES says.
func sesFailure(err error) *crm.Failure {
	f := failure("SES", err)
	var rejected *types.MessageRejected
	var bad *types.BadRequestException
	switch {
	case unverified(err):
		f.Reason, f.Credentials = "SES: an address or domain is not verified, or the account is still in the sandbox", true
	case errors.As(err, &rejected), errors.As(err, &bad):
		f.Permanent = true
	case isA[*types.AccountSuspendedException](err), isA[*types.SendingPausedException](err), isA[*types.NotFoundException](err):
		f.Credentials = true
	}
	return f
}

// unverified reports whether SES does not know the sender, or in the sandbox
// the receiver, as one of the account's identities. It says the latter as a
// rejected message in words only.
func unverified(err error) bool {
	var rejected *types.MessageRejected
	return isA[*types.MailFromDomainNotVerifiedException](err) ||
		errors.As(err, &rejected) && strings.Contains(rejected.ErrorMessage(), "not verified")
}
