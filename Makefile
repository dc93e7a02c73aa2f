# Stoa: what a person or a machine does with this repository. `make` alone lists it.

SHELL := /bin/bash
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PREFIX ?= /usr/local
DESTDIR ?=
# Where Swift builds, and where it puts the release programs.
SCRATCH ?= .build
PROGRAMS ?= $(SCRATCH)/release

swift_build = swift build --scratch-path $(SCRATCH)
# Tests of traps crash on purpose; backtraces of them are noise, and hang under sanitizers.
swift_test = SWIFT_BACKTRACE=enable=no swift test --scratch-path $(SCRATCH) --disable-xctest
units = $(DESTDIR)$(PREFIX)/lib/systemd/user
manual = $(DESTDIR)$(PREFIX)/share/man/man1

.PHONY: help demo build setup test labs sim interop counts bench load coverage lint format \
	check check-long install uninstall clean mutants fuzz faults

help:  ## This list
	@sed -nE 's/^([a-z-]+):.*  ## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

demo: build  ## Watch two nodes find each other, talk, crash and agree (10 seconds)
	@Tests/System/Tools/demo.sh $(PROGRAMS)

build: setup  ## Build the release programs stoad and stoa
	$(swift_build) -c release --static-swift-stdlib --disable-local-rpath

setup:  ## Install the Debian packages that building needs, where they are missing
	@Tests/System/Tools/setup.sh

test:  ## Run the unit tests, and talk to the implementation in Python
	@Tests/System/Tools/setup.sh --test
	$(swift_test) --skip IntegrationTests --skip SimulationTests --skip MutantTests
	@Tests/System/Interop/run.sh $(SCRATCH)/debug/stoad $(SCRATCH)/debug/stoa || [ $$? = 77 ]

labs: build  ## Run the programs on private networks and under systemd (as root)
	STOA_PROGRAMS=$(abspath $(PROGRAMS)) $(swift_test) --filter IntegrationTests

sim: setup  ## Simulate networks: FROM=, COUNT=, ASSAULT=1, NODES=n, RESULTS=file; SEED=n replays
	$(swift_build) -c release --static-swift-stdlib --product simulate
ifdef SEED
	@$(PROGRAMS)/simulate --from $(SEED) $(if $(ASSAULT),--assault) \
		$(if $(NODES),--nodes $(NODES)) $(if $(VERBOSE),--log)
else
	@Tests/System/Tools/simulate.sh $(PROGRAMS)/simulate $(SCRATCH)/simulations
endif

mutants: setup  ## Show that each of the deliberate bugs is caught
	$(swift_test) --filter MutantTests

interop: build  ## Talk to an independent implementation in Python
	@Tests/System/Interop/run.sh $(PROGRAMS)/stoad $(PROGRAMS)/stoa

fuzz: setup  ## Fuzz all decoders, SECONDS=n each (60); TARGET=name takes one
	@SCRATCH=$(SCRATCH) Tests/System/Fuzz/run.sh --seconds $(or $(SECONDS),60) $(TARGET)

faults: build  ## Let the network between ten hosts fail; MINUTES=30 is the long form (as root)
	@Tests/System/Network/run_faults.py $(PROGRAMS) --minutes $(or $(MINUTES),1) --seed $(or $(SEED),1)

counts: build  ## Count system calls, bytes, instructions; compare with the baselines (as root)
	Tests/System/Bench/counts.py --programs $(PROGRAMS) $(COUNTS)

bench: build  ## Measure against the floor, on a network of its own (as root; about half an hour)
	unshare --net Tests/System/Bench/bench.py --programs $(PROGRAMS) --work $(SCRATCH)/bench $(BENCH)

load: build  ## Put a node under attacks and loads beside an honest pair (as root; 2 minutes)
	@Tests/System/Load/run.sh $(PROGRAMS) $(LOAD)

coverage: setup  ## Show how much of what decides and stores the tests run
	@SCRATCH=$(SCRATCH) Tests/System/Tools/coverage.sh $(COVERAGE)

lint:  ## Check format and documentation rules
	swift format lint --strict --recursive Sources Tests Package.swift

format:  ## Format all Swift files in place
	swift format --in-place --recursive Sources Tests Package.swift

check:  ## All that CI runs, with a summary
	@SCRATCH=$(SCRATCH) Tests/System/Tools/check.sh

check-long:  ## The same with longer simulations, more crashes and half an hour of network faults
	@STOA_LONG=1 SCRATCH=$(SCRATCH) Tests/System/Tools/check.sh

install:  ## Install programs, units and manual pages; takes PREFIX and DESTDIR
	@test -x $(PROGRAMS)/stoad -a -x $(PROGRAMS)/stoa || { echo 'first: make build' >&2; exit 66; }
	install -D -m 755 --strip $(PROGRAMS)/stoad $(DESTDIR)$(PREFIX)/bin/stoad
	install -D -m 755 --strip $(PROGRAMS)/stoa $(DESTDIR)$(PREFIX)/bin/stoa
	install -d $(units)
	sed 's|@bindir@|$(PREFIX)/bin|' systemd/stoad.service > $(units)/stoad.service
	install -m 644 systemd/stoad.socket $(units)/stoad.socket
	chmod 644 $(units)/stoad.service
	for page in stoa stoad; do install -D -m 644 Docs/$$page.1 $(manual)/$$page.1; done

uninstall:  ## Remove what install installed
	rm -f $(DESTDIR)$(PREFIX)/bin/stoad $(DESTDIR)$(PREFIX)/bin/stoa
	rm -f $(units)/stoad.service $(units)/stoad.socket
	rm -f $(manual)/stoa.1 $(manual)/stoad.1

clean:  ## Remove everything that was built
	rm -rf $(SCRATCH)
