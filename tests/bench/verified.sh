#!/bin/bash
# What it costs a request that its access token is not remembered, end to end: its signature and claims in the front,
# the question to carrel-auth and back, the grant looked up there.  One after the other, all of Carrel on core 0 and the
# client on core 1, tools/list with more tokens in turn than the front remembers and with a few, in pairs.
# usage: verified.sh BUILD_DIRECTORY [PAIRS [SECONDS]]
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd) pairs=${2:-5} seconds=${3:-3}
carrel=$build/bin/carrel
most=120	# microseconds
tokens=4400	# the front remembers VERDICTS_MAX, 4096
work=$(mktemp -d) project=$work/project
trap '"$carrel" --project-dir "$project" mcp stop >/dev/null 2>&1; rm -rf "$work"' EXIT
field() { sed -E "s/.*\"$1\":([0-9.]+).*/\1/"; }
median() { sort -n | awk '{v[NR]=$1} END {print v[int((NR+1)/2)]}'; }

"$carrel" init --demo "$project" >/dev/null || exit 1
sed -i '/^server:/d' "$project/carrel.yaml"
printf 'server: { port: 0 }\noauth: { enabled: true }\nauth: { loopback: required }\n' >>"$project/carrel.yaml"
export PASSWORD='correct horse battery staple'
printf '%s\n' "$PASSWORD" | "$carrel" --project-dir "$project" user add ada --role contributor --password-stdin >/dev/null || exit 1
url=$(taskset -c 0 "$carrel" --project-dir "$project" --json mcp start 2>/dev/null | sed -E 's/.*"url":"([^"]*)".*/\1/')
export ORIGIN=${url%/mcp}
node "$here/logins.mjs" tokens $tokens >"$work/many" || { echo "nobody is signed in"; exit 1; }
head -n 100 "$work/many" >"$work/few"
cat >"$work/body" <<'JSON'
{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}
JSON
p50() { # few or many
	taskset -c 1 "$build/bench/bench-load" --port "${ORIGIN##*:}" --body "$work/body" --connections 1 --seconds "$seconds" \
		--expect sql_execution --tokens "$work/$1" --header "MCP-Protocol-Version: 2026-07-28" --header "Mcp-Method: tools/list" \
		>"$work/said" || return 1
	field p50_us <"$work/said"
}

for ((i = 0; i < pairs; i++)); do
	few=$(p50 few) && many=$(p50 many) || { echo "a token was refused"; exit 1; }
	echo "$few" >>"$work/remembered"
	echo $((many - few)) >>"$work/added"
done
added=$(median <"$work/added")
echo "an access token that is not remembered adds $added us at p50 ($most may be) to $(median <"$work/remembered") us, 1 connection"
[ "$added" -le $most ]
