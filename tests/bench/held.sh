#!/bin/bash
# Load that is held: 10,000 sessions, 2,000 requests a second over the tools, for ten minutes, and then what a
# thousand bad clients do to a hundred good ones.  Prints latency, and memory of every process before and after.
# usage: held.sh BUILD_DIRECTORY
#   HELD_SESSIONS (10000), HELD_RATE (2000), HELD_SECONDS (600), HELD_BAD (1000) scale it.
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
p99() { sed -E 's/.*"p99_ms":([0-9.]+).*/\1/'; }

memory
"$build/bench/bench-held" "$port" "${HELD_SESSIONS:-10000}" "${HELD_RATE:-2000}" "${HELD_SECONDS:-600}" || exit 1
memory
# A tenth of the load, so that what is measured is not the queue.
seconds=$((${HELD_SECONDS:-600} / 10 > 5 ? ${HELD_SECONDS:-600} / 10 : 5))
rate=$((${HELD_RATE:-2000} / 10 > 0 ? ${HELD_RATE:-2000} / 10 : 1))
alone=$("$build/bench/bench-held" "$port" 100 "$rate" "$seconds") && echo "$alone" || exit 1
"$build/bench/bench-held" "$port" 0 1 $((seconds + 2)) "${HELD_BAD:-1000}" >/dev/null &
sleep 1
beside=$("$build/bench/bench-held" "$port" 100 "$rate" "$seconds") && echo "$beside" || exit 1
wait $!
awk -v a="$(p99 <<<"$alone")" -v b="$(p99 <<<"$beside")" -v n="${HELD_BAD:-1000}" \
	'BEGIN { printf "p99 of the good ones beside %d bad ones: %.1f ms, %.2f of alone\n", n, b, b / a }'
memory
