SELECT name, amount FROM customers, orders WHERE customers.id = customer_id AND amount > 100 ORDER BY amount DESC LIMIT 10

SELECT tenant, count(*) AS n, round(avg(id), 1) FROM customers GROUP BY tenant ORDER BY n DESC

SELECT status, sum(amount) AS revenue FROM orders WHERE created_at BETWEEN '2024-01-01' AND '2024-12-31' GROUP BY status

SELECT date(created_at) AS day, sum(amount), sum(sum(amount)) OVER (ORDER BY date(created_at)) FROM orders GROUP BY day

SELECT customer_id, max(created_at) AS latest FROM orders GROUP BY customer_id HAVING latest > '2024-01-15'

SELECT c.name, count(o.id) AS n FROM customers c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.id ORDER BY n DESC, c.name

WITH m AS (SELECT strftime('%Y-%m', created_at) AS month, sum(amount) AS total FROM orders GROUP BY 1) SELECT month, total, total - lag(total) OVER (ORDER BY month) AS change, round(100.0 * total / lag(total) OVER (ORDER BY month) - 100, 1) AS pct FROM m

WITH RECURSIVE tree(id, depth) AS (SELECT 1, 0 UNION ALL SELECT c.id, depth + 1 FROM customers c JOIN tree t ON c.id = t.id * 2 WHERE depth < 5) SELECT * FROM tree

WITH firsts AS (SELECT customer_id, min(strftime('%Y-%m', created_at)) AS cohort FROM orders GROUP BY 1) SELECT cohort, count(*) FROM firsts GROUP BY cohort

SELECT amount, (SELECT count(*) FROM orders b WHERE b.amount <= a.amount) * 1.0 / (SELECT count(*) FROM orders) AS pct FROM orders a

SELECT amount FROM orders ORDER BY amount LIMIT 1 OFFSET (SELECT count(*) FROM orders) / 2

SELECT id, amount, amount - avg(amount) OVER (PARTITION BY status) FROM orders

SELECT id FROM (SELECT id, ntile(4) OVER (ORDER BY amount) AS q FROM orders) WHERE q = 4

SELECT kind, json_extract(payload, '$.user.id') AS u, count(*) FROM events GROUP BY 1, 2

SELECT json_group_array(json_object('id', id, 'amount', amount)) FROM (SELECT * FROM orders LIMIT 3)

SELECT value ->> '$.id' FROM json_each('[{"id": 1}, {"id": 2}]')

SELECT key, atom FROM json_tree('{"a": {"b": [1, 2]}}') WHERE atom IS NOT NULL

SELECT max(length(name)), min(length(email)) FROM customers

SELECT substr(email, 1, instr(email, '@') - 1) AS local FROM customers

SELECT name FROM customers WHERE lower(name) LIKE '%name 1%' OR upper(email) GLOB '*ORG'

SELECT DISTINCT strftime('%w', created_at) AS weekday FROM orders ORDER BY weekday

SELECT count(*) FROM orders WHERE created_at >= date('now', '-100 years') AND created_at < datetime('now', '+100 years')

SELECT CAST(strftime('%s', created_at) AS INTEGER) / 86400 AS day FROM orders

SELECT sum(CASE WHEN status = 'paid' THEN amount ELSE 0 END) AS paid, sum(CASE WHEN status <> 'paid' THEN amount END) AS unpaid FROM orders

SELECT a.status, b.kind FROM (SELECT DISTINCT status FROM orders) a JOIN (SELECT DISTINCT kind FROM events) b ON a.status <> b.kind

SELECT * FROM (SELECT id FROM orders ORDER BY id LIMIT 2) UNION ALL SELECT * FROM (SELECT id FROM events ORDER BY id DESC LIMIT 2)

SELECT name, (SELECT group_concat(id, ',') FROM orders o WHERE o.customer_id = c.id) AS ids FROM customers c WHERE c.id <= 3

SELECT rank, title FROM docs WHERE docs MATCH 'fo*' ORDER BY rank LIMIT 3

SELECT title FROM docs WHERE docs MATCH 'title : doc AND body : brown'

SELECT highlight(docs, 0, '<b>', '</b>') FROM docs('quick OR slow') LIMIT 2

SELECT "User Name", count(*) FROM events GROUP BY "User Name" ORDER BY 2 DESC

SELECT o.id AS "order", o.status AS "group", 1 AS "select" FROM orders AS o

SELECT (amount, status) = (7.5, 'open') FROM orders

SELECT id, max(amount) FROM orders

SELECT count(DISTINCT status || '/' || customer_id) FROM orders

SELECT exp(sum(ln(amount)) / count(*)) AS geometric_mean FROM orders

SELECT sqrt(avg(amount * amount) - avg(amount) * avg(amount)) AS deviation FROM orders

SELECT abs(random() % 10) < 10 FROM orders LIMIT 3

SELECT id FROM orders ORDER BY random() LIMIT 3

SELECT printf('%,d', 1234567), printf('%08.3f', 3.14159), format('%-20s|', 'x'), printf('%s', NULL)

SELECT typeof(amount), typeof(NULL), typeof(x'00'), typeof('a'), typeof(1) FROM orders LIMIT 1
