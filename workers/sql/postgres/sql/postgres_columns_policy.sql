-- What a column policy means in the database: the answer's columns are those of postgres_columns_query.h.
--
-- Functions, operators and types that may read tables.
--
-- plain: users' functions, no extension's.  said: the words of their bodies.
-- part: functions that read because a word of the body can, because another
-- user's function is named, because they depend on a relation, or because the
-- body is in no language known here.  reading: these ('f'), and step by step
-- what runs them: operators ('o'), aggregates, types ('t') by their casts,
-- checks, operator classes and parts, and functions that name or take one of
-- these.  A C function behind a type's casts is taken for one that computes.
--
-- opaque: views that run one of these, or show the server's samples of
-- columns.  hit: what a rule names.  tainted: columns and rows of a type that
-- reads.  reach: relations ('r') and types ('t') that take from or hold any of
-- these.  held: types that hold the row of a relation.
WITH RECURSIVE holds AS${once} (SELECT typelem AS part, oid FROM pg_catalog.pg_type WHERE typelem >= 16384
 UNION ALL SELECT typbasetype, oid FROM pg_catalog.pg_type WHERE typbasetype >= 16384
 UNION ALL SELECT rngsubtype, rngtypid FROM pg_catalog.pg_range WHERE rngsubtype >= 16384${multiranges}),
carries AS${once} (SELECT a.atttypid AS part, c.oid, c.reltype, a.attnum, a.attname FROM pg_catalog.pg_attribute a
 JOIN pg_catalog.pg_class c ON c.oid = a.attrelid WHERE a.atttypid >= 16384 AND a.attnum > 0 AND NOT a.attisdropped
 AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'c')),
plain AS${once} (SELECT p.oid, pg_catalog.lower(p.proname::pg_catalog.text) AS name, l.lanname,
 EXISTS (SELECT FROM pg_catalog.pg_aggregate g WHERE g.aggfnoid = p.oid) AS agg, b.body,
 CASE WHEN b.body ~ '--|/\*' THEN b.body ELSE pg_catalog.regexp_replace(b.body,
  'is\s+(not\s+)?distinct\s+from|extract\s*\(\s*\w+\s+from', '', 'g') END AS cut,
 coalesce(p.proallargtypes, p.proargtypes::pg_catalog.oid[]) || p.prorettype AS types
 FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid = p.prolang,
 LATERAL (SELECT pg_catalog.lower(${body}) AS body) b
 WHERE p.oid >= 16384 AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
  WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype = 'e')),
said AS${once} (SELECT DISTINCT a.oid, w FROM plain a,
 pg_catalog.regexp_split_to_table(a.body, '[^abcdefghijklmnopqrstuvwxyz0123456789_]+') w),
part AS (SELECT a.oid FROM plain a WHERE NOT a.agg AND (a.lanname NOT IN ('sql', 'plpgsql') OR a.cut ~
 '(^|[^a-z_])(from|table|execute|perform|call|join|current_setting|set_config|\w*_to_xml\w*|dblink\w*|ts_stat|ts_rewrite|lo_\w+|pg_read\w*|pg_stat\w*)\M|u&"')
 UNION SELECT a.oid FROM plain a JOIN said ON said.oid = a.oid JOIN plain b ON b.name = said.w AND b.oid <> a.oid
 WHERE NOT a.agg
 UNION SELECT a.oid FROM plain a JOIN plain b ON b.name ~ '[^abcdefghijklmnopqrstuvwxyz0123456789_]'
  AND b.oid <> a.oid AND pg_catalog.strpos(a.body, b.name) > 0 WHERE NOT a.agg
 UNION SELECT a.oid FROM plain a JOIN pg_catalog.pg_depend d ON d.objid = a.oid
  AND d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass),
