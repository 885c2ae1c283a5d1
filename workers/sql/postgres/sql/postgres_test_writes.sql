-- The first reason found why the account itself could write; NULL: none.
SELECT CASE
WHEN r.rolsuper THEN 'the account is a superuser'
WHEN EXISTS (SELECT FROM pg_catalog.pg_roles w WHERE w.rolname = 'pg_write_all_data'
 AND pg_catalog.pg_has_role(w.oid, 'USAGE')) THEN 'the account may write all data'
WHEN r.rolcreaterole THEN 'the account may create roles'
WHEN r.rolcreatedb THEN 'the account may create databases'
WHEN t.name IS NOT NULL THEN 'the account may write to ' || t.name
WHEN s.name IS NOT NULL THEN 'the account may create objects in schema ' || s.name
WHEN pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE')
 THEN 'the account may create schemas' END
FROM pg_catalog.pg_roles r
LEFT JOIN LATERAL (SELECT c.oid::pg_catalog.regclass::text AS name FROM pg_catalog.pg_class c
 JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p', 'v', 'f') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
 AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
 AND (pg_catalog.has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
  OR pg_catalog.has_any_column_privilege(c.oid, 'INSERT, UPDATE')) LIMIT 1) t ON true
LEFT JOIN LATERAL (SELECT n.nspname AS name FROM pg_catalog.pg_namespace n
 WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
 AND pg_catalog.has_schema_privilege(n.oid, 'CREATE') LIMIT 1) s ON true
WHERE r.rolname = current_user
