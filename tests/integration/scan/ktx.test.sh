# Projects of ktx, served as they are: what the tools find in every format, and that nothing of them is written.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"
command -v sqlite3 >/dev/null || exit 77

cp -r "$SOURCE_DIR"/tests/fixtures/ktx/*/ "$scratch"
for db in example/warehouse manifest/wh scanned/files enriched/wh enriched/empty drivers/local; do
	sqlite3 "$scratch/$db.db" <<-'END'
	CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INT, status TEXT, amount INT, internal_flag INT, placed_at TEXT);
	INSERT INTO orders VALUES (1, 1, 'open', 10, 0, '2026-01-01'), (2, 1, 'paid', 32, 0, '2026-01-02');
	CREATE TABLE customers (id INTEGER PRIMARY KEY, country TEXT, segment TEXT);
	INSERT INTO customers VALUES (1, 'DE', 'Wholesale');
	CREATE TABLE legacy_customers (id INTEGER PRIMARY KEY);
	END
done
# Everything of a project but what is carrel's own, names and contents.
tree() { (cd "$scratch/$1" && find . -path ./.carrel -prune -o -print | LC_ALL=C sort && find . -path ./.carrel -prune -o -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum); }
for project in example manifest scanned enriched pages drivers; do tree $project >"$scratch/$project.before"; done
ask() { local project=$1; shift; run 0 -C "$scratch/$project" "$@"; }
lacks() { ! grep -qF -- "$1" "$out" || fail "standard output has \"$1\""; }

# A page, a standalone source, no scan.
ask example discover 'paid order value' && says '"id":"revenue"' && says '"summary":"Paid order value after refunds"'
ask example discover 'total revenue' --kind sl_measure && says '"id":"orders.total_revenue"' && says '"snippet":"sum(amount)"'
ask example wiki read revenue && says '"slRefs":["warehouse.orders"]'
ask example sl read orders && says 'Orders placed in the shop'
ask example sl query -m orders.total_revenue && says '[[42]]'
run 1 -C "$scratch/example" details orders && says '"code":"scan_missing"'
ask example values paid && says '"status":"no_profile_artifact"' && says '"reason":"no_profile_artifact"'

# Manifest and overlays.
ask manifest sl read orders && says 'orders_placed' && says 'customers_ordering' && says 'is_open' && says 'Where the order stands' && lacks 'internal_flag' && lacks 'to: legacy_customers'
ask manifest sl read customers && says 'country' && says 'one_to_many'
ask manifest sl read WIDGET_SALES && says 'widgets_sold'
ask manifest discover 'how many orders were placed' && says '"id":"orders.orders_placed"'
ask manifest discover 'where the order stands' --kind sl_dimension && says '"id":"orders.status"'
ask manifest discover 'widgets per customer' && says '"id":"WIDGET_SALES"'
ask manifest discover 'nobody knows' && lacks 'nobody_knows'
ask manifest sl query -m orders.orders_placed -d customers.country && says '["DE",2]'
ask manifest sl query -m orders.orders_placed --segment orders.paid_only && says '[[1]]'
ask manifest sl query -m order_facts.n -d order_facts.status && says '["open",1]'
ask manifest sl query -m WIDGET_SALES.widgets_sold && says '[[2]]'

# Scan artifacts.
ask scanned details public.orders --connection pg && says '"comment":"one row per order"' && says '"estimatedRows":1200' &&
	says '"fromColumn":"customer_id"' && says '"constraintName":"orders_customer_fk"' && says '"extractedAt":"2026-02-01T10:15:00.123Z"' &&
	says '"scanRunId":"local-mb9z1"' && says '"stale":null' && says '"dimensionType":"time"'
ask scanned details customers --connection pg && says '"kind":"view"' && says '"description":"Buyers of the shop"' && says '"description":"Market segment"'
ask scanned details clicks --connection pg && says '"kind":"event_stream"'
run 1 -C "$scratch/scanned" details unfinished --connection pg && says '"code":"table_not_found"'
run 1 -C "$scratch/scanned" details old_table --connection pg && says '"code":"table_not_found"'
ask scanned details orders --connection files && says '"toColumn":"id"' && says '"normalizedType":"other"'
ask scanned discover wholesale && says '"matchedOn":"sample_value"' && says '"columnName":"segment"'
ask scanned discover 'buyers of the shop' && says '"id":"public.customers"'

# Enrichment.
ask enriched details customers --connection wh && says '"description":"Everybody who ever bought something"' && says '"description":"Kind of buyer: wholesale, retail or online"' && says '2026-05-01-000000-local-new'
ask enriched values RETAIL wholesale de hidden acc-1 42 bob --connection wh &&
	says '"syncId":"2026-04-01-000000-local-old"' && says '"profiledColumns":4' && says '"sampledRows":null' && says '"valuesPerColumn":null' &&
	says '"matchedValue":" retail ","cardinality":3' && says '"matchedValue":"RETAIL"' && says '"matchedValue":"DE","cardinality":null'
says '"columnName":"account_id","matchedValue":"acc-1"'
[ "$(grep -o '"reason":"more_values_than_kept"}' "$out" | wc -l)" -eq 2 ] || fail "columns that are no dictionary were searched"
ask enriched values x --connection empty && says '"status":"no_candidate_columns"' && says '"profiledColumns":0'

# Pages.
ask pages wiki read everything && says '"tags":["alpha","beta"]' && says '"refs":["plain","docs/some file.txt"]'
ask pages wiki read plain && says '"summary":""' && says 'wombats'
ask pages wiki search numbats && says '"key":"windows"'
ask pages wiki read odd-types && says 'bilbies'
ask pages wiki read shadowed && says '"scope":"USER"' && says 'Own echidna'
ask pages wiki read broken && says 'summary: \"never closed' && says '"problem":"line 3'
for nothing in dingoes platypus koala possum; do ask pages wiki search $nothing && says '"results":[]'; done
ask pages mcp start --port 0
for _ in $(seq 1 600); do
	ask pages status --json
	grep -q 'wiki/global/broken.md' "$out" && break
	sleep 0.1
done
says 'wiki/global/broken.md'
ask pages mcp stop

# Drivers that are listed, not connected.
ask drivers connection list --json && for id in snow big my click ms docs bi models look local; do says "\"$id\""; done
says '"id":"docs","driver":"notion","where":""'
ask drivers details ANALYTICS.PUBLIC.ORDERS --connection snow && says '"display":"ANALYTICS.PUBLIC.ORDERS"' && says '"catalog":"ANALYTICS"'
ask drivers details orders --connection snow && says '"nativeType":"NUMBER(38,0)"'
ask drivers discover 'snowflake orders' && says '"id":"ANALYTICS.PUBLIC.ORDERS"'

for project in example manifest scanned enriched pages drivers; do
	tree $project | cmp -s - "$scratch/$project.before" || fail "$project was written to: $(tree $project | diff "$scratch/$project.before" - | head -n 5)"
done

# A scan, asked for, writes in the same format; what there was stays.
ask example scan --deep && says '"changed":true'
grep -q 'name: orders' "$scratch/example/semantic-layer/warehouse/orders.yaml" || fail "a source is gone"
[ -e "$scratch/example/semantic-layer/warehouse/_schema/public.yaml" ] || fail "no manifest"
[ -e "$scratch/example/carrel.yaml" ] || [ -e "$scratch/example/.ktx" ] && fail "a file that is not ours to make"
ask example details orders && says '"ok":true'
ask example values paid && says '"matchedValue":"paid"'
finish
