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
# The file of the last result, by its link: rows of its own alone, and to its caller alone.
file_shows() { # NAME OWN OTHER NAME_OF_ANOTHER WHAT
	local link
	link=$(grep -oE '/export/[A-Za-z0-9_-]+\.csv' "$out" | head -n 1)
	[ -n "$link" ] || fail "$1: $5 has no link"
	curl -s -m 60 -o "$out" "http://127.0.0.1:$port$link" -H "Authorization: Bearer ${!1}"
	finds -F "CANARY-$2-" "$out" || fail "$1: the file of $5 has no row of $2"
	finds -F "CANARY-$3-" "$out" && fail "$1: the file of $5 has rows of $3"
	[ "$(curl -s -m 60 -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port$link" -H "Authorization: Bearer ${!4}")" = 404 ] ||
		fail "$4 opens the file of $1: $5"
}
