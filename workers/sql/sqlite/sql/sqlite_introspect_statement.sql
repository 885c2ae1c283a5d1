-- The statement that made a table or view, %Q.
SELECT sql FROM main.sqlite_schema WHERE type IN ('table', 'view') AND name = %Q
