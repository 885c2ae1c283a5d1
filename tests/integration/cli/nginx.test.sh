# A daemon behind nginx as Debian packages it, over TCP of both families and over a Unix socket: who is counted,
# what strangers are told, which URL clients get.  NGINX names the program where it is not in the usual places.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

nginx=${NGINX:-$(PATH=$PATH:/usr/sbin command -v nginx)}
[ -n "$nginx" ] || { echo "nginx is not installed"; exit 77; }
umask 077
p=$scratch/p
run 0 init --demo "$p"
cp "$p/carrel.yaml" "$scratch/plain.yaml"
echo 'a-token-of-some-length' >"$scratch/token"
token=$(cat "$scratch/token")
export HOME=$scratch/home
mkdir -p "$HOME" "$scratch/nginx/logs"
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout "$scratch/key.pem" -out "$scratch/cert.pem" 2>/dev/null
server=
trap 'kill $server 2>/dev/null; cleanup' EXIT
port=$((20000 + $$ % 12000))

# configure YAML: what stands beside the connections.
configure() { { cat "$scratch/plain.yaml"; printf '\n%s\n' "$1"; } >"$p/carrel.yaml"; }

stop_all() {
	[ -z "$server" ] || { kill "$server"; wait "$server" 2>/dev/null; server=; }
	[ ! -e "$p/.carrel/mcp.json" ] || run 0 -C "$p" mcp stop
}

# front UPSTREAM FIELDS: nginx on $url and, with TLS, on $tls; as our own user, which is the worst case for us.
front() {
	cat >"$scratch/nginx/nginx.conf" <<CONF
daemon off; master_process off; pid $scratch/nginx/pid; error_log $scratch/nginx/error.log;
events { worker_connections 256; }
http {
	access_log off; client_body_temp_path $scratch/nginx/body; proxy_temp_path $scratch/nginx/proxy;
	fastcgi_temp_path $scratch/nginx/f; uwsgi_temp_path $scratch/nginx/u; scgi_temp_path $scratch/nginx/s;
	server {
		listen 127.0.0.1:$port;
		listen 127.0.0.1:$((port + 1)) ssl;
		ssl_certificate $scratch/cert.pem; ssl_certificate_key $scratch/key.pem;
		location / { proxy_pass $1; proxy_http_version 1.1; proxy_set_header Host localhost; $2 }
	}
}
CONF
	"$nginx" -p "$scratch/nginx" -c "$scratch/nginx/nginx.conf" 2>"$scratch/nginx/start" &
	server=$!
	url=http://127.0.0.1:$port tls=https://127.0.0.1:$((port + 1))
	for _ in $(seq 1000); do curl -s -o /dev/null "$url/health" && return 0; sleep 0.05; done
	fail "nginx does not serve: $(cat "$scratch/nginx/start" "$scratch/nginx/error.log")"
}
daemon_port() { sed -n 's/.*"port":\([0-9]*\).*/\1/p' "$p/.carrel/mcp.json"; }

