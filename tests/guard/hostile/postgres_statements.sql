ROLLBACK; CREATE TABLE pwn(a int)

END

COMMIT

BEGIN

ABORT

SAVEPOINT x

SET TRANSACTION READ WRITE

START TRANSACTION READ WRITE

SELECT 1; SELECT 2

SELECT 1;; DROP TABLE orders

SELECT $q$;$q$; DROP TABLE orders

SELECT 'a\'; DROP TABLE orders; --'

SELECT 1 /* ; */ ; /* */ DELETE FROM orders

INSERT INTO audit_sink VALUES ('x')

INSERT INTO audit_sink SELECT name FROM customers RETURNING *

UPDATE orders SET amount = 0

DELETE FROM orders

TRUNCATE orders

MERGE INTO orders o USING customers c ON o.id = c.id WHEN MATCHED THEN DELETE

EXPLAIN (VERBOSE, ANALYZE true) WITH x AS (UPDATE orders SET amount = 0 RETURNING 1) SELECT * FROM x

EXPLAIN ANALYZE SELECT 1

EXPLAIN (ANALYZE false) SELECT 1

EXPLAIN (ANALYZE, BUFFERS) SELECT 1

EXPLAIN (WAL) SELECT 1

EXPLAIN ANALYSE VERBOSE SELECT 1

EXPLAIN DELETE FROM orders

EXPLAIN INSERT INTO audit_sink VALUES ('x')

EXPLAIN EXECUTE p

EXPLAIN CREATE TABLE t AS SELECT 1

EXPLAIN DECLARE c CURSOR FOR SELECT 1

WITH x AS (DELETE FROM orders RETURNING *) SELECT * FROM x

WITH a AS (SELECT 1), x AS (INSERT INTO audit_sink VALUES ('x') RETURNING *) SELECT * FROM a, x

WITH x AS MATERIALIZED (UPDATE orders SET amount = 0 RETURNING *) TABLE x

SELECT * FROM (WITH x AS (DELETE FROM orders RETURNING *) SELECT * FROM x) y

SELECT (WITH x AS (DELETE FROM orders RETURNING 1 AS one) SELECT count(*) FROM x)

SELECT 1 WHERE EXISTS (WITH x AS (DELETE FROM orders RETURNING 1) SELECT * FROM x)

WITH x AS (SELECT 1) DELETE FROM orders

WITH x AS (SELECT 1) INSERT INTO audit_sink SELECT 'x'

SELECT * INTO stolen FROM customers

SELECT * INTO TEMP stolen FROM customers

SELECT 1 AS a INTO UNLOGGED TABLE stolen UNION SELECT 2

WITH x AS (SELECT 1 AS a) SELECT a INTO stolen FROM x

SELECT * FROM orders WHERE id = 1 FOR UPDATE

SELECT * FROM orders FOR SHARE NOWAIT

SELECT * FROM orders FOR NO KEY UPDATE SKIP LOCKED

SELECT * FROM (SELECT * FROM orders FOR KEY SHARE) x

WITH x AS (SELECT * FROM orders FOR UPDATE) SELECT * FROM x

SELECT 1 WHERE EXISTS (SELECT 1 FROM orders FOR UPDATE OF orders)

CREATE TABLE t(a int)

CREATE TEMP TABLE t AS SELECT 1

CREATE VIEW v AS SELECT 1

CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'

ALTER TABLE orders ADD x int

ALTER SYSTEM SET work_mem = '1GB'

DROP TABLE orders

GRANT ALL ON orders TO PUBLIC

REVOKE ALL ON orders FROM PUBLIC

COMMENT ON TABLE orders IS 'x'

COPY customers TO '/tmp/x'

COPY customers TO PROGRAM 'id'

COPY customers FROM STDIN

COPY (SELECT 1) TO STDOUT

DO $$ BEGIN DELETE FROM orders; END $$

CALL purge_proc()

PREPARE p AS DELETE FROM orders; EXECUTE p

PREPARE p AS SELECT 1

EXECUTE p

DEALLOCATE ALL

DECLARE c CURSOR WITH HOLD FOR SELECT * FROM customers

FETCH ALL FROM c

CLOSE c

MOVE c

LISTEN x

UNLISTEN *

NOTIFY x, 'y'

LOCK TABLE orders

SET work_mem = '1GB'

SET ROLE postgres

SET SESSION AUTHORIZATION postgres

SET LOCAL statement_timeout = 0

RESET ALL

RESET ROLE

DISCARD ALL

VACUUM orders

ANALYZE orders

