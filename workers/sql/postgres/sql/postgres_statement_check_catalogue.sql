-- ${closed}: users' functions of any language may set what the connection's identity stands on.
-- Every function with its properties (enum in guard_catalogue.h; an aggregate
-- has those of its parts; one is shadowed where an earlier schema of the search
-- path has the same name with the same arguments and no call could tell them
-- apart by their number or by name; objects: of the types oid, reg…, aclitem, refcursor, pg_node_tree and their arrays,
-- whose values are names or numbers of the database's objects, of those that transactions, rows and the log are numbered
-- with, or one that returns a text search configuration, or depends on no argument and is neither a clock, nor random,
-- nor empty JSON: it tells of the server), every operator and type of users with the function
-- behind it, which types hold which (where some may not be used), where values
-- of the types come from that operators of their own take, the names of types
-- that can be written as a function, and the search path.  Columns: what,
-- schema, name, extension, properties, min (of an operator: is it own?), max,
-- function.
WITH RECURSIVE part AS (SELECT p.oid, p.provolatile = 'v' AS v, p.prosecdef AS d,
 p.oid >= 16384 AND (l.lanname NOT IN ('sql', 'plpgsql') OR ${closed})
 AND (l.lanname <> 'internal' OR p.prosrc !~ '^(range_constructor[23]|multirange_constructor[012])$'
  OR NOT EXISTS (SELECT FROM pg_catalog.pg_range r WHERE p.prorettype IN (r.rngtypid, ${multirange})
   AND r.rngcanonical::pg_catalog.oid < 16384 AND r.rngsubopc < 16384 AND (r.rngsubtype < 16384
    OR EXISTS (SELECT FROM pg_catalog.pg_type s WHERE s.oid = r.rngsubtype AND (s.typtype = 'e'
     OR (s.typtype = 'c' AND NOT EXISTS (SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid = s.typrelid
      AND a.atttypid >= 16384 AND NOT a.attisdropped))))))) AS o
 FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid = p.prolang),
agg AS (SELECT a.aggfnoid::pg_catalog.oid AS oid, pg_catalog.bool_or(part.v) AS v,
 pg_catalog.bool_or(part.d) AS d, pg_catalog.bool_or(part.o) AS o
 FROM pg_catalog.pg_aggregate a JOIN part ON part.oid IN (a.aggtransfn, a.aggfinalfn, a.aggcombinefn,
 a.aggserialfn, a.aggdeserialfn, a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn)
 WHERE a.aggfnoid >= 16384 GROUP BY 1),
place AS (SELECT n.oid, s.at FROM pg_catalog.unnest(pg_catalog.current_schemas(true)) WITH ORDINALITY s(name, at)
 JOIN pg_catalog.pg_namespace n ON n.nspname = s.name),
shadowed AS (SELECT DISTINCT p.oid FROM pg_catalog.pg_proc p JOIN place ON place.oid = p.pronamespace
 JOIN pg_catalog.pg_proc q ON q.proname = p.proname AND q.proargtypes = p.proargtypes
 JOIN place before ON before.oid = q.pronamespace AND before.at < place.at
 WHERE p.oid >= 16384 AND p.pronargdefaults = 0 AND p.provariadic = 0 AND q.provariadic = 0
  AND (p.pronargs = 0 OR p.proargnames IS NULL)),
