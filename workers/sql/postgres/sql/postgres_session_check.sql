-- One row of PG_SESSION_CHECK_PARTS texts and the unlocking; ${digest} is one of the values of the settings $1.
SELECT ${digest},
(SELECT pg_catalog.count(*) FROM pg_catalog.pg_prepared_statements),
(SELECT pg_catalog.count(*) FROM pg_catalog.pg_cursors),
(SELECT pg_catalog.count(*) FROM pg_catalog.pg_listening_channels()),
pg_catalog.pg_my_temp_schema(),
pg_catalog.concat_ws('/', session_user, current_user, pg_catalog.pg_backend_pid()),
pg_catalog.pg_advisory_unlock_all()
FROM pg_catalog.unnest($1::pg_catalog.text[]) n
