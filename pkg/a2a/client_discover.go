package a2a

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent"
)

// Discover reads the card below a base URL (or a card's own URL) and settles on
// the best contract both sides name exactly: one the card declares, at the
// endpoint of the contract manifest where it names one, or one that a card of
// its own beside it declares (VersionCardPath). There is no fallback to a
// version that nothing declares: ErrNotAAP instead.
func (c Client) Discover(ctx context.Context, base string) (*Remote, error) {
	if c.HTTP == nil {
		c.HTTP = &http.Client{Timeout: 30 * time.Second}
	}
	if c.Versions == nil {
		c.Versions = aap.Versions()
	}
	if c.NewID == nil {
		c.NewID = agent.NewID
	}
	at, err := CardURL(base)
	if err != nil {
		return nil, err
	}
	main, err := c.readRemote(ctx, at)
	if err != nil {
		return nil, err
	}
	for _, v := range c.Versions {
		r := main
		if _, ok := r.declared(v); !ok {
			if r, err = c.beside(ctx, at, v); err != nil {
				return nil, err
			}
		}
		if r == nil {
			continue
		}
		if err := r.settle(ctx, at, v); err != nil {
			return nil, err
		}
		return r, nil
	}
	return nil, main.notAAP(at)
}

// readRemote reads the card at a URL.
func (c Client) readRemote(ctx context.Context, at *url.URL) (*Remote, error) {
	raw, err := c.get(ctx, at, "card")
	if err != nil {
		return nil, err
	}
	r, err := c.remote(raw)
	if err != nil {
		return nil, fmt.Errorf("read the card at %s: %w", at, err)
	}
	return r, nil
}

// remote is the agent of a card.
func (c Client) remote(raw []byte) (r *Remote, err error) {
	r = &Remote{RawCard: raw, client: c}
	if r.Card, err = readCard(raw); err != nil {
		return nil, err
	}
	noRedirect := *c.HTTP
	noRedirect.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	r.http = &noRedirect
	return r, nil
}

// beside looks for a contract's own card beside a main card; nil when there is
// none. A caller who named another card wants that one.
func (c Client) beside(ctx context.Context, main *url.URL, v aap.Version) (*Remote, error) {
	if path.Base(main.Path) != path.Base(CardPath) {
		return nil, nil
	}
	raw, err := c.get(ctx, main.ResolveReference(&url.URL{Path: versionCard(v)}), "card")
	if answer, ok := errors.AsType[*statusError](err); ok && answer.status/100 == 4 {
		return nil, nil
	}
	if err != nil { // no reason to take an older contract
		return nil, err
	}
	r, err := c.remote(raw)
	if err != nil {
		return nil, nil // whatever lies there is no card
	}
	if _, ok := r.declared(v); !ok {
		return nil, nil
	}
	return r, nil
}

// statusError is an HTTP status in place of a file.
type statusError struct {
	what   string
	at     *url.URL
	status int
}

func (e *statusError) Error() string {
	said := fmt.Sprintf("read the %s at %s: HTTP status %d", e.what, e.at, e.status)
	if e.status == http.StatusNotFound {
		said += "; give the agent's base URL or the card's own"
	}
	return said
}

// get reads a published file; what names it in errors.
func (c Client) get(ctx context.Context, at *url.URL, what string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("ask for the %s: %w", what, err)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set(versionHeader, protocolVersion)
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return nil, fmt.Errorf("read the %s: %w", what, err)
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode != http.StatusOK:
		return nil, &statusError{what, at, resp.StatusCode}
	case at.Scheme == "https" && resp.Request.URL.Scheme != "https":
		return nil, fmt.Errorf("the %s at %s was redirected to %s, without https", what, at, resp.Request.URL)
	}
	raw, err := readAtMost(resp.Body, maxCard)
	if err != nil {
		return nil, fmt.Errorf("read the %s at %s: %w", what, at, err)
	}
	return raw, nil
}

