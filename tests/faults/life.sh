#!/bin/bash
# What life does to a loaded daemon, round after round: see life.mjs.  In mount namespaces of its own: a small disk
# that can be filled, a clock that can be set.
# usage: life.sh BIN_DIRECTORY ROUNDS [SEED]
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=$1 rounds=$2 seed=${3:-1}
elsewhen=$(cd "$bin/.." && pwd)/tests/elsewhen.so
pg=$here/../support/pg.sh
unshare -Urm true 2>/dev/null || { echo "no namespaces of our own here"; exit 77; }
command -v node >/dev/null || exit 77
work=$(mktemp -d)
chmod 755 "$work"
helper=
trap '[ -z "$helper" ] || kill "$helper" 2>/dev/null; for one in "$work"/pg*; do "$pg" remove "$one" >/dev/null 2>&1; done; rm -rf "$work"' EXIT

"$pg" start "$work/pg" >/dev/null || exit 77
# The server is outside: what it is to do comes line by line.
mkfifo "$work/orders" "$work/done"
(
	now=$work/pg n=0
	while read -r how <"$work/orders"; do
		case $how in
		failover)
			"$pg" failover "$now" "$work/pg$((++n))" >/dev/null
			"$pg" remove "$now" >/dev/null 2>&1
			now=$work/pg$n
			;;
		*) "$pg" restart "$now" $how >/dev/null 2>&1 ;;
		esac
		echo "$now/run/.s.PGSQL.$(cat "$now/port")" >"$work/done"
	done
) &
helper=$!
# Programs with sanitizers are not to be preloaded.
ldd "$bin/carreld" | grep -q asan && elsewhen=
unshare -Urm bash -c '
	work=$1 elsewhen=$2
	mkdir "$work/disk" "$work/etc" && mount -t tmpfs -o "size=$((48 + 16 * $6))m" none "$work/disk" || exit 77
	if [ -n "$elsewhen" ]; then
		cp -a /etc/. "$work/etc" 2>/dev/null
		echo "$elsewhen" >"$work/etc/ld.so.preload"
		mount --bind "$work/etc" /etc && mount -t tmpfs none /run && head -c 32 /dev/zero >/run/carrel-elsewhen || exit 77
	fi
	node "${@:3}"
	code=$?
	[ "$code" -eq 0 ] || "$4/carrel" --project-dir "$work/disk/project" mcp stop >/dev/null 2>&1
	exit $code' bash "$work" "$elsewhen" "$here/life.mjs" "$bin" "$work" "$rounds" "$seed" "${elsewhen:+clock}"
