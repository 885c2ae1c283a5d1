#!/bin/bash
# Compares Carrel with DBHub and MCP Toolbox.  All products run at the same time on core 0, with the database servers; the
# client runs on core 1 with 16 connections and measures them in turns.  Prints medians of the rounds.  On a quiet machine
# compare calls a second, on a busy one processor time a call, of the product's processes without the server's.
# usage: peers.sh BUILD_DIRECTORY [SECONDS [ROUNDS]]
#
# npm install --prefix BUILD_DIRECTORY/peers @bytebase/dbhub@1.4.0 @toolbox-sdk/server-linux-x64@1.12.0
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd)
seconds=${2:-3}
rounds=${3:-3}
carrel=$build/bin/carrel
work=$(mktemp -d)
project=$work/project
declare -A port path pid
. "$here/rows.sh"

cleanup() {
	"$carrel" --project-dir "$project" mcp stop >/dev/null 2>&1
	for p in "${pid[@]}"; do kill "$p" 2>/dev/null; done
	remove_servers
	rm -rf "$work"
}
trap cleanup EXIT

dbhub=$build/peers/node_modules/.bin/dbhub
node=$root/tests/node_modules/.bin/node	# DBHub wants Node 22
toolbox=$(find "$build/peers/node_modules/@toolbox-sdk" -name toolbox -type f 2>/dev/null | head -n 1)
[ -x "$dbhub" ] && [ -x "$node" ] || dbhub=""
[ -n "$dbhub$toolbox" ] || { echo "peers: none is installed, skipped"; exit 0; }

# --- starting: PRODUCT.DATABASE of each kind ----------------------------------------
start_peer() { # KEY COMMAND…, which has PORT for the port
	local key=$1 at
	shift
	at=$(free_port)
	taskset -c 0 "${@//PORT/$at}" >"$work/$key.log" 2>&1 &
	pid[$key]=$! port[$key]=$at path[$key]=/mcp
	for _ in $(seq 300); do
		sleep 0.1
		(exec 3<>"/dev/tcp/127.0.0.1/$at") 2>/dev/null && return
	done
	echo "$key does not start:"
	tail -n 3 "$work/$key.log"
	unset "port[$key]"
}
start_carrel() {
	local daemon
	taskset -c 0 "$carrel" --project-dir "$project" mcp start --port 0 >/dev/null || exit 1
	daemon=$(sed -E 's/.*"pid": *([0-9]+).*/\1/' "$project/.carrel/mcp.json" | tr -cd 0-9)
	for database in sqlite pg my; do
		port[carrel.$database]=$(sed -E 's/.*"port": *([0-9]+).*/\1/' "$project/.carrel/mcp.json" | tr -cd 0-9)
		path[carrel.$database]=/mcp
	done
	carrels=$daemon
}
start_dbhub() {
	start_peer dbhub.sqlite "$node" "$dbhub" --transport http --port PORT --dsn "sqlite://$work/rows.db"
	[ -n "$pg_tcp" ] && start_peer dbhub.pg "$node" "$dbhub" --transport http --port PORT --dsn "$pg_tcp?sslmode=disable"
	[ -n "$my_port" ] && start_peer dbhub.my "$node" "$dbhub" --transport http --port PORT \
		--dsn "mariadb://bench:bench@127.0.0.1:$my_port/rows_db"
}
start_toolbox() {
	cat >"$work/tools.yaml" <<-YAML
		sources:
		  rows: { kind: sqlite, database: $work/rows.db }
		tools:
		  one: { kind: sqlite-sql, source: rows, description: one, statement: "$one" }
		  thousand: { kind: sqlite-sql, source: rows, description: thousand, statement: "$thousand" }
		  aggregate: { kind: sqlite-sql, source: rows, description: aggregate, statement: "$aggregate" }
	YAML
	start_peer toolbox.sqlite "$toolbox" --tools-file "$work/tools.yaml" --port PORT
	if [ -n "$pg_tcp" ]; then
		sed -e 's/sqlite-sql/postgres-sql/' -e "s|kind: sqlite, database: .*}|kind: postgres, host: 127.0.0.1, port: $(cat "$work/pg/port"), database: postgres, user: bench, password: bench }|" \
			"$work/tools.yaml" >"$work/tools-pg.yaml"
		start_peer toolbox.pg "$toolbox" --tools-file "$work/tools-pg.yaml" --port PORT
	fi
	if [ -n "$my_port" ]; then
		sed -e 's/sqlite-sql/mysql-sql/' -e "s|kind: sqlite, database: .*}|kind: mysql, host: 127.0.0.1, port: $my_port, database: rows_db, user: bench, password: bench }|" \
			"$work/tools.yaml" >"$work/tools-my.yaml"
		start_peer toolbox.my "$toolbox" --tools-file "$work/tools-my.yaml" --port PORT
	fi
}

