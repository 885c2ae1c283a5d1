# The disk of the state store can only be read while it is served from, as a kernel makes it after an error: nothing is
# answered that is not on record, health says so and why, and when it can be written again all goes on.  A disk that is
# in use cannot be made so and back by mounting it; carrel-auth's calls are answered as it would (tests/faults/elsewhen.c).
plan=/run/carrel-elsewhen
if [ -z "${CARREL_OWN_DISK:-}" ]; then
	unshare -Urm true 2>/dev/null || { echo "no namespaces of our own here"; exit 77; }
	exec env CARREL_OWN_DISK=1 unshare -Urm bash "$0" "$@"
fi
. "$SOURCE_DIR/tests/integration/cli/lib.sh"
. "$SOURCE_DIR/tests/integration/cli/audit_calls.sh"
module=$(dirname "$(dirname "$(readlink -f "$carrel")")")/tests/elsewhen.so
[ -e "$module" ] || { echo "elsewhen.so is not built"; exit 77; }
ldd "$carrel" | grep -q asan && { echo "programs with sanitizers are not to be preloaded"; exit 77; }

umask 077
p=$scratch/p
run 0 init --demo "$p"
cd "$p" || exit 1
mkdir "$scratch/etc" && cp -a /etc/. "$scratch/etc" 2>/dev/null
echo "$module" >"$scratch/etc/ld.so.preload"
mount --bind "$scratch/etc" /etc && mount -t tmpfs none /run && head -c 32 /dev/zero >"$plan" || exit 77

# disk 0|1: 1: it can only be read.
disk() { printf "\\$1" | dd of="$plan" bs=1 seek=24 conv=notrunc 2>/dev/null; }
health() { curl -s -m 30 "http://127.0.0.1:$port/health"; }
is_degraded() { health | grep -q '"status":"degraded".*"reason":"calls cannot be put on record: .*cannot be written.*read-only'; }
is_well() { health | grep -q '^{"status":"ok","projectDir":"[^"]*","port":[0-9]*}$'; }
is_well_after_call() { call again && is_well; }

start
call before || fail "not answered"
is_well || fail "not well at first: $(health)"

# --- while calls come one after another, by way of a journal, and then no more ----------------------
for ((i = 0; i < 20; i++)); do call "$i" || fail "not answered before"; done
disk 1
comes is_refused read-only
comes is_degraded
is_refused read-only || fail "answered while nothing can be put on record"
run 1 token create --label agent && complains "cannot be written"
disk 0
comes call after
comes is_well
every_answer_is_on_record

# --- carrel-auth dies meanwhile ---------------------------------------------------------------------
call once || fail "not answered"
disk 1
comes is_refused read-only
auth=$(pgrep -P "$(sed -E 's/.*"pid": ?([0-9]+).*/\1/' .carrel/mcp.json)" carrel-auth)
kill -9 "$auth"
is_buried() { ! kill -0 "$auth" 2>/dev/null; }
comes is_buried
is_refused killed || fail "answered without carrel-auth"
disk 0
comes call after
comes is_well
every_answer_is_on_record

# --- answered all the same --------------------------------------------------------------------------
run 0 mcp stop
echo 'audit: { on_failure: warn }' >>carrel.yaml
start
disk 1
: >"$scratch/receipts"
for ((i = 0; i < 20; i++)); do call "$i" || { fail "not answered, though audit.on_failure is warn"; break; }; done
comes is_degraded
disk 0
comes is_well_after_call
run 0 mcp stop
run 0 audit verify
finish
