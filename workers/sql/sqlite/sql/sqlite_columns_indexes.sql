-- The columns of a table's indexes, of the row itself too: number, name, has a condition, statement, origin, index.
SELECT i.cid, i.name, l.partial, s.sql, l.origin, l.name FROM pragma_index_list(%Q, 'main') AS l,
pragma_index_xinfo(l.name, 'main') AS i LEFT JOIN main.sqlite_schema AS s ON s.type = 'index' AND s.name = l.name
