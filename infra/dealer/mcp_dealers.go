package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dealer-agent/dealer/pkg/mcptools"
)

// remoteDealer is one dealer as the command line or the file names it.
type remoteDealer struct {
	Name string `yaml:"name"`
	URL  string `yaml:"url"`
	// TokenEnv is the environment variable of the token, TokenFile the file.
	TokenEnv  string `yaml:"token_env"`
	TokenFile string `yaml:"token_file"`
}

// tokenVariable is where the token of a dealer without name lies.
const tokenVariable = "DEALER_TOKEN"

// mostDealers bounds a network: each one is asked at once.
const mostDealers = 50

// dealers are those of the flags and the file, checked.
func (f *mcpFlags) dealers() ([]remoteDealer, error) {
	var list []remoteDealer
	for _, given := range f.agents {
		list = append(list, parseAgent(given))
	}
	if f.agentsFile != "" {
		more, err := readAgents(f.agentsFile)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	if len(list) > mostDealers {
		return nil, fmt.Errorf("%d dealers are too many for one host; give at most %d", len(list), mostDealers)
	}
	if f.tokenFile != "" {
		if len(list) != 1 || len(f.agents) != 1 {
			return nil, usageError{errors.New("--token-file is for one --agent; of several, give each its token_file in the file of --agents")}
		}
		list[0].TokenFile = f.tokenFile
	}
	variables := map[string]string{}
	for i := range list {
		d := &list[i]
		if err := d.check(len(list) > 1); err != nil {
			return nil, usageError{err}
		}
		if d.TokenFile != "" {
			if d.TokenEnv != "" {
				return nil, usageError{fmt.Errorf("the dealer at %.200s has a token_env and a token_file; give one of them", d.URL)}
			}
			continue
		}
		if d.TokenEnv == "" {
			d.TokenEnv = d.variable()
		}
		if other, taken := variables[d.TokenEnv]; taken {
			return nil, usageError{fmt.Errorf("the dealers %q and %q would share the token in %s; give them names that differ in letters or digits, or a token_env each", other, d.Name, d.TokenEnv)}
		}
		variables[d.TokenEnv] = d.Name
	}
	return list, nil
}

// parseAgent takes [NAME=]URL apart.
func parseAgent(given string) remoteDealer {
	name, address, named := strings.Cut(given, "=")
	if !named || strings.ContainsAny(name, ":/?") {
		return remoteDealer{URL: given}
	}
	return remoteDealer{Name: name, URL: address}
}

func (d *remoteDealer) check(several bool) error {
	if d.Name == "" && several {
		return fmt.Errorf("several dealers need a name each, such as --agent north=%.200s", d.URL)
	}
	if d.Name != "" {
		if err := mcptools.CheckAlias(d.Name); err != nil {
			return err
		}
	}
	u, err := url.Parse(d.URL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return fmt.Errorf("%.200q is no absolute http or https URL", d.URL)
	case u.User != nil:
		return errors.New("a URL must not hold a password; put the dealer's token into the environment")
	}
	return nil
}

// token is what the dealer is called with; empty for none.
func (d *remoteDealer) token() (string, error) {
	if d.TokenFile != "" {
		return tokenIn(d.TokenFile)
	}
	return tokenOf("the variable "+d.TokenEnv, os.Getenv(d.TokenEnv))
}

// tokenPlace is where the dealer's token belongs, for whoever has to put it there.
func (d *remoteDealer) tokenPlace() string {
	if d.TokenFile != "" {
		return "the file of the dealer's token"
	}
	return "the environment variable " + d.TokenEnv
}

// variable is the environment variable of the dealer's token.
func (d *remoteDealer) variable() string {
	if d.Name == "" {
		return tokenVariable
	}
	return tokenVariable + "_" + strings.ToUpper(strings.ReplaceAll(d.Name, "-", "_"))
}

func (d *remoteDealer) host() string {
	u, err := url.Parse(d.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

// readAgents reads the file of --agents.
func readAgents(path string) ([]remoteDealer, error) {
	document, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(document))
	decoder.KnownFields(true)
	var list []remoteDealer
	if err := decoder.Decode(&list); err != nil {
		return nil, fmt.Errorf("%s is no list of dealers with name, url and token_env or token_file: %w", filepath.Base(path), err)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s names no dealer", filepath.Base(path))
	}
	for i := range list { // a host starts this program anywhere
		if f := list[i].TokenFile; f != "" && !filepath.IsAbs(f) {
			list[i].TokenFile = filepath.Join(filepath.Dir(path), f)
		}
	}
	return list, nil
}
