#!/bin/bash
# What reads the source (packaging/check.sh), then every test: the release
# build, the programs with fault points, the sanitizer build, the official MCP
# clients.  Goes on after a failure.  What failed runs once more with nothing
# beside it: if it passes then, it was short of processor time, counts as passed
# and is named; more than five of these are failures.  Which ones these were is
# kept over runs, in build/retried.txt, and said at the end of each: a test that
# stands there often is a fault of its own.  Ends with how long each
# part and the slowest tests took, with what failed and the end of what it
# printed, and with one line: "N passed, N failed".  Says when the whole took
# longer than it may on two cores, and fails at half as long again.  usage: run.sh [JOBS]
set -uo pipefail
cd "$(dirname "$0")/.."

jobs=${1:-$(nproc)}
minutes=40
alone_may=5
passed=0 failed=0 part_since=0 installed=
parts=() named=() alone=()
work=$(mktemp -d)
retried=build/retried.txt
mkdir -p build
output=$work/output tests=$work/tests said=$work/said log=$work/log first=$work/first
: >"$tests" >"$said"
trap 'rm -rf "$work"' EXIT

part() { # name: what ran since the last call
	parts+=("$((SECONDS - part_since)) $1")
	part_since=$SECONDS
}

keep() { # name: for the end, with the last that it printed
	named+=("$1")
	{ echo "$1:" && tail -n 15 "$output" | cut -c 1-200 | sed 's/^/    /'; } >>"$said"
}

failure() { # name: what failed, its output being in $output
	keep "FAILED: $1"
}

sources() {
	local good bad
	packaging/check.sh 2>&1 | tee "$output"
	read -r good bad < <(sed -n 's/^\([0-9]*\) checks passed, \([0-9]*\) failed$/\1 \2/p' "$output")
	passed=$((passed + ${good:-0}))
	failed=$((failed + ${bad:-1}))
	[ "${bad:-1}" -eq 0 ] || failure "what reads the source"
	part "what reads the source"
}

build() { # preset directory
	if cmake --preset "$1" -DCARREL_TESTS=ON >"$output" 2>&1 &&
		cmake --build "$2" -j "$jobs" >>"$output" 2>&1; then
		part "$1 build"
		return 0
	fi
	tail -n 60 "$output"
	echo "the $1 build failed"
	failed=$((failed + 1))
	failure "the $1 build"
	part "$1 build"
	return 1
}

# Tests wait for half of their time: four of them keep two processors busy.
# ctest's own summary is the count: "97% tests passed, 1 tests failed out of 40".
suite() { # name, directory, then ctest's arguments
	local name=$1 directory=$2 all test
	shift 2
	(cd "$directory" && ctest --output-on-failure --no-tests=error -j $((jobs * 2)) "$@") 2>&1 | tee "$output"
	all=$(sed -n 's/.* tests passed, [0-9]* tests failed out of \([0-9]*\).*/\1/p' "$output")
	passed=$((passed + ${all:-0}))
	# Without a summary ctest found no test, or was ended.
	[ -n "$all" ] || { failed=$((failed + 1)) && failure "$name tests"; }
	sed -n "s/.*Test *#[0-9]*: \([^ ]*\) .* \([0-9.]*\) sec\$/\2 \1, $name/p" "$output" >>"$tests"
	cp "$output" "$log"
	for test in $(sed -n '/^The following tests FAILED/,$s/^[\t ]*[0-9]* - \([^ ]*\) (.*/\1/p' "$output"); do
		awk -v test="$test" '/^ *[0-9]+\/[0-9]+ Test +#/ { on = $4 == test } /^ +Start / { on = 0 } on' "$log" >"$output"
		again "$test, $name" test_alone "$directory" "$test" || passed=$((passed - 1))
	done
	part "$name tests"
}

test_alone() { # directory test
	(cd "$1" && ctest --output-on-failure --no-tests=error -R "^${2//./\\.}\$")
}

# Runs once more what failed with the output in $output; counts a failure.
again() { # name, then the command
	local name=$1
	shift
	cp "$output" "$first"
	echo "once more, alone: $name"
	if "$@" 2>&1 | tee "$output"; then
		cp "$first" "$output"
		keep "$name, which passed when it ran alone"
		alone+=("$name")
		echo "$(date -u +%F) $name" >>"$retried"
		return 0
	fi
	failed=$((failed + 1))
	failure "$name"
	return 1
}