objects (types, results) AS (VALUES ('{24,26,30,194,1008,1013,1028,1033,1034,1790,2201,2202,2203,2204,2205,2206,2207,
 2208,2209,2210,2211,4089,4090,4096,4097,4191,4192,27,28,29,1010,1011,1012,271,5069,2949,2970,3220,3221,5038,
 5039}'::pg_catalog.oid[], '{3734,3735,3769,3770}'::pg_catalog.oid[])),
fn AS (SELECT p.oid, n.nspname, p.proname, coalesce(e.extname, '') AS ext,
 CASE WHEN part.v OR coalesce(agg.v, false) THEN 1 ELSE 0 END
 + CASE WHEN part.d OR coalesce(agg.d, false) THEN 2 ELSE 0 END
 + CASE WHEN ${procedure} THEN 4 ELSE 0 END
 + CASE WHEN p.pronargs > 0 AND p.proargtypes[0] <> 2281
   AND (p.pronargs - p.pronargdefaults <= 1 OR (p.provariadic <> 0 AND p.pronargs <= 2))
   THEN 8 + CASE WHEN t.typtype IN ('c', 'p') OR bt.typtype = 'c' THEN 16 ELSE 0 END ELSE 0 END
 + CASE WHEN coalesce(agg.o, part.o) THEN 32 ELSE 0 END
 + CASE WHEN p.oid < 16384 AND e.oid IS NULL AND n.nspname IN ('pg_catalog', 'information_schema')
   THEN 64 ELSE 0 END
 + CASE WHEN shadowed.oid IS NOT NULL THEN 128 ELSE 0 END
 + CASE WHEN p.prorettype = ANY (objects.types || objects.results)
   OR coalesce(p.proallargtypes, p.proargtypes::pg_catalog.oid[]) && objects.types
   OR p.proallargtypes && objects.results
   OR (p.pronargs = 0 AND p.provolatile <> 'i' AND p.proname NOT IN ('now', 'transaction_timestamp',
    'statement_timestamp', 'clock_timestamp', 'timeofday', 'random', 'gen_random_uuid', 'json_build_array',
    'json_build_object', 'jsonb_build_array', 'jsonb_build_object')) THEN 256 ELSE 0 END AS props,
 p.pronargs - p.pronargdefaults - CASE WHEN p.provariadic <> 0 THEN 1 ELSE 0 END AS least,
 CASE WHEN p.provariadic <> 0 THEN 255 ELSE p.pronargs END AS most
 FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
 CROSS JOIN objects JOIN part ON part.oid = p.oid LEFT JOIN agg ON agg.oid = p.oid LEFT JOIN shadowed ON shadowed.oid = p.oid
 LEFT JOIN pg_catalog.pg_type t ON t.oid = p.proargtypes[0]
 LEFT JOIN pg_catalog.pg_type bt ON bt.oid = t.typbasetype
 LEFT JOIN pg_catalog.pg_depend x ON x.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass
   AND x.objid = p.oid AND x.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass AND x.deptype = 'e'
 LEFT JOIN pg_catalog.pg_extension e ON e.oid = x.refobjid),
behind AS (SELECT t.oid, t.typarray, f.oid AS fn FROM pg_catalog.pg_cast c
  JOIN pg_catalog.pg_type t ON t.oid = c.casttarget JOIN fn f ON f.oid = c.castfunc WHERE c.oid >= 16384
 UNION SELECT t.oid, t.typarray, f.oid FROM pg_catalog.pg_type t
  JOIN fn f ON f.oid IN (t.typinput, t.typoutput, t.typmodin) WHERE t.oid >= 16384 AND t.typtype = 'b'
  AND f.oid >= 16384
 UNION SELECT t.oid, t.typarray, f.oid FROM pg_catalog.pg_constraint k
  JOIN pg_catalog.pg_type t ON t.oid = k.contypid
  JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_constraint'::pg_catalog.regclass
   AND d.objid = k.oid AND d.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass
  JOIN fn f ON f.oid = d.refobjid),
holds (part, oid) AS (SELECT typelem, oid FROM pg_catalog.pg_type WHERE typelem >= 16384
 UNION ALL SELECT typbasetype, oid FROM pg_catalog.pg_type WHERE typbasetype >= 16384
 UNION ALL SELECT a.atttypid, c.reltype FROM pg_catalog.pg_attribute a
  JOIN pg_catalog.pg_class c ON c.oid = a.attrelid WHERE a.atttypid >= 16384 AND NOT a.attisdropped
  AND c.reltype <> 0 UNION ALL SELECT rngsubtype, rngtypid FROM pg_catalog.pg_range WHERE rngsubtype >= 16384
 UNION ALL SELECT r.rngtypid, ${multirange} FROM pg_catalog.pg_range r WHERE r.rngtypid >= 16384),
mine AS (SELECT t.oid FROM pg_catalog.pg_type t WHERE t.oid >= 16384 AND t.typtype IN ('b', 'c', 'e', 'r', 'm')
 AND NOT EXISTS (SELECT FROM pg_catalog.pg_cast c WHERE c.casttarget = t.oid AND c.castcontext = 'i'
  AND c.castsource < 16384)),
op AS (SELECT o.oid, (o.oprleft = 0 OR o.oprleft IN (SELECT oid FROM mine))
  AND (o.oprright = 0 OR o.oprright IN (SELECT oid FROM mine)) AND EXISTS (SELECT FROM pg_catalog.pg_operator s
  WHERE s.oid < 16384 AND s.oprname = o.oprname AND s.oprleft = 25 AND s.oprright = 25) AS own, o.oprleft, o.oprright
 FROM pg_catalog.pg_operator o WHERE o.oid >= 16384),
leads (part, oid) AS (SELECT part, oid FROM holds UNION ALL SELECT casttarget, castsource FROM pg_catalog.pg_cast
 WHERE castcontext = 'i' AND casttarget >= 16384),
taken (oid) AS (SELECT s.oid FROM op, pg_catalog.unnest(ARRAY[op.oprleft, op.oprright]) s(oid)
  WHERE op.own AND s.oid <> 0
 UNION SELECT leads.oid FROM leads JOIN taken ON taken.oid = leads.part)
SELECT 'f', nspname, proname, ext, props, least, most, '' FROM fn
UNION ALL SELECT 'o', n.nspname, o.oprname, fn.ext, fn.props, CASE WHEN op.own THEN 1 ELSE 0 END, 0, fn.proname
 FROM pg_catalog.pg_operator o JOIN op ON op.oid = o.oid
 JOIN pg_catalog.pg_namespace n ON n.oid = o.oprnamespace JOIN fn ON fn.oid = o.oprcode
UNION ALL SELECT 'v', '', t.typname, '', 0, 0, 0, '' FROM taken JOIN pg_catalog.pg_type t ON t.oid = taken.oid
UNION ALL SELECT DISTINCT 'v', '', c.relname, '', 0, 0, 0, '' FROM taken JOIN pg_catalog.pg_attribute a
 ON a.atttypid = taken.oid JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
UNION ALL SELECT DISTINCT 'v', '', p.proname, '', 0, 0, 0, '' FROM taken JOIN pg_catalog.pg_proc p
 ON p.prorettype = taken.oid OR taken.oid = ANY (p.proallargtypes) WHERE p.oid >= 16384
UNION ALL SELECT 'y', n.nspname, t.typname, '', 0, 0, 0, '' FROM pg_catalog.pg_type t
 JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace WHERE t.typtype IN ('b', 'e', 'd', 'r', 'm')
 AND (t.typelem = 0 OR t.typlen <> -1)
UNION ALL SELECT 't', n.nspname, t.typname, fn.ext, fn.props, 0, 0, fn.proname FROM behind
 JOIN pg_catalog.pg_type t ON t.oid = behind.oid OR (t.oid = behind.typarray AND behind.typarray <> 0)
 JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace JOIN fn ON fn.oid = behind.fn
UNION ALL SELECT 'h', pn.nspname, pt.typname, wn.nspname, 0, 0, 0, wt.typname FROM holds
 JOIN pg_catalog.pg_type pt ON pt.oid = holds.part JOIN pg_catalog.pg_namespace pn ON pn.oid = pt.typnamespace
 JOIN pg_catalog.pg_type wt ON wt.oid = holds.oid JOIN pg_catalog.pg_namespace wn ON wn.oid = wt.typnamespace
 WHERE EXISTS (SELECT FROM behind JOIN fn ON fn.oid = behind.fn
  WHERE (fn.props & 7) <> 0 OR ((fn.props & 32) <> 0 AND fn.ext = ''))
UNION ALL SELECT 'p', s, '', '', 0, 0, 0, '' FROM pg_catalog.unnest(pg_catalog.current_schemas(true)) s
UNION ALL SELECT 's', '', ({{statement_check_stamp}})::pg_catalog.text::pg_catalog.name, '', 0, 0, 0, ''
