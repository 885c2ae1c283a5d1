-- The statement that made a view, %Q.
SELECT sql FROM main.sqlite_schema WHERE type = 'view' AND name = %Q
