SELECT * FROM ONLY (orders) LIMIT 1

SELECT o.a, o.b FROM orders AS o (a, b) LIMIT 1

SELECT * FROM orders AS o TABLESAMPLE BERNOULLI (10) REPEATABLE (1)

SELECT * FROM orders FETCH FIRST ROW ONLY

SELECT * FROM orders OFFSET 1 ROW FETCH NEXT 2 ROWS ONLY

SELECT * FROM orders LIMIT NULL OFFSET NULL

SELECT * FROM orders LIMIT 1 + 1 OFFSET (SELECT 1)

SELECT * FROM orders WHERE id IN (VALUES (1), (2))

SELECT * FROM orders WHERE id = ANY (VALUES (1), (2))

SELECT * FROM orders WHERE id = SOME (SELECT 1)

SELECT * FROM orders WHERE id <> ALL (ARRAY[1, 2]) LIMIT 1

SELECT ARRAY(VALUES (1), (2)), ARRAY[]::int[], ARRAY[[1], [2]], '{}'::text[] || 'a'::text

SELECT count(*) FROM orders GROUP BY ()

SELECT 1 HAVING true

SELECT status FROM orders GROUP BY 1 HAVING bool_and(amount > 0) ORDER BY count(*) DESC, status

SELECT DISTINCT ON (date_trunc('month', created_at)) created_at, amount FROM orders ORDER BY date_trunc('month', created_at), created_at DESC

SELECT TRIM(LEADING 'x' FROM 'xxabc'), TRIM(TRAILING FROM 'abc  '), TRIM('  a '), SUBSTRING('foobar' SIMILAR '%#"o_b#"%' ESCAPE '#'), SUBSTRING('foobar' FROM 'o(.)b'), POSITION('b' IN 'abc'), OVERLAY('abcdef' PLACING '99' FROM 2)

SELECT EXTRACT(DAY FROM INTERVAL '40 days 1 minute'), INTERVAL '1' DAY, INTERVAL '1-2' YEAR TO MONTH, INTERVAL '3 4:05' DAY TO MINUTE, interval(2) '1.239 s'

SELECT TIMESTAMP WITH TIME ZONE '2004-10-19 10:23:54+02', TIMESTAMP(0) '2004-10-19 10:23:54.9', TIME(1) WITHOUT TIME ZONE '10:00:00.55', TIME WITH TIME ZONE '10:00+01', DATE 'January 8, 1999', DATE '1999.008', DATE 'J2451187'

SELECT CAST('1' AS double precision), CAST('a' AS character varying(10)), CAST('a' AS national character(3)), '101'::bit varying(5), CAST(1.5 AS dec(5,2)), 'x'::varchar, 1::smallint, 1::decimal, 'a'::character

SELECT TREAT(1 AS numeric)

SELECT U&'\00E9' IS NORMALIZED, 'a' IS NFC NORMALIZED, normalize('é'), 'e' IS NOT NORMALIZED

SELECT CURRENT_TIMESTAMP(3) IS NOT NULL, LOCALTIME(0) IS NOT NULL, CURRENT_CATALOG, CURRENT_SCHEMA, SESSION_USER, USER

SELECT ROW(1, 2.5, 'this is a test'), (ROW(1, 'x')::couple).a, ROW(o.*, 42) FROM orders o LIMIT 1

SELECT (o).amount, (o).* FROM orders o LIMIT 1

SELECT (SELECT o FROM orders o LIMIT 1).amount

SELECT c.name, (SELECT count(*) FROM orders o WHERE o.customer_id = c.id) AS n FROM customers c ORDER BY n DESC, c.id LIMIT 3

SELECT c.name, x.* FROM customers c CROSS JOIN LATERAL (SELECT min(amount), max(amount) FROM orders o WHERE o.customer_id = c.id) x(lo, hi) LIMIT 2

SELECT * FROM customers c, LATERAL ROWS FROM (generate_series(1, c.id), unnest(ARRAY[c.name])) AS r(n, t) WHERE c.id < 3

SELECT t.* FROM unnest(ARRAY[1,2], ARRAY['a','b'], ARRAY[true,false]) AS t(i, s, b)

SELECT i, arr[i] FROM (SELECT ARRAY['a','b'] AS arr) x, generate_subscripts(arr, 1) AS i

