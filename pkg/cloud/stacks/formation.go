package stacks

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
)

// All lists every stack of the account and region that is not deleted.
func (a *Account) All(ctx context.Context) ([]Stack, error) {
	var all []Stack
	pages := cloudformation.NewDescribeStacksPaginator(a.formation, &cloudformation.DescribeStacksInput{})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, told(err)
		}
		for _, s := range page.Stacks {
			if s.StackStatus != types.StackStatusDeleteComplete {
				all = append(all, stackOf(s))
			}
		}
	}
	return all, nil
}

// Find reads the stack of this name or id; ErrMissing when there is none. By id
// it also finds a stack that was deleted.
func (a *Account) Find(ctx context.Context, name string) (Stack, error) {
	out, err := a.formation.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: aws.String(name)})
	if err != nil {
		return Stack{}, told(err)
	}
	if len(out.Stacks) == 0 {
		return Stack{}, ErrMissing
	}
	return stackOf(out.Stacks[0]), nil
}

func stackOf(s types.Stack) Stack {
	out := Stack{
		ID: aws.ToString(s.StackId), Name: aws.ToString(s.StackName), Status: string(s.StackStatus), Reason: aws.ToString(s.StackStatusReason),
		Created: aws.ToTime(s.CreationTime), Updated: aws.ToTime(s.LastUpdatedTime), Protected: aws.ToBool(s.EnableTerminationProtection),
		Parameters: map[string]string{}, Tags: map[string]string{}, Outputs: map[string]string{},
	}
	for _, p := range s.Parameters {
		out.Parameters[aws.ToString(p.ParameterKey)] = aws.ToString(p.ParameterValue)
	}
	for _, t := range s.Tags {
		out.Tags[aws.ToString(t.Key)] = aws.ToString(t.Value)
	}
	for _, o := range s.Outputs {
		out.Outputs[aws.ToString(o.OutputKey)] = aws.ToString(o.OutputValue)
	}
	return out
}

// Propose makes a change set: ErrExists when there is one of that name, ErrEmpty
// when CloudFormation says at once that it changes nothing.
func (a *Account) Propose(ctx context.Context, p Proposal) error {
	in := &cloudformation.CreateChangeSetInput{
		StackName: aws.String(p.Stack), ChangeSetName: aws.String(p.Name), ClientToken: aws.String(p.Token),
		ChangeSetType: types.ChangeSetTypeUpdate, Capabilities: []types.Capability{types.CapabilityCapabilityIam},
	}
	if p.New {
		in.ChangeSetType = types.ChangeSetTypeCreate
	}
	if p.URL != "" {
		in.TemplateURL = aws.String(p.URL)
	} else {
		in.TemplateBody = aws.String(p.Body)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Parameters)) {
		in.Parameters = append(in.Parameters, types.Parameter{ParameterKey: aws.String(name), ParameterValue: aws.String(p.Parameters[name])})
	}
	for _, name := range slices.Sorted(maps.Keys(p.Tags)) {
		in.Tags = append(in.Tags, types.Tag{Key: aws.String(name), Value: aws.String(p.Tags[name])})
	}
	_, err := a.formation.CreateChangeSet(ctx, in)
	return told(err)
}

// Proposed reads a change set; ErrMissing when there is none.
func (a *Account) Proposed(ctx context.Context, stack, name string) (ChangeSet, error) {
	out, err := a.formation.DescribeChangeSet(ctx, &cloudformation.DescribeChangeSetInput{StackName: aws.String(stack), ChangeSetName: aws.String(name)})
	if err != nil {
		return ChangeSet{}, told(err)
	}
	reason := aws.ToString(out.StatusReason)
	c := ChangeSet{Reason: reason}
	switch out.ExecutionStatus {
	case types.ExecutionStatusExecuteInProgress, types.ExecutionStatusExecuteComplete, types.ExecutionStatusExecuteFailed:
		c.Executed = true
		return c, nil
	}
	switch out.Status {
	case types.ChangeSetStatusCreateComplete:
		c.Ready = true
	case types.ChangeSetStatusFailed:
		c.Empty = strings.Contains(reason, "didn't contain changes") || strings.Contains(reason, "No updates are to be performed")
	case types.ChangeSetStatusDeleteComplete:
		return c, ErrMissing
	default:
		c.Pending = true
	}
	return c, nil
}

// Execute begins to carry a change set out.
func (a *Account) Execute(ctx context.Context, stack, name, token string) error {
	_, err := a.formation.ExecuteChangeSet(ctx, &cloudformation.ExecuteChangeSetInput{
		StackName: aws.String(stack), ChangeSetName: aws.String(name), ClientRequestToken: aws.String(token),
	})
	return told(err)
}

