#!/bin/bash
# What reads the source (packaging/check.sh), then every test: the release
# build, the build with fault points, the sanitizer build, the official MCP
# clients.  Goes on after a failure.  Says how long each part and the slowest
# tests took, against the time the whole may take on two cores, and ends with
# one line: "N passed, N failed".  usage: run.sh [JOBS]
set -uo pipefail
cd "$(dirname "$0")/.."

jobs=${1:-$(nproc)}
minutes=40
passed=0 failed=0 part_since=0
parts=()
output=$(mktemp) tests=$(mktemp)
trap 'rm -f "$output" "$tests"' EXIT

part() { # name: what ran since the last call
	parts+=("$((SECONDS - part_since)) $1")
	part_since=$SECONDS
}

sources() {
	local good bad
	packaging/check.sh 2>&1 | tee "$output"
	read -r good bad < <(sed -n 's/^\([0-9]*\) checks passed, \([0-9]*\) failed$/\1 \2/p' "$output")
	passed=$((passed + ${good:-0}))
	failed=$((failed + ${bad:-1}))
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
	part "$1 build"
	return 1
}

# ctest's own summary is the count: "97% tests passed, 1 tests failed out of 40".
suite() { # name, directory, then ctest's arguments
	local name=$1 directory=$2 bad all
	shift 2
	(cd "$directory" && ctest --output-on-failure --no-tests=ignore -j "$jobs" "$@") 2>&1 | tee "$output"
	read -r bad all < <(sed -n 's/.* tests passed, \([0-9]*\) tests failed out of \([0-9]*\).*/\1 \2/p' "$output")
	passed=$((passed + ${all:-0} - ${bad:-0}))
	failed=$((failed + ${bad:-0}))
	sed -n "s/.*Test *#[0-9]*: \([^ ]*\) .* \([0-9.]*\) sec\$/\2 \1, $name/p" "$output" >>"$tests"
	part "$name tests"
}

clients() {
	local good bad
	if ! (cd tests && npm ci --no-audit --no-fund --loglevel=error) >"$output" 2>&1; then
		tail -n 20 "$output"
		echo "the client packages cannot be installed"
		failed=$((failed + 1))
		return
	fi
	tests/support/pg.sh run - tests/node_modules/.bin/node --test --test-reporter=tap --test-concurrency=1 tests/clients/*.test.mjs 2>&1 | tee "$output"
	good=$(sed -n 's/^# pass //p' "$output")
	bad=$(sed -n 's/^# fail //p' "$output")
	passed=$((passed + ${good:-0}))
	failed=$((failed + ${bad:-1}))
	part "MCP clients"
}

times() {
	echo
	echo "the slowest tests, in seconds:"
	sort -rn "$tests" | head -n 10 | awk '{ printf "%8.1f  %s\n", $1, substr($0, length($1) + 2) }'
	echo "the parts, in seconds:"
	printf '%s\n' "${parts[@]}" "$SECONDS the whole, of $((minutes * 60)) it may take on two cores" |
		awk '{ printf "%8d  %s\n", $1, substr($0, length($1) + 2) }'
	[ "$SECONDS" -le $((minutes * 60)) ] || echo "the suite took longer than $minutes minutes"
}

sources
build release build && suite release build -LE faults
build faults build/faults && suite faults build/faults -L faults
# Not again: corpora of statements that are judged (the judges are in unit and
# fuzz tests), and what measures memory or streams.
build debug build/debug && suite sanitizers build/debug -LE faults -E '^(integration\.(guard|columns)|bench)\.'
[ -x build/bin/carrel ] && clients

times
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
