# Which statements are followed by the proof of the session; and a statement that MariaDB does not end costs its worker:
# status tells of it, it is held back, others are answered; and as many as the pool has connections are the last.
if [ -z "${MY_DIR:-}" ]; then
	command -v mariadb >/dev/null || exit 77
	exec "$SOURCE_DIR/tests/support/my.sh" run - env PATH="$PATH" bash "$0"
fi
. "$SOURCE_DIR/tests/integration/cli/lib.sh"
my() { "$SOURCE_DIR/tests/support/my.sh" "$@"; }

my mysql "$MY_DIR" -e "CREATE DATABASE shop; CREATE TABLE shop.big (t LONGTEXT);
	INSERT INTO shop.big VALUES (REPEAT('a', 12000000));
	CREATE TABLE shop.small (id INT); INSERT INTO shop.small VALUES (1);
	CREATE TABLE shop.computed (id INT, twice INT AS (2 * id)); INSERT INTO shop.computed (id) VALUES (1);
	CREATE FUNCTION shop.keeps(n INT) RETURNS INT READS SQL DATA SQL SECURITY INVOKER RETURN n;
	CREATE VIEW shop.seen AS SELECT shop.keeps(id) AS id FROM shop.small;
	CREATE USER reader IDENTIFIED BY 'secret'; GRANT SELECT, EXECUTE ON shop.* TO reader"
my mysql "$MY_DIR" -e "DELIMITER //
	CREATE FUNCTION shop.spoils(n INT) RETURNS INT READS SQL DATA
	BEGIN SET SESSION div_precision_increment = 9; RETURN n; END //"
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
is_told() {
	"$carrel" --json status 2>/dev/null | tee "$out" |
		finds '"pid":[0-9]*,"since":"20[^"]*","fingerprint":"[0-9a-f]\{16\}"'
}

run 0 mcp start --port 0

# A proof begins with DO 0.  A plain statement over tables goes without one when its tables are known from the statement
# before; on a machine that takes more than a second for each, none does.
proofs() { my mysql "$MY_DIR" -N -e "SHOW GLOBAL STATUS LIKE 'Com_do'" | cut -f 2; }
proofs_of() {	# proofs_of STATEMENT: of five times
	local before i
	before=$(proofs)
	for i in 1 2 3 4 5; do
		run 0 sql "$1"
	done
	echo $(($(proofs) - before))
}
spares() { [ "$(proofs_of "SELECT UPPER(id) AS id FROM small")" -lt 5 ]; }
eventually() {	# eventually SECONDS COMMAND...
	local until=$((SECONDS + $1))
	until "${@:2}"; do
		[ $SECONDS -lt $until ] || return 1
		sleep 0.1
	done
}
eventually 60 spares || fail "each statement over a table is followed by a proof of the session"
for from in seen computed "(SELECT shop.keeps(id) AS id FROM small) AS d" "small WHERE id = shop.keeps(1)"; do
	n=$(proofs_of "SELECT id FROM $from")
	[ "$n" -ge 4 ] || fail "five statements over $from had $n proofs" # that of the last may be under way
done

# A view in the place of a known table: what its function leaves is found by the next proof, and ends the session.
sessions() { my mysql "$MY_DIR" -N -e "SELECT GROUP_CONCAT(id ORDER BY id) FROM information_schema.processlist WHERE user = 'reader'"; }
is_another() { [ "$(sessions)" != "$1" ]; }
run 0 sql "SELECT id FROM small"
before=$(sessions)
my mysql "$MY_DIR" -e "RENAME TABLE shop.small TO shop.kept; CREATE VIEW shop.small AS SELECT shop.spoils(id) AS id FROM shop.kept"
run 0 sql "SELECT id FROM small"
eventually 10 is_another "$before" || fail "a session is kept that a view has changed"
my mysql "$MY_DIR" -e "DROP VIEW shop.small; RENAME TABLE shop.kept TO shop.small"
run 0 sql "SELECT 1 / 3 AS third"
says 0.3333
finds 0.33333 <"$out" && fail "what a view has changed reaches another statement"

# What follows counts the server's processes, from a start.
run 0 mcp stop
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