reading (kind, oid) AS (SELECT 'f', part.oid FROM part UNION SELECT x.kind, x.oid FROM reading r JOIN LATERAL (
-- behind a function
 SELECT 'f' AS kind, g.aggfnoid::pg_catalog.oid AS oid FROM pg_catalog.pg_aggregate g WHERE r.kind = 'f' AND
  r.oid IN (g.aggtransfn, g.aggfinalfn, g.aggcombinefn, g.aggserialfn, g.aggdeserialfn, g.aggmtransfn,
   g.aggminvtransfn, g.aggmfinalfn)
 UNION ALL SELECT 'o', o.oid FROM pg_catalog.pg_operator o WHERE r.kind = 'f' AND o.oprcode = r.oid
 UNION ALL SELECT 't', t.oid FROM plain a JOIN (SELECT k.castfunc AS fn, k.castsource AS oid FROM pg_catalog.pg_cast k
   UNION ALL SELECT k.castfunc, k.casttarget FROM pg_catalog.pg_cast k
   UNION ALL SELECT m.amproc, m.amproclefttype FROM pg_catalog.pg_amproc m
   UNION ALL SELECT m.amproc, m.amprocrighttype FROM pg_catalog.pg_amproc m
   UNION ALL SELECT g.rngcanonical, g.rngtypid FROM pg_catalog.pg_range g
   UNION ALL SELECT g.rngsubdiff, g.rngtypid FROM pg_catalog.pg_range g) t ON t.fn = a.oid
  WHERE r.kind = 'f' AND a.oid = r.oid AND a.lanname NOT IN ('c', 'internal') AND t.oid >= 16384
-- behind an operator
 UNION ALL SELECT 'f', g.aggfnoid::pg_catalog.oid FROM pg_catalog.pg_aggregate g
  WHERE r.kind = 'o' AND g.aggsortop = r.oid AND g.aggfnoid::pg_catalog.oid >= 16384
 UNION ALL SELECT 'f', a.oid FROM pg_catalog.pg_operator o JOIN plain a ON pg_catalog.strpos(a.body, o.oprname::pg_catalog.text) > 0
  WHERE r.kind = 'o' AND o.oid = r.oid AND NOT a.agg AND o.oprname NOT IN {{meant}}  UNION ALL SELECT 't', t.oid FROM pg_catalog.pg_operator o, LATERAL (VALUES (o.oprleft), (o.oprright)) t(oid)
  WHERE r.kind = 'o' AND o.oid = r.oid AND t.oid >= 16384 AND (o.oprname IN {{meant}}    OR EXISTS (SELECT FROM pg_catalog.pg_amop m WHERE m.amopopr = o.oid))
-- behind a type
 UNION ALL SELECT 't', h.oid FROM holds h WHERE r.kind = 't' AND h.part = r.oid
 UNION ALL SELECT 't', c.reltype FROM carries c WHERE r.kind = 't' AND c.part = r.oid AND c.reltype <> 0
 UNION ALL SELECT 'f', a.oid FROM plain a WHERE r.kind = 't' AND r.oid = ANY (a.types)
 UNION ALL SELECT 'f', said.oid FROM pg_catalog.pg_type t JOIN said ON said.w = pg_catalog.lower(t.typname::pg_catalog.text)
  WHERE r.kind = 't' AND t.oid = r.oid
 UNION ALL SELECT 'f', a.oid FROM pg_catalog.pg_type t JOIN plain a
  ON pg_catalog.strpos(a.body, pg_catalog.lower(t.typname::pg_catalog.text)) > 0 WHERE r.kind = 't' AND t.oid = r.oid
  AND pg_catalog.lower(t.typname::pg_catalog.text) ~ '[^abcdefghijklmnopqrstuvwxyz0123456789_]'
-- what depends on any of them: defaults and parsed bodies of functions, checks of domains
 UNION ALL SELECT CASE WHEN k.oid IS NULL THEN 'f' ELSE 't' END, coalesce(k.contypid, d.objid)
  FROM pg_catalog.pg_depend d LEFT JOIN pg_catalog.pg_constraint k ON k.oid = d.objid AND k.contypid <> 0
   AND d.classid = 'pg_catalog.pg_constraint'::pg_catalog.regclass
  WHERE d.refobjid = r.oid AND d.refclassid = CASE r.kind WHEN 'f' THEN 'pg_catalog.pg_proc'::pg_catalog.regclass
    WHEN 'o' THEN 'pg_catalog.pg_operator'::pg_catalog.regclass ELSE 'pg_catalog.pg_type'::pg_catalog.regclass END
   AND (k.oid IS NOT NULL OR EXISTS (SELECT FROM plain a WHERE a.oid = d.objid
    AND d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass))
 ) x ON true),
