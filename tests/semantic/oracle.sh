#!/bin/bash
# The oracle's cases on databases built for the run: SQLite, then the same data
# in PostgreSQL.  usage: oracle.sh PROGRAM ORACLE_DIRECTORY
set -euo pipefail
support=$(cd "$(dirname "$0")/../support" && pwd)
work=$(mktemp -d)
trap '"$support/pg.sh" remove "$work/pg" >/dev/null 2>&1 || :; rm -rf "$work"' EXIT
chmod 755 "$work"
db=$work/oracle.db
sqlite3 "$db" <"$2/build.sql"
"$1" "$2/cases.jsonl" "$2/sources" "$db"

"$support/pg.sh" start "$work/pg" >/dev/null
{
	sqlite3 "$db" .schema | sed -E 's/\bREAL\b/double precision/g; s/\bINT\b/bigint/g; s/"TEXT"/text/g'
	for table in $(sqlite3 "$db" "SELECT name FROM sqlite_master WHERE type = 'table'"); do
		sqlite3 -csv -nullvalue '\N' "$db" "SELECT * FROM \"$table\"" >"$work/$table.csv"
		printf '\\copy "%s" FROM '"'%s'"' WITH (FORMAT csv, NULL '"'\\\\N'"')\n' "$table" "$work/$table.csv"
	done
} >"$work/load.sql"
chmod 755 "$work"/*
"$support/pg.sh" psql "$work/pg" -f "$work/load.sql" >/dev/null
"$1" "$2/cases.jsonl" "$2/sources" "postgresql://postgres@/postgres?host=$work/pg/run&port=$(cat "$work/pg/port")"
