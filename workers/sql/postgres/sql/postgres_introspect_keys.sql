-- The foreign keys of the relations $1: relation, column, the other's schema, name and column, the key's name,
-- whether it is its key's first one.
-- conparentid: what a partition inherits is its parent's key.
SELECT k.conrelid, s.attname, n.nspname, f.relname, d.attname, k.conname, p.place = 1
FROM pg_catalog.pg_constraint k
CROSS JOIN LATERAL unnest(k.conkey, k.confkey) WITH ORDINALITY AS p (src, dst, place)
JOIN pg_catalog.pg_attribute s ON s.attrelid = k.conrelid AND s.attnum = p.src
JOIN pg_catalog.pg_class f ON f.oid = k.confrelid
JOIN pg_catalog.pg_namespace n ON n.oid = f.relnamespace
JOIN pg_catalog.pg_attribute d ON d.attrelid = k.confrelid AND d.attnum = p.dst
WHERE k.contype = 'f' AND k.conparentid = 0 AND k.conrelid = ANY ($1::pg_catalog.oid[])
ORDER BY pg_catalog.array_position($1::pg_catalog.oid[], k.conrelid), k.conname COLLATE "C", p.place
