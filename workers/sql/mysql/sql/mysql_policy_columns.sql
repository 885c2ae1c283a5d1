-- Their columns that the account may read or know of: schema, relation, name, expressions of a generated one and of the
-- default, type, EXTRA, whether it may be read.  MariaDB writes all defaults as expressions.
SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, CONCAT_WS(', ', NULLIF(GENERATION_EXPRESSION, ''),
IF(VERSION() LIKE '%MariaDB%' OR EXTRA LIKE '%DEFAULT_GENERATED%', COLUMN_DEFAULT, NULL)), DATA_TYPE, EXTRA,
FIND_IN_SET('select', PRIVILEGES) > 0 FROM information_schema.COLUMNS
WHERE TABLE_SCHEMA IN (${schemas}, 'information_schema')
AND (FIND_IN_SET('select', PRIVILEGES) > 0 OR FIND_IN_SET('references', PRIVILEGES) > 0)
ORDER BY BINARY TABLE_SCHEMA, BINARY TABLE_NAME, ORDINAL_POSITION
