SELECT abs(-5), abs(NULL), changes(), char(72, 105), coalesce(NULL, 1), glob('a*', 'abc'), hex('abc'), hex(x'00ff'), ifnull(NULL, 2), iif(1, 'a', 'b'), instr('hello', 'l'), last_insert_rowid(), length('héllo'), length(x'0102'), like('a%', 'abc'), like('a\%', 'a%', '\'), likelihood(1, 0.5), likely(1), lower('ABC'), ltrim('  a'), ltrim('xxa', 'x'), max(1, 2, 3), min(1, 2, 3), nullif(1, 1), printf('%d %s', 1, 'a'), quote('it''s'), quote(x'00'), random() IS NOT NULL, length(randomblob(4)), replace('abc', 'b', 'x'), round(1.2345, 2), round(1.5), rtrim('a  '), rtrim('axx', 'x'), sign(-3), soundex('Robert'), sqlite_compileoption_get(0), sqlite_compileoption_used('ENABLE_FTS5'), sqlite_source_id(), sqlite_version(), substr('hello', 2), substr('hello', -3, 2), substring('hello', 1, 2), total_changes(), trim('  a '), trim('xxaxx', 'x'), typeof(1.0), unicode('A'), unlikely(0), upper('abc'), zeroblob(4)

SELECT format('%5d|%-5d|%05d|%+d|%,d|%x|%X|%o|%e|%g|%.2f|%10.3f|%c|%s|%q|%Q|%w|%%|%!.15g', 1, 2, 3, 4, 1234567, 255, 255, 8, 1.5, 1.5, 1.005, 2.5, 'x', 'str', 'it''s', 'it''s', 'a"b', 0.1)

SELECT printf('%*d', 5, 42), printf('%-10s|', 'ab'), printf('%.*f', 2, 3.14159), printf('%lld', 9223372036854775807), printf('%.3s', 'abcdef')

SELECT acos(1), acosh(1), asin(0), asinh(0), atan(1), atan2(1, 1), atanh(0), ceil(1.2), ceiling(1.2), cos(0), cosh(0), degrees(pi()), exp(1), floor(1.8), ln(2), log(100), log(2, 8), log10(100), log2(8), mod(10, 3), pi(), pow(2, 10), power(2, 10), radians(180), sin(0), sinh(0), sqrt(16), tan(0), tanh(0), trunc(1.9)

SELECT date('now'), time('now'), datetime('now'), julianday('now'), strftime('%Y-%m-%d', 'now'), unixepoch('now')

SELECT date('2024-01-31', '+1 month'), date('2024-03-15', 'start of month', '+1 month', '-1 day'), date('2024-03-15', 'start of year', '+9 months', 'weekday 2'), datetime(1092941466, 'unixepoch'), datetime(1092941466, 'auto'), datetime('2024-01-01 12:00', 'localtime') IS NOT NULL, datetime('2024-01-01 12:00', 'utc') IS NOT NULL, julianday('2024-01-01') - julianday('1776-07-04'), strftime('%s', '2024-01-01') - strftime('%s', '2004-01-01 02:34:56'), time('12:00', '+90 minutes'), date('2024-01-01', '+1 day', '-1 year'), date(2460000.5), date('2024-W01'), unixepoch('2024-01-01', 'subsec')

SELECT strftime('%d %f %H %j %J %m %M %s %S %w %W %Y %%', '2024-02-29 12:34:56.789')

SELECT current_date, current_time, current_timestamp

SELECT avg(amount), count(*), count(DISTINCT status), group_concat(status), group_concat(status, ';'), group_concat(DISTINCT status), max(amount), min(amount), sum(amount), total(amount) FROM orders

SELECT sum(amount) FILTER (WHERE status = 'paid') FROM orders

SELECT row_number() OVER w, rank() OVER w, dense_rank() OVER w, percent_rank() OVER w, cume_dist() OVER w, ntile(4) OVER w, lag(amount) OVER w, lag(amount, 2, 0) OVER w, lead(amount) OVER w, first_value(amount) OVER w, last_value(amount) OVER w, nth_value(amount, 2) OVER w FROM orders WINDOW w AS (PARTITION BY status ORDER BY amount)

SELECT id, sum(amount) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM orders

SELECT id, sum(amount) OVER (ORDER BY id RANGE BETWEEN 5 PRECEDING AND 5 FOLLOWING EXCLUDE CURRENT ROW) FROM orders

SELECT id, sum(amount) OVER (ORDER BY status GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE TIES) FROM orders

SELECT id, group_concat(status, '.') OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE GROUP) FROM orders

