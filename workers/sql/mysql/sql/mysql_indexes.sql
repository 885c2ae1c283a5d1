-- Their indexes, a row for each column: schema, table, name, unique, kind, column, length of the part that is indexed.
SELECT TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, NON_UNIQUE = 0, INDEX_TYPE, COLUMN_NAME, SUB_PART
FROM information_schema.STATISTICS WHERE TABLE_SCHEMA IN (${schemas})
ORDER BY BINARY TABLE_SCHEMA, BINARY TABLE_NAME, BINARY INDEX_NAME, SEQ_IN_INDEX
