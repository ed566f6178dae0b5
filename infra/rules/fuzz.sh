#!/bin/sh
# Runs every fuzz target of the module for FUZZTIME, two at a time on one core each.
set -eu
go=${GO:-go}
grep -rhoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' pkg infra functions >/dev/null || { echo "no fuzz target found" >&2; exit 1; }

# "folder target" a line.
for file in $(grep -rlE '^func Fuzz[A-Z]' --include='*_test.go' pkg infra functions); do
	sed -nE "s|^func (Fuzz[A-Za-z0-9_]*)\(.*|./$(dirname "$file") \1|p" "$file"
done | GO="$go" xargs -n 2 -P 2 sh -c '
	log=$(mktemp)
	trap "rm -f $log" EXIT
	if "$GO" test "$1" -run "^\$" -fuzz "^$2\$" -fuzztime "${FUZZTIME:-30s}" -fuzzminimizetime 10x -parallel 1 >"$log" 2>&1; then
		echo "$1 $2: no failure in $(sed -nE "s/.*execs: ([0-9]+).*/\1/p" "$log" | tail -n 1) executions"
	else
		cat "$log"
		exit 1
	fi' sh
