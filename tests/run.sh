#!/bin/bash
# Every test: the release build, the build with fault points, the sanitizer
# build, then the official MCP clients.  Goes on after a failure and ends with
# one line: "N passed, N failed".  usage: run.sh [JOBS]
set -uo pipefail
cd "$(dirname "$0")/.."

jobs=${1:-$(nproc)}
passed=0 failed=0
output=$(mktemp)
trap 'rm -f "$output"' EXIT

build() { # preset directory
	cmake --preset "$1" -DCARREL_TESTS=ON >"$output" 2>&1 &&
		cmake --build "$2" -j "$jobs" >>"$output" 2>&1 && return 0
	tail -n 60 "$output"
	echo "the $1 build failed"
	failed=$((failed + 1))
	return 1
}

# ctest's own summary is the count: "97% tests passed, 1 tests failed out of 40".
suite() { # directory, then ctest's arguments
	local directory=$1 bad all
	shift
	(cd "$directory" && ctest --output-on-failure --no-tests=ignore -j "$jobs" "$@") 2>&1 | tee "$output"
	read -r bad all < <(sed -n 's/.* tests passed, \([0-9]*\) tests failed out of \([0-9]*\).*/\1 \2/p' "$output")
	passed=$((passed + ${all:-0} - ${bad:-0}))
	failed=$((failed + ${bad:-0}))
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
}

build release build && suite build -LE faults
build faults build/faults && suite build/faults -L faults
build debug build/debug && suite build/debug -L 'unit|fuzz|sandbox'
[ -x build/bin/carrel ] && clients

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
