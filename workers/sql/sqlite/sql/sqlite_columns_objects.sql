-- Tables, views and virtual tables of the file: name, type, statement, without row ids.
SELECT l.name, l.type, s.sql, l.wr FROM pragma_table_list AS l JOIN main.sqlite_schema AS s
ON s.name = l.name AND s.type IN ('table', 'view') WHERE l.schema = 'main'
