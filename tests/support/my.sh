#!/bin/bash
# A throw-away MariaDB server for tests, with TLS on loopback.
#
#	my.sh start DIR			make a server in DIR (new or empty) and start it
#	my.sh stop DIR			stop it, keep the files
#	my.sh restart DIR [immediate]	as a server that is maintained, or crashes
#	my.sh remove DIR		stop it and delete DIR
#	my.sh url DIR USER PASSWORD [DATABASE] [PARAMETERS]	a URL over TCP
#	my.sh mysql DIR ARGUMENT…	the client as root over the Unix socket
#	my.sh run DIR COMMAND…		start, run COMMAND with MY_DIR=DIR, remove; COMMAND's status,
#					or 77 where no MariaDB server is installed; DIR "-": a new one
#
# Over the socket DIR/run/socket root needs no password; the port is in DIR/port.
# DIR/server.crt is the certificate, for localhost, signed by itself.  Needs root
# or the account that is to own the server.
set -euo pipefail

server=$(PATH=$PATH:/usr/sbin type -P mariadbd || true)
command=${1:?usage: my.sh start|stop|restart|remove|url|mysql|run DIR …}
dir=${2:?which directory?}
shift 2
if [ "$command" = run ] && [ -z "$server" ]; then
	echo "my.sh: no MariaDB server here" >&2
	exit 77
fi
[ "$dir" != - ] || dir=$(mktemp -d)
dir=$(realpath -m "$dir")

# The server refuses to run as root.
owner=$(id -un)
[ "$owner" != root ] || owner=nobody

port() { cat "$dir/port"; }

client() {
	mariadb --no-defaults --default-character-set=utf8mb4 --socket="$dir/run/socket" --user=root "$@"
}

# A port without a listener, below those that connections get; starting tries again when the port was taken meanwhile.
pick_port() {
	local candidate
	while :; do
		candidate=$((20000 + RANDOM % 12000))
		(: <"/dev/tcp/127.0.0.1/$candidate") 2>/dev/null || break
	done
	echo "$candidate" >"$dir/port"
}

make_server() {
	mkdir -p "$dir"
	chmod 755 "$dir"
	mkdir "$dir/data" "$dir/run"
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=localhost \
		-addext "subjectAltName=DNS:localhost,IP:127.0.0.1" -keyout "$dir/run/server.key" \
		-out "$dir/server.crt" 2>/dev/null
	chown -R "$owner" "$dir/data" "$dir/run"
	mariadb-install-db --no-defaults --auth-root-authentication-method=normal --user="$owner" \
		--datadir="$dir/data" --tmpdir="$dir/run" --skip-test-db --skip-name-resolve >"$dir/run/install.log" 2>&1 ||
		{ cat "$dir/run/install.log" >&2; return 1; }
}

# Waits until the server answers; fails when it ended, for example because the port was taken.
await() {
	local try
	for ((try = 0; try < 600; try++)); do
		client -e 'DO 0' 2>/dev/null && return
		kill -0 "$1" 2>/dev/null || return 1
		sleep 0.05
	done
	return 1
}

launch() {
	setsid "$server" --no-defaults --user="$owner" --datadir="$dir/data" --tmpdir="$dir/run" --socket="$dir/run/socket" \
		--port="$(port)" --bind-address=127.0.0.1 --pid-file="$dir/run/pid" --skip-name-resolve \
		--ssl-cert="$dir/server.crt" --ssl-key="$dir/run/server.key" --character-set-server=utf8mb4 \
		--innodb-buffer-pool-size=32M --innodb-flush-log-at-trx-commit=0 --innodb-flush-method=nosync \
		--sync-frm=0 --max-connections=500 --performance-schema=0 >>"$dir/run/log" 2>&1 9>&- &
	local pid=$!
	disown
	await "$pid"
}

start_server() {
	local try
	for try in 1 2 3; do
		pick_port
		launch && return
	done
	cat "$dir/run/log" >&2
	return 1
}

# Whether the server is there; one that nobody has waited for yet has ended.
is_alive() {
	local stat
	stat=$(cat "/proc/$1/stat" 2>/dev/null) && [[ ${stat##*) } != Z* ]]
}

# TERM shuts the server down, and KILL after a minute; KILL is a crash.
stop_server() {
	local pid try
	pid=$(cat "$dir/run/pid" 2>/dev/null) || return 0
	kill "-${1:-TERM}" "$pid" 2>/dev/null || return 0
	for ((try = 0; try < 2400; try++)); do
		is_alive "$pid" || break
		[ "$try" != 1200 ] || kill -KILL "$pid"
		sleep 0.05
	done
	rm -f "$dir/run/pid"
}

case $command in
start)
	make_server
	start_server
	;;
stop)
	stop_server
	;;
restart)
	[ "${1:-}" = immediate ] && stop_server KILL || stop_server
	launch
	;;
remove)
	stop_server KILL
	rm -rf "$dir"
	;;
url)
	echo "mysql://${1:?user}:${2?password}@127.0.0.1:$(port)/${3:-}${4:+?$4}"
	;;
mysql)
	client "$@"
	;;
run)
	make_server
	trap 'echo done >&9; stop_server KILL; rm -rf "$dir"' EXIT
	trap 'exit 143' TERM INT HUP
	start_server
	# Killed without a chance to clean up, we take the server along: the pipe ends with us.
	exec 9> >(exec setsid bash -c 'read -r line; [ -n "$line" ] || { kill -KILL "$0"; rm -rf "$1"; }' \
		"$(cat "$dir/run/pid")" "$dir" >/dev/null 2>&1)
	MY_DIR=$dir "$@" 9>&-
	;;
*)
	echo "my.sh: unknown command $command" >&2
	exit 2
	;;
esac
