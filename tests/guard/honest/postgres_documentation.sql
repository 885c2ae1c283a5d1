SELECT city, (temp_hi+temp_lo)/2 AS temp_avg, date FROM weather

SELECT * FROM weather WHERE city = 'San Francisco' AND prcp > 0.0

SELECT DISTINCT city FROM weather ORDER BY city

SELECT * FROM weather LEFT OUTER JOIN cities ON weather.city = cities.name

SELECT w1.city, w1.temp_lo AS low, w1.temp_hi AS high, w2.city, w2.temp_lo AS low, w2.temp_hi AS high FROM weather w1 JOIN weather w2 ON w1.temp_lo < w2.temp_lo AND w1.temp_hi > w2.temp_hi

SELECT city FROM weather WHERE temp_lo = (SELECT max(temp_lo) FROM weather)

SELECT city, count(*), max(temp_lo) FROM weather WHERE city LIKE 'S%' GROUP BY city

SELECT city, count(*) FILTER (WHERE temp_lo < 45), max(temp_lo) FROM weather GROUP BY city

SELECT depname, empno, salary, avg(salary) OVER (PARTITION BY depname) FROM empsalary

SELECT depname, empno, salary, rank() OVER (PARTITION BY depname ORDER BY salary DESC) FROM empsalary

SELECT depname, empno, salary, enroll_date FROM (SELECT depname, empno, salary, enroll_date, rank() OVER (PARTITION BY depname ORDER BY salary DESC, empno) AS pos FROM empsalary) AS ss WHERE pos < 3

SELECT sum(salary) OVER w, avg(salary) OVER w FROM empsalary WINDOW w AS (PARTITION BY depname ORDER BY salary DESC)

SELECT salary, sum(salary) OVER (ORDER BY salary ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW) FROM empsalary

SELECT salary, sum(salary) OVER (ORDER BY salary GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE TIES) FROM empsalary

SELECT salary, sum(salary) OVER (ORDER BY salary RANGE BETWEEN 100 PRECEDING AND 100 FOLLOWING EXCLUDE GROUP) FROM empsalary

SELECT enroll_date, count(*) OVER (ORDER BY enroll_date RANGE BETWEEN '1 year'::interval PRECEDING AND '1 day'::interval FOLLOWING EXCLUDE NO OTHERS) FROM empsalary

SELECT brand, size, sum(units) FROM sales GROUP BY GROUPING SETS ((brand), (size), ())

SELECT brand, size, grouping(brand, size), sum(units) FROM sales GROUP BY ROLLUP (brand, size)

SELECT brand, size, region, sum(units) FROM sales GROUP BY CUBE (brand, (size, region))

SELECT brand, size, sum(units) FROM sales GROUP BY GROUPING SETS (CUBE (brand), ROLLUP (size, region), ())

SELECT brand, size FROM sales GROUP BY DISTINCT ROLLUP (brand, size), ROLLUP (brand, region)

SELECT brand, sum(units) FROM sales GROUP BY ALL ROLLUP (brand)

SELECT * FROM (VALUES (1, 'one'), (2, 'two'), (3, 'three')) AS t (num,letter)

VALUES (1, 'one'), (2, 'two'), (3, 'three')

VALUES (3), (1) ORDER BY 1 LIMIT 1 OFFSET 1

SELECT * FROM customers JOIN orders ON customers.id = orders.customer_id AND orders.amount > 100

SELECT * FROM orders o NATURAL LEFT JOIN (SELECT id, name FROM customers) c

SELECT * FROM orders CROSS JOIN (VALUES ('a')) x(y) LIMIT 3

SELECT a.* FROM (customers AS a JOIN orders AS b ON a.id = b.customer_id) LIMIT 1

SELECT j.id FROM (customers JOIN (SELECT customer_id AS id FROM orders) o USING (id) AS u) AS j LIMIT 1

SELECT u.id FROM customers JOIN (SELECT customer_id AS id FROM orders) o USING (id) AS u LIMIT 2

SELECT p1.id, p2.id FROM customers p1, LATERAL (SELECT * FROM orders o WHERE o.customer_id = p1.id ORDER BY amount DESC LIMIT 1) p2

SELECT c.name, o.* FROM customers c LEFT JOIN LATERAL (SELECT max(amount) m FROM orders WHERE customer_id = c.id) o ON true

SELECT * FROM unnest(ARRAY['a','b'], ARRAY[1,2,3]) WITH ORDINALITY AS t(x, y, n)

SELECT * FROM ROWS FROM (generate_series(1,3), unnest(ARRAY['x','y'])) WITH ORDINALITY AS t(a,b,ord)

SELECT * FROM ROWS FROM (json_to_recordset('[{"a":40,"b":"foo"},{"a":"100","b":"bar"}]') AS (a INTEGER, b TEXT), generate_series(1, 3)) AS x (p, q, s) ORDER BY p

SELECT * FROM json_to_record('{"a":1,"b":[1,2,3],"c":"bar"}') AS x(a int, b text, d text)

WITH regional_sales AS (SELECT region, SUM(units) AS total_sales FROM sales GROUP BY region), top_regions AS (SELECT region FROM regional_sales WHERE total_sales > (SELECT SUM(total_sales)/10 FROM regional_sales)) SELECT region, brand, SUM(units) AS product_units FROM sales WHERE region IN (SELECT region FROM top_regions) GROUP BY region, brand

WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n+1 FROM t WHERE n < 100) SELECT sum(n) FROM t

WITH RECURSIVE sub(id, mgr, name, path) AS (SELECT id, manager_id, name, ARRAY[id] FROM employees WHERE manager_id IS NULL UNION ALL SELECT e.id, e.manager_id, e.name, path || e.id FROM employees e JOIN sub s ON e.manager_id = s.id) SELECT * FROM sub ORDER BY path

