-- "internal", "postmaster", "sighup" and "backend" cannot be set within a session.
SELECT pg_catalog.array_agg(name ORDER BY name)::pg_catalog.text FROM pg_catalog.pg_settings
WHERE context IN ('user', 'superuser')
