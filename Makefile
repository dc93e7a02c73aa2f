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
release_build = $(swift_build) -c release --static-swift-stdlib --disable-local-rpath
# Tests of traps crash on purpose; backtraces of them are noise, and hang under sanitizers.
# Few tests at a time: many wait for processes and hold a thread meanwhile, so of those that had all begun
# the time limits would count how long they wait for one.
swift_test = SWIFT_BACKTRACE=enable=no swift test --scratch-path $(SCRATCH) --disable-xctest \
	--experimental-maximum-parallelization-width 4
units = $(DESTDIR)$(PREFIX)/lib/systemd
# Programs that others start.
companions = $(DESTDIR)$(PREFIX)/libexec/stoa
share = $(DESTDIR)$(PREFIX)/share
pages = stoa.1 stoa-chat.1 stoad.8 stoad.conf.5 stoa-control.7
documents = $(share)/doc/stoa
version = $(shell sed -n 's/.*text = "\(.*\)"/\1/p' Sources/ControlAPI/StoaVersion.swift)
# Where an administrator's settings lie. stoad reads nowhere else, so what is installed for one user
# has none.
SYSCONFDIR ?= $(if $(filter /usr /usr/local,$(PREFIX)),/etc)
settings = $(DESTDIR)$(SYSCONFDIR)/stoa/stoad.conf
# A package keeps the debug symbols apart by itself.
STRIP ?= --strip
# Where zsh of Debian looks for what packages bring is another folder.
ZSH_COMPLETIONS ?= site-functions

.PHONY: help demo sites-demo build setup test labs sim interop counts bench load chat web coverage lint format \
	check check-long install uninstall dist deb packages doctor clean mutants fuzz faults

help:  ## This list
	@sed -nE 's/^([a-z-]+):.*  ## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

demo: setup  ## Watch two nodes find each other, talk, crash and agree (10 seconds)
	@echo "Building stoad and stoa: several minutes the first time."
	$(release_build) --product stoad
	$(release_build) --product stoa
	@Tests/System/Tools/demo.sh $(PROGRAMS)

sites-demo: setup  ## Watch three sites of two nodes share a room over a NATS server (nats-server has to be there)
	for program in stoad stoa stoa-sites; do $(release_build) --product $$program || exit; done
	@Tests/System/Tools/sites-demo.sh $(PROGRAMS)

build: setup  ## Build the release programs stoad and stoa
	$(release_build)

setup:  ## Install the Debian packages that building needs, where they are missing
	@Tests/System/Tools/setup.sh

test:  ## Run the unit tests, and talk to the implementation in Python
	@Tests/System/Tools/setup.sh --test
	$(swift_test) --skip IntegrationTests --skip SimulationTests --skip MutantTests
	@Tests/System/Interop/run.sh $(SCRATCH)/debug/stoad $(SCRATCH)/debug/stoa || [ $$? = 77 ]

labs: build  ## Run the programs on private networks and under systemd (as root)
	STOA_PROGRAMS=$(abspath $(PROGRAMS)) $(swift_test) --filter IntegrationTests

sim: setup  ## Simulate networks: FROM=, COUNT=, ASSAULT=1, SYBILS=1, GROUPS=1, THEFTS=1, NODES=n, RESULTS=file; SEED=n replays
	$(release_build) --product simulate
ifdef SEED
	@$(PROGRAMS)/simulate --from $(SEED) $(if $(ASSAULT),--assault) $(if $(SYBILS),--sybils) $(if $(GROUPS),--groups) $(if $(THEFTS),--thefts) \
		$(if $(NODES),--nodes $(NODES)) $(if $(OFFICE),--office) $(if $(LINKS),--links $(LINKS)) $(if $(VERBOSE),--log)
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

chat: build  ## Do what people do in the chat client, and look at its screen (as root; 1 minute)
	@Tests/System/Chat/run.sh $(PROGRAMS) $(CHAT)

web: build  ## Do what people do in the page, in a browser, and attack it (as root; 2 minutes)
	@Tests/System/Web/run.sh $(PROGRAMS) $(WEB)

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

