#!/bin/sh
# Runs every fuzz target of the module for FUZZTIME, two at a time on one core each.
set -eu
go=${GO:-go}
grep -rhoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' pkg infra functions >/dev/null || { echo "no fuzz target found" >&2; exit 1; }

# Up to Go 1.26 a run that ends by time can be called failed, with "context deadline exceeded" and
# no input (golang.org/issue/75804). An input that fails is written down, and its fault is printed.
# "folder target" a line.
for file in $(grep -rlE '^func Fuzz[A-Z]' --include='*_test.go' pkg infra functions); do
	sed -nE "s|^func (Fuzz[A-Za-z0-9_]*)\(.*|./$(dirname "$file") \1|p" "$file"
done | GO="$go" xargs -n 2 -P 2 sh -c '
	log=$(mktemp)
	trap "rm -f $log" EXIT
	said() { grep -vE "^fuzz: (elapsed|minimizing)|^(FAIL|exit status)|^--- FAIL: Fuzz[A-Za-z0-9_]* \(" "$log"; }
	if "$GO" test -vet=off "$1" -run "^\$" -fuzz "^$2\$" -fuzztime "${FUZZTIME:-30s}" -fuzzminimizetime 10x -parallel 1 >"$log" 2>&1 ||
		[ "$(said)" = "    context deadline exceeded" ]; then
		echo "$1 $2: no failure in $(sed -nE "s/.*execs: ([0-9]+).*/\1/p" "$log" | tail -n 1) executions"
	else
		cat "$log"
		exit 1
	fi' sh
