# Backends that the server does not end cost the pool that number of its own, the statement is
# held back, status tells, and all is well again once they are gone.
if [ -z "${PG_DIR:-}" ]; then
	command -v psql >/dev/null || exit 77
	exec "$SOURCE_DIR/tests/support/pg.sh" run - env PATH="$PATH" bash "$0"
fi
. "$SOURCE_DIR/tests/integration/cli/lib.sh"
psql() { "$SOURCE_DIR/tests/support/pg.sh" psql "$PG_DIR" -At -c "$1"; }

psql "CREATE ROLE reader LOGIN PASSWORD 'secret'" >/dev/null
mkdir "$scratch/p"
cat >"$scratch/p/carrel.yaml" <<'CONFIG'
limits: {sql_timeout_s: 1}
connections:
  pg: {driver: postgres, url: env:STUCK_URL, workers: 2}
CONFIG
STUCK_URL=$("$SOURCE_DIR/tests/support/pg.sh" dsn "$PG_DIR" reader secret postgres sslmode=disable)
export STUCK_URL
export CARREL_PROJECT_DIR=$scratch/p

stopped=

held() { psql "SELECT count(*) FROM pg_stat_activity WHERE usename = 'reader'"; }
eventually() {	# eventually SECONDS COMMAND...
	local until=$((SECONDS + $1))
	until "${@:2}"; do
		[ $SECONDS -lt $until ] || return 1
		sleep 0.1
	done
}

# Run a statement and stop its backend: from then on nothing ends it.
endless() {
	local text="SELECT count(*) FROM generate_series(1, 9000000) a, generate_series(1, 9000000) b WHERE a <> $1"
	local pid
	"$carrel" --json sql "$text" >"$scratch/answer$1" 2>&1 &
	local client=$!
	for _ in $(seq 3000); do
		pid=$(psql "SELECT pid FROM pg_stat_activity WHERE usename = 'reader' AND state = 'active' AND query LIKE '%<> $1%'")
		[ -n "$pid" ] && break
		sleep 0.01
	done
	[ -n "$pid" ] || { fail "statement $1 did not run"; return; }
	kill -STOP "$pid"
	stopped="$stopped $pid"
	last=$pid
	wait "$client"
	grep -q 'too long\|time allowed' "$scratch/answer$1" || { cp "$scratch/answer$1" "$out"; fail "the answer to statement $1"; }
}
trap 'kill -CONT $stopped 2>/dev/null; cleanup' EXIT

run 0 mcp start --port 0
eventually 10 sh -c '[ "$('"$(declare -f psql)"'; PG_DIR='"$PG_DIR"' SOURCE_DIR='"$SOURCE_DIR"'; psql "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE '"'carrel % pg'"'")" -ge 3 ]' ||
	fail "the pool's connections have no name of their own"
most=$(held)	# two workers and the spare

most_seen=0
watch() {
	while :; do
		psql "SELECT count(*) FROM pg_stat_activity WHERE usename = 'reader' AND backend_start < clock_timestamp() - interval '3 s'"
		sleep 0.1
	done >"$scratch/counts" 2>/dev/null
}
watch &
watcher=$!

endless 1
one=$last
is_told() { "$carrel" --json status 2>/dev/null | tee "$out" | finds "\"pid\":$1,\"since\":\"20[^\"]*\",\"fingerprint\":\"[0-9a-f]\{16\}\""; }
eventually 10 is_told "$one" || fail "status does not tell of process $one"
run_as 0 status && says "server process $one has not ended since"
run 1 sql "SELECT count(*) FROM generate_series(1, 9000000) a, generate_series(1, 9000000) b WHERE a <> 1"
complains 'did not end this statement'
run 0 sql "SELECT 1 AS still"

endless 2
endless 3
is_unavailable() { "$carrel" --json sql 'SELECT 1' >"$out" 2>&1; grep -q 'not available' "$out"; }
eventually 15 is_unavailable || fail "a pool without processes serves"
run_as 0 status && says "the server still runs statements that were stopped"
sleep 3
kill "$watcher"
most_seen=$(sort -n "$scratch/counts" | tail -1)
[ "$most_seen" -le "$most" ] || fail "$most_seen connections of $most"

kill -CONT $stopped
stopped=
is_clear() { "$carrel" --json sql 'SELECT 1' >"$out" 2>"$err" && "$carrel" --json status >"$out" 2>&1 && ! grep -q '"pid":[0-9]*,"since"' "$out"; }
eventually 75 is_clear || fail "not well again"
finish
