#!/bin/sh
# Runs every test that concerns AWS: the template, the functions, their stores,
# and the whole stack as it is built and deployed, on an emulator. moto must be
# there; what else is missing is fetched with Go, or skipped by name.
set -eu
go=${GO:-go}

if ! command -v moto_server >/dev/null; then
	echo "These tests need moto, which stands in for AWS: python3 -m pip install 'moto[server]'" >&2
	exit 1
fi
if ! python3 -c 'import samtranslator, boto3' 2>/dev/null; then
	echo "These tests need AWS's translator of templates: python3 -m pip install aws-sam-translator boto3" >&2
	exit 1
fi
# The machine's own, whatever the functions are built for.
PATH="$PATH:$($go env GOPATH)/bin:$PWD/bin"
export PATH
if ! command -v aws-lambda-rie >/dev/null; then
	GOBIN="$PWD/bin" $go install github.com/aws/aws-lambda-runtime-interface-emulator/cmd/aws-lambda-rie@v0.0.0-20261030222936-bef5c4ba774d
fi
# shellcheck disable=SC2086
$go test ${TESTFLAGS:-} ./infra/sam/... ./infra/stack ./infra/fleet/... ./functions ./pkg/cloud/...
# shellcheck disable=SC2086
exec $go test ${TESTFLAGS:-} -run 'Stack|Fleet|Apply|AWS|Manual|TheFunctions' ./infra/dealer ./infra/attacks
