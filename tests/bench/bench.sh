#!/bin/bash
# The benchmark: one run, all of Carrel's processes on core 0, the client on
# core 1, ratios against the same queries in process and, by peers.sh, against DBHub and MCP Toolbox.
# usage: bench.sh BUILD_DIRECTORY [SECONDS]
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd)
seconds=${2:-3}
carrel=$build/bin/carrel
load="taskset -c 1 $build/bench/bench-load"
direct="taskset -c 0 $build/bench/bench-direct"
recover=$build/bench/bench-recover
work=$(mktemp -d)
project=$work/project
declare -A rps p50
. "$here/rows.sh"

cleanup() {
	"$carrel" --project-dir "$project" mcp stop >/dev/null 2>&1
	remove_servers
	rm -rf "$work"
}
trap cleanup EXIT

start() {
	taskset -c 0 "$carrel" --project-dir "$project" mcp start --port 0 >/dev/null || exit 1
	port=$(sed -E 's/.*"port": *([0-9]+).*/\1/' "$project/.carrel/mcp.json" | tr -cd 0-9)
	daemon=$(sed -E 's/.*"pid": *([0-9]+).*/\1/' "$project/.carrel/mcp.json" | tr -cd 0-9)
}

header_args() {
	mapfile -t lines <"$work/$1.headers"
	args=()
	for line in "${lines[@]}"; do args+=(--header "$line"); done
}

measure() { # label file connections expect [status]
	header_args "$2"
	local out
	out=$($load --port "$port" --body "$work/$2" --connections "$3" --seconds "$seconds" --expect "$4" --status "${5:-200}" "${args[@]}")
	rps[$1/$3]=$(field rps <<<"$out")
	p50[$1/$3]=$(field p50_us <<<"$out")
	printf '%-34s %4s conns %9s req/s   p50 %7s us   p99 %7s us\n' "$1" "$3" \
		"$(field rps <<<"$out")" "$(field p50_us <<<"$out")" "$(field p99_us <<<"$out")"
}

memory() { # label: proportional set size of every process
	local total=0
	printf 'memory %-12s' "$1"
	for pid in $daemon $(pgrep -P "$daemon"); do
		kb=$(awk '/^Pss:/{print $2}' "/proc/$pid/smaps_rollup")
		total=$((total + kb))
		printf ' %s %s;' "$(cat "/proc/$pid/comm")" "$kb"
	done
	printf ' all %s kB\n' "$total"
}

child() { pgrep -P "$daemon" -x "$1" | head -n 1; }	# comm is cut at 15 characters

# --- in process ---------------------------------------------------------------
make_project
start
echo "== Carrel, processes on core 0, client on core 1"
list_call
call one sql_execution "{\"connectionId\":\"rows\",\"sql\":\"$one\"}"
call thousand sql_execution "{\"connectionId\":\"rows\",\"sql\":\"$thousand\"}"
call aggregate sql_execution "{\"connectionId\":\"rows\",\"sql\":\"$aggregate\"}"
call discover discover_data '{"query":"refunded revenue by country"}'
memory idle
for c in 1 16; do
	measure tools/list list $c '"sql_execution"'
	measure "one row, SQLite" one $c '"rowCount":1'
	measure "1000 x 10 rows, SQLite" thousand $c '"rowCount":1000'
	measure "aggregate, SQLite" aggregate $c '"rowCount":5'
	measure discover_data discover $c '"refs"'
done
if [ -n "$pg_dsn" ]; then
	for kind in one thousand aggregate; do call "pg-$kind" sql_execution "{\"connectionId\":\"pg\",\"sql\":\"${!kind}\"}"; done
	for c in 1 16; do
		measure "one row, PostgreSQL" pg-one $c '"rowCount":1'
		measure "1000 x 10 rows, PostgreSQL" pg-thousand $c '"rowCount":1000'
		measure "aggregate, PostgreSQL" pg-aggregate $c '"rowCount":5'
	done
fi
if [ -n "$my_port" ]; then
	for kind in one thousand aggregate; do call "my-$kind" sql_execution "{\"connectionId\":\"my\",\"sql\":\"${!kind}\"}"; done
	for c in 1 16; do
		measure "one row, MariaDB" my-one $c '"rowCount":1'
		measure "1000 x 10 rows, MariaDB" my-thousand $c '"rowCount":1000'
		measure "aggregate, MariaDB" my-aggregate $c '"rowCount":5'
	done
fi
# By now the workers have answered some ten thousand other calls: what sorts and groups must not feel it.
measure "aggregate, SQLite, later" aggregate 1 '"rowCount":5'
memory "after load"

echo "== what a call costs each process that takes part, 1 connection"
counted() { # label expect load's other arguments… -- pids
	local label=$1 expect=$2 more=()
	shift 2
	while [ "$1" != -- ]; do more+=("$1"); shift; done
	shift
	"$build/bench/bench-count" "$@" -- $load --connections 1 --seconds "$seconds" --expect "$expect" "${more[@]}" |
		sed -n "/ 0 calls as a rule/!s|^|$label: |p"
}
count_own() { # label file expect
	local pids
	header_args "$2"
	mapfile -t pids < <(pgrep -P "$daemon")
	counted "$1" "$3" --port "$port" --body "$work/$2" "${args[@]}" -- "${pids[@]}"
}
count_own tools/list list '"sql_execution"'
count_own "one row, SQLite" one '"rowCount":1'
count_own "1000 x 10 rows, SQLite" thousand '"rowCount":1000'
count_own "aggregate, SQLite" aggregate '"rowCount":5'
[ -n "$pg_dsn" ] && count_own "one row, PostgreSQL" pg-one '"rowCount":1'
[ -n "$my_port" ] && count_own "one row, MariaDB" my-one '"rowCount":1'

