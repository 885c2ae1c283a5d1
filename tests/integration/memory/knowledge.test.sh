# What a team wrote for dbt and MetricFlow, imported: the numbers are those of the SQL by which MetricFlow defines them, on
# SQLite and PostgreSQL; each object is accounted for; a second run, removal, edits, review and revert; hostile files.
if [ -z "${PG_DIR:-}" ]; then
	command -v psql >/dev/null || exit 77
	exec "$SOURCE_DIR/tests/support/pg.sh" run - env PATH="$PATH" bash "$0"
fi
. "$SOURCE_DIR/tests/integration/cli/lib.sh"
pg=$SOURCE_DIR/tests/support/pg.sh
cp -r "$SOURCE_DIR/tests/integration/memory/knowledge" "$scratch/market" && cd "$scratch" || exit 1
mv market/numbers.cases .

# draw SEED - tables of some shops, sales and refunds, with keys that lead nowhere and values that are missing.
draw() {
	awk -v seed="$1" 'BEGIN {
		srand(seed)
		print "DROP TABLE IF EXISTS fct_sales; DROP TABLE IF EXISTS fct_refunds; DROP TABLE IF EXISTS dim_shops;"
		print "CREATE TABLE dim_shops (shop_id integer, town text);"
		print "CREATE TABLE fct_sales (sale_id integer, shop_id integer, buyer integer, amount integer, qty integer, is_gift boolean, coupon text, sold_at timestamp);"
		print "CREATE TABLE fct_refunds (refund_id integer, shop_id integer, refund integer, back_at timestamp);"
		split("Aa Bb Cc Dd", town, " ")
		for (i = 1; i <= 6; i++) print "INSERT INTO dim_shops VALUES (" i ", " (i == 6 ? "NULL" : "\047" town[1 + i % 4] "\047") ");"
		for (i = 1; i <= 70; i++) print "INSERT INTO fct_sales VALUES (" i ", " 1 + int(rand() * 7) ", " (rand() < .1 ? "NULL" : 1 + int(rand() * 9)) ", " (rand() < .1 ? "NULL" : int(rand() * 50)) ", " int(rand() * 5) ", " (rand() < .3 ? "true" : rand() < .9 ? "false" : "NULL") ", " (rand() < .5 ? "NULL" : "\047c\047") ", \0472024-0" 1 + int(rand() * 9) "-11 10:00:00\047);"
		for (i = 1; i <= 9; i++) print "INSERT INTO fct_refunds VALUES (" i ", " 1 + int(rand() * 4) ", " int(rand() * 20) ", \0472024-02-02 00:00:00\047);"
	}'
}

# rows ARGUMENT... - lines of CSV without the head, the last column to six places, nothing for NULL.
rows() {
	"$carrel" "$@" --format csv 2>"$err" | tail -n +2 | tr -d '\r"' |
		awk -F, 'BEGIN { OFS = "," } { $NF = $NF == "" || $NF == "NULL" ? "" : sprintf("%.6f", $NF); print }'
}

# Each group of MetricFlow has its number; a group that MetricFlow does not have is empty here.  (Rows that lead to no shop
# are a group of MetricFlow, and none here: docs/semantic-layer.md, 3.)
check_numbers() {
	local measure dimension sql n=0
	# The other engines have the rows of the first one, whose SQL they need not understand.
	[ -s all ] || rows sql --max-rows 10000 "$(awk -F'|' '!/^#/ { printf "%sSELECT %d AS c, CAST(k AS varchar(20)) AS k, CAST(v AS double precision) AS v FROM (%s) AS q%d\n",
		n++ ? "UNION ALL " : "", n, $3, n }' numbers.cases)" >all
	while IFS='|' read -r measure dimension sql; do
		case $measure in '#'*) continue ;; esac
		n=$((n + 1))
		sed -n "s/^$n,//p" all >theirs
		rows sl query -m "$measure" -d "$dimension" >ours
		[ -s theirs ] && [ -s ours ] || fail "$1 $measure: no rows"
		case $dimension in dim_shops.*) sed -i '/^,/d' theirs ours ;; esac
		grep -vxFf ours theirs >missing
		grep -vxFf theirs ours | grep -vE ',(0\.000000)?$' >more
		[ ! -s missing ] && [ ! -s more ] || fail "$1 $measure by $dimension: $(head -n 3 missing) but $(head -n 3 more)"
	done <numbers.cases
	[ $n -ge 15 ] || fail "$n cases"
}

