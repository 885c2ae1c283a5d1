CREATE TABLE customers(id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT, ssn TEXT, phone TEXT, tenant INT, notes TEXT)

CREATE TABLE orders(id INTEGER PRIMARY KEY, customer_id INT REFERENCES customers, amount REAL, created_at TEXT, status TEXT)

CREATE TABLE events(id INTEGER PRIMARY KEY, at TEXT, kind TEXT, payload TEXT, "User Name" TEXT)

CREATE TABLE "Weird ""Tähle"("select" INT, "größe" REAL)

CREATE VIRTUAL TABLE docs USING fts5(title, body)

CREATE VIEW big_orders AS SELECT * FROM orders WHERE amount > 100

WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30) INSERT INTO customers SELECT i, 'Name ' || i, 'c' || i || '@example.org', '123-45-' || i, '+49 ' || i, i % 3, NULL FROM n

WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60) INSERT INTO orders SELECT i, 1 + i % 30, i * 7 % 300 + 0.5, datetime('2024-01-01', i || ' days'), CASE i % 3 WHEN 0 THEN 'paid' WHEN 1 THEN 'open' ELSE 'void' END FROM n

INSERT INTO events SELECT id, created_at, status, json_object('n', id, 'tags', json_array('a', 'b'), 'user', json_object('id', id % 5)), 'User ' || id % 5 FROM orders

INSERT INTO docs SELECT 'doc ' || id, 'the quick brown fox number ' || id FROM customers

INSERT INTO "Weird ""Tähle" VALUES (1, 1.5), (2, 2.5)
