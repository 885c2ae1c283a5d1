# identity_calls.sh - callers of the tests of identities, read by these.
get() { node -pe "const d = JSON.parse(require('fs').readFileSync('$out', 'utf8')); $1" 2>/dev/null; }
holds() { [ "$(get "$1")" = true ] || fail "not so: $1"; }
token() { # VARIABLE CLAIM...
	local name=$1 claims=() each
	shift
	for each; do claims+=(--claim "$each"); done
	run 0 token create --label "$name" --scopes research:read,research:query,ext:datasets,ext:schema,ext:search,ext:sql,tools:of_customer "${claims[@]}"
	printf -v "$name" '%s' "$(get d.secret)"
}
meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"tester","version":"7"}}'
call() { # SECRET TOOL ARGUMENTS
	curl -s -m 60 -o "$out" "http://127.0.0.1:$port/mcp" -H 'Content-Type: application/json' -H "Authorization: Bearer $1" \
	    -H 'Accept: application/json, text/event-stream' -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/call' \
	    -H "Mcp-Name: $2" -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"'"$2"'","arguments":'"$3,$meta}}"
	: >"$err"
}
sql() { call "$1" sql_execution "$(node -pe 'JSON.stringify({connectionId: "shop", sql: process.argv[1]})' -- "$2")"; }
result() { node -pe "const d = JSON.parse(require('fs').readFileSync('$out', 'utf8')).result; $1" 2>/dev/null; }
refused() { sql "$1" "$2"; finds -F '"isError":true' "$out" || fail "is run: $2"; finds -F CANARY-globex "$out" && fail "shows other rows: $2"; }