draw 1 | sqlite3 shop.db
draw 2 | "$pg" psql "$PG_DIR" >/dev/null 2>"$err" || fail "no database"
run 0 init lite --path shop.db --name w
"$pg" psql "$PG_DIR" >/dev/null 2>"$err" <<'SQL' || fail "no role"
CREATE ROLE reader LOGIN PASSWORD 'secret';
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO reader;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;
SQL
export SHOP_URL
SHOP_URL=$("$pg" dsn "$PG_DIR" reader secret)
run 0 init big --url env:SHOP_URL --name w
for engine in lite big; do
	cd "$scratch/$engine" && run 0 mcp start --port 0 && run 0 scan w || continue
	run_as 0 import-knowledge metricflow ../market --dry-run && says 'created  semantic-layer/w/_imported/metricflow-market/fct_sales.yaml'
	says '+   - name: revenue'
	[ ! -e semantic-layer/w/_imported ] || fail "a dry run wrote"
	run_as 0 import-knowledge metricflow ../market
	says 'skipped  metric running (models/sales.yml): it is cumulative'
	says 'skipped  metric growth (models/sales.yml): it is compared with another period'
	says 'skipped  metric growth_again (models/sales.yml): it needs the metric growth, which was skipped'
	says 'skipped  metric filled (models/sales.yml): it fills in NULL with a number'
	says 'skipped  metric spined (models/sales.yml): it fills in days without rows'
	says 'skipped  metric recent (models/sales.yml): its filter compares the beginning of a period of sold_at otherwise'
	says 'skipped  metric ran (models/sales.yml): its filter has a template that is not run'
	says 'skipped  metric round_a'
	says 'skipped  metric refund.broken'
	says 'it names no_such_column'
	says 'skipped  metric sale.twice_qty (models/sales.yml): it needs qty of sale, which was skipped'
	says 'skipped  dimension sale.qty (models/sales.yml): the table'
	says 'skipped  measure sale.stock (models/sales.yml): it is semi-additive over sold_at'
	says 'skipped  measure sale.top_discrete'
	says 'skipped  semantic model elsewhere (models/others.yml): the scan of w knows no table not_built'
	says 'skipped  file models/hostile.yml (models/hostile.yml): it cannot be read: line 6: its aliases make it larger than can be read'
	run 0 sl validate --live
	cp -r ../numbers.cases .
	check_numbers $engine
done

# The same numbers on DuckDB and MariaDB, which takes too long for each run: KNOWLEDGE_ENGINES=1, as tests/soak/run.sh does.
if [ -n "${KNOWLEDGE_ENGINES:-}" ]; then
	my=$SOURCE_DIR/tests/support/my.sh
	cd "$scratch" && draw 1 | "$BIN_DIR/../tests/duckdb_client" "$BIN_DIR/libduckdb.so" shop.duckdb || fail "no DuckDB"
	run 0 init duck --path shop.duckdb --name w
	chmod 755 "$scratch" && "$my" start "$scratch/my" && "$my" mysql "$scratch/my" \
		-e "CREATE DATABASE shop; CREATE USER reader IDENTIFIED BY 'secret'; GRANT SELECT ON shop.* TO reader" || fail "no MariaDB"
	draw 1 | "$my" mysql "$scratch/my" shop
	MARIA_URL=$("$my" url "$scratch/my" reader secret shop) && export MARIA_URL
	run 0 init maria --url env:MARIA_URL --name w
	for engine in duck maria; do
		cd "$scratch/$engine" && run 0 mcp start --port 0 && run 0 scan w && run 0 import-knowledge metricflow ../market || continue
		cp ../numbers.cases ../lite/all .
		check_numbers $engine
	done
	"$my" remove "$scratch/my"
fi

