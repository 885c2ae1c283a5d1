# doctor on a machine that lacks room, descriptors, memory, ways to be told of changed files, or the right time.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"
unshare -Urm true 2>/dev/null || exit 77
elsewhere=$BIN_DIR/../tests/elsewhere.so
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0

mkdir "$scratch/p" && run_as 0 init "$scratch/p"
cd "$scratch/p" || exit 1
run_as 0 doctor && says "room for scans" && says "changes of files are noticed at once"

# below SETTING COMMAND... - in a namespace of our own.
below() {
	unshare -Urm bash -c "$1"' || exit 78; shift; "$@"' bash "${@:1}" >"$out" 2>"$err"
}
# elsewhere CODE NAME=VALUE... - doctor, on a machine that says that of itself.
elsewhere() {
	local code
	env LD_PRELOAD="$elsewhere" "${@:2}" "$carrel" doctor >"$out" 2>"$err"
	code=$?
	[ "$code" -eq "$1" ] || fail "doctor with ${*:2}: exit code $code, expected $1"
}

# Room, on each file system that is written to.
below 'mkdir -p full; mount -t tmpfs -o size=4m none full && "'"$carrel"'" init full >/dev/null && cd full' "$carrel" doctor
[ $? -eq 1 ] || fail "a full disk is no finding"
says "MiB left" && says "make room" && says WRONG
below 'mkdir -p small; mount -t tmpfs -o size=100m none small && "'"$carrel"'" init small >/dev/null && cd small' "$carrel" doctor ||
	fail "a disk that fills is no fault"
says "MiB left" && says note
below 'mkdir -p nodes; mount -t tmpfs -o size=400m,nr_inodes=40 none nodes && "'"$carrel"'" init nodes >/dev/null && cd nodes &&
	for i in $(seq 60); do : 2>/dev/null >f$i; done; true' "$carrel" doctor && fail "no room for files is no finding"
says "no room for more files"
mkdir -m 700 -p .carrel/logs imports raw-sources
below 'mount -t tmpfs -o size=4m none .carrel/logs' "$carrel" doctor && fail "no room for the log is no finding"
says ".carrel/logs" && says "lines of the log"
below 'mount -t tmpfs -o size=4m none raw-sources' "$carrel" doctor && fail "no room for scans is no finding"
says "raw-sources"
below 'mount --bind . . && mount -o remount,bind,ro . && cd .' "$carrel" --project-dir "$scratch/p" doctor && fail "a read-only disk is no finding"
says "read-only file system" && says "remount,rw"
elsewhere 1 ELSEWHERE_FS=0x6969 && says "network file system (NFS)" && says "local disk"
rm -rf .carrel
elsewhere 0 ELSEWHERE_FS=0xff534d42 && says "network file system (SMB)" && says note

# Limits.
below 'echo 0 >/proc/sys/user/max_inotify_instances' "$carrel" doctor || fail "doctor fails without inotify"
says "inotify instances" && says max_user_watches && says note
below 'echo 0 >/proc/sys/user/max_inotify_watches' "$carrel" doctor || fail "doctor fails without watches"
says "inotify instances or watches" && says note
(ulimit -n 256 && run_as 1 doctor && says "256 descriptors" && says LimitNOFILE) || failures=$((failures + 1))
(ulimit -n 4096 && run_as 0 doctor && says "4096 descriptors" && says note) || failures=$((failures + 1))
printf '%s\n' "MemAvailable:     100000 kB" >"$scratch/meminfo"
printf '99000\t0\t99100\n' >"$scratch/file-nr"
below "mount --bind $scratch/meminfo /proc/meminfo" "$carrel" doctor || fail "little memory is no fault"
says "97 MiB of memory" && says result_memory_mb
below "mount --bind $scratch/file-nr /proc/sys/fs/file-nr" "$carrel" doctor && fail "no descriptors left are no finding"
says "99000 of the machine's 99100" && says fs.file-max

# The clock.
elsewhere 0 ELSEWHERE_SYNC=1 && says "clock: synchronized"
unkept="it is not synchronized"
for mark in /.dockerenv /run/.containerenv /run/systemd/container; do [ ! -e $mark ] || unkept="a container uses its host's clock"; done
elsewhere 0 ELSEWHERE_SYNC=0 && says "$unkept"
elsewhere 1 ELSEWHERE_CLOCK=-1700000000 && says "it is 19" && says "set the clock"
run_as 0 mcp start --port 0 && elsewhere 1 ELSEWHERE_CLOCK=-86400 && says "the clock was set back"
elsewhere 0 ELSEWHERE_CLOCK=7200 && says "s since the daemon began"
elsewhere 0 ELSEWHERE_SYNC=1 && says "clock: synchronized"
run_as 0 mcp stop
finish
