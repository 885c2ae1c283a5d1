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

CREATE TABLE wr(a TEXT, b INT, c TEXT, PRIMARY KEY(a,b)) WITHOUT ROWID

INSERT INTO wr VALUES('x',1,'p'),('y',2,'q')

CREATE TABLE strict_t(i INTEGER, r REAL, t TEXT, b BLOB, a ANY) STRICT

INSERT INTO strict_t VALUES(1,2.5,'x',x'00ff',NULL)

CREATE TABLE gen(a INT, b INT GENERATED ALWAYS AS (a*2) VIRTUAL, c INT AS (a+1) STORED)

INSERT INTO gen(a) VALUES(1),(2)

CREATE VIRTUAL TABLE rt USING rtree(id, minx, maxx, miny, maxy)

INSERT INTO rt VALUES(1,0,10,0,10),(2,5,15,5,15)

CREATE VIRTUAL TABLE ft5 USING fts5(title, body, tokenize='porter unicode61')

INSERT INTO ft5 SELECT 'doc '||id, 'running quick foxes number '||id FROM customers

CREATE VIRTUAL TABLE ft4 USING fts4(title, body)

INSERT INTO ft4 SELECT 'doc '||id, 'running quick foxes number '||id FROM customers

CREATE TABLE employees(id INTEGER PRIMARY KEY, manager_id INT, name TEXT, salary REAL, dept TEXT, hired TEXT)

WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<40) INSERT INTO employees SELECT i, CASE WHEN i=1 THEN NULL ELSE i/2 END, 'emp '||i, 1000+i*10, CASE i%3 WHEN 0 THEN 'eng' WHEN 1 THEN 'ops' ELSE 'fin' END, date('2015-01-01', i||' months') FROM n

CREATE INDEX ix_cust_email ON customers(email)

ANALYZE