# Each object is read once, and is taken, in others, or skipped with a reason.
cd "$scratch/lite" || exit 1
accounted() {
	run 0 import-knowledge "$1" "$2" --dry-run
	node -e 'const { report } = JSON.parse(require("fs").readFileSync(0, "utf8"));
		for (const o of report.objects) {
			const n = report.skipped.filter((s) => s.as === o.as && s.reason !== "").length;
			if (o.read !== o.taken + o.merged + o.skipped || o.skipped !== n) throw new Error(JSON.stringify(o));
		}
		console.log(report.objects.map((o) => `${o.as} ${o.read}`).join(", "));' <"$out" >"$scratch/counts" 2>"$err" ||
		fail "$1 is not accounted for"
}
accounted metricflow ../market
[ "$(cat "$scratch/counts")" = "semantic model 4, dimension 6, measure 14, entity 7, metric 25, file 1, saved query 1" ] ||
	fail "counts: $(cat "$scratch/counts")"
accounted dbt ../market
[ "$(cat "$scratch/counts")" = "model 3, column 7, test 8, exposure 1, doc 2, file 1, semantic model 4, metric 25, saved query 1" ] ||
	fail "counts: $(cat "$scratch/counts")"

# Where many objects have one reason, a terminal shows it once, without the names in it.
mkdir ../many && awk 'BEGIN {
	print "models:\n  - name: fct_sales\n    columns:"
	for (i = 1; i <= 40; i++) print "      - {name: c" i ", tests: [{not_null: {where: qty > 1}}]}"
}' >../many/models.yml
run_as 0 import-knowledge dbt ../many --dry-run && says 'skipped  test not_null and 39 more: the test on … holds only for some rows'

# dbt: descriptions, keys, a join, values, pages.
run_as 0 import-knowledge dbt ../market && says 'skipped  column fct_sales.gone (models/marts.yml): the table fct_sales has no such column'
says 'holds only for some rows'
says 'it is ephemeral'
file=semantic-layer/w/_imported/dbt-market/fct_sales.yaml
for text in 'dbt: One row per sale, without those that were cancelled.' 'constraints: {dbt: {unique: true, not_null: true}}' \
	'enum_values: {dbt: ["true", "false"]}' 'tags: {dbt: ["core"]}'; do
	grep -qF -- "$text" $file || fail "$file lacks $text"
done
! grep -q SECRET -r semantic-layer wiki || fail "a template was taken"
grep -q 'The fiscal year begins in' wiki/global/dbt-market-doc-fiscal_year.md || fail "no page of the block"
grep -q 'Ada' wiki/global/dbt-market-exposure-weekly.md || fail "no page of the exposure"
run 0 sl validate
run 0 wiki search fiscal year && says dbt-market-doc-fiscal_year

# A second run changes nothing; what changes there changes here, and what goes there goes here.
for kind in dbt metricflow; do run_as 0 import-knowledge $kind ../market && says 'Nothing changes.'; done
cp -r ../market ../later
sed -i 's/All that was paid/All that was taken/; /name: gift_share/d' ../later/models/sales.yml
rm ../later/docs/blocks.md
sed -i '/name: refund$/,$d' ../later/models/others.yml
run_as 0 import-knowledge metricflow ../later --dry-run && says '-       dbt: All that was paid.' && says '+       dbt: All that was taken.'
says 'removed  semantic-layer/w/_imported/metricflow-market/fct_refunds.yaml'
run 0 import-knowledge metricflow ../later
run_id=$(grep -o '"runId":"[^"]*"' "$out" | cut -d'"' -f4)
[ ! -e semantic-layer/w/_imported/metricflow-market/fct_refunds.yaml ] || fail "it stayed"
run 1 sl query -m fct_sales.gift_share
run 0 import-knowledge dbt ../later
[ ! -e wiki/global/dbt-market-doc-fiscal_year.md ] || fail "the page stayed"
run 0 memory revert "$run_id" && run 0 sl query -m fct_sales.gift_share
[ -e semantic-layer/w/_imported/metricflow-market/fct_refunds.yaml ] || fail "the revert did not bring it back"

# Proposed first, made by the approval.
run_as 0 import-knowledge metricflow ../later --review && says 'carrel memory approve mem-'
[ -e semantic-layer/w/_imported/metricflow-market/fct_refunds.yaml ] || fail "a proposal was carried out"
run 0 memory approve "$(grep -o 'mem-[0-9a-f-]*' "$out" | head -n 1)"
[ ! -e semantic-layer/w/_imported/metricflow-market/fct_refunds.yaml ] || fail "an approval did nothing"

