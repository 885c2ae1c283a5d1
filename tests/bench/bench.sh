#!/bin/bash
# The benchmark: one run, all of Carrel's processes on core 0, the client on
# core 1, ratios against the same queries in process and, where installed,
# against DBHub and MCP Toolbox.  usage: bench.sh BUILD_DIRECTORY [SECONDS]
#
# The peers are optional: npm install --prefix BUILD_DIRECTORY/peers
#   @bytebase/dbhub@1.4.0 @toolbox-sdk/server-linux-x64@1.12.0
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
pg_dsn="" pg_tcp="" my_port=""
declare -A rps p50

cleanup() {
	"$carrel" --project-dir "$project" mcp stop >/dev/null 2>&1
	[ -n "$pg_dsn" ] && "$root/tests/support/pg.sh" remove "$work/pg" >/dev/null 2>&1
	[ -n "$my_port" ] && "$root/tests/support/my.sh" remove "$work/my" >/dev/null 2>&1
	[ -n "${peer:-}" ] && kill "$peer" 2>/dev/null
	rm -rf "$work"
}
trap cleanup EXIT

# A port nobody answers on now.
free_port() {
	local port
	while port=$((20000 + RANDOM % 30000)); (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
	echo "$port"
}

# field NAME < one line of JSON
field() { sed -E "s/.*\"$1\":([0-9.]+).*/\1/"; }

# --- the project: the demo, and a table for the row benchmarks ---------------
make_project() {
	"$carrel" init --demo "$project" >/dev/null || exit 1
	sqlite3 "$work/rows.db" <<-'SQL'
		CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, x REAL, y REAL,
		                s1 TEXT, s2 TEXT, s3 TEXT, s4 TEXT, s5 TEXT);
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
		INSERT INTO t SELECT i, i * 7919 % 1000, i * 104729 % 100000, i * 0.25, i / 7.0,
		  'customer ' || i, 'city ' || (i % 97), 'status ' || (i % 5), 'note ' || (i % 1000), 'code-' || i FROM n;
	SQL
	printf '  rows: { driver: sqlite, path: %s }\n' "$work/rows.db" >"$work/extra"
	chmod 755 "$work"
	if "$root/tests/support/pg.sh" start "$work/pg" >/dev/null 2>&1; then
		pg_dsn="postgresql://postgres@/postgres?host=$work/pg/run&port=$(cat "$work/pg/port")"
		sqlite3 -csv "$work/rows.db" 'SELECT * FROM t' >"$work/t.csv"
		chmod 644 "$work/t.csv"
		psql -X -q "$pg_dsn" -c 'CREATE TABLE t (id bigint PRIMARY KEY, a bigint, b bigint, x double precision,
			y double precision, s1 text, s2 text, s3 text, s4 text, s5 text)' \
			-c "\\copy t FROM '$work/t.csv' CSV" -c 'ANALYZE t' -c "CREATE ROLE bench LOGIN PASSWORD 'bench'" -c 'GRANT SELECT ON t TO bench'
		pg_tcp="postgres://bench:bench@127.0.0.1:$(cat "$work/pg/port")/postgres"
		printf '  pg: { driver: postgres, url: "%s", workers: 2 }\n' "$pg_dsn" >>"$work/extra"
	else
		pg_dsn=""
	fi
	if [ -x /usr/sbin/mariadbd ] && "$root/tests/support/my.sh" start "$work/my" >/dev/null 2>&1; then
		my_port=$(cat "$work/my/port")
		{
			echo "CREATE DATABASE rows_db; USE rows_db; CREATE USER bench@'127.0.0.1' IDENTIFIED BY 'bench';
				GRANT SELECT ON rows_db.* TO bench@'127.0.0.1';
				CREATE TABLE t (id BIGINT PRIMARY KEY, a BIGINT, b BIGINT, x DOUBLE, y DOUBLE, s1 VARCHAR(40), s2 VARCHAR(40),
					s3 VARCHAR(40), s4 VARCHAR(40), s5 VARCHAR(40)); START TRANSACTION;"
			sqlite3 "$work/rows.db" -cmd '.mode insert t' 'SELECT * FROM t'
			echo 'COMMIT; ANALYZE TABLE t;'
		} | "$root/tests/support/my.sh" mysql "$work/my" >/dev/null
		printf '  my: { driver: mysql, url: "mysql://bench:bench@127.0.0.1:%s/rows_db", sslmode: disable, workers: 2 }\n' \
			"$my_port" >>"$work/extra"
	fi
	sed -i "/^connections:/r $work/extra" "$project/carrel.yaml"
	printf 'connectivity:\n  enabled: true\n' >>"$project/carrel.yaml"
}