opaque AS (SELECT w.ev_class AS oid FROM pg_catalog.pg_rewrite w WHERE w.ev_class >= 16384
 AND w.ev_action::pg_catalog.text ~ (SELECT ':(relid|funcid|opfuncid|aggfnoid|winfnoid) (2619|3429|2613'
  || coalesce(pg_catalog.string_agg('|' || x.oid::pg_catalog.text, ''), '') || ') ' FROM
  (SELECT oid FROM reading WHERE kind = 'f' UNION ALL SELECT c.oid FROM pg_catalog.pg_class c
   WHERE c.relnamespace = 'pg_catalog'::pg_catalog.regnamespace AND c.relname LIKE 'pg\_stats%') x)
 UNION SELECT w.ev_class FROM reading JOIN pg_catalog.pg_depend d ON d.refobjid = reading.oid
  AND d.refclassid = CASE reading.kind WHEN 'f' THEN 'pg_catalog.pg_proc'::pg_catalog.regclass
   WHEN 'o' THEN 'pg_catalog.pg_operator'::pg_catalog.regclass ELSE 'pg_catalog.pg_type'::pg_catalog.regclass END
  AND d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass
  JOIN pg_catalog.pg_rewrite w ON w.oid = d.objid WHERE w.ev_class >= 16384),
tainted AS (SELECT c.oid, c.attnum FROM carries c JOIN reading ON reading.kind = 't' AND reading.oid = c.part
 UNION SELECT c.oid, 0 FROM pg_catalog.pg_class c JOIN reading ON reading.kind = 't' AND reading.oid = c.reltype),
hit AS (SELECT DISTINCT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'c')
 AND a.attnum > 0 AND NOT a.attisdropped AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
 AND (${hits})),
reach (kind, oid) AS (SELECT 'r', s.oid FROM (SELECT oid FROM hit UNION SELECT oid FROM opaque
  UNION SELECT oid FROM tainted) s
 UNION SELECT x.kind, x.oid FROM reach r JOIN LATERAL (
  SELECT 'r' AS kind, i.inhrelid AS oid FROM pg_catalog.pg_inherits i WHERE r.kind = 'r' AND i.inhparent = r.oid
  UNION ALL SELECT 'r', i.inhparent FROM pg_catalog.pg_inherits i WHERE r.kind = 'r' AND i.inhrelid = r.oid
  UNION ALL SELECT 'r', w.ev_class FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_rewrite w ON w.oid = d.objid
   WHERE r.kind = 'r' AND d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass
   AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid = r.oid
  UNION ALL SELECT 'r', q.oid FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_class q ON q.oid = d.objid AND q.relkind = 'S'
   WHERE r.kind = 'r' AND d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjsubid > 0
   AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid = r.oid AND d.deptype IN ('a', 'i')
  UNION ALL SELECT 't', c.reltype FROM pg_catalog.pg_class c WHERE r.kind = 'r' AND c.oid = r.oid AND c.reltype <> 0
  UNION ALL SELECT 'r', c.oid FROM pg_catalog.pg_class c WHERE r.kind = 't' AND c.reloftype = r.oid
  UNION ALL SELECT 't', h.oid FROM holds h WHERE r.kind = 't' AND h.part = r.oid
  UNION ALL SELECT 'r', c.oid FROM carries c WHERE r.kind = 't' AND c.part = r.oid) x ON true),
