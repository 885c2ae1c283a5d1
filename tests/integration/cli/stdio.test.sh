# mcp stdio: nothing but the protocol on standard output, and its end is ours.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

"$carrel" init --demo "$scratch/demo" >/dev/null || { echo "no demo"; exit 1; }
sed -i 's/^connections:/limits: { sql_timeout_s: 900 }\nconnections:/' "$scratch/demo/carrel.yaml"

initialize='{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
initialized='{"jsonrpc":"2.0","method":"notifications/initialized"}'
list='{"jsonrpc":"2.0","id":"list","method":"tools/list"}'
endless='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sql_execution","arguments":{'\
'"connectionId":"warehouse","sql":"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) SELECT count(*) FROM c"},'\
'"_meta":{"progressToken":1}}}'
local_tool='{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"scan","arguments":{"connectionId":"warehouse"}}}'

stdio() { "$carrel" -C "$scratch/demo" mcp stdio >"$out" 2>"$err"; }

conversation() {
	# What was asked before the end of input is still answered.
	printf '%s\n' "$initialize" "$initialized" "$list" | stdio || fail "exit code $?"
	# The list may change beside it: questions can be asked once their process has the model.
	[ "$(grep -vc notifications/tools/list_changed "$out")" -eq 2 ] || fail "expected two answers"
	says '"id":0' && says '"id":"list"' && says '"sql_execution"'
	grep -qv '^{"jsonrpc":"2.0"' "$out" && fail "something else on standard output"

	# No local tools for whoever a client starts us for.
	printf '%s\n' "$initialize" "$initialized" "$local_tool" | stdio
	grep -q '"id":2' "$out" && grep -q '"error"' "$out" || fail "scan was not refused"

	# Nothing to say: ends at once, nothing printed.
	stdio </dev/null || fail "exit code $? at an empty input"
	[ -s "$out" ] && fail "output without a question"

	# A query that would run for its whole timeout, a quarter of an hour, is cancelled by the end of input.
	local before=$SECONDS
	{ printf '%s\n' "$initialize" "$initialized" "$endless"; until_in "$out" notifications/progress; } |
		stdio || fail "exit code $?"
	[ $((SECONDS - before)) -lt 600 ] || fail "took $((SECONDS - before)) s to end"
}

conversation
pgrep -f -- "carreld --project-dir $scratch/demo" >/dev/null && fail "a private daemon stayed"

# With the daemon; afterwards its workers are free again.
run 0 -C "$scratch/demo" mcp start --port 0
conversation
conversation
run 0 -C "$scratch/demo" sql "SELECT 42" && says "[[42]]"

# A token that is none.
echo wrong >"$scratch/token" && chmod 600 "$scratch/token"
run 1 -C "$scratch/demo" mcp stdio --token-file "$scratch/token" && one_sentence
[ -s "$out" ] && fail "something on standard output"
finish
