package stacks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

// Pool is a stack that serves many dealers, each by a profile of its own.
type Pool struct {
	account *Account
	stack   *cloud.Stack
	// Kept are the places that keep what belongs to a dealer, by their names in the
	// template, when the profile is gone.
	Kept []Resource
}

// Pool opens the stack of this name: ErrMissing when there is none.
func (a *Account) Pool(ctx context.Context, name string) (*Pool, error) {
	d, err := cloud.ReadDeployed(ctx, a.formation, name)
	if errors.Is(err, cloud.ErrNoStack) {
		return nil, fmt.Errorf("%w: %s", ErrMissing, name)
	}
	if err != nil {
		return nil, told(err)
	}
	p := &Pool{account: a, stack: d.Open(a.config)}
	if p.stack.Settings.ProfileBucket == "" || !p.stack.Settings.Pooled() {
		return nil, fmt.Errorf("the stack %s serves one dealer; deploy it with Dealers=many, or leave mode out of the fleet file", name)
	}
	for _, logical := range []string{"LeadsTable", "InventoryTable", "FeedBucket", "SiteBucket"} {
		if physical := d.Resources[logical]; physical != "" {
			p.Kept = append(p.Kept, Resource{Logical: logical, Physical: physical})
		}
	}
	return p, nil
}

// Dealers are those who have a profile, sorted.
func (p *Pool) Dealers(ctx context.Context) ([]string, error) {
	ids, err := p.stack.Dealers(ctx)
	return ids, told(err)
}

// Published are those whom buyers reach, sorted.
func (p *Pool) Published(ctx context.Context) ([]string, error) {
	ids, err := p.stack.Roster().All(ctx)
	return ids, told(err)
}

// Digest is the SHA-256 of the dealer's profile in hexadecimal, or ErrMissing. One
// that was uploaded by other means than Put is read for it.
func (p *Pool) Digest(ctx context.Context, id string) (string, error) {
	s := p.stack.Settings
	out, err := p.stack.Objects().HeadObject(ctx, &s3.HeadObjectInput{Bucket: aws.String(s.ProfileBucket), Key: aws.String(s.ProfileKeyOf(id))})
	if err = told(err); err != nil {
		return "", err
	}
	if noted := out.Metadata[digestKey]; noted != "" {
		return noted, nil
	}
	document, err := cloud.NewOrigin(p.stack.Objects(), s.ProfileBucket, s.ProfileKeyOf(id)).Fetch(ctx, "")
	if err = told(err); err != nil {
		return "", err
	}
	return digest(document.Body), nil
}

// Put uploads the profile of the dealer, which publishes it.
func (p *Pool) Put(ctx context.Context, id string, profile []byte) error {
	return p.account.Put(ctx, p.stack.Settings.ProfileBucket, p.stack.Settings.ProfileKeyOf(id), "application/yaml", profile)
}

// Remove removes the profile of the dealer, which withdraws the dealer. The bucket
// keeps old versions for a while.
func (p *Pool) Remove(ctx context.Context, id string) error {
	_, err := p.stack.Objects().DeleteObject(ctx, &s3.DeleteObjectInput{
		Bucket: aws.String(p.stack.Settings.ProfileBucket), Key: aws.String(p.stack.Settings.ProfileKeyOf(id)),
	})
	return told(err)
}

// Activity is that of one dealer. It takes two read units, or some more on a very
// good day.
func (p *Pool) Activity(ctx context.Context, id string, since time.Time) (did Activity, err error) {
	switch head, err := p.stack.Inventory().Head(ctx, id); {
	case err == nil:
		did.Imported = head.ImportedAt
	case !errors.Is(err, inventory.ErrNotFound):
		return did, told(err)
	}
	did.Leads, err = p.stack.CountLeads(ctx, id, since)
	return did, told(err)
}
