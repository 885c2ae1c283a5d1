-- What stands out of line, for each row; of a table that was never looked at it takes 100 bytes a row.
SELECT c.relname, pg_catalog.pg_relation_size(c.reltoastrelid) / CASE WHEN c.reltuples > 0 THEN c.reltuples
ELSE pg_catalog.pg_relation_size(c.oid) / 100 + 1 END FROM pg_catalog.pg_class c
WHERE c.relname = ANY ($1::pg_catalog.name[]) AND c.reltoastrelid <> 0
AND pg_catalog.pg_relation_size(c.reltoastrelid) > 0 LIMIT 64
