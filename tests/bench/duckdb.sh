#!/bin/bash
# DuckDB: aggregates over ROWS million rows, as a table and as a Parquet file, by Carrel over HTTP, compared with DuckDB's own
# Node client in its own process and, for Parquet, with another MCP server over its standard input and output: in turns,
# with one thread each; the median ratio of the pairs.  Then the time from no process at all to the first answer, and the
# workers' memory.  usage: duckdb.sh BUILD_DIRECTORY [ROWS [PAIRS]]
#
# The others are optional:
#	npm install --prefix BUILD_DIRECTORY/peers @duckdb/node-api@1.5.6-r.1 @seed-ship/duckdb-mcp-native@1.6.2
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd) rows=${2:-10} pairs=${3:-7}
carrel=$build/bin/carrel library=$build/bin/libduckdb.so
work=$(mktemp -d) project=$work/project
[ -e "$library" ] || { echo "duckdb: left out, libduckdb.so is not in the directory of the programs"; exit 0; }
cleanup() {
	"$carrel" --project-dir "$project" mcp stop >/dev/null 2>&1
	rm -rf "$work"
}
trap cleanup EXIT
median() { sort -n | awk '{v[NR]=$1} END {print v[int((NR+1)/2)]}'; }

echo "CREATE TABLE t AS SELECT range AS id, range % 1000 AS g, ((hash(range) % 1000000) / 100)::DECIMAL(10,2) AS amount,
	'city ' || (range % 97) AS city FROM range(${rows}000000);
	COPY t TO '$work/t.parquet'" | "$build/tests/duckdb_client" "$library" "$work/t.duckdb"
"$carrel" init "$project" >/dev/null || exit 1
cat >"$project/carrel.yaml" <<END
connections:
  t: { driver: duckdb, path: $work/t.duckdb, workers: 1 }
  p: { driver: duckdb, files: [$work/t.parquet], workers: 1 }
END

cd "$project" || exit 1
for ((i = 0; i < pairs; i++)); do
	from=$(date +%s%N)
	"$carrel" sql -c t 'SELECT g FROM t LIMIT 1' >/dev/null || exit 1
	echo $((($(date +%s%N) - from) / 1000000))
done | median | sed 's/.*/duckdb: from no process to the first answer & ms/'

url=$("$carrel" --json mcp start --port 0 2>/dev/null | sed -E 's/.*"url":"([^"]*)".*/\1/')
node "$here/duckdb.mjs" "$url" "$work" "$build/peers" "$pairs"
for pid in $(pgrep -x carrel-sql-duck); do
	[ "$(readlink "/proc/$pid/exe")" = "$build/bin/carrel-sql-duckdb" ] && grep -q VmHWM "/proc/$pid/status" &&
		awk '/VmHWM/ { printf "duckdb: a worker used %.0f MB at most\n", $2 / 1024 }' "/proc/$pid/status"
done