# The owner's files and edits stay: a measure by hand wins, an edited file is the owner's.
printf 'name: fct_sales\nmeasures:\n  - {name: revenue, expr: sum(amount) * 2}\n' >semantic-layer/w/fct_sales.yaml
run_as 0 import-knowledge metricflow ../later && says 'skipped  metric sale.revenue (models/sales.yml): fct_sales.yaml defines it as sum(amount) * 2; that stays'
run 0 sl validate
rm semantic-layer/w/fct_sales.yaml && echo '# mine' >>semantic-layer/w/_imported/metricflow-market/dim_shops.yaml
cp semantic-layer/w/_imported/metricflow-market/dim_shops.yaml ../mine
run_as 0 import-knowledge metricflow ../market && says 'dim_shops.yaml was edited since it was imported, and is yours now'
cmp -s ../mine semantic-layer/w/_imported/metricflow-market/dim_shops.yaml || fail "an edit was overwritten"
run 0 sl query -m fct_sales.revenue -d dim_shops.town
echo 'mine' >wiki/global/dbt-market-doc-fiscal_year.md
run_as 0 import-knowledge dbt ../market && says 'dbt-market-doc-fiscal_year.md is another page'
[ "$(cat wiki/global/dbt-market-doc-fiscal_year.md)" = mine ] || fail "a page was overwritten"

# A manifest of dbt, streamed: code is passed over, an object that is broken is skipped by name.
awk 'BEGIN {
	printf "{\"metadata\": {\"project_name\": \"big\"}, \"macros\": {\"m\": {\"macro_sql\": \""
	for (i = 0; i < 200000; i++) printf "{%% x %%} \\\" "
	printf "\"}}, \"nodes\": {"
	printf "\"model.big.fct_sales\": {\"resource_type\": \"model\", \"name\": \"fct_sales\", \"schema\": \"main\", \"description\": \"From a manifest.\", \"columns\": {\"qty\": {\"name\": \"qty\", \"description\": \"How many.\"}}, \"depends_on\": {\"nodes\": [\"model.big.dim_shops\"]}, \"raw_code\": \"select 1\"},"
	printf "\"model.big.dim_shops\": {\"resource_type\": \"model\", \"name\": \"dim_shops\", \"columns\": {}},"
	printf "\"test.big.u\": {\"resource_type\": \"test\", \"name\": \"u\", \"column_name\": \"shop_id\", \"attached_node\": \"model.big.dim_shops\", \"test_metadata\": {\"name\": \"unique\", \"kwargs\": {}}},"
	printf "\"test.big.r\": {\"resource_type\": \"test\", \"name\": \"r\", \"column_name\": \"shop_id\", \"attached_node\": \"model.big.fct_sales\", \"test_metadata\": {\"name\": \"relationships\", \"kwargs\": {\"to\": \"ref(\\u0027dim_shops\\u0027)\", \"field\": \"shop_id\"}}},"
	printf "\"model.big.deep\": {\"a\": "
	for (i = 0; i < 5000; i++) printf "["
	for (i = 0; i < 5000; i++) printf "]"
	printf "}}, \"sources\": {}, \"docs\": {}, \"exposures\": {}}"
}' >"$scratch/manifest.json"
run_as 0 import-knowledge dbt "$scratch/manifest.json" && says 'skipped  object model.big.deep: it cannot be read'
grep -qF 'dbt: How many.' semantic-layer/w/_imported/dbt-big/fct_sales.yaml || fail "no column of the manifest"
grep -qF 'fct_sales.shop_id = dim_shops.shop_id' -r semantic-layer/w/_imported || fail "no join of the manifest"
grep -qF '`fct_sales` is built from `dim_shops`' wiki/global/dbt-big-lineage.md || fail "no lineage"
head -c 1000000 "$scratch/manifest.json" >"$scratch/cut.json"
run 1 import-knowledge dbt "$scratch/cut.json" && complains 'it ends too early' && one_sentence
# No file but regular ones, and no way out of the project.
mkdir -p ../odd/target ../away && mkfifo ../odd/target/manifest.json && ln -s "$scratch/odd/target" ../away/target
run 1 import-knowledge dbt ../odd && complains 'target/manifest.json is not a regular file'
run 1 import-knowledge dbt ../odd/target/manifest.json && complains 'is not a regular file' && one_sentence
run 1 import-knowledge dbt ../away && complains 'target/manifest.json is a symbolic link'
echo x >../notes.txt && run 1 import-knowledge dbt ../notes.txt && complains 'notes.txt has another ending than what is read: .yml, .yaml, .md' && one_sentence
run 1 import-knowledge tableau ../market && complains 'there are dbt, metricflow' && one_sentence
run 1 import-knowledge dbt /nowhere && complains '/nowhere' && one_sentence
run 2 import-knowledge dbt

