package main

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/dealer-agent/dealer/pkg/outbound"
)

// guarded is an HTTP client for one dealer. It goes to the host that the user
// named, wherever that lies, and beyond it only to public addresses: a card, a
// redirect or a name must not lead it to this machine's neighbours. An agent on
// this machine may name any address of this machine.
func guarded(base string) (*http.Client, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, fmt.Errorf("%.200q is no URL", base)
	}
	return &http.Client{Transport: outbound.Route{Named: u.Hostname()}.Transport(), Timeout: 30 * time.Second}, nil
}
