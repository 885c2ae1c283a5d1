-- Every column in the configured schemas that is not the server's own.  $1:
-- the schemas.
SELECT n.nspname, c.relname, c.relkind, a.attname FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE n.nspname = ANY ($1::pg_catalog.text[]) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
ORDER BY n.nspname COLLATE "C", c.relname COLLATE "C", a.attnum
