# The commands of the audit, beside a daemon that serves: every answer is found by its receipt at once, what was
# changed is found, what cannot be written is not answered, and what is killed leaves no answer without its entry.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

mkdir "$scratch/project" && cd "$scratch/project" || exit 1
run 0 init --demo .
get() { node -pe "const d = JSON.parse(require('fs').readFileSync('$out', 'utf8')); $1" 2>/dev/null; }
holds() { [ "$(get "$1")" = true ] || fail "not so: $1"; }

start() {
	run 0 mcp start --port 0
	port=$(sed -E 's/.*"port": ?([0-9]+).*/\1/' .carrel/mcp.json)
}
auth_pid() { pgrep -P "$(sed -E 's/.*"pid": ?([0-9]+).*/\1/' .carrel/mcp.json)" carrel-auth; }
meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"tester","version":"7"}}'
# call SQL: its answer goes to $scratch/answer, its status to $status, its receipt to $receipt.
call() {
	status=$(curl -s -o "$scratch/answer" -w '%{http_code}' "http://127.0.0.1:$port/mcp" -H 'Content-Type: application/json' \
	    -H 'Accept: application/json, text/event-stream' -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/call' \
	    -H 'Mcp-Name: sql_execution' "${@:2}" \
	    -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sql_execution","arguments":{"connectionId":"warehouse","sql":"'"$1"'"},'"$meta}}")
	receipt=$(grep -o '"carrel/receipt":"[^"]*"' "$scratch/answer" | cut -d'"' -f4)
}

# --- what is on record -----------------------------------------------------------------------
start
for i in 1 2 3; do
	call "SELECT $i AS n"
	run 0 audit show "$receipt"
	holds "d.entry.action === 'mcp.tool.call' && d.entry.target === 'sql_execution' && d.entry.outcome === 'ok' && d.entry.rows === 1"
	holds "d.entry.statement === 'SELECT $i AS n' && d.entry.connection === 'warehouse' && d.entry.principal.kind === 'local'"
	holds "d.entry.client === 'tester 7' && d.entry.surface === 'mcp' && d.entry.policy.statement_sha256.length === 64"
done
call 'SELECT nothing FROM nowhere'
run 0 audit show "$receipt" && holds "d.entry.outcome === 'error' && d.entry.code !== null && d.entry.rows === null"
run 1 audit show r-00000000-1 && one_sentence
call 'SELECT 1' -H 'Authorization: Bearer crlmcp_zzzzzzzz_00000000000000000000000000000000'
[ "$status" = 401 ] || fail "a wrong token is answered $status"
run 0 audit search --outcome refused --since 1h && holds "d.entries.length === 1 && d.entries[0].code === 'auth_invalid'"
run 0 audit search --text 'SELECT 2 AS' && holds "d.entries.length === 1 && d.entries[0].statement === 'SELECT 2 AS n'"
run 0 audit search --action daemon.start && holds "d.entries.length === 1"
run 0 audit search --until 1d && holds "d.entries.length === 0"
run 2 audit search --outcome nonsense && one_sentence
run 2 audit search --action nonsense && one_sentence
run_as 0 audit tail && says 'mcp.tool.call' && says outcome && ! grep -q '^{' "$out" || fail 'no table in a pipe'
run_as 0 audit tail --format table && says 'mcp.tool.call' && says ' surface '
for ((i = 0; i < 300; i++)); do # the log follows the answer
	run_as 0 mcp logs --calls -n 20
	finds 'sql_execution: ok' "$out" && break
	sleep 0.2
done
says 'sql_execution: ok'

