# /metrics of a daemon with two fronts: whichever is asked tells of all, what has ended stays in the sum, and the text
# is what OpenMetrics and Prometheus define. promtool (or what PROMTOOL names) checks it too, where it is installed.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

umask 077
p=$scratch/p
run 0 init --demo "$p"
printf '\nserver: {fronts: 2}\n' >>"$p/carrel.yaml"
echo 'a-token-of-some-length' >"$scratch/token"
run 0 -C "$p" mcp start --port 0 --token-file "$scratch/token" || finish
url=http://127.0.0.1:$(sed -n 's/.*"port":\([0-9]*\).*/\1/p' "$p/.carrel/mcp.json")
token=$(cat "$scratch/token")
promtool=${PROMTOOL:-$(command -v promtool)}

sql() {
	curl -s -o "$out" -H "Authorization: Bearer $token" -H 'Content-Type: application/json' \
		-H 'Accept: application/json, text/event-stream' -H 'MCP-Protocol-Version: 2026-07-28' \
		-H 'Mcp-Method: tools/call' -H 'Mcp-Name: sql_execution' \
		-d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{
		"name":"sql_execution","arguments":{"connectionId":"warehouse","sql":"'"$1"'"},
		"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
		"io.modelcontextprotocol/clientCapabilities":{}}}}' "$url/mcp"
}
metrics() { curl -s -o "$out" -w '%{http_code} %{content_type}' "$@" "$url/metrics"; }
value() { sed -n "s/^$(printf %s "$1" | sed 's/[]{}["]/\\&/g; s/\\{/{/g; s/\\}/}/g') //p" "$out"; }
# tells NAME WANTED: waits until all fronts have told the supervisor.
tells() {
	local i
	for i in $(seq 600); do
		metrics >/dev/null
		[ "$(value "$1")" = "$2" ] && return
		sleep 0.1
	done
	fail "$1 is \"$(value "$1")\", not $2"
}

