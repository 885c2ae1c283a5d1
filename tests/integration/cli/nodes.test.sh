# Two nodes that share a store: what one decides the other obeys; the store goes and comes back, a node is stopped.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

if [ -z "${PG_DIR:-}" ]; then
	exec bash "$SOURCE_DIR/tests/support/pg.sh" run - bash "$0"
fi
pg() { (cd / && "$SOURCE_DIR/tests/support/pg.sh" "$1" "$PG_DIR" "${@:2}"); }
pg psql -c "CREATE ROLE carrel LOGIN PASSWORD 'topsecret'" -c "CREATE DATABASE carrel OWNER carrel" \
	-c "ALTER ROLE carrel SET log_statement = 'all'"
cd "$scratch" && CARREL_STATE_URL=$(pg dsn carrel topsecret carrel)
export CARREL_STATE_URL

# Both have one key: what one signs the other knows.
"$carrel" init --demo "$scratch/a" >/dev/null
cat >>"$scratch/a/carrel.yaml" <<'END'
state: env:CARREL_STATE_URL
node: { name: a }
connectivity: { enabled: true, requests_per_min: 1000, global_per_min: 1000,
  sql_per_min: 1000 }
END
export HOME=$scratch/home GIT_CONFIG_NOSYSTEM=1
mkdir "$HOME"
g() { git -C "$scratch/$1" -c user.name=U -c user.email=u@example.com "${@:2}"; }
git init -q --bare -b main "$scratch/hub.git" && git init -q -b main "$scratch/a"
echo 'sync: { remote: origin }' >>"$scratch/a/carrel.yaml"
g a add wiki semantic-layer && g a commit -qm first && g a remote add origin "$scratch/hub.git"
cp -a "$scratch/a" "$scratch/b"
sed -i 's/name: a/name: b/' "$scratch/b/carrel.yaml"
on() { # NODE CODE ARGUMENT...
	cd "$scratch/$1" || exit 1
	run "$2" "${@:3}"
}
start() {
	on "$1" 0 mcp start --port 0 "${@:2}"
	url[$1]=$(sed -n 's/.*"url":"\([^"]*\)\/mcp".*/\1/p' "$out")
}
declare -A url
create() { # LABEL: the token is in $scratch/LABEL, as curl's option
	on a 0 token create --label "$1" --scopes research:read,research:query
	sed 's/.*"secret":"\([^"]*\)".*/header = "Authorization: Bearer \1"/' "$out" >"$scratch/$1"
}
ask() { # NODE TOKEN [SQL]: the status, and the code of a refusal or the number that was asked for
	local answer=$scratch/answer.$BASHPID
	curl -s -m 20 -o "$answer" -w '%{http_code}' -K "$scratch/$2" -H 'Content-Type: application/json' \
		-H 'Accept: application/json, text/event-stream' -H 'MCP-Protocol-Version: 2026-07-28' \
		-H 'Mcp-Method: tools/call' -H 'Mcp-Name: sql_execution' "${url[$1]}/mcp" -d '{"jsonrpc":"2.0","id":1,
		"method":"tools/call","params":{"name":"sql_execution","arguments":{"connectionId":"warehouse","sql":"'"${3:-SELECT 42}"'"},"_meta":{
		"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}'
	grep -oE '"code":"[a-z_]+"|\[42\]' "$answer" | head -n 1 | sed 's/"code":"\(.*\)"/ \1/; s/\[42\]/ 42/'
}
is() { # NODE TOKEN STATUS...: what ask says
	local got
	got=$(ask "$1" "$2")
	[ "$got" = "${*:3}" ] || fail "$2 on $1: $got, expected ${*:3}"
}
becomes() { # SECONDS NODE TOKEN STATUS...: the same within so long
	local until=$((SECONDS + $1))
	while [ "$(ask "$2" "$3")" != "${*:4}" ]; do
		[ $SECONDS -le $until ] || { is "${@:2}"; return; }
		sleep 0.1
	done
}
household() { # the processes of b's daemon, it included
	local daemon
	daemon=$(sed -E 's/.*"pid": ?([0-9]+).*/\1/' "$scratch/b/.carrel/mcp.json")
	echo "$daemon" $(pgrep -P "$daemon")
}
: >"$scratch/owner"
FOREVER='WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n'

start a
start b
create kept
create ended
is b kept 200 42 && is b ended 200 42
on a 0 token revoke ended
becomes 1 b ended 401 auth_revoked

# By the server's own count: a limited call is one statement, an unlimited one none.  Beside these are the questions of the
# leases, the copies of audits, the counts of uses and the server's settings, which come by the clock, and what a front
# asks of a credential once.
asked_for() { # TOKEN: what the server was asked for during twenty calls
	local from
	is b "$1" 200 42
	sleep 0.7 # what came before is written
	from=$(wc -l <"$PG_DIR/run/log")
	for _ in {1..20}; do is b "$1" 200 42; done
	sed "1,${from}d" "$PG_DIR/run/log" | sed -nE 's/.* LOG:  (statement|execute [^:]*): //p' |
		grep -vE "^(INSERT INTO node\(|SELECT .* FROM audit_chain|SELECT current_setting\('server_version|WITH .*audit_copy|UPDATE token SET requests|BEGIN|COMMIT|NOTIFY)" |
		sed -E 's/.* FROM (admit|token|claim)\W.*/\1/' | sort | uniq -c | awk '$2 == "admit" || !($2 ~ /^(token|claim)$/ && $1 < 10) { $1 = $1; print }'
}
[ "$(asked_for kept | tee "$scratch/asked")" = "20 admit" ] || fail "twenty limited calls asked the store for: $(cat "$scratch/asked")"
[ "$(asked_for owner | tee "$scratch/asked")" = "" ] || fail "twenty unlimited calls asked the store for: $(cat "$scratch/asked")"

# Stopped for longer than the lease, b does not answer by what it knew before; then it knows.
create paused
is b paused 200 42
kill -STOP $(household)
on a 0 token revoke paused
ask b paused >"$scratch/late" &
asked=$!
sleep 2.5
kill -CONT $(household)
wait $asked
finds -E '^(401 auth_revoked|503 service_unavailable)' "$scratch/late" || fail "answered: $(cat "$scratch/late")"
becomes 2 b kept 200 42
is b paused 401 auth_revoked

# The server is away: what was known is good for the lease; what runs ends after twice as long; the owner goes on.
ask b kept "$FOREVER" >"$scratch/running" &
runs=$!
sleep 0.3
away=$(date +%s%N)
kill -QUIT "$(head -n 1 "$PG_DIR/data/postmaster.pid")"
becomes 3 b kept 503 service_unavailable
is b owner 200 42
wait $runs
took=$((($(date +%s%N) - away) / 1000000))
grep -qF service_unavailable "$scratch/running" && [ $took -gt 2500 ] && [ $took -lt 6000 ] ||
	fail "what ran ended after $took ms: $(cat "$scratch/running")"
curl -s "${url[b]}/health" >"$out" && says "the state store is away since 20"
# Not why the connection was lost, but why there is none now: another process tries.
finds "refused" "$out" || fail "why it is away still: $(cat "$out")"
[ "$(curl -s -o /dev/null -w '%{http_code}' "${url[b]}/health/ready")" = 503 ] || fail "ready without a store"
on b 1 token list && complains "the state store is away" && one_sentence

# A daemon that starts meanwhile serves its owner, and all of them come back by themselves.
on a 0 mcp stop
start a && says '"url"'
is a kept 503 service_unavailable && is a owner 200 42
pg restart
becomes 4 a kept 200 42
becomes 4 b kept 200 42
curl -s "${url[b]}/health" | finds '"status":"ok"' || fail "b is not well again"
[ "$(curl -s -o /dev/null -w '%{http_code}' "${url[b]}/health/ready")" = 200 ] || fail "not ready again"
on b 0 --json status && finds '"role":"auth"[^}]*"restarts":0' "$out" || fail "counted as a crash"
curl -s "${url[b]}/metrics" >"$out"
finds -E '^carrel_state_round_trip_seconds 0\.[0-9]*[1-9]' "$out" || fail "no figure: $(grep state_ "$out")"
(cd "$scratch/b" && "$carrel" doctor >"$out" 2>"$err")
says "synchronous_commit" && says "no standby has each commit"
on b 0 token revoke kept
becomes 1 a kept 401 auth_revoked
on b 0 audit verify
[ "$(grep -c 'has no database connection' "$scratch/b/.carrel/logs/mcp.log")" -le 3 ] || fail "the log is full of it"
# A node with another key is refused the store, until it has theirs; a key is not put beside an audit of another one.
cp -a "$scratch/a" "$scratch/c" && rm -rf "$scratch/c/.carrel"
sed -i 's/name: a/name: c/' "$scratch/c/carrel.yaml"
start c
curl -s "${url[c]}/health" | finds 'signing.key is not that of the other nodes' || fail "c has another key"
on c 1 cluster join --root-key-file "$scratch/a/.carrel/signing.key" && complains "carrel mcp stop"
on c 0 mcp stop
on c 1 cluster join --root-key-file "$scratch/a/.carrel/signing.key" && complains "a key of its own"
rm "$scratch/c/.carrel/"state.db*
on c 0 cluster join --root-key-file "$scratch/a/.carrel/signing.key"
start c
create joined
becomes 5 c joined 200 42
on c 0 token revoke joined && says "ended on 3 of 3 nodes after"
on c 0 cluster status && says '"name":"b"'

# One node writes the project.  A note is accepted on each of them, and that one keeps it, once; each node knows what
# became of it.  What else writes is refused by the others, who say where to.
ready() { curl -s -o /dev/null -w '%{http_code}' "${url[$1]}/health/ready"; }
writer() { sed -nE 's/.*"name":"([abc])"[^}]*"writes":true.*/\1/p' "$out"; }
printf 'a,b\n1,2\n' >"$scratch/t.csv"
on b 0 cluster status
was=$(writer)
[ -n "$was" ] || fail "no node writes: $(cat "$out")"
for node in a b c; do
	[ $node = "$was" ] && continue
	on $node 1 dataset import "$scratch/t.csv" && complains "the node $was writes this project"
	other=$node
done
tool() { # NODE NAME ARGUMENTS: the answer is in $out
	curl -s -m 20 -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
		-H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/call' -H "Mcp-Name: $2" "${url[$1]}/mcp" \
		-d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"'"$2"'","arguments":'"$3"',"_meta":{
		"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}' >"$out"
}
keep() { # NODE TEXT: the run's id
	tool "$1" memory_ingest '{"content":"'"$2"'"}'
	grep -oE 'mem-[0-9]{13}-[0-9a-f]{24}' "$out" | head -n 1
}
status() { tool "$1" memory_ingest_status '{"runId":"'"$2"'"}'; }
kept() { # NODE ID: its status is done there within so long
	for _ in $(seq 80); do status "$1" "$2"; grep -q '"done":true' "$out" && return; sleep 0.1; done
	fail "$1 does not know that $2 is done: $(cat "$out")"
}
declare -A id
for node in a b c; do
	id[$node]=$(keep $node "Remember: the depot $node closes at noon.")
	[ -n "${id[$node]}" ] || fail "$node does not accept a note: $(cat "$out")"
	status $node "${id[$node]}" && says '"runId":"'"${id[$node]}"'"' # known at once, also where it was not written
done
[ "$(keep "$other" 'Remember: the depot a closes at noon.')" = "${id[a]}" ] || fail "the same note is another run on another node"
for one in a b c; do for node in a b c; do kept $node "${id[$one]}" && says '"status":"done"' && says '"path":"wiki/global/'; done; done
# What a person does about a run is the writer's too (nodes_handover.test.sh); what else writes is refused elsewhere.
mkdir "$scratch/dbt" && printf 'version: 2\nmodels: [{ name: orders, description: All orders. }]\n' >"$scratch/dbt/schema.yml"
on "$other" 1 import-knowledge dbt "$scratch/dbt" --connection warehouse && complains "the node $was writes this project" && complains "carrel cluster drain $was"
enter() { # NODE: sign in on its administration page
	local link
	link=$("$carrel" -C "$scratch/$1" admin --json | grep -oE '#link=[A-Za-z0-9_-]+' | head -n 1)
	csrf=$(curl -s -c "$scratch/cookies" -H 'Content-Type: application/json' -H "Origin: ${url[$1]}" "${url[$1]}/admin/api/enter" \
		-d '{"link":"'"${link#\#link=}"'"}' | grep -oE '"csrf":"[^"]+"' | cut -d '"' -f 4)
}
page() { # NODE TOOL ARGUMENTS: the answer is in $out
	curl -s -b "$scratch/cookies" -H 'Content-Type: application/json' -H "Origin: ${url[$1]}" -H "Carrel-Csrf: $csrf" "${url[$1]}/admin/api/tools/$2" -d "$3" >"$out"
}
enter "$other"
page "$other" cluster_release '{"node":"'"$was"'"}' && says "$was is there, and finishes itself what it has begun"
page "$other" cluster_release '{"node":"nowhere"}' && says "nowhere holds no note"
on "$other" 0 scan && says '"syncId"'
on "$other" 0 memory show "${id[$other]:18:12}" && says '"status":"done"' && says "${id[$other]}"
for node in a b c; do
	n=$(cat "$scratch/$node"/wiki/global/*.md | grep -c "the depot . closes")
	[ "$node" != "$was" ] || [ "$n" -ge 3 ] || fail "$was wrote $n of 3 notes"
	[ "$node" = "$was" ] || [ "$n" = 0 ] || fail "$node wrote, and is not the writer"
done
tool "$other" memory_ingest_status '{"runId":"mem-1764547200000-0123456789abcdef01234567"}' && says 'There is no memory run'
pg psql -d carrel -Atc "SELECT count(*) FROM carrel.note WHERE encode(sealed, 'escape') LIKE '%depot%'" >"$scratch/plain"
finds '^0$' "$scratch/plain" || fail "the database can read notes: $(cat "$scratch/plain")"
printf '# Refunds\n\nRefunds are paid within a week.\n' >"$scratch/note.md"
on "$other" 0 ingest text "$scratch/note.md"

# Drained, a node finishes what runs, the load balancer leaves it, and another one takes the writing over, after a lease;
# with it the notes that were accepted and not begun: here the worker that writes them has stopped.
memory=$(pgrep -P "$(sed -E 's/.*"pid": ?([0-9]+).*/\1/' "$scratch/$was/.carrel/mcp.json")" carrel-memory)
kill -STOP "$memory"
early=$(keep "$other" 'Remember: the depot e closes at eight.')
sleep 0.6
status "$other" "$early" && says '"done":false'
ask "$was" owner "$FOREVER" >"$scratch/running" &
runs=$!
on "$other" 1 cluster drain nowhere && complains "no such node"
on "$other" 0 cluster drain "$was" && says '"drained":true,"others":2'
for _ in $(seq 40); do [ "$(ready "$was")" = 503 ] && break; sleep 0.1; done
[ "$(ready "$was")" = 503 ] && [ "$(ready "$other")" = 200 ] || fail "ready: $(ready "$was"), $(ready "$other")"
is "$was" owner 200 42
kill -0 $runs || fail "what ran on a drained node ended: $(cat "$scratch/running")"
for _ in $(seq 40); do curl -s "${url[$was]}/metrics" >"$scratch/m"; finds '^carrel_node_drained 1' "$scratch/m" && break; sleep 0.1; done
finds '^carrel_node_drained 1' "$scratch/m" && finds '^carrel_node_writes_project 0' "$scratch/m" || fail "no metric says it is drained"
curl -s "${url[$was]}/health/ready" | finds '"drained":true' || fail "/health/ready does not say why"
for _ in $(seq 60); do on "$other" 0 cluster status; now=$(writer); [ "$now" != "$was" ] && [ -n "$now" ] && break; sleep 0.1; done
[ -n "$now" ] && [ "$now" != "$was" ] || fail "nobody took the writing over: $(cat "$out")"
kept "$other" "$early"
kill -CONT "$memory" 2>/dev/null
late=$(keep "$was" 'Remember: the depot d closes at one.')
kept "$other" "$late"
for depot in "depot d" "depot e"; do
	[ "$(cat "$scratch/$now"/wiki/global/*.md | grep -c "the $depot closes")" -ge 1 ] || fail "$now did not write of $depot"
	grep -q "the $depot closes" "$scratch/$was"/wiki/global/*.md && fail "$was wrote of $depot too"
done
on "$now" 1 memory revert "${id[a]}" && complains "the node $was wrote this run"
on "$now" 1 memory revert mem-1764547200000-0123456789abcdef01234567 && complains "each has the runs that it wrote"
for _ in $(seq 60); do "$carrel" -C "$scratch/$now" dataset import "$scratch/t.csv" >/dev/null 2>"$err" && break; sleep 0.1; done
on "$was" 1 dataset import "$scratch/t.csv" && complains "the node $now writes this project"
on "$was" 0 cluster drain --end && says '"drained":false'
for _ in $(seq 40); do [ "$(ready "$was")" = 200 ] && break; sleep 0.1; done
[ "$(ready "$was")" = 200 ] || fail "not used again"
on "$was" 0 audit search --action node.drain
kill $runs

# A node that has not what the writer pushed says so, at once in its figures; after a minute it is not ready (store_auth.c).
behind() { # NODE: for how many seconds
	curl -s "${url[$1]}/metrics" | sed -n 's/^carrel_node_behind_seconds //p'
}
g "$now" commit -q --allow-empty -m more
on "$now" 0 sync && on "$other" 0 cluster status
for _ in $(seq 60); do case $(behind "$was") in 0 | 0.0 | '') sleep 0.1 ;; *) break ;; esac; done
case $(behind "$was") in 0 | 0.0 | '') fail "$was does not know that it is behind: $(behind "$was")" ;; esac
[ "$(ready "$was")" = 200 ] || fail "not ready before the minute"
on "$was" 0 sync
for _ in $(seq 60); do case $(behind "$was") in 0 | 0.0) break ;; *) sleep 0.1 ;; esac; done
case $(behind "$was") in 0 | 0.0) ;; *) fail "$was is behind after a sync: $(behind "$was")" ;; esac
on "$was" 0 cluster status && says "\"project\":\"$(g "$now" rev-parse HEAD)\""

# A legacy session is good on each node, for the one who opened it; where it is ended, it has ended on each of them.
legacy() { # NODE TOKEN METHOD SESSION [BODY] [HEADER...]: the status; the answer is in $out
	curl -s -m 10 -o "$out" -D "$scratch/head" -w '%{http_code}' -X "$3" -K "$scratch/$2" -H 'Content-Type: application/json' \
		-H 'Accept: application/json, text/event-stream' ${4:+-H "Mcp-Session-Id: $4"} ${5:+-d "$5"} "${@:6}" "${url[$1]}/mcp"
}
create one
create two
[ "$(legacy a one POST '' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},
	"clientInfo":{"name":"x","version":"1"}}}')" = 200 ] || fail "no session: $(cat "$out")"
session=$(sed -n 's/^[Mm]cp-[Ss]ession-[Ii]d: \([A-Za-z0-9_-]*\).*/\1/p' "$scratch/head")
tools='{"jsonrpc":"2.0","id":2,"method":"tools/list"}'
[ "$(legacy b one POST "$session" "$tools")" = 200 ] || fail "b does not know the session: $(cat "$out")"
[ "$(legacy b two POST "$session" "$tools")" = 404 ] || fail "b knows the session of another token"
# A stream that was on a node, resumed on the other: as after a crash, a new one.
legacy b one GET "$session" '' -H 'Last-Event-ID: 1-1' --max-time 1 >"$scratch/resumed"
grep -qE '^(200|400)$' "$scratch/resumed" || fail "a stream is resumed with $(cat "$scratch/resumed")"
[ "$(legacy b two DELETE "$session")" = 404 ] || fail "another token ended the session"
[ "$(legacy a one POST "$session" "$tools")" = 200 ] || fail "a forgot the session"
[ "$(legacy b one DELETE "$session")" = 200 ] || fail "the session was not ended: $(cat "$out")"
[ "$(legacy b one POST "$session" "$tools")" = 404 ] || fail "b serves a session that has ended"
sleep 0.5
[ "$(legacy a one POST "$session" "$tools")" = 404 ] || fail "a serves a session that ended on b"

# Also when the node's carrel-auth dies before the store has it: its successor is told again.
opened() { # NODE: a session of `one`
	legacy "$1" one POST '' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},
		"clientInfo":{"name":"x","version":"1"}}}' >/dev/null
	sed -n 's/^[Mm]cp-[Ss]ession-[Ii]d: \([A-Za-z0-9_-]*\).*/\1/p' "$scratch/head"
}
session=$(opened b)
[ "$(legacy b one POST "$session" "$tools")" = 200 ] && [ "$(legacy a one POST "$session" "$tools")" = 200 ] || fail "no session"
auth=$(pgrep -P "$(sed -E 's/.*"pid": ?([0-9]+).*/\1/' "$scratch/b/.carrel/mcp.json")" carrel-auth)
for _ in {1..20}; do # a busy machine may take longer than b's lease lasts without its carrel-auth
	for _ in {1..100}; do [ "$(legacy b one POST "$session" "$tools")" = 200 ] && break; sleep 0.1; done
	kill -STOP $auth
	ended=$(legacy b one DELETE "$session")
	[ "$ended" != 200 ] || break
	kill -CONT $auth