# ask CURL-OPTION...: the status of a tools/list.
ask() {
	curl -sk -o "$out" -w '%{http_code}' "$@" \
		-H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
		-H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/list' -d '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{
		"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}' "$url/mcp"
}
from() { echo "--interface $1"; }
bearer() { echo "Authorization: Bearer $1"; }
told() { curl -sk "$@" | finds 'projectDir\|workers'; }
strangers_are_told_nothing() {
	curl -s "$url/health" | finds '"status":"ok"' || fail "$1: /health through nginx"
	curl -s "$url/health/ready" | finds '"ready":true' || fail "$1: /health/ready through nginx"
	! told "$url/health" || fail "$1: /health tells strangers more than the status"
	! told "$url/health/ready" || fail "$1: /health/ready tells strangers more than the status"
	! told -H 'X-Forwarded-For: 127.0.0.1' "$url/health" || fail "$1: /health believes the client"
}

# Whose credentials are wrong is blocked, alone, whatever it writes into its own fields.
clients_are_told_apart() {
	local i
	for i in 1 2 3 4 5; do
		[ "$(ask $(from 127.0.0.66) -H "$(bearer wrong)")" = 401 ] || fail "$1: wrong credential $i"
	done
	[ "$(ask $(from 127.0.0.66) -H "$(bearer wrong)")" = 429 ] || fail "$1: who has wrong credentials is not blocked"
	says ip_blocked
	for field in 'X-Forwarded-For: 198.51.100.1' 'X-Forwarded-For: 198.51.100.1, 203.0.113.1' 'X-Forwarded-For: ,' \
		'X-Forwarded-For: nonsense' 'Forwarded: for=198.51.100.1' 'X-Real-IP: 198.51.100.1' \
		'X_Forwarded_For: 198.51.100.1' 'Connection: X-Forwarded-For' 'Connection: close, X-Forwarded-For'; do
		[ "$(ask $(from 127.0.0.66) -H "$(bearer wrong)" -H "$field")" = 429 ] || fail "$1: $field helps"
	done
	[ "$(ask $(from 127.0.0.66) -H "$(bearer wrong)" -H 'X-Forwarded-For: 198.51.100.1' -H 'X-Forwarded-For: 198.51.100.2')" = 429 ] ||
		fail "$1: two fields help"
	[ "$(ask $(from 127.0.0.67) -H "$(bearer wrong)")" = 401 ] || fail "$1: another client is blocked with it"
	[ "$(ask $(from 127.0.0.66) -H "$(bearer "$token")")" = 200 ] || fail "$1: a valid token is locked out"
}

appended='proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;'
have_v6=$(grep -c ' lo$' /proc/net/if_inet6 2>/dev/null)
while read -r on trusted; do
	case $on in *:*) [ "${have_v6:-0}" -gt 0 ] || continue;; esac
	configure "server: { trusted_proxies: [$trusted], public_url: 'https://carrel.example/' }"
	run 0 -C "$p" mcp start --host "$on" --port 0 --token-file "$scratch/token" || { fail "on $on"; continue; }
	case $on in *:*) at="[$on]";; *) at=$on;; esac
	front "http://$at:$(daemon_port)" "$appended"
	strangers_are_told_nothing "on $on"
	clients_are_told_apart "on $on"
	told -H 'Host: localhost' "http://$at:$(daemon_port)/health" || fail "on $on: the owner itself is told nothing"
	stop_all
done <<'ROWS'
127.0.0.1 127.0.0.1/32
::1 "::1"
ROWS

# Over a Unix socket, where the daemon sees no address but what nginx says.
configure "server: { listen: 'unix:$scratch/h.sock', public_url: 'https://carrel.example' }"
run 0 -C "$p" mcp start --token-file "$scratch/token"
says '"url":"https://carrel.example/mcp"'
front "http://unix:$scratch/h.sock" "$appended"
strangers_are_told_nothing "on a Unix socket"
clients_are_told_apart "on a Unix socket"
status=$(curl -s -m 2 -N -o "$out" -w '%{http_code}' -H "$(bearer "$token")" "$url/mcp/sse")
[ "$status" = 200 ] && says 'event: endpoint'

# Clients get the public URL, and HSTS with every answer, refusals included.
for where in /health /nowhere /mcp; do
	curl -sk -i "$tls$where" | finds -i '^Strict-Transport-Security: max-age=[1-9]' || fail "no HSTS at $where"
done
finds '"publicUrl":"https://carrel.example"' "$p/.carrel/mcp.json" || fail "mcp.json lacks the public URL"
for shown in 'mcp start' 'mcp status' status; do
	run_as 0 -C "$p" $shown
	says https://carrel.example/mcp
	! finds 'unix:' "$out" || fail "carrel $shown shows the socket"
done
for target in claude-code cursor codex opencode; do
	run 0 -C "$p" setup-agents --target "$target" --print
	says https://carrel.example/mcp
