-- In the order of enum audit_account, from AUDIT_WRITER to AUDIT_SIGNALS.
SELECT EXISTS (SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p', 'f') AND n.nspname !~ '^pg_(toast|temp)'
  AND (n.nspname NOT IN ('pg_catalog', 'information_schema') OR r.rolsuper)
  AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
  AND (pg_catalog.has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
   OR pg_catalog.has_any_column_privilege(c.oid, 'INSERT, UPDATE'))),
pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE')
 OR EXISTS (SELECT FROM pg_catalog.pg_namespace n WHERE n.nspname !~ '^pg_'
  AND pg_catalog.has_schema_privilege(n.oid, 'CREATE')),
pg_catalog.has_database_privilege(pg_catalog.current_database(), 'TEMPORARY'),
r.rolsuper,
{{member pg_read_server_files}},
{{member pg_write_server_files}},
{{member pg_execute_server_program}},
{{member pg_monitor}},
{{member pg_signal_backend}}
FROM pg_catalog.pg_roles r WHERE r.rolname = current_user