done
[ "$ended" = 200 ] || fail "the session was not ended: $(cat "$out")"
kill -KILL $auth
for _ in $(seq 60); do [ "$(legacy a one POST "$session" "$tools")" = 404 ] && break; sleep 0.1; done
[ "$(legacy a one POST "$session" "$tools")" = 404 ] || fail "a serves a session that ended on b while its carrel-auth died"
becomes 4 b one 200 42

# A call that becomes a task: known and cancelled on the other node, by the one who has it.
modern() { # NODE TOKEN METHOD PARAMS: the answer is in $out
	curl -s -m 20 -o "$out" -K "$scratch/$2" -H 'Content-Type: application/json' -H "Mcp-Method: $3" ${5:+-H "Mcp-Name: $5"} \
		-H 'Accept: application/json, text/event-stream' -H 'MCP-Protocol-Version: 2026-07-28' "${url[$1]}/mcp" \
		-d '{"jsonrpc":"2.0","id":1,"method":"'"$3"'","params":{'"$4"',"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
		"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}}'
}
modern a one tools/call '"name":"sql_execution","arguments":{"connectionId":"warehouse","sql":"'"$FOREVER"'"}' sql_execution
task=$(grep -oE '"taskId":"[0-9a-f]{32}"' "$out" | cut -d'"' -f4)
[ -n "$task" ] || fail "no task: $(cat "$out")"
modern b one tasks/get '"taskId":"'$task'"' "$task" && says '"status":"working"'
modern b two tasks/get '"taskId":"'$task'"' "$task" && says "there is no such task"
modern b two tasks/cancel '"taskId":"'$task'"' "$task" && says "there is no such task"
modern b one tasks/cancel '"taskId":"'$task'"' "$task" && says '"result"'
sleep 0.6
modern a one tasks/get '"taskId":"'$task'"' "$task" && says '"status":"cancelled"'
modern b one tasks/get '"taskId":"'$task'"' "$task" && says '"status":"cancelled"'
# As of a node that was started again, or as who writes the store's rows may say: no outcome is a failure that says so.
for status in 3 2; do
	pg psql -d carrel -c "UPDATE carrel.task SET status = $status, outcome = NULL WHERE id = '$task'"
	modern b one tasks/get '"taskId":"'$task'"' "$task" && says '"status":"failed"' && says 'was started again: call the tool again'