done

# A reload changes it, and takes it away.
configure "server: { listen: 'unix:$scratch/h.sock', public_url: 'http://other.example/carrel/' }"
run 0 -C "$p" mcp reload
says '"url":"http://other.example/carrel/mcp"'
plain() { curl -si "$url/health" >"$out" 2>/dev/null && ! finds -i strict-transport "$out"; }
for _ in $(seq 600); do plain && break; sleep 0.1; done
plain || fail "HSTS for http"
stop_all
configure "server: { listen: 'unix:$scratch/h.sock' }"
run_as 0 -C "$p" mcp start --token-file "$scratch/token"
complains server.public_url
run 1 -C "$p" setup-agents --target cursor --print
complains server.public_url
stop_all

# Where nobody is let in without a credential, tokens may be allowed later, as with the package.
configure "server: { listen: 'unix:$scratch/h.sock', public_url: 'https://carrel.example' }
auth: { loopback: required }"
run 0 -C "$p" mcp start
front "http://unix:$scratch/h.sock" "$appended"
[ "$(ask)" = 401 ] || fail "a socket without any credential is open"
run 0 -C "$p" connectivity enable
run 0 -C "$p" token create --label later --scopes research:read
secret=$(sed -n 's/.*"secret":"\([^"]*\)".*/\1/p' "$out")
[ "$(ask -H "$(bearer "$secret")")" = 200 ] || fail "a token is not taken that was allowed later"
run 0 -C "$p" connectivity disable
stop_all

# nginx that does not say whose request it is: nobody behind it is taken for the owner, though it runs as the owner.
configure "server: { trusted_proxies: [127.0.0.1] }"
run 0 -C "$p" mcp start --port 0
direct=http://127.0.0.1:$(daemon_port)
[ "$(url=$direct ask -H 'Host: localhost')" = 200 ] || fail "the owner needs a token on loopback"
for fields in "$appended" 'proxy_set_header X-Real-IP $remote_addr;' 'proxy_set_header X-Forwarded-Proto $scheme;' \
	'proxy_set_header Via nginx;' 'proxy_set_header Forwarded "for=$remote_addr";'; do
	front "$direct" "$fields"
	! told "$url/health" || fail "with $fields strangers are told the project"
	[ "$(ask)" = 401 ] || fail "with $fields a stranger is let in as the owner"
	kill "$server"; wait "$server" 2>/dev/null; server=
done
stop_all
configure "server: { listen: 'unix:$scratch/h.sock' }
auth: { token: 'file:$scratch/token' }"
run 0 -C "$p" mcp start
front "http://unix:$scratch/h.sock" ""
strangers_are_told_nothing "without X-Forwarded-For"
stop_all

# Who a user is says nginx alone, whatever a client writes into such a field.
configure "server: { listen: 'unix:$scratch/h.sock', public_url: 'https://carrel.example' }
auth: { loopback: required, proxy_header: X-Remote-User }
oauth: { enabled: true }"
for user in boss:admin ada:viewer; do
	printf 'four odd words of mine\n' | "$carrel" -C "$p" user add "${user%:*}" --role "${user#*:}" --password-stdin >/dev/null || fail "no user"
done
run 0 -C "$p" mcp start
signs_in() {
	local field
	for field in 'X-None: 1' 'X-Remote-User: boss' 'x-remote-user: boss' 'X_Remote_User: boss' 'X-Remote-User : boss' 'Connection: X-Remote-User' \
		'Connection: close, X-Remote-User' 'Remote-User: boss'; do
		status=$(curl -s -o /dev/null -w '%{http_code}' -H 'Accept: text/html' -H "$field" "$url/api/oauth/login?next=%2Fadmin")
		[ "$status" = "$1" ] || [ "$status" = 400 ] || fail "with $field: $status, not $1"
	done
	run 0 -C "$p" user list
	finds '"name":"boss"[^}]*"sessions":0' "$out" || fail "a client names itself"
}
front "http://unix:$scratch/h.sock" "$appended proxy_set_header X-Remote-User ada;"
signs_in 302
finds '"name":"ada"[^}]*"sessions":[1-9]' "$out" || fail "nginx names nobody"
kill "$server"; wait "$server" 2>/dev/null
front "http://unix:$scratch/h.sock" "$appended proxy_set_header X-Remote-User '';"
signs_in 401
stop_all

