package wellknown

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// Handler serves the files of the profile in force to GET and HEAD, with
// conditional requests (RFC 9110 §13), and to any web origin: the files are
// public. Paths it does not know are 404. A profile that cannot be had or
// published is 503 with a line in the log; nil logs nothing.
func Handler(profiles dealer.Source, log *slog.Logger) http.Handler {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &handler{profiles: profiles, log: log}
}

type handler struct {
	profiles dealer.Source
	log      *slog.Logger
	made     atomic.Pointer[made]
}

// made are the files of one loaded profile.
type made struct {
	profile *dealer.Profile
	files   []File
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	files, err := h.files(r)
	if err != nil {
		h.log.ErrorContext(r.Context(), "well-known files", "error", err)
		w.Header().Set("Retry-After", "10")
		http.Error(w, "The agent's files cannot be served right now.", http.StatusServiceUnavailable)
		return
	}
	for _, f := range files {
		if f.Path == r.URL.Path {
			serve(w, r, f)
			return
		}
	}
	http.Error(w, "There is no such file.", http.StatusNotFound)
}

func serve(w http.ResponseWriter, r *http.Request, f File) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("X-Content-Type-Options", "nosniff")
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		h.Set("Access-Control-Expose-Headers", "ETag, Last-Modified")
		h.Set("Content-Type", f.ContentType)
		h.Set("Cache-Control", f.CacheControl)
		h.Set("ETag", f.ETag)
		if strings.Contains(r.Header.Get("Range"), ",") {
			// Many ranges would make the answer many times as long as the file.
			r = r.Clone(r.Context())
			r.Header.Del("Range")
		}
		http.ServeContent(w, r, "", f.Modified, bytes.NewReader(f.Body))
	case http.MethodOptions:
		h.Set("Allow", "GET, HEAD, OPTIONS")
		h.Set("Access-Control-Allow-Methods", "GET, HEAD")
		// Buyers' agents in browsers name their A2A version and show their token on the card too.
		h.Set("Access-Control-Allow-Headers", "A2A-Version, A2A-Extensions, Authorization, If-None-Match")
		h.Set("Access-Control-Max-Age", "86400")
		w.WriteHeader(http.StatusNoContent)
	default:
		h.Set("Allow", "GET, HEAD, OPTIONS")
		http.Error(w, "Files are read with GET.", http.StatusMethodNotAllowed)
	}
}

// files makes the files anew only when the source gives another profile.
func (h *handler) files(r *http.Request) ([]File, error) {
	p, err := h.profiles.Profile(r.Context())
	if err != nil {
		return nil, err
	}
	if m := h.made.Load(); m != nil && m.profile == p {
		return m.files, nil
	}
	files, err := Files(p)
	if err != nil {
		return nil, err
	}
	h.made.Store(&made{p, files})
	return files, nil
}
