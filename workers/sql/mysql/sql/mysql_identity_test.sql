-- The base tables that the account can read as they are, without a view between.
SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES
WHERE TABLE_TYPE = 'BASE TABLE' AND TABLE_SCHEMA IN (${schemas}) ORDER BY TABLE_SCHEMA, TABLE_NAME