start() {
	taskset -c 0 "$carrel" --project-dir "$project" mcp start --port 0 >/dev/null || exit 1
	port=$(sed -E 's/.*"port": *([0-9]+).*/\1/' "$project/.carrel/mcp.json" | tr -cd 0-9)
	daemon=$(sed -E 's/.*"pid": *([0-9]+).*/\1/' "$project/.carrel/mcp.json" | tr -cd 0-9)
}

# body METHOD PARAMS-without-braces: a modern request, with its headers in $headers
meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
call() { # file tool arguments
	printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":%s,%s}}' "$2" "$3" "$meta" >"$work/$1"
	printf 'MCP-Protocol-Version: 2026-07-28\nMcp-Method: tools/call\nMcp-Name: %s\n' "$2" >"$work/$1.headers"
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

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.2f", a / b; else printf "-" }'; }

median() { sort -n | awk '{v[NR]=$1} END {print v[int((NR+1)/2)]}'; }

child() { pgrep -P "$daemon" -x "$1" | head -n 1; }	# comm is cut at 15 characters

# --- in process ---------------------------------------------------------------
one='SELECT * FROM t WHERE id = 4242'
thousand='SELECT * FROM t WHERE id <= 1000'
aggregate='SELECT s3, count(*) AS n, sum(x) AS x FROM t GROUP BY s3'

make_project
start
echo "== Carrel, processes on core 0, client on core 1"
printf '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{%s}}' "$meta" >"$work/list"
printf 'MCP-Protocol-Version: 2026-07-28\nMcp-Method: tools/list\n' >"$work/list.headers"
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
	server=$(head -n 1 "$work/pg/data/postmaster.pid")
	taskset -a -cp 0 "$server" >/dev/null
	for kind in one thousand aggregate; do call "pg-$kind" sql_execution "{\"connectionId\":\"pg\",\"sql\":\"${!kind}\"}"; done
	for c in 1 16; do
		measure "one row, PostgreSQL" pg-one $c '"rowCount":1'
		measure "1000 x 10 rows, PostgreSQL" pg-thousand $c '"rowCount":1000'
		measure "aggregate, PostgreSQL" pg-aggregate $c '"rowCount":5'
	done
fi
if [ -n "$my_port" ]; then
	taskset -a -cp 0 "$(cat "$work/my/run/pid")" >/dev/null
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
peer_run() { # name database path port command…
	local name=$1 database=$2 path=$3 at=$4
	shift 4
	taskset -c 0 "$@" >"$work/$name.log" 2>&1 &
	peer=$!
	for _ in $(seq 300); do
		sleep 0.1
		(exec 3<>"/dev/tcp/127.0.0.1/$at") 2>/dev/null && break
	done
	printf '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}' >"$work/$name-list"
	for kind in list one thousand aggregate; do
		[ "$kind" != list ] || [ "$database" = SQLite ] || continue
		case $kind in
		list) label=tools/list expect='"inputSchema"' ;;
		one) label="one row, $database" expect=customer ;;
		thousand) label="1000 x 10 rows, $database" expect='customer 999' ;;
		aggregate) label="aggregate, $database" expect=status ;;
		esac
		out=$($load --port "$at" --path "$path" --body "$work/$name-$kind" --initialize --connections 16 --seconds "$seconds" --expect "$expect")
		printf '%-34s %9s req/s   p99 %7s us   Carrel is %s times as fast\n' "$name, $label" "$(field rps <<<"$out")" \
			"$(field p99_us <<<"$out")" "$(ratio "${rps[$label/16]}" "$(field rps <<<"$out")")"
	done
	counted "$name, one row, $database" customer --port "$at" --path "$path" --body "$work/$name-one" --initialize -- "$peer"
	kill "$peer" 2>/dev/null
	wait "$peer" 2>/dev/null
	peer=""
}
peer_call() { # file tool arguments
	printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":%s}}' "$2" "$3" >"$work/$1"
}