SELECT generate_subscripts(ARRAY[[1,2],[3,4]], 2, true)

SELECT sum(n) FILTER (WHERE n % 2 = 0), count(*) FILTER (WHERE n > 5) OVER () FROM generate_series(1, 10) n GROUP BY n

SELECT n, sum(n) OVER w, avg(n) OVER (w ROWS 2 PRECEDING), first_value(n) OVER (w GROUPS CURRENT ROW) FROM generate_series(1, 5) n WINDOW w AS (ORDER BY n)

SELECT n, lag(n, 1, 0) OVER (ORDER BY n DESC NULLS LAST), lead(n) OVER (PARTITION BY n % 2 ORDER BY n) FROM generate_series(1, 5) n

SELECT x, ntile(3) OVER (ORDER BY x), percent_rank() OVER (ORDER BY x), cume_dist() OVER (ORDER BY x) FROM (VALUES (1), (1), (2)) v(x)

SELECT array_agg(x) OVER (ORDER BY x RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM generate_series(1, 5) x

SELECT rank(2.5) WITHIN GROUP (ORDER BY x), percent_rank(2) WITHIN GROUP (ORDER BY x DESC), mode() WITHIN GROUP (ORDER BY x % 2) FROM generate_series(1, 5) x

SELECT percentile_cont(ARRAY[0.1, 0.5, 0.9]) WITHIN GROUP (ORDER BY x) FROM generate_series(1, 100) x

SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY s COLLATE "C") FROM (VALUES ('a'), ('b')) v(s)

SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY i) FROM (VALUES (interval '1 day'), (interval '3 days')) v(i)

SELECT to_tsvector('simple', 'a b c') @@ 'a & !d'::tsquery, 'super:*'::tsquery, to_tsquery('english', 'fat & (rat | !cat)'), phraseto_tsquery('the fat rat'), ts_rank('{0.1, 0.2, 0.4, 1.0}', to_tsvector('a b'), 'a'), ts_rank_cd(to_tsvector('a b'), 'a & b', 4 | 32)

SELECT setweight(to_tsvector('english', coalesce(title, '')), 'A') || setweight(to_tsvector('english', coalesce(body, '')), 'D') FROM docs LIMIT 1

SELECT ts_headline('english', 'The most common type of search', to_tsquery('english', 'search & term'), 'StartSel=<b>, StopSel=</b>, HighlightAll=true')

SELECT ts_headline('{"a": "the fat rat"}'::json, 'rat'::tsquery), ts_headline('english', '{"a":"fat"}'::jsonb, 'fat'::tsquery)

SELECT * FROM ts_parse('default', 'foo-bar http://example.com/x') AS p(tokid, token) JOIN ts_token_type('default') t USING (tokid)

SELECT ts_lexize('simple', 'YeS'), ts_lexize('english_stem', 'stars')

SELECT cfgname, nspname FROM pg_ts_config c JOIN pg_namespace n ON n.oid = c.cfgnamespace LIMIT 2

SELECT body, similarity(body, 'quick fox') AS s FROM docs WHERE body % 'the quick brown fox' ORDER BY body <-> 'quick fox' LIMIT 3

SELECT '{"a":{"b":[1,2,{"c":3}]}}'::jsonb #> '{a,b,2,c}', '{"a":1}'::jsonb || '{"b":2}', jsonb_path_query_array('{"a":[1,2,3]}', '$.a[*] ? (@ > 1)'), jsonb_path_exists('{"a":1}', '$.a ? (@ == 1)'), '{"a":[1,2]}'::jsonb @@ '$.a[*] == 2', '["a"]'::jsonb ? 'a', jsonb_set('{"a":[1]}', '{a,-1}', '9'), '[1,2]'::jsonb - 0, '{"a":{"b":1}}'::jsonb #- '{a,b}', ('{"a":[10,20]}'::jsonb)['a'][1]

SELECT key, value ->> 'id' FROM jsonb_each('{"x":{"id":1}}'::jsonb), jsonb_to_record('{"a":1,"b":[1,2]}') AS r(a int, b int[])

SELECT * FROM jsonb_to_recordset('[{"a":1,"t":"2024-01-01"},{"a":2}]') AS r(a int, t timestamptz)

