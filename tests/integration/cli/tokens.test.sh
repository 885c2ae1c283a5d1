# The life of connectivity tokens by the commands, with a daemon and without, beside others, and through kills.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

mkdir "$scratch/project" && cd "$scratch/project" || exit 1
run 0 init --demo .
state=.carrel/state.db
secrets=$scratch/secrets

# get EXPRESSION - a member of the last answer; d is the whole of it.
get() { node -pe "const d = JSON.parse(require('fs').readFileSync('$out', 'utf8')); $1" 2>/dev/null; }
holds() { [ "$(get "$1")" = true ] || fail "not so: $1"; }
keep() { get d.secret >>"$secrets"; }

# --- without a daemon ----------------------------------------------------------------------

run 0 token list && holds 'd.tokens.length === 0 && d.active === 0 && d.max === 10'
run 0 token create --label first && keep && is_quiet
holds '/^crlmcp_[A-Za-z0-9]{8}_[0-9a-f]{32}$/.test(d.secret) && d.secret.split("_")[1] === d.token.id'
holds 'Object.keys(d.token).join() === "id,label,scopes,created_at,expires_at,last_used_at,request_count,secret_last4,state,revoked,revoked_at"'
holds 'd.token.scopes.join() === "ext:datasets,ext:schema,ext:search,ext:sql" && d.token.state === "active"'
good_for() { holds "Math.abs(Date.parse(d.token.expires_at) - Date.parse(d.token.created_at) - $1 * 864e5) < 60000"; }
good_for 90
holds 'd.token.secret_last4 === d.secret.slice(-4)'
run 0 token create --label research --scopes research:read,research:query --expires 30d && keep
holds 'd.token.scopes.join() === "research:read,research:query"'
good_for 30

run 0 token create --label later --no-reveal --expires never && holds 'd.token.expires_at === null'
holds 'd.token.state === "pending" && d.token.secret_last4 === null && !("secret" in d)'
run 0 token reveal later && keep && holds 'Object.keys(d).join() === "id,secret"'
run 1 token reveal later && complains "not pending" && one_sentence && [ ! -s "$out" ]
run 0 token revoke later
holds 'd.revoked === true && d.label === "later" && Object.keys(d.ended).join() === "grants,sessions,streams,calls"'
run 0 token revoke later
run 1 token reveal later && complains "revoked"
run 1 token revoke nothing && complains "token list" && one_sentence

for scopes in '*' ',' '' 'research:read,admin' 'local' 'memory:write' 'connectivity:admin'; do
	run 1 token create --label bad --scopes "$scopes" && one_sentence && [ ! -s "$out" ]
done
run 1 token create --label "$(printf 'two\nlines')"
run 2 token create && one_sentence
for duration in 0d 5 d 1w -1h 1.5h '1d '; do run 2 token create --label bad --expires "$duration"; done
run 0 token list && holds 'd.tokens.length === 3 && d.active === 2'

# People see a table; the secret stands alone on the last line.
run_tty "$carrel" token create --label seen
tr -d '\r' <"$out" | tail -n 1 | finds -xE 'crlmcp_[A-Za-z0-9]{8}_[0-9a-f]{32}' || fail "no secret on the last line"
tr -d '\r' <"$out" | tail -n 1 >>"$secrets"
run_tty "$carrel" token list && finds 'LABEL.*STATE' "$out" || fail "no table"
run_as 0 token list && finds 'LABEL.*STATE' "$out" || fail "no table in a pipe"

