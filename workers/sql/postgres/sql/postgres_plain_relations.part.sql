-- Temporary relations are other sessions': this one has none.
pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'm', 'v', 'f') AND c.relpersistence <> 't'
AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
