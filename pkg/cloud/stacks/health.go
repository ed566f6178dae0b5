package stacks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

// Alarms lists the names of all alarms of the account and region that are in
// ALARM: one call, whatever the number of stacks.
func (a *Account) Alarms(ctx context.Context) ([]string, error) {
	var names []string
	pages := cloudwatch.NewDescribeAlarmsPaginator(a.watch, &cloudwatch.DescribeAlarmsInput{StateValue: types.StateValueAlarm, MaxRecords: aws.Int32(100)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, told(err)
		}
		for _, alarm := range page.MetricAlarms {
			names = append(names, aws.ToString(alarm.AlarmName))
		}
	}
	return names, nil
}

// AlarmsOf picks the alarms of one stack out of an account's and returns their
// names in the template, in order. CloudFormation calls an alarm STACK-NAME-LETTERS.
func AlarmsOf(stack string, all []string) []string {
	var own []string
	for _, name := range all {
		rest, ok := strings.CutPrefix(name, stack+"-")
		// Names in a template have no hyphens, so one hyphen is left, or none.
		if logical, tail, found := strings.Cut(rest, "-"); ok && !strings.Contains(tail, "-") && (found || tail == "") {
			own = append(own, logical)
		}
	}
	slices.Sort(own)
	return own
}

// Activity is what a stack of the dealer agent has done.
type Activity struct {
	// Imported is when the inventory was last written; zero for never.
	Imported time.Time
	// Leads were received since the time that was asked for.
	Leads int
}

// Activity reads when a stack last imported and counts its leads since a time. It
// takes the profile from S3 and two read units, or some more on a very good day.
func (a *Account) Activity(ctx context.Context, name string, since time.Time) (Activity, error) {
	d, err := cloud.ReadDeployed(ctx, a.formation, name)
	if errors.Is(err, cloud.ErrNoStack) {
		return Activity{}, fmt.Errorf("%w: %s", ErrMissing, name)
	}
	if err != nil {
		return Activity{}, told(err)
	}
	stack := d.Open(a.config)
	if stack.Settings.InventoryTable == "" || stack.Settings.LeadsTable == "" || stack.Settings.ProfileBucket == "" {
		return Activity{}, errors.New("the stack is none of a dealer agent")
	}
	document, err := cloud.NewOrigin(stack.Objects(), stack.Settings.ProfileBucket, stack.Settings.ProfileKey).Fetch(ctx, "")
	if err = told(err); err != nil {
		return Activity{}, err
	}
	profile, err := dealer.Parse(document.Body)
	if err != nil {
		return Activity{}, errors.New("its dealer profile cannot be read; `dealer publish` tells the faults")
	}
	var did Activity
	switch head, err := stack.Inventory().Head(ctx, profile.ID); {
	case err == nil:
		did.Imported = head.ImportedAt
	case !errors.Is(err, inventory.ErrNotFound):
		return did, told(err)
	}
	did.Leads, err = stack.CountLeads(ctx, profile.ID, since)
	return did, told(err)
}
