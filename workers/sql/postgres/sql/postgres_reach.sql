-- What extensions bring is left out only where the schema is not served: it is not missed.
SELECT n.nspname, c.relname, n.nspname = ANY ($1::pg_catalog.text[]),
{{readable}} FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
AND (n.nspname = ANY ($1::pg_catalog.text[]) OR (n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
 AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass
  AND d.objid = c.oid AND d.deptype = 'e')))
ORDER BY n.nspname COLLATE "C", c.relname COLLATE "C"