# --- the commit that is checked out: none, one, the next
tells carrel_project_revision 0
git -C "$p" init -q && git -C "$p" add -A && git -C "$p" -c user.name=U -c user.email=u@x commit -qm first
head=$(git -C "$p" rev-parse HEAD)
tells carrel_project_revision $((16#${head:0:13}))
run 0 -C "$p" --json status && says "\"revision\":\"$head\""

# --- who may see it
[ "$(metrics)" = '200 text/plain; version=0.0.4; charset=utf-8' ] || fail "the owner on loopback"
[ "$(metrics -H "Authorization: Bearer $token" | cut -c1-3)" = 403 ] || fail "a token without the scope"
says scope_denied
[ "$(metrics -H 'Authorization: Bearer wrong' | cut -c1-3)" = 401 ] || fail "a wrong token"
[ "$(metrics -H 'Host: example.org' | cut -c1-3)" = 403 ] || fail "a foreign Host"
[ "$(metrics -X POST | cut -c1-3)" = 405 ] || fail "POST"
[ "$(metrics -I | cut -c1-3)" = 200 ] || fail "HEAD"

# --- what it counts, whichever front is asked
for i in 1 2 3 4 5 6; do sql 'SELECT 1'; done
sql 'CREATE TABLE t (a)'
sql 'SELECT no_such_column_at_all FROM nowhere'
tells 'carrel_calls_total{tool="sql_execution",outcome="ok"}' 6
tells 'carrel_calls_total{tool="sql_execution",outcome="refused"}' 1
tells 'carrel_calls_total{tool="sql_execution",outcome="error"}' 1
tells 'carrel_call_duration_seconds_count{tool="sql_execution"}' 8
tells 'carrel_call_duration_seconds_bucket{tool="sql_execution",le="+Inf"}' 8
tells 'carrel_refusals_total{code="forbidden_sql"}' 1
tells ext_auth_failures 1
tells carrel_audit_unwritten_entries 0
tells 'ext_requests_total{tool="sql_execution"}' 8
tells 'ext_latency_ms_count{tool="sql_execution"}' 8
tells 'ext_requests_errors{code="forbidden_sql"}' 1
[ "$(value carrel_index_documents)" -gt 0 ] || fail "documents"
[ "$(value 'carrel_pool_serving_processes{role="sql",connection="warehouse"}')" -gt 0 ] || fail "workers"
for i in 1 2 3 4 5 6 7 8; do
	metrics >/dev/null
	[ "$(value 'carrel_calls_total{tool="sql_execution",outcome="ok"}')" = 6 ] || fail "a front that knows less"
done

calls=$p/.carrel/logs/calls.log
# A front writes its lines ten times a second, or once when nobody is connected; what is killed before writes none.
has_lines() {
	local i
	for i in $(seq 600); do
		grep '"tool":"sql_execution"' "$calls" >"$out" 2>/dev/null
		[ "$(wc -l <"$out")" -lt "$1" ] || return 0
		sleep 0.1
	done
	fail "fewer lines than $1 calls"
}

# --- nothing of it goes back when processes end
has_lines 8
front=$(pgrep -P "$(sed -n 's/.*"pid":\([0-9]*\).*/\1/p' "$p/.carrel/mcp.json")" -f carrel-front | head -n 1)
kill -9 "$front"
tells 'carrel_worker_restarts_total{role="front",reason="killed"}' 1
tells 'carrel_calls_total{tool="sql_execution",outcome="ok"}' 6
sql 'SELECT 1'
tells 'carrel_calls_total{tool="sql_execution",outcome="ok"}' 7
worker=$(pgrep -P "$(sed -n 's/.*"pid":\([0-9]*\).*/\1/p' "$p/.carrel/mcp.json")" -f carrel-sql-sqlite | head -n 1)
kill -SYS "$worker"
tells 'carrel_sandbox_kills_total{role="sql"}' 1
tells 'carrel_worker_restarts_total{role="sql",reason="forbidden_syscall"}' 1

# --- a line in the log for each call, with nothing of its arguments
has_lines 9
[ "$(wc -l <"$out")" = 9 ] || fail "not a line a call"
line='^{"request_id":"r-[0-9a-f]*-[0-9a-f]*","at":"[^"]*","level":"info","role":"front","pid":[0-9]*,"principal":"static"'
line=$line',"tool":"sql_execution","outcome":"ok","duration_ms":[0-9]*,"rows":1,"message":"sql_execution: ok"}$'
[ "$(grep -c "$line" "$out")" = 7 ] ||
	fail "lines of calls that succeeded"
[ "$(grep -c '"outcome":"refused","code":"forbidden_sql","duration_ms":[0-9]*,"message":' "$out")" = 1 ] ||
	fail "a refused call"
! finds -i 'select\|nowhere' "$calls" || fail "the log of calls holds a statement"
! finds '"tool":"sql_execution"' "$p/.carrel/logs/mcp.log" || fail "calls push other lines out of the log"

# --- the text
run 0 -C "$p" status
! finds '"cells"' "$out" || fail "status tells the sums"
metrics >/dev/null
if [ -n "$promtool" ]; then
	"$promtool" check metrics <"$out" >"$err" 2>&1
	# The one name that is not as Prometheus would have it is given from outside.
	[ "$(cat "$err")" = 'ext_latency_ms metric names should not contain abbreviated units' ] ||
		fail "promtool: $(cat "$err")"
fi
[ "$(metrics -H 'Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5')" = \
	'200 application/openmetrics-text; version=1.0.0; charset=utf-8' ] || fail "OpenMetrics"
node "$SOURCE_DIR/tests/support/openmetrics.mjs" <"$out" 2>"$err" || fail "not OpenMetrics"
if [ -n "$promtool" ]; then
	# With times, its own reader of OpenMetrics takes the text.
	sed '/^#/!s/$/ 1700000000/' "$out" >"$scratch/timed"
	"$promtool" tsdb create-blocks-from openmetrics "$scratch/timed" "$scratch/tsdb" >"$err" 2>&1 ||
		fail "Prometheus' OpenMetrics reader"
fi
run 0 -C "$p" mcp stop
finish
