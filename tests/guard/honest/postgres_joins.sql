SELECT c.name, o.amount FROM customers c JOIN orders o ON o.customer_id = c.id

SELECT c.name, o.id FROM customers c LEFT JOIN orders o ON o.customer_id = c.id AND o.status = 'paid' WHERE o.id IS NULL

SELECT * FROM customers c RIGHT OUTER JOIN orders o ON o.customer_id = c.id FULL JOIN events e ON e.id = o.id

SELECT * FROM customers NATURAL JOIN (SELECT id, 1 AS one FROM customers) x

SELECT * FROM customers JOIN orders USING (id)

SELECT * FROM customers CROSS JOIN (VALUES (1), (2)) AS v(n)

SELECT c.name, top.amount FROM customers c CROSS JOIN LATERAL (SELECT amount FROM orders o WHERE o.customer_id = c.id ORDER BY amount DESC LIMIT 2) top

SELECT c.name, x.n FROM customers c LEFT JOIN LATERAL (SELECT count(*) AS n FROM orders o WHERE o.customer_id = c.id) x ON true

SELECT e.name, m.name AS manager FROM employees e LEFT JOIN employees m ON m.id = e.manager_id

SELECT name FROM customers WHERE EXISTS (SELECT 1 FROM orders WHERE customer_id = customers.id)

SELECT name FROM customers WHERE NOT EXISTS (SELECT FROM orders o WHERE o.customer_id = customers.id AND o.amount > 250)

SELECT name FROM customers WHERE id IN (SELECT customer_id FROM orders WHERE amount > 200)

SELECT name FROM customers WHERE id NOT IN (1, 2, 3) AND (tenant, id) IN ((1, 4), (2, 5))

SELECT name FROM customers WHERE id = ANY (ARRAY[1, 2, 3]) OR id > ALL (SELECT id FROM orders WHERE id < 10)

SELECT name FROM customers WHERE id = SOME (SELECT customer_id FROM orders)

SELECT (SELECT max(amount) FROM orders o WHERE o.customer_id = c.id) AS best, c.name FROM customers c

SELECT ARRAY(SELECT id FROM orders WHERE customer_id = c.id ORDER BY id) FROM customers c

SELECT status FROM orders UNION SELECT kind FROM events

SELECT status FROM orders UNION ALL SELECT kind FROM events ORDER BY 1 LIMIT 10

SELECT id FROM orders EXCEPT SELECT id FROM events

SELECT id FROM orders INTERSECT ALL SELECT id FROM events

(SELECT id FROM orders LIMIT 1) UNION (SELECT id FROM events ORDER BY id DESC LIMIT 1)

VALUES (1, 'a'), (2, 'b')

TABLE customers

TABLE ONLY customers

SELECT * FROM ONLY customers

SELECT o.* FROM big_orders o, per_status p WHERE o.status = p.status

SELECT * FROM orders TABLESAMPLE BERNOULLI (10) REPEATABLE (42)

SELECT * FROM orders TABLESAMPLE SYSTEM (50)

SELECT j.a, j.b FROM (customers c JOIN orders o ON c.id = o.customer_id) AS j(a, b) LIMIT 1

SELECT * FROM orders AS o (oid_, cust, amt) WHERE amt > 100

SELECT o.status FROM orders o

SELECT c.label FROM customers c

SELECT c FROM customers c LIMIT 1

SELECT (c).name, (c.*) IS NOT NULL FROM customers c

SELECT row_to_json(c) FROM customers c LIMIT 1

SELECT "c"."name" AS "Full Name" FROM "customers" "c"

SELECT "select", "from", "größe" FROM "Weird Schema"."Tähle "" x"

SELECT U&"gr\00F6\00DFe" FROM "Weird Schema"."Tähle "" x"

SELECT "delete", "update" FROM (SELECT 1 AS "delete", 2 AS "update") t

SELECT * FROM public.customers, pg_catalog.pg_class LIMIT 1