# A legacy session says once who its client is; stdio as well.
post() { curl -s -D "$scratch/head" -o "$scratch/answer" "http://127.0.0.1:$port/mcp" -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' "$@"; }
post -d '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"older","version":"3"}}}'
session=$(tr -d '\r' <"$scratch/head" | sed -n 's/^[Mm]cp-[Ss]ession-[Ii]d: //p')
post -H "Mcp-Session-Id: $session" -d '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"sql_execution","arguments":{"connectionId":"warehouse","sql":"SELECT 4 AS n"}}}'
run 0 audit show "$(grep -o '"carrel/receipt":"[^"]*"' "$scratch/answer" | cut -d'"' -f4)"
holds "d.entry.client === 'older 3' && d.entry.statement === 'SELECT 4 AS n'"
# Its front dies, and the session goes on with another: its client is the same.
kill -KILL "$(pgrep -P "$(sed -E 's/.*"pid": ?([0-9]+).*/\1/' .carrel/mcp.json)" carrel-front)"
for ((i = 0; i < 300; i++)); do
	post -H "Mcp-Session-Id: $session" -d '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"sl_query","arguments":{"connectionId":"warehouse","measures":["orders.order_count"]}}}'
	finds carrel/receipt "$scratch/answer" && break
	sleep 0.2
done
scanned=$(ls -d raw-sources/warehouse/live-database/*/ | tail -n 1 | xargs basename)
run 0 audit show "$(grep -o '"carrel/receipt":"[^"]*"' "$scratch/answer" | cut -d'"' -f4)"
holds "d.entry.client === 'older 3' && d.entry.target === 'sl_query' && d.entry.snapshot === '$scanned'"
# What stands on a scan says on which, and what asks the database itself says on none.
post -H "Mcp-Session-Id: $session" -d '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"entity_details","arguments":{"connectionId":"warehouse","entities":[{"table":"orders"}]}}}'
run 0 audit show "$(grep -o '"carrel/receipt":"[^"]*"' "$scratch/answer" | cut -d'"' -f4)"
holds "d.entry.target === 'entity_details' && d.entry.outcome === 'ok' && d.entry.snapshot === '$scanned'"
record() {
	post -H "Mcp-Session-Id: $session" -d '{"jsonrpc":"2.0","id":3,"method":"'"$1"'","params":'"$2"'}'
	run 0 audit show "$(grep -o '"carrel/receipt":"[^"]*"' "$scratch/answer" | cut -d'"' -f4)"
}
record resources/read '{"uri":"carrel://schema/warehouse/orders"}'
holds "d.entry.action === 'mcp.resource.read' && d.entry.outcome === 'ok' && d.entry.snapshot === '$scanned'"
record resources/read '{"uri":"carrel://ontologies"}'
ontology=$(grep -oE '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}' "$scratch/answer" | head -n 1)
record tools/call '{"name":"ask_question","arguments":{"ontologyId":"'"$ontology"'","question":"How many orders are there?"}}'
holds "d.entry.target === 'ask_question' && d.entry.outcome === 'ok' && d.entry.snapshot === '$scanned'"
call 'SELECT 6 AS n' && run 0 audit show "$receipt" && holds "d.entry.snapshot === null"
{
	echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"lines"}}}'
	echo '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"sql_execution","arguments":{"connectionId":"warehouse","sql":"SELECT 5 AS n"}}}'
	until_in "$scratch/lines" '"id":2'
} | "$carrel" mcp stdio >"$scratch/lines" 2>/dev/null
run 0 audit show "$(grep '"id":2' "$scratch/lines" | grep -o '"carrel/receipt":"[^"]*"' | cut -d'"' -f4)"
holds "d.entry.client === 'lines' && d.entry.surface === 'stdio'"

# --- as it is written ------------------------------------------------------------------------
"$carrel" audit tail --follow >"$scratch/followed" 2>/dev/null </dev/null &
follower=$!
for ((i = 0; i < 600; i++)); do [ -s "$scratch/followed" ] && break; sleep 0.1; done
call "SELECT 'followed' AS word"
for ((i = 0; i < 600; i++)); do finds -F "$receipt" "$scratch/followed" && break; sleep 0.1; done
finds -F "$receipt" "$scratch/followed" || fail "what is written is not shown to who follows"
kill "$follower"; wait "$follower" 2>/dev/null

# --- killed ----------------------------------------------------------------------------------
for ((i = 0; i < 10; i++)); do
	for ((j = 0; j < 3; j++)); do call "SELECT $i AS i, $j AS j"; done
	kill -9 "$(auth_pid)"
	run 0 audit show "$receipt" || break
done

# --- no room ---------------------------------------------------------------------------------
call "SELECT 'before' AS word"
before=$receipt
prlimit --pid "$(auth_pid)" --fsize=1: || fail "no limit can be set"
refused=0
for ((i = 0; i < 400 && refused < 3; i++)); do
	call "SELECT 'full' AS word"
	if finds service_unavailable "$scratch/answer"; then refused=$((refused + 1)); else sleep 0.05; fi
done
[ "$refused" = 3 ] || fail "calls are answered though nothing can be put on record"
prlimit --pid "$(auth_pid)" --fsize=unlimited: 2>/dev/null || prlimit --pid "$(auth_pid)" --fsize=1000000000:
for ((i = 0; i < 600; i++)); do call "SELECT 'after' AS word"; [ -n "$receipt" ] && ! finds service_unavailable "$scratch/answer" && break; sleep 0.1; done
run 0 audit show "$receipt" && holds "d.entry.statement === \"SELECT 'after' AS word\""
run 0 audit show "$before"

# --- whole, and not --------------------------------------------------------------------------
run 0 audit verify && holds 'd.ok === true && d.problems.length === 0'
run 0 audit export -o "$scratch/audit.jsonl"
run 0 audit verify --file "$scratch/audit.jsonl" && holds 'd.ok === true'
run 0 mcp stop
run 0 audit verify && holds 'd.ok === true'
sed 's/SELECT 2 AS n/SELECT 3 AS n/' "$scratch/audit.jsonl" >"$scratch/changed.jsonl"
run 1 audit verify --file "$scratch/changed.jsonl" && holds "d.ok === false && d.problems[0].kind === 'changed'"
sed 4d "$scratch/audit.jsonl" >"$scratch/cut.jsonl"
run 1 audit verify --file "$scratch/cut.jsonl" && holds "d.problems.some(p => p.kind === 'missing' && p.seq === 4)"

# --- answered in spite of it -----------------------------------------------------------------
echo 'audit: { on_failure: warn }' >>carrel.yaml
start
call 'SELECT 1'
prlimit --pid "$(auth_pid)" --fsize=1:
for ((i = 0; i < 10; i++)); do
	call "SELECT $i AS n"
	finds rowCount "$scratch/answer" || { fail "not answered, though audit.on_failure is warn"; break; }
done
run 0 mcp stop
run 0 audit verify
sed -i '/^audit:/d' carrel.yaml

# --- the server's own token, said by a caller ------------------------------------------------
echo 'a-static-token-of-somebody' >"$scratch/token" && chmod 600 "$scratch/token"
run 0 mcp start --port 0 --token-file "$scratch/token"
port=$(sed -E 's/.*"port": ?([0-9]+).*/\1/' .carrel/mcp.json)
call "SELECT 'a-static-token-of-somebody' AS word" -H "Authorization: Bearer $(cat "$scratch/token")"
run 0 audit show "$receipt" && holds "d.entry.statement === \"SELECT '***' AS word\" && d.entry.principal.kind === 'static'"
run 0 mcp stop
! cat .carrel/state.db* | finds -a -F a-static-token-of-somebody || fail "the token is in the store"

# --- killed at the worst moment: builds with fault points ------------------------------------
if grep -q 'auth\.before_commit' "$BIN_DIR/carrel-auth"; then
	# What is answered is on record, or it is not answered.
	sed -i '/on_failure: warn/d' carrel.yaml
	export CARREL_FAULTS='auth.before_commit=kill'
	run 1 token create --label before
	export CARREL_FAULTS='auth.after_commit=kill'
	run 1 token create --label after
	unset CARREL_FAULTS
	run 0 token list && holds "d.tokens.map(t => t.label).join() === 'after'"
	run 0 audit search --action token.create && holds 'd.entries.length === 1'
	export CARREL_FAULTS='auth.audit_before_commit=kill@9,auth.audit_after_commit=kill@17'
	start
	unset CARREL_FAULTS
	: >"$scratch/receipts"
	for ((i = 0; i < 60; i++)); do call "SELECT $i AS n"; finds rowCount "$scratch/answer" && echo "$receipt" >>"$scratch/receipts"; done
	[ "$(wc -l <"$scratch/receipts")" -gt 20 ] || fail "hardly anything is answered"
	run 0 mcp stop
	run 0 audit export -o "$scratch/audit.jsonl"
	while read -r receipt; do
		[ "$(grep -c "\"receipt\":\"$receipt\"" "$scratch/audit.jsonl")" = 1 ] || fail "$receipt is there $(grep -c "\"receipt\":\"$receipt\"" "$scratch/audit.jsonl") times"
	done <"$scratch/receipts"
	run 0 audit verify
fi
finish
