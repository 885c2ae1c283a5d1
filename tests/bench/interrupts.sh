#!/bin/bash
# Which functions of PostgreSQL go on computing after the server was told to stop?
# workers/sql/postgres/guard/guard_slow.def holds the outcome; this makes it again.
#
#	tests/support/pg.sh run - tests/bench/interrupts.sh [NAME-PATTERN]
#
# Every function of pg_catalog and of the extensions that the guard allows,
# operators' functions included, that is not VOLATILE and takes something of
# variable size is called with each combination of the values below, of 1 MB
# (less where the type allows less), under a statement_timeout of 200 ms.  What
# has not ended 1 s later is called with less: the table has a line
#
#	function(types)  variants  bytes  milliseconds
#
# for each size, the milliseconds being those after the timeout, or "killed"
# when it had not ended after 3 s.  Backends that do not end are killed, which
# restarts the throw-away server.
set -uo pipefail
pg=$(dirname "$0")/../support/pg.sh
pattern=${1:-.}
sql() { "$pg" psql "$PG_DIR" -At "$@"; }
sizes='1048576 262144 65536 16384 4096'

for e in btree_gin btree_gist citext cube earthdistance fuzzystrmatch hstore intarray ltree pg_trgm unaccent uuid-ossp; do
	sql -c "CREATE EXTENSION IF NOT EXISTS \"$e\"" 2>/dev/null
done

