# People sign in and allow clients something: the whole household, and a browser of few words.  Killed in the middle of
# it: tests/faults/oauth.sh.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

mkdir "$scratch/project" && cd "$scratch/project" || exit 1
run 0 init --demo .
printf 'oauth: { enabled: true, authorize_per_min: 100000, register_per_min: 1000 }\nauth: { loopback: required }\n' >>carrel.yaml
sed -i 's/^server:.*/server: { port: 0 }/' carrel.yaml
grep -q '^server:' carrel.yaml || printf 'server: { port: 0 }\n' >>carrel.yaml

get() { node -pe "const d = JSON.parse(require('fs').readFileSync('$out', 'utf8')); $1" 2>/dev/null; }
holds() { [ "$(get "$1")" = true ] || fail "not so: $1"; }
flow() { node "$SOURCE_DIR/tests/integration/cli/$1" >"$out" 2>"$err" || fail "$1"; }

export CARREL=$carrel
export PASSWORD='correct horse battery staple'
for user in ada bob; do
	printf '%s\n' "$PASSWORD" | "$carrel" user add $user --role contributor --password-stdin >/dev/null || fail "no user $user"
done
run 0 mcp start
LINK=$(grep -oE 'http://127\.0\.0\.1:[0-9]+/admin#setup=[A-Za-z0-9_-]{43}' "$err") && export LINK
DAEMON=$(get d.pid) ORIGIN=$(get 'new URL(d.url).origin') && export DAEMON ORIGIN

flow oauth_setup.mjs
run 0 user list && holds 'd.users.some(u => u.name === "root" && u.role === "admin" && u.sessions === 1)'
flow oauth_flows.mjs
run 0 client list && holds 'd.clients.length === 1 && d.clients[0].source === "registered" && d.clients[0].client_name === "A test"'
run 0 client grants && holds 'd.grants.length === 0'
run 0 audit tail -n 300
holds '["login", "oauth.authorize", "oauth.token", "oauth.refresh", "oauth.refresh_reuse", "oauth.code_replay", "client.register"].every(a => d.entries.some(e => e.action === a))'
holds 'd.entries.some(e => e.action === "login" && e.outcome === "refused" && e.target === "nobody" && e.principal.kind === "none")'
holds 'd.entries.every(e => e.action !== "oauth.token" || e.outcome !== "ok" || e.principal.id === "user:ada")'
holds 'd.entries.some(e => e.action === "auth" && e.code === "forged_form" && e.target === "/api/oauth/login")'
holds 'd.entries.some(e => e.action === "oauth.authorize" && e.outcome === "refused" && e.code === "invalid_client" && e.target === "nobody")'
holds 'd.entries.some(e => e.action === "oauth.refresh" && e.outcome === "refused" && e.code === "invalid_grant" && e.principal.id === "user:ada")'
grep -rqF "$PASSWORD" .carrel && fail "a password is in a file"

flow oauth_device.mjs
run 0 audit tail -n 300
holds 'd.entries.some(e => e.action === "oauth.device" && e.outcome === "ok" && e.principal.kind === "none")'
holds 'd.entries.some(e => e.action === "oauth.authorize" && e.outcome === "refused" && e.code === "access_denied" && e.principal.id === "user:bob")'
holds 'd.entries.filter(e => e.action === "oauth.authorize" && e.outcome === "refused" && e.code === "invalid_grant").length >= 10'

run 0 audit verify && holds 'd.ok'

flow oauth_wrong.mjs
grep -rqF "$PASSWORD" .carrel && fail "a password is in a file"

# A server that says twice that its body is in chunks is read once, and told from one that speaks OAuth.
node -e 'require("net").createServer((s) => s.on("error", () => {}).on("data", () => {
		const chunk = (text) => text.length.toString(16) + "\r\n" + text + "\r\n0\r\n\r\n";
		s.end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n" + chunk(chunk("x".repeat(280))));
	})).listen(0, "127.0.0.1", function () { console.log(this.address().port); })' >"$scratch/twice" &
twice=$!
for ((i = 0; i < 100; i++)); do [ -s "$scratch/twice" ] && break; sleep 0.1; done
run 1 login "http://127.0.0.1:$(cat "$scratch/twice")" && one_sentence
kill $twice
finish
