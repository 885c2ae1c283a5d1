-- The partitions, of any level, of the partitioned tables among the relations $1: relation, name; at most $2 of each.
SELECT c.oid, p.name FROM pg_catalog.pg_class c
CROSS JOIN LATERAL (
  SELECT pg_catalog.format('%s.%s', n.nspname, r.relname) AS name FROM pg_catalog.pg_partition_tree(c.oid) t
  JOIN pg_catalog.pg_class r ON r.oid = t.relid JOIN pg_catalog.pg_namespace n ON n.oid = r.relnamespace
  WHERE r.oid <> c.oid ORDER BY 1 LIMIT $2::pg_catalog.int4) p
WHERE c.oid = ANY ($1::pg_catalog.oid[]) AND c.relkind = 'p'
ORDER BY pg_catalog.array_position($1::pg_catalog.oid[], c.oid), p.name COLLATE "C"
