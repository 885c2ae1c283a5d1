# The disk of the state store fills up, and can only be read: nothing is answered that is not on record, health says so,
# and when there is room again all goes on.
if [ -z "${CARREL_OWN_DISK:-}" ]; then
	unshare -Urm true 2>/dev/null || exit 77
	exec env CARREL_OWN_DISK=1 unshare -Urm bash "$0" "$@"
fi
. "$SOURCE_DIR/tests/integration/cli/lib.sh"
. "$SOURCE_DIR/tests/integration/cli/audit_calls.sh"

umask 077
p=$scratch/p disk=$scratch/disk
run 0 init --demo "$p"
mkdir "$disk" && mount -t tmpfs -o size=3m,mode=700 none "$disk" || exit 77
printf '\nstate: %s\n' "$disk/state.db" >>"$p/carrel.yaml"
cd "$p" || exit 1

health() { curl -s -m 30 "http://127.0.0.1:$port/health" | grep -o '"status":"[a-z]*"'; }
is_degraded() { [ "$(health)" = '"status":"degraded"' ]; }
is_well() { [ "$(health)" = '"status":"ok"' ]; }

start
call before || fail "not answered"
is_well || fail "not well at first: $(health)"

# --- full -------------------------------------------------------------------------------------
dd if=/dev/zero of="$disk/filler" bs=4k 2>/dev/null
comes is_degraded	# also before a call is refused
comes is_refused full
# Who looks is told why: by status, doctor and health alike.
curl -s "http://127.0.0.1:$port/health" | finds '"reason":"' || fail "health gives no reason"
run 0 status && says '"reason":"' && run_as 0 status && says "health    degraded: "
"$carrel" doctor >"$out" 2>&1
finds "entries of the audit, then calls," "$out" || fail "the doctor does not name the audit"
is_refused full || fail "answered while nothing can be put on record"
rm "$disk/filler"
comes call after
comes is_well
run_as 0 status && ! grep -q degraded "$out" || fail "what is over is still told"

# --- read-only --------------------------------------------------------------------------------
run 0 mcp stop
every_answer_is_on_record
# Not with the options that mountinfo has: its uid is another one in this namespace, and refused.
mount --options-mode ignore -o remount,ro none "$disk"
run 1 mcp start --port 0
[ ! -e .carrel/mcp.json ] || { fail "served without a record"; run 0 mcp stop; }
complains "$disk/state.db"
mount --options-mode ignore -o remount,rw none "$disk"

# --- full, and answered all the same -----------------------------------------------------------
echo 'audit: { on_failure: warn }' >>carrel.yaml
start
dd if=/dev/zero of="$disk/filler" bs=4k 2>/dev/null
: >"$scratch/receipts"
for ((i = 0; i < 20; i++)); do call "$i" || { fail "not answered, though audit.on_failure is warn"; break; }; done
rm "$disk/filler"
run 0 mcp stop
run 0 audit verify
umount "$disk" 2>/dev/null || umount -l "$disk"
finish
