-- What gives the account rows of all callers: base tables that it reads as they are, and views that MariaDB merges with
-- the statement over them, whose conditions meet hidden rows first.
SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES
WHERE TABLE_TYPE = 'BASE TABLE' AND TABLE_SCHEMA IN (${schemas})
/*M! UNION ALL SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.VIEWS
WHERE ALGORITHM <> 'TEMPTABLE' AND TABLE_SCHEMA IN (${schemas}) */ ORDER BY 1, 2
