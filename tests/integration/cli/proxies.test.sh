# A daemon behind a reverse proxy: addresses and networks of both families in server.trusted_proxies,
# as the daemon sees the proxy, are believed; nobody else's X-Forwarded-For is.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

umask 077
p=$scratch/p
run 0 init --demo "$p"
cp "$p/carrel.yaml" "$scratch/plain.yaml"
echo 'a-token-of-some-length' >"$scratch/token"
proxy=
trap 'kill $proxy 2>/dev/null; cleanup' EXIT

# serve LISTENED-ON REACHED-AT TRUSTED: a daemon and a proxy in front; $url is the proxy's.
serve() {
	local port
	[ -z "$proxy" ] || { kill "$proxy"; wait "$proxy" 2>/dev/null; }
	[ ! -e "$p/.carrel/mcp.json" ] || run 0 -C "$p" mcp stop
	{ cat "$scratch/plain.yaml"; printf '\nserver: {trusted_proxies: [%s]}\n' "$3"; } >"$p/carrel.yaml"
	run 0 -C "$p" mcp start --host "$1" --port 0 --token-file "$scratch/token" || return 1
	port=$(sed -n 's/.*"port":\([0-9]*\).*/\1/p' "$p/.carrel/mcp.json")
	node "$SOURCE_DIR/tests/support/proxy.mjs" "$2" "$port" >"$scratch/port" &
	proxy=$!
	for _ in $(seq 1000); do [ -s "$scratch/port" ] && break; sleep 0.05; done
	url=http://127.0.0.1:$(cat "$scratch/port")
	: >"$scratch/port"
}

# ask CLIENT TOKEN [CURL-OPTION...]: the status of a tools/list.
ask() {
	curl -s -o "$out" -w '%{http_code}' -H 'Host: localhost' -H "X-Client: $1" -H "Authorization: Bearer $2" "${@:3}" \
		-H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
		-H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/list' -d '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{
		"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}' "$url/mcp"
}
told() { curl -s -H 'Host: localhost' -H "X-Client: ${1:-203.0.113.7}" "$url/health" | finds projectDir; }
token=$(cat "$scratch/token")

# Whose credentials are wrong is blocked, alone: 5 in a minute, the next is turned away.
believed() {
	local i status
	! told || { fail "$1: a stranger behind the proxy is told the project"; return; }
	[ "$(ask 203.0.113.1 "$token")" = 200 ] || fail "$1: an honest request through the proxy"
	for i in 1 2 3 4 5; do
		status=$(ask 203.0.113.66 wrong)
		[ "$status" = 401 ] || fail "$1: wrong credential $i: $status"
	done
	[ "$(ask 203.0.113.66 wrong)" = 429 ] || fail "$1: who has wrong credentials is not blocked"
	says ip_blocked
	[ "$(ask 203.0.113.66 wrong -H 'X-Forwarded-For: 198.51.100.1')" = 429 ] || fail "$1: a hop of its own invention helps"
	[ "$(ask 203.0.113.2 wrong)" = 401 ] || fail "$1: another client is blocked with it"
	[ "$(ask 203.0.113.1 "$token")" = 200 ] || fail "$1: an honest client is blocked with it"
}

# The proxy is the owner's program, and what it writes means nothing.
disbelieved() { told || fail "$1: is believed"; }

have_v6=$(grep -c ' lo$' /proc/net/if_inet6 2>/dev/null)
while read -r on at trusted expected; do
	case $on$at in *:*) [ "${have_v6:-0}" -gt 0 ] || continue;; esac
	what="on $on, reached at $at, trusting $trusted"
	serve "$on" "$at" "$trusted" || { fail "$what: not served"; continue; }
	$expected "$what"
done <<'ROWS'
127.0.0.1 127.0.0.1 127.0.0.0/8 believed
127.0.0.1 127.0.0.1 127.0.0.1/32 believed
127.0.0.1 127.0.0.1 127.0.0.1 believed
127.0.0.1 127.0.0.1 10.0.0.0/8,192.168.0.0/16 disbelieved
127.0.0.1 127.0.0.1 "::ffff:127.0.0.0/104" believed
127.0.0.1 127.0.0.1 "::1/128" disbelieved
127.0.0.1 127.0.0.1 "::ffff:127.0.0.1" believed
:: ::1 "::1/128" believed
::1 ::1 "::1" believed
::1 ::1 "::/64" believed
::1 ::1 "fd00::/8",127.0.0.0/8 disbelieved
ROWS

# Behind a chain of proxies the client is the rightmost that is none of them.
serve 127.0.0.1 127.0.0.1 '127.0.0.0/8, "2001:db8:5::/48"'
for i in 1 2 3 4 5; do ask 2001:db8:5::9 wrong -H 'X-Forwarded-For: 203.0.113.70' >/dev/null; done
[ "$(ask 2001:db8:5::10 wrong -H 'X-Forwarded-For: 203.0.113.70')" = 429 ] || fail "the hop behind the second proxy is not counted"
[ "$(ask 2001:db8:5::9 wrong -H 'X-Forwarded-For: 203.0.113.71')" = 401 ] || fail "the second proxy is counted for its client"

# A stream passes as well, and ends with its client.
status=$(curl -s -m 2 -N -o "$out" -w '%{http_code}' -H 'Host: localhost' -H "Authorization: Bearer $token" "$url/mcp/sse")
[ "$status" = 200 ] && says 'event: endpoint'

# What is no address or network is refused with its place in the file.
run 0 -C "$p" mcp stop
for bad in 10.0.0.0/33 '"fd00::/129"' 10.0.0.0/ '"::1%lo"' proxy.example; do
	{ cat "$scratch/plain.yaml"; printf '\nserver: {trusted_proxies: [%s]}\n' "$bad"; } >"$p/carrel.yaml"
	run 1 -C "$p" mcp start --port 0 --token-file "$scratch/token"
	complains trusted_proxies
	complains carrel.yaml
done
finish
