#!/bin/sh
# Runs every fuzz target of the module for FUZZTIME, one after the other.
set -eu
go=${GO:-go}
found=0
for file in $(grep -rlE '^func Fuzz[A-Z]' --include='*_test.go' pkg infra functions); do
	for target in $(sed -nE 's/^func (Fuzz[A-Za-z0-9_]*)\(.*/\1/p' "$file"); do
		found=$((found + 1))
		echo "== $target (./$(dirname "$file"))"
		"$go" test "./$(dirname "$file")" -run '^$' -fuzz "^$target\$" -fuzztime "${FUZZTIME:-30s}" -fuzzminimizetime 10x
	done
done
[ "$found" -gt 0 ] || { echo "no fuzz target found" >&2; exit 1; }
echo "$found fuzz targets, no failure"