done

# Five wrong credentials of an address, on whichever node, block it on each of them; a good one is as good as ever.
create good
for node in a b a b; do echo 'header = "Authorization: Bearer crlmcp_AAAAAAAA_00000000000000000000000000000000"' >"$scratch/wrong" && is $node wrong 401 auth_invalid; done
ask a wrong >/dev/null
becomes 2 a wrong 429 ip_blocked && becomes 2 b wrong 429 ip_blocked
is a good 200 42 && is b good 200 42

# Moved into a node's file and into another database, while no node runs; the token is as good as it was.
create moved
on c 1 state migrate --from env:CARREL_STATE_URL && complains "carrel mcp stop"
on c 0 mcp stop && on b 0 mcp stop
on c 1 state migrate --from env:CARREL_STATE_URL && complains "the node a uses the state store"
on a 0 mcp stop
on a 0 state migrate --from env:CARREL_STATE_URL && complains "rows were moved"
pg psql -c "CREATE DATABASE other OWNER carrel"
old=$CARREL_STATE_URL CARREL_STATE_URL=$(pg dsn carrel topsecret other)
on a 0 state migrate --to env:CARREL_STATE_URL && complains "rows were moved"
on a 0 state migrate --from env:CARREL_STATE_URL && complains "rows were moved"
on a 1 state migrate --from env:CARREL_STATE_URL && complains "has rows already"
start a
is a moved 200 42 && is a ended 401 auth_revoked
on a 0 mcp stop
CARREL_STATE_URL=$old
finish
