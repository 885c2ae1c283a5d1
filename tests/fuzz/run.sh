#!/bin/bash
# Every fuzz target for some seconds, from its seed corpus; findings are kept
# in the build directory.  usage: run.sh BUILD_DIRECTORY SECONDS [TARGET…]
set -uo pipefail
cd "$(dirname "$0")"

build=$(cd ../.. && cd "$1" && pwd)
seconds=$2
shift 2
failed=0

for target in "$build"/fuzz/fuzz_*; do
	what=${target##*/fuzz_}
	[ $# -gt 0 ] && [[ " $* " != *" $what "* ]] && continue
	work=$build/fuzz/work/$what
	mkdir -p "$work"
	if "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$work/finding-" \
		"$work" "corpus/$what" >"$work.log" 2>&1; then
		echo "ok    $what: $(grep -E '^(Done|#[0-9]+.*DONE)' "$work.log" | tail -n 1)"
	else
		echo "FOUND $what: see $work.log"
		failed=$((failed + 1))
	fi
done
[ $failed -eq 0 ]
