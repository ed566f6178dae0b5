package site

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"golang.org/x/sync/errgroup"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

const (
	// byID and byHost begin the keys of the files that readers ask for below
	// /dealers/<id> and under a host name; the id or the host follows.
	byID   = "published/"
	byHost = "hosts/"
	// apiHosts is in API Gateway's own name of every stack, which CloudFront calls.
	apiHosts = ".execute-api."
	// atOnce is how many dealers are published side by side.
	atOnce = 8
)

var (
	// errTaken: another dealer was published under the host first.
	errTaken = errors.New("the host of the profile's url is another dealer's")
	// errOwn: who asks the stack itself is to find no dealer there.
	errOwn = errors.New("the host of the profile's url is the stack's own; remove url, or write a host of the dealer's own")
)

// pool publishes the profiles of many dealers, each below its own id and, where
// its url is the root of a host, under that host. It notes each in the roster of
// the functions before buyers.
type pool struct {
	objects  *s3.Client
	settings cloud.Settings
	// roster is one that was not read yet.
	roster func() *cloud.Roster
	log    *slog.Logger
	// onPublish is Publisher.OnPublish.
	onPublish func(result string, files int, took time.Duration)
}

func (p *pool) place() string { return "s3://" + p.settings.ProfileBucket + "/" + byID }

func (p *pool) deployed(ctx context.Context, _ map[string]any) error { return p.changed(ctx, "") }

// changed publishes one dealer, or all; one that fails keeps nobody from theirs.
func (p *pool) changed(ctx context.Context, key string) error {
	if key != "" {
		id, ok := p.settings.DealerOfProfile(key)
		if !ok {
			p.log.WarnContext(ctx, "not a dealer's profile", "key", key)
			return nil
		}
		return p.one(ctx, id)
	}
	ids, err := p.dealers(ctx)
	if err != nil {
		return err
	}
	var work errgroup.Group
	work.SetLimit(atOnce)
	var failed atomic.Int64
	for _, id := range ids {
		work.Go(func() error {
			if err := p.one(ctx, id); err != nil {
				failed.Add(1)
				p.log.ErrorContext(cloud.ForDealer(ctx, id), "files not published", "error", err)
			}
			return nil
		})
	}
	_ = work.Wait() // its functions return nil
	if n := failed.Load(); n > 0 {
		return fmt.Errorf("the files of %d dealers were not published; the log names them", n)
	}
	return nil
}

// dealers are all that have a folder for their profile, or are in the roster.
func (p *pool) dealers(ctx context.Context) (ids []string, err error) {
	for _, prefix := range []string{p.settings.ProfileKey, cloud.RosterPrefix} {
		found, err := cloud.DealerFolders(ctx, p.objects, p.settings.ProfileBucket, prefix)
		if err != nil {
			return nil, fmt.Errorf("list the dealers: %w", err)
		}
		ids = append(ids, found...)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// one publishes a dealer, or withdraws one whose profile is gone.
func (p *pool) one(ctx context.Context, id string) error {
	ctx = cloud.ForDealer(ctx, id)
	err := p.publisher(id).Publish(ctx)
	if errors.Is(err, ErrNoProfile) {
		return p.withdraw(ctx, id, "")
	}
	if _, faulty := errors.AsType[*dealer.Faults](err); faulty || errors.Is(err, errTaken) || errors.Is(err, errOwn) || errors.Is(err, errForeign) {
		return nil // logged; repeating does not mend it
	}
	return err
}

// publisher is that of one dealer.
func (p *pool) publisher(id string) *Publisher {
	return &Publisher{
		Objects: p.objects, Bucket: p.settings.ProfileBucket, ProfileKey: p.settings.ProfileKeyOf(id),
		URL: addressOf(p.settings.URL, id), Log: p.log, OnPublish: p.onPublish,
		settle: func(ctx context.Context, profile *dealer.Profile) ([]string, error) {
			return p.settle(ctx, id, profile)
		},
	}
}

var errForeign = errors.New("the id in the profile is not that of its place")

// settle checks whose the profile and its host are, and notes them.
func (p *pool) settle(ctx context.Context, id string, profile *dealer.Profile) ([]string, error) {
	places, host := []string{byID + id + "/"}, hostOf(profile.URL)
	var err error
	if profile.ID != id {
		err = fmt.Errorf("%w: %s lies at the place of %s", errForeign, profile.ID, id)
	} else if host != cloud.NoHost {
		places = append(places, byHost+host+"/")
		err = p.free(ctx, id, host)
	}
	if err != nil {
		p.log.ErrorContext(ctx, cloud.LogProfile, "error", err)
		return nil, err
	}
	// Only once: the first dealer to be noted under a host has it.
	noted, err := p.noted(ctx, id)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(noted, host) {
		_, err = p.objects.PutObject(ctx, &s3.PutObjectInput{
			Bucket: aws.String(p.settings.ProfileBucket), Key: aws.String(cloud.RosterKey(id, host)), Body: strings.NewReader(""),
		})
		if err != nil {
			return nil, fmt.Errorf("note the dealer: %w", err)
		}
		if err := p.alone(ctx, id, host); err != nil {
			return nil, err
		}
	}
	return places, p.withdraw(ctx, id, host)
}

// alone takes the note of a dealer back whom another one came before meanwhile.
func (p *pool) alone(ctx context.Context, id, host string) error {
	if host == cloud.NoHost {
		return nil
	}
	err := p.free(ctx, id, host)
	if !errors.Is(err, errTaken) {
		return err
	}
	p.log.ErrorContext(ctx, cloud.LogProfile, "error", err)
	return errors.Join(err, p.remove(ctx, cloud.RosterKey(id, host)))
}

// free returns errOwn for a host of the stack itself, errTaken for one that is
// another dealer's, or that is kept for another: the one whose id stands for the
// asterisk of the stack's own name.
func (p *pool) free(ctx context.Context, id, host string) error {
	if host == strings.TrimPrefix(hostOf(p.settings.URL), "*.") || strings.Contains(host, apiHosts) {
		return errOwn
	}
	roster := p.roster()
	if keeper := keeperOf(p.settings.URL, host); keeper != "" && keeper != id {
		if err := roster.Check(ctx, keeper); !errors.Is(err, cloud.ErrUnknownDealer) {
			return errors.Join(errTaken, err)
		}
	}
	holder, err := roster.ByHost(ctx, host)
	if err == nil && holder != id {
		return fmt.Errorf("%w: %s", errTaken, holder)
	}
	if errors.Is(err, cloud.ErrUnknownDealer) {
		return nil
	}
	return err
}

// noted are the hosts under which the dealer is in the roster.
func (p *pool) noted(ctx context.Context, id string) (hosts []string, err error) {
	prefix := cloud.RosterKey(id, "")
	out, err := p.objects.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: aws.String(p.settings.ProfileBucket), Prefix: aws.String(prefix)})
	if err != nil {
		return nil, fmt.Errorf("read the roster: %w", err)
	}
	for _, object := range out.Contents {
		hosts = append(hosts, strings.TrimPrefix(aws.ToString(object.Key), prefix))
	}
	return hosts, nil
}

