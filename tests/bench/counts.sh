#!/bin/bash
# System calls a one-row call of each engine costs the front and the workers, with one client, four and sixteen: they may
# only fall.  PostgreSQL and MariaDB are counted where they are installed.
# usage: counts.sh BUILD_DIRECTORY
set -uo pipefail
build=$(cd "$1" && pwd)
carrel=$build/bin/carrel
support=$(cd "$(dirname "$0")/../support" && pwd)
work=$(mktemp -d) project=$work/project
chmod 755 "$work"
cleanup() {
	"$carrel" --project-dir "$project" mcp stop >/dev/null 2>&1
	for engine in pg my; do
		[ ! -d "$work/$engine" ] || "$support/$engine.sh" remove "$work/$engine" >/dev/null 2>&1
	done
	rm -rf "$work"
}
trap cleanup EXIT

# connection, clients, process, most calls.  With one client from one answer to the next; two more of a SQLite worker are
# for a waiting writer, and are left out between calls that follow within 5 ms: unit.test_sqlite_calls tests that.  With
# more, and of workers that send to a server as well, a call in the mean, of all workers together: calls sent ahead
# (front/calls/ahead.h) share theirs.  carrel-auth, with the store of its own, is not asked for an unlimited call.
limits='
warehouse 1 carrel-sql-sqli 7
warehouse 1 carrel-front 6
warehouse 1 carrel-auth 0
warehouse 4 carrel-front 5
warehouse 16 carrel-sql-sqli 8
warehouse 16 carrel-front 5
pg 1 carrel-sql-post 7.2
pg 1 carrel-front 6
pg 4 carrel-front 6.5
pg 16 carrel-sql-post 7
pg 16 carrel-front 5
my 1 carrel-sql-mysq 9
my 1 carrel-front 6
my 4 carrel-front 6.5
my 16 carrel-front 6.5
'
sql='SELECT * FROM customers WHERE id = 1'
table='CREATE TABLE customers (id INT PRIMARY KEY, name VARCHAR(40)); INSERT INTO customers VALUES (1, '"'one'"'), (2, '"'two'"');'
"$carrel" init --demo "$project" >/dev/null || exit 1
engines=warehouse
if "$support/pg.sh" start "$work/pg" >/dev/null 2>&1 && "$support/pg.sh" psql "$work/pg" -q -c "$table" postgres >/dev/null; then
	engines="$engines pg" COUNTS_PG="postgresql://postgres@/postgres?host=$work/pg/run&port=$(cat "$work/pg/port")"
	export COUNTS_PG
	sed -i '/^connections:/a\  pg: { driver: postgres, url: env:COUNTS_PG, workers: 2 }' "$project/carrel.yaml"
fi
if "$support/my.sh" start "$work/my" >/dev/null 2>&1 && "$support/my.sh" mysql "$work/my" -e "CREATE DATABASE shop; USE shop; $table
	CREATE USER reader IDENTIFIED BY 'secret'; GRANT SELECT ON shop.* TO reader"; then
	engines="$engines my" COUNTS_MY=$("$support/my.sh" url "$work/my" reader secret shop)
	export COUNTS_MY
	sed -i '/^connections:/a\  my: { driver: mysql, url: env:COUNTS_MY, workers: 2 }' "$project/carrel.yaml"
fi
"$carrel" --project-dir "$project" mcp start --port 0 >/dev/null || exit 1
said=$(tr -d ' \n' <"$project/.carrel/mcp.json")
port=$(sed -E 's/.*"port":([0-9]+).*/\1/' <<<"$said") daemon=$(sed -E 's/.*"pid":([0-9]+).*/\1/' <<<"$said")
count() { # connection clients
	printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sql_execution","arguments":%s,"_meta":%s}}' \
		"{\"connectionId\":\"$1\",\"sql\":\"$sql\"}" \
		'{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}' >"$work/body"
	mapfile -t pids < <(pgrep -P "$daemon")
	"$build/bench/bench-count" "${pids[@]}" -- "$build/bench/bench-load" --port "$port" --body "$work/body" \
		--connections "$2" --seconds 1 --expect '"rowCount":1' --header 'MCP-Protocol-Version: 2026-07-28' \
		--header 'Mcp-Method: tools/call' --header 'Mcp-Name: sql_execution' >"$work/counts" || exit 1
	grep -q ' - calls' "$work/counts" && { echo "counts: this account may not trace the processes"; exit 77; }
	sed -i "s/^/$1 $2 /" "$work/counts"
	grep -v ' 0.0 ' "$work/counts"
}

# The count of a process, nothing where a mean is of slowed down programs, which share less.
counted() { # clients process
	if [ "$1" = 1 ] && [ "$2" != carrel-sql-post ] && [ "$2" != carrel-sql-mysq ]; then
		awk -v p="$2" '$3 == p && $4 > n { n = $4 } END { print n + 0 }' "$work/counts"
	else
		awk -v p="$2" '$3 == p { n += $9; traced = traced || ($9 > 0 && $10 == "traced") } END { if (!traced) print n + 0 }' "$work/counts"
	fi
}

# The limits that a count is over.
over() { # connection clients
	local of at process most calls
	while read -r of at process most; do
		[ "$of $at" = "$1 $2" ] || continue
		calls=$(counted "$2" "$process")
		[ -n "$calls" ] || continue
		awk -v n="$calls" -v most="$most" 'BEGIN { exit !(n <= most && (n > 0 || most == 0)) }' && continue
		echo "counts: $process makes $calls system calls a call to $1 with $2 clients, $most at most"
	done <<<"$limits"
}

# What happens by the clock weighs more on a machine that others use: three times over a limit is over it.
failed=0
for engine in $engines; do
	for clients in 1 4 16; do
		grep -q "^$engine $clients " <<<"$limits" || continue
		for _ in 1 2 3; do
			count "$engine" $clients
			said=$(over "$engine" $clients)
			[ -n "$said" ] || continue 2
		done
		echo "$said"
		failed=1
	done
done
exit $failed