// Discard removes a change set; one that is not there is no error.
func (a *Account) Discard(ctx context.Context, stack, name string) error {
	_, err := a.formation.DeleteChangeSet(ctx, &cloudformation.DeleteChangeSetInput{StackName: aws.String(stack), ChangeSetName: aws.String(name)})
	if err = told(err); errors.Is(err, ErrMissing) {
		return nil
	}
	return err
}

// Delete begins to delete the stack of this id; a deleted one is no error.
func (a *Account) Delete(ctx context.Context, id, token string) error {
	_, err := a.formation.DeleteStack(ctx, &cloudformation.DeleteStackInput{StackName: aws.String(id), ClientRequestToken: aws.String(token)})
	return told(err)
}

// Events are what happened to a stack, newest first, back to the beginning of its
// latest change.
func (a *Account) Events(ctx context.Context, id string) ([]Event, error) {
	var all []Event
	pages := cloudformation.NewDescribeStackEventsPaginator(a.formation, &cloudformation.DescribeStackEventsInput{StackName: aws.String(id)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, told(err)
		}
		for _, e := range page.StackEvents {
			event := Event{
				At: aws.ToTime(e.Timestamp), Logical: aws.ToString(e.LogicalResourceId), Type: aws.ToString(e.ResourceType), Physical: aws.ToString(e.PhysicalResourceId),
				Status: string(e.ResourceStatus), Reason: aws.ToString(e.ResourceStatusReason), Token: aws.ToString(e.ClientRequestToken),
			}
			all = append(all, event)
			if event.Begins(id) {
				return all, nil
			}
		}
	}
	return all, nil
}

// Begins reports whether the event is where a change of the stack with this id begins.
func (e Event) Begins(id string) bool {
	return e.Physical == id && e.Reason == "User Initiated" && slices.Contains([]string{"CREATE_IN_PROGRESS", "UPDATE_IN_PROGRESS", "DELETE_IN_PROGRESS"}, e.Status)
}

// Resources lists what a stack is made of.
func (a *Account) Resources(ctx context.Context, id string) ([]Resource, error) {
	var all []Resource
	pages := cloudformation.NewListStackResourcesPaginator(a.formation, &cloudformation.ListStackResourcesInput{StackName: aws.String(id)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, told(err)
		}
		for _, r := range page.StackResourceSummaries {
			all = append(all, Resource{aws.ToString(r.LogicalResourceId), aws.ToString(r.PhysicalResourceId), aws.ToString(r.ResourceType)})
		}
	}
	return all, nil
}

// Template reads the template that a stack was last made of.
func (a *Account) Template(ctx context.Context, id string) ([]byte, error) {
	out, err := a.formation.GetTemplate(ctx, &cloudformation.GetTemplateInput{StackName: aws.String(id), TemplateStage: types.TemplateStageProcessed})
	if err != nil {
		return nil, told(err)
	}
	return []byte(aws.ToString(out.TemplateBody)), nil
}

// StartDrift has CloudFormation compare a stack's resources with its template,
// and returns what to ask for.
func (a *Account) StartDrift(ctx context.Context, id string) (string, error) {
	out, err := a.formation.DetectStackDrift(ctx, &cloudformation.DetectStackDriftInput{StackName: aws.String(id)})
	if err != nil {
		return "", told(err)
	}
	return aws.ToString(out.StackDriftDetectionId), nil
}

// Drifted tells whether that comparison has ended.
func (a *Account) Drifted(ctx context.Context, detection string) (done bool, err error) {
	out, err := a.formation.DescribeStackDriftDetectionStatus(ctx, &cloudformation.DescribeStackDriftDetectionStatusInput{StackDriftDetectionId: aws.String(detection)})
	if err != nil {
		return false, told(err)
	}
	if out.DetectionStatus == types.StackDriftDetectionStatusDetectionFailed {
		return true, errors.New("CloudFormation could not compare every resource: " + aws.ToString(out.DetectionStatusReason))
	}
	return out.DetectionStatus == types.StackDriftDetectionStatusDetectionComplete, nil
}

// Drifts lists the resources that differ, as the latest comparison found them.
func (a *Account) Drifts(ctx context.Context, id string) ([]Drift, error) {
	var all []Drift
	pages := cloudformation.NewDescribeStackResourceDriftsPaginator(a.formation, &cloudformation.DescribeStackResourceDriftsInput{
		StackName:                       aws.String(id),
		StackResourceDriftStatusFilters: []types.StackResourceDriftStatus{types.StackResourceDriftStatusModified, types.StackResourceDriftStatusDeleted},
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, told(err)
		}
		for _, d := range page.StackResourceDrifts {
			drift := Drift{Logical: aws.ToString(d.LogicalResourceId), Type: aws.ToString(d.ResourceType), Status: string(d.StackResourceDriftStatus)}
			for _, p := range d.PropertyDifferences {
				drift.Paths = append(drift.Paths, aws.ToString(p.PropertyPath))
			}
			all = append(all, drift)
		}
	}
	return all, nil
}
