-- Every column of a foreign key: schema, table, column, table and column that it refers to, the key's name, whether
-- it is the first one of its key.
SELECT schema_name, table_name, unnest(constraint_column_names), referenced_table, unnest(referenced_column_names),
  constraint_name, unnest([CASE WHEN i = 1 THEN '1' END FOR i IN range(1, len(constraint_column_names) + 1)])
FROM duckdb_constraints() WHERE database_name = current_database() AND constraint_type = 'FOREIGN KEY'
ORDER BY schema_name, table_name, constraint_index
