SELECT

SELECT FROM orders LIMIT 1

SELECT WHERE false

TABLE orders ORDER BY amount DESC LIMIT 5 OFFSET 2

TABLE ONLY parts

(TABLE orders)

((SELECT 1))

(SELECT 1) LIMIT 1

  ;SELECT 1

SELECT 1 ; -- trailing

SELECT 1 -- no newline

/* lead */ SELECT /* mid */ 1 /* tail */

-- first SELECT
SELECT 1

SELECT 'it''s', "id" FROM "public"."orders" LIMIT 1

SELECT "orders"."id" AS "id", "Customers"."name" AS "Customers__name" FROM "public"."orders" LEFT JOIN "public"."customers" AS "Customers" ON "orders"."customer_id" = "Customers"."id" LIMIT 2000

SELECT DATE_TRUNC('month', "public"."orders"."created_at") AS "created_at", SUM("public"."orders"."amount") AS "sum" FROM "public"."orders" WHERE ("public"."orders"."created_at" >= timestamp with time zone '2024-01-01 00:00:00.000Z' AND "public"."orders"."created_at" < timestamp with time zone '2025-01-01 00:00:00.000Z') GROUP BY DATE_TRUNC('month', "public"."orders"."created_at") ORDER BY DATE_TRUNC('month', "public"."orders"."created_at") ASC

SELECT CAST("public"."orders"."created_at" AS date) AS "created_at", COUNT(*) AS "count" FROM "public"."orders" GROUP BY CAST("public"."orders"."created_at" AS date) ORDER BY CAST("public"."orders"."created_at" AS date) ASC

SELECT (CAST(extract(dow from "public"."orders"."created_at") AS integer) + 1) AS "dow", count(*) FROM "public"."orders" GROUP BY 1

SELECT "source"."status" AS "status", count(distinct "source"."customer_id") AS "count" FROM (SELECT "public"."orders"."status" AS "status", "public"."orders"."customer_id" AS "customer_id", FLOOR(("public"."orders"."amount" / 50.0)) * 50.0 AS "bin" FROM "public"."orders") AS "source" WHERE "source"."bin" > 0 GROUP BY "source"."status" LIMIT 10000

SELECT DATE_TRUNC('day', created_at) AS __timestamp, status AS status, SUM(amount) AS "SUM(amount)" FROM public.orders JOIN (SELECT status AS status__, SUM(amount) AS mme_inner__ FROM public.orders WHERE created_at >= TO_TIMESTAMP('2024-01-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US') GROUP BY status ORDER BY mme_inner__ DESC LIMIT 25) AS series_limit ON status = status__ WHERE created_at >= '2024-01-01' GROUP BY DATE_TRUNC('day', created_at), status ORDER BY "SUM(amount)" DESC LIMIT 50000

SELECT (DATE(orders.created_at AT TIME ZONE 'UTC' AT TIME ZONE 'America/Los_Angeles')) AS "orders.created_date", COALESCE(SUM(orders.amount), 0) AS "orders.total" FROM public.orders AS orders WHERE ((( orders.created_at ) >= ((SELECT (DATE_TRUNC('day', CURRENT_TIMESTAMP AT TIME ZONE 'UTC') + (-29 || ' day')::INTERVAL))) OR true)) GROUP BY 1 ORDER BY 1 DESC FETCH NEXT 500 ROWS ONLY

SELECT SUM(CAST("orders"."amount" AS DOUBLE PRECISION)) AS "sum:amount:ok", (CAST(TRUNC(EXTRACT(YEAR FROM "orders"."created_at")) AS INTEGER)) AS "yr:created_at:ok" FROM "public"."orders" "orders" GROUP BY 2

SELECT COUNT(DISTINCT (CASE WHEN ((NOT ("orders"."status" IS NULL)) AND ("orders"."status" IN ('paid', 'open'))) THEN "orders"."id" ELSE NULL END)) AS "ctd:x:ok" FROM "public"."orders" "orders" HAVING (COUNT(1) > 0)

with source as (select * from public.orders), renamed as (select id as order_id, customer_id, amount::numeric(12,2) as amount, created_at::date as created_date from source), final as (select order_id, customer_id, sum(amount) over (partition by customer_id order by created_date rows between unbounded preceding and current row) as running from renamed) select * from final

