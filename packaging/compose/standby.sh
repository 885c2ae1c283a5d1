#!/bin/bash
# db2: a standby of db1, copied when there is nothing yet.  After a promotion (`docker compose exec -u postgres db2 pg_ctl
# promote`) remove the volume of db1 before that is started again, and let it copy db2 in the same way.
set -euo pipefail
data=/var/lib/postgresql/data
if [ ! -s "$data/PG_VERSION" ]; then
	install -d -o postgres -g postgres -m 700 "$data"
	export PGPASSWORD
	PGPASSWORD=$(cat /run/secrets/db_password)
	gosu postgres pg_basebackup -D "$data" -X stream -R \
		-d "host=db1 user=replica sslmode=require application_name=db2"
fi
exec docker-entrypoint.sh "$@"
