#!/bin/bash
# What the audit costs, in calls a second and in processor time of the whole machine a call (the kernel's threads and
# the load's own included): one row at 16 connections and at one, for each durability, beside a product that is the
# same but for a front that puts nothing on record (audit_off.c); and what the log's line of each call costs, likewise
# (calls_off.c).  They run at the same time and are measured in turns, so that what else the machine does meets all.
# Where calls a second vary by more than the audit costs, processor time says what is so.
# usage: audit.sh BUILD_DIRECTORY [SECONDS [ROUNDS]]
set -uo pipefail
build=$(cd "$1" && pwd)
seconds=${2:-1}
rounds=${3:-7}
work=$(mktemp -d)
trap 'for k in on off silent; do "$work/$k/carrel" --project-dir "$work/$k.project" mcp stop >/dev/null 2>&1; done; rm -rf "$work"' EXIT

field() { sed -E "s/.*\"$1\":([0-9.]+).*/\1/"; }
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
share() { awk -v t="$1" -v n="$2" -v u="$3" -v m="$4" 'BEGIN { printf "%.1f", 100 * (1 - (u / m) / (t / n)) }'; }
a_call() { awk -v t="$1" -v n="$2" 'BEGIN { printf "%.1f", t * 10000 / n }'; } # TICKS CALLS
busy() { awk '/^cpu / { print $2 + $3 + $4 + $6 + $7 + $8 }' /proc/stat; } # with the kernel's own threads
ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }
meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
echo '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sql_execution","arguments":{"connectionId":"warehouse","sql":"SELECT 1 AS n"},'"$meta}}" >"$work/call"

declare -A port auth front
start() { # KIND DURABILITY
	local dir=$work/$1.project pid daemon
	sed -i '/^audit:/d' "$dir/carrel.yaml"
	echo "audit: { durability: $2 }" >>"$dir/carrel.yaml"
	port[$1]=$((20000 + RANDOM % 30000))
	"$work/$1/carrel" --project-dir "$dir" mcp start --port "${port[$1]}" >/dev/null 2>&1 || exit 1
	daemon=$("$work/$1/carrel" --project-dir "$dir" mcp status --json | field pid)
	auth[$1]=$(pgrep -P "$daemon" carrel-auth) front[$1]=$(pgrep -P "$daemon" carrel-front)
}
measure() { # KIND CONNECTIONS
	"$build/bench/bench-load" --port "${port[$1]}" --body "$work/call" --connections "$2" --seconds "$seconds" \
	    --expect '"rows":[[1]]' --header "MCP-Protocol-Version: 2026-07-28" --header "Mcp-Method: tools/call" \
	    --header "Mcp-Name: sql_execution"
}
report() { # WHAT CONNECTIONS OTHER
	local on off before used=0 calls=0 out=$work/pairs fronts=0 others=0 other_calls=0 with=0 without=0
	: >"$out"
	for ((i = 0; i < rounds; i++)); do
		before=$(ticks "${auth[on]}") fronts=$((fronts - $(ticks "${front[on]}")))
		with=$((with - $(busy)))
		on=$(measure on "$2")
		with=$((with + $(busy)))
		used=$((used + $(ticks "${auth[on]}") - before)) calls=$((calls + $(field requests <<<"$on")))
		fronts=$((fronts + $(ticks "${front[on]}"))) others=$((others - $(ticks "${front[$3]}")))
		without=$((without - $(busy)))
		off=$(measure "$3" "$2")
		without=$((without + $(busy)))
		others=$((others + $(ticks "${front[$3]}"))) other_calls=$((other_calls + $(field requests <<<"$off")))
		echo "$(field rps <<<"$on") $(field rps <<<"$off") $(field p50_us <<<"$on") $(field p50_us <<<"$off") $(field p99_us <<<"$on") $(field p99_us <<<"$off")" >>"$out"
	done
	local p=("$(awk '{ printf "%.4f\n", 100 * (1 - $1 / $2) }' "$out" | median)")
	for k in 1 2 3 4 5 6; do p+=("$(awk -v k=$k '{ print $k }' "$out" | median)"); done
	printf '%-14s %2d at a time: %6.0f calls/s, without %6.0f (costs %.1f %%, of processor time %s %%); p50 %s us (%s), p99 %s us (%s); carrel-auth %s us a call, carrel-front %s (%s)\n' \
	    "$1" "$2" "${p[1]}" "${p[2]}" "${p[0]}" "$(share "$with" "$calls" "$without" "$other_calls")" "${p[3]}" "${p[4]}" "${p[5]}" "${p[6]}" \
	    "$(a_call "$used" "$calls")" "$(a_call "$fronts" "$calls")" "$(a_call "$others" "$other_calls")"
}

for kind in on off silent; do
	cp -r "$build/bin" "$work/$kind"
	"$build/bin/carrel" init --demo "$work/$kind.project" >/dev/null || exit 1
done
cp "$build/bench/bench-front-unaudited" "$work/off/carrel-front"
cp "$build/bench/bench-front-silent" "$work/silent/carrel-front"
for durability in process disk; do
	for kind in on off; do start "$kind" "$durability"; done
	report "audit, $durability" 16 off
	report "audit, $durability" 1 off
	if [ "$durability" = process ]; then
		start silent process
		report "lines of calls" 16 silent
		"$work/silent/carrel" --project-dir "$work/silent.project" mcp stop >/dev/null
	fi
	"$work/on/carrel" --project-dir "$work/on.project" audit verify >/dev/null 2>&1 || { echo "the audit is not whole"; exit 1; }
	for kind in on off; do "$work/$kind/carrel" --project-dir "$work/$kind.project" mcp stop >/dev/null; done
done
