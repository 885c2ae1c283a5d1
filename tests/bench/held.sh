#!/bin/bash
# Load that is held: 10,000 sessions, 2,000 requests a second over the tools, for ten minutes.  Prints latency,
# and memory of every process before and after.
# usage: held.sh BUILD_DIRECTORY
#   HELD_SESSIONS (10000), HELD_RATE (2000), HELD_SECONDS (600) scale it.
set -uo pipefail

build=$(cd "$1" && pwd)
carrel=$build/bin/carrel
work=$(mktemp -d)
trap '"$carrel" --project-dir "$work/p" mcp stop >/dev/null 2>&1; rm -rf "$work"' EXIT
ulimit -n "$(ulimit -Hn)"
"$carrel" init --demo "$work/p" >/dev/null || exit 1
printf 'limits: { research_per_min: 0, research_in_flight: 256 }\n' >>"$work/p/carrel.yaml"
"$carrel" --project-dir "$work/p" mcp start --port 0 >/dev/null || exit 1
member() { sed -E "s/.*\"$1\": *\"?([^,\"}]*).*/\1/" "$work/p/.carrel/mcp.json"; }
port=$(member port) daemon=$(member pid)

memory() {
	local pid
	for pid in "$daemon" $(pgrep -P "$daemon" | head -n 20); do
		printf '%s %s kB, ' "$(cat "/proc/$pid/comm")" "$(awk '/^Pss:/{print $2}' "/proc/$pid/smaps_rollup")"
	done
	echo
}

memory
"$build/bench/bench-held" "$port" "${HELD_SESSIONS:-10000}" "${HELD_RATE:-2000}" "${HELD_SECONDS:-600}" || exit 1
memory
