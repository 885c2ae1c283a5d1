SELECT now(), current_timestamp, localtimestamp, current_date, current_time, localtime, statement_timestamp(), transaction_timestamp(), clock_timestamp()

SELECT current_date - interval '1 month', date '2024-02-29' + 1, timestamp '2024-01-01' - timestamp '2023-01-01'

SELECT extract(year FROM created_at), extract(dow FROM created_at), extract(epoch FROM created_at), date_part('week', created_at) FROM orders

SELECT date_trunc('week', created_at, 'Europe/Berlin'), created_at AT TIME ZONE 'UTC', created_at AT TIME ZONE 'America/New_York' FROM orders

SELECT to_char(created_at, 'YYYY-MM-DD HH24:MI:SS'), to_char(amount, 'FM999G990D00') FROM orders

SELECT to_date('05 Dec 2000', 'DD Mon YYYY'), to_timestamp('2000', 'YYYY'), to_timestamp(1700000000), to_number('1,234.5', '9G999D9')

SELECT age(timestamp '2001-04-10', timestamp '1957-06-13'), justify_days(interval '35 days'), justify_hours(interval '27 hours'), justify_interval(interval '1 mon -1 hour')

SELECT make_date(2024, 2, 29), make_time(8, 15, 23.5), make_timestamp(2013, 7, 15, 8, 15, 23.5), make_interval(days => 10), make_timestamptz(2013, 7, 15, 8, 15, 23.5)

SELECT (DATE '2001-02-16', DATE '2001-12-21') OVERLAPS (DATE '2001-10-30', DATE '2002-10-30')

SELECT isfinite(date '2001-02-16'), date_bin('15 minutes', timestamp '2020-02-11 15:44:17', timestamp '2001-01-01')

SELECT d::date FROM generate_series('2024-01-01'::timestamp, '2024-03-01', interval '1 week') AS d

SELECT extract(isodow FROM d), count(*) FROM generate_series(date '2024-01-01', date '2024-12-31', '1 day') g(d) GROUP BY 1

SELECT interval '1 year 2 months' * 1.5, interval '1 day' / 3, - interval '2 hours', interval '1-2' YEAR TO MONTH

SELECT upper(name), lower(name), initcap(name), length(name), reverse(name), left(name, 3), right(name, 2) FROM customers

SELECT substring(name from 1 for 3), substring(name from 2), substr(name, 2, 3), position('a' in name), strpos(name, 'm'), overlay(name placing 'xx' from 1 for 2) FROM customers

SELECT trim(both ' ' from '  x '), trim(leading 'x' from 'xxa'), ltrim(' a'), rtrim('a '), btrim('xax', 'x')

SELECT lpad(id::text, 5, '0'), rpad(name, 20, '.'), repeat('-', 10), replace(name, 'a', 'b'), translate(name, 'abc', 'xyz') FROM customers

SELECT concat(name, '-', id), concat_ws(', ', name, email, NULL), name || ' <' || email || '>' FROM customers

SELECT format('%s has id %s and %I or %L', name, id, 'col', 'lit'), format('%-10s|%5s|%2$s', 'a', 'b') FROM customers

SELECT split_part(email, '@', 2), string_to_array(email, '@'), string_to_table('a,b,c', ','), starts_with(name, 'Na') FROM customers

SELECT regexp_replace(phone, '[^0-9]', '', 'g'), regexp_matches(name, '(\w+) (\d+)'), regexp_split_to_array(name, '\s+'), regexp_match(email, '^(.+)@') FROM customers

SELECT regexp_count(name, 'a'), regexp_instr(name, 'a'), regexp_like(name, '^N'), regexp_substr(name, '\d+') FROM customers

SELECT * FROM regexp_split_to_table('the quick brown fox', '\s+') WITH ORDINALITY AS t(word, n)

SELECT name FROM customers WHERE name ~ '^Name' AND name !~ 'x' AND name ~* 'NAME' AND name !~* 'zz'

SELECT name FROM customers WHERE name LIKE 'Na%' AND name NOT LIKE '%z' AND name ILIKE 'NA%' AND name SIMILAR TO 'Name [0-9]+' AND email LIKE 'c\_%' ESCAPE '\'

SELECT name FROM customers WHERE name ^@ 'Name' OR name LIKE ANY (ARRAY['a%', 'b%'])

SELECT ascii('x'), chr(65), md5('x'), sha256('x'::bytea), encode('abc', 'base64'), decode('YWJj', 'base64'), to_hex(255), quote_ident('a b'), quote_literal('x'), quote_nullable(NULL)

SELECT normalize('é', NFC), 'é' IS NORMALIZED, unistr('\00e9'), convert_to('x', 'UTF8'), bit_length('x'), octet_length('ü')

SELECT abs(-1), ceil(1.2), floor(1.8), round(1.255, 2), trunc(1.9), sign(-2), sqrt(2), cbrt(27), power(2, 10), exp(1), ln(10), log(100), log(2, 8), mod(7, 3), div(7, 3), gcd(12, 18), lcm(4, 6), factorial(5), pi(), degrees(1), radians(180)

SELECT sin(1), cos(1), tan(1), cot(1), asin(1), acos(1), atan(1), atan2(1, 2), sinh(1), cosh(1), tanh(1)

