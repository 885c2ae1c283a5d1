#!/bin/bash
# The questions against hand-written SQL, on SQLite and on the same data in
# PostgreSQL.  usage: run.sh PROGRAM [SCALE]; a scale of 50 has 300,000 lines
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
support=$here/../../support
work=$(mktemp -d)
trap '"$support/pg.sh" remove "$work/pg" >/dev/null 2>&1 || :; rm -rf "$work"' EXIT
chmod 755 "$work"
db=$work/tpch.db
sqlite3 -cmd ".param set :scale ${2:-2}" "$db" <"$here/build.sql"
"$1" "$here/questions.jsonl" "$here" "$db"

"$support/pg.sh" start "$work/pg" >/dev/null
{
	sqlite3 "$db" .schema | sed -E 's/\bREAL\b/double precision/g; s/\bINTEGER\b/bigint/g'
	for table in region nation supplier customer part partsupp orders lineitem; do
		sqlite3 -csv "$db" "SELECT * FROM $table" >"$work/$table.csv"
		printf '\\copy %s FROM '%s' CSV\n' "$table" "'$work/$table.csv'"
	done
	echo 'ANALYZE;'
} >"$work/load.sql"
chmod 755 "$work"/*.csv "$work/load.sql"
"$support/pg.sh" psql "$work/pg" -f "$work/load.sql" >/dev/null
"$1" "$here/questions.jsonl" "$here" "postgresql://postgres@/postgres?host=$work/pg/run&port=$(cat "$work/pg/port")"
