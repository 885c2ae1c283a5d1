-- Of all of that name: is there one, and may the account read any of it?
SELECT pg_catalog.count(*) > 0, coalesce(pg_catalog.bool_or(pg_catalog.has_any_column_privilege(c.oid, 'SELECT')),
false) FROM pg_catalog.pg_class c WHERE c.relname = $1