WITH RECURSIVE search_tree(id, link, data) AS (SELECT e.id, e.manager_id, e.name FROM employees e UNION ALL SELECT e.id, e.manager_id, e.name FROM employees e, search_tree st WHERE e.id = st.link) SEARCH DEPTH FIRST BY id SET ordercol SELECT * FROM search_tree ORDER BY ordercol

WITH RECURSIVE search_tree(id, link) AS (SELECT e.id, e.manager_id FROM employees e UNION ALL SELECT e.id, e.manager_id FROM employees e, search_tree st WHERE e.id = st.link) SEARCH BREADTH FIRST BY id SET ordercol SELECT * FROM search_tree ORDER BY ordercol

WITH RECURSIVE search_graph(id, link, depth) AS (SELECT g.id, g.manager_id, 1 FROM employees g UNION ALL SELECT g.id, g.manager_id, sg.depth + 1 FROM employees g, search_graph sg WHERE g.id = sg.link) CYCLE id SET is_cycle USING path SELECT * FROM search_graph

WITH RECURSIVE g(id, d) AS (SELECT 1, 0 UNION SELECT e.id, g.d+1 FROM employees e JOIN g ON e.manager_id = g.id) CYCLE id SET c TO 'Y' DEFAULT 'N' USING p SELECT * FROM g

WITH w AS NOT MATERIALIZED (SELECT * FROM orders) SELECT * FROM w AS w1 JOIN w AS w2 ON w1.id = w2.customer_id WHERE w2.id = 123

WITH w AS MATERIALIZED (SELECT * FROM orders) SELECT count(*) FROM w

SELECT 'a'::text UNION SELECT 'b' EXCEPT SELECT 'c' ORDER BY 1

(SELECT 1 AS x) UNION ALL (SELECT 2 ORDER BY 1 LIMIT 1) ORDER BY x DESC

SELECT 1 INTERSECT ALL SELECT 1 EXCEPT ALL SELECT 2

SELECT a + b AS sum, c FROM (VALUES (1,2,3)) t(a,b,c) ORDER BY sum NULLS FIRST

SELECT * FROM orders ORDER BY amount USING > LIMIT 3

SELECT * FROM orders ORDER BY status DESC NULLS LAST, id ASC OFFSET 5 ROWS FETCH NEXT 5 ROWS ONLY

SELECT status, amount FROM orders ORDER BY amount DESC FETCH FIRST 3 ROWS WITH TIES

SELECT * FROM orders LIMIT ALL

SELECT DISTINCT ON (status) status, id, amount FROM orders ORDER BY status, amount DESC

SELECT ALL status FROM orders LIMIT 2

SELECT 5 % 3, 2 ^ 3 ^ 2, |/ 25.0, ||/ 27.0, @ -5.0, 91 & 15, 32 | 3, 17 # 5, ~1, 1 << 4, 8 >> 2

SELECT abs(-17.4), cbrt(64.0), ceil(42.2), ceiling(95.3), degrees(0.5), div(9, 4), exp(1.0), factorial(5), floor(42.8), gcd(1071, 462), lcm(1071, 462), ln(2.0), log(100), log10(1000), log(2.0, 64.0), min_scale(8.4100), mod(9, 4), pi(), power(9, 3), radians(45.0), round(42.4), round(42.4382, 2), round(1234.56, -1), scale(8.4100), sign(-8.4), sqrt(2), trim_scale(8.4100), trunc(42.8), trunc(42.4382, 2), width_bucket(5.35, 0.024, 10.06, 5), width_bucket(now(), array['yesterday', 'today', 'tomorrow']::timestamptz[])

SELECT random() < 2, acos(1), acosd(0.5), asin(1), asind(0.5), atan(1), atand(1), atan2(1, 0), atan2d(1, 0), cos(0), cosd(60), cot(0.5), cotd(45), sin(1), sind(30), tan(1), tand(45), sinh(1), cosh(0), tanh(1), asinh(1), acosh(1), atanh(0.5)

SELECT 'Post' || 'greSQL', 'Value: ' || 42, U&'\0061\0308bc' IS NFD NORMALIZED, bit_length('jose'), char_length('josé'), character_length('josé'), lower('TOM'), normalize(U&'\0061\0308bc', NFC), octet_length('josé'), overlay('Txxxxas' placing 'hom' from 2 for 4), position('om' in 'Thomas'), substring('Thomas' from 2 for 3), substring('Thomas' from 3), substring('Thomas' for 2), substring('Thomas' from '...$'), substring('Thomas' similar '%#"o_a#"_' escape '#'), trim(both 'xyz' from 'yxTomxx'), trim(both from 'yxTomxx', 'xyz'), upper('tom')

SELECT ascii('x'), chr(65), concat('abcde', 2, NULL, 22), concat_ws(',', 'abcde', 2, NULL, 22), format('Hello %s, %1$s', 'World'), initcap('hi THOMAS'), left('abcde', 2), length('jose'), lpad('hi', 5, 'xy'), ltrim('zzzytest', 'xyz'), md5('abc'), parse_ident('"SomeSchema".someTable'), pg_client_encoding(), quote_ident('Foo bar'), quote_literal(E'O\'Reilly'), quote_literal(42.5), quote_nullable(NULL), repeat('Pg', 4), replace('abcdefabcdef', 'cd', 'XX'), reverse('abcde'), right('abcde', 2), rpad('hi', 5, 'xy'), rtrim('testxxzx', 'xyz'), split_part('abc~@~def~@~ghi', '~@~', 2), starts_with('alphabet', 'alph'), string_to_array('xx~~yy~~zz', '~~', 'yy'), strpos('high', 'ig'), substr('alphabet', 3), substr('alphabet', 3, 2), to_ascii('Karel', 'LATIN1'), to_hex(2147483647), translate('12345', '143', 'ax'), unistr('d\0061t\+000061')

