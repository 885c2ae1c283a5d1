-- A call of every function of pg_catalog whose arguments are of these types, with a value of each; one a line.
WITH lit(t, v) AS (VALUES ('text', '''a b'''), ('int2', '2::int2'), ('int4', '2'), ('int8', '2::int8'),
 ('numeric', '2.5'), ('float4', '2.5::float4'), ('float8', '2.5::float8'), ('bool', 'true'),
 ('date', 'date ''2024-02-29'''), ('timestamp', 'timestamp ''2024-02-29 12:00'''),
 ('timestamptz', 'timestamptz ''2024-02-29 12:00'''), ('time', 'time ''12:00'''), ('interval', 'interval ''1 day'''),
 ('bytea', '''\x61''::bytea'), ('uuid', 'uuid ''00000000-0000-0000-0000-000000000001'''), ('inet', 'inet ''10.0.0.1'''),
 ('json', '''[1]''::json'), ('jsonb', '''[1]''::jsonb'), ('jsonpath', '''$''::jsonpath'), ('xml', '''<a/>''::xml'),
 ('point', 'point ''(1,2)'''), ('tsvector', '''a''::tsvector'), ('tsquery', '''a''::tsquery'), ('regconfig', '''english'''),
 ('name', '''a'''), ('xid', '''3'''), ('xid8', '''3'''), ('oid', '''1'''), ('regclass', '''pg_class'''),
 ('txid_snapshot', '''1:2:'''), ('pg_snapshot', '''1:2:'''), ('pg_lsn', '''0/1'''), ('tid', '''(0,1)'''),
 ('anyelement', '2'), ('anynonarray', '2'), ('anyarray', 'ARRAY[2]'), ('anycompatible', '2'),
 ('anycompatiblearray', 'ARRAY[2]'), ('"any"', '2'), ('text[]', 'ARRAY[''a'']'), ('int4[]', 'ARRAY[2]'),
 ('numrange', 'numrange(1, 2)'), ('cstring', '''a'''))
SELECT string_agg(format('SELECT %I(%s)', proname, args), E'\n' ORDER BY p.oid) FROM pg_proc p,
 LATERAL (SELECT string_agg(v, ', ' ORDER BY o), count(v), count(*) FROM unnest(proargtypes) WITH ORDINALITY u(t, o)
  LEFT JOIN lit ON lit.t::regtype = u.t) a(args, known, n)
 WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f' AND known = n
