SELECT o.* FROM orders AS o

SELECT ALL status FROM orders LIMIT 3

SELECT orders.id, customers.name FROM orders, customers WHERE orders.customer_id = customers.id AND customers.tenant = 1

SELECT * FROM ONLY orders WHERE id < 3

SELECT * FROM orders * LIMIT 1

SELECT id i, amount a FROM orders o (id, customer, amount) LIMIT 2

SELECT * FROM customers c(cid, cname) WHERE cid < 3

SELECT * FROM (orders JOIN customers ON customer_id = customers.id) LIMIT 1

SELECT j.name FROM (customers JOIN orders ON customers.id = orders.customer_id) AS j(id, name) LIMIT 1

SELECT * FROM orders JOIN customers USING (id) AS u WHERE u.id = 1

SELECT * FROM customers c INNER JOIN orders o ON (c.id = o.customer_id) LEFT OUTER JOIN events e ON (e.id = o.id AND e.kind = 'buy') WHERE o.amount > 200

SELECT c.id FROM customers c LEFT JOIN (orders o JOIN events e ON e.id = o.id) ON o.customer_id = c.id WHERE e.id IS NULL

SELECT a.id, b.id FROM orders a JOIN orders b ON b.id = a.id + 1 AND b.status IS DISTINCT FROM a.status LIMIT 5

SELECT count(*) FROM orders GROUP BY ()

SELECT status, customer_id % 2, count(*) FROM orders GROUP BY status, customer_id % 2 ORDER BY 1, 2

SELECT status AS s, count(*) FROM orders GROUP BY s ORDER BY s

SELECT customer_id, status, sum(amount) FROM orders GROUP BY customer_id, CUBE (status) HAVING sum(amount) > 500

SELECT status, date_trunc('month', created_at) AS m, sum(amount) FROM orders GROUP BY GROUPING SETS ((status), (date_trunc('month', created_at)), ROLLUP (status, date_trunc('month', created_at)))

SELECT status, count(*) FROM orders GROUP BY DISTINCT ROLLUP (status), ROLLUP (status)

SELECT c.id, c.name, count(o.id) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.id

SELECT dept, salary, sum(salary) OVER (PARTITION BY dept ORDER BY salary DESC ROWS UNBOUNDED PRECEDING) FROM employees

SELECT dept, salary, salary - avg(salary) OVER (PARTITION BY dept) AS diff, rank() OVER (PARTITION BY dept ORDER BY salary DESC NULLS LAST) FROM employees ORDER BY dept, 4

SELECT name, salary, lag(salary, 1, 0::numeric) OVER d, lead(name) OVER d FROM employees WINDOW d AS (PARTITION BY dept ORDER BY hired)

SELECT name, count(*) OVER (ORDER BY hired RANGE BETWEEN '1 year' PRECEDING AND '1 year' FOLLOWING) FROM employees

SELECT name, array_agg(name) OVER (ORDER BY salary ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE GROUP) FROM employees

