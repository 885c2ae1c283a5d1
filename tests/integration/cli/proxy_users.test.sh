# Which local account speaks for a reverse proxy: root, the daemon's own and those of server.proxy_users, and no other,
# from whatever address it connects; what an account that is not believed can do with the headers of a proxy: nothing.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

[ "$(id -u)" = 0 ] || { echo "only root can be other accounts"; exit 77; }
umask 077
# holds EXPRESSION: of the last answer, d.
holds() {
	[ "$(node -pe "const d = JSON.parse(require('fs').readFileSync('$out', 'utf8')); $1" 2>/dev/null)" = true ] || fail "not so: $1"
}
p=$scratch/p
run 0 init --demo "$p"
cp "$p/carrel.yaml" "$scratch/plain.yaml"
echo 'a-token-of-some-length' >"$scratch/token"
port=

# serve SERVER-KEYS OTHERS [CODE [OPTION...]]: start a daemon with them.
serve() {
	[ ! -e "$p/.carrel/mcp.json" ] || run 0 -C "$p" mcp stop
	{ cat "$scratch/plain.yaml"; printf '\nserver: { public_url: "https://carrel.example.org", allowed_hosts: [localhost], %s }\n%s\n' "$1" "$2"; } >"$p/carrel.yaml"
	run "${3:-0}" -C "$p" mcp start "${@:4}" --token-file "$scratch/token" || return 1
	port=$(sed -n 's/.*"port":\([0-9]*\).*/\1/p' "$p/.carrel/mcp.json" 2>/dev/null)
}
tcp() { serve "port: 0, $1" "$2" "${@:3}"; }
# as UID CURL-OPTION...: the status of a request of that account; head and body go to $out.
as() {
	setpriv --reuid "$1" --regid "$1" --clear-groups curl -si --interface 127.0.0.2 "${@:2}" >"$out"
	sed -n '1s/^HTTP[^ ]* \([0-9]*\).*/\1/p' "$out"
}
# wrong UID: the status of a request with a wrong credential, said to be of 203.0.113.50.
wrong() { as "$1" -H 'X-Forwarded-For: 203.0.113.50' -H 'Authorization: Bearer wrong' "http://localhost:$port/mcp"; }
# login UID: the status of a login as the administrator whom the proxy is said to have named.
login() { as "$1" -H 'Host: carrel.example.org' -H "X-Remote-User: ${2:-boss}" -H 'Accept: text/html' \
	"http://127.0.0.1:$port/api/oauth/login?next=%2Fadmin"; }
session() { finds -i '^set-cookie: [^=]*session=' "$out"; }

