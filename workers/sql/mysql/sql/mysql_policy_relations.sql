-- The relations that a column policy knows: schema, name, whether it is a view, engine.  A sequence may count for a
-- hidden column of a table.
SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE = 'VIEW', IF(TABLE_TYPE = 'SEQUENCE', TABLE_TYPE, ENGINE)
FROM information_schema.TABLES
WHERE TABLE_SCHEMA IN (${schemas}, 'information_schema') ORDER BY BINARY TABLE_SCHEMA, BINARY TABLE_NAME
