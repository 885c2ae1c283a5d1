-- customers: ssn is hidden, email masked, phone hashed; CANARY marks every protected value.
CREATE TABLE customers(id INTEGER PRIMARY KEY, name TEXT, email TEXT, ssn TEXT, phone TEXT, tenant INT, notes TEXT,
  domain TEXT AS (substr(email, 3)), tail TEXT GENERATED ALWAYS AS (substr(ssn, -4) || '(a, b)') STORED, tail2 TEXT AS (upper(tail)), twice INT AS (tenant * 2));
CREATE TABLE orders(id INTEGER PRIMARY KEY, customer_id INT REFERENCES customers(id), amount REAL, status TEXT);
CREATE TABLE leads(id INTEGER PRIMARY KEY, phone TEXT, source TEXT, email TEXT);
CREATE TABLE users(login TEXT PRIMARY KEY, password_hash TEXT, n INT) WITHOUT ROWID;
CREATE TABLE pins(pin INTEGER PRIMARY KEY, owner TEXT);
CREATE TABLE "odd ""table"("Secret Col" TEXT, [open] TEXT);
CREATE INDEX customers_email ON customers(email); CREATE INDEX customers_ssn ON customers(ssn);
CREATE VIEW plain_view AS SELECT id, name, tenant FROM customers;
CREATE VIEW all_view AS SELECT * FROM customers;
CREATE VIEW renamed_view(no, b, c) AS SELECT id, email, phone FROM customers;
CREATE VIEW deep_view AS SELECT v.no, v.b AS mail, o.amount FROM renamed_view v JOIN orders o ON o.customer_id = v.no;
CREATE VIEW secret_view AS SELECT id, ssn AS a FROM customers;
CREATE VIEW computed_view AS SELECT id, upper(ssn) AS u FROM customers;
CREATE VIEW computed_mail_view AS SELECT id, upper(email) AS u FROM customers;
CREATE VIEW filter_view AS SELECT id, name FROM customers WHERE ssn LIKE '%-45-1%';
CREATE VIEW qualified_view AS SELECT id, name, email FROM main.customers;
CREATE VIEW order_view AS SELECT id, amount FROM orders;
CREATE VIEW tokens AS SELECT login, n AS password_hash FROM users;
CREATE VIEW agg_view AS SELECT tenant, count(*) AS n, count(email) AS mails FROM customers GROUP BY tenant;
CREATE VIRTUAL TABLE docs USING fts5(title, body);
CREATE VIRTUAL TABLE customers_fts USING fts5(notes, email, content='customers', content_rowid='id');
CREATE VIRTUAL TABLE open_docs USING fts5(body);
WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 20)
 INSERT INTO customers(id, name, email, ssn, phone, tenant, notes) SELECT n, 'Name ' || n, 'c' || n || 'CANARY@example.org', 'CANARY-45-' || n, '+49CANARY' || n, n % 3, 'note ' || n FROM i;
INSERT INTO customers(id, name, tenant) VALUES (99, 'No mail', 1);
WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 100)
 INSERT INTO orders SELECT n, 1 + n % 20, n * 7 % 300, CASE n % 3 WHEN 0 THEN 'paid' WHEN 1 THEN 'open' ELSE 'void' END FROM i;
WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 10)
 INSERT INTO leads SELECT n, '+49CANARY' || (n * 2), 'web', 'l' || n || '@x' FROM i;
INSERT INTO users VALUES ('u1', 'CANARY', 1), ('u2', 'CANARY2', 2);
INSERT INTO pins VALUES (777123, 'x');
INSERT INTO "odd ""table" VALUES ('CANARY', 'fine');
INSERT INTO docs VALUES ('hello', 'CANARY world'), ('two', 'CANARY again');
INSERT INTO open_docs VALUES ('hello world');
INSERT INTO customers_fts(customers_fts) VALUES ('rebuild');
ANALYZE;