SELECT p.* FROM events e, jsonb_populate_record(NULL::couple, jsonb_build_object('a', e.id, 'b', e.kind)) p LIMIT 2

SELECT jsonb_object_agg(kind, n) FROM (SELECT kind, count(*) AS n FROM events GROUP BY kind) x

SELECT json_build_object('rows', json_agg(json_build_object('id', id, 'name', name) ORDER BY id)) FROM customers WHERE id < 3

SELECT row_to_json(x) FROM (SELECT id, name FROM customers LIMIT 1) x

SELECT to_jsonb(c) - 'ssn' - 'email' FROM customers c LIMIT 1

SELECT jsonb_strip_nulls(to_jsonb(e)) FROM employees e LIMIT 1

SELECT array_to_json(array_agg(id)), json_object(array_agg(name), array_agg(email)) FROM customers WHERE id < 3

SELECT unnest(xpath('//a/text()', '<r><a>1</a><a>2</a></r>'))::text::int

SELECT xmlelement(name "order", xmlattributes(id AS "n"), xmlforest(status, amount)) FROM orders LIMIT 1

SELECT xmlserialize(DOCUMENT '<a/>' AS text), xmlparse(CONTENT 'x'), '<a/>'::xml::text, xmlconcat(xmlelement(name a), NULL)

SELECT int4range(1, 10) @> 5, '[2024-01-01,2024-02-01)'::daterange @> '2024-01-15'::date, upper('[1,5]'::int4range), int4range(NULL, 5), '(,)'::numrange, 'empty'::int4range, daterange('2024-01-01', NULL, '[)'), lower_inf(daterange(NULL, '2024-01-01'))

SELECT range_agg(daterange(d::date, (d + '2 days')::date)) FROM generate_series('2024-01-01'::timestamp, '2024-01-10', '3 days') d

SELECT datemultirange(daterange('2024-01-01', '2024-01-05'), daterange('2024-02-01', '2024-02-05')) @> '2024-02-02'::date

SELECT r, upper(r) - lower(r) AS len FROM (VALUES (int4range(1,5)), ('[3,9)')) v(r) WHERE r && int4range(4, 6) ORDER BY r

SELECT a.* FROM (VALUES (1, tsrange('2024-01-01 10:00', '2024-01-01 11:00'))) a(id, during) WHERE NOT EXISTS (SELECT 1 FROM (VALUES (2, tsrange('2024-01-01 12:00', '2024-01-01 13:00'))) b(id, during) WHERE a.during && b.during)

SELECT inet '10.1.2.3' <<= '10.0.0.0/8', cidr '192.168/16', set_masklen('192.168.1.0/24'::cidr, 16), macaddr '08-00-2b-01-02-03', inet '::1' > '127.0.0.1', host('10.0.0.1/8'), network('10.1.2.3/8'), inet_merge('10.0.0.1/24', '10.0.1.1/24')

SELECT point(1, 2) <-> point(4, 6), box(point(0,0), point(1,1)) @> point(0.5, 0.5), circle(point(0,0), 1), area(circle(point(0,0), 1)), line(point(0,0), point(1,1)), path '[(0,0),(1,1)]', polygon '((0,0),(0,1),(1,1))' @> point '(0.2,0.5)', lseg '[(0,0),(1,1)]' ?# lseg '[(0,1),(1,0)]'

SELECT 'a1b22'::text ~ '^[a-z]\d', regexp_replace('abc', '(b)', '[\1]'), regexp_matches('foobarbequebazilbarfbonk', '(b[^b]+)(b[^b]+)', 'g'), regexp_split_to_array('a,b;c', '[,;]'), 'x' ~* ANY (ARRAY['X', 'y']), substring('2024-05-06' from '(\d+)-'), regexp_replace('2024-05-06', '(\d+)-(\d+)-(\d+)', '\3.\2.\1'), 'foo' !~~* 'F%'

SELECT format('%s %I %L %%', 'a', 'b c', 'd''e'), format('%2$s %1$s', 1, 2), format('%-10s|%5s', 'a', 'b'), concat('a', NULL, 1), concat_ws('-', 'a', NULL, 'b'), quote_ident('a b'), quote_nullable(NULL), left('abc', -1), right('abc', 2), reverse('abc'), translate('abc', 'ab', 'x'), repeat('ab', 2), split_part('a/b/c', '/', 2), strpos('abc', 'c'), ascii('A'), chr(8364), initcap('hello world'), lpad('7', 3, '0'), to_hex(255), md5('a'), encode(sha256('a'), 'hex')

