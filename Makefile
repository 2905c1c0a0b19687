# memcost: make builds, make run measures, make test checks. All install what is missing.

GO      ?= go
BIN     := bin/memcost
export GOFLAGS := -mod=readonly
# The version of Go that builds memcost is the local one; others are downloaded
# only when they are measured.
export GOTOOLCHAIN := local

# Where make install puts memcost, its man pages and its completions.
PREFIX  ?= /usr/local

.DEFAULT_GOAL := build
.PHONY: run build test test-long test-fleet bench bench-method screenshots setup clean install dist

run: build
	./$(BIN) run

# As released: without symbols and DWARF, which only debuggers read, memcost is a quarter smaller.
# Stack traces and what "go version -m" says stay. For a debugger: go build ./cmd/memcost.
build: setup
	$(GO) build -trimpath -ldflags='-s -w' -o $(BIN) ./cmd/memcost

# First what measures nothing, as many packages at a time as there are CPUs; then one package after the
# other, since the rest measures, and a browser beside them would be what they see: go test has the results of
# the first at hand. go vet looks at all of them once, so that go test need not.
test: setup
	./scripts/setup.sh test
	$(GO) vet ./...
	cd bench && $(GO) vet ./...
	$(GO) test -vet=off -timeout 30m ./internal/report/... ./internal/method/... ./internal/base/... ./internal/document/... \
		./internal/exchange/... ./internal/fleet/... ./internal/gotool/... ./internal/show/... ./internal/sites/... \
		./internal/study/... ./scripts/...
	$(GO) test -vet=off -p 1 -timeout 30m ./...

# The slow proofs: longer simulations, every Go version, other platforms under
# emulation, a run against the module proxy.
test-long: setup
	./scripts/setup.sh long
	MEMCOST_LONG=1 $(GO) test -p 1 -timeout 85m ./...
	cd bench && $(GO) test ./...

# One plan on a Slurm of three nodes, on three boards behind ssh and into an object store,
# while nodes fail. It needs root and private namespaces, and installs their daemons.
test-fleet: setup
	./scripts/setup.sh fleet
	MEMCOST_FLEET=1 $(GO) test -count=1 -v -timeout 30m ./scripts/testfleet

# The README's picture of the report, of a run: RUN=results/..., or a new one.
screenshots: build
	./scripts/setup.sh test
	RUN="$(RUN)" ./scripts/screenshots.sh

# What the method reaches on this machine; docs/performance.md holds the figures.
bench: build
	./scripts/bench.sh

# Mistakes in the method that its tests notice, faults in benchmarks that its guards catch,
# and what memcost and other methods find of known changes in the same seconds.
bench-method: setup
	./scripts/bench-method.sh

# For this machine. DESTDIR is put before it all, for whoever makes a package.
install:
	$(GO) run ./scripts/dist -install "$(DESTDIR)$(PREFIX)"

# Static binaries of all platforms with man pages and completions, and SHA256SUMS.
dist:
	$(GO) run ./scripts/dist -out dist

setup:
	./scripts/setup.sh

clean:
	rm -rf bin dist
