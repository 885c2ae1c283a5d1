# sl_query through the whole program: the demo on SQLite, the same data in
# PostgreSQL, the same rows from both; errors, progress, truncation.
if [ -z "${PG_DIR:-}" ]; then
	command -v sqlite3 psql >/dev/null || exit 77
	exec "$SOURCE_DIR/tests/support/pg.sh" run - env PATH="$PATH" bash "$0"
fi
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

project=$scratch/project
url="postgresql://postgres@/postgres?host=$PG_DIR/run&port=$(cat "$PG_DIR/port")"
run 0 init --demo "$project"
"$SOURCE_DIR/demo/load_postgres.sh" "$url" "$project/warehouse.db" || { echo "FAILED: the load"; exit 1; }
printf '  pg: { driver: postgres, url: "%s" }\n' "$url" >"$scratch/extra"
sed -i "/^connections:/r $scratch/extra" "$project/carrel.yaml"
mkdir "$project/semantic-layer/pg"
cp "$project"/semantic-layer/warehouse/*.yaml "$project/semantic-layer/pg/"
cd "$project" || exit 1
run 0 scan pg
run 0 mcp start --port 0

# NAME ARGUMENT… - the same question to both.
same() {
	local name=$1
	shift
	run 0 --json sl query -c warehouse "$@" || return
	cp "$out" "$scratch/sqlite.json"
	run 0 --json sl query -c pg "$@" || return
	node - "$scratch/sqlite.json" "$out" >"$scratch/why" <<'JS' || fail "$name: $(cat "$scratch/why")"
const [a, b] = process.argv.slice(2).map(f => JSON.parse(require('fs').readFileSync(f, 'utf8')));
const say = why => { console.log(why); process.exit(1); };
const value = v => typeof v === 'boolean' ? Number(v) : v;
const near = (x, y) => typeof x === 'number' && typeof y === 'number' ?
    Math.abs(x - y) <= 1e-9 * Math.max(1, Math.abs(x), Math.abs(y)) : x === y;
if (a.dialect !== 'sqlite' || b.dialect !== 'postgres') say('dialects ' + a.dialect + ', ' + b.dialect);
if (JSON.stringify(a.headers) !== JSON.stringify(b.headers)) say(a.headers + ' / ' + b.headers);
if (a.rows.length !== b.rows.length || a.truncated !== b.truncated) say(a.rows.length + ' / ' + b.rows.length + ' rows');
if (a.rows.length !== a.rowCount || a.rows.length === 0) say('rowCount ' + a.rowCount);
a.rows.forEach((row, i) => row.forEach((v, k) => {
    if (!near(value(v), value(b.rows[i][k]))) say('row ' + i + ' ' + a.headers[k] + ': ' + v + ' / ' + b.rows[i][k]);
}));
JS
}

same revenue -m orders.gross_revenue -m orders.order_count -d customers.segment
same months -m orders.gross_revenue -d orders.ordered_at:month
same weeks -m orders.order_count -d orders.ordered_at:week --order-by 'orders.ordered_at:desc' -n 20
same decades -m orders.order_count -d orders.ordered_at:decade
same quarters -m orders.order_count -d orders.ordered_at:quarter -d customers.segment --no-empty
same hours -m orders.order_count -d orders.ordered_at:hour -n 50
same text -m orders.order_count -d customers.full_name -n 100
same facts -m orders.gross_revenue -m refunds.refund_amount -m web_sessions.session_count
same grouped -m orders.gross_revenue -m refunds.refund_amount -d customers.segment
same derived -m 'rate=refunds.refund_amount / orders.gross_revenue' -d regions.name
same average -m 'avg(orders.amt_eur_ct)' -m 'x=sum(orders.amt_eur_ct) / count(orders.id)' -d orders.status
same filter -m orders.order_count -d orders.status -w "orders.status <> 'paid' OR orders.is_test" -w 'orders.order_count > 1'
same smallest -m 'first=min(customers.full_name)' -m 'last=max(orders.status)' -d customers.segment --order-by first:desc
same dimensions -d customers.segment -d regions.name
same bool -m 'big=count(orders.id) > 100' -m refunds.refund_count -d customers.segment

# What is left out is what a condition is true of: rows without a value stay.
for database in warehouse pg; do
	run 0 --json sl query -c $database -m 'n=count(customers.id)' -d customers.segment --filter "(customers.segment = 'business') is not true" &&
		says '"rows":[[null,'
done

# The group without a value is the first, under a limit, too: a limit returns the beginning.
run 0 --json sl query -c warehouse -m 'n=count(customers.id)' -d customers.segment && says '"rows":[[null,'
for database in warehouse pg; do
	run 0 --json sl query -c $database -m 'n=count(customers.id)' -d customers.segment -n 2 && says '"rows":[[null,'
	run 0 --json sl query -c $database -m 'n=count(customers.id)' -d customers.segment -n 2 --order-by customers.segment && says '"rows":[[null,'
done

# --- limits: truncated says whether there is more -----------------------------------
groups=$(sqlite3 warehouse.db "SELECT count(DISTINCT coalesce(status, '')) FROM orders")
for n in 0 1 "$groups" $((groups + 1)); do
	run 0 --json sl query -c warehouse -m orders.order_count -d orders.status -n "$n"
	rows=$((n < groups ? n : groups))
	says "\"rowCount\":$rows,\"totalRows\":$rows,\"truncated\":$([ "$n" -lt "$groups" ] && echo true || echo false)"
done

# --- errors ----------------------------------------------------------------------------
run 1 sl query -m orders.order_count
complains "--connection is needed, there are several connections"
complains "warehouse"
run 1 sl query -c warehouse -m orders.order_cont
complains "order_count"
run 1 sl query -c nowhere -m orders.order_count
run 1 sl query -c warehouse
complains "at least one measure or dimension"
run 2 sl query -c warehouse -m orders.order_count -n 10001
echo '{"measures": ["orders.order_count"], "order_by": [{"id": "order_count", "desc": true}], "limit": 1}' >q.json
run 0 --json sl query -c warehouse -f q.json
says '"headers":["order_count"]'

# --- over HTTP: category, candidates, progress ---------------------------------------------
port=$(sed -E 's/.*"port": *([0-9]+).*/\1/' .carrel/mcp.json | tr -cd 0-9)
tool() { # arguments
	curl -s -X POST "http://127.0.0.1:$port/mcp" -H 'Content-Type: application/json' \
		-H 'Accept: application/json, text/event-stream' -H 'MCP-Protocol-Version: 2026-07-28' \
		-H 'Mcp-Method: tools/call' -H 'Mcp-Name: sl_query' -d "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",
		\"params\":{\"name\":\"sl_query\",\"arguments\":$1,\"_meta\":{\"progressToken\":\"p\",
		\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}}}" >"$out"
}
tool '{"connectionId":"warehouse","measures":["orders.order_cont"]}'
says '"code":"invalid_query"'
says '"category":"unknown_measure","text":"orders.order_cont","candidates":["order_count"'
tool '{"connectionId":"warehouse","measures":["orders.order_count"]}'
stages=$(grep -o '"progress":[0-9.]*,"total":1,"message":"[^"]*"' "$out" | sed 's/"progress":\([0-9.]*\).*"message":\(.*\)/\1 \2/')
[ "$stages" = '0.000 "Compiling query"
0.300 "Generating SQL"
0.600 "Executing"
1.000 "Fetched 1 rows"' ] || fail "the stages are: $stages"

# --- the linter ------------------------------------------------------------------------------
run 0 --json sl validate --live
printf 'name: broken\ntable: orders\ngrain: [id]\ncolumns:\n  - {name: nr, type: number}\nmeasures:\n  - {name: m, expr: sum(nope)}\n  - {name: m, expr: m2 + 1}\n' \
	>semantic-layer/warehouse/broken.yaml
run 1 --json sl validate -c warehouse
says '"path":"broken.yaml","line":null,"severity":"error","category":"unknown_column"'
says '"path":"broken.yaml","line":8,"severity":"error","category":"ambiguous_name"'

# One source alone: another's errors are not its own.
run 0 --json sl validate orders && says '"findings":[]'
run_as 0 sl validate orders && says "Nothing is wrong"
run 1 --json sl validate broken && says '"category":"unknown_column"'
run 0 --json sl validate orders --live
run 1 --json sl validate brokn && complains 'there is no source "brokn"'
rm semantic-layer/warehouse/broken.yaml
printf 'name: torn\ncolumns: [\n' >semantic-layer/warehouse/torn.yaml
run 1 --json sl validate torn && says '"path":"torn.yaml"'
run 0 --json sl validate orders
rm semantic-layer/warehouse/torn.yaml

# --- search and list ---------------------------------------------------------------------------
run 0 --json sl search gross revenue -c warehouse -n 5 && says '"id":"orders.gross_revenue"'
grep -qE '"kind":"(wiki|table|column)"' "$out" && fail "sl search shows what is not of the semantic layer"
run_as 0 sl search net revenue && says 'sl_measure'
run_as 0 sl search qqqzzz && says 'Nothing found'
run 1 --json sl search revenue -c nowhere && complains nowhere
run_as 0 sl list && says orders && says MEASURES
run 0 --json wiki list && says '"key":"revenue","path":"wiki/global/revenue.md","scope":"GLOBAL"' && says '"tags":["revenue"'
run_as 0 wiki list && says fiscal-calendar && says 'The fiscal year begins'
run_as 0 --format csv wiki list && says 'revenue,"revenue, finance'
mkdir -p wiki/user/local
printf -- '---\nsummary: mine\nstatus: proposed\n---\nMine.\n' >wiki/user/local/revenue.md
printf -- '---\nsummary: [\n---\nx\n' >wiki/global/torn.md
ln -s /etc/passwd wiki/global/link.md
run 0 --json wiki list && says '"key":"revenue","path":"wiki/user/local/revenue.md","scope":"USER","summary":"mine"' && says '"proposed":true'
complains 'wiki/global/torn.md' && complains 'wiki/global/link.md' && grep -q 'root:' "$out" && fail "a link was followed"
run_as 0 wiki list && says '(unreviewed) mine'
run 1 --json wiki read revenu && complains 'Did you mean revenue'
grep -q 'revenue, revenue' "$err" && fail "one key is meant twice"
rm wiki/user/local/revenue.md wiki/global/torn.md wiki/global/link.md

# --- compile only: nothing is asked of the database ----------------------------------------------
run_as 0 sl query -c warehouse --compile-only -m orders.gross_revenue -d customers.segment -n 7 && says 'GROUP BY 1' && says 'LIMIT 7' && is_quiet
sql=$(cat "$out")
run 0 --json sl query -c warehouse -m orders.gross_revenue -d customers.segment -n 7 --sql && rows=$(grep --order-by '"rows":.*' "$out" | sed 's/,"rowCount.*//')
run 0 --json sql -c warehouse "$sql" && says "$rows"
run 0 --json sl query -c warehouse --compile-only -m orders.gross_revenue -d customers.segment && is_json && says '"headers":["segment","gross_revenue"]' && says '"plan":{'
grep -q '"rows"' "$out" && fail "rows of a statement that is not to run"
mv warehouse.db gone.db
run_as 0 sl query -c warehouse --compile-only -m orders.gross_revenue && says 'LIMIT 1000'
run 1 --json sl query -c warehouse -m orders.gross_revenue && complains 'warehouse.db'
mv gone.db warehouse.db
run 1 --json sl query -c warehouse --compile-only -m orders.gros_revenue && complains 'gross_revenue'
run_as 2 sl query -c warehouse --compile-only --format csv -m orders.gross_revenue && one_sentence
echo '{"measures":["orders.gross_revenue"],"limit":3}' >q.json
run_as 0 sl query -c warehouse --compile-only -f q.json && says 'LIMIT 3'

# --- references: an unset password that nobody asks for, files that hold no secret -----------------
socket="$PG_DIR/run" port=$(cat "$PG_DIR/port")
printf '  quiet: { driver: postgres, host: "%s", port: %s, database: postgres, user: postgres, password: "env:NO_SUCH_PASSWORD" }\n' "$socket" "$port" >"$scratch/more"
printf '  asked: { driver: postgres, host: 127.0.0.1, port: %s, database: postgres, user: postgres, password: "env:NO_SUCH_PASSWORD", sslmode: disable }\n' "$port" >>"$scratch/more"
printf '  path: { driver: sqlite, path: "file:%s" }\n' "$scratch/path.txt" >>"$scratch/more"
printf '  url: { driver: postgres, url: "file:%s" }\n' "$scratch/url.txt" >>"$scratch/more"
printf '  open: { driver: postgres, url: "file:%s" }\n' "$scratch/open.txt" >>"$scratch/more"
echo "$project/warehouse.db" >"$scratch/path.txt"
echo "$url" >"$scratch/url.txt"
echo "postgresql://postgres:s3cret@/postgres?host=$socket&port=$port" >"$scratch/open.txt"
chmod 644 "$scratch"/{path,url,open}.txt
sed -i "/^connections:/r $scratch/more" carrel.yaml
run 0 mcp reload
run 0 --json sql -c quiet 'SELECT 1' && says '[[1]]'
run 1 --json sql -c asked 'SELECT 1' && complains 'NO_SUCH_PASSWORD' && complains 'mcp reload'
NO_SUCH_PASSWORD='' run 0 mcp reload
run 1 --json sql -c asked 'SELECT 1' && complains 'NO_SUCH_PASSWORD'
run 0 --json sql -c path 'SELECT count(*) > 0 FROM orders' && says '[[1]]'
run 0 --json sql -c url 'SELECT 1' && says '[[1]]'
run 1 --json sql -c open 'SELECT 1' && complains 'open.txt holds a secret' && complains 'chmod 600'
grep -q s3cret "$err" "$out" && fail "the password was told"
run_as 1 doctor && says 'NO_SUCH_PASSWORD' && says 'open.txt'

# --- schemas, named in one line -------------------------------------------------------------------
"$SOURCE_DIR/tests/support/pg.sh" psql "$PG_DIR" -q -c 'CREATE SCHEMA sales; CREATE TABLE sales.deals(id int PRIMARY KEY, worth numeric);
	CREATE SCHEMA hr; CREATE TABLE hr.people(id int PRIMARY KEY); CREATE ROLE clerk LOGIN; GRANT USAGE ON SCHEMA sales, hr TO clerk; GRANT SELECT ON hr.people TO clerk' || fail "no schemas"
export WHERE_URL=$url HOME=$scratch/home
mkdir "$HOME" && cd "$scratch" || exit 1
run_as 0 init one --url env:WHERE_URL --schemas sales,hr && says "2 tables" && run_as 0 -C one details sales.deals
run_as 0 init all --url env:WHERE_URL --all-schemas && run_as 0 -C all details sales.deals hr.people public.orders
run_as 2 init both --url env:WHERE_URL --schemas sales --all-schemas && complains "not both"
asks() {
	printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}' \
		'{"jsonrpc":"2.0","method":"notifications/initialized"}' \
		'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"entity_details","arguments":{"connectionId":"postgres","entities":[{"table":"deals"},{"table":"orders"}]}}}' |
		"$carrel" mcp stdio --url env:WHERE_URL "$@" >"$out" 2>"$err"
}
asks --schemas sales,hr && says '\"name\":\"worth\"' && says 'table_not_found'
asks --all-schemas && says '\"name\":\"worth\"' && says 'amt_eur_ct'
asks --all-schemas && says '\"name\":\"worth\"' && says 'amt_eur_ct'
WHERE_URL=postgres://nobody@127.0.0.1:1/x asks --all-schemas --name postgres
grep -q '"id":2' "$out" || fail "a database that is down keeps MCP from answering"

# What the account may not read is a warning in files that a scan wrote, once for each table.
CLERK_URL="postgresql://clerk@/postgres?host=$socket&port=$port" && export CLERK_URL
run_as 0 -C one connection edit postgres --url env:CLERK_URL
run_as 0 -C one sl validate --live && says 'warning: deals cannot be asked' && says "0 errors"
[ "$(grep -c 'cannot be asked' "$out")" -eq 1 ] || fail "the same refusal twice"
finish