SELECT status, sum(amount) FILTER (WHERE id > 5) OVER (PARTITION BY status) FROM orders

SELECT sum(amount) OVER (w ORDER BY id) FROM orders WINDOW w AS (PARTITION BY status)

WITH RECURSIVE cnt(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM cnt WHERE x<1000000) SELECT x FROM cnt LIMIT 5

WITH RECURSIVE under(id, level) AS (VALUES(1, 0) UNION ALL SELECT e.id, u.level+1 FROM employees e JOIN under u ON e.manager_id = u.id ORDER BY 2 DESC) SELECT substr('..........',1,level*3) || id FROM under

WITH RECURSIVE xaxis(x) AS (VALUES(-2.0) UNION ALL SELECT x+0.05 FROM xaxis WHERE x<1.2), yaxis(y) AS (VALUES(-1.0) UNION ALL SELECT y+0.1 FROM yaxis WHERE y<1.0), m(iter, cx, cy, x, y) AS (SELECT 0, x, y, 0.0, 0.0 FROM xaxis, yaxis UNION ALL SELECT iter+1, cx, cy, x*x-y*y + cx, 2.0*x*y + cy FROM m WHERE (x*x + y*y) < 4.0 AND iter<28), m2(iter, cx, cy) AS (SELECT max(iter), cx, cy FROM m GROUP BY cx, cy), a(t) AS (SELECT group_concat( substr(' .+*#', 1+min(iter/7,4), 1), '') FROM m2 GROUP BY cy) SELECT group_concat(rtrim(t),x'0a') FROM a

WITH RECURSIVE input(sud) AS (VALUES('53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79')), digits(z, lp) AS (VALUES('1', 1) UNION ALL SELECT CAST(lp+1 AS TEXT), lp+1 FROM digits WHERE lp<9), x(s, ind) AS (SELECT sud, instr(sud, '.') FROM input UNION ALL SELECT substr(s, 1, ind-1) || z || substr(s, ind+1), instr( substr(s, 1, ind-1) || z || substr(s, ind+1), '.' ) FROM x, digits AS z WHERE ind>0 AND NOT EXISTS ( SELECT 1 FROM digits AS lp WHERE z.z = substr(s, ((ind-1)/9)*9 + lp, 1) OR z.z = substr(s, ((ind-1)%9) + (lp-1)*9 + 1, 1) OR z.z = substr(s, (((ind-1)/3) % 3) * 3 + ((ind-1)/27) * 27 + lp + ((lp-1) / 3) * 6, 1))) SELECT s FROM x WHERE ind=0

WITH a AS MATERIALIZED (SELECT 1 AS x), b AS NOT MATERIALIZED (SELECT 2 AS y) SELECT * FROM a, b

SELECT * FROM orders o RIGHT JOIN customers c ON c.id = o.customer_id LIMIT 3

SELECT * FROM orders o FULL OUTER JOIN customers c ON c.id = o.customer_id LIMIT 3

SELECT * FROM orders NATURAL JOIN (SELECT id, name FROM customers) LIMIT 3

SELECT * FROM orders o CROSS JOIN customers c LIMIT 1

SELECT * FROM orders o JOIN (SELECT id AS customer_id, name FROM customers) USING (customer_id) LIMIT 1

SELECT * FROM (orders o LEFT JOIN customers c ON o.customer_id = c.id) LIMIT 1

