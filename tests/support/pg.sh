#!/bin/bash
# A throw-away PostgreSQL 15 for tests, with TLS and SCRAM on loopback.
#
#	pg.sh start DIR			make a cluster in DIR (new or empty) and start it
#	pg.sh stop DIR			stop it, keep the files
#	pg.sh restart DIR [immediate]	as a server that is maintained, or crashes
#	pg.sh failover DIR NEW		a standby of DIR in NEW; DIR crashes and NEW is promoted
#	pg.sh standby DIR NEW		a standby of DIR in NEW, for which each commit in DIR waits
#	pg.sh promote DIR		make a standby the primary
#	pg.sh remove DIR		stop it and delete DIR
#	pg.sh dsn DIR ROLE PASSWORD [DATABASE] [PARAMETERS]	a URL over TCP
#	pg.sh psql DIR ARGUMENT…	psql as superuser over the Unix socket
#	pg.sh run DIR COMMAND…		start, run COMMAND with PG_DIR=DIR, remove; COMMAND's status,
#					or 77 where PostgreSQL 15 is not installed; DIR "-": a new one
#
# Roles over the socket (DIR/run): everyone, without a password.  Over TCP:
# SCRAM, and the role "tlsonly" only with TLS.  DIR/server.crt is the
# certificate, for localhost, signed by itself.  Needs root or the account
# that is to own the server.
set -euo pipefail

bin=/usr/lib/postgresql/15/bin
command=${1:?usage: pg.sh start|stop|restart|remove|dsn|psql|run DIR …}
dir=${2:?which directory?}
shift 2
if [ "$command" = run ] && [ ! -x "$bin/postgres" ]; then
	echo "pg.sh: no PostgreSQL 15 here" >&2
	exit 77
fi
[ "$dir" != - ] || dir=$(mktemp -d)
dir=$(realpath -m "$dir")

# The server refuses to run as root.
owner=$(id -un)
as_owner=()
if [ "$(id -u)" -eq 0 ]; then
	owner=postgres
	as_owner=(setpriv --reuid=postgres --regid=postgres --init-groups)
fi

port() { cat "$dir/port"; }

psql_super() {
	PGPASSFILE=/nonexistent "$bin/psql" -X -q -h "$dir/run" -p "$(port)" -U postgres -d postgres \
		-v ON_ERROR_STOP=1 "$@"
}

# A port nobody answers on now, below those that connections get; starting tries again when somebody is faster.
pick_port() {
	local candidate
	while :; do
		candidate=$((20000 + RANDOM % 12000))
		(: <"/dev/tcp/127.0.0.1/$candidate") 2>/dev/null || break
	done
	echo "$candidate" >"$dir/port"
	sed -i "/^port = /d" "$dir/data/postgresql.conf"
	echo "port = $candidate" >>"$dir/data/postgresql.conf"
}

make_cluster() {
	mkdir -p "$dir"
	chmod 755 "$dir"
	mkdir "$dir/data" "$dir/run"
	chown "$owner" "$dir/data" "$dir/run"
	chmod 755 "$dir/run"
	"${as_owner[@]}" "$bin/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 -N >/dev/null
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=localhost \
		-addext "subjectAltName=DNS:localhost,IP:127.0.0.1" -keyout "$dir/data/server.key" \
		-out "$dir/data/server.crt" 2>/dev/null
	chmod 600 "$dir/data/server.key"
	chown "$owner" "$dir/data/server.key" "$dir/data/server.crt"
	cp "$dir/data/server.crt" "$dir/server.crt"
	cat >>"$dir/data/postgresql.conf" <<-END
		listen_addresses = '127.0.0.1'
		unix_socket_directories = '$dir/run'
		max_connections = 60
		shared_buffers = 32MB
		fsync = off
		synchronous_commit = off
		full_page_writes = off
		autovacuum = off
		ssl = on
		password_encryption = scram-sha-256
		log_min_messages = error
	END
	cat >"$dir/data/pg_hba.conf" <<-END
		local     all all trust
		local     replication all trust
		hostnossl all tlsonly 127.0.0.1/32 reject
		host      all all     127.0.0.1/32 scram-sha-256
	END
}

start_server() {
	local try
	for try in 1 2 3; do
		pick_port
		"${as_owner[@]}" "$bin/pg_ctl" -D "$dir/data" -l "$dir/run/log" -w -t 60 start >/dev/null 2>&1 && return
	done
	cat "$dir/run/log" >&2
	return 1
}

# make_standby PRIMARY: a standby of it, in $dir.
make_standby() {
	mkdir -p "$dir/run"
	chmod 755 "$dir" "$dir/run"
	chown "$owner" "$dir" "$dir/run"
	"${as_owner[@]}" "$bin/pg_basebackup" -h "$1/run" -p "$(cat "$1/port")" -U postgres -D "$dir/data" \
		-R -c fast -X stream --no-sync
	sed -i "s|^unix_socket_directories = .*|unix_socket_directories = '$dir/run'|" "$dir/data/postgresql.conf"
	cp "$1/server.crt" "$dir/server.crt"
	start_server
}

promote_server() { "${as_owner[@]}" "$bin/pg_ctl" -D "$dir/data" -w -t 60 promote >/dev/null; }

stop_server() {
	[ -f "$dir/data/postmaster.pid" ] || return 0
	"${as_owner[@]}" "$bin/pg_ctl" -D "$dir/data" -m "${1:-fast}" -w stop >/dev/null
}

case $command in
start)
	make_cluster
	start_server
	;;
stop)
	stop_server
	;;
restart)
	stop_server "${1:-fast}"
	"${as_owner[@]}" "$bin/pg_ctl" -D "$dir/data" -l "$dir/run/log" -w -t 60 start >/dev/null
	;;
failover)
	first=$dir dir=$(realpath -m "${1:?which new directory?}")
	make_standby "$first"
	dir=$first stop_server immediate
	promote_server
	;;
standby)
	first=$dir dir=$(realpath -m "${1:?which new directory?}")
	make_standby "$first"
	dir=$first
	psql_super -c "ALTER SYSTEM SET synchronous_standby_names = '*'" -c "ALTER SYSTEM SET synchronous_commit = on" \
		-c "SELECT pg_reload_conf()" >/dev/null
	;;
promote)
	promote_server
	;;
remove)
	stop_server immediate || true
	rm -rf "$dir"
	;;
dsn)
	echo "postgres://${1:?role}:${2?password}@127.0.0.1:$(port)/${3:-postgres}${4:+?$4}"
	;;
psql)
	psql_super "$@"
	;;
run)
	make_cluster
	trap 'echo done >&9; stop_server immediate || true; rm -rf "$dir"' EXIT
	trap 'exit 143' TERM INT HUP
	start_server
	# Killed without a chance to clean up, we take the server along: the pipe ends with us.
	exec 9> >(exec setsid bash -c 'read -r line; [ -n "$line" ] || { kill -INT "$0"; rm -rf "$1"; }' \
		"$(head -1 "$dir/data/postmaster.pid")" "$dir" >/dev/null 2>&1)
	PG_DIR=$dir "$@" 9>&-
	;;
*)
	echo "pg.sh: unknown command $command" >&2
	exit 2
	;;
esac
