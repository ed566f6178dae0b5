package inside

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// mail looks at SES where the profile sends leads by it.
func (x *examination) mail(ctx context.Context) {
	var senders []string
	for _, d := range x.dealers {
		for _, t := range d.profile.Delivery {
			if t.Type == dealer.TargetSES {
				senders = append(senders, t.From)
			}
		}
	}
	ids := []string{"inside.ses-identity", "inside.ses-dkim", "inside.ses-mail-from", "inside.ses-sandbox"}
	if len(senders) == 0 {
		for _, id := range ids {
			if len(x.dealers) == 0 {
				x.skip(id, "without the profile it is not known whether leads are mailed")
			} else {
				x.skip(id, "no delivery target of the profile is of type ses")
			}
		}
		return
	}
	client := sesv2.NewFromConfig(x.Config)
	identity := x.Parameters["SesIdentity"]
	if identity == "" || identity == "-" {
		x.fail(ids[0], "the profile sends by SES, and the parameter SesIdentity names nothing that the lead worker may send from")
	} else if x.sends(senders, identity) {
		x.identity(ctx, client, identity)
	}
	x.sandbox(ctx, client)
}

// sends holds the targets' senders against what the worker may send from.
func (x *examination) sends(senders []string, identity string) bool {
	for _, from := range senders {
		_, domain, _ := strings.Cut(from, "@")
		if !strings.EqualFold(from, identity) && !strings.EqualFold(domain, identity) && !strings.HasSuffix(strings.ToLower(domain), "."+strings.ToLower(identity)) {
			x.fail("inside.ses-identity", "a target sends from the domain %s, and the lead worker may send from %s alone", domain, identity)
			return false
		}
	}
	return true
}

func (x *examination) identity(ctx context.Context, client *sesv2.Client, identity string) {
	out, err := client.GetEmailIdentity(ctx, &sesv2.GetEmailIdentityInput{EmailIdentity: aws.String(identity)})
	if is(err, "NotFoundException") {
		x.fail("inside.ses-identity", "SES does not know %s in %s", identity, x.Region)
		return
	}
	if x.troubled("inside.ses-identity", "ses:GetEmailIdentity", err) {
		return
	}
	if out.VerifiedForSendingStatus {
		x.pass("inside.ses-identity", "%s is verified", identity)
	} else {
		x.fail("inside.ses-identity", "%s is not verified (%s)", identity, out.VerificationStatus)
	}
	switch dkim := out.DkimAttributes; {
	case dkim == nil || !dkim.SigningEnabled:
		x.warn("inside.ses-dkim", "mails of %s are not signed", identity)
	case dkim.Status != types.DkimStatusSuccess:
		x.warn("inside.ses-dkim", "the records of %s are not found (%s)", identity, dkim.Status)
	default:
		x.pass("inside.ses-dkim", "mails of %s are signed", identity)
	}
	switch from := out.MailFromAttributes; {
	case from == nil || aws.ToString(from.MailFromDomain) == "":
		x.warn("inside.ses-mail-from", "mails of %s leave under amazonses.com", identity)
	case from.MailFromDomainStatus != types.MailFromDomainStatusSuccess:
		x.warn("inside.ses-mail-from", "the records of %s are not found (%s)", aws.ToString(from.MailFromDomain), from.MailFromDomainStatus)
	default:
		x.pass("inside.ses-mail-from", "%s", aws.ToString(from.MailFromDomain))
	}
}

func (x *examination) sandbox(ctx context.Context, client *sesv2.Client) {
	const id = "inside.ses-sandbox"
	out, err := client.GetAccount(ctx, &sesv2.GetAccountInput{})
	if x.troubled(id, "ses:GetAccount", err) {
		return
	}
	var faults []string
	if !out.SendingEnabled {
		faults = append(faults, "SES has stopped sending for this account")
	}
	if status := aws.ToString(out.EnforcementStatus); status != "" && status != "HEALTHY" {
		faults = append(faults, "SES calls the account "+status)
	}
	if !out.ProductionAccessEnabled {
		faults = append(faults, "the account is in the sandbox of "+x.Region+": only verified receivers get mail")
	}
	left := ""
	if q := out.SendQuota; q != nil {
		left = fmt.Sprintf("%.0f of %.0f mails in the last day", q.SentLast24Hours, q.Max24HourSend)
		if q.Max24HourSend > 0 && q.SentLast24Hours >= q.Max24HourSend {
			faults = append(faults, "the quota is used up: "+left)
		}
	}
	x.judge(id, Fail, faults, "%s", left)
}
