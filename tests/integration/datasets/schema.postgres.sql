-- Two tables and a view that are published, and beside them whatever might lead to CANARY.
CREATE TABLE people(id int PRIMARY KEY, name text, city text, ssn text, email text);
CREATE TABLE orders(id int PRIMARY KEY, person_id int REFERENCES people, amount int);
CREATE TABLE vault(id serial PRIMARY KEY, person_id int, grade int, pin text, name text);
INSERT INTO people VALUES (1, 'Ada', 'Oslo', '1', 'a@x'), (2, 'Bob', 'Rome', '2', 'b@x'), (3, 'Cyd', 'Rome', '3', 'c@x');
INSERT INTO orders VALUES (1, 1, 10), (2, 1, 15), (3, 1, 5), (4, 2, 20);
INSERT INTO vault(person_id, grade, pin, name) VALUES (1, 2, 'CANARY1', 'CANARY'), (2, 1, 'CANARY2', 'CANARY');
CREATE VIEW tall AS WITH k AS (SELECT * FROM vault WHERE grade > 1)
 SELECT p.id, p.name FROM k JOIN people p ON p.id = k.person_id;
CREATE VIEW vault_view AS SELECT pin FROM vault;
CREATE MATERIALIZED VIEW vault_copy AS SELECT pin FROM vault;
CREATE SCHEMA other;
CREATE TABLE other.vault AS SELECT * FROM public.vault;
CREATE TABLE q AS SELECT pin FROM vault;
CREATE TYPE mood AS ENUM ('CANARY_red');
CREATE DOMAIN secret_domain AS text;
CREATE FUNCTION peek() RETURNS text STABLE LANGUAGE sql AS 'SELECT max(pin) FROM public.vault';
CREATE FUNCTION peek_all() RETURNS SETOF text STABLE LANGUAGE sql AS 'SELECT pin FROM public.vault';
CREATE FUNCTION peek_of(people) RETURNS text STABLE LANGUAGE sql AS 'SELECT max(pin) FROM public.vault';
CREATE FUNCTION peek_int(int) RETURNS text STABLE LANGUAGE sql AS 'SELECT max(pin) FROM public.vault';
CREATE FUNCTION peek_two(int, int) RETURNS text STABLE LANGUAGE sql AS 'SELECT max(pin) FROM public.vault';
CREATE OPERATOR ### (LEFTARG = int, RIGHTARG = int, FUNCTION = peek_two);
CREATE OPERATOR ### (RIGHTARG = int, FUNCTION = peek_int);
CREATE FUNCTION rank_step(text, int) RETURNS text STABLE LANGUAGE sql AS 'SELECT max(pin) FROM public.vault';
CREATE AGGREGATE rank_all(int) (SFUNC = rank_step, STYPE = text);
CREATE ROLE reader LOGIN;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;
ANALYZE;
