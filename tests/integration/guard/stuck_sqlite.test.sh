# A SQLite worker that answers no more is killed within two seconds past its call's deadline; the
# caller is answered, another worker serves, and the statement that did it twice is held back.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"
command -v python3 >/dev/null || exit 77

mkdir "$scratch/p"
python3 - "$scratch/p/a.db" <<'PYTHON'
import sqlite3, sys
c = sqlite3.connect(sys.argv[1])
c.execute("CREATE TABLE t (id INTEGER PRIMARY KEY)")
c.executemany("INSERT INTO t VALUES (?)", ((i,) for i in range(1000)))
c.commit()
PYTHON
cat >"$scratch/p/carrel.yaml" <<'CONFIG'
limits: {sql_timeout_s: 2}
connections:
  lite: {driver: sqlite, path: a.db}
CONFIG
export CARREL_PROJECT_DIR=$scratch/p
run 0 mcp start --port 0
daemon=$(sed -n 's/.*"pid":\([0-9]*\).*/\1/p' "$out")

ms() { date +%s%3N; }
workers() { pgrep -P "$daemon" -f carrel-sql-sqlite; }
ticks() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f12; }

# The worker that is at it: the one that has computed for a tenth of a second since.
busy() {
	local pid
	for pid in $(workers); do
		[ $(($(ticks "$pid") - ${before[$pid]:-0})) -ge 10 ] && echo "$pid" && return
	done
	return 1
}

statement="SELECT count(*) FROM t a, t b, t c, t d WHERE a.id + b.id <> c.id * d.id"
stick() {
	local pid client since=$(ms) i
	declare -gA before=()
	for pid in $(workers); do before[$pid]=$(ticks "$pid"); done
	"$carrel" --json sql "$statement" >"$scratch/answer" 2>&1 &
	client=$!
	for i in $(seq 3000); do
		pid=$(busy) && break
		sleep 0.01
	done
	[ -n "$pid" ] || { fail "the statement did not run"; return; }
	kill -STOP "$pid"
	wait "$client"
	cp "$scratch/answer" "$out"
	says "took longer than it may"
	[ $(($(ms) - since)) -ge 1900 ] || fail "the caller had $(($(ms) - since)) ms of 2000"
	until [ ! -e "/proc/$pid" ] || [ $(($(ms) - since)) -gt 60000 ]; do sleep 0.05; done
	[ -e "/proc/$pid" ] && { kill -CONT "$pid"; fail "process $pid is still there $(($(ms) - since)) ms later"; }
	run 0 sql "SELECT 40 + 2 AS fine"
	says 42
}

stick
stick
run 1 sql "$statement"
complains "worker"
run 0 sql "SELECT count(*) FROM t"
says 1000
run 0 status
says '"state":"ready"'
finish