clients_run() { # the files; two at a time, each with servers of its own
	tests/support/pg.sh run - tests/node_modules/.bin/node --test --test-reporter=tap --test-concurrency=2 "$@"
}

# The official clients, and the library of DuckDB, which stands beside the programs that load it.
packages() {
	local library=tests/node_modules/@duckdb/node-bindings-linux-x64/libduckdb.so
	if ! (cd tests && npm ci --no-audit --no-fund --loglevel=error) >"$output" 2>&1; then
		tail -n 20 "$output"
		echo "the packages of npm cannot be installed"
		failed=$((failed + 1))
		failure "the packages of npm"
		return 1
	fi
	if [ -f "$library" ]; then
		mkdir -p build/bin build/debug/bin
		cp -u "$library" build/bin/ && ln -sf ../../bin/libduckdb.so build/debug/bin/
	else
		named+=("left out: what needs DuckDB, whose package has no library for this machine")
	fi
}

clients() {
	local good bad file files
	clients_run tests/clients/*.test.mjs 2>&1 | tee "$output"
	good=$(sed -n 's/^# pass //p' "$output")
	bad=$(sed -n 's/^# fail //p' "$output")
	passed=$((passed + ${good:-0}))
	mapfile -t files < <(sed -n "/^ *not ok /,/^ *\.\.\.\$/s/^ *location: '\(.*\.test\.mjs\):.*/\1/p" "$output" | sort -u)
	if [ ${#files[@]} -eq 0 ] && [ "${bad:-1}" -gt 0 ]; then
		failed=$((failed + ${bad:-1}))
		failure "MCP clients"
	fi
	cp "$output" "$log"
	for file in "${files[@]}"; do
		grep -B 3 -A 12 -F "location: '$file" "$log" >"$output"
		again "${file##*/}" clients_run "$file" && passed=$((passed + 1))
	done
	part "MCP clients"
}

times() {
	echo
	echo "the slowest tests, in seconds:"
	sort -rn "$tests" | head -n 10 | awk '{ printf "%8.1f  %s\n", $1, substr($0, length($1) + 2) }'
	echo "the parts, in seconds:"
	printf '%s\n' "${parts[@]}" "$SECONDS the whole, of $((minutes * 60)) it may take on two cores" |
		awk '{ printf "%8d  %s\n", $1, substr($0, length($1) + 2) }'
}

# What passed only when it ran again, in this run and in those before it.
retries() {
	[ "${#alone[@]}" -eq 0 ] || printf 'passed only when run again: %s\n' "${alone[@]}"
	[ -s "$retried" ] || return 0
	echo "how often each passed only when run again, of the runs of this checkout since $(head -n 1 "$retried" | cut -c 1-10):"
	cut -c 12- "$retried" | sort | uniq -c | sort -rn | head -n 10
}

# What the run as a whole has to keep.
limits() {
	if [ "${#alone[@]}" -gt "$alone_may" ]; then
		passed=$((passed - ${#alone[@]}))
		failed=$((failed + ${#alone[@]}))
		named+=("FAILED: ${#alone[@]} tests passed only alone, $alone_may may: $(printf '%s; ' "${alone[@]}")")
	fi
	# A machine that others use is slower; one and a half times as slow is a test that hangs, or a loss.
	if [ "$SECONDS" -gt $((minutes * 90)) ]; then
		failed=$((failed + 1))
		named+=("FAILED: the suite took longer than $((minutes * 3 / 2)) minutes")
	elif [ "$SECONDS" -gt $((minutes * 60)) ]; then
		named+=("the suite took longer than $minutes minutes")
	fi
}

sources
packages && installed=yes
build release build && suite release build -LE faults && suite faults build -L faults
# Not again: corpora of statements that are judged (the judges are in unit and
# fuzz tests), what measures answers, memory or streams, shells, and the comparison of engines; and what
# `make soak` runs with sanitizers instead, since it is long and mostly waits.
build debug build/debug && suite sanitizers build/debug -E '^((integration\.(guard|columns)|bench|engines)\.|integration\.(cli\.(sandbox|completion)|sql\.duckdb_limits|scan\.files_duckdb)$|(relevance|generated)$)|'"$(cat tests/support/not_sanitized)"
[ -n "$installed" ] && [ -x build/bin/carrel ] && clients

times
retries
limits
cat "$said"
[ ${#named[@]} -eq 0 ] || printf '%s\n' "${named[@]}"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