SELECT regexp_count('123456789012', '\d\d\d', 2), regexp_instr('ABCDEF', 'c(.)(..)', 1, 1, 0, 'i'), regexp_like('Hello World', 'world$', 'i'), regexp_match('foobarbequebaz', '(bar)(beque)'), regexp_replace('Thomas', '.[mN]a.', 'M'), regexp_replace('Thomas', '.', 'X', 3, 2), regexp_split_to_array('hello world', '\s+'), regexp_substr('ABCDEF', 'c(.)(..)', 1, 1, 'i', 2)

SELECT foo FROM regexp_split_to_table('the quick brown fox', '\s*') AS foo

SELECT 'abc' LIKE 'a%', 'abc' ILIKE 'A_C', 'abc' NOT LIKE 'c', 'abc' SIMILAR TO '%(b|d)%', 'abc' ~ 'b', 'abc' ~* 'B', 'abc' !~ 'd', 'abc' !~* 'D', 'abc' ~~ 'a%', 'abc' ^@ 'ab', 'a\%' LIKE 'a\%' ESCAPE '\'

SELECT format('Testing %s, %s, %s, %%', 'one', 'two', 'three'), format('INSERT INTO %I VALUES(%L)', 'locations', E'O\'Reilly'), format('|%10s|', 'foo'), format('|%-10s|', 'foo'), format('|%*s|', 10, 'foo'), format('|%-*s|', 10, 'foo'), format('Testing %3$s, %2$s, %1$s', 'one', 'two', 'three'), format('Hello %s', VARIADIC ARRAY['a'])

SELECT '\x123456'::bytea || '\x789a00bcde'::bytea, bit_length('\x123456'::bytea), octet_length('\x123456'::bytea), overlay('\x1234567890'::bytea placing '\002\003'::bytea from 2 for 3), position('\x5678'::bytea in '\x1234567890'::bytea), substring('\x1234567890'::bytea from 3 for 2), trim('\x9012'::bytea from '\x1234567890'::bytea), bit_count('\x1234567890'::bytea), btrim('\x1234567890'::bytea, '\x9012'::bytea), get_bit('\x1234567890'::bytea, 30), get_byte('\x1234567890'::bytea, 4), length('\x1234567890'::bytea), md5('Th\000omas'::bytea), set_bit('\x1234567890'::bytea, 30, 0), set_byte('\x1234567890'::bytea, 4, 64), sha224('abc'::bytea), sha256('abc'::bytea), sha384('abc'::bytea), sha512('abc'::bytea), convert('text_in_utf8', 'UTF8', 'LATIN1'), convert_from('text_in_utf8', 'UTF8'), convert_to('some_text', 'UTF8'), encode('123\000\001', 'base64'), decode('MTIzAAE=', 'base64'), encode('a','hex'), encode('a','escape')

SELECT B'10001' || B'011', B'10001' & B'01101', B'10001' | B'01101', B'10001' # B'01101', ~ B'10001', B'10001' << 3, B'10001' >> 2, 44::bit(10), (-44)::bit(12), '1110'::bit(4)::integer, X'1F', bit_count(B'101'), get_bit(B'101', 1), set_bit(B'101', 1, 1), B'111'::varbit

SELECT to_char(timestamp '2002-04-20 17:31:12.66', 'HH12:MI:SS'), to_char(interval '15h 2m 12s', 'HH24:MI:SS'), to_char(125, '999'), to_char(125.8::real, '999D9'), to_char(-125.8, '999D99S'), to_date('05 Dec 2000', 'DD Mon YYYY'), to_number('12,454.8-', '99G999D9S'), to_timestamp('05 Dec 2000', 'DD Mon YYYY'), to_char(485, 'RN'), to_char(1234.5, 'FM9,999.00'), to_char(now(), 'TMDay, DDth FMMonth YYYY IYYY-IW J Q'), to_char(0.1, '9.9EEEE')

SELECT date '2001-09-28' + 7, date '2001-09-28' + interval '1 hour', date '2001-09-28' + time '03:00', interval '1 day' + interval '1 hour', timestamp '2001-09-28 01:00' + interval '23 hours', time '01:00' + interval '3 hours', - interval '23 hours', date '2001-10-01' - date '2001-09-28', date '2001-10-01' - 7, time '05:00' - time '03:00', timestamp '2001-09-29 03:00' - timestamp '2001-07-27 12:00', interval '1 second' * 900, double precision '3.5' * interval '1 hour', interval '1 hour' / 1.5

SELECT age(timestamp '2001-04-10', timestamp '1957-06-13'), age(timestamp '1957-06-13') > interval '1 day', clock_timestamp() > 'epoch', current_date, current_time, current_time(2), current_timestamp, current_timestamp(0), date_bin('15 minutes', timestamp '2001-02-16 20:38:40', timestamp '2001-02-16 20:05:00'), date_part('hour', timestamp '2001-02-16 20:38:40'), date_part('month', interval '2 years 3 months'), date_trunc('hour', timestamp '2001-02-16 20:38:40'), date_trunc('day', timestamptz '2001-02-16 20:38:40+00', 'Australia/Sydney'), date_trunc('hour', interval '2 days 3 hours 40 minutes'), extract(hour from timestamp '2001-02-16 20:38:40'), extract(month from interval '2 years 3 months'), isfinite(date '2001-02-16'), isfinite(timestamp 'infinity'), isfinite(interval '4 hours'), justify_days(interval '1 year 65 days'), justify_hours(interval '50 hours 10 minutes'), justify_interval(interval '1 mon -1 hour'), localtime, localtime(0), localtimestamp, localtimestamp(2), make_date(2013, 7, 15), make_interval(days => 10), make_time(8, 15, 23.5), make_timestamp(2013, 7, 15, 8, 15, 23.5), make_timestamptz(2013, 7, 15, 8, 15, 23.5), make_timestamptz(2013, 7, 15, 8, 15, 23.5, 'Europe/London'), now(), statement_timestamp(), timeofday(), transaction_timestamp(), to_timestamp(1284352323)

