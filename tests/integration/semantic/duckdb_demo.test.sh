# The demo's warehouse in DuckDB is that in SQLite: the same rows, and the same answers to questions and queries.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

run 2 init --demo --engine postgres "$scratch/no" && complains 'sqlite or duckdb'
run 2 init --engine duckdb "$scratch/no" && complains '--engine'
[ ! -e "$scratch/no" ] || fail "a directory was left"
if [ ! -e "$BIN_DIR/libduckdb.so" ]; then
	run 1 init --demo --engine duckdb "$scratch/no" && complains 'carrel engine add duckdb'
	[ "$failures" -eq 0 ] || exit 1
	echo "left out: libduckdb.so is not in the directory of the programs"
	exit 77
fi

for engine in sqlite duckdb; do
	run 0 init --demo --engine $engine "$scratch/$engine" && cd "$scratch/$engine" && run 0 mcp start --port 0
done
grep -qF 'path: warehouse.duckdb' "$scratch/duckdb/carrel.yaml" || fail "not configured"
[ "$(stat -c %a "$scratch/duckdb/warehouse.duckdb")" = 640 ] || fail "others may read the warehouse"
[ ! -e "$scratch/duckdb/warehouse.db" ] || fail "the SQLite file was left"

# same ARGUMENT... - both engines print the same but for the time it took.
same() {
	local engine
	for engine in sqlite duckdb; do
		cd "$scratch/$engine" && "$carrel" "$@" 2>&1 | sed -E 's/^(\([0-9]+ rows?), .*/\1)/' >"$scratch/$engine.out"
	done
	cmp -s "$scratch/sqlite.out" "$scratch/duckdb.out" ||
		fail "carrel $*: $(diff "$scratch/sqlite.out" "$scratch/duckdb.out" | head -n 10)"
}

# Rows: each table, counted and added up.
for table in $(sqlite3 "$scratch/sqlite/warehouse.db" "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%'"); do
	same sql --format csv "SELECT count(*) AS n FROM $table"
done
same sql --format csv "SELECT sum(net_ct) AS net FROM v_order_revenue"
same sql --format csv "SELECT id, order_no, ordered_at, amt_eur_ct, coupon_code, duplicate_of_id FROM orders ORDER BY id LIMIT 200"
same sql --format csv "SELECT id, full_name, email, deleted_at, merged_into_id FROM customers ORDER BY id LIMIT 500"
same sql --format csv "SELECT count(*) AS n FROM customers WHERE marketing_opt_in AND NOT is_test"
same sql --format csv "SELECT * FROM payments ORDER BY id DESC LIMIT 200"
same sql --format csv "SELECT month, currency, per_eur FROM fx_rates ORDER BY month, currency"

# Answers.
same ask --examples
cd "$scratch/sqlite" && "$carrel" ask --examples --json | sed 's/","/\n/g; s/.*\["//; s/"\].*//' >"$scratch/questions"
[ "$(wc -l <"$scratch/questions")" -ge 10 ] || fail "no examples: $(cat "$scratch/questions")"
cat >>"$scratch/questions" <<'Q'
net revenue by sales area last year
Umsatz nach Vertriebsgebiet im Geschäftsjahr 2025
share of revenue by channel in 2025
average order value by month in 2025
refund rate by category last year
captured payments by method and quarter in 2025
orders per week in March 2026
customers by segment
how many orders were cancelled in 2025?
top 5 products by item revenue last year
gross revenue this year vs last year
tickets by priority and month in 2025
open tickets
average satisfaction by channel last year
sessions by device last year
churned memberships by month in 2025
Q
while IFS= read -r question; do same ask "$question"; done <"$scratch/questions"
same sl query -m orders.order_count -d orders.ordered_at:month --format csv
same values paid
finish