SELECT to_char(1234567.891, 'FM9,999,999.00'), to_char(-5, 'S99'), to_char(0.5, '990%'), to_char(now(), 'YYYY-"Q"Q'), to_char(interval '3 days', 'DD'), to_char(12, 'RN'), to_char(148.5, '999D999'), to_number('1,234.5', '9G999D9'), to_date('2024-W05-1', 'IYYY-"W"IW-ID'), to_timestamp('2024-01-02 03:04:05.678', 'YYYY-MM-DD HH24:MI:SS.MS')

SELECT date_trunc('week', timestamp '2024-02-29'), date_bin('2 hours', timestamp '2024-01-01 05:30', timestamp '2024-01-01'), age(date '2024-02-29', date '2023-02-28'), make_interval(years => 1, months => 2), justify_interval(interval '40 days 30 hours'), date_part('dow', date '2024-01-01'), extract(epoch FROM timestamptz '2024-01-01'), to_timestamp(0), isfinite('infinity'::timestamp), '2024-01-31'::date + interval '1 month', date '2024-03-01' - date '2024-02-01', (date '2024-01-01', date '2024-02-01') OVERLAPS (date '2024-01-15', interval '1 day')

SELECT now() AT TIME ZONE 'Europe/Berlin', timestamptz '2024-07-01 12:00+00' AT TIME ZONE 'America/New_York', timezone('UTC', timestamp '2024-01-01'), (now() AT TIME ZONE 'utc')::date, date_trunc('day', now(), 'Asia/Tokyo'), extract(timezone FROM now())

SELECT d::date AS day, count(o.id), coalesce(sum(o.amount), 0) FROM generate_series(date '2024-01-01', date '2024-01-07', interval '1 day') d LEFT JOIN orders o ON o.created_at >= d AND o.created_at < d + interval '1 day' GROUP BY d ORDER BY d

SELECT round(2.5), round(-2.5), round(2.5::float8), trunc(-1.9), ceil(-0.5), floor(-0.5), sign(-3), mod(-7, 3), div(-7, 2), -7 / 2, -7 % 3, 2 ^ 10, sqrt(2)::numeric(10,4), width_bucket(5.35, 0.024, 10.06, 5), gcd(12, 18), lcm(4, 6), factorial(10), power(2, 0.5), log(2, 8), exp(1), ln(10), cbrt(27), scale(1.230), min_scale(1.230), trim_scale(1.230), random() BETWEEN 0 AND 1

SELECT bit_count('\x0f'::bytea), get_byte('\x0102', 1), set_byte('\x00', 0, 255), '\xdead'::bytea || '\xbeef', encode('\xdeadbeef', 'base64'), decode('3q2+7w==', 'base64'), length('\x00ff'), substring('\x010203'::bytea from 2), position('\x02' in '\x010203'::bytea), B'1010' & B'0110', X'FF'::bit(8)::int, 5::bit(4), bit_length('abc'), get_bit(B'100', 0)

SELECT bool_and(true), bool_or(false), every(true), bit_and(7), bit_or(4), bit_xor(3), count(*), max('a'), min(1), avg(1), sum(1), var_pop(x), stddev(x), corr(x, x), regr_slope(x, x), covar_pop(x, x) FROM generate_series(1, 3) x

SELECT num_nulls(1, NULL, 2), num_nonnulls(VARIADIC ARRAY[1, NULL]), nullif(1, 1), coalesce(NULL, NULL, 3), greatest(1, NULL, 3), least('b', 'a')

SELECT pg_typeof(1), pg_typeof(NULL), pg_typeof(ARRAY[1]), pg_typeof(o) FROM orders o LIMIT 1

SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid) FROM pg_attribute a LEFT JOIN pg_attrdef d ON (d.adrelid, d.adnum) = (a.attrelid, a.attnum) WHERE a.attrelid = 'public.orders'::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum

SELECT conname, contype, pg_get_constraintdef(oid, true), conrelid::regclass, confrelid::regclass FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1

SELECT i.relname, pg_get_indexdef(i.oid), x.indisunique, x.indisprimary FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid WHERE t.relname = 'customers'

