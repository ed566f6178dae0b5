// Command generate writes inventory.csv of package sample. The same program
// always writes the same bytes.
package main

import (
	"fmt"
	"os"
)

func main() {
	lot, err := inventory()
	if err == nil {
		err = os.WriteFile("inventory.csv", lot, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}
