#!/bin/bash
# What the audit costs: one row at 16 connections with `durability: process` and with `disk`, each beside lists of
# the same front, which have no entry; and the processor time of carrel-auth for each call.
# usage: audit.sh BUILD_DIRECTORY [SECONDS]
set -uo pipefail
build=$(cd "$1" && pwd)
seconds=${2:-3}
carrel=$build/bin/carrel
work=$(mktemp -d)
trap '"$carrel" --project-dir "$work/p" mcp stop >/dev/null 2>&1; rm -rf "$work"' EXIT

field() { sed -E "s/.*\"$1\":([0-9.]+).*/\1/"; }
meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
echo '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sql_execution","arguments":{"connectionId":"warehouse","sql":"SELECT 1 AS n"},'"$meta}}" >"$work/call"
echo '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{'"$meta}}" >"$work/list"

measure() { # body expect header...
	local body=$1 expect=$2 args=(--header "MCP-Protocol-Version: 2026-07-28")
	shift 2
	for h in "$@"; do args+=(--header "$h"); done
	"$build/bench/bench-load" --port "$port" --body "$work/$body" --connections 16 --seconds "$seconds" --expect "$expect" "${args[@]}"
}
ticks() { awk '{ print $14 + $15 }' "/proc/$auth/stat"; }

"$carrel" init --demo "$work/p" >/dev/null || exit 1
for durability in process disk; do
	sed -i '/^audit:/d' "$work/p/carrel.yaml"
	echo "audit: { durability: $durability }" >>"$work/p/carrel.yaml"
	port=$((20000 + RANDOM % 30000))
	"$carrel" --project-dir "$work/p" mcp start --port "$port" >/dev/null 2>&1 || exit 1
	daemon=$("$carrel" --project-dir "$work/p" mcp status --json | field pid)
	for pid in $(pgrep -P "$daemon"); do grep -q carrel-auth "/proc/$pid/comm" && auth=$pid; done
	list=$(measure list '"tools":[' "Mcp-Method: tools/list")
	before=$(ticks)
	call=$(measure call '"rows":[[1]]' "Mcp-Method: tools/call" "Mcp-Name: sql_execution")
	printf 'audit, durability %-8s %7.0f calls/s, p50 %s us, p99 %s us; carrel-auth %s us a call; lists %7.0f/s\n' \
	    "$durability" "$(field rps <<<"$call")" "$(field p50_us <<<"$call")" "$(field p99_us <<<"$call")" \
	    "$(awk -v t=$(($(ticks) - before)) -v n="$(field requests <<<"$call")" 'BEGIN { printf "%.1f", t * 10000 / n }')" \
	    "$(field rps <<<"$list")"
	"$carrel" --project-dir "$work/p" audit verify >/dev/null 2>&1 || { echo "the audit is not whole"; exit 1; }
	"$carrel" --project-dir "$work/p" mcp stop >/dev/null
done