SELECT schemaname, relname, seq_scan, idx_scan, n_tup_ins FROM pg_stat_user_tables ORDER BY seq_scan DESC LIMIT 5

SELECT schemaname, relname, indexrelname, idx_scan FROM pg_stat_user_indexes WHERE idx_scan = 0 LIMIT 5

SELECT datname, numbackends, xact_commit, blks_hit::float / nullif(blks_hit + blks_read, 0) AS hit FROM pg_stat_database WHERE datname = current_database()

SELECT relname, heap_blks_read, heap_blks_hit FROM pg_statio_user_tables LIMIT 3

SELECT n.nspname, p.proname, pg_get_function_identity_arguments(p.oid) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = 'public' ORDER BY 1, 2, 3 LIMIT 5

SELECT t.typname, array_agg(e.enumlabel ORDER BY e.enumsortorder) FROM pg_type t JOIN pg_enum e ON e.enumtypid = t.oid GROUP BY 1

SELECT obj_description(c.oid), c.relname FROM pg_class c WHERE c.relkind IN ('r', 'v', 'm', 'p') AND c.relnamespace = 'public'::regnamespace LIMIT 3

SELECT pg_get_viewdef(c.oid) FROM pg_class c WHERE c.relname = 'big_orders'

SELECT inhparent::regclass, inhrelid::regclass FROM pg_inherits

SELECT relid, parentrelid, isleaf, level FROM pg_partition_tree('parts')

SELECT EXISTS (SELECT FROM information_schema.tables WHERE table_name = 'orders'), to_regclass('public.nothing') IS NULL

SELECT c.column_name, c.data_type, c.character_maximum_length, c.numeric_precision, pgd.description FROM information_schema.columns c LEFT JOIN pg_catalog.pg_statio_all_tables st ON st.schemaname = c.table_schema AND st.relname = c.table_name LEFT JOIN pg_catalog.pg_description pgd ON pgd.objoid = st.relid AND pgd.objsubid = c.ordinal_position WHERE c.table_name = 'orders'

SELECT kcu.table_name, string_agg(kcu.column_name, ', ' ORDER BY kcu.ordinal_position) FROM information_schema.table_constraints tco JOIN information_schema.key_column_usage kcu USING (constraint_schema, constraint_name) WHERE tco.constraint_type = 'PRIMARY KEY' GROUP BY 1

WITH RECURSIVE t(n, f) AS (SELECT 1, 1::numeric UNION ALL SELECT n + 1, f * (n + 1) FROM t WHERE n < 20) SELECT * FROM t

WITH RECURSIVE x(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM x WHERE i < 101), z(ix, iy, cx, cy, x, y, i) AS (SELECT ix, iy, x::float, y::float, x::float, y::float, 0 FROM (SELECT -2.2 + 0.031 * i, i FROM x) AS xgen(x, ix) CROSS JOIN (SELECT -1.5 + 0.031 * i, i FROM x) AS ygen(y, iy) UNION ALL SELECT ix, iy, cx, cy, x * x - y * y + cx AS x, y * x * 2 + cy, i + 1 FROM z WHERE x * x + y * y < 16.0 AND i < 5) SELECT count(*) FROM z

WITH RECURSIVE dates AS (SELECT date '2024-01-01' AS d UNION ALL SELECT d + 1 FROM dates WHERE d < '2024-01-10'), w AS (SELECT d, extract(isodow FROM d) AS dow FROM dates) SELECT * FROM w WHERE dow < 6

WITH a AS (SELECT 1 AS x), b AS (SELECT x + 1 AS y FROM a), c AS (SELECT (SELECT y FROM b) * 2 AS z) SELECT a.x, b.y, c.z FROM a, b, c

WITH monthly AS (SELECT date_trunc('month', created_at) AS m, sum(amount) AS total FROM orders GROUP BY 1) SELECT m, total, total - lag(total) OVER (ORDER BY m) AS diff, round(100.0 * (total / nullif(lag(total) OVER (ORDER BY m), 0) - 1), 1) AS pct, sum(total) OVER (ORDER BY m) AS running FROM monthly

