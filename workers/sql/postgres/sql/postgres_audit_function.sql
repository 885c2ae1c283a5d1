-- Of all of that name: is there one, and may the account use it?
SELECT pg_catalog.count(*) > 0, coalesce(pg_catalog.bool_or(pg_catalog.has_function_privilege(p.oid, 'EXECUTE')),
false) FROM pg_catalog.pg_proc p WHERE p.proname = $1
