# Statements that DuckDB does not end, or has no memory for: each is answered soon, and the connection serves the next.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

library=$BIN_DIR/libduckdb.so
[ -e "$library" ] || { echo "left out: libduckdb.so is not in the directory of the programs"; exit 77; }
run 0 init "$scratch/p" && cd "$scratch/p" || exit 1
echo "CREATE TABLE t AS SELECT range AS a FROM range(1000)" |
	"$BIN_DIR/../tests/duckdb_client" "$library" t.duckdb
printf 'connections:\n  d: { driver: duckdb, path: t.duckdb, workers: 1 }\nlimits: { sql_timeout_s: 25 }\n' >carrel.yaml
run 0 mcp start --port 0

# times N TEXT
times() { printf "%0.s$2" $(seq "$1"); }

# bounded STATEMENT TEXT - fails with that text, and the next statement is served by a worker.
bounded() {
	printf '%s' "$1" >statement.sql
	run_as 1 sql -f statement.sql && complains "$2" && one_sentence
	grep -q 'SET \|Possible solutions\|Allocation failure\|internal error' "$err" && fail "the library's own words: ${1:0:100}"
	run_as 0 sql 'SELECT 42 AS a' && says 42
}

# The processes that hold the connection.
workers() { pgrep -P "$(sed -E 's/.*"pid": ?([0-9]+).*/\1/' .carrel/mcp.json)" -f sql-duckdb; }

# Memory: at the planning, of the library, of the process.
bounded "SELECT length(repeat('x', 1000000000))" 'needs more memory than is allowed'
before=$(workers)
bounded "SELECT len(strptime('x', repeat('%Y', 10000000))::VARCHAR)" 'needs more memory than is allowed'
[ "$before" != "$(workers)" ] || fail "a worker that met its limit of addresses serves on"
# Thousands of set operations, and nesting.
bounded "SELECT 1$(times 3000 ' UNION ALL SELECT 1')" 'set operations'
bounded "SELECT 1$(times 5000 ::INT)" 'Max expression depth limit of 1000 exceeded.'
bounded "SELECT $(times 15000 'NOT ')true" 'memory exhausted'

run 0 mcp stop
sed -i "s/sql_timeout_s: 25/sql_timeout_s: 1/" carrel.yaml
run 0 mcp start --port 0
# Functions that do not look at their interrupt, constant expressions at the planning, planning itself.
bounded "SELECT levenshtein(repeat('a', 200000), repeat('b', 200000))" 'was stopped'
bounded "SELECT list_transform(range(10000000), lambda x: md5(x::VARCHAR))[1]" 'was stopped'
bounded "SELECT count(*) FROM json_tree(repeat('[', 50000) || repeat(']', 50000))" 'was stopped'
# By its time or its memory, whichever comes first.
bounded "WITH a0 AS (SELECT 1 x)$(for i in $(seq 29); do printf ', a%d AS NOT MATERIALIZED (FROM a%d UNION ALL FROM a%d)' "$i" $((i - 1)) $((i - 1)); done) SELECT count(*) FROM a29" ''
finish
