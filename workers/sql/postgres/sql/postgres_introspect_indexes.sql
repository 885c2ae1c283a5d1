-- The indexes of the relations $1, a row for each column: relation, index, unique, primary key, the column's place in
-- the key (null: only named in an expression or a condition, or just stored), its name (null: an expression stands
-- there), and the statement that makes the index, where its columns do not say it all.
SELECT i.indrelid, x.relname, i.indisunique, i.indisprimary, p.place, a.attname,
  CASE WHEN m.amname <> 'btree' OR i.indexprs IS NOT NULL OR i.indpred IS NOT NULL OR i.indnatts <> i.indnkeyatts
    OR i.indoption::pg_catalog.text ~ '[1-9]' OR EXISTS (SELECT FROM pg_catalog.unnest(i.indclass::pg_catalog.oid[]) k
      JOIN pg_catalog.pg_opclass c ON c.oid = k WHERE NOT c.opcdefault)
    THEN pg_catalog.pg_get_indexdef(i.indexrelid) END
FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid
JOIN pg_catalog.pg_am m ON m.oid = x.relam
CROSS JOIN LATERAL (
  SELECT k.place, k.attnum FROM pg_catalog.unnest(i.indkey::pg_catalog.int2[]) WITH ORDINALITY AS k (attnum, place)
  WHERE k.place <= i.indnkeyatts
  UNION ALL SELECT NULL, k.attnum FROM pg_catalog.unnest(i.indkey::pg_catalog.int2[]) WITH ORDINALITY AS k (attnum, place)
  WHERE k.place > i.indnkeyatts
  UNION ALL SELECT NULL, n.attnum FROM pg_catalog.pg_attribute n WHERE n.attrelid = i.indrelid AND n.attnum > 0
    AND NOT n.attisdropped AND (i.indexprs IS NOT NULL OR i.indpred IS NOT NULL)
    AND pg_catalog.concat(i.indexprs::pg_catalog.text, i.indpred::pg_catalog.text)
      ~ (':varattno (0|' || n.attnum::pg_catalog.text || ') ')) p
LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = p.attnum AND p.attnum > 0
WHERE i.indrelid = ANY ($1::pg_catalog.oid[]) AND i.indislive
ORDER BY pg_catalog.array_position($1::pg_catalog.oid[], i.indrelid), NOT i.indisprimary, x.relname COLLATE "C",
  i.indexrelid, p.place NULLS LAST, a.attname COLLATE "C"
