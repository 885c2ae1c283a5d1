-- Whether the account may read anything of relation c in namespace n.
(pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND (pg_catalog.has_table_privilege(c.oid, 'SELECT')
OR pg_catalog.has_any_column_privilege(c.oid, 'SELECT')))
