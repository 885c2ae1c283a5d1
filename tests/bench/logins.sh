#!/bin/bash
# What logins cost everybody else: calls with an access token, one after the other, alone and while people sign in as
# fast as one core allows, in turns.  Nothing is pinned: of two cores the logins have one, and the calls the other.
# Median of the pairs; it says something on a quiet machine alone.
# usage: logins.sh BUILD_DIRECTORY [PAIRS [SECONDS]]
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd) pairs=${2:-7} seconds=${3:-3}
carrel=$build/bin/carrel
work=$(mktemp -d) project=$work/project
logins=
cleanup() {
	[ -n "$logins" ] && kill "$logins" 2>/dev/null
	"$carrel" --project-dir "$project" mcp stop >/dev/null 2>&1
	rm -rf "$work"
}
trap cleanup EXIT
field() { sed -E "s/.*\"$1\":([0-9.]+).*/\1/"; }
median() { sort -n | awk '{v[NR]=$1} END {print v[int((NR+1)/2)]}'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.2f", a / b; else printf "-" }'; }

"$carrel" init --demo "$project" >/dev/null || exit 1
sed -i '/^server:/d' "$project/carrel.yaml"
printf 'server: { port: 0 }\noauth: { enabled: true, authorize_per_min: 1000000 }\nauth: { loopback: required }\n' >>"$project/carrel.yaml"
export PASSWORD='correct horse battery staple'
printf '%s\n' "$PASSWORD" | "$carrel" --project-dir "$project" user add ada --role contributor --password-stdin >/dev/null || exit 1
url=$("$carrel" --project-dir "$project" --json mcp start 2>/dev/null | sed -E 's/.*"url":"([^"]*)".*/\1/')
export ORIGIN=${url%/mcp}
port=${ORIGIN##*:}
daemon=$(field pid <"$project/.carrel/mcp.json")
token=$(node "$here/logins.mjs" token) || { echo "nobody is signed in"; exit 1; }
cat >"$work/body" <<'JSON'
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"connection_list","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}
JSON
calls() {
	"$build/bench/bench-load" --port "$port" --body "$work/body" --connections 1 --seconds "$seconds" --expect warehouse \
		--header "Authorization: Bearer $token" --header "MCP-Protocol-Version: 2026-07-28" --header "Mcp-Method: tools/call" \
		--header "Mcp-Name: connection_list"
}
# How many signed in; the file is empty for a moment each time.
count() {
	local n
	for _ in $(seq 400); do n=$(cat "$work/count"); [ -n "$n" ] && break; sleep 0.05; done
	echo "${n:-0}"
}
# Milliseconds of processor time that a child has taken.
cpu_ms() { awk -v t="$(getconf CLK_TCK)" '{ print ($14 + $15) * 1000 / t }' "/proc/$(pgrep -P "$daemon" -x "$1" | head -n 1)/stat"; }

for ((i = 0; i < pairs; i++)); do
	calls >"$work/alone"
	before=$(cpu_ms carrel-pwhash)
	: >"$work/count"
	node "$here/logins.mjs" "$work/count" & logins=$!
	n=$(count)
	calls >"$work/beside"
	n=$(($(count) - n)) after=$(cpu_ms carrel-pwhash)
	kill "$logins"; wait "$logins" 2>/dev/null; logins=
	[ "$(field errors <"$work/alone")" = 0 ] && [ "$(field errors <"$work/beside")" = 0 ] || { echo "errors: $(cat "$work/alone" "$work/beside")"; exit 1; }
	ratio "$(field p99_us <"$work/beside")" "$(field p99_us <"$work/alone")" >>"$work/p99"; echo >>"$work/p99"
	ratio "$(field p50_us <"$work/beside")" "$(field p50_us <"$work/alone")" >>"$work/p50"; echo >>"$work/p50"
	echo "alone p50 $(field p50_us <"$work/alone") p99 $(field p99_us <"$work/alone") us; beside $n logins in $seconds s p50 $(field p50_us <"$work/beside") p99 $(field p99_us <"$work/beside") us; $(ratio "$(awk "BEGIN { print $after - $before }")" "$n") ms of a processor each (with those before the count)"
done
echo "logins beside calls: p50 x $(median <"$work/p50"), p99 x $(median <"$work/p99") (1.20 may be)"