SELECT (DATE '2001-02-16', DATE '2001-12-21') OVERLAPS (DATE '2001-10-30', DATE '2002-10-30'), (DATE '2001-02-16', INTERVAL '100 days') OVERLAPS (DATE '2001-10-30', DATE '2002-10-30')

SELECT EXTRACT(CENTURY FROM TIMESTAMP '2000-12-16 12:21:13'), EXTRACT(DECADE FROM date '2001-02-16'), EXTRACT(DOW FROM now()), EXTRACT(DOY FROM now()), EXTRACT(EPOCH FROM INTERVAL '5 days 3 hours'), EXTRACT(ISODOW FROM now()), EXTRACT(ISOYEAR FROM DATE '2006-01-01'), EXTRACT(JULIAN FROM DATE '2006-01-01'), EXTRACT(MICROSECONDS FROM TIME '17:12:28.5'), EXTRACT(MILLENNIUM FROM now()), EXTRACT(MILLISECONDS FROM TIME '17:12:28.5'), EXTRACT(QUARTER FROM now()), EXTRACT(TIMEZONE FROM now()), EXTRACT(TIMEZONE_HOUR FROM now()), EXTRACT(WEEK FROM now())

SELECT TIMESTAMP '2001-02-16 20:38:40' AT TIME ZONE 'America/Denver', TIMESTAMP WITH TIME ZONE '2001-02-16 20:38:40-05' AT TIME ZONE 'America/Denver', TIME WITH TIME ZONE '05:34:17-05' AT TIME ZONE 'UTC', timezone('Asia/Tokyo', now()), now() AT TIME ZONE INTERVAL '-08:00'

SELECT 'infinity'::timestamp, '-infinity'::date, 'epoch'::timestamptz, 'now'::date <= current_date, 'today'::date, 'tomorrow'::date, 'yesterday'::date, 'allballs'::time

SELECT INTERVAL '1-2', INTERVAL '3 4:05:06', INTERVAL '1 year 2 months 3 days 4 hours 5 minutes 6 seconds', INTERVAL 'P1Y2M3DT4H5M6S', INTERVAL '1' YEAR, INTERVAL '2:30' HOUR TO MINUTE, INTERVAL '1.5' SECOND(1), INTERVAL(3) '1.23456 seconds'

SELECT 'happy'::mood > 'sad'::mood, enum_first(null::mood), enum_last(null::mood), enum_range(null::mood), enum_range('ok'::mood, NULL), enum_range(NULL, 'ok'::mood)

SELECT box '(0,0),(1,1)' + point '(2,0)', point '(1,0)' * point '(0,1)', lseg '[(0,0),(1,1)]' # lseg '[(1,0),(0,1)]', # path '((1,0),(0,1),(-1,0))', @-@ path '[(0,0),(1,0),(1,1)]', @@ box '(2,2),(0,0)', point '(0,0)' ## lseg '[(2,0),(0,2)]', circle '<(0,0),1>' <-> circle '<(5,0),1>', circle '<(0,0),2>' @> point '(1,1)', point '(1,1)' <@ circle '<(0,0),2>', box '(1,1),(0,0)' && box '(2,2),(0,0)', box '(1,1),(0,0)' << box '(4,4),(3,3)', ?- lseg '[(-1,0),(1,0)]', point '(1,0)' ?- point '(0,0)', lseg '[(0,0),(0,1)]' ?-| lseg '[(0,0),(1,0)]', lseg '[(-1,0),(1,0)]' ?|| lseg '[(-1,2),(1,2)]', polygon '((0,0),(1,1))' ~= polygon '((1,1),(0,0))'

SELECT area(box '(2,2),(0,0)'), center(box '(1,2),(0,0)'), diagonal(box '(1,2),(0,0)'), diameter(circle '<(0,0),2>'), height(box '(1,2),(0,0)'), isclosed(path '((0,0),(1,1),(2,0))'), isopen(path '[(0,0),(1,1),(2,0)]'), length(path '((-1,0),(1,0))'), npoints(path '[(0,0),(1,1),(2,0)]'), pclose(path '[(0,0),(1,1),(2,0)]'), popen(path '((0,0),(1,1),(2,0))'), radius(circle '<(0,0),2>'), slope(point '(0,0)', point '(2,1)'), width(box '(1,2),(0,0)'), box(circle '<(0,0),2>'), box(point '(1,0)'), bound_box(box '(1,1),(0,0)', box '(4,4),(3,3)'), circle(box '(1,1),(0,0)'), line(point '(-1,0)', point '(1,0)'), lseg(box '(1,0),(-1,0)'), path(polygon '((0,0),(1,1),(2,0))'), point(23.4, -44.5), polygon(4, circle '<(3,0),1>')

