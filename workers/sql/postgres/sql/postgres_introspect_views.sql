-- The definitions of the views among the relations $1, at most $2 characters and one more.
SELECT c.oid, pg_catalog.left(pg_catalog.ltrim(pg_catalog.pg_get_viewdef(c.oid, true)), $2::pg_catalog.int4 + 1)
FROM pg_catalog.pg_class c WHERE c.oid = ANY ($1::pg_catalog.oid[]) AND c.relkind IN ('v', 'm')
ORDER BY pg_catalog.array_position($1::pg_catalog.oid[], c.oid)
