package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// TestNoProxyIsUsedToReachAPrivateNetwork: a proxy dials for this machine, and
// would reach what the dealer's card must not lead to.
func TestNoProxyIsUsedToReachAPrivateNetwork(t *testing.T) {
	for _, inside := range []string{"169.254.169.254", "10.0.0.1", "[fd00:ec2::254]"} {
		var mu sync.Mutex
		var asked []string
		proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			asked = append(asked, r.URL.Host)
			_, _ = w.Write([]byte(strings.NewReplacer("ENDPOINT", "http://"+inside+"/a2a", "NAME", `"Dealer"`).Replace(hostileCard)))
		}))
		t.Cleanup(proxy.Close)
		h := connect(t, "", []string{"HTTP_PROXY=" + proxy.URL, "http_proxy=" + proxy.URL, "NO_PROXY=", "no_proxy=", "DEALER_TOKEN="}, "--agent", "http://dealer.example")
		if answer, isError := h.call(t, "aap_inventory_search", `{}`); !isError || answer["reason"] != "refused" {
			t.Errorf("%s: %v", inside, answer)
		}
		mu.Lock()
		if len(asked) == 0 || strings.Trim(strings.Join(asked, ""), "dealr.xmp") != "" {
			t.Errorf("%s: the proxy was asked for %v", inside, asked)
		}
		mu.Unlock()
	}
}