SELECT inet '192.168.1.5' << inet '192.168.1/24', inet '192.168.1/24' >>= inet '192.168.1/24', inet '192.168.1/24' && inet '192.168.1.80/28', ~ inet '192.168.1.6', inet '192.168.1.6' & inet '0.0.0.255', inet '192.168.1.6' + 25, inet '192.168.1.43' - inet '192.168.1.19', abbrev(inet '10.1.0.0/32'), broadcast(inet '192.168.1.5/24'), family(inet '::1'), host(inet '192.168.1.0/24'), hostmask(inet '192.168.23.20/30'), inet_merge(inet '192.168.1.5/24', inet '192.168.2.5/24'), inet_same_family(inet '192.168.1.5/24', inet '::1'), masklen(inet '192.168.1.5/24'), netmask(inet '192.168.1.5/24'), network(inet '192.168.1.5/24'), set_masklen(inet '192.168.1.5/24', 16), text(inet '192.168.1.5'), trunc(macaddr '12:34:56:78:90:ab'), macaddr8_set7bit(macaddr8 '00:34:56:ab:cd:ef'), '192.168.100.128/25'::cidr

SELECT to_tsvector('fat cats ate rats') @@ to_tsquery('cat & rat'), 'a:1 b:2'::tsvector || 'c:1 d:2 b:3'::tsvector, 'fat | rat'::tsquery && 'cat'::tsquery, !! 'cat'::tsquery, to_tsquery('fat') <-> to_tsquery('rat'), 'cat'::tsquery @> 'cat & rat'::tsquery, 'cat'::tsquery <@ 'cat & rat'::tsquery

SELECT array_to_tsvector(array['fat','cat','rat']), get_current_ts_config(), length('fat:2,4 cat:3 rat:5A'::tsvector), numnode('(fat & rat) | cat'::tsquery), plainto_tsquery('english', 'The Fat Rats'), phraseto_tsquery('english', 'The Cat and Rats'), websearch_to_tsquery('english', '"fat rat" or cat dog'), querytree('foo & ! bar'::tsquery), setweight('fat:2,4 cat:3 rat:5B'::tsvector, 'A'), setweight('fat:2,4 cat:3 rat:5,6B'::tsvector, 'A', '{cat,rat}'), strip('fat:2,4 cat:3 rat:5A'::tsvector), to_tsquery('english', 'The & Fat & Rats'), to_tsvector('english', '{"a":"The Fat Rats"}'::json), json_to_tsvector('english', '{"a":"The Fat Rats","b":123}'::json, '["string","numeric"]'), jsonb_to_tsvector('english', '{"a":"x"}'::jsonb, '"all"'), ts_delete('fat:2,4 cat:3 rat:5A'::tsvector, 'fat'), ts_delete('fat:2,4 cat:3 rat:5A'::tsvector, ARRAY['fat','rat']), ts_filter('fat:2,4 cat:3b,7c rat:5A'::tsvector, '{a,b}'), ts_headline('The fat cat ate the rat.', to_tsquery('cat')), ts_rank(to_tsvector('raining cats and dogs'), to_tsquery('cat')), ts_rank_cd(to_tsvector('raining cats and dogs'), to_tsquery('cat')), ts_rewrite('a & b'::tsquery, 'a'::tsquery, 'foo|bar'::tsquery), tsquery_phrase(to_tsquery('fat'), to_tsquery('cat')), tsquery_phrase(to_tsquery('fat'), to_tsquery('cat'), 10), tsvector_to_array('fat:2,4 cat:3 rat:5A'::tsvector)

SELECT ts_debug('english', 'The Brightest supernovaes')

SELECT * FROM ts_debug('english', 'a fat  cat sat on a mat - it ate a fat rats')

SELECT ts_lexize('english_stem', 'stars'), * FROM ts_parse('default', '123 - a number')

SELECT * FROM ts_token_type('default')

SELECT title, ts_rank_cd(tsv, query, 32) AS rank FROM docs, to_tsquery('fox|(dog & lazy)') query WHERE query @@ tsv ORDER BY rank DESC LIMIT 10

SELECT id, ts_headline('english', body, q, 'MaxFragments=10, MaxWords=7, MinWords=3, StartSel=<<, StopSel=>>') FROM docs, websearch_to_tsquery('english', 'quick fox') q WHERE tsv @@ q LIMIT 3

SELECT gen_random_uuid() IS NOT NULL, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid

SELECT xmlcomment('hello'), xmlconcat('<abc/>', '<bar>foo</bar>'), xmlelement(name foo, xmlattributes('xyz' as bar), 'content'), xmlelement(name foo, xmlattributes('xyz' as bar), xmlelement(name abc), xmlcomment('test')), xmlforest('abc' AS foo, 123 AS bar), xmlpi(name php, 'echo "hello world";'), xmlroot(xmlparse(document '<?xml version="1.1"?><content>abc</content>'), version '1.0', standalone yes), xmlparse(content 'abc<foo>bar</foo>'), xmlserialize(content '<a/>'::xml as text), xmlexists('//town[text() = ''Toronto'']' PASSING BY VALUE '<towns><town>Toronto</town></towns>'), xml_is_well_formed('<>'), xml_is_well_formed_document('<a/>'), xml_is_well_formed_content('a'), xpath('/my:a/text()', '<my:a xmlns:my="http://example.com">test</my:a>', ARRAY[ARRAY['my', 'http://example.com']]), xpath_exists('/a', '<a/>'), '<a/>'::xml IS DOCUMENT

SELECT xmlagg(x) FROM (SELECT xmlelement(name c, name) AS x FROM customers ORDER BY id LIMIT 3) t

SELECT xmlagg(xmlelement(name c, name) ORDER BY id DESC) FROM customers