# Statements of a log: proposals alone, nothing of a hidden column and no literal, and what is broken is counted.
mkdir -p ../logged/wiki ../logged/semantic-layer ../logged/raw-sources ../logs && cd ../logged || exit 1
sqlite3 ../log.db 'CREATE TABLE buyers (id integer PRIMARY KEY, secret_code text, town text);
	CREATE TABLE orders (id integer PRIMARY KEY, buyer integer, state text, code text);
	INSERT INTO orders VALUES (1, 1, 1, 1); INSERT INTO buyers VALUES (1, 1, 1)'
printf 'connections:\n  w: { driver: sqlite, path: ../log.db, columns: { hide: ["buyers.secret_code"] } }\n' >carrel.yaml
for i in 1 2 3; do
	echo "SELECT count(*) FROM orders o JOIN buyers b ON o.buyer = b.id WHERE o.state = 'LITERAL$i' AND b.secret_code = 'LITERAL';"
done >../logs/a.sql
cat >../logs/b.csv <<'CSV'
query,calls
"SELECT 1 FROM orders, buyers WHERE orders.code = buyers.secret_code AND orders.state = $1",500
"SELECT (1",2
CSV
run 0 mcp start --port 0 && run 0 scan w && run_as 0 import-knowledge queries ../logs
says 'carrel memory approve mem-' && says 'skipped  statement b.csv (b.csv): its brackets, quotes or clauses do not fit'
says 'skipped  join orders.buyers: neither side is a key that the scan knows'
run_id=$(grep -o 'mem-[0-9a-f-]*' "$out" | head -n 1)
[ -z "$(ls -A wiki/global semantic-layer/w/_imported 2>/dev/null)" ] || fail "a count was written without approval"
run 0 memory approve "$run_id" && run 0 memory show "$run_id"
! grep -q secret_code "$out" || fail "the run tells a hidden column"
page=wiki/global/queries-log-counts-use.md
grep -qF 'orders.buyer = buyers.id: 3 statements, 3 calls' $page || fail "no join: $(cat $page)"
grep -qF 'orders.state `=`: all 4 statements, 503 calls' $page || fail "no filter: $(cat $page)"
grep -qF 'orders, buyers: 4 statements, 503 calls' $page || fail "no pair: $(cat $page)"
! grep -q secret_code -r wiki semantic-layer || fail "a hidden column was told"
! grep -q LITERAL -r . || fail "a literal was kept: $(grep -rl LITERAL .)"
grep -q 'to: buyers' semantic-layer/w/_imported/queries-log/orders.yaml || fail "no join was proposed"
run 0 sl validate
run_as 0 import-knowledge queries ../logs && says 'Nothing changes.'
# A view over a query is a source if the database runs it: not with a hidden column, a broken query, or a taken name.
mkdir ../derived && cat >../derived/a.lkml <<'LKML'
view: orders { dimension: id { primary_key: yes } }
view: per_buyer {
  derived_table: { sql: SELECT o.buyer AS who, count(*) AS made, max(o.state) AS state -- each
    FROM ${orders.SQL_TABLE_NAME} o GROUP BY o.buyer ;; persist_for: "1 hour" }
  dimension: who { primary_key: yes description: "The buyer." }
  dimension: state {}
  measure: made { type: sum sql: ${TABLE}.made ;; }
}
view: leaks { derived_table: { sql: SELECT id, secret_code AS x FROM buyers ;; } measure: x { type: max sql: ${TABLE}.x ;; } }
view: all_of_it { derived_table: { sql: SELECT b.* FROM buyers b JOIN orders o ON o.buyer = b.id ;; } dimension: secret_code {} dimension: town {} }
view: broken { derived_table: { sql: SELECT FROM ;; } }
view: writes { derived_table: { sql: DELETE FROM buyers RETURNING id ;; } }
view: buyers { derived_table: { sql: SELECT 1 AS one ;; } }
LKML
run_as 0 import-knowledge lookml ../derived && says 'created  semantic-layer/w/_imported/lookml-derived/per_buyer.yaml: a query of 3 columns, 1 measure'
says 'skipped  view broken (a.lkml): the database refuses it' && says 'skipped  view writes (a.lkml): the database refuses it'
says 'skipped  view leaks (a.lkml): the database refuses it' && says 'skipped  dimension all_of_it.secret_code (a.lkml): the query has no such column'
says 'skipped  view buyers (a.lkml): it is a query, and a source of w has its name'
run 0 sl query -m per_buyer.made -d per_buyer.state && says '"rows":[["1",1]]'
run 0 sl validate
! grep -q secret_code -r semantic-layer wiki || fail "a hidden column was told: $(grep -r secret_code semantic-layer wiki)"
run_as 0 import-knowledge lookml ../derived && says 'Nothing changes.'
sed -i 's/max(o.state)/min(o.state)/; /view: all_of_it/d' ../derived/a.lkml && run_as 0 import-knowledge lookml ../derived
says 'updated  semantic-layer/w/_imported/lookml-derived/per_buyer.yaml' && says 'removed  semantic-layer/w/_imported/lookml-derived/all_of_it.yaml'
echo '# mine' >>semantic-layer/w/_imported/lookml-derived/per_buyer.yaml
run_as 0 import-knowledge lookml ../derived && says 'per_buyer.yaml was edited since it was imported, and is yours now'
# Two projects without a name: each is called as its directory, and one of that name otherwise.
mkdir -p ../one/model ../two/model && for p in one two; do echo "cubes: [{name: c, sql_table: orders, measures: [{name: n_$p, type: count}], segments: [{name: $p, sql: id > 0}]}]" >../$p/model/c.yml; done
run 0 import-knowledge cube ../one/model && run 0 import-knowledge cube ../two/model/c.yml && run_as 0 import-knowledge cube ../two/model --project third --dry-run && says 'segment     1      0          1        0'
ls -d semantic-layer/w/_imported/cube-one-model semantic-layer/w/_imported/cube-two-model >/dev/null || fail "a project replaced another"
run 0 sl query -m orders.n_one -m orders.n_two
run 1 import-knowledge queries ../market/models/sales.yml && complains 'has another ending than what is read: .sql, .csv, .log' && one_sentence
cd ../lite || exit 1