SELECT dept, first_value(name) OVER (PARTITION BY dept ORDER BY salary DESC), last_value(name) OVER (PARTITION BY dept ORDER BY salary RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM employees

SELECT max(salary) FILTER (WHERE dept = 'eng') OVER () - max(salary) FILTER (WHERE dept = 'ops') OVER () FROM employees LIMIT 1

SELECT w1.*, sum(n) OVER base FROM (SELECT generate_series(1, 3) AS n) w1 WINDOW root AS (ORDER BY n), base AS (root ROWS 1 PRECEDING)

SELECT id FROM orders WHERE created_at::date = (SELECT max(created_at)::date FROM orders)

SELECT id, (SELECT name FROM customers WHERE id = o.customer_id) FROM orders o ORDER BY amount DESC LIMIT 3

SELECT * FROM orders WHERE (customer_id, status) IN (SELECT id, 'paid' FROM customers WHERE tenant = 0)

SELECT * FROM orders o WHERE NOT EXISTS (SELECT * FROM orders x WHERE x.customer_id = o.customer_id AND x.amount > o.amount)

SELECT DISTINCT ON (customer_id) customer_id, id, amount FROM orders ORDER BY customer_id, amount DESC, id

SELECT DISTINCT ON (date_trunc('week', created_at)) id FROM orders ORDER BY date_trunc('week', created_at), created_at

SELECT id, amount FROM orders ORDER BY amount DESC FETCH FIRST 3 ROWS WITH TIES

SELECT id FROM orders ORDER BY status COLLATE "C" DESC NULLS FIRST, amount + id, 1 OFFSET 5 ROWS FETCH NEXT 2 ROWS ONLY

SELECT id FROM orders ORDER BY CASE status WHEN 'paid' THEN 1 WHEN 'open' THEN 2 ELSE 3 END, random() LIMIT 5

SELECT status FROM orders UNION SELECT kind FROM events UNION ALL SELECT dept FROM employees ORDER BY 1

SELECT id FROM orders INTERSECT SELECT id FROM customers EXCEPT ALL SELECT id FROM employees

(SELECT id FROM orders ORDER BY amount LIMIT 2) UNION ALL (SELECT id FROM customers ORDER BY name DESC LIMIT 2)

VALUES (1, 'one'), (2, 'two') ORDER BY column2 DESC LIMIT 1

SELECT * FROM (VALUES (1, 2), (3, 4)) AS v WHERE column1 > 1

SELECT v.* FROM (VALUES ('a', ARRAY[1, 2]), ('b', NULL)) AS v(k, xs), unnest(v.xs) x

TABLE orders

TABLE orders ORDER BY id LIMIT 2

TABLE ONLY customers

WITH t AS (TABLE customers) SELECT count(*) FROM t

WITH regional AS (SELECT tenant, sum(amount) AS total FROM orders JOIN customers c ON c.id = customer_id GROUP BY tenant), top AS (SELECT tenant FROM regional WHERE total > (SELECT sum(total) / 10 FROM regional)) SELECT tenant, status, sum(amount) FROM orders JOIN customers c ON c.id = customer_id WHERE tenant IN (SELECT tenant FROM top) GROUP BY tenant, status

WITH RECURSIVE included(id, manager_id, depth) AS (SELECT id, manager_id, 0 FROM employees WHERE manager_id IS NULL UNION ALL SELECT e.id, e.manager_id, i.depth + 1 FROM included i, employees e WHERE e.manager_id = i.id) SELECT depth, count(*) FROM included GROUP BY depth

WITH RECURSIVE up AS (SELECT id, manager_id, name FROM employees WHERE id = 33 UNION SELECT e.id, e.manager_id, e.name FROM employees e JOIN up ON e.id = up.manager_id) TABLE up

WITH RECURSIVE search_graph(id, link, depth) AS (SELECT id, manager_id, 1 FROM employees UNION ALL SELECT g.id, g.manager_id, sg.depth + 1 FROM employees g, search_graph sg WHERE g.id = sg.link AND depth < 3) CYCLE id SET is_cycle TO 'Y' DEFAULT 'N' USING path SELECT * FROM search_graph LIMIT 5

WITH RECURSIVE walk(n, path) AS (SELECT 1, ARRAY[1] UNION ALL SELECT n + k, path || n + k FROM walk, (VALUES (1), (2)) s(k) WHERE n < 6) SELECT count(*) FROM walk WHERE n = 6

WITH RECURSIVE pow2(i, v) AS (SELECT 0, 1::numeric UNION ALL SELECT i + 1, v * 2 FROM pow2 WHERE i < 64) SELECT max(v) FROM pow2

WITH RECURSIVE cal(d) AS (SELECT date '2024-01-01' UNION ALL SELECT (d + interval '1 month')::date FROM cal WHERE d < '2024-12-01') SELECT d, count(o.id) FROM cal LEFT JOIN orders o ON date_trunc('month', o.created_at)::date = d GROUP BY d

WITH x AS (SELECT 1 AS a), y AS (SELECT a + 1 AS b FROM x) SELECT (SELECT b FROM y), x.* FROM x

SELECT c.name, recent.* FROM customers c, LATERAL (SELECT id, amount FROM orders o WHERE o.customer_id = c.id ORDER BY created_at DESC LIMIT 1) AS recent

SELECT c.id, stats.lo, stats.hi FROM customers c LEFT JOIN LATERAL (SELECT min(amount) AS lo, max(amount) AS hi FROM orders WHERE customer_id = c.id) stats ON stats.hi > 100

SELECT e.id, tag FROM events e, unnest(e.tags) AS tag WHERE tag <> 'x' LIMIT 5

SELECT e.id, t.tag, t.n FROM events e CROSS JOIN LATERAL unnest(e.tags) WITH ORDINALITY AS t(tag, n) WHERE e.id < 3

SELECT e.id, x.key, x.value FROM events e, jsonb_each_text(e.payload) x WHERE e.id = 1

SELECT payload -> 'user' ->> 'name' AS u, count(*), avg((payload ->> 'n')::int) FROM events GROUP BY 1 ORDER BY 2 DESC, 1

SELECT jsonb_agg(payload -> 'n' ORDER BY id) FILTER (WHERE payload ? 'n') FROM events WHERE id < 5

SELECT id FROM events WHERE payload @? '$.tags[*] ? (@ == "a")' AND payload['user']['id'] = '3'

SELECT jsonb_object_agg(k, n) FROM (SELECT kind AS k, count(*) AS n FROM events GROUP BY kind) s

SELECT to_jsonb(o) - 'amount' || jsonb_build_object('big', amount > 100) FROM orders o LIMIT 2

SELECT row_to_json(t) FROM (SELECT id, (SELECT json_agg(x) FROM (SELECT id, amount FROM orders WHERE customer_id = c.id LIMIT 2) x) AS orders FROM customers c LIMIT 2) t

SELECT kind, string_agg(DISTINCT tags[1], ',' ORDER BY tags[1]) FROM events GROUP BY kind

SELECT tags[1:1] || ARRAY['new'], array_position(tags, 'x'), 'x' = ANY (tags) FROM events LIMIT 2

SELECT id FROM events WHERE tags @> ARRAY['t1'] AND tags && '{t1,t2}' AND cardinality(tags) = 2

SELECT id, span * int4range(5, 8) FROM events WHERE span && int4range(5, 8) AND NOT isempty(span)

SELECT unnest(range_agg(span)) FROM events WHERE id IN (1, 2, 50)

SELECT ts_headline('english', 'the quick brown fox', q), ts_rank(body, q) FROM events, websearch_to_tsquery('english', 'quick fox') q WHERE body @@ q ORDER BY 2 DESC LIMIT 3

SELECT count(*) FROM events WHERE body @@ to_tsquery('english', 'fox:* & !dog')

SELECT attrs -> 'k', attrs ?& ARRAY['k', 'n'], (each(attrs)).key FROM events LIMIT 2

SELECT path, subltree(path, 0, 1) FROM events WHERE path <@ 'top' LIMIT 1

SELECT host(ip), ip << '10.0.0.0/8' FROM events WHERE ip <<= inet '10/8' LIMIT 1

SELECT feeling, count(*) FROM events WHERE feeling >= 'ok' GROUP BY feeling ORDER BY feeling DESC

SELECT date_trunc('hour', at) AS h, count(*) FILTER (WHERE kind = 'view') AS views, count(*) FILTER (WHERE kind = 'buy') AS buys, round(100.0 * count(*) FILTER (WHERE kind = 'buy') / nullif(count(*) FILTER (WHERE kind = 'view'), 0), 2) AS rate FROM events GROUP BY h HAVING count(*) > 0 ORDER BY h LIMIT 5

SELECT u, at, sum(fresh) OVER (PARTITION BY u ORDER BY at) AS session FROM (SELECT "User Name" AS u, at, CASE WHEN at - lag(at) OVER (PARTITION BY "User Name" ORDER BY at) < '30 min' THEN 0 ELSE 1 END AS fresh FROM events) s LIMIT 5

WITH daily AS (SELECT created_at::date AS day, sum(amount) AS total FROM orders GROUP BY 1) SELECT day, total, avg(total) OVER (ORDER BY day ROWS BETWEEN 6 PRECEDING AND CURRENT ROW), total / lag(total) OVER (ORDER BY day) - 1 AS growth FROM daily ORDER BY day LIMIT 10

WITH m AS (SELECT customer_id, max(created_at) AS last, count(*) AS n, sum(amount) AS total FROM orders GROUP BY 1) SELECT ntile(5) OVER (ORDER BY last) AS r, ntile(5) OVER (ORDER BY n) AS f, ntile(5) OVER (ORDER BY total) AS m, customer_id FROM m

WITH ranked AS (SELECT customer_id, amount, row_number() OVER (PARTITION BY customer_id ORDER BY amount) AS i, count(*) OVER (PARTITION BY customer_id) AS n FROM orders) SELECT customer_id, avg(amount) AS median FROM ranked WHERE i IN ((n + 1) / 2, (n + 2) / 2) GROUP BY 1

WITH totals AS (SELECT customer_id, sum(amount) AS t FROM orders GROUP BY 1) SELECT customer_id, t, sum(t) OVER (ORDER BY t DESC) / sum(t) OVER () AS cumulative FROM totals ORDER BY t DESC LIMIT 5

SELECT status, percentile_cont(ARRAY[0.5, 0.9, 0.99]) WITHIN GROUP (ORDER BY amount) AS p, (percentile_disc(0.5) WITHIN GROUP (ORDER BY created_at))::date FROM orders GROUP BY status

SELECT mode() WITHIN GROUP (ORDER BY date_part('dow', created_at)) FROM orders GROUP BY customer_id % 3

SELECT width_bucket(amount, 0, 300, 6) AS bucket, int4range(min(amount)::int, max(amount)::int, '[]') AS range, count(*), repeat('#', (count(*) / 5)::int) AS bar FROM orders GROUP BY 1 ORDER BY 1

SELECT amount, cume_dist() OVER (ORDER BY amount), percent_rank() OVER (ORDER BY amount) FROM orders ORDER BY amount DESC LIMIT 3

SELECT a.status, b.status, count(*) FROM orders a JOIN orders b ON b.customer_id = a.customer_id AND b.created_at > a.created_at WHERE NOT EXISTS (SELECT 1 FROM orders c WHERE c.customer_id = a.customer_id AND c.created_at > a.created_at AND c.created_at < b.created_at) GROUP BY 1, 2

SELECT c.tenant, o.status, count(*) FROM customers c CROSS JOIN (SELECT DISTINCT status FROM orders) s LEFT JOIN orders o ON o.customer_id = c.id AND o.status = s.status GROUP BY 1, 2 ORDER BY 1, 2 NULLS LAST

SELECT * FROM (SELECT customer_id, status, amount FROM orders) o JOIN (VALUES ('paid', 1.0), ('open', 0.5)) w(status, weight) USING (status) WHERE amount * weight > 100

SELECT sum(amount * CASE status WHEN 'paid' THEN 1 WHEN 'open' THEN 0.5 ELSE 0 END) AS expected FROM orders

SELECT max(n) AS longest FROM (SELECT count(*) AS n FROM (SELECT id, id - row_number() OVER (ORDER BY id) AS g FROM orders WHERE status <> 'void') x GROUP BY g) y

SELECT twice(sum(amount)), label(c) FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY c.* LIMIT 2

SELECT (c).name, (c).email, c.label FROM customers c LIMIT 1

SELECT product(id) FROM (VALUES (1.5), (2), (4)) v(id)

SELECT x.id, r.amount FROM customers x, recent(date '2024-05-01') r WHERE r.customer_id = x.id LIMIT 3

SELECT * FROM ROWS FROM (recent('2024-06-01'), generate_series(1, 2)) WITH ORDINALITY LIMIT 2

SELECT * FROM "Weird Schema"."Tähle "" x" AS "t ""1""" WHERE "t ""1"""."select" = 1

SELECT "t"."größe" * 1.19 AS "brutto €" FROM "Weird Schema"."Tähle "" x" AS "t"

SELECT /* hint: none */ id -- the key
 FROM orders /* block /* nested */ end */ WHERE id = 1

select Count(*) , MAX ( amount )from orders where status='paid'and amount>0 or id=1

SELECT E'line\nbreak', 'back\slash', $tag$dollar $$ inside$tag$, U&'snow \2603', '☃', 'a' || $$b$$

SELECT 1 AS "DROP", 'DELETE FROM orders' AS "UPDATE", 'x' AS "INSERT INTO" WHERE 'SELECT; SELECT' LIKE '%;%'

SELECT count(*) FROM pg_class c LEFT JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_am a ON a.oid = c.relam WHERE c.relkind = ANY ('{r,p,v,m,f}') AND n.nspname !~ '^pg_toast' AND pg_table_is_visible(c.oid)

SELECT n.nspname, p.proname, pg_get_function_result(p.oid), CASE p.prokind WHEN 'a' THEN 'agg' WHEN 'w' THEN 'window' ELSE 'func' END FROM pg_proc p LEFT JOIN pg_namespace n ON n.oid = p.pronamespace WHERE p.proname ~ '^(twice)$'

SELECT tc.table_name, kcu.column_name, ccu.table_name AS other FROM information_schema.table_constraints tc JOIN information_schema.key_column_usage kcu USING (constraint_name) JOIN information_schema.constraint_column_usage ccu USING (constraint_name) WHERE tc.constraint_type = 'FOREIGN KEY'

SELECT table_name, string_agg(column_name || ' ' || data_type, ', ' ORDER BY ordinal_position) FROM information_schema.columns WHERE table_schema = 'public' GROUP BY table_name

SELECT relname, pg_size_pretty(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY pg_total_relation_size(oid) DESC LIMIT 5

SELECT conrelid::regclass, conname, confrelid::regclass FROM pg_constraint WHERE contype = 'f'

SELECT t.typname, e.enumlabel FROM pg_type t JOIN pg_enum e ON e.enumtypid = t.oid ORDER BY t.typname, e.enumsortorder

SELECT schemaname, relname, seq_scan, n_tup_ins FROM pg_stat_user_tables WHERE schemaname = 'public' ORDER BY relname

EXPLAIN (FORMAT YAML) SELECT status, count(*) FROM orders GROUP BY status

EXPLAIN (FORMAT XML, VERBOSE) TABLE customers

EXPLAIN (COSTS FALSE) VALUES (1), (2)

EXPLAIN SELECT * FROM orders o JOIN LATERAL (SELECT 1 WHERE o.id > 1) x ON true

SHOW client_encoding

SHOW DateStyle

SHOW IntervalStyle

SHOW TIME ZONE

SHOW server_encoding

SHOW default_transaction_isolation

SHOW "search_path"
