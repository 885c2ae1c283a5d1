-- Every column: schema, table, name, type, nullable, part of the primary key, comment, default or
-- generation expression.
SELECT c.schema_name, c.table_name, c.column_name, c.data_type, CASE WHEN c.is_nullable THEN '1' END,
  CASE WHEN list_contains(k.constraint_column_names, c.column_name) THEN '1' END, c.comment, c.column_default
FROM duckdb_columns() c LEFT JOIN (SELECT schema_name, table_name, constraint_column_names FROM duckdb_constraints()
  WHERE database_name = current_database() AND constraint_type = 'PRIMARY KEY') k
  ON k.schema_name = c.schema_name AND k.table_name = c.table_name
WHERE c.database_name = current_database() AND NOT c.internal
ORDER BY c.schema_name, c.table_name, c.column_index
