#!/bin/sh
# Load the demo's SQLite warehouse into an empty PostgreSQL schema:
#   demo/load_postgres.sh DSN warehouse.db
# DSN is anything psql takes; tables go to the first schema of its search_path.
set -eu
if [ $# -ne 2 ]; then
	echo "usage: load_postgres.sh DSN warehouse.db" >&2
	exit 2
fi
dsn=$1 db=$2
here=$(cd "$(dirname "$0")" && pwd)
export PGTZ=UTC PGCLIENTENCODING=UTF8
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# In an order that satisfies foreign keys; those within a table are checked at the end of its copy.
tables="regions fx_rates employees customers tbl_cst_adr products orders order_items payments refunds
subscriptions support_tickets web_sessions marketing_spend"
{
	echo "BEGIN;"
	cat "$here/postgres.sql"
	for table in $tables; do
		# NULL is a word no column holds, so that empty strings stay empty strings.
		sqlite3 -readonly -csv -nullvalue '\N' "$db" "SELECT * FROM $table" > "$work/$table.csv"
		printf "\\\\copy %s FROM '%s' WITH (FORMAT csv, NULL '\\\\N')\\n" "$table" "$work/$table.csv"
	done
	echo "COMMIT;"
	echo "ANALYZE;"
} > "$work/load.sql"
psql -X -q -v ON_ERROR_STOP=1 -d "$dsn" -f "$work/load.sql"