rel AS (SELECT c.oid, n.nspname::pg_catalog.text AS s, c.relname::pg_catalog.text AS t, c.relkind, c.reltype, c.reloftype
 FROM reach JOIN pg_catalog.pg_class c ON c.oid = reach.oid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE reach.kind = 'r' AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'c', 'S')
 UNION ALL SELECT c.oid, n.nspname::pg_catalog.text, c.relname::pg_catalog.text, 'r', 0, 0
 FROM (SELECT DISTINCT s, t FROM (VALUES ${server_relations}) v(s, t)) o JOIN pg_catalog.pg_namespace n ON n.nspname = o.s
 JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = o.t),
held (type, oid) AS (SELECT reltype, oid FROM rel WHERE reltype <> 0 UNION SELECT s.oid, h.oid FROM held h
 JOIN holds s ON s.part = h.type),
answer (what, s, t, i, a, b, c, d) AS (
SELECT '0', s, t, 0, relkind::pg_catalog.text, pg_catalog.pg_table_is_visible(oid)::pg_catalog.text,
 CASE WHEN EXISTS (SELECT FROM opaque o WHERE o.oid = rel.oid) THEN 'o' WHEN EXISTS (SELECT FROM
  pg_catalog.pg_rewrite w WHERE w.ev_class = rel.oid AND w.ev_action::pg_catalog.text LIKE '%:varattno 0 %')
  THEN 'w' ELSE '' END,
 CASE WHEN relkind IN ('v', 'm') THEN pg_catalog.pg_get_viewdef(oid) END FROM rel
UNION ALL SELECT '1', s, t, a.attnum::pg_catalog.int4, a.attname::pg_catalog.text,
 (relkind <> 'c' AND pg_catalog.has_column_privilege(rel.oid, a.attnum, 'SELECT'))::pg_catalog.text,
 (a.atttypid = 2950)::pg_catalog.text, NULL FROM rel
 JOIN pg_catalog.pg_attribute a ON a.attrelid = rel.oid WHERE a.attnum > 0 AND NOT a.attisdropped
UNION ALL SELECT '2', x.s, x.t, 0, y.s, y.t, NULL, NULL FROM rel x JOIN pg_catalog.pg_inherits i
 ON i.inhrelid = x.oid JOIN rel y ON y.oid = i.inhparent
UNION ALL SELECT '2', x.s, x.t, 0, y.s, y.t, NULL, NULL FROM rel x JOIN rel y ON y.reltype = x.reloftype
 WHERE x.reloftype <> 0
UNION ALL SELECT '3', s, t, 0, g.attname::pg_catalog.text, f.attname::pg_catalog.text, NULL, NULL FROM rel
 JOIN pg_catalog.pg_attrdef k ON k.adrelid = rel.oid JOIN pg_catalog.pg_depend d
 ON (d.classid = 'pg_catalog.pg_attrdef'::pg_catalog.regclass AND d.objid = k.oid
  OR d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = rel.oid AND d.objsubid = k.adnum)
 JOIN pg_catalog.pg_attribute g ON g.attrelid = rel.oid AND g.attnum = k.adnum
 JOIN pg_catalog.pg_attribute f ON f.attrelid = rel.oid AND f.attnum = d.refobjsubid AND f.attnum <> g.attnum
 WHERE d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid = rel.oid
UNION ALL SELECT '4', x.s, x.t, 0, y.s, y.t, a.attname::pg_catalog.text, NULL FROM rel x
 JOIN pg_catalog.pg_rewrite w ON w.ev_class = x.oid JOIN pg_catalog.pg_depend d ON d.objid = w.oid
  AND d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass
  AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
 JOIN rel y ON y.oid = d.refobjid AND y.oid <> x.oid LEFT JOIN pg_catalog.pg_attribute a
  ON a.attrelid = y.oid AND a.attnum = d.refobjsubid AND d.refobjsubid > 0
-- A single column orders only itself, unless a condition on others makes the index of use.
UNION ALL SELECT '5', rel.s, rel.t, 0, a.attname::pg_catalog.text, NULL, NULL, NULL FROM rel
 JOIN pg_catalog.pg_index i ON i.indrelid = rel.oid AND (i.indnatts > 1 OR i.indpred IS NOT NULL)
 JOIN pg_catalog.pg_attribute a ON a.attrelid = rel.oid AND a.attnum > 0 AND (a.attnum = ANY (i.indkey)
  OR i.indexprs::pg_catalog.text ~ (':varattno (0|' || a.attnum::pg_catalog.text || ') '))
UNION ALL SELECT '6', rel.s, rel.t, 0, k.attname::pg_catalog.text, y.s, y.t, NULL FROM rel
 JOIN carries k ON k.oid = rel.oid JOIN held ON held.type = k.part JOIN rel y ON y.oid = held.oid WHERE rel.relkind <> 'v'
UNION ALL SELECT '6', q.s, q.t, 0, a.attname::pg_catalog.text, rel.s, rel.t, f.attname::pg_catalog.text FROM rel q
 JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = q.oid
  AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.deptype IN ('a', 'i')
 JOIN rel ON rel.oid = d.refobjid JOIN pg_catalog.pg_attribute f ON f.attrelid = rel.oid AND f.attnum = d.refobjsubid
 JOIN pg_catalog.pg_attribute a ON a.attrelid = q.oid AND a.attnum > 0 WHERE q.relkind = 'S'
UNION ALL SELECT '7', rel.s, rel.t, 0, a.attname::pg_catalog.text, NULL, NULL, NULL FROM rel
 JOIN tainted ON tainted.oid = rel.oid LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = rel.oid
  AND a.attnum = tainted.attnum AND tainted.attnum > 0
UNION ALL SELECT '8', rel.s, rel.t, 0, a.attname::pg_catalog.text, NULL, NULL, NULL FROM rel
 JOIN pg_catalog.pg_partitioned_table k ON k.partrelid = rel.oid JOIN pg_catalog.pg_attribute a ON a.attrelid = rel.oid
  AND a.attnum > 0 AND NOT a.attisdropped AND (a.attnum = ANY (k.partattrs)
   OR k.partexprs::pg_catalog.text ~ (':varattno (0|' || a.attnum::pg_catalog.text || ') '))
UNION ALL SELECT '8', rel.s, rel.t, 0, a.attname::pg_catalog.text, NULL, NULL, NULL FROM rel
 JOIN pg_catalog.pg_inherits i ON i.inhparent = rel.oid JOIN pg_catalog.pg_constraint k ON k.conrelid = i.inhrelid
  AND k.contype = 'c' AND k.coninhcount = 0 JOIN pg_catalog.pg_attribute f ON f.attrelid = i.inhrelid AND f.attnum > 0
  AND (f.attnum = ANY (k.conkey) OR k.conbin::pg_catalog.text LIKE '%:varattno 0 %')
 JOIN pg_catalog.pg_attribute a ON a.attrelid = rel.oid AND a.attname = f.attname
UNION ALL SELECT '9', rel.s, rel.t, 0, a.attname::pg_catalog.text, NULL, NULL, NULL FROM rel
 JOIN pg_catalog.pg_index i ON i.indrelid = rel.oid AND i.indpred IS NOT NULL JOIN pg_catalog.pg_attribute a
 ON a.attrelid = rel.oid AND a.attnum > 0
  AND i.indpred::pg_catalog.text ~ (':varattno (0|' || a.attnum::pg_catalog.text || ') ')
UNION ALL SELECT 'c', rel.s, rel.t, 0, a.attname::pg_catalog.text, NULL, NULL, NULL FROM rel
 JOIN pg_catalog.pg_index i ON i.indrelid = rel.oid AND i.indisclustered
 JOIN pg_catalog.pg_attribute a ON a.attrelid = rel.oid AND a.attnum > 0 AND (a.attnum = ANY (i.indkey)
  OR i.indexprs::pg_catalog.text ~ (':varattno (0|' || a.attnum::pg_catalog.text || ') '))
UNION ALL SELECT 'd', rel.s, rel.t, 0, a.attname::pg_catalog.text, NULL, NULL, NULL FROM rel
 JOIN pg_catalog.pg_attrdef k ON k.adrelid = rel.oid JOIN pg_catalog.pg_attribute a ON a.attrelid = rel.oid
  AND a.attnum = k.adnum${given_defaults} AND pg_catalog.pg_get_expr(k.adbin, k.adrelid) !~ '^nextval\('
UNION ALL SELECT 'f', '', p.proname::pg_catalog.text, 0, NULL, NULL, NULL, NULL FROM reading
 JOIN pg_catalog.pg_proc p ON p.oid = reading.oid AND reading.kind = 'f'
UNION ALL SELECT 'o', '', o.oprname::pg_catalog.text, 0, NULL, NULL, NULL, NULL FROM reading
 JOIN pg_catalog.pg_operator o ON o.oid = reading.oid AND reading.kind = 'o'
UNION ALL SELECT 't', '', t.typname::pg_catalog.text, 0, NULL, NULL, NULL, NULL FROM reading
 JOIN pg_catalog.pg_type t ON t.oid = reading.oid AND reading.kind = 't'
-- Of a cast from a type of the server only the target tells; one from a user's type is found by that type.
UNION ALL SELECT 't', '', t.typname::pg_catalog.text, 0, NULL, NULL, NULL, NULL FROM reading
 JOIN pg_catalog.pg_cast k ON reading.kind = 'f' AND k.castfunc = reading.oid AND (k.castsource < 16384
  OR EXISTS (SELECT FROM plain a WHERE a.oid = reading.oid AND a.lanname IN ('c', 'internal')))
 JOIN pg_catalog.pg_type t ON t.oid = k.casttarget
UNION ALL SELECT 't', '', t.typname::pg_catalog.text, 0, NULL, NULL, NULL, NULL FROM reading
 JOIN pg_catalog.pg_type t ON reading.kind = 'f' AND reading.oid IN (t.typinput, t.typoutput, t.typmodin)
UNION ALL SELECT 'x', '', k.castsource::pg_catalog.regtype::pg_catalog.text, 0, 'the cast that is made by itself from',
 NULL, NULL, NULL FROM reading JOIN pg_catalog.pg_cast k ON reading.kind = 'f' AND k.castfunc = reading.oid
  AND k.castcontext = 'i' AND k.castsource < 16384 AND k.casttarget < 16384
  AND EXISTS (SELECT FROM plain a WHERE a.oid = reading.oid AND a.lanname NOT IN ('c', 'internal'))
UNION ALL SELECT 'x', '', o.oprname::pg_catalog.text, 0, 'the operator', NULL, NULL, NULL FROM reading
 JOIN pg_catalog.pg_operator o ON reading.kind = 'o' AND o.oid = reading.oid AND o.oprname IN {{meant}}  AND o.oprleft < 16384 AND o.oprright < 16384
UNION ALL SELECT 'x', '', c.opcintype::pg_catalog.regtype::pg_catalog.text, 0, 'the order of', NULL, NULL, NULL
 FROM reading JOIN pg_catalog.pg_amproc m ON reading.kind = 'f' AND m.amproc = reading.oid
 JOIN pg_catalog.pg_opclass c ON c.opcfamily = m.amprocfamily AND c.opcdefault AND c.opcintype = m.amproclefttype
 WHERE c.opcintype < 16384 AND EXISTS (SELECT FROM plain a WHERE a.oid = reading.oid AND a.lanname NOT IN ('c', 'internal')))
SELECT what, s, t, a, b, c, d FROM answer ORDER BY what, t COLLATE "C", s COLLATE "C", i,
a COLLATE "C", b COLLATE "C", c COLLATE "C"