with date_spine as (with rawdata as (with p as (select 0 as generated_number union all select 1), unioned as (select p0.generated_number * power(2, 0) + p1.generated_number * power(2, 1) + 1 as generated_number from p as p0 cross join p as p1) select * from unioned where generated_number <= 4 order by generated_number), all_periods as (select (cast('2024-01-01' as date) + ((interval '1 day') * (row_number() over (order by 1) - 1))) as date_day from rawdata) select * from all_periods) select * from date_spine

select c.id, c.name, o.first_order, o.n, coalesce(o.total, 0) as ltv, ntile(5) over (order by coalesce(o.total,0)) as quintile from customers c left join (select customer_id, min(created_at) first_order, count(*) n, sum(amount) total from orders group by 1) o on o.customer_id = c.id

SELECT cohort, period, count(DISTINCT customer_id) FROM (SELECT o.customer_id, date_trunc('month', f.first) AS cohort, (extract(year FROM age(o.created_at, f.first)) * 12 + extract(month FROM age(o.created_at, f.first)))::int AS period FROM orders o JOIN (SELECT customer_id, min(created_at) AS first FROM orders GROUP BY 1) f USING (customer_id)) x GROUP BY 1, 2 ORDER BY 1, 2

SELECT *, sum(new_session) OVER (PARTITION BY customer_id ORDER BY created_at) AS session FROM (SELECT customer_id, created_at, CASE WHEN created_at - lag(created_at) OVER (PARTITION BY customer_id ORDER BY created_at) < interval '30 minutes' THEN 0 ELSE 1 END AS new_session FROM orders) s

SELECT d::date, coalesce(n, 0) FROM generate_series('2024-01-01'::date, '2024-01-31'::date, interval '1 day') d LEFT JOIN (SELECT created_at::date AS day, count(*) n FROM orders GROUP BY 1) x ON x.day = d::date

SELECT status, sum(amount) FILTER (WHERE created_at < '2024-02-01') AS jan, sum(amount) FILTER (WHERE created_at >= '2024-02-01') AS later FROM orders GROUP BY status HAVING sum(amount) > 0

SELECT grp, min(d), max(d) FROM (SELECT d, d - (row_number() OVER (ORDER BY d))::int AS grp FROM (SELECT DISTINCT created_at::date AS d FROM orders) x) y GROUP BY grp

SELECT table_schema, table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns WHERE table_schema NOT IN ('pg_catalog','information_schema') ORDER BY 1, 2, ordinal_position

SELECT tc.table_name, kcu.column_name, ccu.table_name AS foreign_table_name, ccu.column_name AS foreign_column_name FROM information_schema.table_constraints AS tc JOIN information_schema.key_column_usage AS kcu ON tc.constraint_name = kcu.constraint_name JOIN information_schema.constraint_column_usage AS ccu ON ccu.constraint_name = tc.constraint_name WHERE constraint_type = 'FOREIGN KEY'

SELECT * FROM information_schema.tables LIMIT 5

SELECT * FROM information_schema.views LIMIT 1

SELECT * FROM information_schema.schemata

SELECT * FROM information_schema.routines WHERE routine_schema = 'public' LIMIT 3

SELECT * FROM information_schema.referential_constraints

SELECT * FROM information_schema.check_constraints LIMIT 3

SELECT * FROM information_schema.sequences

SELECT * FROM information_schema.triggers

SELECT * FROM information_schema.table_privileges LIMIT 3

SELECT * FROM information_schema.role_table_grants LIMIT 3

SELECT * FROM information_schema.enabled_roles

SELECT * FROM information_schema.domains

SELECT * FROM information_schema.foreign_tables

SELECT * FROM information_schema.element_types LIMIT 2

SELECT * FROM information_schema.parameters LIMIT 2

SELECT * FROM information_schema.column_privileges LIMIT 2

SELECT * FROM information_schema.sql_features LIMIT 2

SELECT * FROM information_schema.view_column_usage LIMIT 1

SELECT * FROM information_schema.information_schema_catalog_name

