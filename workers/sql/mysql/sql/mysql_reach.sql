-- All tables and views that are not the server's own: schema, name, whether it is served, whether any of it may be read.
SELECT t.TABLE_SCHEMA, t.TABLE_NAME, t.TABLE_SCHEMA IN (${schemas}), c.readable FROM information_schema.TABLES t
LEFT JOIN (SELECT TABLE_SCHEMA, TABLE_NAME, MAX(FIND_IN_SET('select', PRIVILEGES) > 0) AS readable
FROM information_schema.COLUMNS GROUP BY TABLE_SCHEMA, TABLE_NAME) c
ON BINARY c.TABLE_SCHEMA = BINARY t.TABLE_SCHEMA AND BINARY c.TABLE_NAME = BINARY t.TABLE_NAME
WHERE t.TABLE_TYPE IN ('BASE TABLE', 'VIEW', 'SYSTEM VERSIONED')
AND t.TABLE_SCHEMA NOT IN ('mysql', 'sys', 'performance_schema', 'information_schema')
ORDER BY BINARY t.TABLE_SCHEMA, BINARY t.TABLE_NAME
