-- What the guard resolves: the database, then schema and name of a relation, or no schema and the name of a macro.
SELECT current_database(), schema_name, table_name FROM duckdb_tables() WHERE database_name = current_database()
UNION ALL SELECT current_database(), schema_name, view_name FROM duckdb_views()
  WHERE database_name = current_database() AND NOT internal
UNION ALL SELECT current_database(), NULL, function_name FROM duckdb_functions() WHERE NOT internal
UNION ALL SELECT current_database(), NULL, ''