# A host that others reach wants credentials: a token, or connectivity tokens where they are allowed from there.
refused() {
	configure "$1"
	run 1 -C "$p" mcp start --host 0.0.0.0 --port 0
	complains "$2"
	[ ! -e "$p/.carrel/mcp.json" ] || { fail "is served"; stop_all; }
}
refused '' auth.token
refused 'connectivity: { allow_lan: true }' connectivity.enabled
refused 'connectivity: { enabled: false, allow_lan: true }' auth.token
refused 'connectivity: { enabled: true }' connectivity.allow_lan
refused "connectivity: { enabled: true }
auth: { token: 'file:$scratch/token' }" connectivity.allow_lan
configure 'connectivity: { enabled: true, allow_lan: true }'
run 0 -C "$p" mcp start --host 0.0.0.0 --port 0
url=http://127.0.0.1:$(daemon_port)
[ "$(ask)" = 401 ] || fail "a host that others reach is open"

# The example that is shipped, but for its ports, files and upstream.
stop_all
configure "server: { trusted_proxies: [127.0.0.1], public_url: 'https://carrel.example.org' }"
run 0 -C "$p" mcp start --port 0 --token-file "$scratch/token"
sed -e "s/127.0.0.1:7878/127.0.0.1:$(daemon_port)/" -e '/listen \[::\]/d' -e "s/listen 443/listen 127.0.0.1:$((port + 1))/" \
	-e "s/listen 80/listen 127.0.0.1:$port/" -e "s|/etc/ssl/carrel/fullchain|$scratch/cert|" \
	-e "s|/etc/ssl/carrel/privkey|$scratch/key|" "$SOURCE_DIR/packaging/nginx/carrel.conf" >"$scratch/nginx/carrel.conf"
cat >"$scratch/nginx/nginx.conf" <<CONF
daemon off; master_process off; pid $scratch/nginx/pid; error_log $scratch/nginx/error.log;
events { worker_connections 256; }
http {
	access_log off; client_body_temp_path $scratch/nginx/body; proxy_temp_path $scratch/nginx/proxy;
	fastcgi_temp_path $scratch/nginx/f; uwsgi_temp_path $scratch/nginx/u; scgi_temp_path $scratch/nginx/s;
	include $scratch/nginx/carrel.conf;
}
CONF
"$nginx" -p "$scratch/nginx" -c "$scratch/nginx/nginx.conf" 2>"$scratch/nginx/start" &
server=$!
url=https://carrel.example.org:$((port + 1))
through=(--resolve "carrel.example.org:$((port + 1)):127.0.0.1")
for _ in $(seq 1000); do curl -sk "${through[@]}" -o /dev/null "$url/health" && break; sleep 0.05; done
[ "$(curl -sk "${through[@]}" "$url/health")" = '{"status":"ok"}' ] || fail "the example: /health: $(cat "$scratch/nginx/error.log")"
[ "$(curl -sk "${through[@]}" -o /dev/null -w '%{http_version}' "$url/health")" = 2 ] || fail "the example speaks no HTTP/2"
[ "$(ask "${through[@]}" -H "$(bearer "$token")")" = 200 ] || fail "the example: tools/list"
[ "$(ask "${through[@]}")" = 401 ] || fail "the example: without a credential"
status=$(curl -sk "${through[@]}" -m 2 -N -o "$out" -w '%{http_code}' -H "$(bearer "$token")" "$url/mcp/sse")
[ "$status" = 200 ] && says 'event: endpoint'
head -c 5000000 /dev/zero | tr '\0' ' ' >"$scratch/large"
[ "$(curl -sk "${through[@]}" -o "$out" -w '%{http_code}' -H "$(bearer "$token")" -H 'Content-Type: application/json' \
	--data-binary @"$scratch/large" "$url/mcp")" = 413 ] || fail "the example: a body over the bound"
