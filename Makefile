# The ways to build, try and check Carrel.  CMake does the building; see
# CMakePresets.json for the kinds of build and packaging/ for the packages.

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
DEMO ?= build/demo-project
DEMO_PORT ?= 7878
FUZZ_SECONDS ?= 60
FUZZ_GUARD_SECONDS ?= 1800
FUZZ_COLUMNS_SECONDS ?= 1800

.PHONY: all deps demo demo-stop format test unit tests-of coverage hooks relevance soak bench fuzz fuzz-guard \
	fuzz-columns check clean install deb deb-test release
.DEFAULT_GOAL := all

# Install the Debian packages a build needs, when any is missing.
deps:
	@packaging/install-deps.sh build

# The programs, into build/bin.  Tests are only built by `make test`.
all: deps
	@test -f build/CMakeCache.txt || cmake --preset release -DCARREL_TESTS=OFF
	@cmake --build build -j $(JOBS)
	@ln -sf build/compile_commands.json compile_commands.json
	@echo 'Built. So that `carrel` is found:'
	@echo '  export PATH="$(CURDIR)/build/bin:$$PATH"'

# A filled project, scanned, served, and asked a first question.
demo: all
	@packaging/demo.sh build/bin "$(DEMO)" $(DEMO_PORT)

demo-stop:
	@[ ! -x build/bin/carrel ] || build/bin/carrel --project-dir "$(DEMO)" mcp stop || [ $$? -eq 3 ]

# Everything: what reads the source (see check); unit, sandbox, integration and
# fuzz-corpus tests in a release build and a sanitizer build; fault tests; then
# the official MCP clients.
test:
	@packaging/install-deps.sh build test develop
	@tests/run.sh $(JOBS)

# One unit test, built with what it needs alone: make unit TEST=guard
unit:
	@test -n "$(TEST)" || { echo 'usage: make unit TEST=NAME, for tests/unit/test_NAME.c'; exit 2; }
	@test -f tests/unit/test_$(TEST).c || { echo 'there is no tests/unit/test_$(TEST).c; packaging/tests-of.sh FILE names tests'; exit 2; }
	@packaging/install-deps.sh build test
	@cmake --preset release -DCARREL_TESTS=ON >/dev/null
	@ln -sf build/compile_commands.json compile_commands.json
	@cmake --build build -j $(JOBS) --target test_$(TEST)
	@cd build && ctest -R '^unit\.test_$(TEST)$$' --output-on-failure --no-tests=error

# Which tests a file has, and which files a test is about: make tests-of FILE=ask/items.c
tests-of:
	@packaging/tests-of.sh "$(FILE)"

# What of each file the unit tests reach, in build/coverage/report.
coverage:
	@packaging/install-deps.sh build test coverage
	@cmake --preset coverage -DCARREL_TESTS=ON
	@cmake --build build/coverage -j $(JOBS)
	@cd build/coverage && ctest -L unit -j $(JOBS) --output-on-failure
	@mkdir -p build/coverage/report
	@gcovr -r . --exclude tests --exclude build --html-details build/coverage/report/index.html --print-summary \
		build/coverage
	@echo 'build/coverage/report/index.html'

# Quick checks before each commit of this checkout, and the form of its subject.
hooks:
	@git config core.hooksPath packaging/hooks
	@git config blame.ignoreRevsFile .git-blame-ignore-revs

# What takes a night: thousands of kills, hundreds of thousands of drawn cases,
# idle streams.  SOAK_SCALE=10 is a tenth of it.
soak:
	@packaging/install-deps.sh build test develop
	@tests/soak/run.sh

# What each number and table of the ranking brings, on every set of questions.
relevance:
	@packaging/install-deps.sh build test
	@cmake --preset release -DCARREL_TESTS=ON
	@cmake --build build -j $(JOBS)
	@tests/relevance/relevance.sh build/bin build/tests
	@tests/relevance/relevance.sh build/bin build/tests --ablate

bench:
	@packaging/install-deps.sh build test
	@cmake --preset release -DCARREL_TESTS=ON
	@cmake --build build -j $(JOBS)
	@tests/bench/bench.sh build
	@tests/bench/audit.sh build
	@tests/bench/verified.sh build
	@tests/bench/logins.sh build
	@tests/bench/bad.sh build
	@tests/bench/import.sh build
	@tests/bench/questions.sh build
	@tests/bench/duckdb.sh build

# Every fuzz target for FUZZ_SECONDS, from its seed corpus.
fuzz:
	@packaging/install-deps.sh build test develop
	@cmake --preset fuzz
	@cmake --build build/fuzz -j $(JOBS) --target fuzzers
	@tests/fuzz/run.sh build/fuzz $(FUZZ_SECONDS)

# For half an hour statements made of pieces of honest and hostile ones, on a
# scratch PostgreSQL: what the guard lets through must leave nothing behind.
fuzz-guard:
	@packaging/install-deps.sh build test
	@cmake --preset release -DCARREL_TESTS=ON
	@cmake --build build -j $(JOBS) --target test_guard_fuzz
	@CARREL_FUZZ_SECONDS=$(FUZZ_GUARD_SECONDS) CARREL_FUZZ_SEED=$$(date +%s) \
		tests/support/pg.sh run - build/tests/test_guard_fuzz

# For half an hour databases drawn by lot, each made twice with other protected
# values: no answer and no scan may tell which one it is of.
fuzz-columns:
	@packaging/install-deps.sh build test
	@cmake --preset release -DCARREL_TESTS=ON
	@cmake --build build -j $(JOBS) --target test_columns_random_sqlite test_columns_random_postgres
	@seed=$$(date +%s); echo "seed $$seed"; export CARREL_FUZZ_SEED=$$seed; \
		export CARREL_FUZZ_SECONDS=$$(($(FUZZ_COLUMNS_SECONDS) / 2)); \
		build/tests/test_columns_random_sqlite && \
		tests/support/pg.sh run - build/tests/test_columns_random_postgres

# What reads the source instead of running it: formatter, linters, and clang's
# static analyser, which `make test` leaves out because it takes a quarter of an hour.
check:
	@packaging/install-deps.sh build test develop
	@packaging/check.sh --deep

# Write all functions as the formatter does; FILES= only those.
format:
	@packaging/install-deps.sh build develop
	@packaging/format.sh -i $(FILES)

# The Debian package, into build/deb; lintian has nothing to say about it.
deb: all
	@packaging/install-deps.sh package
	@packaging/deb.sh

# A release into build/release, built twice: source, packages, checksums and what else belongs to one.
release:
	@packaging/install-deps.sh build package
	@packaging/release.sh

# The package in a throw-away root with systemd as its init: needs root.
deb-test: deb
	@packaging/install-deps.sh package-test
	@tests/package/run.sh build/deb/carrel_*.deb

clean:
	rm -rf build

install: all
	cmake --install build --prefix $(PREFIX)
