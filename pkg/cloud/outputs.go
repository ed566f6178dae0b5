package cloud

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/smithy-go"
)

// ErrNoStack: the account has no such stack in this region.
var ErrNoStack = errors.New("there is no such stack")

// Formation is what reading a stack takes of CloudFormation;
// *cloudformation.Client is one.
type Formation interface {
	cloudformation.DescribeStacksAPIClient
	cloudformation.ListStackResourcesAPIClient
}

// Deployed is a stack as CloudFormation tells it.
type Deployed struct {
	Name, Region, Account string
	// ID is the stack's ARN.
	ID string
	// Status is CloudFormation's, such as UPDATE_COMPLETE, and Reason its words for it.
	Status, Reason string
	// Changed is when the stack was last made or updated.
	Changed time.Time
	// Parameters, Outputs and Tags are values by name.
	Parameters, Outputs, Tags map[string]string
	// Resources are physical ids by the template's names: a bucket's or table's
	// name, a queue's URL, a topic's ARN.
	Resources map[string]string
}

// ReadDeployed reads the stack of this name or ARN: ErrNoStack when there is
// none.
func ReadDeployed(ctx context.Context, api Formation, name string) (Deployed, error) {
	told, err := api.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: aws.String(name)})
	if noStack(err) || err == nil && len(told.Stacks) != 1 {
		return Deployed{}, fmt.Errorf("%w: %s", ErrNoStack, name)
	}
	if err != nil {
		return Deployed{}, err
	}
	s := told.Stacks[0]
	d := Deployed{
		Name: aws.ToString(s.StackName), ID: aws.ToString(s.StackId), Status: string(s.StackStatus), Reason: aws.ToString(s.StackStatusReason),
		Changed: aws.ToTime(s.CreationTime), Parameters: map[string]string{}, Outputs: map[string]string{}, Tags: map[string]string{}, Resources: map[string]string{},
	}
	if s.LastUpdatedTime != nil {
		d.Changed = *s.LastUpdatedTime
	}
	if id, err := arn.Parse(d.ID); err == nil {
		d.Region, d.Account = id.Region, id.AccountID
	}
	for _, p := range s.Parameters {
		d.Parameters[aws.ToString(p.ParameterKey)] = aws.ToString(p.ParameterValue)
	}
	for _, o := range s.Outputs {
		d.Outputs[aws.ToString(o.OutputKey)] = aws.ToString(o.OutputValue)
	}
	for _, t := range s.Tags {
		d.Tags[aws.ToString(t.Key)] = aws.ToString(t.Value)
	}
	pages := cloudformation.NewListStackResourcesPaginator(api, &cloudformation.ListStackResourcesInput{StackName: aws.String(d.ID)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return Deployed{}, err
		}
		for _, r := range page.StackResourceSummaries {
			d.Resources[aws.ToString(r.LogicalResourceId)] = aws.ToString(r.PhysicalResourceId)
		}
	}
	return d, nil
}

// noStack tells the fault of a missing stack from others of the same code.
func noStack(err error) bool {
	fault, ok := errors.AsType[smithy.APIError](err)
	return ok && fault.ErrorCode() == "ValidationError" && strings.Contains(fault.ErrorMessage(), "does not exist")
}

// FeedPrefix is where the feed bucket takes inventory exports.
const FeedPrefix = "feeds/"

// FeedBucket is the bucket that takes exports and keeps the reports on them.
func (d Deployed) FeedBucket() string { return d.Resources["FeedBucket"] }

// Address is where buyers reach the stack, without a slash at the end.
func (d Deployed) Address() string { return d.Outputs["Address"] }

// settings are those that a person's command needs.
func (d Deployed) settings() Settings {
	profile := d.Parameters["ProfileKey"]
	if d.Parameters["Dealers"] == "many" {
		profile = profilesPrefix
	}
	return Settings{
		ProfileBucket: d.Resources["SiteBucket"], ProfileKey: profile, URL: d.Address(),
		LeadsTable: d.Resources["LeadsTable"], InventoryTable: d.Resources["InventoryTable"], QueueURL: d.Resources["LeadQueue"],
		FeedBucket: d.FeedBucket(), ReportPrefix: "reports/",
	}
}

// Open opens the stack with these AWS rights.
func (d Deployed) Open(cfg aws.Config) *Stack { return NewStack(d.settings(), cfg) }

// OpenDeployed opens the stack of this name for a person's command, with that
// person's own AWS rights. An empty region is the environment's. Faults that
// the person can mend are ErrNoStack and ErrNoAccess.
func OpenDeployed(ctx context.Context, name, region string) (*Stack, Deployed, error) {
	stack, err := OpenFor(ctx, Settings{}, region)
	if err != nil {
		return nil, Deployed{}, err
	}
	d, err := ReadDeployed(ctx, cloudformation.NewFromConfig(stack.config), name)
	if errors.Is(err, ErrNoStack) {
		return nil, d, fmt.Errorf("%w in %s; see its name and region with `aws cloudformation describe-stacks`", err, stack.config.Region)
	}
	if err != nil {
		return nil, d, Access(err)
	}
	stack.Settings = d.settings()
	return stack, d, nil
}
