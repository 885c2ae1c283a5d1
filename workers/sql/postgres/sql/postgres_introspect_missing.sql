-- Of the schemas $1 those that do not exist.
SELECT w.name FROM pg_catalog.unnest($1::pg_catalog.text[]) AS w (name)
WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_namespace n WHERE n.nspname = w.name)
