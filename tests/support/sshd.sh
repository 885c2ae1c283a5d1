#!/bin/bash
# A throw-away SSH server for tests: a port of loopback, host key and account key of its own, forwarding alone.
#
#	sshd.sh start DIR		make keys in DIR (new or with those of before) and start it
#	sshd.sh stop DIR		end it with all of its sessions
#	sshd.sh run DIR COMMAND…	start, run COMMAND with SSH_DIR=DIR, stop and remove; COMMAND's status, or 77
#					where no sshd is installed; DIR "-": a new one
#
# DIR/port, DIR/user; DIR/id is the account's key, DIR/known_hosts has the server's; DIR/pid is the server's.
# The account is the one that runs this, root too.  FORWARDING=no: it forwards nothing.
set -euo pipefail

sshd=$(PATH=$PATH:/usr/sbin type -P sshd || true)
command=${1:?usage: sshd.sh start|stop|run DIR …}
dir=${2:?which directory?}
shift 2
if [ -z "$sshd" ]; then
	echo "sshd.sh: no SSH server here" >&2
	exit 77
fi
[ "$dir" != - ] || dir=$(mktemp -d)
dir=$(realpath -m "$dir")

start() {
	local i
	mkdir -p "$dir"
	chmod 700 "$dir"
	for key in host id; do
		[ -e "$dir/$key" ] || ssh-keygen -q -t ed25519 -N '' -C test -f "$dir/$key"
	done
	cp "$dir/id.pub" "$dir/authorized_keys"
	id -un >"$dir/user"
	if [ "$(id -u)" -eq 0 ]; then mkdir -p /run/sshd; fi
	for ((i = 0; i < 5; i++)); do
		[ -e "$dir/port" ] || echo $((20000 + RANDOM % 12000)) >"$dir/port"
		cat >"$dir/config" <<-END
			ListenAddress 127.0.0.1
			Port $(cat "$dir/port")
			HostKey $dir/host
			PidFile $dir/pid
			AuthorizedKeysFile $dir/authorized_keys
			PasswordAuthentication no
			KbdInteractiveAuthentication no
			UsePAM no
			StrictModes no
			PermitRootLogin prohibit-password
			AllowTcpForwarding ${FORWARDING:-local}
			MaxStartups 100
		END
		rm -f "$dir/pid"
		if "$sshd" -f "$dir/config" -E "$dir/log" && await; then
			printf '[127.0.0.1]:%s %s\n' "$(cat "$dir/port")" "$(cut -d' ' -f1,2 "$dir/host.pub")" \
				>"$dir/known_hosts"
			return 0
		fi
		rm -f "$dir/port"	# somebody was faster
	done
	cat "$dir/log" >&2
	return 1
}

await() {
	local i
	for ((i = 0; i < 100; i++)); do
		[ -s "$dir/pid" ] && (: <"/dev/tcp/127.0.0.1/$(cat "$dir/port")") 2>/dev/null && return 0
		sleep 0.05
	done
	return 1
}

stop() {
	local pid
	pid=$(cat "$dir/pid" 2>/dev/null) || return 0
	kill -STOP "$pid" 2>/dev/null || true	# it accepts no session while those that are there end
	pkill -P "$pid" 2>/dev/null || true
	kill -KILL "$pid" 2>/dev/null || true
	rm -f "$dir/pid"
}

case $command in
start) start ;;
stop) stop ;;
run)
	trap 'stop; rm -rf "$dir"' EXIT
	start
	status=0
	SSH_DIR=$dir "$@" || status=$?
	exit $status
	;;
*) echo "sshd.sh: unknown command $command" >&2; exit 2 ;;
esac