SELECT json('{"a": 1}'), json_array(1, 'x', json('[1]')), json_array_length('[1,2,3]'), json_array_length('{"a":[1]}', '$.a'), json_extract('{"a":{"b":[1,2]}}', '$.a.b[1]'), '{"a":1}' -> 'a', '{"a":"x"}' ->> 'a', '[1,2]' ->> 1, '[1,2]' -> '$[#-1]', json_insert('{"a":1}', '$.b', 2), json_object('a', 1, 'b', json('null')), json_patch('{"a":1}', '{"b":2}'), json_quote('x'), json_remove('[0,1,2]', '$[1]'), json_replace('{"a":1}', '$.a', 2), json_set('{"a":1}', '$.c', 3), json_type('{"a":1}'), json_type('[1.5]', '$[0]'), json_valid('{"a":1}')

SELECT json_group_array(id), json_group_object(id, status) FROM orders WHERE id < 4

SELECT key, value, type, atom, id, parent, fullkey, path FROM json_each('{"a":1,"b":[2,3]}')

SELECT * FROM json_tree('{"a":1,"b":[2,3]}') WHERE atom IS NOT NULL

SELECT e.id, j.value FROM events e, json_each(e.payload, '$.tags') j LIMIT 5

SELECT DISTINCT e.id FROM events e, json_tree(e.payload) t WHERE t.type = 'integer' AND t.value = 3

SELECT payload ->> '$.user.id' AS uid, count(*) FROM events GROUP BY 1

SELECT title, snippet(ft5, 1, '<b>', '</b>', '...', 8), highlight(ft5, 0, '[', ']'), bm25(ft5), bm25(ft5, 10.0, 5.0), rank FROM ft5 WHERE ft5 MATCH 'quick AND fox*' ORDER BY rank LIMIT 3

SELECT * FROM ft5('run')

SELECT * FROM ft5 WHERE ft5 MATCH 'title: doc NOT number' LIMIT 2

SELECT * FROM ft5 WHERE ft5 = 'NEAR(quick number, 5)' LIMIT 2

SELECT rowid, title FROM ft5 WHERE body MATCH '"quick foxes"' ORDER BY bm25(ft5) LIMIT 1

SELECT title, snippet(ft4), offsets(ft4), hex(matchinfo(ft4)) FROM ft4 WHERE ft4 MATCH 'quick' LIMIT 2

SELECT * FROM ft4 WHERE body MATCH 'qui* number' LIMIT 2

SELECT * FROM ft4 WHERE docid = 1

SELECT id FROM rt WHERE minx <= 7 AND maxx >= 7

SELECT * FROM rt WHERE id = 1

SELECT * FROM strict_t

SELECT * FROM gen WHERE b > 2

SELECT * FROM wr WHERE a = 'x'

SELECT rowid, _rowid_, oid, * FROM orders LIMIT 1

SELECT * FROM sqlite_schema

SELECT name, sql FROM sqlite_master WHERE type = 'table'

SELECT type, name FROM main.sqlite_schema WHERE name NOT LIKE 'sqlite_%'

SELECT tbl, idx, stat FROM sqlite_stat1

SELECT m.name, p.* FROM sqlite_schema m, pragma_table_info(m.name) p WHERE m.type = 'table'

SELECT * FROM pragma_table_info('orders')

SELECT * FROM pragma_table_xinfo('gen')

SELECT * FROM pragma_table_list

SELECT * FROM pragma_index_list('customers')

SELECT * FROM pragma_index_info('ix_cust_email')

SELECT * FROM pragma_index_xinfo('ix_cust_email')

SELECT * FROM pragma_foreign_key_list('orders')

VALUES (1, 2), (3, 4)

SELECT 1 UNION SELECT 2 EXCEPT SELECT 1

SELECT 1 INTERSECT SELECT 1

SELECT DISTINCT status FROM orders ORDER BY status COLLATE NOCASE DESC NULLS LAST

SELECT * FROM orders ORDER BY amount DESC LIMIT 5 OFFSET 2

SELECT * FROM orders LIMIT 2, 3

SELECT CAST('12' AS INTEGER), CAST(1.5 AS TEXT), CAST('x' AS BLOB), CAST('1.5' AS REAL), CAST('1' AS NUMERIC)

