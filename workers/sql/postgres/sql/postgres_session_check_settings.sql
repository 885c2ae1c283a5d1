-- "internal", "postmaster", "sighup" and "backend" cannot be set within a session.
-- $1: settings of an identity, which the view does not show.
SELECT pg_catalog.array_agg(s.name ORDER BY s.name)::pg_catalog.text FROM (SELECT name FROM pg_catalog.pg_settings
 WHERE context IN ('user', 'superuser') UNION SELECT n FROM pg_catalog.unnest($1::pg_catalog.text[]) n) s