# Type, and values of about n bytes.  A short one of each is among them, for the other argument's sake.
values() {
	cat <<-'VALUES'
		text|repeat('a', n)
		text|repeat('a', n / 2) || 'b'
		text|'b' || repeat('a', n / 2)
		text|repeat('a%', n / 2) || 'b'
		text|(SELECT string_agg(to_hex(i * 7919), ' ') FROM generate_series(1, n / 7) i)
		text|(SELECT string_agg(chr(256 + i % 20000), '') FROM generate_series(1, n / 3) i)
		text|'a'
		text|'%' || repeat('a', n / 2) || 'b'
		bytea|convert_to(repeat('a', n), 'UTF8')
		bytea|convert_to(repeat('a', n / 2) || 'b', 'UTF8')
		bytea|convert_to('b' || repeat('a', n / 2), 'UTF8')
		anyarray|(SELECT array_agg('w' || i) FROM generate_series(1, n / 12) i)
		anyarray|(SELECT array_agg('z' || i) FROM generate_series(1, n / 12) i)
		anyarray|ARRAY['w', 'z']
		int4[]|(SELECT array_agg(i) FROM generate_series(1, n / 4) i)
		int4[]|(SELECT array_agg(-i) FROM generate_series(1, n / 4) i)
		text[]|(SELECT array_agg('w' || i) FROM generate_series(1, n / 12) i)
		text[]|(SELECT array_agg('z' || i) FROM generate_series(1, n / 12) i)
		numeric|(repeat('9', least(n, 131000)) || '.5')::numeric
		numeric|('1.' || repeat('3', least(n, 16000)))::numeric
		numeric|(repeat('7', least(n / 2, 65000)))::numeric
		numeric|1000
		jsonb|(SELECT jsonb_agg('w' || i) FROM generate_series(1, n / 12) i)
		jsonb|(SELECT jsonb_agg('z' || i) FROM generate_series(1, n / 12) i)
		jsonb|(SELECT jsonb_object_agg('w' || i, i) FROM generate_series(1, n / 16) i)
		jsonb|(SELECT jsonb_agg(jsonb_build_array(i)) FROM generate_series(1, n / 12) i)
		jsonb|(repeat('[', least(n, 5000)) || repeat(']', least(n, 5000)))::jsonb
		json|(SELECT json_agg('w' || i) FROM generate_series(1, n / 12) i)
		json|(SELECT json_object_agg('w' || i, i) FROM generate_series(1, n / 16) i)
		jsonpath|'$.**.**'
		jsonpath|'$[*] ? (@ == $[*])'
		jsonpath|'$[*] ? (@ like_regex "(a|w)*(w|1)*x")'
		tsvector|(SELECT array_to_tsvector(array_agg('w' || i)) FROM generate_series(1, least(n, 900000) / 12) i)
		tsvector|(SELECT string_agg('w' || (i % 9) || ':' || i, ' ') FROM generate_series(1, least(n, 900000) / 12) i)::tsvector
		tsquery|(SELECT string_agg('w' || i, '|') FROM generate_series(1, least(n, 60000) / 12) i)::tsquery
		tsquery|(SELECT string_agg('w' || (i % 9), '<->') FROM generate_series(1, least(n, 60000) / 12) i)::tsquery
		xml|('<a>' || repeat('<b>1</b>', n / 8) || '</a>')::xml
		path|(SELECT ('[' || string_agg('(' || i || ',' || (i % 1000 * i % 777) || ')', ',') || ']')::path FROM generate_series(1, n / 16) i)
		path|(SELECT ('[' || string_agg('(' || i || ',' || (-i) || ')', ',') || ']')::path FROM generate_series(1, n / 16) i)
		polygon|(SELECT ('(' || string_agg('(' || i || ',' || ((i * 7) % 1000) || ')', ',') || ')')::polygon FROM generate_series(1, n / 16) i)
		polygon|(SELECT ('(' || string_agg('(' || (-i) || ',' || (-((i * 5) % 1000)) || ')', ',') || ')')::polygon FROM generate_series(1, n / 16) i)
		varbit|repeat('10', n * 4)::varbit
		varbit|(repeat('10', n * 2) || '11')::varbit
		bit|repeat('10', n * 4)::varbit
		int4multirange|(SELECT range_agg(int4range(i * 3, i * 3 + 1)) FROM generate_series(1, n / 9) i)
		int4multirange|(SELECT range_agg(int4range(i * 3 + 1, i * 3 + 2)) FROM generate_series(1, n / 9) i)
		anymultirange|(SELECT range_agg(int4range(i * 3, i * 3 + 1)) FROM generate_series(1, n / 9) i)
		anymultirange|(SELECT range_agg(int4range(i * 3 + 1, i * 3 + 2)) FROM generate_series(1, n / 9) i)
		anyrange|int4range(1, 100)
		hstore|(SELECT hstore(array_agg('w' || i), array_agg('v' || i)) FROM generate_series(1, n / 24) i)
		hstore|(SELECT hstore(array_agg('z' || i), array_agg('v' || i)) FROM generate_series(1, n / 24) i)
		ltree|(SELECT string_agg('w' || (i % 9), '.') FROM generate_series(1, least(n / 3, 65000)) i)::ltree
		ltree[]|(SELECT array_agg(('a.b.w' || i)::ltree) FROM generate_series(1, n / 40) i)
		lquery|(SELECT string_agg('*.w' || (i % 9), '.') FROM generate_series(1, least(n / 6, 8000)) i)::lquery
		lquery|'*.w1.*.w1.*.w1.*.w1.*.w1.*.w1.*.zz'
		lquery[]|ARRAY['*.w1.*.w2.*.zz'::lquery]
		ltxtquery|(SELECT string_agg('w' || i || '*', '|') FROM generate_series(1, least(n, 60000) / 12) i)::ltxtquery
		query_int|(SELECT string_agg(i::text, '|') FROM generate_series(1, least(n, 60000) / 12) i)::query_int
		cube|(SELECT cube(array_agg(i::float8)) FROM generate_series(1, 100) i)
		citext|(repeat('a', n))::citext
		citext|('b' || repeat('a', n / 2))::citext
		citext|'a'
		anyelement|'a'::text
		anynonarray|'a'::text
		anycompatible|'a'::text
		anycompatiblearray|(SELECT array_agg('w' || i) FROM generate_series(1, n / 12) i)
		anycompatiblearray|(SELECT array_agg('z' || i) FROM generate_series(1, n / 12) i)
		any|repeat('a', n)
		int2|1
		int4|1
		int4|100000
		int8|1
		float8|1.5
		float4|1.5
		bool|true
		char|'a'
		name|'a'
		point|'(1,2)'
		lseg|'((1,2),(3,4))'
		line|'{1,2,3}'
		box|'((1,2),(3,4))'
		circle|'<(1,2),3>'
		interval|'1 day'
		timestamp|'2024-01-01'
		timestamptz|'2024-01-01'
		date|'2024-01-01'
		time|'10:00'
		regconfig|'english'
		regdictionary|'simple'
		inet|'10.0.0.1'
		uuid|'00000000-0000-0000-0000-000000000001'
		float4[]|(SELECT array_agg(0.1::float4) FROM generate_series(1, 4))
		float8[]|(SELECT array_agg(i::float8) FROM generate_series(1, 100) i)
		char[]|ARRAY['A'::"char", 'B']
		VALUES
}

