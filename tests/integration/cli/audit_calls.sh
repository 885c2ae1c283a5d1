# audit_calls.sh - what the tests of an audit that cannot be written share: calls, and whether each is on record.
start() {
	run 0 mcp start --port 0 || finish
	port=$(sed -E 's/.*"port": ?([0-9]+).*/\1/' .carrel/mcp.json)
}
# call WORD: its answer goes to $scratch/answer; 0: it was answered with rows, and its receipt is kept.
call() {
	curl -s -m 30 -o "$scratch/answer" "http://127.0.0.1:$port/mcp" -H 'Content-Type: application/json' \
	    -H 'Accept: application/json, text/event-stream' -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/call' \
	    -H 'Mcp-Name: sql_execution' -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sql_execution",
	    "arguments":{"connectionId":"warehouse","sql":"SELECT '"'$1'"' AS word"},"_meta":{
	    "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}'
	finds rowCount "$scratch/answer" || return 1
	grep -o '"carrel/receipt":"[^"]*"' "$scratch/answer" | cut -d'"' -f4 >>"$scratch/receipts"
}
# comes COMMAND...: waits until it succeeds, for half of the minute at most that a failure makes the health bad.
comes() {
	local i
	for ((i = 0; i < 300; i++)); do "$@" && return; sleep 0.1; done
	fail "$* never comes: $(health)"
	return 1
}
is_refused() { ! call "$1" && finds service_unavailable "$scratch/answer"; }
# every_answer_is_on_record: once, in a chain that is whole.
every_answer_is_on_record() {
	run 0 audit verify
	run 0 audit export -o "$scratch/audit.jsonl"
	grep -o '"receipt":"[^"]*"' "$scratch/audit.jsonl" | cut -d'"' -f4 | sort >"$scratch/written"
	[ -z "$(uniq -d "$scratch/written")" ] || fail "entries that are there twice"
	[ -z "$(sort "$scratch/receipts" | comm -23 - "$scratch/written")" ] || fail "answers without an entry"
}