REINDEX TABLE orders

CLUSTER orders

CHECKPOINT

LOAD 'auto_explain'

REFRESH MATERIALIZED VIEW per_status

SECURITY LABEL ON TABLE orders IS 'x'

IMPORT FOREIGN SCHEMA x FROM SERVER y INTO z

SHOW hba_file

SHOW ALL

SHOW data_directory

SHOW "config_file"

SHOW is_superuser

VALUES (DEFAULT)

SELECT $1

SELECT 1) AS q; DROP TABLE orders; --

SELECT 1) AS q, (SELECT 2

SELECT 1 WHERE {{NOT |12000}}true

SELECT 1{{+1|20000}}

SELECT {{- |20000}}1

SELECT {{CASE WHEN true THEN |1500}}1{{ END|1500}}

SELECT {{ARRAY[|1500}}1{{]|1500}}

SELECT {{(SELECT |1500}}1{{)|1500}}

SELECT 1 IN ({{1,|59999}}1)

SELECT 1 {{/**/|16000}}

SELECT 1 /*{{/*|10000}}{{*/|10001}}

SELECT 1 {{+-|30000}}1

SELECT 1 {{+@/**/|9000}}1

SELECT 1 /* ' */ {{/*/|20000}}

WITH a0 AS NOT MATERIALIZED (SELECT 1 AS x), a1 AS NOT MATERIALIZED (SELECT 1 AS x FROM a0 p, a0 q{{, a0 p|200}}), a2 AS NOT MATERIALIZED (SELECT 1 AS x FROM a1 p, a1 q, a1 r), a3 AS NOT MATERIALIZED (SELECT 1 AS x FROM a2 p, a2 q, a2 r), a4 AS NOT MATERIALIZED (SELECT 1 AS x FROM a3 p, a3 q, a3 r), a5 AS NOT MATERIALIZED (SELECT 1 AS x FROM a4 p, a4 q, a4 r), a6 AS NOT MATERIALIZED (SELECT 1 AS x FROM a5 p, a5 q, a5 r) SELECT count(*) FROM a6

SELECT x FROM {{(SELECT x + x + x AS x FROM |12}}(SELECT id AS x FROM orders) s{{) s|12}}

SELECT 1 FROM orders GROUP BY CUBE (id, status, customer_id, amount, created_at, 6, 7, 8, 9, 10, 11, 12, 13)

SELECT strpos(repeat('a', 1000000), 'b' || repeat('a', 500000))

SELECT repeat('a', 1000000) LIKE '%' || repeat('a', 500000) || 'b'

SELECT xpath('//*[//*[//*[//*]]]', '<a/>'::xml)

SELECT cardinality(array_agg(repeat('x', 16000000))) FROM generate_series(1, 10000)

SELECT ARRAY(SELECT repeat('x', 10000) FROM orders)

SELECT jsonb_agg(a) FROM generate_series(1, 100000) a, generate_series(1, 100000) b

WITH RECURSIVE t(x) AS (SELECT ARRAY[1] UNION ALL SELECT x || x FROM t) SELECT count(*) FROM t

WITH RECURSIVE t(n, x) AS (SELECT 1, 'x' UNION ALL SELECT n + 1, x || '' || x FROM t WHERE n < 64) SELECT max(length(x)) FROM t

WITH RECURSIVE t(x) AS (SELECT '{}'::jsonb UNION ALL SELECT jsonb_build_object('a', x, 'b', x) FROM t) SELECT count(*) FROM t

WITH RECURSIVE t(a, b) AS (SELECT 'x', 'y' UNION ALL SELECT concat(a, b), concat(b, a) FROM t) SELECT count(*) FROM t

SELECT 1{{, length(repeat('ab', 4000000))|60}}

SELECT to_jsonb(ARRAY(SELECT generate_series(1, 40000)::text)) ?| ARRAY(SELECT generate_series(1, 40000)::text)

SELECT word_similarity((SELECT string_agg(md5(g::text), ' ') FROM generate_series(1, 2000) g), (SELECT string_agg(md5(g::text), ' ') FROM generate_series(1, 20000) g))

SELECT repeat('a', 1000000) LIKE ANY (SELECT repeat('%a', 500000))

SELECT factorial(30000) % factorial(15000)

WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n * 1 < 40000), t AS (SELECT string_agg(md5(n::text), '') AS s FROM r) SELECT strpos(s, s || 'x') FROM t

SELECT array_to_string(ARRAY(SELECT generate_series(1, 9000)), repeat('x', 30000))
