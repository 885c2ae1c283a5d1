-- What a column policy decides on: schema, relation, column, its default or how it is computed, definition of a view,
-- the column's type.
SELECT c.schema_name, c.table_name, c.column_name, c.column_default, v.sql, c.data_type
FROM duckdb_columns() c LEFT JOIN (SELECT schema_name, view_name, sql FROM duckdb_views()
  WHERE database_name = current_database() AND NOT internal) v
  ON v.schema_name = c.schema_name AND v.view_name = c.table_name
WHERE c.database_name = current_database() AND NOT c.internal
ORDER BY c.schema_name, c.table_name, c.column_index