// declared finds the extension entry of a contract.
func (r *Remote) declared(v aap.Version) (Extension, bool) {
	all := r.Card.Capabilities.Extensions
	i := slices.IndexFunc(all, func(e Extension) bool { return e.URI == v.ExtensionURI })
	if i < 0 {
		return Extension{}, false
	}
	return all[i], true
}

// settle finds the endpoint of a declared contract, and refuses to carry a
// token to another host than the card's.
func (r *Remote) settle(ctx context.Context, card *url.URL, v aap.Version) error {
	r.Version = v
	entry, _ := r.declared(v)
	if entry.Params != nil && entry.Params.ManifestURL != "" {
		if err := r.followManifest(ctx, card, entry.Params.ManifestURL); err != nil {
			return err
		}
	} else {
		r.chooseInterface()
	}
	to, err := url.Parse(r.Endpoint)
	switch {
	case err != nil || to.Host == "" || to.Scheme != "https" && to.Scheme != "http":
		return fmt.Errorf("the card names no JSONRPC interface of A2A %s with an absolute URL", protocolVersion)
	case card.Scheme == "https" && to.Scheme != "https":
		return errors.New("the card was served over https but names an endpoint without")
	case r.client.Token != "" && !strings.EqualFold(to.Host, card.Host):
		return fmt.Errorf("the card names an endpoint on %s: the token is only for %s", to.Host, card.Host)
	}
	return nil
}

// chooseInterface prefers JSON-RPC, which every contract since v1.0 has, to
// HTTP+JSON.
func (r *Remote) chooseInterface() {
	bindings := []string{bindingRPC}
	if r.Version.REST {
		bindings = append(bindings, bindingREST)
	}
	for _, binding := range bindings {
		for _, i := range r.Card.SupportedInterfaces {
			speaks := i.ProtocolVersion == protocolVersion || strings.HasPrefix(i.ProtocolVersion, protocolVersion+".") ||
				i.ProtocolVersion == "" && r.Version.OldMethod // optional then
			if speaks && strings.EqualFold(i.ProtocolBinding, binding) {
				r.Endpoint, r.binding = i.URL, binding
				return
			}
		}
	}
}

// followManifest takes the endpoint from the contract manifest.
func (r *Remote) followManifest(ctx context.Context, card *url.URL, address string) error {
	at, err := url.Parse(address)
	if err != nil || at.Host == "" || at.Scheme != "https" && (at.Scheme != "http" || card.Scheme == "https") {
		return fmt.Errorf("the card names a contract manifest at %q, which is no address to follow", printable(address))
	}
	raw, err := r.client.get(ctx, at, "contract manifest")
	if err != nil {
		return err
	}
	var m Manifest
	if err := json.Unmarshal(raw, &m); err != nil {
		return fmt.Errorf("read the contract manifest at %s: %w", at, err)
	}
	if want := contractURI(r.Version); strings.TrimSuffix(m.Contract.URI, "/") != strings.TrimSuffix(want, "/") {
		return fmt.Errorf("the contract manifest at %s is of %q, not of %s", at, printable(m.Contract.URI), want)
	}
	r.Endpoint, r.binding = m.A2A.Endpoint, bindingRPC
	if strings.EqualFold(m.A2A.ProtocolBinding, bindingREST) {
		r.binding = bindingREST
	}
	return nil
}

// notAAP says which extensions the card names instead.
func (r *Remote) notAAP(card *url.URL) error {
	var named []string
	for _, ext := range r.Card.Capabilities.Extensions {
		if strings.HasPrefix(ext.URI, extensionFamily) {
			named = append(named, printable(ext.URI))
		}
	}
	if named == nil {
		named = []string{"none"}
	}
	return fmt.Errorf("%w: the card at %s names %s", ErrNotAAP, card, strings.Join(named, ", "))
}

// CardURL is where the card of a base URL lies: at its host's root for a bare
// host, below its path otherwise (A2A 1.0 §8.2).
func CardURL(base string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("%q is not an absolute http or https URL", base)
	}
	if !strings.HasSuffix(u.Path, ".json") {
		u = u.JoinPath(CardPath)
	}
	return u, nil
}
