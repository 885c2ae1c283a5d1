SELECT load_extension('/tmp/x.so')

WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT count(*) FROM c

SELECT hex(zeroblob(1000000000))

SELECT writefile('/tmp/o', 'x'), readfile('/etc/passwd'), edit('a')

SELECT '{{%|49000}}a' LIKE '{{%a|7000}}'

CREATE TEMP TRIGGER t AFTER INSERT ON orders BEGIN SELECT 1; END

INSERT INTO orders(id) VALUES (1000)

INSERT OR REPLACE INTO orders(id) VALUES (1)

REPLACE INTO orders(id) VALUES (1)

UPDATE orders SET amount = 0

DELETE FROM orders

WITH x AS (SELECT 1) DELETE FROM orders

WITH x AS (SELECT 1) INSERT INTO orders(id) SELECT 5000

EXPLAIN DELETE FROM orders

INSERT INTO orders(id) VALUES (1000) RETURNING id

CREATE TABLE t(a)

CREATE TEMP TABLE t(a)

CREATE TABLE t AS SELECT 1

CREATE VIEW v AS SELECT 1

CREATE TEMP VIEW v AS SELECT 1

CREATE INDEX i ON orders(id)

CREATE VIRTUAL TABLE v USING fts5(x)

CREATE VIRTUAL TABLE temp.v USING fts5(x)

DROP TABLE orders

ALTER TABLE orders ADD COLUMN x

ATTACH '/etc/passwd' AS x

ATTACH ':memory:' AS x

DETACH main

PRAGMA query_only = 0

PRAGMA writable_schema = 1

PRAGMA journal_mode = DELETE

PRAGMA table_info(orders)

PRAGMA database_list

SELECT * FROM pragma_database_list

SELECT * FROM pragma_query_only(0)

SELECT * FROM pragma_writable_schema(1)

SELECT * FROM pragma_journal_mode

SELECT (SELECT count(*) FROM pragma_integrity_check)

SELECT * FROM orders, pragma_page_count

SELECT * FROM pragma_cache_size(1)

SELECT * FROM pragma_optimize

PRAGMA index_list('orders')

PRAGMA main.table_xinfo(orders)

EXPLAIN PRAGMA table_info(orders)

BEGIN

BEGIN IMMEDIATE

COMMIT

END

ROLLBACK

SAVEPOINT x

RELEASE x

VACUUM

VACUUM INTO '/tmp/x.db'

REINDEX

ANALYZE

SELECT fts3_tokenizer('simple')

SELECT fts3_tokenizer('x', x'0011223344556677')

SELECT sqlite_log(1, 'x')

SELECT rtreecheck('x')

SELECT * FROM sqlite_dbpage

SELECT * FROM dbstat

SELECT * FROM sqlite_stmt

INSERT INTO docs(docs) VALUES ('rebuild')

SELECT 1; DELETE FROM orders

SELECT 1; SELECT 2

SELECT ?

SELECT :x

SELECT hex(randomblob(900000000))

SELECT replace(hex(zeroblob(8000000)), '00', hex(zeroblob(1000)))

SELECT 1 WHERE {{NOT |12000}}1

SELECT {{(|3000}}1{{)|3000}}

SELECT 1{{+1|20000}}

SELECT group_concat(hex(zeroblob(4000000))) FROM orders a, orders b

SELECT count(*) FROM orders a, orders b, orders c, orders d, orders e, orders f
