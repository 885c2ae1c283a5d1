-- Their columns that the account may read: schema, relation, name, expression of a generated one, type, EXTRA.
SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, GENERATION_EXPRESSION, DATA_TYPE, EXTRA FROM information_schema.COLUMNS
WHERE TABLE_SCHEMA IN (${schemas}, 'information_schema') AND FIND_IN_SET('select', PRIVILEGES) > 0
ORDER BY BINARY TABLE_SCHEMA, BINARY TABLE_NAME, ORDINAL_POSITION