fill() {
	local type expression variant=0 last='' n table
	while IFS='|' read -r type expression; do
		# || within an expression
		[ "$type" = "$last" ] && variant=$((variant + 1)) || variant=1
		last=$type
		table="v_${type//[^a-z0-9]/_}"
		local stored=$type
		case $type in
		anyarray | anycompatiblearray) stored='text[]' ;;
		anymultirange) stored=int4multirange ;;
		anyrange) stored=int4range ;;
		anyelement | anynonarray | anycompatible | any) stored=text ;;
		char) stored='"char"' ;;
		'char[]') stored='"char"[]' ;;
		bit) stored=varbit ;;
		esac
		case $type in
		tsquery | lquery | ltxtquery | query_int | 'lquery[]')	# cannot be moved out of a row
			if [ $variant = 1 ]; then
				echo "CREATE TABLE r$table (variant int, n int, v text);"
				echo "CREATE VIEW \"$table\" AS SELECT variant, n, v::$type AS v FROM r$table;"
			fi
			table=r$table
			expression="($expression)::text"
			;;
		*)
			[ $variant -gt 1 ] || echo "CREATE TABLE IF NOT EXISTS \"$table\" (variant int, n int, v $stored);"
			;;
		esac
		for n in $sizes; do
			echo "INSERT INTO \"$table\" SELECT $variant, n, ($expression) FROM (VALUES ($n)) AS s(n);"
		done
	done < <(values)
}

functions() {
	sql -F ' ' <<-'END'
		SELECT p.oid, p.proname FROM pg_proc p JOIN pg_namespace s ON s.oid = p.pronamespace
		WHERE s.nspname IN ('pg_catalog', 'public') AND p.provolatile <> 'v' AND p.prokind = 'f' AND p.pronargs BETWEEN 1 AND 4
		AND p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype, 'internal'::regtype)
		AND p.proname !~ '^(pg_|has_|ri_|_pg|inet_server|inet_client|query_to|cursor_to|table_to|schema_to|database_to|ts_stat|lo_|dblink|nextval|setval|currval|current_setting)'
		AND p.proname !~ '(_in|_out|_recv|_send|in|out|recv|send|typmod_?in|typmod_?out|sel|sel_support|support|_accum|_combine|_serialize|_transfn|_finalfn|_to_xml.*)$'
		AND NOT EXISTS (SELECT FROM unnest(p.proargtypes) t WHERE to_regclass('public."v_' ||
		  regexp_replace(CASE t WHEN 1560 THEN 'bit' WHEN 1562 THEN 'varbit' WHEN 23 THEN 'int4' WHEN 20 THEN 'int8' WHEN 21 THEN 'int2' WHEN 16 THEN 'bool'
		  WHEN 701 THEN 'float8' WHEN 700 THEN 'float4' WHEN 1042 THEN 'text' WHEN 1043 THEN 'text' ELSE regexp_replace((SELECT CASE WHEN y.typelem <> 0 AND y.typlen = -1 AND y.typname LIKE '\_%' THEN (SELECT e.typname FROM pg_type e WHERE e.oid = y.typelem) || '[]' ELSE y.typname END FROM pg_type y WHERE y.oid = t), '^"|"$', '', 'g') END, '[^a-z0-9]', '_', 'g') || '"') IS NULL)
		AND EXISTS (SELECT FROM unnest(p.proargtypes) t JOIN pg_type y ON y.oid = t WHERE y.typlen = -1 OR y.typname LIKE 'any%')
		ORDER BY 2, 1
	END
}

