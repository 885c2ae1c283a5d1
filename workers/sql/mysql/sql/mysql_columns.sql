-- Their columns: schema, table, name, type as written, type's name, nullable, readable, comment, default, EXTRA,
-- expression of a generated one.
SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, DATA_TYPE, IS_NULLABLE = 'YES',
FIND_IN_SET('select', PRIVILEGES) > 0, NULLIF(COLUMN_COMMENT, ''), COLUMN_DEFAULT, EXTRA, NULLIF(GENERATION_EXPRESSION, '')
FROM information_schema.COLUMNS WHERE TABLE_SCHEMA IN (${schemas})
ORDER BY BINARY TABLE_SCHEMA, BINARY TABLE_NAME, ORDINAL_POSITION