SELECT xmltable.* FROM (SELECT '<ROWS><ROW id="1"><COUNTRY_ID>AU</COUNTRY_ID></ROW><ROW id="5"><COUNTRY_ID>JP</COUNTRY_ID><SIZE unit="sq_mi">145935</SIZE></ROW></ROWS>'::xml AS data) d, XMLTABLE('//ROWS/ROW' PASSING data COLUMNS id int PATH '@id', ordinality FOR ORDINALITY, "COUNTRY_NAME" text, country_id text PATH 'COUNTRY_ID', size_sq_km float PATH 'SIZE[@unit = "sq_km"]', size_other text PATH 'concat(SIZE[@unit!="sq_km"], " ", SIZE[@unit!="sq_km"]/@unit)', premier_name text PATH 'PREMIER_NAME' DEFAULT 'not specified')

SELECT '[{"a":"foo"},{"b":"bar"},{"c":"baz"}]'::json -> 2, '{"a": {"b":"foo"}}'::json -> 'a', '[1,2,3]'::json ->> 2, '{"a":1,"b":2}'::json ->> 'b', '{"a": {"b": ["foo","bar"]}}'::json #> '{a,b,1}', '{"a": {"b": ["foo","bar"]}}'::json #>> '{a,b,1}', '{"a":1, "b":2}'::jsonb @> '{"b":2}'::jsonb, '{"b":2}'::jsonb <@ '{"a":1, "b":2}'::jsonb, '{"a":1, "b":2}'::jsonb ? 'b', '{"a":1, "b":2, "c":3}'::jsonb ?| array['b', 'd'], '["a", "b", "c"]'::jsonb ?& array['a', 'b'], '["a", "b"]'::jsonb || '["a", "d"]'::jsonb, '{"a": "b", "c": "d"}'::jsonb - 'a', '{"a": "b", "c": "d"}'::jsonb - '{a,c}'::text[], '["a", "b"]'::jsonb - 1, '["a", {"b":1}]'::jsonb #- '{1,b}', '{"a":[1,2,3,4,5]}'::jsonb @? '$.a[*] ? (@ > 2)', '{"a":[1,2,3,4,5]}'::jsonb @@ '$.a[*] > 2'

SELECT to_json('Fred said "Hi."'::text), to_jsonb(row(42, 'Fred said "Hi."'::text)), array_to_json('{ {1,5},{99,100}}'::int[]), row_to_json(row(1,'foo')), row_to_json(row(1,'foo'), true), json_build_array(1, 2, 'foo', 4, 5), jsonb_build_array(1,'a'), json_build_object('foo', 1, 2, row(3,'bar')), jsonb_build_object('foo', 1), json_object('{a, 1, b, "def", c, 3.5}'), jsonb_object('{ {a, 1}, {b, "def"}}'), json_object('{a,b}', '{1,2}'), json_array_length('[1,2,3,{"f1":1,"f2":[5,6]},4]'), jsonb_array_length('[1]'), json_extract_path('{"f2":{"f3":1},"f4":{"f5":99,"f6":"foo"}}','f4', 'f6'), jsonb_extract_path_text('{"f4":{"f6":"foo"}}','f4', 'f6'), jsonb_set('[{"f1":1,"f2":null},2,null,3]', '{0,f1}', '[2,3,4]', false), jsonb_set_lax('[{"f1":1,"f2":null},2,null,3]', '{0,f1}', null), jsonb_insert('{"a": [0,1,2]}', '{a, 1}', '"new_value"'), json_strip_nulls('[{"f1":1, "f2":null}, 2, null, 3]'), jsonb_strip_nulls('{"a":null}'), jsonb_pretty('[{"f1":1,"f2":null}, 2]'), json_typeof('-123.4'), jsonb_typeof('null')

SELECT * FROM json_array_elements('[1,true, [2,false]]')

SELECT * FROM json_array_elements_text('["foo", "bar"]')

SELECT * FROM jsonb_array_elements('[1,true]') WITH ORDINALITY

SELECT * FROM json_each('{"a":"foo", "b":"bar"}')

SELECT * FROM jsonb_each_text('{"a":"foo", "b":"bar"}')

SELECT * FROM json_object_keys('{"f1":"abc","f2":{"f3":"a", "f4":"b"}}')

SELECT * FROM json_populate_record(null::couple, '{"a": 1, "b": "x"}')

SELECT * FROM json_populate_recordset(null::couple, '[{"a":1,"b":2}, {"a":3,"b":4}]')

SELECT * FROM jsonb_to_recordset('[{"a":1,"b":"foo"}, {"a":"2","c":"bar"}]') AS x(a int, b text)

SELECT jsonb_path_exists('{"a":[1,2,3,4,5]}', '$.a[*] ? (@ >= $min && @ <= $max)', '{"min":2, "max":4}'), jsonb_path_match('{"a":[1,2,3,4,5]}', 'exists($.a[*] ? (@ >= $min))', '{"min":2}'), jsonb_path_query_array('{"a":[1,2,3,4,5]}', '$.a[*] ? (@ >= 2)'), jsonb_path_query_first('{"a":[1,2]}', '$.a[*]'), jsonb_path_exists_tz('["2015-08-01 12:00:00-05"]', '$[*] ? (@.datetime() < "2015-08-02".datetime())')

SELECT * FROM jsonb_path_query('{"a":[1,2,3,4,5]}', '$.a[*] ? (@ >= $min && @ <= $max)', '{"min":2, "max":4}')

SELECT jsonb_path_query('{"a":[{"x":1},{"x":2}]}', 'strict $.**.x'), jsonb_path_query('[1, 15]', '$[*] ? (@ > 1).double()')

SELECT jsonb_path_query('"10-03-2017"', '$.datetime("dd-mm-yyyy")'), jsonb_path_query('[1,2,"x"]', '$.size()'), jsonb_path_query('{"a":1}', '$.keyvalue()'), jsonb_path_query('["abc","abd"]', '$[*] ? (@ like_regex "^AB.*c" flag "i")'), jsonb_path_query('["john"]', '$[*] ? (@ starts with "jo")')

