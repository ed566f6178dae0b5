package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// givenToken says where the bearer token for an agent lies. It is never an
// argument: other users of the machine can read those.
type givenToken struct {
	env, file string
}

func (g *givenToken) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&g.env, "token-env", tokenVariable, "`NAME` of the environment variable that holds a bearer token")
	cmd.Flags().StringVar(&g.file, "token-file", "", "a `FILE` that holds the bearer token; - for stdin")
}

// read is the token, empty when there is none.
func (g *givenToken) read(cmd *cobra.Command, stdin io.Reader) (string, error) {
	named := cmd.Flags().Changed("token-env")
	if g.file == "" {
		token, err := tokenOf("the variable "+g.env, os.Getenv(g.env))
		if err == nil && named && token == "" {
			return "", usageError{fmt.Errorf("the environment has no variable %q; name one that holds the token", g.env)}
		}
		return token, err
	}
	if named {
		return "", usageError{errors.New("give the token by --token-env or by --token-file, not by both")}
	}
	if g.file == "-" {
		return readToken("stdin", stdin)
	}
	return tokenIn(g.file)
}

// tokenIn reads the token that a file holds.
func tokenIn(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return readToken(filepath.Base(file), f)
}

// longestToken bounds what is sent with every call, in bytes.
const longestToken = 4 << 10

func readToken(where string, from io.Reader) (string, error) {
	raw, err := io.ReadAll(io.LimitReader(from, longestToken+3)) // a line end may follow
	if err != nil {
		return "", err
	}
	token, err := tokenOf(where, strings.TrimRight(string(raw), "\r\n"))
	if err == nil && token == "" {
		err = fmt.Errorf("%s is empty; put the bearer token there", where)
	}
	return token, err
}

// tokenOf refuses what cannot stand in a header, without repeating it.
func tokenOf(where, token string) (string, error) {
	if len(token) > longestToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("what %s holds is no bearer token; put the token there alone, on one line", where)
	}
	return token, nil
}