SELECT 1 = 1.0, 'a' < 'b', 5 / 2, 5 % 2, 5.0 / 2, 1 << 4, 8 >> 1, 6 & 3, 6 | 3, ~1, 'a' || 'b', NOT 0, -(-1), +1, 1 IS 1, 1 IS NOT 2, NULL IS NULL, NULL ISNULL, 1 NOTNULL, 1 NOT NULL, 2 BETWEEN 1 AND 3, 2 NOT BETWEEN 3 AND 4, 1 IN (1, 2), 1 NOT IN (2), 'abc' LIKE 'A%', 'abc' GLOB 'a?c', 'a%' LIKE 'a\%' ESCAPE '\', 1 IS DISTINCT FROM 2, 1 == 1, 1 <> 2, 1 != 2

SELECT CASE WHEN 1 THEN 'a' ELSE 'b' END, CASE 1 WHEN 1 THEN 'x' END

SELECT EXISTS (SELECT 1 FROM orders WHERE amount > 100), (SELECT max(amount) FROM orders), id IN (SELECT customer_id FROM orders) FROM customers LIMIT 1

SELECT (1, 2) = (1, 2), (1, 2) < (1, 3), (id, status) IN (SELECT 1, 'paid') FROM orders LIMIT 1

SELECT * FROM orders WHERE (id, customer_id) IN (VALUES (1, 2), (2, 3))

SELECT 'it''s', "id", [id], `id` FROM orders LIMIT 1

SELECT "größe", "select" FROM "Weird ""Tähle"

SELECT * FROM [Weird "Tähle]

SELECT 'ünïcödé 日本語 🎉' AS "🎉", unicode('🎉'), length('🎉'), upper('ü')

SELECT o.*, c.name AS 顧客 FROM orders AS o, customers AS c WHERE o.customer_id = c.id LIMIT 1

SELECT 1 -- comment

/* block */ SELECT /* inline */ 1 /* end */

SELECT 1; -- trailing

 ; SELECT 1

SELECT status, count(*) AS n FROM orders GROUP BY status HAVING n > 5 ORDER BY n DESC

SELECT strftime('%Y-%m', created_at) AS month, sum(amount) FROM orders GROUP BY month

SELECT status, amount, max(amount) FROM orders GROUP BY status

SELECT count(*), sum(amount > 100), avg(amount > 100) * 100 FROM orders

SELECT * FROM customers INDEXED BY ix_cust_email WHERE email = 'c1@example.org'

SELECT * FROM orders NOT INDEXED LIMIT 1

SELECT a.id, b.id FROM orders a, orders b WHERE a.id = b.id + 1 AND a.status = b.status

SELECT typeof(NULL), typeof(1), typeof(1.5), typeof('a'), typeof(x'00')

SELECT 9223372036854775807, -9223372036854775808, 9223372036854775807 + 1, 1e308 * 10, -1e308 * 10, 0.0 / 0

SELECT substr(name, instr(name, ' ') + 1) FROM customers LIMIT 3

SELECT upper(substr(name, 1, 1)) || lower(substr(name, 2)) FROM customers LIMIT 1

SELECT round(julianday('2024-03-01') - julianday(created_at)) AS days FROM orders LIMIT 2

SELECT date(created_at, 'weekday 0', '-6 days') AS week, count(*) FROM orders GROUP BY week

SELECT CAST(strftime('%w', created_at) AS INTEGER) AS dow, count(*) FROM orders GROUP BY dow

SELECT sum(CASE WHEN status = 'paid' THEN amount END) AS paid, sum(CASE WHEN status = 'open' THEN amount ELSE 0 END) AS open FROM orders

SELECT customer_id, amount, amount - lag(amount) OVER (PARTITION BY customer_id ORDER BY created_at) AS delta FROM orders

SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY status ORDER BY amount DESC) AS rn FROM orders) WHERE rn <= 2

SELECT 'DROP TABLE x' AS "delete", "update".x FROM (SELECT 1 AS x) "update"

SELECT sum(x) FROM (SELECT 1 AS x UNION ALL SELECT 2)

