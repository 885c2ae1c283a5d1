-- A warehouse in the shape of TPC-H; :scale times 1,500 orders and about 6,000
-- lines, the same at every run.  sqlite3 -cmd '.param set :scale 50' DB <build.sql
CREATE TABLE region (r_regionkey INTEGER PRIMARY KEY, r_name TEXT);
CREATE TABLE nation (n_nationkey INTEGER PRIMARY KEY, n_name TEXT, n_regionkey INTEGER);
CREATE TABLE supplier (s_suppkey INTEGER PRIMARY KEY, s_name TEXT, s_nationkey INTEGER, s_acctbal REAL);
CREATE TABLE customer (c_custkey INTEGER PRIMARY KEY, c_name TEXT, c_nationkey INTEGER, c_acctbal REAL, c_mktsegment TEXT);
CREATE TABLE part (p_partkey INTEGER PRIMARY KEY, p_name TEXT, p_brand TEXT, p_type TEXT, p_size INTEGER, p_container TEXT);
CREATE TABLE partsupp (ps_partkey INTEGER, ps_suppkey INTEGER, ps_availqty INTEGER, ps_supplycost REAL, PRIMARY KEY (ps_partkey, ps_suppkey));
CREATE TABLE orders (o_orderkey INTEGER PRIMARY KEY, o_custkey INTEGER, o_orderstatus TEXT, o_totalprice REAL, o_orderdate DATE, o_orderpriority TEXT, o_shippriority INTEGER);
CREATE TABLE lineitem (l_orderkey INTEGER, l_partkey INTEGER, l_suppkey INTEGER, l_linenumber INTEGER, l_quantity INTEGER, l_extendedprice REAL, l_discount REAL, l_tax REAL, l_returnflag TEXT, l_linestatus TEXT, l_shipdate DATE, l_commitdate DATE, l_receiptdate DATE, l_shipmode TEXT, PRIMARY KEY (l_orderkey, l_linenumber));
-- Multiplication by a prime spreads the numbers, shifts and remainders pick from them.
CREATE TEMP TABLE noise AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000 * :scale + 200)
	SELECT i, (i * 2654435761) % 4294967296 AS x, (i * 40503 + 2531011) % 65536 AS y FROM n;
BEGIN;
INSERT INTO region VALUES (0, 'AFRICA'), (1, 'AMERICA'), (2, 'ASIA'), (3, 'EUROPE'), (4, 'MIDDLE EAST');
INSERT INTO nation SELECT value, CASE value WHEN 2 THEN 'BRAZIL' WHEN 6 THEN 'FRANCE' WHEN 7 THEN 'GERMANY' ELSE 'NATION ' || value END,
	CASE value WHEN 2 THEN 1 WHEN 6 THEN 3 WHEN 7 THEN 3 ELSE value % 5 END FROM json_each('[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24]');
INSERT INTO supplier SELECT i, 'Supplier ' || i, (x >> 7) % 25, ((x >> 9) % 1000000) / 100.0 FROM noise WHERE i <= 10 * :scale + 20;
INSERT INTO customer SELECT i, 'Customer ' || i, (x >> 5) % 25, ((x >> 8) % 1000000) / 100.0 - 1000,
	json_extract('["AUTOMOBILE","BUILDING","FURNITURE","HOUSEHOLD","MACHINERY"]', '$[' || (y % 5) || ']') FROM noise WHERE i <= 150 * :scale;
INSERT INTO part SELECT i, 'part ' || i, 'Brand#' || (1 + x % 5) || (1 + y % 5),
	json_extract('["STANDARD","SMALL","MEDIUM","ECONOMY","PROMO"]', '$[' || ((x >> 6) % 5) || ']') || ' ' ||
	json_extract('["TIN","NICKEL","BRASS","STEEL","COPPER"]', '$[' || ((y >> 4) % 5) || ']'),
	1 + (x >> 4) % 50, json_extract('["SM CASE","LG BOX","MED BAG"]', '$[' || (y % 3) || ']') FROM noise WHERE i <= 200 * :scale;
INSERT OR IGNORE INTO partsupp SELECT p_partkey, 1 + (p_partkey * 7 + value * (3 + p_partkey % 5)) % (10 * :scale + 20),
	(p_partkey * 31 + value * 17) % 9999, ((p_partkey * 131 + value * 977) % 100000) / 100.0 FROM part, json_each('[0,1,2,3]');
INSERT INTO orders SELECT i, 1 + (x >> 3) % (100 * :scale), substr('FOP', 1 + y % 3, 1), ((x >> 2) % 50000000) / 100.0,
	date('1992-01-01', '+' || ((x >> 6) % 2405) || ' days'),
	json_extract('["1-URGENT","2-HIGH","3-MEDIUM","4-NOT SPECIFIED","5-LOW"]', '$[' || ((x >> 10) % 5) || ']'), 0
	FROM noise WHERE i <= 1500 * :scale;
INSERT INTO lineitem SELECT o_orderkey, ps_partkey, ps_suppkey, line, 1 + (z >> 3) % 50, ((z >> 5) % 9000000) / 100.0 + 900,
	((z >> 7) % 11) / 100.0, ((z >> 9) % 9) / 100.0, substr('RAN', 1 + (z >> 4) % 3, 1), substr('OF', 1 + (z >> 11) % 2, 1),
	date(o_orderdate, '+' || (1 + (z >> 6) % 121) || ' days'), date(o_orderdate, '+' || (30 + (z >> 8) % 61) || ' days'),
	date(o_orderdate, '+' || (2 + (z >> 6) % 121 + (z >> 12) % 30) || ' days'),
	json_extract('["AIR","MAIL","SHIP","TRUCK","RAIL"]', '$[' || ((z >> 13) % 5) || ']')
	FROM (SELECT o_orderkey, o_orderdate, value AS line, (o_orderkey * 7 + value) * 2654435761 % 4294967296 AS z,
	             1 + ((o_orderkey * 7 + value) * 2654435761 % 4294967296 >> 2) % (SELECT max(rowid) FROM partsupp) AS pick
	      FROM orders, json_each('[1,2,3,4,5,6,7]') WHERE value <= 1 + o_orderkey % 7)
	JOIN partsupp ON partsupp.rowid = pick;
COMMIT;
