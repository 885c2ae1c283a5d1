-- The checks of the relations $1, a row for each column that a check names: relation, name, expression, the column, and
-- whether it calls a function that is not the server's own: those of the server have numbers of four digits at most.
SELECT k.conrelid, k.conname, pg_catalog.pg_get_expr(k.conbin, k.conrelid, true),
  a.attname, k.conbin::pg_catalog.text ~ ':(funcid|opfuncid) [0-9]{5}'
FROM pg_catalog.pg_constraint k LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum > 0
  AND NOT a.attisdropped AND k.conbin::pg_catalog.text ~ (':varattno (0|' || a.attnum::pg_catalog.text || ') ')
WHERE k.contype = 'c' AND k.conrelid = ANY ($1::pg_catalog.oid[])
ORDER BY pg_catalog.array_position($1::pg_catalog.oid[], k.conrelid), k.conname COLLATE "C", a.attnum
