# carrel ask on PostgreSQL exactly as on SQLite: the same rows behind the same model, numeric, money and bigint columns
# among them, give the same cells, shares, differences, charts, checks and files.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

pg=$SOURCE_DIR/tests/support/pg.sh
chmod 755 "$scratch"
"$pg" start "$scratch/server" >/dev/null || { echo "no PostgreSQL"; exit 77; }
trap '"$pg" remove "$scratch/server" >/dev/null; cleanup' EXIT
columns="id int PRIMARY KEY, country text, cost numeric, quantity bigint"
rows="INSERT INTO sales (id, country, sold_at, amount, quantity, cost, fee) VALUES
 (1, 'Norway', '2024-01-15', 10.10, 9007199254740993, 0, '1.50'), (2, 'Norway', '2024-02-10', 12.67, 1, 3.30, '2.25'),
 (3, 'Chile', '2024-02-20', 0.30, 5, NULL, '1000.00'), (4, 'Chile', '2024-04-20', 0.10, 7, NULL, NULL),
 (5, 'India', '2024-04-21', 477.53, 7, 100.5, '-3.10'), (6, NULL, '2024-12-31', 22.77, 7, 1.1, '0.01'),
 (7, 'India', '2025-01-01', 1234567.89, 7, 1, '12345678.90'), (8, 'Norway', '2025-03-01', 0.20, 2, 1, '1.00')"
model='name: sales
table: sales
grain: [id]
default_time_dimension: sold_at
columns:
  - {name: id, type: number}
  - {name: country, type: string}
  - {name: sold_at, type: time, role: time}
  - {name: amount, type: number}
  - {name: quantity, type: number}
  - {name: cost, type: number}
  - {name: fee, type: number}
measures:
  - {name: revenue, expr: sum(amount), synonyms: [Umsatz], unit: EUR, additive: full}
  - {name: pieces, expr: sum(quantity), additive: full}
  - {name: costs, expr: sum(cost), unit: EUR, additive: full}
  - {name: fees, expr: sum(fee), unit: USD, additive: full}
  - {name: sale_count, expr: count(*), label: sales, synonyms: [Verkäufe], additive: full}
  - {name: margin_rate, expr: 100.0 * revenue / costs, unit: percent}'
# Drivers of one name, and weights that are text.
roads="CREATE TABLE drivers (driver_id int PRIMARY KEY, name text, weight text, badge text);
CREATE TABLE loads (load_id int PRIMARY KEY, driver_id int, tons int);
INSERT INTO drivers VALUES (1, 'Ann', '100', 'x1'), (2, 'Bob', '9', '10'), (3, 'Ann', '10.5', '9'), (4, 'Cy', NULL, '8');
INSERT INTO loads VALUES (1, 1, 10), (2, 2, 12), (3, 3, 9), (4, 1, 1)"
drivers='name: drivers
table: drivers
grain: [driver_id]
columns: [{name: driver_id, type: number}, {name: name, type: string}, {name: weight, type: string}, {name: badge, type: string}]'
loads='name: loads
table: loads
grain: [load_id]
columns: [{name: load_id, type: number}, {name: driver_id, type: number}, {name: tons, type: number}]
joins: [{to: drivers, on: loads.driver_id = drivers.driver_id, relationship: many_to_one}]
measures: [{name: freight, expr: sum(tons), additive: full}]'

url="postgresql://postgres@/postgres?host=$scratch/server/run&port=$(cat "$scratch/server/port")"
psql -qX "$url" -c "CREATE TABLE sales ($columns, sold_at timestamptz, amount numeric(12,2), fee money); $rows; $roads" ||
	fail "no table"
run 0 init "$scratch/postgres" && run 0 init "$scratch/sqlite"
sqlite3 "$scratch/sqlite/sales.db" \
	"CREATE TABLE sales ($columns, sold_at timestamp, amount decimal(12,2), fee decimal(12,2)); $rows; $roads"
printf 'connections:\n  db: { driver: postgres, url: "%s" }\n' "$url" >"$scratch/postgres/carrel.yaml"
printf 'connections:\n  db: { driver: sqlite, path: sales.db }\n' >"$scratch/sqlite/carrel.yaml"
for engine in postgres sqlite; do
	cd "$scratch/$engine" && mkdir -p semantic-layer/db && echo "$model" >semantic-layer/db/sales.yaml
	echo "$drivers" >semantic-layer/db/drivers.yaml && echo "$loads" >semantic-layer/db/loads.yaml
	run 0 mcp start --port 0
done

# What differs by the engine and the moment alone.
same='(k, v) => ["sql", "snapshot"].includes(k) ? undefined : v'
read_answer() { node -pe "JSON.stringify(JSON.parse(require('fs').readFileSync('$1', 'utf8')), $same)"; }
# A page without its SQL and the moment it was read; it has no time zone of the engine's.
page() { sed -E '/<pre>/,/<\/pre>/d; s/, (read|gelesen) [^ ]+Z//' "$1"; }

