-- The relations that a column policy knows: schema, name, whether it is a view, engine.
SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE = 'VIEW', ENGINE FROM information_schema.TABLES
WHERE TABLE_SCHEMA IN (${schemas}, 'information_schema') ORDER BY BINARY TABLE_SCHEMA, BINARY TABLE_NAME
