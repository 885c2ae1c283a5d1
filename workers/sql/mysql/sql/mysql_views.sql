-- The statements of their views: schema, name, statement.
SELECT TABLE_SCHEMA, TABLE_NAME, NULLIF(VIEW_DEFINITION, '') FROM information_schema.VIEWS
WHERE TABLE_SCHEMA IN (${schemas}) ORDER BY BINARY TABLE_SCHEMA, BINARY TABLE_NAME
