# entity_details says when the database is no longer as scanned; an interrupted scan leaves the last one in force.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"
command -v sqlite3 >/dev/null || exit 77

mkdir "$scratch/p"
sqlite3 "$scratch/p/shop.db" "CREATE TABLE orders (id INTEGER PRIMARY KEY, status TEXT); INSERT INTO orders VALUES (1, 'open')"
printf 'connections:\n  shop: {driver: sqlite, path: shop.db}\nserver: {port: 0}\n' >"$scratch/p/carrel.yaml"
run 0 -C "$scratch/p" scan
run 0 -C "$scratch/p" details orders && says '"stale":false'
sqlite3 "$scratch/p/shop.db" "INSERT INTO orders VALUES (2, 'paid')"
run 0 -C "$scratch/p" details orders && says '"stale":false'
sqlite3 "$scratch/p/shop.db" "ALTER TABLE orders ADD COLUMN note TEXT"
run 0 -C "$scratch/p" details orders && says '"stale":true'
run_tty "$carrel" -C "$scratch/p" details orders
says "the database's schema has changed since it was scanned"
run 0 -C "$scratch/p" scan
run 0 -C "$scratch/p" details orders && says '"stale":false' && says '"name":"note"'

# A deep scan of tables that take their time, interrupted in the middle, with the project's own daemon.
{
	echo "BEGIN;"
	for i in $(seq 1 200); do
		echo "CREATE TABLE wide_$i ($(seq -s, -f 'c%g TEXT' 1 20));"
	done
	echo "COMMIT;"
} | sqlite3 "$scratch/p/shop.db"
run 0 -C "$scratch/p" scan
before=$(ls "$scratch/p/raw-sources/shop/live-database")
run 0 -C "$scratch/p" mcp start
bash -c 'trap - INT; exec "$0" -C "$1" scan --deep --json' "$carrel" "$scratch/p" >"$out" 2>"$err" </dev/null &
pid=$!
for _ in $(seq 1 600); do
	[ "$(stat -c %s "$scratch/p/.carrel/memory/scans/shop.recall" 2>/dev/null || echo 0)" -gt 1000 ] && break
	sleep 0.01
done
kill -INT "$pid"
wait "$pid"
code=$?
[ $code -eq 1 ] || fail "an interrupted scan: exit code $code"
complains "cancelled; the last complete scan stays in force"
[ "$(ls "$scratch/p/raw-sources/shop/live-database")" = "$before" ] || fail "an interrupted scan was published"
# It may take a moment until the interrupted one is gone.
for _ in $(seq 1 600); do
	"$carrel" --json -C "$scratch/p" scan --deep >"$out" 2>"$err" </dev/null && break
	sleep 0.1
done
says '"changed":true'
grep -q '"tablesReused":0' "$out" && fail "the next scan began anew"
run 0 -C "$scratch/p" mcp stop
finish
