-- Every relation: schema, name, kind, rows, comment, the statement that makes it, as DuckDB writes it.
SELECT schema_name, table_name, 'table', estimated_size, comment, sql FROM duckdb_tables()
WHERE database_name = current_database() AND NOT internal
UNION ALL SELECT schema_name, view_name, 'view', NULL, comment, sql FROM duckdb_views()
WHERE database_name = current_database() AND NOT internal ORDER BY 1, 2
