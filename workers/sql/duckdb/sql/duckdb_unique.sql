-- Every column of a primary or unique key: schema, table, column, the key's number and name, whether it is primary.
SELECT schema_name, table_name, unnest(constraint_column_names), constraint_index, constraint_name,
  CASE WHEN constraint_type = 'PRIMARY KEY' THEN '1' END
FROM duckdb_constraints() WHERE database_name = current_database() AND constraint_type IN ('PRIMARY KEY', 'UNIQUE')
ORDER BY schema_name, table_name, constraint_index
