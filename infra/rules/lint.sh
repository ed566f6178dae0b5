#!/bin/sh
# Checks form: gofmt, go vet, and staticcheck and cfn-lint where installed.
# With CI=true every one of them must be there.
set -eu
go=${GO:-go}
unformatted=$(gofmt -l functions infra pkg schemas)
[ -z "$unformatted" ] || { echo "not gofmt-ed:" "$unformatted" >&2; exit 1; }
# Programs below testdata, which ./... leaves out, are of the code like all others.
programs=$(find functions infra pkg -path '*/testdata/*' -name '*.go' -exec dirname {} + | sort -u | sed 's|^|./|')
"$go" vet ./... $programs

# optional TOOL COMMAND... runs the command, or says that the tool is missing.
optional() {
	tool=$1
	shift
	if command -v "$tool" >/dev/null 2>&1; then
		"$@"
	elif [ "${CI:-}" = true ]; then
		echo "$tool is missing" >&2
		exit 1
	else
		echo "skipped: $tool is not installed"
	fi
}
optional staticcheck staticcheck ./... $programs
optional cfn-lint cfn-lint template.yaml
echo "lint: clean"