SELECT n.nspname, c.relname, c.reltuples::bigint, pg_size_pretty(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r' ORDER BY pg_total_relation_size(c.oid) DESC LIMIT 10

SELECT * FROM pg_tables WHERE schemaname = 'public'

SELECT * FROM pg_views WHERE schemaname = 'public'

SELECT * FROM pg_matviews

SELECT * FROM pg_indexes WHERE tablename = 'orders'

SELECT * FROM pg_sequences

SELECT * FROM pg_roles LIMIT 2

SELECT * FROM pg_user LIMIT 1

SELECT * FROM pg_group LIMIT 1

SELECT * FROM pg_enum

SELECT * FROM pg_type LIMIT 1

SELECT * FROM pg_extension

SELECT * FROM pg_available_extensions LIMIT 1

SELECT * FROM pg_available_extension_versions LIMIT 1

SELECT * FROM pg_policies

SELECT * FROM pg_rules LIMIT 1

SELECT * FROM pg_database

SELECT * FROM pg_tablespace

SELECT * FROM pg_collation LIMIT 1

SELECT * FROM pg_trigger LIMIT 1

SELECT * FROM pg_description LIMIT 1

SELECT * FROM pg_proc LIMIT 1

SELECT * FROM pg_operator LIMIT 1

SELECT * FROM pg_attribute WHERE attrelid = 'orders'::regclass

SELECT * FROM pg_attrdef LIMIT 1

SELECT * FROM pg_depend LIMIT 1

SELECT * FROM pg_inherits

SELECT * FROM pg_partitioned_table

SELECT * FROM pg_index LIMIT 1

SELECT * FROM pg_stat_user_tables LIMIT 1

SELECT relname, n_live_tup, last_analyze FROM pg_stat_all_tables LIMIT 2

SELECT * FROM pg_stat_user_indexes LIMIT 1

SELECT * FROM pg_statio_user_tables LIMIT 1

SELECT * FROM pg_stat_database WHERE datname = current_database()

SELECT * FROM pg_publication

SELECT * FROM pg_language

SELECT * FROM pg_ts_config LIMIT 1

SELECT pg_partition_root('parts_eu'::regclass), * FROM pg_partition_tree('parts')

SELECT pg_get_partkeydef('parts'::regclass), pg_get_expr(relpartbound, oid) FROM pg_class WHERE relispartition

SELECT pg_index_column_has_property('orders_pkey'::regclass, 1, 'asc'), pg_index_has_property('orders_pkey'::regclass, 'clusterable'), pg_indexam_has_property(403, 'can_order')

SELECT pg_identify_object('pg_class'::regclass, 'orders'::regclass, 0), pg_identify_object_as_address('pg_class'::regclass, 'orders'::regclass, 0)

SELECT * FROM aclexplode((SELECT relacl FROM pg_class WHERE relname = 'orders'))

SELECT acldefault('r', 10), makeaclitem(10, 10, 'SELECT', false)

SHOW TIMEZONE

SHOW statement_timeout

SELECT current_setting('TimeZone'), current_setting('server_version'), pg_catalog.current_setting('search_path', true)

EXPLAIN SELECT * FROM orders

EXPLAIN (FORMAT JSON) SELECT * FROM orders JOIN customers ON customers.id = customer_id

EXPLAIN (COSTS OFF, VERBOSE) SELECT 1

EXPLAIN (FORMAT YAML, SUMMARY) TABLE orders

EXPLAIN VERBOSE VALUES (1)

EXPLAIN (SELECT 1)

EXPLAIN WITH x AS (SELECT 1) SELECT * FROM x

EXPLAIN (VERBOSE false, COSTS true, FORMAT TEXT) SELECT 1

EXPLAIN (TIMING OFF) SELECT 1

SELECT similarity('word', 'two words'), word_similarity('word', 'two words'), strict_word_similarity('word', 'two words'), show_trgm('cat'), 'word' % 'words', 'word' <-> 'words', 'a' <% 'abc', 'abc' %> 'a', show_limit()

SELECT 'a'::citext = 'A', nick FROM events WHERE nick = 'NICK1' LIMIT 1

SELECT (SELECT hstore(e) FROM (SELECT id, kind FROM events LIMIT 1) e), populate_record(null::couple, 'a=>1,b=>x')

SELECT path ~ '*.mid.*', subpath(path, 0, 1), nlevel(path), lca(path, 'top.x'), path @> 'top.mid.leaf.x', text2ltree('a.b'), subltree(path, 0, 2), index(path, 'mid'), path ? ARRAY['top.*']::lquery[], path @ 'mid & leaf' FROM events LIMIT 1

SELECT sort(ARRAY[3,1,2]), uniq(sort(ARRAY[1,1,2])), idx(ARRAY[11,22], 22), icount(ARRAY[1,2]), subarray(ARRAY[1,2,3], 2), ARRAY[1,2] & ARRAY[2], ARRAY[1,2] - 1, ARRAY[1,2,3] @@ '1&2'::query_int, sort_desc(ARRAY[1,2]), intset(1), # ARRAY[1,2], ARRAY[1] | 2, ARRAY[1,2] + 3

SELECT cube(1,2), cube_distance('(1,2)'::cube, '(3,4)'), cube_union('(1)', '(2)'), cube_dim('(1,2)'), cube_ll_coord('(1,2)',1), '(1,2)'::cube <-> '(2,3)'::cube, earth_distance(ll_to_earth(52.5, 13.4), ll_to_earth(48.1, 11.6)), earth(), point '(1,2)' <@> point '(3,4)', earth_box(ll_to_earth(1,1), 1000)

SELECT unaccent('Hôtel'), unaccent('unaccent', 'Hôtel'), soundex('Anne'), difference('Anne','Andrew'), levenshtein('GUMBO','GAMBOL'), levenshtein_less_equal('a','b',2), metaphone('GUMBO', 4), dmetaphone('gumbo'), dmetaphone_alt('gumbo')

SELECT uuid_nil(), uuid_ns_dns(), uuid_generate_v5(uuid_ns_url(), 'http://www.postgresql.org'), uuid_generate_v3(uuid_ns_url(), 'x')

SELECT '1 .. 2'::seg, '978-0-393-04002-9'::isbn13

SELECT name FROM customers WHERE name ~~* 'NAME 1%' AND (email IS NOT NULL) IS TRUE

SELECT sum(amount)::money FROM orders

SELECT round(avg(amount), 2) AS "Ø Betrag", 'ünïcödé 日本語 🎉' AS "🎉" FROM orders

SELECT 名前.id AS "番号" FROM customers AS 名前 LIMIT 1

SELECT größe FROM "Weird Schema"."Tähle "" x"

SELECT "select", "from" FROM "Weird Schema"."Tähle "" x" ORDER BY "größe"

SELECT e.name, m.name AS manager FROM employees e LEFT JOIN employees m ON m.id = e.manager_id ORDER BY e.name COLLATE "C"

SELECT twice(amount), public.twice(2), twice(n => 3) FROM orders LIMIT 1

SELECT * FROM recent('2024-03-01') WHERE amount > 10

SELECT * FROM recent(since => '2024-03-01')

SELECT * FROM recent()

SELECT c.label, label(c), (c).label FROM customers c LIMIT 1

SELECT product(amount) FROM orders WHERE id < 5

SELECT variadic_text('a','b'), variadic_text(VARIADIC ARRAY['c'])

SELECT 5::positive, '{1,2}'::positive[], ROW(1,'x')::couple, (ROW(1,'x')::couple).b

SELECT 'happy'::mood, feeling = 'ok', count(*) FROM events GROUP BY feeling

SELECT span @> 5, lower(span), upper(span), tags @> ARRAY['x'], tags[1], ip << '10.0.0.0/8', payload -> 'user' ->> 'name', payload @> '{"n":1}', payload #>> '{tags,0}', body @@ 'fox' FROM events LIMIT 2

SELECT jsonb_path_query(payload, '$.tags[*]') FROM events LIMIT 2

SELECT kind, jsonb_agg(payload -> 'n' ORDER BY id) FILTER (WHERE id < 10) FROM events GROUP BY kind

SELECT id, elem FROM events, jsonb_array_elements_text(payload -> 'tags') WITH ORDINALITY AS e(elem, n) LIMIT 3

SELECT interval '1 day' * generate_series(1, 3)

SELECT unnest(string_to_array('a,b,c', ',')), generate_series(1, 2)

SELECT (json_each_text('{"a":1}')).*

SELECT (regexp_matches('a1b2', '([a-z])(\d)', 'g'))[1]

SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY amount) FILTER (WHERE status = 'paid') FROM orders

