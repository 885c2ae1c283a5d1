-- The labels of the enumerations among the columns of the relations $1: relation, column's number, label; of an array
-- those of its elements, of a domain those of what it is made of, at most $2 of each.
SELECT a.attrelid, a.attnum, l.enumlabel
FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid AND t.oid >= 12000
CROSS JOIN LATERAL (
  WITH RECURSIVE b (oid, typtype) AS (SELECT t.oid, t.typtype UNION
    SELECT u.oid, u.typtype FROM b JOIN pg_catalog.pg_type p ON p.oid = b.oid JOIN pg_catalog.pg_type u
      ON u.oid = CASE WHEN p.typtype = 'd' THEN p.typbasetype WHEN p.typcategory = 'A' THEN p.typelem END)
  SELECT e.enumlabel, e.enumsortorder FROM b JOIN pg_catalog.pg_enum e ON e.enumtypid = b.oid
  WHERE b.typtype = 'e' ORDER BY e.enumsortorder LIMIT $2::pg_catalog.int4) l
WHERE a.attrelid = ANY ($1::pg_catalog.oid[]) AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY pg_catalog.array_position($1::pg_catalog.oid[], a.attrelid), a.attnum, l.enumsortorder