install:  ## Install programs, units, manual pages and completions; takes PREFIX and DESTDIR
	@test -x $(PROGRAMS)/stoad -a -x $(PROGRAMS)/stoa || { echo 'first: make build' >&2; exit 66; }
	install -D -m 755 $(STRIP) $(PROGRAMS)/stoad $(DESTDIR)$(PREFIX)/bin/stoad
	install -D -m 755 $(STRIP) $(PROGRAMS)/stoa $(DESTDIR)$(PREFIX)/bin/stoa
	for program in stoa-chat stoa-notify stoa-web stoa-sites; do \
		install -D -m 755 $(STRIP) $(PROGRAMS)/$$program $(companions)/$$program || exit; \
	done
	install -d $(units)/user $(units)/system
	for unit in user/stoad.service user/stoad.socket user/stoa-notify.service user/stoa-sites.service \
		system/stoad@.service system/stoad@.socket; do \
		sed 's|@bindir@|$(PREFIX)/bin|; s|@libexecdir@|$(PREFIX)/libexec/stoa|' systemd/$${unit#*/} > $(units)/$$unit && \
		chmod 644 $(units)/$$unit || exit; \
	done
	install -d $(units)/user/graphical-session.target.wants
	ln -sf ../stoa-notify.service $(units)/user/graphical-session.target.wants/stoa-notify.service
	for page in $(pages); do \
		install -D -m 644 Docs/$$page $(share)/man/man$${page##*.}/$$page || exit; \
	done
	install -D -m 644 Completions/stoa.bash $(share)/bash-completion/completions/stoa
	install -D -m 644 Completions/_stoa $(share)/zsh/$(ZSH_COMPLETIONS)/_stoa
	install -D -m 644 Completions/stoa.fish $(share)/fish/vendor_completions.d/stoa.fish
	install -D -m 644 Desktop/stoa.desktop $(share)/applications/stoa.desktop
	install -D -m 644 Sources/CPage/Page/icon.svg $(share)/icons/hicolor/scalable/apps/stoa.svg
	install -d $(documents)/Docs/Protocol/vectors $(documents)/Docs/Decisions
	install -m 644 README.md $(documents)
	install -m 644 Docs/*.md Docs/openrpc.json $(documents)/Docs
	install -m 644 Docs/Protocol/*.md $(documents)/Docs/Protocol
	install -m 644 Docs/Decisions/*.md $(documents)/Docs/Decisions
	install -m 644 Tests/EngineTests/Vectors/*.txt $(documents)/Docs/Protocol/vectors
ifneq ($(SYSCONFDIR),)
	@# What an administrator has written stays.
	test -e $(settings) || install -D -m 644 Docs/stoad.conf $(settings)
endif

uninstall:  ## Remove what install installed
	rm -f $(DESTDIR)$(PREFIX)/bin/stoad $(DESTDIR)$(PREFIX)/bin/stoa
	rm -f $(companions)/stoa-chat $(companions)/stoa-notify $(companions)/stoa-web $(companions)/stoa-sites
	rm -f $(share)/applications/stoa.desktop $(share)/icons/hicolor/scalable/apps/stoa.svg
	rm -f $(units)/user/graphical-session.target.wants/stoa-notify.service
	rm -f $(units)/user/stoa-notify.service $(units)/user/stoa-sites.service $(units)/user/stoad.service $(units)/user/stoad.socket
	rm -f $(units)/system/stoad@.service $(units)/system/stoad@.socket
	for page in $(pages); do rm -f $(share)/man/man$${page##*.}/$$page; done
	rm -f $(share)/bash-completion/completions/stoa $(share)/fish/vendor_completions.d/stoa.fish
	rm -f $(share)/zsh/$(ZSH_COMPLETIONS)/_stoa
	rm -rf $(documents)
ifneq ($(SYSCONFDIR),)
	@# Only what nobody has changed.
	if cmp -s Docs/stoad.conf $(settings); then rm -f $(settings); rmdir $(dir $(settings)) 2>/dev/null || :; fi
endif

dist:  ## Make a source archive of the last commit, which builds without a network
	@mkdir -p $(SCRATCH)/dist
	git archive --format=tar.gz --prefix=stoa-$(version)/ -o $(SCRATCH)/dist/stoa-$(version).tar.gz HEAD
	@echo $(SCRATCH)/dist/stoa-$(version).tar.gz

deb: build  ## Make the Debian packages of the last commit, in .build/deb, and have lintian look at them
	@Tests/System/Tools/package.sh $(PROGRAMS) $(SCRATCH)/deb

doctor: build  ## Make one thing wrong after the other, and see that stoa doctor names it (as root)
	@Tests/System/Doctor/run_doctor.py $(PROGRAMS)

packages: build  ## Install, upgrade and remove them on a minimal Debian with users; build the archive (as root)
	@Tests/System/Packages/run.sh $(PROGRAMS) $(SCRATCH)
	@Tests/System/Packages/dist.sh $(SCRATCH)

clean:  ## Remove everything that was built
	rm -rf $(SCRATCH)