SELECT ('{"a": {"b": [1,2]}}'::jsonb)['a']['b'][1], (payload)['user']['name'] FROM events LIMIT 2

SELECT CASE WHEN 1 > 0 THEN 'x' ELSE 'y' END, CASE 2 WHEN 1 THEN 'one' WHEN 2 THEN 'two' END, COALESCE(NULL, 'b'), NULLIF('a', 'b'), GREATEST(1, 2, NULL), LEAST('a', 'b')

SELECT ARRAY[1,4,3] @> ARRAY[3,1,3], ARRAY[2,2,7] <@ ARRAY[1,7,4,2,6], ARRAY[1,4,3] && ARRAY[2,1], ARRAY[1,2,3] || ARRAY[4,5,6,7], 3 || ARRAY[4,5,6], array_append(ARRAY[1,2], 3), array_cat(ARRAY[1,2,3], ARRAY[4,5]), array_dims(ARRAY[[1,2,3], [4,5,6]]), array_fill(11, ARRAY[2,3]), array_fill(7, ARRAY[3], ARRAY[2]), array_length(array[1,2,3], 1), array_lower('[0:2]={1,2,3}'::integer[], 1), array_ndims(ARRAY[[1,2,3], [4,5,6]]), array_position(ARRAY['sun', 'mon', 'tue'], 'mon'), array_positions(ARRAY['A','A','B','A'], 'A'), array_prepend(1, ARRAY[2,3]), array_remove(ARRAY[1,2,3,2], 2), array_replace(ARRAY[1,2,5,4], 5, 3), array_to_string(ARRAY[1, 2, 3, NULL, 5], ',', '*'), array_upper(ARRAY[1,8,3,7], 1), cardinality(ARRAY[[1,2],[3,4]]), trim_array(ARRAY[1,2,3,4,5,6], 2)

SELECT subscripts, x[subscripts] FROM (SELECT generate_subscripts('{a,b,c}'::text[], 1) AS subscripts, '{a,b,c}'::text[] AS x) y

SELECT int4range(10, 20) @> 3, numrange(11.1, 22.2) && numrange(20.0, 30.0), upper(int8range(15, 25)), int4range(10, 20) * int4range(15, 25), isempty(numrange(1, 5)), lower_inc(int4range(1,2)), upper_inf('(,)'::daterange), lower_inf('(,)'::daterange), int8range(1,10) << int8range(100,110), int8range(50,60) >> int8range(20,30), int8range(1,20) &< int8range(18,20), int8range(7,20) &> int8range(5,10), numrange(1.1,2.2) -|- numrange(2.2,3.3), numrange(5,15) + numrange(10,20), int8range(5,15) - int8range(10,20), range_merge('[1,2)'::int4range, '[3,4)'::int4range), '[2010-01-01 14:30, 2010-01-01 15:30)'::tsrange, tstzrange(now(), now() + '1 day', '[]') @> now()

SELECT '{[1,5),[7,9)}'::int4multirange @> 3, int4multirange(int4range(1,4), int4range(5,9)), multirange(int4range(1,2)), '{[1,3)}'::int4multirange + '{[2,5)}'::int4multirange, range_merge('{[1,2), [3,4)}'::int4multirange), lower('{[1,2)}'::int4multirange), isempty('{}'::int4multirange)

SELECT unnest('{[1,2), [3,4)}'::int4multirange), range_agg(r) OVER (), range_intersect_agg(r) OVER () FROM (VALUES (int4range(1,5)), (int4range(3,9))) v(r)

SELECT array_agg(name ORDER BY id DESC), avg(id), bit_and(id), bit_or(id), bit_xor(id), bool_and(id > 0), bool_or(id > 5), count(*), count(email), every(id > 0), json_agg(name), jsonb_agg(id), json_object_agg(id, name), jsonb_object_agg(id, name), max(name), min(id), string_agg(name, ', ' ORDER BY name), sum(id) FROM customers WHERE id < 5

SELECT corr(amount, id), covar_pop(amount, id), covar_samp(amount, id), regr_avgx(amount, id), regr_avgy(amount, id), regr_count(amount, id), regr_intercept(amount, id), regr_r2(amount, id), regr_slope(amount, id), regr_sxx(amount, id), regr_sxy(amount, id), regr_syy(amount, id), stddev(amount), stddev_pop(amount), stddev_samp(amount), variance(amount), var_pop(amount), var_samp(amount) FROM orders

SELECT mode() WITHIN GROUP (ORDER BY status), percentile_cont(0.5) WITHIN GROUP (ORDER BY amount), percentile_cont(ARRAY[0.25,0.5,0.75]) WITHIN GROUP (ORDER BY amount), percentile_disc(0.9) WITHIN GROUP (ORDER BY amount DESC), percentile_disc(ARRAY[0.1,0.9]) WITHIN GROUP (ORDER BY amount) FROM orders

SELECT rank(100) WITHIN GROUP (ORDER BY amount), dense_rank(100) WITHIN GROUP (ORDER BY amount), percent_rank(100) WITHIN GROUP (ORDER BY amount), cume_dist(100) WITHIN GROUP (ORDER BY amount), rank('paid', 3) WITHIN GROUP (ORDER BY status, id) FROM orders

SELECT row_number() OVER w, rank() OVER w, dense_rank() OVER w, percent_rank() OVER w, cume_dist() OVER w, ntile(4) OVER w, lag(amount) OVER w, lag(amount, 2, 0) OVER w, lead(amount) OVER w, first_value(amount) OVER w, last_value(amount) OVER w, nth_value(amount, 2) OVER w FROM orders WINDOW w AS (PARTITION BY status ORDER BY amount), w2 AS (w)

