#!/bin/bash
# Load that is held: 10,000 sessions, 2,000 requests a second over the tools, for ten minutes.  Prints latency,
# and memory and descriptors of every process before, at a tenth, in the middle, at the end and after.
# usage: held.sh BUILD_DIRECTORY
#   HELD_SESSIONS (10000), HELD_RATE (2000), HELD_SECONDS (600) scale it.
set -uo pipefail

build=$(cd "$1" && pwd)
carrel=$build/bin/carrel
work=$(mktemp -d)
trap '"$carrel" --project-dir "$work/p" mcp stop >/dev/null 2>&1; rm -rf "$work"' EXIT
sessions=${HELD_SESSIONS:-10000} seconds=${HELD_SECONDS:-600} waited=0
ulimit -n "$(ulimit -Hn)"
"$carrel" init --demo "$work/p" >/dev/null || exit 1
printf 'limits: { research_per_min: 0, research_in_flight: 256 }\n' >>"$work/p/carrel.yaml"
"$carrel" --project-dir "$work/p" mcp start --port 0 >/dev/null || exit 1
member() { sed -E "s/.*\"$1\": *\"?([^,\"}]*).*/\1/" "$work/p/.carrel/mcp.json"; }
port=$(member port) daemon=$(member pid)

# Of every process: memory that is its own (proportional set size), open descriptors.
memory() {
	local pid
	printf '%s:' "$1"
	for pid in "$daemon" $(pgrep -P "$daemon" | head -n 20); do
		printf ' %s %s kB %s,' "$(cat "/proc/$pid/comm")" "$(awk '/^Pss:/{print $2}' "/proc/$pid/smaps_rollup")" \
			"$(find "/proc/$pid/fd" -mindepth 1 2>/dev/null | wc -l)"
	done
	echo
}

memory idle
"$build/bench/bench-held" "$port" "$sessions" "${HELD_RATE:-2000}" "$seconds" &
load=$!
for at in 10 50 95; do
	sleep "$((seconds * at / 100 - waited))"
	waited=$((seconds * at / 100))
	memory "after $waited s"
done
wait "$load" || exit 1
sleep 5
memory "over"
