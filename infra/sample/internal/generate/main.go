// Command generate writes inventory.csv of package sample. The same program
// always writes the same bytes.
package main

import (
	"fmt"
	"os"

	"github.com/dealer-agent/dealer/infra/sample/lot"
)

func main() {
	cars, err := lot.CSV(lot.Sample)
	if err == nil {
		err = os.WriteFile("inventory.csv", cars, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}