echo "== an entry of the audit, processor time"
taskset -c 1 "$build/bench/bench-audit" "$work"

echo "== credentials"
taskset -c 1 "$build/bench/bench-tokens"
taskset -c 1 "$build/bench/bench-timing"
# An access token that is not remembered: what the front does, and what carrel-auth is then asked.
taskset -c 1 "$build/bench/bench-access"
taskset -c 1 "$build/bench/bench-oauth"
# Neither is a valid one, and this address is blocked soon; the second has the form of one, so carrel-auth is asked each time.
for i in 1 2 3 4 5 6; do
	curl -s -o /dev/null -H 'Authorization: Bearer wrong' -H 'Content-Type: application/json' -d '{}' "http://127.0.0.1:$port/mcp"
done
for kind in "no token's form|wrong" "asked of carrel-auth|crlmcp_00000000_00000000000000000000000000000000"; do
	IFS='|' read -r label token <<<"$kind"
	{ cat "$work/list.headers"; printf 'Authorization: Bearer %s\n' "$token"; } >"$work/token.headers"
	cp "$work/list" "$work/token"
	for c in 1 16; do measure "$label" token $c 'ip_blocked' 429; done
done
awk -v a="${p50[asked of carrel-auth/1]}" -v b="${p50["no token's form/1"]}" \
	'BEGIN { printf "verification by carrel-auth adds %.0f us at p50, 1 connection\n", a - b }'

echo "== over the same query in process (cost per request at 16 connections / cost in process)"
for pair in "one row, SQLite|sqlite|$work/rows.db|$one" "1000 x 10 rows, SQLite|sqlite|$work/rows.db|$thousand" \
	"aggregate, SQLite|sqlite|$work/rows.db|$aggregate" "aggregate, SQLite, later|sqlite|$work/rows.db|$aggregate" "one row, PostgreSQL|postgres|$pg_dsn|$one" \
	"1000 x 10 rows, PostgreSQL|postgres|$pg_dsn|$thousand" "aggregate, PostgreSQL|postgres|$pg_dsn|$aggregate"; do
	IFS='|' read -r label kind where sql <<<"$pair"
	[ -z "$where" ] && continue
	out=$($direct "$kind" "$where" "$sql" 2)
	qps=$(field qps <<<"$out")
	printf '%-34s in process %8s/s   ratio %s   added at p50, 1 connection: %s us\n' "$label" "$qps" \
		"$(ratio "$qps" "${rps[$label/16]:-${rps[$label/1]:-0}}")" \
		"$(awk -v a="${p50[$label/1]:-0}" -v b="$(field p50_us <<<"$out")" 'BEGIN { printf "%.0f", a - b }')"
done

echo "== time from SIGKILL to the first answer (median of 11), microseconds"
killed() { # label process file
	header_args "$3"
	local headers=() h
	for h in "${lines[@]}"; do headers+=("$h"); done
	for _ in $(seq 11); do
		"$recover" kill "$(child "$2")" "$port" "$work/$3" "${headers[@]}"
		sleep 0.15
	done | median | xargs printf '%-34s %s\n' "$1"
}
killed "SQLite worker" carrel-sql-sqli one
[ -n "$pg_dsn" ] && killed "PostgreSQL worker" carrel-sql-post pg-one
[ -n "$my_port" ] && killed "MariaDB worker" carrel-sql-mysq my-one
killed search carrel-search discover
killed front carrel-front one

echo "== the demo: time from start to the first answer (median of 7), microseconds"
"$carrel" --project-dir "$project" mcp stop >/dev/null
project=$work/plain
"$carrel" init --demo "$project" >/dev/null
call one-demo sql_execution '{"connectionId":"warehouse","sql":"SELECT 1"}'
header_args one-demo
for _ in $(seq 7); do
	at=$(free_port)
	taskset -c 0 "$recover" start "$at" "$work/one-demo" "${lines[@]}" -- "$carrel" --project-dir "$project" mcp start --port "$at"
	sleep 0.3	# the command itself is still about to say so
	"$carrel" --project-dir "$project" mcp stop >/dev/null 2>&1
done | median

echo "== idle event streams, and a soak"
"$here/streams.sh" "$build"

if [ -n "$pg_dsn" ]; then
	echo "== the guard on a statement of 1 KB, microseconds of processor time"
	taskset -c 1 "$build/bench/bench-guard" "$pg_dsn"
fi

echo "== the semantic layer's compiler"
taskset -c 1 "$build/bench/bench-semantic"

echo "== discovery at a million columns"
taskset -c 1 "$build/bench/bench-search" "$work/search"
taskset -c 1 "$build/bench/bench-chunks"
rm -rf "$work/search"

echo "== keeping a finding of 4 KB (its index of 10,000 pages and all)"
"$here/memory.sh" "$build"

# --- peers ---------------------------------------------------------------------
"$here/peers.sh" "$build" "$seconds"