WITH ranked AS (SELECT customer_id, amount, row_number() OVER (PARTITION BY customer_id ORDER BY amount DESC) AS rn FROM orders) SELECT customer_id, array_agg(amount ORDER BY rn) FROM ranked WHERE rn <= 3 GROUP BY 1 LIMIT 5

SELECT date_trunc('month', created_at)::date AS month, status, count(*), sum(count(*)) OVER (PARTITION BY date_trunc('month', created_at)) FROM orders GROUP BY 1, 2, date_trunc('month', created_at) ORDER BY 1, 2

SELECT CASE GROUPING(status) WHEN 1 THEN 'total' ELSE status END AS s, sum(amount) FROM orders GROUP BY ROLLUP (status) ORDER BY GROUPING(status), 1

SELECT region, brand, sum(units) FROM sales GROUP BY GROUPING SETS ((region, brand), (region), ()) HAVING sum(units) > 5 ORDER BY 1 NULLS FIRST, 2 NULLS FIRST

SELECT "User Name", count(*) AS "# events" FROM events GROUP BY "User Name" ORDER BY "# events" DESC, 1

SELECT e."User Name" AS "Benutzer-Name: ""quoted""" FROM events e LIMIT 1

SELECT 'It''s; -- not a comment /* nor this */' AS "weird -- name", $x$ $$ ; $x$ AS d

SELECT /*+ HashJoin(a b) */ a.id FROM orders a JOIN orders b USING (id) LIMIT 1

SELECT a.id FROM orders a JOIN orders b USING (id) AS j WHERE j.id = 1

SELECT * FROM customers c JOIN orders o ON (c.id = o.customer_id) RIGHT JOIN (VALUES (1), (2)) v(x) ON v.x = c.id FULL JOIN (SELECT 3 AS y) w ON false LIMIT 5

SELECT t1.id FROM orders t1 WHERE NOT EXISTS (SELECT * FROM orders t2 WHERE t2.amount > t1.amount)

SELECT (SELECT array_agg(s ORDER BY s) FROM (SELECT DISTINCT status AS s FROM orders) d)[1]

SELECT tags[array_upper(tags, 1)], tags[1:1], array_position(tags, 'x'), 'x' = ANY (tags), tags && ARRAY['x'], cardinality(tags) FROM events LIMIT 1

SELECT o.id, t.tag FROM events o CROSS JOIN unnest(o.tags) WITH ORDINALITY AS t(tag, pos) WHERE t.pos = 1 LIMIT 2

SELECT DISTINCT jsonb_object_keys(payload) FROM events

SELECT mode() WITHIN GROUP (ORDER BY kind) AS most, count(DISTINCT kind), (array_agg(kind ORDER BY at DESC))[1] AS latest FROM events

SELECT kind, percentile_cont(0.5) WITHIN GROUP (ORDER BY (payload ->> 'n')::int) FROM events GROUP BY kind

SELECT h, count(e.id) FROM generate_series(0, 23) h LEFT JOIN events e ON extract(hour FROM e.at) = h GROUP BY h ORDER BY h

SELECT at, kind, at - lag(at) OVER (PARTITION BY kind ORDER BY at) AS gap FROM events ORDER BY gap DESC NULLS LAST LIMIT 3

SELECT kind, count(*) AS n, round(100.0 * count(*) / sum(count(*)) OVER (), 2) AS share FROM events GROUP BY kind ORDER BY n DESC

SELECT corr(o.amount, o.id), regr_r2(o.amount, o.id), regr_intercept(o.amount, o.id), covar_samp(o.amount, o.id) FROM orders o

SELECT stddev_pop(amount), variance(amount), max(amount) - min(amount), percentile_cont(0.75) WITHIN GROUP (ORDER BY amount) - percentile_cont(0.25) WITHIN GROUP (ORDER BY amount) AS iqr FROM orders

SELECT name FROM employees WHERE hired BETWEEN SYMMETRIC '2018-01-01' AND '2016-01-01' ORDER BY hired

SELECT dept, avg(salary)::int, rank() OVER (ORDER BY avg(salary) DESC) FROM employees GROUP BY dept

SELECT e.name, m.name, e.salary > m.salary AS more FROM employees e JOIN employees m ON m.id = e.manager_id WHERE e.salary <> m.salary LIMIT 3

SELECT dept, name, salary FROM (SELECT *, dense_rank() OVER (PARTITION BY dept ORDER BY salary DESC) AS r FROM employees) t WHERE r = 2

