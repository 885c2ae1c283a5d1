-- Changes with every new, replaced, altered or dropped function, operator,
-- cast, type, schema or extension: each gives a row a new version.
SELECT pg_catalog.sum(pg_catalog.hashint8((x::pg_catalog.text::pg_catalog.int8 << 32) | o::pg_catalog.int8))
FROM (SELECT xmin, oid FROM pg_catalog.pg_proc
UNION ALL SELECT xmin, oid FROM pg_catalog.pg_operator
UNION ALL SELECT xmin, oid FROM pg_catalog.pg_cast
UNION ALL SELECT xmin, oid FROM pg_catalog.pg_namespace
UNION ALL SELECT xmin, oid FROM pg_catalog.pg_extension
UNION ALL SELECT xmin, oid FROM pg_catalog.pg_constraint WHERE contypid <> 0
UNION ALL SELECT xmin, oid FROM pg_catalog.pg_type WHERE oid >= 16384 AND typtype IN ('b', 'd')) s(x, o)