SELECT * FROM json_each((SELECT json_group_array(name) FROM customers)) LIMIT 2

SELECT value FROM json_each('["a","b"]') ORDER BY value DESC

SELECT length(hex(zeroblob(100))), substr(hex(randomblob(2)), 1, 4) IS NOT NULL

SELECT replace(printf('%.c', 10), ' ', 'x') IS NOT NULL, printf('%.20c', '*')

WITH t(a,b) AS (VALUES (1,'x'),(2,'y')) SELECT * FROM t WHERE b = 'y'

WITH split(word, rest) AS (SELECT '', 'a,b,c' || ',' UNION ALL SELECT substr(rest, 0, instr(rest, ',')), substr(rest, instr(rest, ',')+1) FROM split WHERE rest <> '') SELECT word FROM split WHERE word <> ''

WITH RECURSIVE dates(d) AS (SELECT '2024-01-01' UNION ALL SELECT date(d, '+1 day') FROM dates WHERE d < '2024-01-31') SELECT d, count(o.id) FROM dates LEFT JOIN orders o ON date(o.created_at) = d GROUP BY d

WITH RECURSIVE fib(a, b) AS (SELECT 0, 1 UNION ALL SELECT b, a+b FROM fib LIMIT 20) SELECT a FROM fib

SELECT term, col, doc, cnt FROM sqlite_schema LEFT JOIN (SELECT 1 AS term, 2 AS col, 3 AS doc, 4 AS cnt) ON 0 LIMIT 1

SELECT highlight(docs, 1, '*', '*') FROM docs WHERE docs MATCH 'fox' LIMIT 1

SELECT count(*) FROM docs WHERE docs MATCH '^the'

SELECT * FROM ft5_config

SELECT id, quote(sz) FROM ft5_docsize LIMIT 1

SELECT likelihood(amount > 100, 0.1), unlikely(amount > 100) FROM orders LIMIT 1

SELECT max(created_at), min(created_at), julianday(max(created_at)) - julianday(min(created_at)) FROM orders

SELECT total(NULL), sum(NULL), avg(NULL), count(NULL)

SELECT trim(x'0a20'), trim('--a--', '-'), unicode(''), char()

SELECT 'abc' COLLATE NOCASE = 'ABC', 'a ' COLLATE RTRIM = 'a', 'a' COLLATE BINARY = 'A'

SELECT * FROM orders AS o WHERE o.amount > (SELECT avg(amount) FROM orders i WHERE i.status = o.status) LIMIT 3

SELECT DISTINCT customer_id, first_value(amount) OVER (PARTITION BY customer_id ORDER BY created_at) FROM orders LIMIT 3

SELECT id, amount, sum(amount) OVER () AS total, round(100.0 * amount / sum(amount) OVER (), 2) AS pct FROM orders LIMIT 3

SELECT "orders"."status" AS "status", SUM("orders"."amount") AS "sum" FROM "orders" LEFT JOIN "customers" AS "Customers" ON "orders"."customer_id" = "Customers"."id" WHERE "Customers"."tenant" = 1 GROUP BY "orders"."status" ORDER BY "sum" DESC, "orders"."status" ASC LIMIT 1048575

SELECT DATETIME(created_at, 'start of month') AS __timestamp, COUNT(*) AS "COUNT(*)" FROM orders GROUP BY DATETIME(created_at, 'start of month') LIMIT 10000 OFFSET 0

SELECT main.orders.id FROM main.orders LIMIT 1

SELECT * FROM temp.sqlite_schema

SELECT * FROM sqlite_temp_schema

SELECT julianday('now') - 2440587.5, (julianday('now') - 2440587.5)*86400.0 > 0

SELECT json_array(1,2) -> '$[0]', json_extract('{"a":[1,2]}', '$.a', '$.b'), json_extract(payload, '$.user.id', '$.n') FROM events LIMIT 1

SELECT ifnull(max(id), 0) + 1 FROM orders

SELECT * FROM customers WHERE name LIKE '%\_%' ESCAPE '\'

SELECT sum(length(name)) AS chars FROM customers GROUP BY tenant ORDER BY 1