# --- what is asked ------------------------------------------------------------------
peer_call() { # FILE TOOL ARGUMENTS
	printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":%s}}' "$2" "$3" >"$work/$1"
}
make_calls() {
	local kind database connection
	list_call
	printf '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}' >"$work/peer-list"
	for kind in one thousand aggregate; do
		for database in sqlite pg my; do
			connection=$database
			[ "$database" = sqlite ] && connection=rows
			call "$database-$kind" sql_execution "{\"connectionId\":\"$connection\",\"sql\":\"${!kind}\"}"
		done
		peer_call "dbhub-$kind" execute_sql "{\"sql\":\"${!kind}\"}"
		peer_call "toolbox-$kind" "$kind" '{}'
	done
}

# --- measuring ----------------------------------------------------------------------
used() { # PRODUCT DATABASE: processor time of its processes until now, in hundredths of a second
	local pids=${pid[$1.$2]:-}
	[ "$1" = carrel ] && pids="$carrels $(pgrep -P "$carrels")"
	for p in $pids; do
		[ "$1" = carrel ] || pids="$pids $(pgrep -P "$p")"
	done
	for p in $pids; do cat "/proc/$p/stat" 2>/dev/null; done | awk '{ n += $14 + $15 } END { print n + 0 }'
}
measure() { # PRODUCT DATABASE KIND: a line "calls-a-second microseconds-a-call" in $work/KIND.DATABASE.PRODUCT
	local product=$1 database=$2 kind=$3 expect args=() body before out line
	case $kind in
	list) expect='"inputSchema"' body=list ;;
	one) expect=customer body=$database-one ;;
	thousand) expect='customer 999' body=$database-thousand ;;
	aggregate) expect=status body=$database-aggregate ;;
	esac
	if [ "$product" = carrel ]; then
		while read -r line; do args+=(--header "$line"); done <"$work/$body.headers"
	else
		args=(--initialize)
		[ "$kind" = list ] && body=peer-list || body=$product-$kind
	fi
	before=$(used "$product" "$database")
	out=$(taskset -c 1 "$build/bench/bench-load" --port "${port[$product.$database]}" --path "${path[$product.$database]}" \
		--body "$work/$body" --connections 16 --seconds "$seconds" --expect "$expect" "${args[@]}") || return
	echo "$(field rps <<<"$out") $(($(used "$product" "$database") - before)) $(field all <<<"$out")" |
		awk '{ print $1, ($3 > 0 ? $2 * 10000 / $3 : 0) }' >>"$work/$kind.$database.$product"
}
told() { # KIND DATABASE PRODUCT COLUMN: its median
	awk -v k="$4" '{ print $k }' "$work/$1.$2.$3" 2>/dev/null | median
}
report() { # KIND DATABASE
	local best=0 cheapest=0 product rate cost
	printf '%-22s' "$1, $2"
	for product in carrel dbhub toolbox; do
		[ -s "$work/$1.$2.$product" ] || continue
		rate=$(told "$1" "$2" "$product" 1) cost=$(told "$1" "$2" "$product" 2)
		printf '  %s %9.0f/s %8.0f us' "$product" "$rate" "$cost"
		[ "$product" = carrel ] && continue
		best=$(awk -v a="$best" -v b="$rate" 'BEGIN { print (a > b ? a : b) }')
		cheapest=$(awk -v a="$cheapest" -v b="$cost" 'BEGIN { print (a == 0 || b < a ? b : a) }')
	done
	printf '   carrel / best peer %s, processor time best peer / carrel %s\n' "$(ratio "$(told "$1" "$2" carrel 1)" "$best")" \
		"$(ratio "$cheapest" "$(told "$1" "$2" carrel 2)")"
}

make_project
start_carrel
[ -n "$dbhub" ] && start_dbhub
[ -n "$toolbox" ] && start_toolbox
make_calls
echo "== peers: 16 clients, in turns, medians of $rounds rounds of $seconds s; processor time a call without the server's"
workloads=("list sqlite")
for database in sqlite pg my; do
	for kind in one aggregate thousand; do [ -n "${port[dbhub.$database]:-${port[toolbox.$database]:-}}" ] && workloads+=("$kind $database"); done
done
for ((round = 0; round < rounds; round++)); do
	for workload in "${workloads[@]}"; do
		read -r kind database <<<"$workload"
		for product in carrel dbhub toolbox; do
			[ -n "${port[$product.$database]:-}" ] && measure "$product" "$database" "$kind"
		done
	done
done
for workload in "${workloads[@]}"; do
	read -r kind database <<<"$workload"
	report "$kind" "$database"
done