SELECT string_agg(DISTINCT status, ',' ORDER BY status DESC), array_agg(DISTINCT status) FROM orders

SELECT count(*) OVER (), count(*) OVER (ROWS UNBOUNDED PRECEDING) FROM orders LIMIT 1

SELECT lag(id) OVER (ORDER BY id) IS NULL OR NOT (id = 1) FROM orders LIMIT 2

SELECT nth_value(id, 2) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND UNBOUNDED FOLLOWING) FROM orders LIMIT 3

SELECT width_bucket(amount, 0, 300, 10) AS b, count(*), repeat('█', (count(*)/5)::int) FROM orders GROUP BY b ORDER BY b

SELECT 'a' || NULL, NULL = NULL, 1 <> 2, 1 != 2, NOT true, 1 IS NOT NULL, 'a' NOTNULL, NULL ISNULL, 3 BETWEEN SYMMETRIC 5 AND 1, 3 NOT BETWEEN 1 AND 2, 2 NOT IN (1, 3), 'a' IN ('a'), num_nulls(1, NULL), num_nonnulls(1, NULL)

SELECT 1::int2, 1::int8, 1::oid, 'orders'::regclass::oid > 0, 'x'::name, 'c'::"char", '\x00'::bytea, 'a'::char(3), 'a'::varchar(2), '1 2'::int2vector, '1 2'::oidvector, '0/0'::pg_lsn, '(0,1)'::tid, '1'::xid, '12:34'::time(2), '1'::bit, 'a'::bpchar

