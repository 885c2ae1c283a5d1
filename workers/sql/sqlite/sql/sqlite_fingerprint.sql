-- The statements that made the tables, views and indexes, as SQLite keeps them: kind, table, name, statement.
SELECT type, tbl_name, name, sql FROM main.sqlite_master WHERE type IN ('table', 'view', 'index') ORDER BY type, name
