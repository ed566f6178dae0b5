package mcptools

import (
	"context"
	_ "embed"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// What the extension MCP Apps 2026-01-26 calls things.
const (
	appExtension = "io.modelcontextprotocol/ui"
	appMIME      = "text/html;profile=mcp-app"
	appURI       = "ui://dealer-agent/search-results"
)

//go:embed app.html
var appPage string

// mostPhotoHosts is the most origins that the page asks the host to admit.
const mostPhotoHosts = 20

// addApp adds the page that shows search results as cards. It loads nothing
// but photos.
func (s *service) addApp(server *mcp.Server, o offer) {
	if !o.offers(aap.InventorySearch) {
		return
	}
	server.AddResource(&mcp.Resource{
		URI: appURI, Name: "search-results", Title: "Search results", MIMEType: appMIME,
		Description: "Shows the vehicles of a search as cards, each with its photo, its price and what the price includes.",
	}, func(ctx context.Context, _ *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		page := appPage
		if o.version.PriceIsOutTheDoor {
			page = strings.Replace(page, `data-price="advertised"`, `data-price="out-the-door"`, 1)
		}
		result := contents(appURI, appMIME, page)
		result.Contents[0].Meta = mcp.Meta{"ui": map[string]any{
			"csp":           map[string]any{"connectDomains": []string{}, "resourceDomains": s.photoHosts(ctx, o)},
			"prefersBorder": false,
		}}
		return result, nil
	})
}

// photoHosts are the origins of the photos on the first page of the stock:
// dealers keep them in a few places. A photo from elsewhere is not shown.
func (s *service) photoHosts(ctx context.Context, o offer) []string {
	hosts := []string{}
	payload, err := s.question(ctx, o, aap.InventorySearch, map[string]any{"pagination": map[string]any{"limit": 100}})
	if err != nil {
		return hosts // the cards do without
	}
	var page struct {
		Data struct {
			Vehicles []struct{ Photos []string }
		}
	}
	_ = json.Unmarshal(payload, &page)
	for _, v := range page.Data.Vehicles {
		for _, photo := range v.Photos {
			if origin := originOf(photo); origin != "" && !slices.Contains(hosts, origin) && len(hosts) < mostPhotoHosts {
				hosts = append(hosts, origin)
			}
		}
	}
	slices.Sort(hosts)
	return hosts
}

// originOf is the origin of a web address, and empty for all that would mean
// more than one host in a content security policy.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" ||
		strings.Trim(strings.ToLower(u.Host), "abcdefghijklmnopqrstuvwxyz0123456789.-:[]") != "" {
		return ""
	}
	return u.Scheme + "://" + strings.ToLower(u.Host)
}

// withoutApp hides the page from hosts that say what they can show and do not
// name it (MCP Apps 2026-01-26 capability negotiation). Who says nothing, as
// in the revisions whose handshake a server without sessions forgets, is told.
func withoutApp(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		switch list := result.(type) {
		case *mcp.ListToolsResult:
			if r, ok := req.(*mcp.ListToolsRequest); ok && err == nil && !showsApps(r.ClientCapabilities()) {
				list.Tools = slices.Clone(list.Tools)
				for i, tool := range list.Tools {
					if _, linked := tool.Meta["ui"]; linked {
						plain := *tool
						plain.Meta = mcp.Meta{}
						for key, value := range tool.Meta {
							if key != "ui" {
								plain.Meta[key] = value
							}
						}
						list.Tools[i] = &plain
					}
				}
			}
		case *mcp.ListResourcesResult:
			if r, ok := req.(*mcp.ListResourcesRequest); ok && err == nil && !showsApps(r.ClientCapabilities()) {
				list.Resources = slices.DeleteFunc(slices.Clone(list.Resources), func(r *mcp.Resource) bool { return r.MIMEType == appMIME })
			}
		}
		return result, err
	}
}

// showsApps reports whether a host declared that it shows such pages, or
// declared nothing at all.
func showsApps(c *mcp.ClientCapabilities) bool {
	if c == nil {
		return true
	}
	settings, _ := json.Marshal(c.Extensions[appExtension])
	var declared struct {
		MIMETypes []string `json:"mimeTypes"`
	}
	return json.Unmarshal(settings, &declared) == nil && slices.Contains(declared.MIMETypes, appMIME)
}