node "$SOURCE_DIR/tests/support/smuggle.mjs" carrel.example.org "$((port + 1))" >"$out" 2>&1 || fail "smuggled through nginx: $(tail -n 20 "$out")"
curl -s -o /dev/null -w '%{redirect_url}' -H 'Host: carrel.example.org' "http://127.0.0.1:$port/mcp" |
	finds '^https://carrel.example.org/mcp' || fail "the example: plain http"
kill "$server" && wait "$server" 2>/dev/null
server=

# Of several nodes one hangs up without an answer, and one is not there: a call that was sent is not sent to another one;
# what could not be sent is.
cat >"$scratch/nodes.mjs" <<'END'
import http from "node:http";
import { appendFileSync } from "node:fs";
const [dir] = process.argv.slice(2);
const serve = (name, answer) => http.createServer((request, response) => {
	request.resume().on("end", () => { appendFileSync(`${dir}/${name}`, `${request.method}\n`); answer(request, response); });
}).listen(0, "127.0.0.1");
const dying = serve("dying", (request) => request.socket.destroy()), well = serve("well", (_, response) => response.end("{}"));
const gone = serve("gone", () => {});
well.on("listening", () => setTimeout(() => {
	const ports = [dying, well, gone].map((s) => s.address().port);
	gone.close();
	console.log(ports.join(" "));
}, 100));
END
mkdir "$scratch/seen"
node "$scratch/nodes.mjs" "$scratch/seen" >"$scratch/ports" &
played=$!
trap 'kill $server $played 2>/dev/null; cleanup' EXIT
for _ in $(seq 100); do [ -s "$scratch/ports" ] && break; sleep 0.05; done
read -r dying well gone <"$scratch/ports"
sent() { # METHOD FIRST: how often the other one got it, which comes after FIRST
	{
		sed -e "s/hash .*/least_conn;/; s/192.0.2.1:7878/127.0.0.1:$2 weight=1000/; s/192.0.2.2:7878/127.0.0.1:$well/; /192.0.2.3/d" \
			"$SOURCE_DIR/packaging/nginx/carrel-nodes.conf"
		sed -e '/^upstream/,/^}/d; /listen \[::\]/d' "$SOURCE_DIR/packaging/nginx/carrel.conf" |
			sed -e "s/listen 443/listen 127.0.0.1:$((port + 1))/; s/listen 80/listen 127.0.0.1:$port/" \
				-e "s|/etc/ssl/carrel/fullchain|$scratch/cert|; s|/etc/ssl/carrel/privkey|$scratch/key|"
	} >"$scratch/nginx/carrel.conf"
	rm -f "$scratch/seen/"*
	"$nginx" -p "$scratch/nginx" -c "$scratch/nginx/nginx.conf" 2>"$scratch/nginx/start" &
	server=$!
	for _ in $(seq 200); do curl -s -o /dev/null "http://127.0.0.1:$port/" && break; sleep 0.05; done
	curl -sk "${through[@]}" -m 10 -o /dev/null -X "$1" ${3+-d "$3"} "$url/mcp"
	kill "$server" && wait "$server" 2>/dev/null
	server=
	cat "$scratch/seen/well" 2>/dev/null | wc -l
}
for body in '' x; do
	[ "$(sent POST "$dying" "$body")" = 0 ] && [ "$(cat "$scratch/seen/dying")" = POST ] || fail "a call that was sent was sent again: $(cat "$scratch/seen/"*)"
done
[ "$(sent POST "$gone" x)" = 1 ] || fail "a call was not tried at the node that is there"
kill "$played"
finish
