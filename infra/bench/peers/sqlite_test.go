package peers

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/peers/npmtest"
)

// The SDK's server, a schema checker, and a Node that brings SQLite.
const (
	jsAjv  = "ajv@8.20.0"
	jsSDK  = "@a2a-js/sdk@1.3.0"
	jsNode = "node@24.11.0"
)

// startSQLite serves the vehicles of a file with so many processes until the
// test ends.
func startSQLite(t *testing.T, vehicles string, processes int) string {
	t.Helper()
	folder := npmtest.Install(t, jsAjv, jsSDK, jsNode)
	script := npmtest.Script(t, folder, filepath.Join("testdata", "sqlite.mjs"))
	schema, err := filepath.Abs("../../../schemas/v1.3/inventory-search-request.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(folder, "node_modules", "node", "bin", "node"), script, vehicles, schema, strconv.Itoa(processes))
	var complaints strings.Builder
	cmd.Stderr = &complaints
	stdin, err := cmd.StdinPipe() // its end is the server's
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		late := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		late.Stop()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		t.Fatalf("%v\n%s", err, complaints.String())
	}
	return strings.TrimSpace(line)
}
