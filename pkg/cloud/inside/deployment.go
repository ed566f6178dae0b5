package inside

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/acm"
	acmtypes "github.com/aws/aws-sdk-go-v2/service/acm/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

func (x *examination) deployment(context.Context) {
	changed := x.Changed.UTC().Format(time.RFC3339)
	switch {
	case strings.HasSuffix(x.Status, "_IN_PROGRESS"):
		x.warn("inside.stack", "%s since %s: it is being deployed", x.Status, changed)
	case x.Status == "CREATE_COMPLETE" || x.Status == "UPDATE_COMPLETE" || x.Status == "IMPORT_COMPLETE":
		x.pass("inside.stack", "%s at %s", x.Status, changed)
	default:
		x.fail("inside.stack", "%s at %s", x.Status, changed)
	}
}

func (x *examination) functions(ctx context.Context) {
	const id = "inside.functions"
	client := lambda.NewFromConfig(x.Config)
	names := x.logical("Function")
	if len(names) == 0 {
		x.fail(id, "the stack has no functions")
		return
	}
	var faults []string
	for _, name := range names {
		f, err := client.GetFunctionConfiguration(ctx, &lambda.GetFunctionConfigurationInput{FunctionName: aws.String(x.Resources[name])})
		if is(err, "ResourceNotFoundException") {
			faults = append(faults, name+" is gone")
			continue
		}
		if x.troubled(id, "lambda:GetFunctionConfiguration", err) {
			return
		}
		if f.State != "" && f.State != lambdatypes.StateActive && f.State != lambdatypes.StateInactive {
			faults = append(faults, fmt.Sprintf("%s is %s (%s)", name, f.State, f.StateReasonCode))
		}
		if f.LastUpdateStatus != "" && f.LastUpdateStatus != lambdatypes.LastUpdateStatusSuccessful {
			faults = append(faults, fmt.Sprintf("the last update of %s is %s (%s)", name, f.LastUpdateStatus, f.LastUpdateStatusReasonCode))
		}
		if !slices.Equal(f.Architectures, []lambdatypes.Architecture{lambdatypes.ArchitectureArm64}) {
			faults = append(faults, fmt.Sprintf("%s is built for %v", name, f.Architectures))
		}
	}
	x.judge(id, Fail, faults, "%d functions", len(names))
}

// enoughLeft is how long a certificate must last.
const enoughLeft = 21 * 24 * time.Hour

func (x *examination) certificate(ctx context.Context) {
	const id = "inside.certificate"
	arn := x.Parameters["CertificateArn"]
	if arn == "" {
		x.skip(id, "CloudFront serves the stack under a name and certificate of its own")
		return
	}
	out, err := acm.NewFromConfig(x.Config).DescribeCertificate(ctx, &acm.DescribeCertificateInput{CertificateArn: aws.String(arn)})
	if is(err, "ResourceNotFoundException") {
		x.fail(id, "there is no certificate %s", arn)
		return
	}
	if x.troubled(id, "acm:DescribeCertificate", err) {
		return
	}
	c := out.Certificate
	left := aws.ToTime(c.NotAfter).Sub(x.Now())
	switch {
	case c.Status != acmtypes.CertificateStatusIssued:
		x.fail(id, "it is %s", c.Status)
	case left <= 0:
		x.fail(id, "it ended %s ago", ago(-left))
	case left < enoughLeft:
		x.warn(id, "it ends in %s", ago(left))
	default:
		x.pass(id, "it ends in %s", ago(left))
	}
}