# Addresses.
tcp 'trusted_proxies: [127.0.0.0/8], proxy_users: [33]' ''
for _ in 1 2 3 4 5 6 7; do wrong 65534 >/dev/null; done
[ "$(wrong 65534)" = 429 ] || fail "an account that guesses is not blocked itself"
[ "$(wrong 33)" = 401 ] || fail "another account has an address of the network blocked"
for _ in 1 2 3 4 5; do wrong 33 >/dev/null; done
[ "$(wrong 33)" = 429 ] || fail "the proxy's account is not believed"
[ "$(as 33 -H 'X-Forwarded-For: 203.0.113.51' -H 'Authorization: Bearer wrong' "http://localhost:$port/mcp")" = 401 ] || fail "clients are not told apart"

# Names of users.
auth='auth: { loopback: required, proxy_header: X-Remote-User, proxy_role: admin }
oauth: { enabled: true }'
tcp 'trusted_proxies: [127.0.0.2], proxy_users: [33]' "$auth"
[ "$(login 65534)" = 401 ] || fail "another account signs in as anybody"
! session || fail "another account has a session of anybody"
[ "$(login 33)" = 302 ] && session || fail "the proxy's account does not sign in whom it names"
# A session that came by the proxy is none of a local account's, its cookie in hand.
cookie=$(sed -n 's/^[Ss]et-[Cc]ookie: \([^;]*\);.*/\1/p' "$out")
[ "$(as 65534 -H 'Host: carrel.example.org' -H 'Origin: https://carrel.example.org' -H "Cookie: $cookie" -H 'X-Remote-User: boss' \
	-H 'Content-Type: application/json' -d '{}' "http://127.0.0.1:$port/admin/api/session")" = 200 ] || fail "no answer"
says '"signed_in":false'
# Who is named first may have a role of the owner's own, and the audit says which.
sed -i 's/proxy_role: admin/proxy_role: desk, roles: { desk: "research:read" }/' "$p/carrel.yaml"
run 0 -C "$p" mcp reload
[ "$(login 33 clerk)" = 302 ] && session || fail "a name with a role of the owner's own is not signed in"
run 0 -C "$p" --json user list && holds 'd.users.some(u => u.name === "clerk" && u.role === "desk")'
run 0 -C "$p" --json audit tail -n 20 && holds 'd.entries.some(e => e.action === "user.add" && e.target === "clerk" && e.policy.role === "desk")'
run 0 -C "$p" mcp stop

# Guesses at one name, each from another address that is said to be a client's, wait ever longer; the owner does not.
tcp 'trusted_proxies: [127.0.0.2], proxy_users: [33]' 'oauth: { enabled: true }
auth: { loopback: required }'
for name in ada bob; do
	printf 'four odd words of mine\n' | "$carrel" -C "$p" user add "$name" --role viewer --password-stdin >/dev/null || fail "no user $name"
done
# sign_in UID NAME PASSWORD CURL-OPTION...: the status of the login page's form.
sign_in() {
	local uid=$1 name=$2 password=$3 cookie csrf
	as "$uid" "${@:4}" -H 'Host: carrel.example.org' -H 'Accept: text/html' "http://127.0.0.1:$port/api/oauth/login" >/dev/null
	cookie=$(sed -n 's/^[Ss]et-[Cc]ookie: \([^;]*\);.*/\1/p' "$out") csrf=$(sed -n 's/.*name="csrf" value="\([^"]*\)".*/\1/p' "$out")
	as "$uid" "${@:4}" -H 'Host: carrel.example.org' -H 'Accept: text/html' -H 'Origin: https://carrel.example.org' -H "Cookie: $cookie" \
		-d "csrf=$csrf&next=&username=$name" --data-urlencode "password=$password" "http://127.0.0.1:$port/api/oauth/login"
}
for i in 1 2 3 4 5 6 7 8 9 10 11; do
	[ "$(sign_in 33 ada "wrong password $i" -H "X-Forwarded-For: 198.51.100.$i")" = 429 ] && fail "guess $i from an address of its own waits"
done
# Until the wait is longer than the next sign-in takes on a busy machine: refused guesses do not lengthen it.
for i in {12..60}; do
	sign_in 33 ada "wrong password $i" -H "X-Forwarded-For: 198.51.100.$i" >/dev/null
	! finds -i '^retry-after: \([4-9]\|[1-9][0-9]\)' "$out" || break
	sleep 0.2
done
[ "$(sign_in 33 ada 'four odd words of mine' -H 'X-Forwarded-For: 198.51.100.99')" = 429 ] || fail "guesses from invented addresses do not wait"
finds -i '^retry-after: [1-9]' "$out" || fail "nothing says how long"
[ "$(sign_in 33 bob 'four odd words of mine' -H 'X-Forwarded-For: 198.51.100.98')" = 303 ] || fail "another name waits as well"
[ "$(sign_in "$(id -u)" ada 'four odd words of mine' --interface 127.0.0.1)" = 303 ] || fail "the owner waits for others' guesses"
run 0 -C "$p" mcp stop

# Without an account every local one would be the proxy: not started, and the reason says what to do.
tcp 'trusted_proxies: [127.0.0.1]' "$auth" 1; complains proxy_users; complains server.listen
tcp 'trusted_proxies: ["::/0"]' "$auth" 1; complains proxy_users
tcp 'proxy_users: [www-data]' "$auth" 1; complains 'trusted_proxies'
tcp 'trusted_proxies: [127.0.0.1], proxy_users: [no-such-account]' '' 1; complains no-such-account
# A Unix socket needs no address: who may open it is the proxy.
serve "listen: 'unix:$scratch/http.sock'" "$auth"
[ "$(curl -s --unix-socket "$scratch/http.sock" -o /dev/null -w '%{http_code}' -H 'X-Remote-User: boss' -H 'Accept: text/html' \
	'http://carrel.example.org/api/oauth/login?next=%2Fadmin')" = 302 ] || fail "the header means nothing over server.listen"
finish