SELECT 7 / 2, 7 % 2, 7.0 / 2, 2 ^ 10, |/ 25.0, ||/ 27.0, @ -5, 91 & 15, 32 | 3, 17 # 5, ~1, 1 << 4, 8 >> 2

SELECT random() < 2, gen_random_uuid() IS NOT NULL, timeofday() IS NOT NULL

SELECT id FROM orders ORDER BY random() LIMIT 3

SELECT greatest(1, 2, 3), least(1, 2), coalesce(NULL, 'x'), nullif(1, 1), num_nulls(1, NULL), num_nonnulls(1, 2)

SELECT CASE WHEN amount > 200 THEN 'high' WHEN amount > 100 THEN 'mid' ELSE 'low' END, CASE status WHEN 'paid' THEN 1 ELSE 0 END FROM orders

SELECT 1 = 1 AND NOT false OR true IS TRUE, NULL IS NULL, 1 IS DISTINCT FROM NULL, 1 IS NOT DISTINCT FROM 1, true IS NOT UNKNOWN, (1, NULL) IS NULL

SELECT 5 BETWEEN 1 AND 10, 5 NOT BETWEEN 6 AND 7, 5 BETWEEN SYMMETRIC 10 AND 1

SELECT '42'::int, CAST('1.5' AS numeric(10, 2)), int '5', 'x'::varchar(10), '{1,2}'::int[], '2024-01-01'::date, 'ok'::mood, '5'::positive, B'101'::bit(3), '\xDEADBEEF'::bytea, '12:00'::time, '1 day'::interval

SELECT 1::text || 'a', 1.5::float8::int, 'true'::bool, 65::"char", 'pg_class'::regclass, 'int4'::regtype::oid, 'now'::regproc

SELECT float8 '1.5', 1e10, .5

SELECT ROW(1, 'a', NULL), ROW(1, 2) = ROW(1, 2), (1, 2) < (1, 3), (ROW(1, 'x')::couple).a

SELECT pg_typeof(amount), pg_column_size(amount), pg_size_pretty(pg_total_relation_size('orders')), pg_size_bytes('1 MB') FROM orders LIMIT 1

SELECT current_user, session_user, current_database(), current_schema, current_schemas(true), version(), pg_backend_pid() > 0, user, current_catalog, current_role

SELECT current_setting('TimeZone'), current_setting('server_version'), current_setting('search_path', true)

SELECT name COLLATE "C", collation for (name) FROM customers ORDER BY name COLLATE "POSIX"

SELECT '192.168.1.5'::inet << '192.168.1.0/24'::cidr, host('10.0.0.1/8'), network('10.1.2.3/8'::inet), masklen('10.0.0.0/8'), family('::1'), inet_same_family('1.1.1.1', '::1')

SELECT point(1, 2) <-> point(4, 6), box '((0,0),(1,1))' @> point '(0.5,0.5)', area(circle '((0,0),2)'), center(box '((0,0),(2,2))'), polygon '((0,0),(1,1),(2,0))'

SELECT int4range(1, 10) @> 5, numrange(1, 5) && numrange(4, 8), lower(int4range(1, 10)), upper_inf('[1,)'::int4range), int4range(1, 5) * int4range(3, 8), '{[1,3),[5,7)}'::int4multirange, range_merge(int4range(1, 2), int4range(5, 6)), tstzrange(now(), NULL) @> now()

SELECT span @> 5, lower(span), isempty(span) FROM events WHERE span && '[1,20]'

SELECT money '12.50' * 2, 12.5::money::numeric, '{a,b}'::text[] @> ARRAY['a'], uuid 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', macaddr '08:00:2b:01:02:03'

SELECT twice(21) FROM (SELECT twice(1)) x WHERE false

SELECT * FROM recent() a, recent('2024-05-01') AS b, recent(since => '2024-06-01') c LIMIT 1

SELECT enum_range(NULL::mood), enum_first('ok'::mood), 'sad'::mood < 'ok'::mood

SELECT xpath('/a/b/text()', '<a><b>x</b></a>'), xmlforest(1 AS a, 2 AS b), xmlparse(DOCUMENT '<a/>'), xmlserialize(CONTENT '<a/>'::xml AS text), xmlconcat('<a/>', '<b/>'), xmlelement(name x, xmlattributes(1 AS y), 'z'), '<a/>'::xml IS DOCUMENT

SELECT * FROM xmltable('/r/i' PASSING '<r><i id="1">x</i></r>' COLUMNS id int PATH '@id', v text PATH '.', n FOR ORDINALITY)

SELECT repeat('x', 5000000)

SELECT "größe" * 2 AS "doppelt ü", '日本語' AS 言語, '🙂' AS emoji FROM "Weird Schema"."Tähle "" x"

SELECT ':(' || ':(' || '((((' || ')))', '--', '/*', '*/', ';' 

SELECT amount::int AS "order", 1 AS "user", 2 AS "table" FROM orders

SELECT 'a' 
'b' AS continued, e'tab\there', b'1010', x'1F', 'it''s', $$it's$$, $body$x$body$

SELECT 1 AS a, /* c1 */ 2 -- c2
 AS b
