-- What decides which data a statement finds, what it may do, and how long; $1: settings of an identity.
SELECT pg_catalog.concat_ws('/', {{setting search_path}}, {{setting role}}, {{setting row_security}},
 {{setting session_replication_role}}, {{setting default_transaction_read_only}}, {{setting statement_timeout}},
 {{setting client_encoding}}, {{setting TimeZone}}, session_user, current_user, pg_catalog.pg_my_temp_schema(),
 pg_catalog.pg_backend_pid(),
 (SELECT pg_catalog.string_agg(pg_catalog.current_setting(n, true), '/') FROM pg_catalog.unnest($1::pg_catalog.text[]) n)),
pg_catalog.pg_advisory_unlock_all()
