-- A line for each relation of the schemas $1: schema, name, kind, and digests of its columns, keys, indexes, definition
-- and comments.
-- Which of them are in scope is decided by who asks, as for a scan.
SELECT n.nspname, c.relname, c.relkind, a.digest, k.digest, i.digest, v.digest, m.digest
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN (SELECT a.attrelid, pg_catalog.md5(pg_catalog.string_agg(pg_catalog.concat_ws(' ', a.attname,
    {{type_name a.atttypid a.atttypmod}}, a.attnotnull, e.digest,
    a.attidentity, coalesce(pg_catalog.to_jsonb(a) OPERATOR(pg_catalog.->>) 'attgenerated', ''),
    d.adbin), ',' ORDER BY a.attnum)) AS digest
  FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
  LEFT JOIN (SELECT e.enumtypid, pg_catalog.md5(pg_catalog.string_agg(e.enumlabel, ',' ORDER BY e.enumsortorder)) AS digest
    FROM pg_catalog.pg_enum e GROUP BY 1) e 
    ON e.enumtypid = coalesce(nullif(t.typelem, 0), nullif(t.typbasetype, 0), t.oid)
  LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE n.nspname = ANY ($1::pg_catalog.text[])
  AND a.attnum > 0 AND NOT a.attisdropped GROUP BY 1) a ON a.attrelid = c.oid
LEFT JOIN (SELECT k.conrelid, pg_catalog.md5(pg_catalog.string_agg(pg_catalog.concat_ws(' ', k.conname, k.contype,
    k.conkey, s.nspname, f.relname, k.confkey, k.conbin), ',' ORDER BY k.conname COLLATE "C")) AS digest
  FROM pg_catalog.pg_constraint k LEFT JOIN pg_catalog.pg_class f ON f.oid = k.confrelid
  LEFT JOIN pg_catalog.pg_namespace s ON s.oid = f.relnamespace
  WHERE k.contype IN ('p', 'f', 'c') AND k.conrelid <> 0 GROUP BY 1) k ON k.conrelid = c.oid
LEFT JOIN (SELECT i.indrelid, pg_catalog.md5(pg_catalog.string_agg(pg_catalog.concat_ws(' ', x.relname, i.indisunique,
    i.indkey, i.indoption, i.indclass, i.indexprs, i.indpred), ',' ORDER BY x.relname COLLATE "C")) AS digest
  FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid
  JOIN pg_catalog.pg_namespace n ON n.oid = x.relnamespace
  WHERE n.nspname = ANY ($1::pg_catalog.text[]) AND i.indislive GROUP BY 1) i ON i.indrelid = c.oid
LEFT JOIN (SELECT w.ev_class, pg_catalog.md5(pg_catalog.string_agg(w.ev_action::pg_catalog.text, ',' ORDER BY w.rulename)) AS digest
  FROM pg_catalog.pg_rewrite w JOIN pg_catalog.pg_class c ON c.oid = w.ev_class
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = ANY ($1::pg_catalog.text[]) GROUP BY 1) v ON v.ev_class = c.oid
LEFT JOIN (SELECT m.objoid, pg_catalog.md5(pg_catalog.string_agg(pg_catalog.concat_ws(' ', m.objsubid,
    m.description), ',' ORDER BY m.objsubid)) AS digest
  FROM pg_catalog.pg_description m WHERE m.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass GROUP BY 1) m
  ON m.objoid = c.oid
WHERE n.nspname = ANY ($1::pg_catalog.text[]) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
AND NOT c.relispartition ORDER BY n.nspname COLLATE "C", c.relname COLLATE "C"
