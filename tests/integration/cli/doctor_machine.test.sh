# doctor on a machine that lacks room, or ways to be told of changed files.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"
unshare -Urm true 2>/dev/null || exit 77

mkdir "$scratch/p" && run_as 0 init "$scratch/p"
cd "$scratch/p" || exit 1
run_as 0 doctor && says "room for scans" && says "changed files are told"

# below SETTING COMMAND... - in a namespace of our own.
below() {
	unshare -Urm bash -c "$1"' || exit 78; shift; "$@"' bash "${@:1}" >"$out" 2>"$err"
}
below 'mkdir -p full; mount -t tmpfs -o size=4m none full && "'"$carrel"'" init full >/dev/null && cd full' "$carrel" doctor
[ $? -eq 1 ] || fail "a full disk is no finding"
says "MiB left" && says "make room" && says WRONG
below 'mkdir -p small; mount -t tmpfs -o size=100m none small && "'"$carrel"'" init small >/dev/null && cd small' "$carrel" doctor ||
	fail "a disk that fills is no fault"
says "MiB left" && says note
below 'echo 0 >/proc/sys/user/max_inotify_instances' "$carrel" doctor || fail "doctor fails without inotify"
says "inotify instances" && says max_user_watches && says note
finish
