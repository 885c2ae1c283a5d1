# Users, clients, keys and preferences by the commands, with a daemon and without, and the link for the first
# administrator.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

mkdir "$scratch/project" && cd "$scratch/project" || exit 1
run 0 init --demo .

# get EXPRESSION - a member of the last answer; d is the whole of it.
get() { node -pe "const d = JSON.parse(require('fs').readFileSync('$out', 'utf8')); $1" 2>/dev/null; }
holds() { [ "$(get "$1")" = true ] || fail "not so: $1"; }

secret='correct horse battery staple'
(umask 077 && printf '%s\nanother line\n' "$secret" >"$scratch/password")

# --- without a daemon ----------------------------------------------------------------------

run 0 user list && holds 'd.users.length === 0'
run 0 user add ada --role contributor --password-file "$scratch/password" && is_quiet
holds 'Object.keys(d.user).join() === "name,role,created_at,disabled,last_login_at,grants,sessions"'
holds 'd.user.name === "ada" && d.user.role === "contributor" && !d.user.disabled && d.user.last_login_at === null'
run 1 user add ada --role viewer --password-file "$scratch/password" && complains "already" && one_sentence
[ ! -s "$out" ] || fail "an error with an answer"
for name in Ada '.ada' 'a b' 'ada/example' '' "$(printf 'a%.0s' $(seq 65))"; do
	run 1 user add "$name" --role viewer --password-file "$scratch/password"
done
run 1 user add bob --role king --password-file "$scratch/password" && complains "is no role" && one_sentence
run 2 user add bob --password-file "$scratch/password" && one_sentence
run 2 user add bob --role viewer </dev/null && one_sentence
run 2 user add bob --role viewer --password-stdin --password-file "$scratch/password" </dev/null
chmod 644 "$scratch/password"
run 1 user add bob --role viewer --password-file "$scratch/password" && complains "chmod 600"
chmod 600 "$scratch/password"
printf 'too short\n' | "$carrel" --json user add bob --role viewer --password-stdin >"$out" 2>"$err"
[ $? -eq 1 ] && finds '12 to 1024' "$err" || fail "a password of nine bytes"
printf '%s\n' "$secret" | "$carrel" --json user add bob --role viewer --password-stdin >"$out" 2>"$err" ||
	fail "a password from standard input"

run 0 user set bob --role admin && holds 'd.user.role === "admin"'
holds 'Object.keys(d.ended).join() === "grants,sessions,streams,calls"'
run 0 user set bob --disable && holds 'd.user.disabled'
run 0 user set bob --enable && holds '!d.user.disabled'
run 2 user set bob && one_sentence
run 2 user set bob --enable --disable && one_sentence
run 1 user set nobody --disable && complains "user list"
run 0 user list && holds 'd.users.map(u => u.name).join() === "ada,bob"'
run 0 user remove bob && holds 'd.removed === "bob"'
run 1 user remove bob && one_sentence
run_tty "$carrel" user list && finds 'NAME.*ROLE.*STATE' "$out" || fail "no table of users"

run 0 client add --name 'Team notebook' --redirect https://notebook.example/cb --redirect http://localhost/cb
holds 'Object.keys(d.client).join() === "client_id,client_name,source,redirect_uris,created_at,last_used_at,grants"'
holds 'd.client.source === "configured" && d.client.redirect_uris.length === 2'
run 0 client add --name Document --id https://client.example/client.json --redirect cursor://host/cb
run 1 client add --name Document --id https://client.example/client.json --redirect cursor://host/cb && one_sentence
for uri in http://evil.example/ javascript://host/x https://a@b/ https://host/#f zoo://host/; do
	run 1 client add --name bad --redirect "$uri" && one_sentence
done
run 2 client add --name bad && one_sentence
run 0 client list && holds 'd.clients.length === 2'
run 0 client grants && holds 'd.grants.length === 0'
run 1 client revoke nothing && complains "client grants" && one_sentence
run 0 client remove https://client.example/client.json && holds 'd.removed === "https://client.example/client.json"'
run 1 client remove https://client.example/client.json && one_sentence

run 0 key list && holds 'd.keys.length === 0'
run 0 key rotate && holds 'd.keys.length === 1 && d.keys[0].state === "current" && d.keys[0].until === null'
run 0 key rotate && holds 'd.keys.length === 2 && d.keys[1].state === "retiring" && d.keys[0].alg === "EdDSA"'
holds 'Math.abs(Date.parse(d.keys[1].until) - Date.now() - 9e5) < 60000'

run 0 preferences get && holds 'd.preferences.weekStart === "monday" && d.preferences.timeZone === "UTC"'
run 0 preferences set weekStart=sunday 'thresholds.large=> 1000' highValueThreshold=5
holds 'd.preferences.weekStart === "sunday" && d.preferences.thresholds.large === "> 1000"'
holds 'd.preferences.highValueThreshold === 5'
run 0 preferences set weekStart= && holds 'd.preferences.weekStart === "monday"'
run 1 preferences set dateOrder=mdy weekStart=someday && one_sentence
run 0 preferences get && holds 'd.preferences.dateOrder === null'
run 2 preferences set weekStart && one_sentence
run 0 preferences set --user ada timeZone=Europe/Berlin && holds 'd.preferences.timeZone === "Europe/Berlin"'
run 0 preferences get && holds 'd.preferences.timeZone === "UTC"'
run 1 preferences get --user nobody && one_sentence

# A secret stands nowhere: not in the store, not in the log, not in the audit.
run 0 audit tail -n 100
holds 'd.entries.filter(e => e.action === "user.add").length === 2'
holds '["user.set", "user.remove", "client.add", "client.remove", "key.rotate"].every(a => d.entries.some(e => e.action === a))'
run 0 audit verify
grep -rqF "$secret" .carrel && fail "the password is in a file"

# --- with a daemon, and the first administrator --------------------------------------------------

printf 'oauth: { enabled: true }\n' >>carrel.yaml
sed -i 's/^server:.*/server: { port: 0 }/' carrel.yaml
grep -q '^server:' carrel.yaml || printf 'server: { port: 0 }\n' >>carrel.yaml
"$carrel" mcp start >"$out" 2>"$err" || fail "it does not start: $(cat "$err")"
finds -E 'http://127\.0\.0\.1:[0-9]+/admin#setup=[A-Za-z0-9_-]{43}' "$err" || fail "no link: $(cat "$err")"
run 0 key list && holds 'd.keys.filter(k => k.state === "current").length === 1'
printf '%s\n' "$secret" | "$carrel" --json user add root --role admin --password-stdin >"$out" 2>"$err" ||
	fail "a user beside a daemon: $(cat "$err")"
"$carrel" mcp start >"$out" 2>"$err" || fail "already running"
finds 'setup' "$err" && fail "a link although there is an administrator"
run 0 user set root --sign-out && holds 'd.ended.grants === 0'
run 0 mcp stop

# What cannot be kept is refused at the start.
sed -i '/^oauth:/d; s/^server:.*/server: { port: 0, public_url: "http:\/\/carrel.example" }/' carrel.yaml
printf 'oauth: { enabled: true }\n' >>carrel.yaml
run 1 mcp start && complains "https://"

finish
