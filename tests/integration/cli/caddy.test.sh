# A daemon behind Caddy as Debian packages it, with the example of packaging/ for TCP and for a Unix socket: TLS,
# HTTP/2, streams that are not held back, whose address is counted, and large bodies.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

caddy=$(command -v caddy) || { echo "caddy is not installed"; exit 77; }
p=$scratch/p host=carrel.example.org port=$((20000 + $$ % 12000))
run 0 init --demo "$p"
cp "$p/carrel.yaml" "$scratch/plain.yaml"
(umask 077; echo 'a-token-of-some-length' >"$scratch/token")
token=$(cat "$scratch/token")
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=$host" \
	-addext "subjectAltName=DNS:$host" -keyout "$scratch/key.pem" -out "$scratch/cert.pem" 2>/dev/null
export HOME=$scratch/home XDG_DATA_HOME=$scratch/home XDG_CONFIG_HOME=$scratch/home
mkdir "$HOME"
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; cleanup' EXIT

# The example, on a port of ours, with a certificate of ours.
serve() {
	{
		printf '{\n\tadmin off\n\tauto_https off\n\tgrace_period 1s\n}\n'
		sed "s|^carrel.example.org {|https://$host:$port {\n\ttls $scratch/cert.pem $scratch/key.pem|; s|^\treverse_proxy 127.0.0.1:7878|\treverse_proxy $1|" \
			"$SOURCE_DIR/packaging/caddy/Caddyfile"
	} >"$scratch/Caddyfile"
	"$caddy" run --config "$scratch/Caddyfile" --adapter caddyfile >"$scratch/caddy.log" 2>&1 &
	server=$!
	for _ in $(seq 600); do [ "$(get /health)" != 000 ] && return 0; sleep 0.1; done
	fail "caddy does not serve: $(tail -n 3 "$scratch/caddy.log")"
}
get() {
	curl -s -o "$out" -w '%{http_code}' --cacert "$scratch/cert.pem" --resolve "$host:$port:127.0.0.1" "${@:2}" \
		"https://$host:$port$1"
}
is() { [ "$1" = "$2" ] || fail "$3: $1, not $2"; }
bearer() { echo "Authorization: Bearer $1"; }
list='{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
	"io.modelcontextprotocol/clientCapabilities":{}}}}'
printf '%s' "$list" >"$scratch/list"
ask() {
	get /mcp "$@" -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
		-H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/list' -d "@${body:-$scratch/list}"
}

behind() {
	local i got
	is "$(get /health --http2 -w '%{http_code} %{http_version}')" "200 2" "$1: HTTP/2"
	! grep -q projectDir "$out" || fail "$1: /health tells strangers more than the status"
	is "$(ask --http1.1 -H "$(bearer "$token")")" 200 "$1: a tool list" && says sql_execution
	is "$(get /.well-known/oauth-protected-resource)" "$2" "$1: /.well-known/"
	get /health -D "$scratch/head" >/dev/null && grep -qi '^strict-transport-security: max-age=[1-9]' "$scratch/head" || fail "$1: no HSTS"

	# A stream's first event is there although the stream goes on, over both versions of HTTP.
	for version in --http1.1 --http2; do
		: >"$scratch/stream"
		curl -sN --cacert "$scratch/cert.pem" --resolve "$host:$port:127.0.0.1" $version -m 60 -H "$(bearer "$token")" \
			"https://$host:$port/mcp/sse" >"$scratch/stream" 2>/dev/null &
		got=$!
		for _ in $(seq 500); do grep -q 'event: endpoint' "$scratch/stream" && break; sleep 0.1; done
		kill -0 "$got" 2>/dev/null || fail "$1: the stream ended"
		kill "$got" 2>/dev/null; wait "$got" 2>/dev/null
		grep -q 'event: endpoint' "$scratch/stream" || fail "$1: nothing of a stream comes through, $version"
	done

	# What is too large is refused by Carrel, in its own words; what is not is read whole.
	head -c 3000000 /dev/zero | tr '\0' ' ' >"$scratch/body"; printf '%s' "$list" >>"$scratch/body"
	is "$(body=$scratch/body ask -H "$(bearer "$token")")" 200 "$1: a body of 3 MB"
	head -c 6000000 /dev/zero | tr '\0' ' ' >"$scratch/body"
	is "$(body=$scratch/body ask -H "$(bearer "$token")" -H 'Expect:')" 413 "$1: a body of 6 MB"

	# Whose credentials are wrong is blocked alone, whatever it writes into its own fields.
	for i in 1 2 3 4 5; do
		is "$(ask --interface 127.0.0.66 -H "$(bearer wrong)")" 401 "$1: wrong credential $i"
	done
	is "$(ask --interface 127.0.0.66 -H "$(bearer wrong)" -H 'X-Forwarded-For: 198.51.100.1')" 429 "$1: after five of them"
	is "$(ask --interface 127.0.0.66 -H "$(bearer wrong)" --http1.1 -H 'Connection: X-Forwarded-For')" 429 "$1: without the field"
	is "$(ask --interface 127.0.0.67 -H "$(bearer wrong)")" 401 "$1: another client"
	is "$(ask --interface 127.0.0.66 -H "$(bearer "$token")")" 200 "$1: a valid token from there"
	node "$SOURCE_DIR/tests/support/smuggle.mjs" "$host" "$port" >"$out" 2>&1 || fail "$1: smuggled through caddy: $(tail -n 20 "$out")"
	kill "$server"; wait "$server" 2>/dev/null; server=
	run 0 -C "$p" mcp stop
}

configure() { { cat "$scratch/plain.yaml"; printf '\n%s\n' "$1"; } >"$p/carrel.yaml"; }
configure "server: { public_url: 'https://$host:$port', trusted_proxies: [127.0.0.1] }"
run 0 -C "$p" mcp start --port 0 --token-file "$scratch/token"
serve "127.0.0.1:$(sed -n 's/.*"port":\([0-9]*\).*/\1/p' "$p/.carrel/mcp.json")"
behind "over TCP" 404
configure "server: { public_url: 'https://$host:$port', listen: 'unix:$scratch/h.sock' }
oauth: { enabled: true }"
run 0 -C "$p" mcp start --token-file "$scratch/token"
serve "unix/$scratch/h.sock"
behind "over a Unix socket" 200
finish
