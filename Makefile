# dealer agent: one machine, tests, and the Lambda functions.
# `make help` lists the targets.

GO        ?= go
FUZZTIME  ?= 30s
BENCHTIME ?= 1s
PACKAGES  ?= ./...
SPAN      ?= 10s
SAM_DIR   ?= .aws-sam
PORT      ?= 3000
export CGO_ENABLED ?= 0

# The tags and flags of a Lambda binary: no RPC server, no symbols, no paths.
LAMBDA_BUILD = GOOS=linux GOARCH=$(ARCH) $(GO) build -trimpath -buildvcs=false -tags lambda.norpc -ldflags "-s -w -buildid="
ARCH ?= arm64

.PHONY: help run test test-aws sam-local bench bench-peers fuzz lint build release clean

help: ## list the targets
	@grep -hE '^[a-zA-Z_-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

run: ## run the whole agent on sample data; ARGS="--addr 127.0.0.1:9000" adds flags
	@$(GO) build -trimpath -o bin/dealer ./infra/dealer
	@exec bin/dealer run $(ARGS)

test: ## run all tests; TESTFLAGS=-v names the peers that this machine lacks
	$(GO) test $(TESTFLAGS) $(PACKAGES)

test-aws: ## run all that concerns AWS, the whole stack on this machine included; needs moto
	GO="$(GO)" TESTFLAGS="$(TESTFLAGS)" sh infra/sam/test-aws.sh

sam-local: ## serve the built stack with the SAM CLI; PROFILE=my.yaml FEED=my.csv PORT=3000
	@$(GO) build -trimpath -o bin/sam-local ./infra/sam/local
	@bin/sam-local -out $(SAM_DIR) -port $(PORT) -profile "$(PROFILE)" -feed "$(FEED)"

bench: ## measure everything that has a budget, as one table
	$(GO) run ./infra/bench -benchtime $(BENCHTIME)

bench-peers: ## the search beside a JavaScript SDK server on SQLite and a DynamoDB filter, SPAN each
	$(GO) test ./infra/bench/peers -count 1 -v -run TestTheAgentIsFasterThanItsPeers -span $(SPAN)

fuzz: ## fuzz each parser for FUZZTIME
	GO="$(GO)" FUZZTIME=$(FUZZTIME) sh infra/rules/fuzz.sh

lint: ## gofmt, go vet, staticcheck and cfn-lint where they are installed
	GO="$(GO)" sh infra/rules/lint.sh

build: ## build the command and the Lambda functions into bin/
	$(GO) build -trimpath -o bin/dealer ./infra/dealer
	$(MAKE) build-AgentFunction ARTIFACTS_DIR=bin/agent
	$(MAKE) build-McpFunction ARTIFACTS_DIR=bin/mcp
	$(MAKE) build-LeadWorkerFunction ARTIFACTS_DIR=bin/leadworker
	$(MAKE) build-FeedImportFunction ARTIFACTS_DIR=bin/feedimport
	$(MAKE) build-SweeperFunction ARTIFACTS_DIR=bin/sweeper
	$(MAKE) build-PublishFunction ARTIFACTS_DIR=bin/publish

# `sam build` calls these with ARTIFACTS_DIR set (BuildMethod: makefile).
.PHONY: build-AgentFunction build-McpFunction build-LeadWorkerFunction build-FeedImportFunction build-SweeperFunction build-PublishFunction

build-AgentFunction:
	$(LAMBDA_BUILD) -o $(ARTIFACTS_DIR)/bootstrap ./functions/agent

build-McpFunction:
	$(LAMBDA_BUILD) -o $(ARTIFACTS_DIR)/bootstrap ./functions/mcp

build-LeadWorkerFunction:
	$(LAMBDA_BUILD) -o $(ARTIFACTS_DIR)/bootstrap ./functions/leadworker

build-FeedImportFunction:
	$(LAMBDA_BUILD) -o $(ARTIFACTS_DIR)/bootstrap ./functions/feedimport

build-SweeperFunction:
	$(LAMBDA_BUILD) -o $(ARTIFACTS_DIR)/bootstrap ./functions/sweeper

build-PublishFunction:
	$(LAMBDA_BUILD) -o $(ARTIFACTS_DIR)/bootstrap ./functions/publish

release: ## write the plain CloudFormation and the code for fleets and StackSets into dist/
	$(GO) run ./infra/fleet/release

clean: ## remove what was built
	rm -rf bin dist .aws-sam
