#!/bin/bash
# A throw-away Debian root with its own systemd as init, in namespaces of its own.
#	root.sh make DIR	debootstrap, once
#	root.sh boot DIR	start its init; what it logs is DIR.log
#	root.sh run DIR CMD…	inside
#	root.sh stop DIR
# Needs root, and a kernel that lets it mount a cgroup2 hierarchy.
set -euo pipefail
action=$1 dir=$(realpath -m "$2")
shift 2

packages=systemd,systemd-sysv,dbus,nginx-light,curl,ca-certificates,procps,sqlite3,openssl

init_pid() { cat "$dir.pid" 2>/dev/null; }

case $action in
make)
	[ ! -e "$dir/usr/lib/systemd/systemd" ] || exit 0
	debootstrap --variant=minbase --include="$packages" bookworm "$dir" http://deb.debian.org/debian
	rm -f "$dir/etc/systemd/system/multi-user.target.wants/nginx.service"
	;;
boot)
	setsid unshare --pid --mount --uts --ipc --net --cgroup --fork bash -c '
		set -e
		dir=$1
		mount --make-rprivate /
		mount --bind "$dir" "$dir"
		mount -t proc proc "$dir/proc"
		mount -t sysfs sysfs "$dir/sys"
		mountpoint -q "$dir/sys/fs/cgroup" || mount -t tmpfs tmpfs "$dir/sys/fs/cgroup"
		mount -t cgroup2 cgroup2 "$dir/sys/fs/cgroup"
		for at in run tmp dev; do mount -t tmpfs tmpfs "$dir/$at"; done
		for node in null zero full random urandom tty; do
			touch "$dir/dev/$node"
			mount --bind "/dev/$node" "$dir/dev/$node"
		done
		mkdir -p "$dir/dev/pts" "$dir/dev/shm"
		mount -t devpts devpts "$dir/dev/pts" -o newinstance,ptmxmode=0666
		ln -s pts/ptmx "$dir/dev/ptmx"
		mount -t tmpfs tmpfs "$dir/dev/shm"
		ip link set lo up
		hostname carrel-test
		cd "$dir"
		# chroot(2) would keep the services from making user namespaces.
		exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin bash -c \
			"pivot_root . . && umount -l . && cd / && exec /lib/systemd/systemd --log-target=console --show-status=0"
	' boot "$dir" </dev/null >"$dir.log" 2>&1 &
	unshare=$!
	for _ in $(seq 600); do
		init=$(pgrep -P "$unshare" | head -1) && [ -n "$init" ] && echo "$init" >"$dir.pid"
		[ -s "$dir.pid" ] && case $("$0" run "$dir" systemctl is-system-running 2>/dev/null) in
			running|degraded) exit 0;;
		esac
		sleep 0.2
	done
	echo "the root's init did not come up; see $dir.log" >&2
	exit 1
	;;
run)
	exec nsenter -t "$(init_pid)" -p -m -u -i -n -C -r -w \
		env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb "$@"
	;;
stop)
	kill -KILL "$(init_pid)" 2>/dev/null || true
	rm -f "$dir.pid"
	;;
*)
	echo "usage: root.sh make|boot|run|stop DIR" >&2
	exit 2
	;;
esac
