#!/bin/bash
# The Debian package in a throw-away root under systemd: installed, served, upgraded and
# downgraded under load, killed, behind nginx with TLS, with credentials, removed, purged.
# usage: run.sh PACKAGE.deb [ROOT]	(as root; ROOT is made when it is not there)
set -uo pipefail
here=$(dirname "$(realpath "$0")")
package=$(realpath "$1")
root=$(realpath -m "${2:-build/deb/root}")
failed=0 passed=0
url=http://127.0.0.1:7878

inside() { "$here/root.sh" run "$root" "$@"; }
sh_in() { inside bash -c "$@"; }
carrel() { inside runuser -u carrel -- carrel --project-dir /var/lib/carrel "$@"; }
check() { # WHAT COMMAND…
	local what=$1 said
	shift
	if said=$("$@" 2>&1); then
		passed=$((passed + 1))
	else
		echo "FAILED: $what: ${said:0:600}"
		failed=$((failed + 1))
	fi
}
eventually() { for _ in $(seq 600); do "$@" >/dev/null 2>&1 && return; sleep 0.1; done; "$@"; }
answers() { inside curl -sf -m 5 "$url/health"; }
main_pid() { inside systemctl show -P MainPID carrel.service; }
status_of() { inside curl -s -m 5 -o /dev/null -w '%{http_code}' "$@"; }
call='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sql_execution","arguments":{"connectionId":"shop","sql":"SELECT 41 + 1"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}'
ask() { # TOKEN [CURL-OPTION…]
	inside curl -s -m 10 "${@:2}" -H "Authorization: Bearer $1" -H 'Content-Type: application/json' \
		-H 'Accept: application/json, text/event-stream' -H 'MCP-Protocol-Version: 2026-07-28' \
		-H 'Mcp-Method: tools/call' -H 'Mcp-Name: sql_execution' -d "$call" "${at:-$url}/mcp"
}
serves() { ask "$token" | grep -q '\[\[42\]\]'; }
install() { inside dpkg -i "/root/$1"; }

"$here/root.sh" make "$root" || exit 1
"$here/root.sh" boot "$root" || exit 1
trap '"$here/root.sh" stop "$root"' EXIT
cp "$package" "$root/root/carrel.deb"
# The same programs as a later version.
work=$(mktemp -d)
dpkg-deb -R "$package" "$work/x"
sed -i 's/^Version: .*/&+next/' "$work/x/DEBIAN/control"
dpkg-deb --root-owner-group -b "$work/x" "$root/root/carrel-next.deb" >/dev/null
needs=$(dpkg-deb -f "$package" Depends Pre-Depends Recommends | sed 's/^[^:]*://; s/([^)]*)//g; s/|[^,]*//g; s/,/ /g' | tr '\n' ' ')
chroot "$root" apt-get install -q -y --no-install-recommends $needs >"$work/apt" 2>&1 || { cat "$work/apt"; exit 1; }

# --- installed, and nobody is let in yet
inside apt-get purge -q -y carrel >/dev/null 2>&1
check "it installs" install carrel.deb
check "the service runs" eventually inside systemctl is-active carrel.service
check "the socket listens" inside systemctl is-active carrel.socket
check "health" eventually answers
check "without a credential nobody is served" test "$(status_of -X POST "$url/mcp")" = 401
check "every process is confined" sh_in 'runuser -u carrel -- carrel --project-dir /var/lib/carrel status | grep "every process is confined"'
check "the processes run as carrel alone" test "$(inside ps -o user= -p "$(main_pid)")" = carrel
check "the exposure is at most 1.5" inside systemd-analyze security --threshold=15 carrel.service
check "the units say nothing to complain of" inside systemd-analyze verify --man=no carrel.service carrel.socket
check "its forbidden acts are refused" carrel sandbox verify

