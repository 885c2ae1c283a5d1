# doctor on what stands between clients and the daemon: names, certificates, proxies and whom they are trusted to name.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"
elsewhere=$BIN_DIR/../tests/elsewhere.so
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; cleanup' EXIT

certificate() {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days "$2" -subj "/CN=$3" \
		-addext "subjectAltName=$4" -keyout "$scratch/$1.key" -out "$scratch/$1.pem" 2>/dev/null
}
# serve CERTIFICATE - ports of who answers well, 502, 403, 404, without TLS, not in HTTP, not at all.
serve() {
	[ -z "$server" ] || { kill "$server"; wait "$server" 2>/dev/null; }
	: >"$scratch/ports"
	node "$SOURCE_DIR/tests/integration/cli/doctor_url.mjs" "$scratch/$1.key" "$scratch/$1.pem" >"$scratch/ports" &
	server=$!
	until [ -s "$scratch/ports" ]; do kill -0 "$server" || exit 1; sleep 0.02; done
	read -r good gateway forbidden missing plain garbage silent <"$scratch/ports"
}
certificate good 90 localhost DNS:localhost,IP:127.0.0.1
certificate soon 5 localhost DNS:localhost
certificate other 90 elsewhere.test DNS:elsewhere.test
mkdir "$scratch/p" && run_as 0 init "$scratch/p" && cd "$scratch/p" || exit 1

# at CODE SERVER-LINES [VARIABLE=VALUE…] - doctor, with that in carrel.yaml.
at() {
	local code
	printf 'server:\n%s\n' "$2" >carrel.yaml
	env "${@:3}" "$carrel" doctor >"$out" 2>"$err"
	code=$?
	[ "$code" -eq "$1" ] || fail "doctor of $2: exit code $code, expected $1"
}
proxies="  trusted_proxies: [127.0.0.1]
  proxy_users: [root]"
trusted="SSL_CERT_FILE=$scratch/good.pem"
url() { printf '  public_url: %s://localhost:%s\n%s' "$1" "$2" "$proxies"; }

serve good
at 0 "$(url https "$good")" "$trusted"
says "certificate: for localhost, " && says "leads to a Carrel" && says "only few addresses are trusted"
at 0 "  public_url: https://127.0.0.1:$good
$proxies" "$trusted" && says "certificate: for 127.0.0.1"
"$carrel" doctor --json >"$out" && is_json && says '"check":"certificate","verdict":"note"'
at 0 "$(url https "$good")" SSL_CERT_FILE=/dev/null && says "does not trust it" && says update-ca-certificates
at 1 "$(url https "$good")" "$trusted" LD_PRELOAD="$elsewhere" ELSEWHERE_CLOCK=8640000 && says "of localhost expired " && says " days ago" && says "reload the proxy"
at 1 "$(url https "$good")" "$trusted" LD_PRELOAD="$elsewhere" ELSEWHERE_CLOCK=-864000 && says "valid only in" && says "one of the clocks"
at 0 "$(url https "$gateway")" "$trusted" && says "answered with 502 while the daemon does not run"
at 1 "$(url https "$forbidden")" "$trusted" && says "proxy_set_header Host" && says server.allowed_hosts
at 1 "$(url https "$plain")" && says "speaks no TLS"
at 0 "$(url http "$plain")" && says "leads to a Carrel"
at 1 "$(url http "$garbage")" && says "does not speak HTTP"
at 1 "$(url https "$garbage")" && says "speaks no TLS"
at 1 "$(url http "$silent")" && says "does not speak HTTP"
at 1 "$(url https 1)" && says "port 1: Connection refused" && says "start the reverse proxy"
serve soon
at 0 "$(url https "$good")" && says "expires in " && says certbot
serve other
at 1 "$(url https "$good")" && says "for another name"

# A daemon that runs, and a proxy that does not find it.
printf 'server:\n%s\n  port: 0\nauth: { loopback: open }\n' "$(url https "$gateway")" >carrel.yaml
run_as 0 mcp start && run_as 1 doctor && says "answered with 502" && says "does not reach the daemon"
printf 'server:\n%s\n  port: 0\nauth: { loopback: open }\n' "$(url https "$missing")" >carrel.yaml
run_as 1 doctor && says "answered with 404" && says "another service has this name"
run_as 0 mcp stop

# Names: of nobody, in a file of our own.
at 1 "  public_url: https://nowhere.invalid
$proxies" && says "nowhere.invalid has no address" && says "add it to the DNS"
if unshare -Urm true 2>/dev/null; then
	printf '127.0.0.1 reading.example.org\n' >"$scratch/hosts"
	printf 'server:\n  public_url: http://reading.example.org:%s\n%s\n' "$plain" "$proxies" >carrel.yaml
	unshare -Urm sh -c "mount --bind $scratch/hosts /etc/hosts && exec $carrel doctor" >"$out" 2>"$err" || fail "a name that is known"
	says "leads to a Carrel"
fi

# Who is believed.
at 1 "  trusted_proxies: [0.0.0.0/0]" && says "trusts every address in 0.0.0.0/0" && says "own addresses"
at 1 "  trusted_proxies: ['::/0']" && says "trusts every address in ::/0"
at 0 "  trusted_proxies: [10.0.0.0/8]" && says "trusts every address in 10.0.0.0/8" && says note
at 0 "  trusted_proxies: [127.0.0.1]" && says "trusted only as root or" && says "proxy_users"
at 0 "  trusted_proxies: [10.1.2.0/24, '2001:db8::/64']" && says "only few addresses are trusted"
at 1 "  trusted_proxies: [10.0.0.0/8]
auth: { proxy_header: X-Remote-User, proxy_role: viewer }" && says "can name any user"
at 1 "  public_url: https://localhost:1" && says "no proxy is trusted" && says "trusted_proxies: [127.0.0.1]"
finish
