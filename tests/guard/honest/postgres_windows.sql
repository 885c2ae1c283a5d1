SELECT id, amount, row_number() OVER (ORDER BY amount DESC) FROM orders

SELECT id, rank() OVER w, dense_rank() OVER w, percent_rank() OVER w, cume_dist() OVER w, ntile(4) OVER w FROM orders WINDOW w AS (PARTITION BY status ORDER BY amount)

SELECT id, lag(amount) OVER (ORDER BY id), lead(amount, 2, 0) OVER (ORDER BY id) FROM orders

SELECT id, first_value(amount) OVER w, last_value(amount) OVER w, nth_value(amount, 2) OVER w FROM orders WINDOW w AS (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)

SELECT id, sum(amount) OVER (ORDER BY created_at RANGE BETWEEN INTERVAL '7 days' PRECEDING AND CURRENT ROW) FROM orders

SELECT id, avg(amount) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND 3 FOLLOWING EXCLUDE CURRENT ROW) FROM orders

SELECT id, sum(amount) OVER (ORDER BY status GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM orders

SELECT status, sum(sum(amount)) OVER (ORDER BY status) AS running FROM orders GROUP BY status

SELECT *, amount - avg(amount) OVER (PARTITION BY status) AS diff FROM orders

SELECT id, count(*) FILTER (WHERE status = 'paid') OVER (PARTITION BY customer_id ORDER BY created_at) FROM orders

WITH ranked AS (SELECT o.*, row_number() OVER (PARTITION BY customer_id ORDER BY created_at DESC) AS rn FROM orders o) SELECT * FROM ranked WHERE rn = 1

SELECT kind, at, at - lag(at) OVER (PARTITION BY "User Name" ORDER BY at) AS gap FROM events

WITH s AS (SELECT "User Name" AS u, at, CASE WHEN at - lag(at) OVER (PARTITION BY "User Name" ORDER BY at) > interval '30 minutes' THEN 1 ELSE 0 END AS fresh FROM events) SELECT u, at, sum(fresh) OVER (PARTITION BY u ORDER BY at) AS session FROM s

SELECT dept, name, salary, salary::numeric / sum(salary) OVER (PARTITION BY dept) AS share FROM employees ORDER BY dept, share DESC

SELECT DISTINCT ON (customer_id) customer_id, id, amount FROM orders ORDER BY customer_id, created_at DESC

SELECT count(*) OVER () AS total, o.* FROM orders o ORDER BY id LIMIT 5 OFFSET 10

SELECT id FROM orders ORDER BY amount DESC FETCH FIRST 5 ROWS WITH TIES

SELECT id FROM orders ORDER BY amount DESC NULLS LAST, id ASC NULLS FIRST FETCH NEXT 3 ROWS ONLY

SELECT id FROM orders ORDER BY amount USING > LIMIT 3
