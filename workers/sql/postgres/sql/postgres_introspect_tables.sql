-- The relations of the schemas $1: oid, schema, name, kind, rows, comment, data version, readable.
--
-- The data version is a text that changes when the rows of a table may have: its
-- files and its counts of changed rows.  Null where the server does not count
-- them or what is read hangs on more than the table: on a standby, of other
-- servers, with row-level security, where other tables inherit.
SELECT c.oid, n.nspname, c.relname, c.relkind,
  CASE WHEN c.relkind = 'p' AND c.reltuples <= 0 THEN (
    SELECT pg_catalog.sum(p.reltuples)::pg_catalog.int8 FROM pg_catalog.pg_partition_tree(c.oid) t
    JOIN pg_catalog.pg_class p ON p.oid = t.relid WHERE t.isleaf AND p.reltuples >= 0)
  WHEN c.relkind IN ('r', 'p', 'm', 'f') AND c.reltuples >= 0 THEN c.reltuples::pg_catalog.int8 END,
  pg_catalog.obj_description(c.oid, 'pg_class'),
  CASE WHEN NOT pg_catalog.pg_is_in_recovery() AND pg_catalog.current_setting('track_counts') = 'on'
    AND NOT c.relrowsecurity THEN
    CASE WHEN c.relkind = 'r' AND NOT c.relhassubclass THEN {{counts c}}
    WHEN c.relkind = 'p' THEN (SELECT CASE WHEN pg_catalog.bool_and(x.relkind = 'r') THEN
      pg_catalog.md5(pg_catalog.string_agg({{counts x}}, ',' ORDER BY x.oid)) END
      FROM pg_catalog.pg_partition_tree(c.oid) t JOIN pg_catalog.pg_class x ON x.oid = t.relid WHERE t.isleaf)
    END END,
  {{readable}}
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = ANY ($1::pg_catalog.text[]) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND NOT c.relispartition ORDER BY n.nspname COLLATE "C", c.relname COLLATE "C"