# LookML and Cube over the same tables: hostile files are skipped by name, nothing outside of the directory is read.
mkdir ../looks && cat >../looks/shops.model.lkml <<'LKML'
project_name: "looks"
include: "/etc/*.lkml"
include: "//other/*.view"
view: shops {
  sql_table_name: dim_shops ;;
  dimension: shop_id { primary_key: yes type: number }
  dimension: town { label: "**Town** `x`" description: "Where." }
  dimension: loop_a { sql: ${loop_b} ;; }
  dimension: loop_b { sql: ${loop_a} ;; }
  measure: shops_of_aa { type: count filters: [town: "Aa"] }
  measure: by_liquid { type: sum sql: {{ _user_attributes['x'] }} ;; }
}
view: sales {
  sql_table_name: fct_sales ;;
  dimension: shop_id { type: number }
  measure: net { type: sum sql: ${TABLE}.amount ;; }
}
view: e1 { extends: [e2] } view: e2 { extends: [e1] }
explore: sales { sql_always_where: ${TABLE}.qty > 0 ;; join: shops { sql_on: ${sales.shop_id} = ${shops.shop_id} ;; } }
explore: shops {}
LKML
awk 'BEGIN { printf "view: big { measure: m { type: sum sql: "; for (i = 0; i < 100000; i++) printf "1 + "; print "1 ;; } }" }' >../looks/big.lkml
awk 'BEGIN { for (i = 0; i < 5000; i++) printf "a: {" }' >../looks/deep.lkml
printf 'view: z { label: "\377" }' >../looks/bytes.lkml
ln -s /etc/passwd ../looks/passwd.lkml && ln -s / ../looks/root
accounted lookml ../looks
[ "$(cat "$scratch/counts")" = "view 5, dimension 5, measure 4, join 1, explore 2, file 2, include 2" ] || fail "counts: $(cat "$scratch/counts")"
run_as 0 import-knowledge lookml ../looks
for text in 'skipped  file deep.lkml (deep.lkml): it cannot be read: line 1: it is nested too deeply' \
	'skipped  file bytes.lkml (bytes.lkml): it cannot be read: line 1: it is not UTF-8 text' 'it extends itself' \
	'skipped  measure shops.by_liquid (shops.model.lkml): it has a template' 'the scan of w knows no table big' \
	'skipped  include //other/*.view (shops.model.lkml): it is of another project' 'skipped  dimension shops.loop_a'; do
	says "$text"