# --- a database, a token that comes as a credential, a reload
sh_in 'runuser -u carrel -- sqlite3 /var/lib/carrel/shop.db "CREATE TABLE t (a); INSERT INTO t VALUES (1)"'
check "a connection is added" carrel connection add shop --path /var/lib/carrel/shop.db
token=0123456789abcdef0123456789abcdef
sh_in "install -d -m 0711 /etc/carrel && printf %s '$token' >/etc/carrel/token && chmod 0600 /etc/carrel/token"
reference=cred:token
if [ "$(sh_in "systemd-run -q --wait --pipe -p User=carrel -p LoadCredential=token:/etc/carrel/token \\
	bash -c 'cat \$CREDENTIALS_DIRECTORY/token'" 2>/dev/null)" != "$token" ]; then
	echo "not tried: this root's systemd gives services no credentials; the token comes from a file"
	sh_in 'chown carrel /etc/carrel/token'
	reference=file:/etc/carrel/token
fi
sh_in "mkdir -p /etc/systemd/system/carrel.service.d
	printf '[Service]\n%s\nWatchdogSec=3s\n' '$([ $reference != cred:token ] || echo LoadCredential=token:/etc/carrel/token)' >/etc/systemd/system/carrel.service.d/own.conf
	sed -i 's|^  loopback: required|&\n  token: $reference|' /var/lib/carrel/carrel.yaml
	systemctl daemon-reload && systemctl restart carrel.service"
check "the token of $reference is taken" eventually serves
check "a wrong one is not" test "$(status_of -X POST -H 'Authorization: Bearer wrong' "$url/mcp")" = 401
check "a reload" inside systemctl reload carrel.service
check "and it serves on" eventually serves

# --- what the doctor finds is the same for the page, inside the unit, as for the command
sh_in 'link=$(runuser -u carrel -- carrel --project-dir /var/lib/carrel admin --json | sed -n "s/.*#link=\([A-Za-z0-9_-]*\).*/\1/p")
	page() { curl -s -m 100 -b /tmp/jar -c /tmp/jar -H "Content-Type: application/json" -H "Origin: $0" "${@:2}" "$0/admin/api/$1"; }
	csrf=$(page enter -d "{\"link\":\"$link\"}" | sed -n "s/.*\"csrf\":\"\([^\"]*\)\".*/\1/p")
	page doctor -d "{}" -H "Carrel-Csrf: $csrf" >/tmp/page.json
	runuser -u carrel -- carrel --project-dir /var/lib/carrel doctor --json >/tmp/command.json; rm -f /tmp/jar' "$url"
verdicts() { inside grep -o '"check":"[^"]*","verdict":"[a-z]*"' "/tmp/$1.json" | grep -v '"clock"'; }
check "the page has the doctor's list" sh_in 'grep -q "\"findings\"" /tmp/page.json || { cat /tmp/page.json; false; }'
check "nothing is wrong: $(verdicts page | grep wrong)" test -z "$(verdicts page | grep wrong)"
check "the same as the command's: $(diff <(verdicts page) <(verdicts command))" test "$(verdicts page)" = "$(verdicts command)"

# --- an upgrade and a downgrade: nobody who connects meanwhile is refused, sessions last
session=$(inside curl -s -D - -o /dev/null -H "Authorization: Bearer $token" -H 'Content-Type: application/json' \
	-H 'Accept: application/json, text/event-stream' -d '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
	"$url/mcp" | tr -d '\r' | sed -n 's/^[Mm]cp-[Ss]ession-[Ii]d: //p')
for to in carrel-next.deb carrel.deb; do
	before=$(main_pid)
	sh_in "(while [ ! -e /tmp/enough ]; do curl -s -m 20 -o /dev/null -w '%{http_code}\n' $url/health; done) >/tmp/codes" &
	load=$!
	sleep 1
	check "$to installs" install "$to"
	sleep 2
	inside touch /tmp/enough
	wait "$load"
	check "$to: the daemon is another one" test "$before" != "$(main_pid)"
	check "$to: nobody was refused ($(sh_in 'sort /tmp/codes | uniq -c | tr "\n" " "'))" sh_in '[ $(wc -l </tmp/codes) -gt 20 ] && ! grep -v "^200$" /tmp/codes'
	inside rm -f /tmp/enough
	check "$to: the session goes on" sh_in "curl -sf -H 'Authorization: Bearer $token' -H 'Mcp-Session-Id: $session' -H 'MCP-Protocol-Version: 2025-11-25' \
		-H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' -d '{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}' $url/mcp | grep '\"result\"'"
	check "$to: serves" eventually serves
