# Tables of any name in hand-written sources, segments across sources and bare
# names of tables that were scanned as well: on SQLite and on PostgreSQL.
if [ -z "${PG_DIR:-}" ]; then
	command -v sqlite3 psql >/dev/null || exit 77
	exec "$SOURCE_DIR/tests/support/pg.sh" run - env PATH="$PATH" bash "$0"
fi
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

cat >"$scratch/tables.sql" <<'SQL'
CREATE TABLE "Group" (id integer PRIMARY KEY, label text);
CREATE TABLE "OrderItems" (id integer PRIMARY KEY, order_no integer, amount integer);
CREATE TABLE "Order-Lines" (id integer PRIMARY KEY);
CREATE TABLE orders (id integer PRIMARY KEY, shipped_at text, ordered_at date);
INSERT INTO "Group" VALUES (1, 'a'), (2, 'b');
INSERT INTO "OrderItems" VALUES (1, 1, 10), (2, 1, 20), (3, 2, 40);
INSERT INTO "Order-Lines" VALUES (1);
INSERT INTO orders VALUES (1, '2024-01-05', '2024-01-02'), (2, NULL, '2024-02-03');
SQL
sqlite3 "$scratch/odd.db" <"$scratch/tables.sql"
"$SOURCE_DIR/tests/support/pg.sh" psql "$PG_DIR" -q -f "$scratch/tables.sql" || fail "no tables"
"$SOURCE_DIR/tests/support/pg.sh" psql "$PG_DIR" -q -c 'CREATE SCHEMA "Sales Data"; CREATE TABLE "Sales Data"."Order-Lines" (id int)' || fail "no schema"
export ODD_URL="postgresql://postgres@/postgres?host=$PG_DIR/run&port=$(cat "$PG_DIR/port")"
run 0 init "$scratch/project" --path "$scratch/odd.db" --name lite
cd "$scratch/project" || exit 1
run 0 connection add pg --url env:ODD_URL --schemas 'public,Sales Data'
run 0 scan pg

# NAME TABLE COLUMNS REST…
source_file() {
	printf 'name: %s\ntable: %s\ngrain: [id]\ncolumns: [{name: id, type: number}%s]\nmeasures: [%s]\n%s' "$@" >"semantic-layer/$database/$1.yaml"
}

for database in lite pg; do
	mkdir -p "semantic-layer/$database"
	source_file groups Group '' '{name: n, expr: count(*)}' ''
	source_file items OrderItems ', {name: order_no, type: number}, {name: amount, type: number}' '{name: revenue, expr: sum(amount)}' \
		'joins: [{to: order_facts, on: order_no = order_facts.id, relationship: many_to_one}]'
	source_file order_facts orders ', {name: shipped_at, type: string}, {name: ordered_at, type: time}' '{name: order_count, expr: count(*)}' \
		'segments: [{name: shipped, expr: shipped_at is not null}]'
	[ $database = lite ] || source_file lines 'Sales Data.Order-Lines' '' '{name: n, expr: count(*)}' ''

	run 0 sl query -c $database -m groups.n && says '"rows":[[2]]'
	[ $database = lite ] || { run 0 sl query -c $database -m lines.n && says '"rows":[[0]]'; }
	run 0 sl query -c $database -m items.revenue -m order_facts.order_count -m 'aov=items.revenue / order_facts.order_count' \
		--segment order_facts.shipped && says '"rows":[[30,1,30' && says '"notes":[]'
	run 0 sl query -c $database -m items.revenue --segment order_facts.shipped && says '"rows":[[30]]'
	run 0 sl query -c $database -m items.revenue -m groups.n --segment order_facts.shipped && says '"rows":[[30,2]]' &&
		says 'was not applied to the measures of groups'
	run 1 sl query -c $database -m groups.n --segment order_facts.shipped && complains 'No measure of the query reaches order_facts'

	# The scan's own source of orders has the column, too.
	run 0 sl query -c $database -m order_count -d ordered_at:month && says '"rows":[["2024-01-01",1],["2024-02-01",1]]'
	run 1 sl query -c $database -d id && complains 'groups.id, items.id'

	run 0 sl validate -c $database --live
	source_file astray Gruppe ', {name: label, type: string}' '' ''
	run 0 sl validate astray -c $database && says '"line":2,"severity":"warning","category":"invalid_source"' && says 'Gruppe'
	source_file astray Group ', {name: lable, type: string}' '' ''
	run 0 sl validate astray -c $database && says '"line":4,"severity":"warning","category":"unknown_column"' && says 'lable'
	rm "semantic-layer/$database/astray.yaml"
done
finish