SELECT pg_typeof(specials) FROM specials LIMIT 1

SELECT s FROM specials s

SELECT to_json(s), row_to_json(s) FROM specials s LIMIT 1

SELECT '{"a":1,"a":2}'::json, '{"a":1,"a":2}'::jsonb, 'null'::jsonb, '"\u00e9"'::jsonb

SELECT E'line1\nline2\ttab\x01', '', chr(127), E'\uFEFF', E'\u202Eabc'

SELECT 1 AS "very_long_identifier_that_exceeds_the_limit_of_sixty_three_bytes_and_is_truncated_by_the_server"

SELECT count(*) FROM orders a, orders b WHERE a.id = b.id

SELECT * FROM orders WHERE created_at > now() - interval '100 years' AND created_at::time BETWEEN '00:00' AND '23:59:59'

SELECT x.* FROM (SELECT o.*, row_number() OVER (PARTITION BY o.customer_id ORDER BY o.created_at DESC, o.id) rn FROM orders o) x WHERE rn = 1

SELECT max(amount) - min(amount) AS range, stddev_samp(amount) / nullif(avg(amount), 0) AS cv FROM orders

SELECT c.* FROM customers c WHERE EXISTS (SELECT FROM orders o WHERE o.customer_id = c.id HAVING count(*) > 3)

SELECT o1.id FROM orders o1 WHERE amount > (SELECT avg(amount) FROM orders o2 WHERE o2.status = o1.status) ORDER BY 1 LIMIT 3

SELECT * FROM (orders o JOIN customers c ON c.id = o.customer_id) LEFT JOIN (VALUES ('paid', 'P')) m(status, code) USING (status) LIMIT 2

SELECT * FROM customers FULL OUTER JOIN (SELECT 99 AS id) x USING (id) WHERE name IS NULL

SELECT overlay(name PLACING '***' FROM 1 FOR 3), substring(email FROM '@(.*)$'), split_part(email, '@', -1) FROM customers LIMIT 1

SELECT crc FROM (SELECT hashtext('a') AS crc) x

SELECT 'SELECT' AS "select", 'update' AS update, "delete".x FROM (SELECT 1 AS x) "delete"

SELECT value FROM (VALUES ('drop table')) v(value) WHERE value LIKE '%drop table%'

SELECT 'INSERT INTO x; DELETE FROM y' AS text

SELECT count(*) AS update_count, max(id) AS "insert" FROM orders

SELECT pg_get_triggerdef(oid) FROM pg_trigger LIMIT 1

SELECT pg_get_ruledef(oid) FROM pg_rewrite WHERE rulename <> '_RETURN' LIMIT 1

SELECT inet_same_family('10.0.0.1', '::1'), pg_conf_load_time() < now()

SELECT numeric_out(1.5), int4eq(1, 1), textcat('a', 'b'), int4pl(1, 2), float8(1), "left"('abc', 1), pg_catalog."substring"('abc', 1, 1)
