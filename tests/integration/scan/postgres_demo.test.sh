# The demo's warehouse in PostgreSQL holds the same rows as the SQLite file.
set -euo pipefail
if [ -z "${PG_DIR:-}" ]; then
	command -v sqlite3 psql >/dev/null || exit 77
	exec "$SOURCE_DIR/tests/support/pg.sh" run - env PATH="$PATH" bash "$0"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$BIN_DIR/../demo/demo-project" "$work/warehouse.db"
port=$(cat "$PG_DIR/port")
dsn="host=$PG_DIR/run port=$port user=postgres dbname=postgres"
"$SOURCE_DIR/demo/load_postgres.sh" "$dsn" "$work/warehouse.db"

ask() { psql -X -q -A -t -d "$dsn" -c "$1"; }
same() {
	local here there
	here=$(ask "$1")
	there=$(sqlite3 -readonly "$work/warehouse.db" "$1")
	[ "$here" = "$there" ] || { echo "FAILED: $1: PostgreSQL $here, SQLite $there"; exit 1; }
}
for table in $(sqlite3 "$work/warehouse.db" "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%'"); do
	same "SELECT count(*) FROM $table"
done
same "SELECT sum(net_ct) FROM v_order_revenue"
same "SELECT count(*) FROM customers WHERE email IS NULL"
same "SELECT count(*) FROM customers WHERE full_name LIKE '%  %'"
same "SELECT max(name) FROM products WHERE sku = 'SS-110'"
[ "$(ask "SELECT sum(amount) * 100 = sum(round(amount * 100)) FROM payments")" = t ]
[ "$(ask "SELECT col_description('payments'::regclass, attnum) FROM pg_attribute WHERE attrelid = 'payments'::regclass AND attname = 'amount'")" = "Euros, not cents" ]

# A second load into the same schema is refused and changes nothing.
if "$SOURCE_DIR/demo/load_postgres.sh" "$dsn" "$work/warehouse.db" 2>/dev/null; then
	echo "FAILED: loaded twice"
	exit 1
fi
same "SELECT count(*) FROM orders"
