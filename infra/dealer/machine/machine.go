// Package machine puts the whole agent together on one machine: the skills and
// the well-known files behind one http.Handler, the feed watched, leads handed
// over by a worker, everything kept in one data folder.
//
// It promises what the agent promises on AWS, from the same packages; only
// what stands behind the store and queue contracts differs. A second Machine
// on the same folder is refused while the first one runs.
package machine

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/agent/caller"
	"github.com/dealer-agent/dealer/pkg/cloud/targets"
	"github.com/dealer-agent/dealer/pkg/crm"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/embedded"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/mcptools"
	"github.com/dealer-agent/dealer/pkg/outbound"
	"github.com/dealer-agent/dealer/pkg/pickup"
	"github.com/dealer-agent/dealer/pkg/schema"
	"github.com/dealer-agent/dealer/pkg/wellknown"
)

// Config says where everything lies.
type Config struct {
	// Addr is what to listen on, such as 127.0.0.1:8080; port 0 picks a free one.
	// Empty: nothing listens, and ServeMCP alone reaches the agent.
	Addr string
	// Proxies are the web servers that stand before the agent and tell in
	// X-Forwarded-For who asked them. Nobody else is believed about that.
	Proxies []netip.Prefix
	// Profile is the path of the dealer profile; it is reloaded when it changes.
	Profile string
	// Feed is the path of the inventory export, imported at start and whenever
	// it changes. Empty: the inventory in the data folder stands.
	Feed string
	// Data is the folder that keeps inventory and leads.
	Data string
	// Outbox replaces the folder of every file target. Empty: file targets
	// with a relative folder lie below Data.
	Outbox string
	// Now is the agent's clock; NewID makes unique ids. Defaults: the real
	// clock, UUIDv7.
	Now   func() time.Time
	NewID func() string
	// Log gets one record a request and one a hand-over.
	Log *slog.Logger
	// RootCAs verifies servers that exports are fetched from; nil takes the
	// system's.
	RootCAs *x509.CertPool
	// Command runs the command lines that other processes of the same user
	// send because this one holds the data folder. Nil: none are taken.
	Command Command
}

// Machine is one running agent.
type Machine struct {
	config   Config
	listener net.Listener
	url      string
	db       *embedded.DB
	queue    *embedded.Queue
	profiles dealer.Source
	desk     *lead.Desk
	worker   *crm.Worker
	picker   *pickup.Picker
	handler  http.Handler
	tools    mcptools.Config
	control  *control
	// looked is closed after the first look at the feed.
	looked chan struct{}
}

// profileTTL is how long an edited profile may go unnoticed.
const profileTTL = time.Second

// Open listens, opens the data folder and checks the profile, so that every
// fault of the set-up shows before the first request.
func Open(config Config) (*Machine, error) {
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.NewID == nil {
		config.NewID = agent.NewID
	}
	m := &Machine{config: config, looked: make(chan struct{})}
	if config.Addr != "" {
		listener, err := net.Listen("tcp", config.Addr)
		if err != nil {
			return nil, fmt.Errorf("listen: %w", err)
		}
		m.listener, m.url = listener, "http://"+listener.Addr().String()
	}
	db, err := embedded.Open(config.Data)
	if err != nil {
		return nil, errors.Join(err, m.hangUp())
	}
	m.db, m.queue = db, db.Queue(time.Now)
	if err := m.assemble(); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	if config.Command != nil {
		if m.control, err = listenControl(config.Data); err != nil {
			config.Log.Warn("other commands cannot use the data folder meanwhile", "reason", err.Error())
		}
	}
	return m, nil
}

// URL is the base address that buyers use on this machine.
func (m *Machine) URL() string { return m.url }

// Handler is the agent as an http.Handler: /a2a, /mcp and /.well-known/.
func (m *Machine) Handler() http.Handler { return m.handler }

// names is the host that was asked to be listened on, if it was a certain one.
func (m *Machine) names() []string {
	host, _, err := net.SplitHostPort(m.config.Addr)
	if ip := net.ParseIP(host); err != nil || host == "" || ip != nil && ip.IsUnspecified() {
		return nil
	}
	return []string{strings.ToLower(host)}
}

// Close releases the address and the data folder. It is safe after Run.
func (m *Machine) Close() error {
	return errors.Join(m.hangUp(), m.control.close(), m.db.Close())
}

