package inside

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	ssmtypes "github.com/aws/aws-sdk-go-v2/service/ssm/types"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// secrets asks only whether they are there.
func (x *examination) secrets(ctx context.Context) {
	const id = "inside.secrets"
	if len(x.dealers) == 0 {
		x.skip(id, "without the profile their names are not known")
		return
	}
	var faults []string
	count := 0
	for _, d := range x.dealers {
		var refs []string
		for i := range d.profile.Delivery {
			refs = append(refs, d.profile.Delivery[i].Secrets()...)
		}
		for i := range d.profile.Feed.Sources {
			refs = append(refs, d.profile.Feed.Sources[i].Secrets()...)
		}
		slices.Sort(refs)
		for _, ref := range slices.Compact(refs) {
			count++
			fault, action, err := x.missing(ctx, ref, x.prefix(d))
			if x.troubled(id, action, err) {
				return
			}
			if fault != "" {
				faults = append(faults, d.of(fault))
			}
		}
	}
	if count == 0 {
		x.skip(id, "the profile names none")
		return
	}
	x.judge(id, Fail, faults, "%d, none of them was read", count)
}

// prefix begins the names that lead worker and importer may read for a dealer.
func (x *examination) prefix(d one) string {
	prefix := x.Parameters["SecretPrefix"] + "/"
	if d.id != "" {
		prefix += d.id + "/"
	}
	return prefix
}

// missing says what is wrong with a reference, or which right finding out asks for.
func (x *examination) missing(ctx context.Context, ref, prefix string) (fault, action string, err error) {
	scheme, name, _ := dealer.SplitSecret(ref)
	switch scheme {
	case "ssm":
		if !strings.HasPrefix(strings.TrimPrefix(name, "/"), prefix) {
			return fmt.Sprintf("%s is not below %s, where alone functions may read", ref, "/"+prefix), "", nil
		}
		out, err := ssm.NewFromConfig(x.Config).DescribeParameters(ctx, &ssm.DescribeParametersInput{
			ParameterFilters: []ssmtypes.ParameterStringFilter{{Key: aws.String("Name"), Option: aws.String("Equals"), Values: []string{name}}},
		})
		switch {
		case err != nil:
			return "", "ssm:DescribeParameters", err
		case len(out.Parameters) == 0:
			return ref + " is not there", "", nil
		case out.Parameters[0].Type != ssmtypes.ParameterTypeSecureString:
			return fmt.Sprintf("%s is a %s: store it as SecureString", ref, out.Parameters[0].Type), "", nil
		}
		return "", "", nil
	case "secretsmanager":
		secret, _, _ := strings.Cut(name, "#")
		if !strings.HasPrefix(secret, prefix) {
			return fmt.Sprintf("%s is not below %s, where alone functions may read", ref, prefix), "", nil
		}
		out, err := secretsmanager.NewFromConfig(x.Config).DescribeSecret(ctx, &secretsmanager.DescribeSecretInput{SecretId: aws.String(secret)})
		switch {
		case is(err, "ResourceNotFoundException"):
			return ref + " is not there", "", nil
		case err != nil:
			return "", "secretsmanager:DescribeSecret", err
		case out.DeletedDate != nil:
			return ref + " is going to be deleted", "", nil
		}
		return "", "", nil
	}
	return ref + " cannot be read on AWS: write ssm:/… or secretsmanager:…", "", nil
}
