-- The indexes of a table, %Q, a row for each column of the key: name, unique, origin, has a condition, statement; column,
-- its number, descending, collation.  In the order in which they were made.
SELECT l.name, l."unique", l.origin, l.partial, s.sql, i.name, i.cid, i."desc", i.coll
FROM pragma_index_list(%Q, 'main') AS l JOIN pragma_index_xinfo(l.name, 'main') AS i ON i."key" = 1
LEFT JOIN main.sqlite_schema AS s ON s.type = 'index' AND s.name = l.name
ORDER BY l.seq DESC, i.seqno
