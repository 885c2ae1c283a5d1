#!/bin/bash
# Run once by the image of PostgreSQL, when db1's database is made: db2 may copy it, and each commit waits for db2.
set -euo pipefail
psql -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -d "$POSTGRES_DB" -v password="$(cat "$POSTGRES_PASSWORD_FILE")" <<'END'
CREATE ROLE replica LOGIN REPLICATION PASSWORD :'password';
ALTER SYSTEM SET synchronous_standby_names = 'db2';
END
# Over TLS alone.
sed -i '/^host /d' "$PGDATA/pg_hba.conf"
printf 'hostssl carrel carrel all scram-sha-256\nhostssl replication replica all scram-sha-256\n' >>"$PGDATA/pg_hba.conf"
