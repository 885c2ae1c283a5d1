# Wrong tokens in a flood, from a whole IPv6 network behind a proxy: the network is one address, its neighbour is not
# it, and who has a valid token is served all the time.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

mkdir "$scratch/project" && cd "$scratch/project" || exit 1
run 0 init --demo .
printf '\nserver: { trusted_proxies: [127.0.0.1] }\n' >>carrel.yaml
run 0 connectivity enable
run 0 token create --label good --scopes research:read,research:query
good=$(sed -E 's/.*"secret": ?"([^"]*)".*/\1/' "$out")
run 0 mcp start --port 0
port=$(sed -E 's/.*"port": ?([0-9]+).*/\1/' .carrel/mcp.json)

# ask TOKEN ADDRESS - tools/list from there: its status to $status, its code to $code.
ask() {
	status=$(curl -s -o "$scratch/answer" -w '%{http_code}' "http://127.0.0.1:$port/mcp" -H 'Content-Type: application/json' \
	    -H 'Accept: application/json, text/event-stream' -H "Authorization: Bearer $1" -H "X-Forwarded-For: $2" \
	    -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/list' \
	    -d '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}')
	code=$(grep -o 'auth_invalid\|ip_blocked' "$scratch/answer" | head -1)
}
wrong=crlmcp_zzzzzzzz_0000000000000000000000000000000
ask "$good" 2001:db8:1:2::1
[ "$status" = 200 ] || fail "a good token is answered $status"
for i in 1 2 3 4 5; do ask "${wrong}$i" "2001:db8:1:2:$i::$i"; done
for ((i = 0; i < 20; i++)); do ask "${wrong}6" "2001:db8:1:2:ffff::6"; [ "$code" = ip_blocked ] && break; sleep 0.1; done
[ "$code" = ip_blocked ] || fail "the sixth of a network is answered $status $code"
ask "${wrong}7" 2001:db8:1:2:aaaa:bbbb:cccc:dddd
[ "$code" = ip_blocked ] || fail "another host of the network is answered $status $code"
ask "${wrong}7" 2001:db8:1:3::1
[ "$status $code" = "401 auth_invalid" ] || fail "the next network is answered $status $code"
ask "${wrong}7" 192.0.2.1
[ "$status $code" = "401 auth_invalid" ] || fail "an IPv4 address is answered $status $code"
for ((i = 0; i < 10; i++)); do
	ask "$good" "2001:db8:1:2::$i"
	[ "$status" = 200 ] || fail "a good token from there is answered $status"
done

# While tokens are not taken, a genuine one is refused, and is no failure of its address.
run 0 connectivity disable
for ((i = 0; i < 12; i++)); do ask "$good" 2001:db8:9:9::1; done
[ "$status $code" = "401 auth_invalid" ] || fail "tokens are off, and a genuine one is answered $status $code"
finish
