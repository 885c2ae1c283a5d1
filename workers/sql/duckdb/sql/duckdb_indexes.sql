-- Every index that a statement made: schema, table, name, unique, the statement.
SELECT schema_name, table_name, index_name, CASE WHEN is_unique THEN '1' END, sql
FROM duckdb_indexes() WHERE database_name = current_database() ORDER BY schema_name, table_name, index_name
