# What others may see of a daemon and its project: no descriptor of the caller stays open, no sampled value is for everybody.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

umask 022
run 0 init --demo "$scratch/p"
# The caller's own pipe, lock and file, at numbers low and high.
exec 7>"$scratch/lock" 8<"$scratch/lock" 9>"$scratch/high"
run 0 -C "$scratch/p" mcp start --port 0
exec 7>&- 8<&- 9>&-
pid=$(sed -n 's/.*"pid":\([0-9]*\).*/\1/p' "$scratch/p/.carrel/mcp.json" | head -1)
[ -n "$pid" ] || fail "no daemon"
for each in "$pid" $(pgrep -P "$pid"); do
	if ls -l "/proc/$each/fd" 2>/dev/null | finds "$scratch/lock\|$scratch/high"; then
		fail "process $each holds a descriptor of its caller"
	fi
	[ "$(tr -d '\0' <"/proc/$each/environ" 2>/dev/null | sed 's/ASAN_OPTIONS=[^ ]*//; s/CARREL_FAULTS=[^ ]*//' | wc -c)" -le 1 ] ||
		fail "process $each has an environment"
done
run 0 -C "$scratch/p" scan --deep
run 0 -C "$scratch/p" mcp stop
open=$(find "$scratch/p/raw-sources" "$scratch/p/.carrel" "$scratch/p/semantic-layer" -type f -newer "$scratch/p/carrel.yaml" \
	-perm /007 -not -path '*/semantic-layer/*' | head -5)
[ -z "$open" ] || fail "open to everybody: $open"

# Files that Carrel makes are for the owner and the group, whatever the umask: a project's own, and imported tables.
mkdir "$scratch/own" && printf 'a,b\n1,2\n' >"$scratch/x.csv"
run 0 init "$scratch/own"
run 0 -C "$scratch/own" dataset import "$scratch/x.csv"
run 0 -C "$scratch/own" setup-agents --target claude-code --scope project
run 0 -C "$scratch/own" connectivity diagnose -o "$scratch/own/bundle.json"
run 0 -C "$scratch/own" audit export -o "$scratch/own/audit.jsonl"
open=$(find "$scratch/own" "$scratch/p" -type f -perm /007 | head -5)
[ -z "$open" ] || fail "open to everybody: $open"

# Made too wide by an earlier version: the next scan makes them narrow again.
find "$scratch/p/raw-sources" -type f -exec chmod 644 {} +
run 0 -C "$scratch/p" scan --deep
echo "CREATE TABLE one_more(id INTEGER PRIMARY KEY, name TEXT);" | sqlite3 "$scratch/p/warehouse.db" 2>/dev/null
run 0 -C "$scratch/p" scan --deep
last=$(ls -1d "$scratch"/p/raw-sources/*/live-database/*/ | sort | tail -1)
open=$(find "$last" -type f -perm /007 | head -5)
[ -z "$open" ] || fail "still open to everybody: $open"
finish