// withdraw takes the dealer out of the roster under all hosts but one, and the
// files with it; without a host it takes away all.
func (p *pool) withdraw(ctx context.Context, id, kept string) error {
	hosts, err := p.noted(ctx, id)
	if err != nil {
		return err
	}
	roster := p.roster()
	for _, host := range hosts {
		if host == kept {
			continue
		}
		holder, err := roster.ByHost(ctx, host)
		if err != nil && !errors.Is(err, cloud.ErrUnknownDealer) {
			return err
		}
		if err := p.remove(ctx, cloud.RosterKey(id, host)); err != nil {
			return err
		}
		if holder != id { // NoHost is nobody's
			continue
		}
		if err := p.removeAll(ctx, byHost+host+"/"); err != nil {
			return err
		}
	}
	if kept != "" {
		return nil
	}
	p.log.WarnContext(ctx, "dealer withdrawn: there is no profile")
	return p.removeAll(ctx, byID+id+"/")
}

func (p *pool) removeAll(ctx context.Context, prefix string) error {
	out, err := p.objects.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: aws.String(p.settings.ProfileBucket), Prefix: aws.String(prefix)})
	if err != nil {
		return fmt.Errorf("list %s: %w", prefix, err)
	}
	for _, object := range out.Contents {
		if err := p.remove(ctx, aws.ToString(object.Key)); err != nil {
			return err
		}
	}
	return nil
}

func (p *pool) remove(ctx context.Context, key string) error {
	_, err := p.objects.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: aws.String(p.settings.ProfileBucket), Key: aws.String(key)})
	if _, gone := errors.AsType[*types.NoSuchKey](err); err != nil && !gone {
		return fmt.Errorf("remove %s: %w", key, err)
	}
	return nil
}

// addressOf is where a dealer is reached whose profile has no url: under its id
// in the place of an asterisk in the stack's own name, else below a path.
func addressOf(stack, id string) string {
	if strings.Contains(stack, "//*.") {
		return strings.Replace(stack, "*", id, 1)
	}
	return stack + cloud.DealersPath + id
}

// keeperOf is the dealer id that stands for the asterisk in the host, or "".
func keeperOf(stack, host string) string {
	_, base, wild := strings.Cut(stack, "//*")
	label, found := strings.CutSuffix(host, base)
	if !wild || !found || strings.Contains(label, ".") {
		return ""
	}
	return label
}

// hostOf is the host whose root the address is, in lower case, or cloud.NoHost.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Path != "" || u.Hostname() == "" || u.Port() != "" {
		return cloud.NoHost
	}
	return strings.ToLower(u.Hostname())
}
