package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/schema"
)

// ErrURL: the address to examine is none.
var ErrURL = errors.New("no address of an agent")

// Config says what to examine. URL is required.
type Config struct {
	// URL is the agent's base URL, or that of its card.
	URL string
	// Deep looks at the inventory and at the schemas that the card names too.
	Deep bool
	// Token is sent as bearer token to the card's host.
	Token string
	// SendTestLead submits one lead that says that it is a test.
	SendTestLead bool
	// Timeout is for one request; the whole may take forty times as long.
	// Default 10s.
	Timeout time.Duration
	// Slow is the time a call may take without a warning. Default 2s.
	Slow time.Duration
	// Now is the clock dates are held against. Default time.Now.
	Now func() time.Time
	// NewID makes message ids and idempotency keys. Default UUIDv7.
	NewID func() string
	// Roots are the certificate authorities to trust. Default: the system's.
	Roots *x509.CertPool
}

// examination is one Report in the making.
type examination struct {
	Config
	*ledger
	report *Report
	door   *door
	http   *http.Client
	card   *url.URL
	// raw is the main card as it was served.
	raw       []byte
	schemas   func(aap.Version) (*schema.Set, error)
	contracts []*contract
}

// Examine looks at one agent. The error is about the Config (ErrURL) alone:
// whatever the agent does is in the Report. Only one request is under way at a
// time.
func Examine(ctx context.Context, c Config) (*Report, error) {
	if c.Timeout <= 0 {
		c.Timeout = 10 * time.Second
	}
	if c.Slow <= 0 {
		c.Slow = 2 * time.Second
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.NewID == nil {
		c.NewID = func() string { return uuid.Must(uuid.NewV7()).String() }
	}
	card, err := a2a.CardURL(c.URL)
	if err != nil || card.User != nil {
		return nil, fmt.Errorf("%w: give a URL such as https://agent.example.com, without a password", ErrURL)
	}
	ctx, cancel := context.WithTimeout(ctx, 40*c.Timeout)
	defer cancel()
	x := &examination{
		Config: c, card: card, schemas: schema.Released(),
		ledger: &ledger{token: c.Token},
		report: &Report{URL: printable(c.URL), CheckedAt: c.Now().UTC().Truncate(time.Second), Versions: []string{}},
	}
	x.run(ctx)
	x.report.close(x.ledger)
	return x.report, nil
}

// run makes every check that the ones before it left possible.
func (x *examination) run(ctx context.Context) {
	inside, ok := x.resolve(ctx)
	if !ok {
		return
	}
	transport := newTransport(inside, x.Timeout)
	transport.TLSClientConfig = &tls.Config{RootCAs: x.Roots, MinVersion: tls.VersionTLS12}
	defer transport.CloseIdleConnections()
	x.door = &door{base: transport}
	x.http = &http.Client{Transport: x.door, Timeout: x.Timeout, CheckRedirect: hop}
	if !x.secure(ctx) || !x.files(ctx) {
		return
	}
	x.agree(ctx)
	for _, c := range x.contracts {
		x.examine(ctx, c)
	}
	if x.Deep && len(x.contracts) > 0 {
		x.stock(ctx, x.contracts[0])
		x.schemaFiles(ctx)
	}
	x.tools(ctx)
	x.toolFiles(ctx)
	x.limits()
	x.speed()
}

// hop lets files be redirected a few times, and never from https to http.
func hop(next *http.Request, before []*http.Request) error {
	if len(before) >= mostHops {
		return errLoop
	}
	if before[0].URL.Scheme == "https" && next.URL.Scheme != "https" {
		return fmt.Errorf("redirected from https to %s", next.URL.Scheme)
	}
	return nil
}

// examine looks at one contract.
func (x *examination) examine(ctx context.Context, c *contract) {
	x.cardOf(c)
	x.manifest(ctx, c)
	if !x.access(ctx, c) {
		return
	}
	x.skills(ctx, c)
	x.protocol(ctx, c)
	x.refusals(ctx, c)
	x.headers(ctx, c)
	x.rest(ctx, c)
	x.consent(ctx, c)
	x.lead(ctx, c)
	x.errors(c)
}
