-- Only what the server itself has (workers/sql/postgres/guard/columns_server.def): for a connection without rules.
WITH rel AS (SELECT c.oid, n.nspname::pg_catalog.text AS s, c.relname::pg_catalog.text AS t
 FROM (SELECT DISTINCT s, t FROM (VALUES ${server_relations}) v(s, t)) o JOIN pg_catalog.pg_namespace n ON n.nspname = o.s
 JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = o.t),
answer (what, s, t, i, a, b, c, d) AS (
SELECT '0', s, t, 0, 'r', pg_catalog.pg_table_is_visible(oid)::pg_catalog.text, '', NULL FROM rel
UNION ALL SELECT '1', s, t, a.attnum::pg_catalog.int4, a.attname::pg_catalog.text, 'true', 'false', NULL FROM rel
 JOIN pg_catalog.pg_attribute a ON a.attrelid = rel.oid WHERE a.attnum > 0 AND NOT a.attisdropped)
SELECT what, s, t, a, b, c, d FROM answer ORDER BY what, t COLLATE "C", s COLLATE "C", i
