# The numbers of one column are of one JSON type: strings as soon as one of them fits none of JSON's, and headerTypes says so.
if [ -z "${PG_DIR:-}" ]; then
	command -v psql >/dev/null || exit 77
	exec "$SOURCE_DIR/tests/support/pg.sh" run - env PATH="$PATH" bash "$0"
fi
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

project=$scratch/p
mkdir -p "$project/semantic-layer/lite"
sqlite3 "$project/t.db" "CREATE TABLE wide(id INTEGER PRIMARY KEY, n INTEGER, x REAL, t TEXT);
	WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 10000)
	INSERT INTO wide SELECT i, CASE i WHEN 10000 THEN 9007199254740993 ELSE i END, i / 2.0, CASE WHEN i % 2 THEN 'text' ELSE i END FROM s"
cat >"$project/carrel.yaml" <<CONFIG
connections:
  lite: { driver: sqlite, path: t.db }
  pg: { driver: postgres, url: "postgresql://postgres@/postgres?host=$PG_DIR/run&port=$(cat "$PG_DIR/port")" }
CONFIG
cat >"$project/semantic-layer/lite/wide.yaml" <<'SOURCE'
name: wide
table: wide
grain: [id]
columns: [{name: id, type: number}, {name: n, type: number}]
SOURCE
cd "$project" || exit 1
run 0 mcp start --port 0

# is CONNECTION STATEMENT ROWS [TYPES]
is() {
	run 0 sql -c "$1" "$2" --max-rows 10000 || return
	node -e '
		const [rows, types] = process.argv.slice(1), a = JSON.parse(require("fs").readFileSync(0, "utf8"));
		const got = JSON.stringify(a.rows), told = JSON.stringify(a.headerTypes ?? null);
		if (rows !== "" && got !== rows) { console.log(got); process.exit(1); }
		if (types !== "" && told !== types) { console.log(told); process.exit(1); }
		for (let i = 0; i < a.headers.length; i++) {
			const kinds = new Set(a.rows.map((row) => row[i]).filter((v) => v !== null && !isNaN(v)).map((v) => typeof v));
			if (kinds.size > 1 && a.headers[i] !== "mixed") { console.log(a.headers[i] + ": " + [...kinds]); process.exit(1); }
		}' "$3" "${4:-}" <"$out" >"$scratch/why" || { : >"$out"; fail "$1: $2: $(cut -c1-300 "$scratch/why")"; }
}

v='(VALUES (1), (9007199254740993), (NULL), (-2)) AS v(n)'
is pg "SELECT n FROM $v" '[["1"],["9007199254740993"],[null],["-2"]]' '["bigint as string"]'
is pg "SELECT n, 5 AS five, 'x' AS t FROM $v WHERE n > 5" '[["9007199254740993",5,"x"]]' '["bigint as string","integer","text"]'
is pg "SELECT n FROM $v WHERE n < 5" '[[1],[-2]]' '["bigint"]'
is pg "SELECT n, n FROM (VALUES (9007199254740991), (-9007199254740991)) AS v(n)" '[[9007199254740991,9007199254740991],[-9007199254740991,-9007199254740991]]'
is pg "SELECT n FROM (VALUES (1.50), (0.1234567890123456), (-3)) AS v(n)" '[["1.50"],["0.1234567890123456"],["-3"]]' '["numeric as string"]'
is pg "SELECT x FROM (VALUES (1.5::float8), ('NaN'), ('-Infinity'), (2)) AS v(x)" '[["1.5"],["NaN"],["-Infinity"],["2"]]' '["double precision as string"]'
is pg "SELECT x FROM (VALUES (1.5::float8), (2)) AS v(x)" '[[1.5],[2]]' '["double precision"]'
is pg "SELECT CASE WHEN i = 9999 THEN 9223372036854775807 ELSE i END AS n, i FROM generate_series(1::bigint, 9999) i" '' '["bigint as string","bigint"]'
is lite "SELECT n, id FROM wide WHERE id > 9998" '[["9999",9999],["9007199254740993",10000]]' '["INTEGER as string","INTEGER"]'
is lite "SELECT n, id FROM wide WHERE id < 3" '[[1,1],[2,2]]' '["INTEGER","INTEGER"]'
is lite "SELECT n, id, x FROM wide" '' '["INTEGER as string","INTEGER","REAL"]'
is lite "SELECT max(n) AS most, count(*) AS many FROM wide" '[["9007199254740993",10000]]' null
is lite "SELECT 1e999 AS x UNION ALL SELECT 2.5" '' null
# text stays text, and what is beside it a number
is lite "SELECT t AS mixed FROM wide WHERE id < 3" '[["text"],["2"]]'
# sl_query's rows go the same way
run 0 sl query -c lite -m 'max(wide.n)' -m 'count(wide.id)' && says '["9007199254740993",10000]'
finish
