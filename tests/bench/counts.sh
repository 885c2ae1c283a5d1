#!/bin/bash
# System calls a one-row call of SQLite costs each process, with one client and with sixteen: they may only fall.
# usage: counts.sh BUILD_DIRECTORY
set -uo pipefail
build=$(cd "$1" && pwd)
carrel=$build/bin/carrel
work=$(mktemp -d) project=$work/project
cleanup() {
	"$carrel" --project-dir "$project" mcp stop >/dev/null 2>&1
	rm -rf "$work"
}
trap cleanup EXIT

# connections, process, most calls.  With one connection from one answer to the next; two of a worker's nine are for a
# waiting writer, and are left out between calls that follow within 5 ms: unit.test_sqlite_calls tests that.  With sixteen
# a call in the mean, of all workers together: calls sent ahead (front/calls/ahead.h) share theirs, and on a machine
# that is too busy for it a call costs what it costs alone.
limits='
1 carrel-sql-sqli 9
1 carrel-front 6
16 carrel-sql-sqli 10
16 carrel-front 8
'
sql='SELECT * FROM customers WHERE id = 1'
"$carrel" init --demo "$project" >/dev/null || exit 1
"$carrel" --project-dir "$project" mcp start --port 0 >/dev/null || exit 1
said=$(tr -d ' \n' <"$project/.carrel/mcp.json")
port=$(sed -E 's/.*"port":([0-9]+).*/\1/' <<<"$said") daemon=$(sed -E 's/.*"pid":([0-9]+).*/\1/' <<<"$said")
mapfile -t pids < <(pgrep -P "$daemon")
printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sql_execution","arguments":%s,"_meta":%s}}' \
	"{\"connectionId\":\"warehouse\",\"sql\":\"$sql\"}" \
	'{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}' >"$work/body"

count() { # connections
	"$build/bench/bench-count" "${pids[@]}" -- "$build/bench/bench-load" --port "$port" --body "$work/body" \
		--connections "$1" --seconds 1 --expect '"rowCount":1' --header 'MCP-Protocol-Version: 2026-07-28' \
		--header 'Mcp-Method: tools/call' --header 'Mcp-Name: sql_execution' >"$work/counts" || exit 1
	grep -q ' - calls' "$work/counts" && { echo "counts: this account may not trace the processes"; exit 77; }
	sed -i "s/^/$1 connections: /" "$work/counts"
	cat "$work/counts"
}

failed=0
for connections in 1 16; do
	count $connections
	while read -r of process most; do
		[ "$of" = $connections ] || continue
		if [ $connections = 1 ]; then
			calls=$(awk -v p="$process" '$3 == p && $4 > n { n = $4 } END { print n + 0 }' "$work/counts")
		else
			calls=$(awk -v p="$process" '$3 == p { n += $9 } END { print n + 0 }' "$work/counts")
		fi
		awk -v n="$calls" -v most="$most" 'BEGIN { exit !(n > 0 && n <= most) }' && continue
		echo "counts: $process makes $calls system calls a call with $connections connections, $most at most"
		failed=1
	done <<<"$limits"
done
exit $failed