# The calls of one function at size n: "variants<TAB>statement".
calls() {
	sql -F $'\t' -v oid="$1" -v n="$2" <<-'END'
		WITH RECURSIVE f AS (SELECT p.*, s.nspname FROM pg_proc p JOIN pg_namespace s ON s.oid = p.pronamespace WHERE p.oid = :oid),
		a AS (SELECT o, ('v_' || regexp_replace(CASE t WHEN 1560 THEN 'bit' WHEN 1562 THEN 'varbit' WHEN 1042 THEN 'text' WHEN 1043 THEN 'text' ELSE
		  (SELECT CASE WHEN y.typelem <> 0 AND y.typlen = -1 AND y.typname LIKE '\_%' THEN (SELECT e.typname FROM pg_type e WHERE e.oid = y.typelem) || '[]' ELSE y.typname END FROM pg_type y WHERE y.oid = t) END, '[^a-z0-9]', '_', 'g')) COLLATE "default" AS tab
		  FROM f, unnest(f.proargtypes::oid[]) WITH ORDINALITY u(t, o)),
		v AS (SELECT a.o, a.tab, g.variant FROM a, LATERAL (SELECT generate_series(1, c.k) AS variant FROM counts c WHERE c.tab = a.tab) g),
		c(o, variants, args, froms) AS (SELECT 0::bigint, '', '', '' UNION ALL
		 SELECT v.o, c.variants || CASE WHEN v.o > 1 THEN ',' ELSE '' END || v.variant, c.args || CASE WHEN v.o > 1 THEN ', ' ELSE '' END || 'a' || v.o || '.v',
		  (c.froms || CASE WHEN v.o > 1 THEN ', ' ELSE '' END || format('(SELECT v FROM public.%I WHERE variant = %s AND n = %s) a%s', v.tab, v.variant, :n, v.o)) COLLATE "default"
		 FROM c JOIN v ON v.o = c.o + 1)
		SELECT variants, format('SELECT count(q.x) FROM (SELECT (%I.%I(%s)) IS NULL AS x FROM %s OFFSET 0) q', f.nspname, f.proname, args, froms)
		FROM c, f WHERE c.o = f.pronargs LIMIT 60
	END
}

# Milliseconds beyond the timeout, or "killed".
late() {
	local out pid start end
	out=$(mktemp)
	start=$(date +%s%N)
	PGPASSFILE=/nonexistent timeout -s KILL 3.2 psql -X -q -At -h "$PG_DIR/run" -p "$(cat "$PG_DIR/port")" -U postgres -d postgres \
		-c 'SELECT pg_backend_pid()' -c 'SET statement_timeout = 200' -c "$1" >"$out" 2>&1
	end=$(date +%s%N)
	pid=$(head -1 "$out")
	rm -f "$out"
	echo $(((end - start) / 1000000 - 200))
	if [ $((end - start)) -gt 3100000000 ]; then
		kill -KILL "$pid"
		sleep 0.3
		until sql -c 'SELECT 1' >/dev/null 2>&1; do sleep 0.2; done
	fi
}

fill | sql -v ON_ERROR_STOP=0 >/dev/null
sql <<-'TABLES'
	CREATE TABLE counts (tab text, k int);
	DO $$ DECLARE r record; BEGIN FOR r IN SELECT relname FROM pg_class WHERE relname LIKE 'v\_%' AND relkind IN ('r', 'v') LOOP
	 EXECUTE format('INSERT INTO counts SELECT %L, max(variant) FROM %I', r.relname, r.relname); END LOOP; END $$;
	ANALYZE;
	CHECKPOINT;
TABLES
functions | grep -E " ${pattern}" | while read -r oid name; do
	signature=$(sql -c "SELECT $oid::regprocedure" </dev/null)
	echo "# $signature" >&2
	late_ones=
	for n in $sizes; do
		late_now=
		while IFS=$'\t' read -r variants statement; do
			[ "$n" = 1048576 ] || [[ " $late_ones " == *" $variants "* ]] || continue
			ms=$(late "$statement")
			if [ "$ms" -gt 1000 ]; then
				late_now="$late_now $variants"
				[ "$ms" -lt 2900 ] || ms=killed
				echo "$signature	$variants	$n	$ms"
				# One that is worst is enough: the rest would be killed as well.
				[ "$ms" != killed ] || break
			fi
		done < <(calls "$oid" "$n" </dev/null)
		late_ones=$late_now
		[ -n "$late_ones" ] || break
	done
done
