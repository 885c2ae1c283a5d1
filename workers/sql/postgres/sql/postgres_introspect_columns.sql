-- The columns of the relations $1: relation, name, type, type without domain, category, type's own name, nullable, in
-- the primary key, comment, number, kind of identity, default, generation expression.  A domain is described by what it
-- is made of; typcategory already is its base type's.
-- Servers before 12 have no attgenerated.
SELECT a.attrelid, a.attname, {{type_name a.atttypid a.atttypmod}},
  CASE WHEN t.typtype = 'd' THEN (
    WITH RECURSIVE b (o, m, depth) AS (SELECT t.typbasetype, t.typtypmod, 1 UNION ALL
      SELECT u.typbasetype, u.typtypmod, b.depth + 1 FROM b JOIN pg_catalog.pg_type u ON u.oid = b.o
      WHERE u.typtype = 'd')
    SELECT {{type_name b.o b.m}} FROM b ORDER BY b.depth DESC LIMIT 1)
  ELSE {{type_name a.atttypid a.atttypmod}} END,
  t.typcategory, t.typname,
  NOT (a.attnotnull OR (t.typtype = 'd' AND (
    WITH RECURSIVE b (o, held) AS (SELECT t.typbasetype, t.typnotnull UNION ALL
      SELECT u.typbasetype, u.typnotnull FROM b JOIN pg_catalog.pg_type u ON u.oid = b.o WHERE u.typtype = 'd')
    SELECT pg_catalog.bool_or(b.held) FROM b))),
  EXISTS (SELECT FROM pg_catalog.pg_constraint k WHERE k.conrelid = a.attrelid AND k.contype = 'p'
    AND a.attnum = ANY (k.conkey)),
  pg_catalog.col_description(a.attrelid, a.attnum), a.attnum,
  CASE a.attidentity WHEN 'a' THEN 'always' WHEN 'd' THEN 'by default' END,
  CASE WHEN coalesce(pg_catalog.to_jsonb(a) OPERATOR(pg_catalog.->>) 'attgenerated', '') = ''
    THEN pg_catalog.pg_get_expr(d.adbin, d.adrelid, true) END,
  CASE WHEN coalesce(pg_catalog.to_jsonb(a) OPERATOR(pg_catalog.->>) 'attgenerated', '') <> ''
    THEN pg_catalog.pg_get_expr(d.adbin, d.adrelid, true) END
FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid = ANY ($1::pg_catalog.oid[]) AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY pg_catalog.array_position($1::pg_catalog.oid[], a.attrelid), a.attnum
