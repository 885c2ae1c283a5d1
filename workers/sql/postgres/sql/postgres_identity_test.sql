-- What of the served schemas $1 row security does not bind, in words; NULL: nothing.  $2: the roles of the identity.
SELECT nullif(pg_catalog.concat_ws('; ',
 CASE WHEN pg_catalog.count(*) FILTER (WHERE r.free) > 0 THEN pg_catalog.concat(
  pg_catalog.count(*) FILTER (WHERE r.free), ' tables without row security show all callers the same rows: ',
  pg_catalog.left(pg_catalog.string_agg(r.name, ', ' ORDER BY r.name) FILTER (WHERE r.free), 100)) END,
 CASE WHEN pg_catalog.count(*) FILTER (WHERE r.mine) > 0 THEN pg_catalog.concat(
  pg_catalog.count(*) FILTER (WHERE r.mine),
  ' tables belong to the account, whom their row security does not bind without FORCE ROW LEVEL SECURITY: ',
  pg_catalog.left(pg_catalog.string_agg(r.name, ', ' ORDER BY r.name) FILTER (WHERE r.mine), 100)) END,
 CASE WHEN pg_catalog.count(r.role) > 0 THEN pg_catalog.concat(
  pg_catalog.count(r.role),
  ' tables belong to a role of identity.roles, which row security does not bind without FORCE ROW LEVEL SECURITY: ',
  pg_catalog.left(pg_catalog.string_agg(pg_catalog.concat(r.name, ' (', r.role, ')'), ', ' ORDER BY r.name)
   FILTER (WHERE r.role IS NOT NULL), 100)) END,
 CASE WHEN pg_catalog.count(*) FILTER (WHERE r.counter) > 0 THEN pg_catalog.concat(
  pg_catalog.count(*) FILTER (WHERE r.counter), ' sequences can be read, and tell how many rows others made: ',
  pg_catalog.left(pg_catalog.string_agg(r.name, ', ' ORDER BY r.name) FILTER (WHERE r.counter), 100)) END,
 CASE WHEN pg_catalog.count(*) FILTER (WHERE r.view) > 0 THEN pg_catalog.concat(
  pg_catalog.count(*) FILTER (WHERE r.view), ' views are read with the rights of their owners (security_invoker): ',
  pg_catalog.left(pg_catalog.string_agg(r.name, ', ' ORDER BY r.name) FILTER (WHERE r.view), 100)) END), '')
FROM (SELECT pg_catalog.concat(n.nspname, '.', c.relname) AS name,
  c.relkind IN ('r', 'p') AND NOT c.relrowsecurity AND a.readable AS free,
  c.relkind IN ('r', 'p') AND c.relrowsecurity AND NOT c.relforcerowsecurity
   AND pg_catalog.pg_has_role(session_user, c.relowner, 'USAGE') AS mine,
  CASE WHEN c.relkind IN ('r', 'p') AND c.relrowsecurity AND NOT c.relforcerowsecurity THEN (
   SELECT pg_catalog.min(g.name) FROM pg_catalog.unnest($2::pg_catalog.text[]) g(name)
   JOIN pg_catalog.pg_roles o ON o.rolname::pg_catalog.text = g.name
   WHERE pg_catalog.pg_has_role(o.oid, c.relowner, 'USAGE')) END AS role,
  c.relkind = 'S' AND a.readable AS counter,
  c.relkind IN ('v', 'm') AND NOT coalesce(c.reloptions && '{security_invoker=true,security_invoker=on}', false) AND a.readable AS view
 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 CROSS JOIN LATERAL (SELECT CASE WHEN c.relkind = 'S' THEN pg_catalog.bool_or(pg_catalog.has_table_privilege(o.oid, c.oid, 'SELECT'))
   ELSE pg_catalog.bool_or(pg_catalog.has_any_column_privilege(o.oid, c.oid, 'SELECT')) END AS readable FROM pg_catalog.pg_roles o
  WHERE o.rolname = session_user OR o.rolname::pg_catalog.text = ANY ($2::pg_catalog.text[])) a
 WHERE n.nspname = ANY ($1::pg_catalog.text[]) AND c.relkind IN ('r', 'p', 'v', 'm', 'S') AND NOT c.relispartition) r
