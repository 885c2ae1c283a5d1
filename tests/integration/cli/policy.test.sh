# query_policy: semantic-layer-only: measures as they are defined and nothing else, in a project of ours and in ktx's.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"
command -v sqlite3 >/dev/null || exit 77

project=$scratch/closed
run 0 init --demo "$project"
sed -i 's/^  warehouse:.*/&/; s/^\(  *\)driver: sqlite$/&\n\1query_policy: semantic-layer-only/' "$project/carrel.yaml"
grep -q 'query_policy' "$project/carrel.yaml" || sed -i 's/\(driver: sqlite\)/\1, query_policy: semantic-layer-only/' "$project/carrel.yaml"
at() { run "$1" -C "$project" "${@:2}"; }
# refused WORD ARGUMENT... - forbidden_sql, in a sentence that says what to use instead.
refused() { at 1 --json "${@:2}" && { grep -qF "$1" "$err" || grep -qF "$1" "$out" || fail "not refused for \"$1\""; }; }

closed() {
	for statement in 'SELECT 1' 'EXPLAIN SELECT 1' 'EXPLAIN QUERY PLAN SELECT * FROM orders' 'VALUES (1)' \
		'WITH a AS (SELECT 1) SELECT * FROM a' 'PRAGMA table_info(orders)'; do
		refused semantic-layer-only sql "$statement"
	done
	# Measures of the model, by name or renamed; dimensions, segments, filters that compare.
	at 0 sl query -m orders.order_count
	at 0 sl query -m 'n=orders.order_count' -d customers.segment -d orders.ordered_at:month --order-by 'n:desc' -n 3
	at 0 sl query -m orders.order_count -w "orders.status IN ('paid', 'shipped') AND lower(customers.segment) <> 'x'" \
		-w 'orders.order_count > 1' -w "orders.ordered_at >= date('2020-01-01')"
	at 0 sl query -d customers.segment
	# What would be SQL of one's own.
	for measure in 'sum(orders.amt_eur_ct)' 'x=sum(orders.amt_eur_ct)' 'x=orders.order_count / 2' 'x=orders.order_count + orders.gross_revenue' \
		'x=max(customers.full_name)' 'x=orders.order_count + (SELECT 1)' 'x=-orders.order_count'; do
		refused semantic-layer-only sl query -m "$measure"
	done
	for filter in "orders.id IN (SELECT id FROM orders)" "EXISTS (SELECT 1 FROM customers WHERE full_name LIKE 'A%')" \
		'sum(orders.amt_eur_ct) > 1' "orders.status = (SELECT min(status) FROM orders)" "load_extension(orders.status) = 1" \
		"CASE WHEN (SELECT 1) = 1 THEN orders.id ELSE 0 END = 1" "hex(orders.status) = 'x'" \
		"orders.order_count > 1 AND count(orders.id) > 2"; do
		refused semantic-layer-only sl query -m orders.order_count -w "$filter"
	done
}
closed

# Everybody is told, and the list of tools is as ever.
list='{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
connections='{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"connection_list","arguments":{}}}'
smuggled='{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"sl_execution","arguments":{"connectionId":"warehouse","sql":"SELECT 1"}}}'
raw='{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"sql_execution","arguments":{"connectionId":"warehouse","sql":"SELECT 1"}}}'
initialize='{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
printf '%s\n' "$initialize" '{"jsonrpc":"2.0","method":"notifications/initialized"}' "$list" "$connections" "$smuggled" "$raw" |
	"$carrel" -C "$project" mcp stdio >"$out" 2>"$err"
says '"name":"sql_execution"' && says '"queryPolicy":"semantic-layer-only"' && says '"code":"forbidden_sql"'
grep -q '"name":"sl_execution"' "$out" && fail "sl_execution is listed"
grep '"id":3' "$out" | finds '"error"' || fail "sl_execution can be called by name"

# What the project does for itself goes on: scans, and the trial of what memory is to keep. A formula
# becomes a measure only where somebody looks at it: else the words are kept, and why it is none.
at 0 scan --deep
printf '# Goodwill rate\n\nGoodwill rate is defined as `sum(refunds.amount_ct) / 1000.0`.\n' >"$scratch/note.md"
at 0 ingest text "$scratch/note.md" --connection warehouse --json && says 'query_policy: semantic-layer-only' && says 'memory.review'
at 1 sl query -m refunds.goodwill_rate && complains 'goodwill_rate'
grep -q 'sum(refunds.amount_ct) / 1000.0' "$project/wiki/global/goodwill-rate.md" || fail "the words are not kept"
printf 'memory:\n  review: required\n' >>"$project/carrel.yaml"
printf '# Goodwill share\n\nGoodwill share is defined as `sum(refunds.amount_ct) / 2000.0`.\n' >"$scratch/share.md"
at 0 ingest text "$scratch/share.md" --connection warehouse --json
at 0 memory approve "$(sed -n 's/.*"runId":"\([^"]*\)".*/\1/p' "$out" | head -n 1)"
at 0 sl query -m refunds.goodwill_share
printf '# Odd total\n\nOdd total is defined as `sum(refunds.no_such_column)`.\n' >"$scratch/odd.md"
at 0 ingest text "$scratch/odd.md" -c warehouse --json && says "not for the semantic layer"
at 0 sl validate

# The same as ktx's key; a value nobody knows closes the connection, the rest is served.
mkdir "$scratch/ktx"
cp -r "$project/semantic-layer" "$project/warehouse.db" "$scratch/ktx"
cat >"$scratch/ktx/ktx.yaml" <<'END'
connections:
  warehouse: { driver: sqlite, path: warehouse.db, query_policy: semantic-layer-only, maxConnections: 3 }
END
project=$scratch/ktx
closed
sed -i 's/query_policy: semantic-layer-only/query_policy: read-only-sql/' "$project/ktx.yaml"
at 0 sql 'SELECT 1' && at 0 sl query -m 'sum(orders.amt_eur_ct)'
cat >"$project/ktx.yaml" <<'END'
connections:
  warehouse: { driver: sqlite, path: warehouse.db, query_policy: semantic-layer }
  other: { driver: sqlite, path: warehouse.db }
END
at 1 sql -c warehouse 'SELECT 1' && complains 'query_policy'
at 1 sl query -c warehouse -m orders.order_count && complains 'query_policy'
at 0 sql -c other 'SELECT 1'
finish