# Several at once, each with processes of its own.
for i in 1 2 3 4 5 6; do "$carrel" --json token create --label "beside $i" >"$scratch/beside.$i" 2>&1 & done
wait
node -pe "JSON.parse(require('fs').readFileSync(0, 'utf8')).secret" <"$scratch/beside.1" >>"$secrets"
[ "$(cat "$scratch"/beside.* | grep -c '"secret":"crlmcp_')" -eq 6 ] || fail "not all of six commands beside one another"
run 0 token list && holds 'd.active === 9 && new Set(d.tokens.map(t => t.id)).size === 10'
run 0 token create --label tenth && keep
run 1 token create --label eleventh && complains "revoke one first"
for i in 1 2 3 4 5 6; do run 0 token revoke "beside $i"; done

# --- with a daemon ---------------------------------------------------------------------------

run 0 mcp start --port 0 && url=$(get d.url)
# ask TOKEN - the status of a call of a research tool with it.
ask() {
	curl -s -o "$scratch/answer" -w '%{http_code}' -H "Authorization: Bearer $1" -H 'Content-Type: application/json' \
		-H 'Accept: application/json, text/event-stream' -H 'MCP-Protocol-Version: 2026-07-28' \
		-H 'Mcp-Method: tools/call' -H 'Mcp-Name: connection_list' "$url" -d '{"jsonrpc":"2.0","id":1,"method":"tools/call",
		"params":{"name":"connection_list","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
		"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}'
}
answers() { [ "$(ask "$1")" = "$2" ] || fail "$3: $(ask "$1") $(head -c 300 "$scratch/answer")"; }

run 0 token create --label served --scopes research:read && keep && token=$(get d.secret) id=$(get d.token.id)
run 0 connectivity status && holds 'd.enabled === false && d.bind_host === "127.0.0.1" && d.port > 0'
answers "$token" 401 "a token while connectivity is off"
run 0 connectivity enable && holds 'd.enabled === true' && run 0 connectivity enable
run_as 0 connectivity enable && complains "carrel token create" && complains "connectivity setup PLATFORM"
answers "$token" 200 "a token"
answers "${token%?}$([ "${token: -1}" = 0 ] && echo 1 || echo 0)" 401 "a wrong token"
run 0 token list && holds "d.tokens.find(t => t.id === '$id').request_count === 1"
holds "Date.parse(d.tokens.find(t => t.id === '$id').last_used_at) > Date.now() - 60000"
run 0 connectivity status && holds 'd.metrics.requests_total >= 1 && d.metrics.auth_failures >= 1' &&
	holds 'd.metrics.latency_ms.p99 >= d.metrics.latency_ms.p50 && d.metrics.active_connections === 0' &&
	holds 'd.recent_queries[0].ok && d.recent_queries[0].duration_ms >= 0 && d.recent_queries[0].tool.length > 0' &&
	holds 'Date.parse(d.recent_queries[0].at) > Date.now() - 60000'

# Revoked while it asks: the query ends, and the command says so.  So many statements a minute, and no more.
slow='WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<4000000000) SELECT count(*) FROM c'
sql() {
	curl -s -H "Authorization: Bearer $1" -H 'Content-Type: application/json' -H 'Mcp-Method: tools/call' \
		-H 'Accept: application/json, text/event-stream' -H 'MCP-Protocol-Version: 2026-07-28' \
		-H 'Mcp-Name: sql_execution' "$url" -d '{"jsonrpc":"2.0","id":1,"method":"tools/call",
		"params":{"name":"sql_execution","arguments":{"connectionId":"warehouse","sql":"'"$2"'"},
		"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
		"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}'
}
run 0 token revoke first
run 0 token create --label asks --scopes research:query && keep && asks=$(get d.secret)
for _ in 1 2 3 4 5 6 7 8 9; do sql "$asks" 'SELECT 1' | finds rowCount || fail "a statement within the rate"; done
sql "$asks" "$slow" >"$scratch/slow" &
slow_pid=$!
for _ in $(seq 600); do "$carrel" --json status | finds '"inFlight": *1\b' && break; sleep 0.1; done
sql "$asks" 'SELECT 1' | finds rate_limited || fail "an eleventh statement in a minute"
run 0 token revoke asks && holds 'd.ended.calls === 1'
wait $slow_pid
finds auth_revoked "$scratch/slow" || fail "the query was not ended: $(head -c 300 "$scratch/slow")"

# No process holds a secret where others can see it.
carreld=$(node -pe 'JSON.parse(require("fs").readFileSync(".carrel/mcp.json", "utf8")).pid')
for pid in "$carreld" $(pgrep -P "$carreld"); do
	! grep -qaFf "$secrets" "/proc/$pid/cmdline" "/proc/$pid/environ" 2>/dev/null || fail "a secret in the environment of $pid"
done
auth=$(pgrep -P "$carreld" -x carrel-auth)
rss=$(awk '/^VmRSS/ { print $2 }' "/proc/$auth/status")
# A build with sanitizers needs more.
[ "$rss" -le 8192 ] || ! cmp -s "$BIN_DIR/carreld" "$SOURCE_DIR/build/bin/carreld" || fail "carrel-auth takes $rss KiB"
# Whoever signs in waits for a core, not whoever calls.
[ "$(awk '{ print $19 }' "/proc/$(pgrep -P "$carreld" -x carrel-pwhash)/stat")" -ge 10 ] || fail "hashing has the priority of calls"

# Killed while tokens are made: what was answered is there, and nothing half.
made=$scratch/made
run 0 token revoke tenth && run 0 token revoke seen
for i in 1 2 3 4 5; do
	"$carrel" --json token create --label "killed $i" >"$scratch/killed" 2>/dev/null &
	sleep "0.0$((i * 7 % 10))"
	pgrep -P "$carreld" -x carrel-auth | xargs -r kill -9
	wait $!
	node -pe 'JSON.parse(require("fs").readFileSync(0, "utf8")).token.id' <"$scratch/killed" 2>/dev/null >>"$made"
	for _ in $(seq 1000); do "$carrel" --json token list >"$out" 2>/dev/null && break; sleep 0.05; done
	run 0 token list
	while read -r each; do holds "d.tokens.some(t => t.id === '$each')"; done <"$made"
	# What was made although nobody was told is revoked, for room.
	get "d.tokens.filter(t => t.label.startsWith('killed') && t.state === 'active').map(t => t.id).join('\n')" |
		while read -r each; do [ -z "$each" ] || "$carrel" token revoke "$each" >/dev/null || echo "no revoke of $each"; done
done
answers "$token" 200 "a token after carrel-auth was killed"

# Revoked by a command: the next request is refused, and stays so over a restart.
run 0 token revoke served
answers "$token" 401 "a revoked token" && finds auth_revoked "$scratch/answer" || fail "not auth_revoked"
run 0 mcp restart && url=$(get d.url)
answers "$token" 401 "a revoked token after a restart"
run 0 token create --label again --scopes research:read && keep && token=$(get d.secret)
answers "$token" 200 "enabled is kept over a restart"
run 0 connectivity disable && holds 'd.enabled === false && "ended" in d'
answers "$token" 401 "a token when connectivity is off again"
run 0 mcp stop

# The configuration decides alone.
printf 'connectivity: {enabled: true}\n' >>carrel.yaml
run 1 connectivity disable && complains "connectivity.enabled" && one_sentence
run 0 connectivity status && holds 'd.enabled === true'

# --- what is on the disk --------------------------------------------------------------------------

[ "$(wc -l <"$secrets")" -ge 7 ] || fail "too few secrets were kept: $(wc -l <"$secrets")"
sed -i '/./!d; s/.*_//' "$secrets"
! grep -rqaFf "$secrets" . || fail "a secret is in a file: $(grep -rlaFf "$secrets" . | head -n 3)"
[ "$(stat -c %a "$state" "$state-wal" "$state-shm" "$state-before" | sort -u)" = 600 ] || fail "others can read the store"

# Where nothing can be written the owner is served all the same, and is told why there are no tokens.
if mkdir "$scratch/read-only" && mount --bind . "$scratch/read-only" 2>/dev/null; then
	mount -o remount,ro,bind "$scratch/read-only"
	run 0 -C "$scratch/read-only" sql SELECT 1
	run 1 -C "$scratch/read-only" token list && complains "cannot be written" && one_sentence
	umount "$scratch/read-only"
fi

# A store of a newer Carrel, another program's, a damaged one: each is said to be that, and left alone.
check_store() {
	local before
	before=$(sha256sum "$state")
	run 1 token list && complains "$1" && one_sentence
	[ "$before" = "$(sha256sum "$state")" ] || fail "the store was changed: $1"
	cp "$scratch/good" "$state"
}
cp "$state" "$scratch/good"
printf '\0\0\0\143' | dd of="$state" bs=1 seek=60 conv=notrunc 2>/dev/null && check_store "newer Carrel"
printf '\0\0\0\1' | dd of="$state" bs=1 seek=68 conv=notrunc 2>/dev/null && check_store "another program"
printf 'no database' | dd of="$state" conv=notrunc 2>/dev/null && check_store "damaged"
head -c 3000 /dev/urandom >"$state" && check_store "damaged"
run 0 token list && holds 'd.tokens.length > 5'
finish
