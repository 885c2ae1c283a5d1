#!/bin/bash
# Run every fuzz target from its seed corpus.  usage: run.sh BUILD_DIRECTORY SECONDS
set -uo pipefail

build=$1 seconds=$2 failed=0
here=$(dirname "$0")

for target in "$build"/fuzz/fuzz_*; do
	[ -x "$target" ] || continue
	what=${target##*/fuzz_}
	found=$build/found/$what
	mkdir -p "$found"
	echo "fuzz $what for $seconds s"
	"$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=0 -verbosity=0 \
		-artifact_prefix="$found/" "$found" "$here/corpus/$what" || failed=1
done
[ $failed -eq 0 ] && echo "no finding" || echo "findings: see above"
exit $failed