SELECT id FROM customers EXCEPT SELECT customer_id FROM orders ORDER BY id

SELECT id, 'c' AS src FROM customers WHERE id < 2 UNION ALL SELECT id, 'o' FROM orders WHERE id < 2 ORDER BY src, id LIMIT 5

(SELECT id FROM orders ORDER BY amount LIMIT 1) UNION (SELECT id FROM orders ORDER BY amount DESC LIMIT 1)

SELECT count(*) FROM ((SELECT 1 INTERSECT SELECT 1) UNION (SELECT 2 EXCEPT SELECT 3)) x

VALUES (1, 'a'::text), (2, NULL) UNION ALL VALUES (3, 'c') ORDER BY 1 DESC

SELECT * FROM (VALUES (1, date '2024-01-01')) AS v(id, d) NATURAL JOIN (VALUES (1, 'x')) AS w(id, s)

SELECT earth_distance(ll_to_earth(52.5, 13.4), ll_to_earth(48.8, 2.3))::int / 1000, point(13.4, 52.5) <@> point(2.3, 48.8)

SELECT hstore('a', '1') -> 'a', 'a=>1,b=>2'::hstore ?& ARRAY['a','b'], (each('a=>1'::hstore)).key, hstore_to_jsonb('a=>1'::hstore), 'a=>1'::hstore || 'b=>2'::hstore, akeys('a=>1'::hstore)

SELECT 'Top.Science'::ltree @> 'Top.Science.Astronomy', 'Top.Science.Astronomy'::ltree ~ '*.Astro*@.*{0,2}', subpath('a.b.c'::ltree, 1), lca(ARRAY['a.b.c'::ltree, 'a.b.d'::ltree]), nlevel('a.b'::ltree), 'a.b'::ltree || 'c'::ltree

SELECT dmetaphone('Thompson'), soundex('Robert') = soundex('Rupert'), levenshtein('kitten', 'sitting'), metaphone('Thompson', 4), unaccent('Ñandú'), similarity('hello', 'hallo'), show_trgm('word')

SELECT 'HELLO'::citext = 'hello', regexp_match('Foo'::citext, 'f(o)'::citext), replace('aXb'::citext, 'x'::citext, 'y'::citext), split_part('aXb'::citext, 'x'::citext, 1)

SELECT ARRAY[3,1,2] + 4, sort(ARRAY[3,1,2], 'desc'), ARRAY[1,2,3] & ARRAY[2,3], ARRAY[1,2] @@ '1|5'::query_int, uniq(ARRAY[1,1,2])

EXPLAIN (VERBOSE, COSTS FALSE) SELECT count(*) FROM orders WHERE amount > 10

EXPLAIN (FORMAT XML) VALUES (1)

EXPLAIN (SELECT 1 UNION SELECT 2)

SHOW client_encoding

SHOW intervalstyle

SHOW default_transaction_isolation

SELECT 'one ' -- the first part
'literal' -- and the last

SELECT 'a'--x
\n
  'b' = 'ab', U&'d\0061' -- y
't\+000061'

SELECT cardinality(ARRAY(SELECT g FROM generate_series(1, 40000) g)), ARRAY(SELECT x FROM string_to_table('a,b,c', ',') x) @> ARRAY['a']

SELECT string_agg(to_char(d, 'YYYY-MM'), ', ' ORDER BY d) LIKE '%2024-03%', array_agg(d::date) && ARRAY[date '2024-03-01'] FROM generate_series(date '2024-01-01', date '2024-12-01', '1 month') d

WITH RECURSIVE months(m) AS (SELECT date '2024-01-01' UNION ALL SELECT (m + interval '1 month')::date FROM months WHERE m < date '2024-12-01') SELECT split_part(string_agg(to_char(m, 'Mon'), ','), ',', 3), strpos(string_agg(m::text, ';'), '2024-05') FROM months

SELECT md5(string_agg(md5(status), '')), replace(string_agg(status, ', '), 'paid', 'PAID'), jsonb_agg(amount) @> '[1]' FROM orders

SELECT array_length(array_agg(id), 1) / 7, cardinality(array_agg(id)) % 3, array_agg(lpad(id::text, 8, '0')) @> ARRAY['00000001'] FROM orders
