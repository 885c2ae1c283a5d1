SELECT dept, salary, avg(salary) OVER (PARTITION BY dept) FROM employees

SELECT name, salary FROM (SELECT name, salary, rank() OVER (PARTITION BY dept ORDER BY salary DESC, id) AS pos FROM employees) AS ss WHERE pos < 3

SELECT sum(salary) OVER w, avg(salary) OVER w FROM employees WINDOW w AS (PARTITION BY dept ORDER BY salary DESC)

SELECT * FROM orders WHERE created_at >= now() - interval '100 years' AND status IN ('paid', 'open') ORDER BY created_at DESC LIMIT 20

SELECT date_trunc('day', created_at)::date AS day, count(*) AS orders, sum(amount) AS revenue, sum(sum(amount)) OVER (ORDER BY date_trunc('day', created_at)::date) AS cumulative FROM orders GROUP BY 1 ORDER BY 1

SELECT status, count(*) * 100.0 / sum(count(*)) OVER () AS pct FROM orders GROUP BY status

SELECT c.tenant, to_char(o.created_at, 'YYYY-"Q"Q') AS quarter, sum(o.amount) FILTER (WHERE o.status = 'paid') AS paid, sum(o.amount) FILTER (WHERE o.status <> 'paid') AS unpaid FROM customers c JOIN orders o ON c.id = o.customer_id GROUP BY c.tenant, quarter ORDER BY c.tenant, quarter

SELECT kind, count(*) AS n FROM events GROUP BY kind HAVING count(*) > (SELECT avg(n) FROM (SELECT count(*) AS n FROM events GROUP BY kind) x) - 1

SELECT e.dept, max(e.salary) - min(e.salary) AS spread, (array_agg(e.name ORDER BY e.salary DESC))[1] AS top, (array_agg(e.name ORDER BY e.salary))[1:3] AS bottom FROM employees e GROUP BY e.dept

SELECT x.bucket, count(o.id) FROM (SELECT n * 50 AS bucket FROM generate_series(0, 6) n) x LEFT JOIN orders o ON o.amount >= x.bucket AND o.amount < x.bucket + 50 GROUP BY 1 ORDER BY 1

WITH funnel AS (SELECT "User Name" AS u, min(at) FILTER (WHERE kind = 'view') AS v, min(at) FILTER (WHERE kind = 'click') AS c, min(at) FILTER (WHERE kind = 'buy') AS b FROM events GROUP BY 1) SELECT count(v), count(c) FILTER (WHERE c > v), count(b) FILTER (WHERE b > c AND c > v) FROM funnel

WITH gaps AS (SELECT id, id - row_number() OVER (ORDER BY id) AS grp FROM orders) SELECT min(id), max(id), count(*) FROM gaps GROUP BY grp ORDER BY 1

SELECT status, amount, ntile(10) OVER (ORDER BY amount) AS decile FROM orders WHERE amount IS NOT NULL

SELECT a.customer_id, b.customer_id, count(*) FROM orders a JOIN orders b ON a.status = b.status AND a.customer_id < b.customer_id GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 5

SELECT name, (SELECT string_agg(x.id::text, ',' ORDER BY x.id) FROM orders x WHERE x.customer_id = c.id) AS ids FROM customers AS c WHERE c.id <= 3

SELECT regr_slope(amount, extract(epoch FROM created_at)) AS trend, regr_count(amount, id), regr_avgx(amount, id), regr_avgy(amount, id), regr_sxx(amount, id), regr_syy(amount, id), regr_sxy(amount, id) FROM orders

SELECT id, amount, avg(amount) OVER (ORDER BY created_at ROWS 6 PRECEDING) AS ma7, exp(sum(ln(amount)) OVER (ORDER BY id ROWS 2 PRECEDING)) AS g FROM orders

SELECT o1.id FROM orders o1 WHERE amount > (SELECT avg(amount) FROM orders o2 WHERE o2.status = o1.status)

SELECT to_char(make_date(2024, m, 1), 'Mon') AS month, coalesce(n, 0) FROM generate_series(1, 12) m LEFT JOIN (SELECT extract(month FROM created_at)::int AS m, count(*) AS n FROM orders GROUP BY 1) x USING (m) ORDER BY m

SELECT DISTINCT status, kind FROM orders, events WHERE orders.id = events.id

SELECT count(*) FROM (SELECT DISTINCT customer_id, status FROM orders) x

SELECT CASE WHEN grouping(status) = 1 THEN 'all' ELSE status END AS s, sum(amount) FROM orders GROUP BY ROLLUP (status) ORDER BY grouping(status), 1

SELECT 100 * (1 - sum(amount) FILTER (WHERE status = 'void') / sum(amount)) AS kept FROM orders

SELECT width_bucket(salary, ARRAY[1000, 1200, 1300]::numeric[]), count(*) FROM employees GROUP BY 1

SELECT e.name, e.hired, e.hired + make_interval(years => 5) AS five, age(date '2024-01-01', e.hired) FROM employees e WHERE e.hired BETWEEN DATE '2015-01-01' AND DATE '2016-01-01' + INTERVAL '1 year'
