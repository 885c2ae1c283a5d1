# Everything an SQLite file may hold, scanned deeply and served: odd tables, names and types, virtual tables, broken views.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"
command -v sqlite3 >/dev/null || exit 77

mkdir "$scratch/p"
sqlite3 "$scratch/p/odd.db" <<'END'
CREATE TABLE no_rowid (a TEXT, b INT, PRIMARY KEY (b, a)) WITHOUT ROWID;
CREATE TABLE strict_one (id INTEGER PRIMARY KEY, label TEXT, any_thing ANY) STRICT;
CREATE TABLE made (w INT, h INT, area INT GENERATED ALWAYS AS (w * h) VIRTUAL, kept INT AS (w + h) STORED);
CREATE VIRTUAL TABLE pages USING fts5(title, body);
CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1);
CREATE TABLE "select" ("from" TEXT, "a.b" TEXT, "" TEXT, "Größe" TEXT, "quo""te" TEXT);
CREATE TABLE "main.dotted" ("x" INT);
CREATE TABLE affinity (a CHARINT, b FLOATING POINT, c BLOB, d, e NUMERIC(10,2), f STRING, g "VARCHAR(9)", h DATETIME, i BOOLEAN);
CREATE TABLE "" (x INT);
CREATE TABLE nameless ("" INT REFERENCES self, y INT);
CREATE TABLE self (id INTEGER PRIMARY KEY, boss REFERENCES self);
CREATE TABLE orphan (id INT REFERENCES nowhere (id));
CREATE TABLE empty_one (x);
CREATE VIEW good AS SELECT label FROM strict_one;
CREATE VIEW broken AS SELECT x FROM gone;
CREATE VIEW over_broken AS SELECT * FROM broken;
CREATE VIEW v2 AS SELECT label AS l2 FROM good;
INSERT INTO no_rowid VALUES ('rowless', 1); INSERT INTO strict_one VALUES (1, 'strictly', x'00');
INSERT INTO made (w, h) VALUES (2, 3); INSERT INTO pages VALUES ('a title', 'a body');
INSERT INTO "select" VALUES ('reserved', 'dot', 'blank', 'groß', 'quote'); INSERT INTO self VALUES (1, 1);
INSERT INTO affinity VALUES ('not a number', 'text', 'text', 1.5, 'x', 7, 'seven', 'now', 'maybe');
END
printf 'connections:\n  odd: {driver: sqlite, path: odd.db}\n' >"$scratch/p/carrel.yaml"
run 0 -C "$scratch/p" scan --deep
says 'broken cannot be described' && says 'over_broken cannot be described'
dir=$(echo "$scratch"/p/raw-sources/odd/live-database/*)

# table NAME EXPRESSION EXPECTED: a JavaScript expression over the table's file.
table() {
	local got
	got=$(node -e 'const fs = require("fs"), [dir, name, expression] = process.argv.slice(1);
		const all = fs.readdirSync(dir + "/tables").map(f => JSON.parse(fs.readFileSync(dir + "/tables/" + f)));
		const t = all.find(t => t.name === name), c = n => t && t.columns.find(c => c.name === n);
		console.log(JSON.stringify(t === undefined ? "absent" : eval(expression)))' "$dir" "$1" "$2")
	[ "$got" = "$3" ] || fail "$1: $2 is $got, expected $3"
}
says 'a column of select has an empty name'
table nameless '[t.columns.length, t.foreignKeys.length]' '[1,0]'
table no_rowid 't.columns.map(c => [c.name, c.primaryKey, c.nullable])' '[["a",true,false],["b",true,false]]'
table strict_one "c('any_thing').nativeType" '"ANY"'
table made 't.columns.map(c => c.name)' '["w","h","area","kept"]'
table pages '[t.kind, t.columns.map(c => c.name)]' '["table",["title","body"]]'
table boxes 't.columns.length' 3
table pages_content 1 '"absent"'
table select 't.columns.map(c => c.name)' '["from","a.b","Größe","quo\"te"]'
table affinity 't.columns.map(c => c.dimensionType)' '["string","string","string","string","number","string","string","time","boolean"]'
table self 't.foreignKeys' '[{"fromColumn":"boss","toCatalog":null,"toDb":null,"toTable":"self","toColumn":"id","constraintName":null}]'
table orphan 't.foreignKeys[0].toTable' '"nowhere"'
table good 't.kind' '"view"'
table v2 't.columns[0].name' '"l2"'
table broken 1 '"absent"'
table over_broken 1 '"absent"'

# One bad table or column cost no other's values.
run 0 -C "$scratch/p" values rowless strictly reserved groß quote
for value in rowless strictly reserved groß quote; do says "\"matchedValue\":\"$value\""; done
run 0 -C "$scratch/p" details '"select"' main.dotted 'main.no_rowid' && says '"display":"main.dotted"'
run 0 -C "$scratch/p" sql "SELECT area FROM made" --connection odd && says '6'

# A file with very many tables: every one is there, and nothing is read twice.
mkdir "$scratch/h"
{ echo "BEGIN;"; for i in $(seq 1 600); do echo "CREATE TABLE t_$i (id INTEGER PRIMARY KEY, t_$((i - 1))_id INT);"; done; echo "COMMIT;"; } |
	sqlite3 "$scratch/h/huge.db"
printf 'connections:\n  huge: {driver: sqlite, path: huge.db}\n' >"$scratch/h/carrel.yaml"
run 0 -C "$scratch/h" scan --deep && says '"tables":600'
run 0 -C "$scratch/h" scan --deep && says '"changed":false' && says '"tablesReused":600'
run 0 -C "$scratch/h" details t_599 && says '"stale":false'
finish
