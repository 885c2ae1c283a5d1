# A statement that MariaDB does not end costs its worker: status tells of it, it is held back, others are answered; and
# as many as the pool has connections are the last.
if [ -z "${MY_DIR:-}" ]; then
	command -v mariadb >/dev/null || exit 77
	exec "$SOURCE_DIR/tests/support/my.sh" run - env PATH="$PATH" bash "$0"
fi
. "$SOURCE_DIR/tests/integration/cli/lib.sh"
my() { "$SOURCE_DIR/tests/support/my.sh" "$@"; }

my mysql "$MY_DIR" -e "CREATE DATABASE shop; CREATE TABLE shop.big (t LONGTEXT);
	INSERT INTO shop.big VALUES (REPEAT('a', 12000000));
	CREATE USER reader IDENTIFIED BY 'secret'; GRANT SELECT ON shop.* TO reader"
mkdir "$scratch/p"
cat >"$scratch/p/carrel.yaml" <<'CONFIG'
limits: {sql_timeout_s: 1}
connections:
  shop: {driver: mysql, url: env:STUCK_URL, workers: 1}
CONFIG
STUCK_URL=$(my url "$MY_DIR" reader secret shop)
export STUCK_URL
export CARREL_PROJECT_DIR=$scratch/p

# One value is compared with itself at each of its places, and the server asks nothing meanwhile.
endless="SELECT INSTR(t, CONCAT(LEFT(t, 6000000), 'b')) FROM big"
eventually() {	# eventually SECONDS COMMAND...
	local until=$((SECONDS + $1))
	until "${@:2}"; do
		[ $SECONDS -lt $until ] || return 1
		sleep 0.1
	done
}
is_told() {
	"$carrel" --json status 2>/dev/null | tee "$out" |
		finds '"pid":[0-9]*,"since":"20[^"]*","fingerprint":"[0-9a-f]\{16\}"'
}

run 0 mcp start --port 0
# Connections that the server has ended are noticed once.
ids="SELECT id FROM information_schema.processlist WHERE user = 'reader'"
my mysql "$MY_DIR" -N -e "$ids" | sed 's/^/KILL /; s/$/;/' | my mysql "$MY_DIR"
workers=$(sql_workers)
sleep 0.2
rests $workers || fail "workers whose connections have ended do not rest"
# From elsewhere, too: the pool has two connections, and the account two statements that do not end.
mariadb --no-defaults --protocol=socket --socket="$MY_DIR/run/socket" --user=reader --password=secret shop \
	-e "SET STATEMENT max_statement_time = 1 FOR $endless" >/dev/null 2>&1 &
run 1 sql "$endless"
complains 'limits.sql_timeout_s'
eventually 10 is_told || fail "status does not tell of a statement that is left"
run 1 sql "$endless"
complains 'did not end this statement'
run 0 sql "SELECT COUNT(*) AS still FROM big"

kill -KILL $(sql_workers)
is_full() { "$carrel" status 2>&1 | finds "the server still runs statements that were stopped"; }
eventually 10 is_full || fail "the pool has more connections than it may"
run 1 sql "SELECT 1"
complains 'not available'
finish
