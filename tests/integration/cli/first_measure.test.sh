# docs/first-measure.md is followed as it stands, on SQLite and PostgreSQL: its SQL makes the database, its files are written,
# and each of its commands prints the lines below it, where … stands for anything.
if [ -z "${PG_DIR:-}" ]; then
	command -v psql >/dev/null || exit 77
	exec "$SOURCE_DIR/tests/support/pg.sh" run - env PATH="$PATH" bash "$0"
fi
. "$SOURCE_DIR/tests/integration/cli/lib.sh"
export PATH="$BIN_DIR:$PATH" page=$SOURCE_DIR/docs/first-measure.md
cd "$scratch" || exit 1

cat >follow.mjs <<'JS'
import { readFileSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
let wrong = 0, asked = 0;
for (const [, kind, text] of readFileSync(process.env.page, "utf8").matchAll(/^```(\w*)\n(.*?)^```$/gms)) {
	if (kind === "yaml") writeFileSync(/^# (\S+)/.exec(text)[1], text);
	for (const [, command, below] of kind === "" ? text.matchAll(/^\$ (.*)\n((?:(?!\$ ).*\n)*)/gm) : []) {
		const { stdout, status } = spawnSync("bash", ["-c", command], { encoding: "utf8" });
		asked++;
		for (const line of below.split("\n").filter((l) => l !== "")) {
			const like = line.split("…").map((p) => p.replace(/[^\w ]/g, "\\$&").replace(/ +/g, " +")).join(".*");
			if ((status === 0 || (status === 4 && command.startsWith("carrel ask"))) && new RegExp(`^ *${like}$`, "m").test(stdout)) continue;
			console.log(`$ ${command}: exit ${status}, no line "${line}" in:\n${stdout}`);
			wrong++;
		}
	}
}
if (asked < 12) console.log(`${asked} commands`);
process.exitCode = wrong === 0 && asked >= 12 ? 0 : 1;
JS
sed -n '/^```sql$/,/^```$/p' "$page" | grep -v '^```' >shop.sql
follow() {
	run_as 0 init "$1" "${@:2}" --name shop && says 'carrel sl new ' && says 'The connection is called shop'
	run 0 -C "$1" mcp start --port 0
	(cd "$1" && node ../follow.mjs) >"$out" 2>"$err" || fail "the page is not followed with $1"
}

sqlite3 shop.db <shop.sql && follow sqlite --path shop.db
"$SOURCE_DIR/tests/support/pg.sh" psql "$PG_DIR" <shop.sql >/dev/null 2>"$err" || fail "no database"
"$SOURCE_DIR/tests/support/pg.sh" psql "$PG_DIR" >/dev/null 2>&1 <<'SQL'
CREATE ROLE reader LOGIN PASSWORD 'secret';
GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;
SQL
SHOP_URL=$("$SOURCE_DIR/tests/support/pg.sh" dsn "$PG_DIR" reader secret postgres sslmode=disable) && export SHOP_URL
follow postgres --url env:SHOP_URL

# Without --name a connection is called as its database, and what a scan left out or proposed is told once.
run_as 0 init called --path shop.db && says "The connection is called shop"
run_as 0 init served --url env:SHOP_URL && says "The connection is called postgres"
run_as 0 -C called scan && says "nothing changed"
grep -q "Next:" "$out" && fail "what comes next is said again"

# Another directory than a connection's is not read, and that is said; a file that is there is not written over.
mkdir called/semantic-layer/db && run_as 0 -C called sl validate && says 'semantic-layer/db/: warning: no connection is called db' &&
	says 'the project has shop'
run_as 0 -C called sl new invoice && says 'carrel ask "invoice total"'
run_as 1 -C called sl new invoice && complains "defines invoice already" && one_sentence
run_as 1 -C called sl new nothing && complains 'has no table "nothing"' && one_sentence
run_as 0 -C called sl validate --live && says "0 errors, 2 warnings"
run_as 0 -C called ask "invoice total in 2025" && says "invoice total: 285.25"

# Names that need quotes, amounts in cents, prices and keys, which are not added up.
sqlite3 odd.db 'CREATE TABLE "Order Lines"("LineId" INTEGER PRIMARY KEY, "NetCents" INTEGER, "Unit Price" REAL, "Qty" INTEGER, "paid_no" INTEGER, "no" TEXT, "shippedAt" TIMESTAMP, "OrderDate" TIMESTAMP)'
run_as 0 init odd --path odd.db && run 0 -C odd sl new "Order Lines" && is_json &&
	says '"measures":["order_lines_netcents","order_lines_qty","order_lines_count"]'
run_as 0 -C odd sl validate --live && says "Nothing is wrong."
finds '^# default_time_dimension: "OrderDate"' odd/semantic-layer/odd/order_lines_source.yaml || fail "another date: $(cat odd/semantic-layer/odd/*.yaml)"
# What a database calls its tables stays within the comments and scalars of the file.
sqlite3 foul.db 'CREATE TABLE "a
measures: [{name: x, expr: 1}]"(id INTEGER PRIMARY KEY, total REAL); CREATE TABLE b(id INTEGER PRIMARY KEY, "r
no: 1" INTEGER REFERENCES "a
measures: [{name: x, expr: 1}]"(id), "订单" INTEGER)'
run_as 0 init foul --path foul.db && run_as 0 -C foul sl new b && run_as 0 -C foul sl validate
grep -nE '^(measures: \[|no:)' foul/semantic-layer/foul/b.yaml && fail "a name of the database became a key"
run_as 0 -C foul ask "number of bs" && says 0
# A currency in a name is the unit, not a word of the label; what the table lacks is not shown as an example.
sqlite3 sums.db 'CREATE TABLE category(id INTEGER PRIMARY KEY, total_eur NUMERIC)'
run_as 0 init sums --path sums.db && run_as 0 -C sums sl new category && says 'carrel ask "category total"'
for line in 'unit: EUR' 'label: "number of categories"' 'no date here'; do finds "$line" sums/semantic-layer/sums/category.yaml || fail "no $line"; done
finds 'ordered_at\|status\|country' sums/semantic-layer/sums/category.yaml && fail "examples of other tables"
# A measure has a name that no other one and no column has; words are read in their plain letters.
sqlite3 same.db 'CREATE TABLE visits(id INTEGER PRIMARY KEY, "count" INTEGER, visits_qty INTEGER, "Qty" INTEGER); CREATE TABLE posten(id INTEGER PRIMARY KEY, "Erlös" NUMERIC, "Stück" INTEGER)'
run_as 0 init same --path same.db && run 0 -C same sl new visits && says '"measures":["visits_count","visits_qty_sum","visits_qty_2","visits_count_2"]'
run 0 -C same sl new posten && says '"measures":["posten_erloes","posten_stueck","posten_count"]'
finds 'label: "Anzahl posten"' same/semantic-layer/same/posten.yaml || fail "an English label of a German table"
run_as 0 -C same sl validate && says "0 errors"
finds 'NetCents.*/ 100.0' odd/semantic-layer/odd/order_lines_source.yaml || fail "cents are added up as they are"
finish