SELECT sum(amount) OVER (w ROWS 2 PRECEDING) FROM orders WINDOW w AS (ORDER BY id)

SELECT id FROM orders WHERE amount = ANY (SELECT max(amount) FROM orders GROUP BY status)

SELECT id FROM orders WHERE amount >= ALL (SELECT amount FROM orders)

SELECT id FROM orders WHERE (id, customer_id) IN (SELECT 1, 2)

SELECT id FROM orders WHERE ROW(id, status) IS DISTINCT FROM ROW(1, 'x') AND NOT EXISTS (SELECT 1 FROM customers c WHERE c.id = orders.customer_id AND c.tenant = 1)

SELECT * FROM generate_series(2,4)

SELECT generate_series('2024-01-01 00:00+00'::timestamptz, '2024-01-03', '1 day') AT TIME ZONE 'America/New_York'

SELECT current_date + s.a AS dates FROM generate_series(0,14,7) AS s(a)

SELECT current_catalog, current_database(), current_role, current_schema, current_schema(), current_schemas(true), current_user, session_user, user, pg_backend_pid() > 0, pg_postmaster_start_time() < now(), pg_trigger_depth(), version() LIKE 'Postgre%', pg_is_other_temp_schema(1), pg_my_temp_schema()

SELECT has_any_column_privilege('orders', 'SELECT'), has_column_privilege('orders', 'id', 'SELECT'), has_database_privilege(current_database(), 'CONNECT'), has_foreign_data_wrapper_privilege('postgres_fdw', 'USAGE'), has_function_privilege('twice(numeric)', 'EXECUTE'), has_language_privilege('sql', 'USAGE'), has_schema_privilege('public', 'USAGE'), has_sequence_privilege('s1', 'SELECT'), has_table_privilege('orders', 'SELECT'), has_tablespace_privilege('pg_default', 'CREATE'), has_type_privilege('mood', 'USAGE'), pg_has_role('pg_read_all_data', 'MEMBER'), row_security_active('rls')

SELECT pg_table_is_visible('orders'::regclass), pg_type_is_visible('mood'::regtype), pg_function_is_visible('twice'::regproc), format_type('numeric'::regtype, 655366), pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'orders'::regclass

SELECT pg_get_viewdef('big_orders'::regclass, true), pg_get_functiondef('twice'::regproc), pg_get_function_arguments('twice'::regproc), pg_get_function_result('twice'::regproc), pg_get_function_identity_arguments('twice'::regproc), pg_get_indexdef('orders_pkey'::regclass), pg_get_userbyid(10), pg_get_serial_sequence('docs', 'id'), pg_get_keywords() IS NOT NULL LIMIT 1

SELECT obj_description('orders'::regclass, 'pg_class'), col_description('orders'::regclass, 1), shobj_description(1, 'pg_database'), pg_describe_object('pg_class'::regclass, 'orders'::regclass, 0), to_regclass('orders'), to_regtype('int'), to_regproc('now'), to_regnamespace('public'), to_regrole('postgres'), pg_typeof(33), collation for ('foo' COLLATE "C"), pg_encoding_to_char(6), pg_char_to_encoding('UTF8')

SELECT pg_column_size(1), pg_size_pretty(12345678::bigint), pg_size_bytes('10 MB'), pg_database_size(current_database()) > 0, pg_relation_size('orders') > 0, pg_total_relation_size('orders'), pg_table_size('orders'), pg_indexes_size('orders'), pg_column_compression('a'::text)

SELECT pg_tablespace_size('pg_default') > 0

SELECT pg_current_snapshot(), pg_snapshot_xmin(pg_current_snapshot()), pg_current_xact_id_if_assigned(), pg_visible_in_snapshot('1'::xid8, pg_current_snapshot())

SELECT * FROM pg_options_to_table(ARRAY['a=b'])

SELECT * FROM pg_get_catalog_foreign_keys() LIMIT 3

SELECT * FROM pg_timezone_names WHERE name = 'UTC'

SELECT * FROM pg_timezone_abbrevs LIMIT 2

SELECT * FROM orders TABLESAMPLE BERNOULLI (50) REPEATABLE (42)

SELECT count(*) FROM orders TABLESAMPLE SYSTEM (100)

SELECT * FROM parts WHERE region = 'eu' UNION ALL SELECT * FROM ONLY parts_us

SELECT tableoid::regclass, * FROM parts LIMIT 3

SELECT ctid, xmin, cmin, xmax, cmax FROM orders LIMIT 1

SELECT 'abc' COLLATE "C" < 'ABC' COLLATE "C", name FROM customers ORDER BY name COLLATE "en-x-icu" LIMIT 1

SELECT pg_collation_actual_version('"en-x-icu"'::regcollation)

SELECT 'foo'
'bar'

SELECT 42, 3.5, 4., .001, 5e2, 1.925e-3

SELECT int '5' / 2, 5::money, '1000.00'::money::numeric, true AND NOT false OR NULL, 'yes'::boolean, 't'::bool IS TRUE, NULL IS UNKNOWN

SELECT 'NaN'::float8, 'Infinity'::numeric, '-Infinity'::real, 1e308::float8, 12345678901234567890.123456789012345678901234567890::numeric

SELECT * FROM specials

SELECT '[1.234, 5.678]'::floatrange, floatrange(1.0, 2.5), floatrange(1, 2, '[]') @> 1.5::float8

SELECT '{5}'::positive[], NULL::customers, ROW(1, 'x')::couple, (NULL::orders).amount
