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

# A deep scan of tables that take their time, interrupted in the middle, with the project's own daemon.  On a busy
# machine it may have finished before the interrupt reaches it: then it is tried again with other tables.
make_tables() { # ROUND
	echo "BEGIN;"
	for i in $(seq 1 200); do
		[ "$1" -eq 1 ] || echo "DROP TABLE wide_$(($1 - 1))_$i;"
		echo "CREATE TABLE wide_$1_$i ($(seq -s, -f 'c%g TEXT' 1 20));"
	done
	echo "COMMIT;"
}
run 0 -C "$scratch/p" mcp start
for round in 1 2 3 4 5; do
	make_tables $round | sqlite3 "$scratch/p/shop.db"
	run 0 -C "$scratch/p" scan
	before=$(ls "$scratch/p/raw-sources/shop/live-database")
	rm -f "$scratch/p/.carrel/memory/scans/shop.recall"
	bash -c 'trap - INT; exec "$0" -C "$1" scan --deep --json' "$carrel" "$scratch/p" >"$out" 2>"$err" </dev/null &
	pid=$!
	for _ in $(seq 1 600); do
		[ "$(stat -c %s "$scratch/p/.carrel/memory/scans/shop.recall" 2>/dev/null || echo 0)" -gt 1000 ] && break
		sleep 0.01
	done
	kill -INT "$pid"
	wait "$pid"
	code=$?
	said=$(cat "$err")
	# It may take a moment until the interrupted one is gone.
	published=$(ls "$scratch/p/raw-sources/shop/live-database")
	for _ in $(seq 1 600); do
		"$carrel" --json -C "$scratch/p" scan --deep >"$out" 2>"$err" </dev/null && break
		sleep 0.1
	done
	grep -q '"changed":false' "$out" || break
done
[ $code -eq 1 ] || fail "an interrupted scan: exit code $code"
case $said in
*"cancelled; unless it had just ended, the last complete scan stays in force"*) ;;
*) fail "an interrupted scan says: $said" ;;
esac
[ "$published" = "$before" ] || fail "an interrupted scan was published"
says '"changed":true'
grep -q '"tablesReused":0' "$out" && fail "the next scan began anew"
run 0 -C "$scratch/p" mcp stop
finish
