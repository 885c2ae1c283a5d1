-- The tables and views of the databases: schema, name, whether it is a view, estimate of rows, comment.
SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE = 'VIEW', TABLE_ROWS, IF(TABLE_TYPE = 'VIEW', NULL, NULLIF(TABLE_COMMENT, ''))
FROM information_schema.TABLES WHERE TABLE_SCHEMA IN (${schemas})
AND TABLE_TYPE IN ('BASE TABLE', 'VIEW', 'SYSTEM VERSIONED') ORDER BY BINARY TABLE_SCHEMA, BINARY TABLE_NAME