done

# --- deaths
for name in carrel-front carrel-auth carrel-search carrel-memory; do
	sh_in "pkill -KILL -x $name"
	check "$name comes back" eventually serves
done
before=$(main_pid)
inside systemctl kill --kill-who=main -s KILL carrel.service
check "the daemon comes back" eventually serves
check "as another process" test "$before" != "$(main_pid)"
before=$(main_pid)
inside systemctl kill --kill-who=main -s STOP carrel.service
sleep 5
check "a stopped one is ended by the watchdog" test "$before" != "$(main_pid)"
check "and comes back" eventually serves
check "the journal has what happened, with fields" sh_in 'journalctl -u carrel -o cat | grep -q "is ready"'

# --- behind nginx with TLS, over a Unix socket of systemd
sh_in "mkdir -p /etc/systemd/system/carrel.socket.d /etc/ssl/carrel
	printf '[Socket]\nListenStream=/run/carrel-proxy/http.sock\nSocketGroup=www-data\nSocketMode=0660\n' >/etc/systemd/system/carrel.socket.d/own.conf
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=carrel.example.org -keyout /etc/ssl/carrel/privkey.pem -out /etc/ssl/carrel/fullchain.pem 2>/dev/null
	printf '\n' >>/var/lib/carrel/carrel.yaml
	sed -i 's|^  port: 7878|&\n  public_url: https://carrel.example.org\n  trusted_proxies: [127.0.0.1]|' /var/lib/carrel/carrel.yaml
	systemctl daemon-reload && systemctl stop carrel.service && systemctl restart carrel.socket && systemctl start carrel.service"
sed 's|server 127.0.0.1:7878;|server unix:/run/carrel-proxy/http.sock;|; s|listen \[::\].*||' "$here/../../packaging/nginx/carrel.conf" >"$root/etc/nginx/conf.d/carrel.conf"
sh_in 'rm -f /etc/nginx/sites-enabled/default; echo "127.0.0.1 carrel.example.org" >>/etc/hosts; systemctl restart nginx'
through() { at=https://carrel.example.org ask "$token" -k | grep -q '\[\[42\]\]'; }
check "through nginx, TLS and the Unix socket" eventually through
check "without a credential it is 401" test "$(status_of -k -X POST https://carrel.example.org/mcp)" = 401
check "HSTS" sh_in 'curl -ski https://carrel.example.org/health | grep -i "^strict-transport-security"'

# --- a copy of the state, and gone
check "the audit is whole" carrel audit verify
check "a backup while it runs" sh_in 'runuser -u carrel -- cp /var/lib/carrel/.carrel/state.db-head /var/lib/carrel/.carrel/state.copy-head &&
	runuser -u carrel -- sqlite3 /var/lib/carrel/.carrel/state.db ".backup /var/lib/carrel/.carrel/state.copy" &&
	mkdir -p /var/tmp/copy && tar -C /var/lib --exclude="state.db*" --exclude=control.sock -c carrel | tar -C /var/tmp/copy -x &&
	mv /var/tmp/copy/carrel/.carrel/state.copy /var/tmp/copy/carrel/.carrel/state.db &&
	mv /var/tmp/copy/carrel/.carrel/state.copy-head /var/tmp/copy/carrel/.carrel/state.db-head'
check "the audit of what was restored is whole" inside runuser -u carrel -- carrel --project-dir /var/tmp/copy/carrel audit verify
inside rm -rf /var/tmp/copy
check "it is removed" inside apt-get remove -q -y carrel
check "what it kept stays" inside test -e /var/lib/carrel/carrel.yaml
inside rm -rf /etc/carrel
check "it is purged" inside apt-get purge -q -y carrel
check "and nothing stays" sh_in '! ls -d /var/lib/carrel /run/carrel /etc/systemd/system/carrel* 2>/dev/null && ! getent passwd carrel && ! find / -xdev -user 997 2>/dev/null | grep .'

rm -rf "$work"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