func (m *Machine) hangUp() error {
	if m.listener == nil {
		return nil
	}
	if err := m.listener.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

func (m *Machine) assemble() error {
	log := m.config.Log
	m.profiles = &localProfile{
		Source: dealer.NewCache(dealer.File(m.config.Profile), profileTTL, time.Now, func(_ context.Context, err error) {
			if m.handler != nil { // before that, Open returns the fault
				log.Warn("profile refused, the last good one stays", "reason", err.Error())
			}
		}),
		url: m.url, outbox: m.config.Outbox,
	}
	profile, err := m.profiles.Profile(context.Background())
	if err != nil {
		return err
	}
	lot := inventory.NewLot(m.db.Inventory(), m.config.Now)
	m.desk = &lead.Desk{
		Store: m.db.Leads(), Queue: m.queue, Stock: lot,
		Now: m.config.Now, NewID: m.config.NewID, Log: log,
	}
	m.worker = &crm.Worker{
		Leads: m.db.Leads(), Profiles: m.profiles, Now: m.config.Now, Log: log,
		BaseDir: m.config.Data,
	}
	if err := targets.EquipHere(context.Background(), m.worker); err != nil {
		return err
	}
	if err := m.worker.Check(profile); err != nil {
		return err
	}
	if m.picker, err = NewPicker(m.db, m.profiles, m.config.Data, secretsOf(m.worker), m.config.Now, log); err != nil {
		return err
	}
	m.picker.Route = func(host string) outbound.Route { return outbound.Route{Named: host, RootCAs: m.config.RootCAs} }
	skills := agent.New(agent.Parts{Profiles: m.profiles, Schemas: schema.Released(), Lot: lot, Desk: m.desk})
	settings := agent.Settings{Now: m.config.Now, NewID: m.config.NewID, Log: log}
	a2aHandler := a2a.NewHandler(a2a.Config{Agent: skills, Profiles: m.profiles, Settings: settings})
	m.tools = mcptools.Config{
		Agent: skills, Replay: skills.Replay, Profiles: m.profiles, Hosts: m.names(), Loopback: true, Settings: settings,
	}
	mux := http.NewServeMux()
	turns := newInTurn(a2aHandler, mostAtOnce)
	mux.Handle("/a2a", turns)
	mux.Handle("/a2a/", turns)
	mux.Handle("/mcp", newInTurn(mcptools.NewHandler(m.tools), mostAtOnce))
	mux.Handle("/.well-known/", logged(log, wellknown.Handler(m.profiles, log)))
	m.handler = caller.Behind(m.config.Proxies, mux)
	return nil
}

// Run serves until ctx ends, then drains: requests under way are answered, and
// a hand-over under way is finished or stays queued. It returns nil after a
// clean stop.
func (m *Machine) Run(ctx context.Context) error {
	server := &http.Server{
		Handler:           m.handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
	}
	group, ctx := errgroup.WithContext(ctx)
	if m.listener != nil {
		group.Go(func() error {
			if err := server.Serve(m.listener); !errors.Is(err, http.ErrServerClosed) {
				return err
			}
			return nil
		})
		group.Go(func() error {
			<-ctx.Done()
			drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
			defer cancel()
			return server.Shutdown(drain)
		})
	}
	group.Go(func() error { return m.queue.Run(ctx, m.worker.Handle) })
	group.Go(func() error { return m.sweep(ctx) })
	group.Go(func() error { return m.purge(ctx) })
	group.Go(func() error { return m.pickUp(ctx) })
	group.Go(func() error { return m.control.serve(ctx, m.folder(), m.config.Command) })
	if m.config.Feed == "" {
		close(m.looked)
	} else {
		group.Go(func() error { return m.watchFeed(ctx) })
	}
	return group.Wait()
}

func (m *Machine) folder() Folder {
	return Folder{Leads: m.db.Leads(), Queue: m.queue, Inventory: m.db.Inventory(), Profiles: m.profiles, Now: m.config.Now,
		Picker: func(context.Context) (*pickup.Picker, error) { return m.picker, nil }}
}

// sweepEvery is how long an acknowledged lead may wait when its enqueueing
// failed or the process died right before it.
const sweepEvery = 30 * time.Second

func (m *Machine) sweep(ctx context.Context) error {
	for {
		p, err := m.profiles.Profile(ctx)
		if err == nil {
			_, err = m.desk.Sweep(ctx, p.ID)
		}
		if err != nil && ctx.Err() == nil {
			m.config.Log.Error("outbox sweep failed", "reason", err.Error())
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(sweepEvery):
		}
	}
}

// logged writes one record per request for handlers that do not log themselves.
// What a caller made up, a path without a file or a method of its own, is not
// repeated: it may be anything, a person's name too.
func logged(log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(answer, r)
		method, path := r.Method, r.URL.Path
		if answer.status >= http.StatusBadRequest {
			path = ""
		}
		if answer.status == http.StatusMethodNotAllowed {
			method = ""
		}
		log.InfoContext(r.Context(), "request", "method", method, "path", path, "status", answer.status)
	})
}

type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader remembers the status on its way.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}
