# Two daemons behind HAProxy as Debian packages it, with the example of packaging/: TLS, who is counted, a session stays
# with its node, a node that goes is left out.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

haproxy=$(PATH=$PATH:/usr/sbin command -v haproxy) || { echo "haproxy is not installed"; exit 77; }
host=carrel.example.org port=$((20000 + $$ % 12000))
umask 077
echo 'a-token-of-some-length' >"$scratch/token"
token=$(cat "$scratch/token")
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=$host" \
	-addext "subjectAltName=DNS:$host" -keyout "$scratch/key.pem" -out "$scratch/cert.pem" 2>/dev/null
cat "$scratch/cert.pem" "$scratch/key.pem" >"$scratch/both.pem"
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; cleanup' EXIT
declare -A at
run 0 init "$scratch/north"
printf 'server: { public_url: "https://%s", trusted_proxies: [127.0.0.1] }\n' "$host" >>"$scratch/north/carrel.yaml"
cp -a "$scratch/north" "$scratch/south"
for node in north south; do
	run 0 -C "$scratch/$node" mcp start --port 0 --token-file "$scratch/token"
	at[$node]=127.0.0.1:$(sed -n 's/.*"port":\([0-9]*\).*/\1/p' "$scratch/$node/.carrel/mcp.json")
done
sed -e "s/192.0.2.1:7878/${at[north]}/; s/192.0.2.2:7878/${at[south]}/; /192.0.2.3:7878/d" \
	-e "s/bind :443/bind 127.0.0.1:$port/; s/bind :80/bind 127.0.0.1:$((port + 1))/" \
	-e "s|/etc/ssl/carrel/carrel.pem|$scratch/both.pem|" "$SOURCE_DIR/packaging/haproxy/haproxy.cfg" >"$scratch/haproxy.cfg"
"$haproxy" -c -q -f "$scratch/haproxy.cfg" 2>"$err" || fail "the example: $(cat "$err")"
"$haproxy" -db -f "$scratch/haproxy.cfg" >"$scratch/haproxy.log" 2>&1 &
server=$!

get() {
	curl -s -o "$out" -w '%{http_code}' --cacert "$scratch/cert.pem" --resolve "$host:$port:127.0.0.1" "${@:2}" \
		"https://$host:$port$1"
}
is() { [ "$1" = "$2" ] || fail "$3: $1, not $2"; }
ask() { # METHOD SESSION CURL-OPTION...: of a session of 2025-06-18
	get /mcp -H "Authorization: Bearer $token" -H 'Content-Type: application/json' \
		-H 'Accept: application/json, text/event-stream' ${2:+-H "Mcp-Session-Id: $2" -H 'MCP-Protocol-Version: 2025-06-18'} \
		"${@:3}" -d "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"$1\",\"params\":{$params}}"
}
for _ in $(seq 200); do [ "$(get /health)" = 200 ] && break; sleep 0.1; done
is "$(get /health --http2 -w '%{http_code} %{http_version}')" "200 2" "HTTP/2"
! grep -q projectDir "$out" || fail "/health tells strangers more than the status"
get /health -D "$scratch/head" >/dev/null && finds -i '^strict-transport-security: max-age=[1-9]' "$scratch/head" || fail "no HSTS"
is "$(curl -s -o /dev/null -w '%{http_code} %{redirect_url}' -H "Host: $host" "http://127.0.0.1:$((port + 1))/mcp")" \
	"308 https://$host/mcp" "plain HTTP"

# Who has wrong credentials is blocked by both nodes, whatever it says of itself.
for i in $(seq 14); do last=$(get /mcp --interface 127.0.0.66 -X POST -d '{}' -H 'Content-Type: application/json' -H 'Authorization: Bearer wrong' -H "X-Forwarded-For: 198.51.100.$i"); done
is "$last" 429 "who has wrong credentials is not blocked"

# Sessions stay with their nodes, although requests go in turn.
open() { # the session's id in $session
	params='"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}'
	is "$(ask initialize "" -D "$scratch/head")" 200 "initialize"
	session=$(sed -n 's/^mcp-session-id: *\([^ \r]*\).*/\1/Ip' "$scratch/head")
	[ -n "$session" ] || fail "no session"
	params=
}
declare -a sessions
for i in 1 2 3 4; do open && sessions+=("$session"); done
for i in 1 2 3; do
	for session in "${sessions[@]}"; do is "$(ask tools/list "$session")" 200 "a session's request $i"; done
done

# One node goes: it is left out, and sessions begin again at the other.
run 0 -C "$scratch/north" mcp stop
for i in 1 2 3 4 5 6; do is "$(get /health)" 200 "a node less, request $i"; done
for _ in $(seq 60); do grep -q 'nodes/north is DOWN' "$scratch/haproxy.log" && break; sleep 0.1; done
grep -q 'nodes/north is DOWN' "$scratch/haproxy.log" || fail "a node that is gone is not left out: $(cat "$scratch/haproxy.log")"
open && is "$(ask tools/list "$session")" 200 "a session at the other node"
finish
