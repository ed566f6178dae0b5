package peers

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// tokenizer counts as several large models do, by the encoding o200k_base.
const tokenizer = "gpt-tokenizer@4.0.0"

// TestToolListCostsFewTokens: a host puts the whole list into every prompt.
func TestToolListCostsFewTokens(t *testing.T) {
	folder := npmInstall(t, tokenizer)
	answer, err := http.Post(serve(t, "")+"/mcp", "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	var listed struct {
		Result struct{ Tools []json.RawMessage }
	}
	if err := json.Unmarshal(body, &listed); err != nil || len(listed.Result.Tools) != 5 {
		t.Fatalf("%v: %s", err, body)
	}
	script, err := os.ReadFile("testdata/tokens.mjs")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "tokens.mjs")
	if err := os.WriteFile(file, script, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", file)
	cmd.Stdin = bytes.NewReader(body)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d tokens, %d bytes", n, len(body))
	if n < 1000 || n > 12_000 {
		t.Errorf("the list of tools has %d tokens, want at most 12000", n)
	}
}
