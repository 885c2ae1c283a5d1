-- A type's name as every account sees it: format_type() leaves the schema out
-- where the type is found without it, which hangs on what the account may use.
-- Only the server's own types have no schema here; those that initdb numbers
-- need no look into the catalogue.  {1} is the type's oid, {2} its modifier.
CASE WHEN {1} < 12000 THEN pg_catalog.format_type({1}, {2}) ELSE
(SELECT CASE WHEN pg_tn.nspname <> 'pg_catalog' AND pg_catalog.pg_type_is_visible(pg_te.oid)
THEN pg_catalog.quote_ident(pg_tn.nspname) || '.' ELSE '' END || pg_catalog.format_type({1}, {2})
FROM pg_catalog.pg_type pg_tt JOIN pg_catalog.pg_type pg_te ON pg_te.oid = CASE WHEN pg_tt.typelem <> 0
AND pg_tt.typlen = -1 AND pg_tt.typcategory = 'A' THEN pg_tt.typelem ELSE pg_tt.oid END
JOIN pg_catalog.pg_namespace pg_tn ON pg_tn.oid = pg_te.typnamespace WHERE pg_tt.oid = {1}) END
