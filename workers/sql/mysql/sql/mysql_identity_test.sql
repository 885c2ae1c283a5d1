-- What gives the account rows of other callers: base tables that it reads as they are, and views that MariaDB merges
-- with the statement over them, whose conditions meet hidden rows first (0); views that call a function and compare by
-- no binary collation, so that ACME has the rows of acme (1).
SELECT TABLE_SCHEMA, TABLE_NAME, 0 FROM information_schema.TABLES
WHERE TABLE_TYPE = 'BASE TABLE' AND TABLE_SCHEMA IN (${schemas})
/*M! UNION ALL SELECT TABLE_SCHEMA, TABLE_NAME, 0 FROM information_schema.VIEWS
WHERE ALGORITHM <> 'TEMPTABLE' AND TABLE_SCHEMA IN (${schemas}) */
UNION ALL SELECT TABLE_SCHEMA, TABLE_NAME, 1 FROM information_schema.VIEWS
WHERE TABLE_SCHEMA IN (${schemas}) AND INSTR(VIEW_DEFINITION, '`(') > 0
AND INSTR(VIEW_DEFINITION, '_bin') = 0 AND INSTR(VIEW_DEFINITION, ' binary') = 0 ORDER BY 3, 1, 2
