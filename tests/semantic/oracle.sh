#!/bin/bash
# The cases of folders on databases built for the run: SQLite, then the same data in PostgreSQL and in MariaDB.
# usage: oracle.sh PROGRAM FOLDER…
# FOLDER/locale: the language by which PostgreSQL compares texts; without it by bytes.
set -euo pipefail
support=$(cd "$(dirname "$0")/../support" && pwd)
work=$(mktemp -d)
trap '"$support/pg.sh" remove "$work/pg" >/dev/null 2>&1; "$support/my.sh" remove "$work/my" >/dev/null 2>&1; rm -rf "$work"' EXIT
chmod 755 "$work"
program=$1
shift
"$support/pg.sh" start "$work/pg" >/dev/null
[ ! -x /usr/sbin/mariadbd ] || "$support/my.sh" start "$work/my"

for folder; do
	name=$(basename "$folder")
	db=$work/$name.db
	sqlite3 "$db" <"$folder/build.sql"
	tables=$(sqlite3 "$db" "SELECT name FROM sqlite_master WHERE type = 'table'")
	"$program" "$folder/cases.jsonl" "$folder/sources" "$db"

	{
		sqlite3 "$db" .schema | sed -E 's/\bREAL\b/double precision/g; s/\bINT\b/bigint/g; s/"TEXT"/text/g'
		for table in $tables; do
			sqlite3 -csv -nullvalue '\N' "$db" "SELECT * FROM \"$table\"" >"$work/$table.csv"
			printf '\\copy "%s" FROM '"'%s'"' WITH (FORMAT csv, NULL '"'\\\\N'"')\n' "$table" "$work/$table.csv"
		done
	} >"$work/load.sql"
	chmod 755 "$work"/*
	"$support/pg.sh" psql "$work/pg" -c "CREATE DATABASE \"$name\" $([ ! -f "$folder/locale" ] ||
		echo "TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE '$(cat "$folder/locale")'")" >/dev/null
	"$support/pg.sh" psql "$work/pg" -d "$name" -f "$work/load.sql" >/dev/null
	"$program" "$folder/cases.jsonl" "$folder/sources" \
		"postgresql://postgres@/$name?host=$work/pg/run&port=$(cat "$work/pg/port")"

	[ -d "$work/my" ] || continue
	{
		echo 'CREATE OR REPLACE DATABASE test; USE test;'
		echo "SET sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES', foreign_key_checks = 0;"
		sqlite3 "$db" .schema | sed -E 's/"?\bTEXT\b"?/VARCHAR(255)/g; s/\bINT(EGER)?\b/BIGINT/g'
		for table in $tables; do
			sqlite3 "$db" -cmd ".mode insert $table" "SELECT * FROM \"$table\""
		done
	} | "$support/my.sh" mysql "$work/my"
	"$program" "$folder/cases.jsonl" "$folder/sources" "mysql:$work/my/run/socket"
done