# asks QUESTION CONDITION - asks both engines in each form; CONDITION holds of the answer d.
asks() {
	local engine file
	for engine in postgres sqlite; do
		cd "$scratch/$engine" || return
		"$carrel" ask --json "$1" >"$scratch/$engine.json" 2>"$err"
		"$carrel" ask --html "$scratch/$engine.html" --svg "$scratch/$engine.svg" "$1" \
			>"$scratch/$engine.txt" 2>/dev/null
		[ -e "$scratch/$engine.svg" ] || echo "no chart" >"$scratch/$engine.svg"
		page "$scratch/$engine.html" >"$scratch/$engine.page"
	done
	[ "$(read_answer "$scratch/postgres.json")" = "$(read_answer "$scratch/sqlite.json")" ] ||
		fail "$1: $(read_answer "$scratch/postgres.json") and $(read_answer "$scratch/sqlite.json")"
	for file in txt svg page; do
		cmp -s "$scratch"/{postgres,sqlite}."$file" ||
			fail "$1: $file differs: $(diff "$scratch"/{postgres,sqlite}."$file" | head -n 5)"
	done
	out=$scratch/postgres.json
	[ "$(node -pe "const d = JSON.parse(require('fs').readFileSync('$out', 'utf8')); $2" 2>&1)" = true ] ||
		fail "$1: not so: $2: $(cat "$out")"
	rm -f "$scratch"/{postgres,sqlite}.{json,txt,html,svg,page}
}

rows() { echo "JSON.stringify(d.rows.data) === '$1'"; }
passed='d.checks.filter((c) => ["V2", "V3", "V5", "V7"].includes(c.id)).every((c) => c.outcome === "passed")'

asks "share of revenue by country in 2024" "$passed && d.charts[0].type === 'pie' &&
	d.rows.data.every((r) => typeof r[3] === 'number') &&
	d.charts[0].slices[0].value === 477.53 && !d.caveats.some((c) => c.includes('percentage'))"
asks "revenue 2024 vs 2025" "$(rows '[["2024",523.47,null,null],["2025",1234568.09,1234044.62,235743.140963188]]')"
asks "revenue by month in 2024" "$passed && d.charts[0].type === 'line' && d.charts[0].series[0].data.includes(12.97)"
asks "fees by country in 2024" "$passed && $(rows '[[null,0.01],["Chile",1000],["India",-3.1],["Norway",3.75]]')"
asks "share of fees by country in 2024" "d.rows.data[1][3] > 99.93 && d.rows.data[1][3] < 99.94"
asks "fees 2024 vs 2025" "d.rows.data[1][2] === 12344679.24"
asks "pieces by country in 2024" "$passed &&
	$(rows '[[null,7],["Chile",12],["India",7],["Norway","9007199254740994"]]')"
asks "pieces 2024 vs 2025" "d.rows.data[1][2] === '-9007199254741011' &&
	d.narrative.includes('-9,007,199,254,741,011')"
asks "margin rate by country in 2024" "d.caveats.some((c) => c.includes('its divisor has no value there'))"
asks "top 2 country by revenue in 2024" "d.caveats.includes('What has no country is not ranked.') && $(rows '[["India",477.53],["Norway",22.77]]')"
asks "Umsatz pro Monat 2024" "d.narrative.includes('Von 10,10 EUR (Januar 2024)') &&
	d.rows.headers.join() === 'Monat,Umsatz' && d.charts[0].title === 'Umsatz nach Monat, 2024' &&
	d.caveats.every((c) => c.startsWith('Die Daten beginnen am 15. Januar'))"
asks "number of sales in May 2026" "!d.narrative.includes('**sales: 0') &&
	d.narrative.includes('The data end on 1 March 2025, before the period begins')"
asks "high-value sales in 2024 [High-value threshold: revenue > 20 EUR]" "$passed && $(rows '[[5,477.53],[6,22.77]]')"
asks "revenue since 1 March 2024" "d.caveats.some((c) => c.includes('The data end on 1 March 2025'))"
asks "freight by driver" "$passed && $(rows '[["Ann",1,11],["Ann",3,9],["Bob",2,12]]') &&
	d.charts[0].categories.includes('Ann (3)')"
asks "top 2 drivers by freight" "$(rows '[["Bob",12],["Ann",11]]')"
asks "freight by driver name" "$(rows '[["Ann",20],["Bob",12]]')"
asks "list drivers sorted by weight" "$(rows '[["Cy",null,4],["Bob","9",2],["Ann","10.5",3],["Ann","100",1]]')"
asks "list drivers in alphabetical order by weight" "$(rows '[["Cy",null,4],["Ann","10.5",3],["Ann","100",1],["Bob","9",2]]')"
for engine in postgres sqlite; do
	cd "$scratch/$engine" && run 4 ask "list drivers sorted by badge" && says 'The column badge is text that mostly holds numbers'
done

# A type that is no number is told as it is, never passed over: months have no fixed length.
cd "$scratch/postgres" || exit 1
wait="sum(INTERVAL '1 month' * id)"
sed -i "s/expr: sum(fee), unit: USD/expr: \"$wait\"/" semantic-layer/db/sales.yaml
out=$scratch/out
run 0 ask "share of fees by country in 2024"
told='d.charts.length === 0 && d.checks.find((c) => c.id === "V5").outcome === "unverified" &&
	d.caveats.some((c) => c.includes("total is not a number"))'
[ "$(node -pe "const d = JSON.parse(require('fs').readFileSync('$out', 'utf8')); $told")" = true ] ||
	fail "not so: $told: $(cat "$out")"
finish
