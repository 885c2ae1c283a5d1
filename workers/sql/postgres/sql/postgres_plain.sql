-- Columns: what, schema, name, properties (1: visible, 2: a table).  Inherited
-- by a foreign table, no table is one that only this server reads.
(SELECT 'r', n.nspname, c.relname, CASE WHEN pg_catalog.pg_table_is_visible(c.oid) THEN 1 ELSE 0 END
 + CASE WHEN c.relkind IN ('r', 'p', 'm') AND NOT c.relrowsecurity
   AND (c.relam < 16384 OR c.relkind = 'p')
   AND (NOT c.relhassubclass OR NOT EXISTS (SELECT FROM pg_catalog.pg_inherits i
    JOIN pg_catalog.pg_class f ON f.oid = i.inhrelid WHERE f.relkind = 'f'))
   THEN 2 ELSE 0 END
FROM {{plain_relations}} LIMIT 50000 + 1)
UNION ALL SELECT 't', '', t.typname, 0 FROM pg_catalog.pg_type t
 WHERE t.oid < 16384 AND t.typtype IN ('b', 'r', 'm') AND pg_catalog.pg_type_is_visible(t.oid)
UNION ALL SELECT DISTINCT 'u', '', coalesce(e.extname, ''), 0 FROM ({{plain_unnamed}}) u
 LEFT JOIN pg_catalog.pg_depend x ON x.classid = u.class AND x.objid = u.oid AND x.deptype = 'e'
  AND x.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass
 LEFT JOIN pg_catalog.pg_extension e ON e.oid = x.refobjid