done
grep -qF "filter: (qty > 0)" semantic-layer/w/_imported/lookml-looks/fct_sales.yaml ||
	fail "no filter of the explore"
run 0 sl query -m dim_shops.shops_of_aa -d dim_shops.town
run 0 sl query -m fct_sales.net -d dim_shops.town --segment fct_sales.sales
mkdir ../cubes && echo 'cube("x", { sql: `SELECT 1` });' >../cubes/x.js && cat >../cubes/sales.yml <<'CUBES'
cubes:
  - {name: sales, sql_table: fct_sales, measures: [{name: gross, type: sum, sql: amount}, {name: late, type: sum, sql: amount, rolling_window: {trailing: 1 day}}],
     segments: [{name: gifts, sql: "{CUBE}.is_gift"}]}
  - {name: ../odd, sql_table: fct_sales}
CUBES
accounted cube ../cubes
[ "$(cat "$scratch/counts")" = "cube 2, measure 2, segment 1, file 1" ] || fail "counts: $(cat "$scratch/counts")"
run_as 0 import-knowledge cube ../cubes && says 'skipped  file x.js (x.js): it is a program' && says 'it has a rolling window'
run 0 sl query -m fct_sales.gross -d dim_shops.town --segment fct_sales.gifts --segment fct_sales.sales
for kind in lookml cube; do run_as 0 import-knowledge $kind "../$([ $kind = cube ] && echo cubes || echo looks)" && says 'Nothing changes.'; done
run 0 sl validate

# More files than a note has changes, in one commit.
git -C "$scratch/lite" init -q 2>/dev/null && git -C "$scratch/lite" add -A && git -C "$scratch/lite" -c user.name=U -c user.email=u@e commit -qm one
mkdir ../wide && { echo 'exposures:'; for i in $(seq 120); do echo "  - {name: report_$i, description: Number $i.}"; done; } >../wide/a.yml
run 0 import-knowledge dbt ../wide
[ "$(ls wiki/global/dbt-wide-exposure-report_* | wc -l)" = 120 ] || fail "not 120 pages"
[ "$(git -C "$scratch/lite" show --name-only --format= HEAD 2>/dev/null | wc -l)" = 120 ] || fail "not one commit: $(git -C "$scratch/lite" log --oneline | head -3)"
# More than a call holds comes in parts, as one run; what the answer has no room for is said.
mkdir ../large && awk 'BEGIN { for (i = 0; i < 400; i++) { printf "{%% docs big_%d %%}\n", i; for (k = 0; k < 300; k++) printf "Line %d of block %d, with some words more than that.\n", k, i; print "{% enddocs %}" } }' >../large/blocks.md
run_as 0 import-knowledge dbt ../large --dry-run && says 'MB and are not shown'
run_as 0 import-knowledge dbt ../large --review && says 'carrel memory approve mem-'
run 0 memory approve "$(grep -o 'mem-[0-9a-f-]*' "$out" | head -n 1)"
run_id=$(grep -o '"runId":"[^"]*"' "$out" | cut -d'"' -f4)
[ "$(ls wiki/global/dbt-large-doc-big_* | wc -l)" = 400 ] || fail "not 400 pages"
run_as 0 import-knowledge dbt ../large && says 'Nothing changes.'
run 0 memory log && run 0 memory revert "$run_id"
[ -z "$(ls wiki/global/dbt-large-doc-big_* 2>/dev/null)" ] || fail "pages stayed"
printf 'limits: { memory_memory_mb: 64 }\n' >>carrel.yaml && run 0 mcp stop && run 0 mcp start --port 0
run 1 import-knowledge dbt ../large && complains 'raise limits.memory_memory_mb in carrel.yaml' && one_sentence
run 0 import-knowledge dbt ../wide
finish