echo "== peers, the same client and core"
dbhub=$build/peers/node_modules/.bin/dbhub
node=$root/tests/node_modules/.bin/node	# DBHub wants Node 22
if [ -x "$dbhub" ] && [ -x "$node" ]; then
	for kind in one thousand aggregate; do peer_call "dbhub-$kind" execute_sql "{\"sql\":\"${!kind}\"}"; done
	at=$(free_port)
	peer_run dbhub SQLite /mcp "$at" "$node" "$dbhub" --transport http --port "$at" --dsn "sqlite://$work/rows.db"
	if [ -n "$pg_tcp" ]; then
		at=$(free_port)
		peer_run dbhub PostgreSQL /mcp "$at" "$node" "$dbhub" --transport http --port "$at" --dsn "$pg_tcp?sslmode=disable"
	fi
	if [ -n "$my_port" ]; then
		at=$(free_port)
		peer_run dbhub MariaDB /mcp "$at" "$node" "$dbhub" --transport http --port "$at" \
			--dsn "mariadb://bench:bench@127.0.0.1:$my_port/rows_db"
	fi
else
	echo "dbhub: not installed, skipped"
fi
toolbox=$(find "$build/peers/node_modules/@toolbox-sdk" -name toolbox -type f 2>/dev/null | head -n 1)
if [ -n "$toolbox" ]; then
	cat >"$work/tools.yaml" <<-YAML
		sources:
		  rows: { kind: sqlite, database: $work/rows.db }
		tools:
		  one: { kind: sqlite-sql, source: rows, description: one, statement: "$one" }
		  thousand: { kind: sqlite-sql, source: rows, description: thousand, statement: "$thousand" }
		  aggregate: { kind: sqlite-sql, source: rows, description: aggregate, statement: "$aggregate" }
	YAML
	for kind in one thousand aggregate; do peer_call "toolbox-$kind" "$kind" '{}'; done
	at=$(free_port)
	peer_run toolbox SQLite /mcp "$at" "$toolbox" --tools-file "$work/tools.yaml" --port "$at"
	if [ -n "$pg_tcp" ]; then
		sed -e 's/sqlite-sql/postgres-sql/' -e "s|kind: sqlite, database: .*}|kind: postgres, host: 127.0.0.1, port: $(cat "$work/pg/port"), database: postgres, user: bench, password: bench }|" \
			"$work/tools.yaml" >"$work/tools-pg.yaml"
		at=$(free_port)
		peer_run toolbox PostgreSQL /mcp "$at" "$toolbox" --tools-file "$work/tools-pg.yaml" --port "$at"
	fi
	if [ -n "$my_port" ]; then
		sed -e 's/sqlite-sql/mysql-sql/' -e "s|kind: sqlite, database: .*}|kind: mysql, host: 127.0.0.1, port: $my_port, database: rows_db, user: bench, password: bench }|" \
			"$work/tools.yaml" >"$work/tools-my.yaml"
		at=$(free_port)
		peer_run toolbox MariaDB /mcp "$at" "$toolbox" --tools-file "$work/tools-my.yaml" --port "$at"
	fi
else
	echo "toolbox: not installed, skipped"
fi
