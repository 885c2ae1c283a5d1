-- What may run a user's function without being named in a statement.
SELECT 'pg_catalog.pg_operator'::pg_catalog.regclass AS class, oid, xmin FROM pg_catalog.pg_operator
WHERE oid >= 16384 UNION ALL
SELECT 'pg_catalog.pg_cast'::pg_catalog.regclass, oid, xmin FROM pg_catalog.pg_cast
WHERE oid >= 16384 AND castfunc <> 0 UNION ALL
SELECT 'pg_catalog.pg_opclass'::pg_catalog.regclass, oid, xmin FROM pg_catalog.pg_opclass
WHERE oid >= 16384 UNION ALL
SELECT 'pg_catalog.pg_type'::pg_catalog.regclass, t.oid, t.xmin FROM pg_catalog.pg_type t
LEFT JOIN pg_catalog.pg_range r ON r.rngtypid = t.oid WHERE t.oid >= 16384
AND (t.typinput::pg_catalog.oid >= 16384 OR t.typoutput::pg_catalog.oid >= 16384
OR r.rngcanonical::pg_catalog.oid >= 16384 OR r.rngsubdiff::pg_catalog.oid >= 16384)
