# Statements run as the one who asks: two callers of one connection see their own rows in everything that shows a value,
# callers that lack a value are refused, and nothing stays in a session or in what is kept for all.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

if [ -z "${PG_DIR:-}" ]; then
	command -v psql >/dev/null || exit 77
	exec bash "$SOURCE_DIR/tests/support/pg.sh" run - env PATH="$PATH" bash "$0"
fi
. "$SOURCE_DIR/tests/integration/cli/identity_calls.sh"
psql() { "$SOURCE_DIR/tests/support/pg.sh" psql "$PG_DIR" -At "$@"; }

odd=$'O\'Brien\n";DROP TABLE orders;--\\x'
psql -v ON_ERROR_STOP=1 -v "odd=$odd" >/dev/null 2>"$err" <<'SQL' || fail "no database"
CREATE ROLE reader LOGIN PASSWORD 'secret' NOINHERIT;
CREATE ROLE eu; CREATE ROLE us; CREATE ROLE boss BYPASSRLS; GRANT eu, us, boss TO reader;
CREATE TABLE orders(id int PRIMARY KEY, tenant text NOT NULL, customer text NOT NULL, amount numeric(10,2) NOT NULL, day date NOT NULL);
INSERT INTO orders SELECT i, t, 'CANARY-' || t || '-' || i, i, date '2025-01-01' + i
 FROM generate_series(1, 300) i, LATERAL (SELECT (ARRAY['acme', 'globex', :'odd'])[1 + i % 3]) x(t);
ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON orders FOR SELECT TO eu, us USING (tenant = current_setting('app.tenant'));
CREATE TABLE regions(region text);
INSERT INTO regions VALUES ('CANARY-eu'), ('CANARY-us');
ALTER TABLE regions ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON regions FOR SELECT TO eu, us USING (region = 'CANARY-' || current_user);
GRANT SELECT ON orders, regions TO eu, us, reader; -- without a policy of its own the account reads no row
CREATE ROLE boss2; GRANT boss2 TO reader; CREATE SCHEMA owned; GRANT USAGE ON SCHEMA owned TO reader, boss2;
CREATE TABLE owned.kept(x int); ALTER TABLE owned.kept ENABLE ROW LEVEL SECURITY; ALTER TABLE owned.kept OWNER TO boss2;
CREATE SEQUENCE owned.numbers; GRANT SELECT ON owned.numbers TO boss2;
CREATE ROLE super LOGIN SUPERUSER PASSWORD 'secret';
CREATE FUNCTION become(text) RETURNS text STABLE LANGUAGE plpgsql AS $$ BEGIN RETURN set_config('app.tenant', $1, false); END $$;
CREATE FUNCTION become_sql(text) RETURNS text STABLE LANGUAGE sql AS $$ SELECT set_config('app.tenant', $1, false) $$;
CREATE FUNCTION whose() RETURNS text STABLE LANGUAGE sql AS $$ SELECT current_setting('app.tenant') $$;
CREATE DOMAIN changer AS text CHECK (become(VALUE) IS NOT NULL);
CREATE OPERATOR public.~~~> (LEFTARG = text, RIGHTARG = text, FUNCTION = textcat);
CREATE FUNCTION become_too(text, text) RETURNS text STABLE LANGUAGE sql AS $$ SELECT set_config('app.tenant', $2, false) $$;
CREATE OPERATOR public.===> (LEFTARG = text, RIGHTARG = text, FUNCTION = become_too);
CREATE AGGREGATE become_all(text) (SFUNC = become_too, STYPE = text);
SQL
SHOP_URL=$("$SOURCE_DIR/tests/support/pg.sh" dsn "$PG_DIR" reader secret postgres sslmode=disable) && export SHOP_URL
mkdir "$scratch/p" && cd "$scratch/p" || exit 1
write() { # IDENTITY [MORE]
	cat >carrel.yaml <<YAML
connections:
  shop:
    driver: postgres
    url: env:SHOP_URL
    workers: 1
    identity: $1
limits: {sql_timeout_s: 10, export_rows: 5000}
connectivity: {enabled: true, requests_per_min: 10000, sql_per_min: 10000, global_per_min: 10000}
tools:
  - name: of_customer
    description: "Orders of a customer"
    connection: shop
    parameters: {like: {type: string, description: "Pattern"}}
    sql: "SELECT customer, amount FROM orders WHERE customer LIKE :like ORDER BY id"
    scopes: []
YAML
}
settings='settings: {app.tenant: "{claims.tenant}", app.user: "{user.name}"}, role: "{claims.db_role}", roles: [eu, us]'
owner='owner: {name: ops, claims: {tenant: acme, db_role: eu}}'
neutral='neutral: {name: scanner, claims: {tenant: globex, db_role: us}}'

bad() { # NAME IDENTITY [VARIABLE]
	printf '  %s: {driver: postgres, url: env:%s, workers: 1, identity: %s}\n' "$1" "${3:-SHOP_URL}" "$2" >>carrel.yaml
}
export SUPER_URL=${SHOP_URL//reader:/super:}
psql -c 'CREATE ROLE stranger' >/dev/null

# --- what cannot be served so is refused; a scan keeps what the neutral identity reads ----------------
write "{$settings, $owner, $neutral}"
echo 'connections:' >"$scratch/top" && sed -n '/^  shop/,/^    identity/p' carrel.yaml >>"$scratch/top"
sed -n '/^limits/,$p' carrel.yaml >"$scratch/rest"
cp "$scratch/top" carrel.yaml
bad passes '{settings: {app.tenant: "{claims.tenant}"}, role: "{claims.db_role}", roles: [eu, boss]}'
bad nowhere '{role: "{claims.db_role}", roles: [eu, nowhere]}'
bad foreign '{role: "{claims.db_role}", roles: [stranger]}'
bad free '{settings: {app.tenant: "{user.name}"}}' SUPER_URL
bad ownerless "{$settings}"
printf '  owned: {driver: postgres, url: env:SHOP_URL, workers: 1, schemas: [owned], identity: %s}\n' '{role: "{claims.db_role}", roles: [eu, boss2]}' >>carrel.yaml
cat "$scratch/rest" >>carrel.yaml
run 0 mcp start --port 0
port=$(sed -E 's/.*"port": ?([0-9]+).*/\1/' .carrel/mcp.json)
for row in 'passes BYPASSRLS' 'nowhere no such role' 'foreign may not take' 'free row security does not bind' 'ownerless identity.owner'; do
	run 1 sql -c "${row%% *}" "SELECT count(*) FROM orders" && complains "${row#* }"
done
run 0 sql -c shop "SELECT count(*), min(tenant), max(tenant) FROM orders" && holds 'd.rows[0].join() === "100,acme,acme"'
run 1 connection test owned && says 'belong to a role of identity.roles' && says 'owned.kept (boss2)' && says '1 sequences can be read' && says 'owned.numbers'
run 0 connection test shop && says '"settings":["app.tenant","app.user"]' && says '"roles":["eu","us"]' && says '"weakened":null'
# What neither the account nor a role of the list can read shows nobody anything; what a role can read, does.
psql -c 'CREATE TABLE apart(x int)' -c 'CREATE VIEW apart_view AS SELECT x FROM apart' >/dev/null
run 0 connection test shop && says '"weakened":null'
psql -c 'GRANT SELECT (x) ON apart TO us' -c 'GRANT SELECT ON apart_view TO reader' >/dev/null
run 0 connection test shop && says '1 tables without row security show all callers the same rows: public.apart' && says '1 views are read with the rights'
psql -c 'DROP VIEW apart_view' -c 'DROP TABLE apart' >/dev/null
run 1 doctor && says 'row security by caller does not cover everything: 1 tables belong to a role of identity.roles'
"$carrel" connection test shop >"$out" 2>"$err" && says 'statements run as  the one who asks; scans as the neutral identity'
run 0 scan shop --deep
grep -rqF 'CANARY-acme' raw-sources semantic-layer && fail "a scan keeps values of a caller"
grep -rqF 'CANARY-us' raw-sources semantic-layer || fail "a scan keeps no values of the neutral identity"
for ((k = 0; k < 100; k++)); do # search sees a scan a moment later
	run 0 values CANARY-us
	finds -F '"columnName":"region"' "$out" && break
	sleep 0.1
done
says '"columnName":"region"'
run 0 sl new orders -c shop
write "{$settings, $owner}"
run 0 mcp reload
for ((k = 0; k < 100; k++)); do
	run 0 values CANARY-us
	finds -F '"columnName"' "$out" || break
	sleep 0.1
done
finds -F '"columnName"' "$out" && fail "values of another identity are shown"
run 0 scan --deep && says no_neutral_identity
newest=$(find raw-sources/shop/live-database -mindepth 1 -maxdepth 1 | sort | tail -n 1)
grep -rqF CANARY "$newest" && fail "a scan without a neutral identity keeps values"

# --- callers ---------------------------------------------------------------------------------------
token ada user.name=ada tenant=acme db_role=eu
token bob user.name=bob tenant=globex db_role=us
token eve user.name=eve "tenant=$odd" db_role=eu
token nameless tenant=acme db_role=eu
token rootly user.name=x tenant=acme db_role=postgres
token less user.name=x tenant=acme
run 2 token create --label x --claim tenant && complains "NAME=VALUE"
run 2 token create --label x --claim 'a b=c' && complains "NAME=VALUE"

run 0 dataset publish shop orders --name orders
dataset=$(get 'd.dataset.id')
run 0 ask "number of orders by customer" && says CANARY-acme- && finds -F CANARY-globex "$out" && fail "ask shows rows of others"
tables=(
	'sql_execution {"connectionId":"shop","sql":"SELECT * FROM orders ORDER BY id"}'
	'sl_query {"connectionId":"shop","measures":["orders.orders_count"],"dimensions":["orders.customer"],"limit":1000}'
	'of_customer {"like":"CANARY%"}'
	'carrel_sql {"sql":"SELECT customer FROM dataset_'"${dataset//-/_}"'"}'
	'carrel_get_schema {"dataset_id":"'"$dataset"'"}'
)
for row in "${tables[@]}"; do
	for who in ada:acme:globex bob:globex:acme ada:acme:globex; do
		IFS=: read -r name own other <<<"$who"
		call "${!name}" "${row%% *}" "${row#* }"
		finds -F "CANARY-$own-" "$out" || fail "$name: ${row%% *} shows no row of $own"
		finds -F "CANARY-$other-" "$out" && fail "$name: ${row%% *} shows rows of $other"
		[ "${row%% *}" = carrel_get_schema ] || file_shows "$name" "$own" "$other" eve "${row%% *}"
	done
done
for who in ada:acme:globex bob:globex:acme; do # REST
	IFS=: read -r name own other <<<"$who"
	curl -s -m 60 -o "$out" "http://127.0.0.1:$port/api/v1/ext/sql" -H 'Content-Type: application/json' -H "Authorization: Bearer ${!name}" \
	    -d '{"sql":"SELECT customer FROM dataset_'"${dataset//-/_}"'"}'
	finds -F "CANARY-$own-" "$out" || fail "$name: REST shows no row of $own"
	finds -F "CANARY-$other-" "$out" && fail "$name: REST shows rows of $other"
done
for row in 'dictionary_search {"values":["CANARY-acme-3","CANARY-globex-1","CANARY-us"]}' 'discover_data {"query":"CANARY-acme-3 orders"}' \
    'entity_details {"entities":[{"connectionId":"shop","table":"orders"}]}' 'carrel_list_datasets {}'; do
	call "$bob" "${row%% *}" "${row#* }"
	node -e 'const t = JSON.stringify(JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")).result ?? {});
	process.exit(/CANARY-(acme|eu)-?[0-9]*"?,"?(column|count)/.test(t) ? 1 : 0)' "$out" || fail "${row%% *} shows a value that was kept"
done
sql "$ada" 'SELECT region FROM regions' && [ "$(result 'd.structuredContent.rows.join()')" = CANARY-eu ] || fail "ada is not in her role"
sql "$bob" 'SELECT region, current_user, session_user FROM regions' && [ "$(result 'd.structuredContent.rows.join()')" = CANARY-us,us,reader ] || fail "bob"
sql "$eve" 'SELECT count(*), min(tenant) FROM orders'
[ "$(result 'd.structuredContent.rows[0][0]')" = 100 ] || fail "a value with quotes and a newline finds no rows"
receipt=$(grep -o '"carrel/receipt":"[^"]*"' "$out" | head -n 1 | cut -d'"' -f4)
run 0 audit show "$receipt" && holds "d.entry.policy.ran_as.startsWith('role=\"eu\" app.tenant=\"O')" &&
	holds "d.entry.policy.ran_as.endsWith('app.user=\"eve\"')"
sql "$eve" 'SELECT 1/(count(*)-count(*)) FROM orders' && finds -F '"isError":true' "$out" || fail 'a division by zero'
receipt=$(grep -o '"carrel/receipt":"[^"]*"' "$out" | head -n 1 | cut -d'"' -f4)
run 0 audit show "$receipt" && holds "d.entry.outcome !== 'ok' && d.entry.policy.ran_as.endsWith('app.user=\"eve\"')"

# What of the server's catalogue tells of no rows can still be read.
sql "$ada" "SELECT relname, relkind FROM pg_class WHERE relname = 'orders'" && [ "$(result 'd.structuredContent.rows.join()')" = orders,r ] || fail "pg_class"
sql "$ada" "SELECT row_to_json(c)->>'reltuples' FROM pg_class c WHERE relname = 'orders'" && [ "$(result 'd.structuredContent.rows[0][0]')" = null ] || fail "a count in a row as JSON"
call "$bob" entity_details '{"entities":[{"connectionId":"shop","table":"orders"}]}' && finds -E '"(rowCount|rows|estimatedRows)":[0-9]' "$out" && fail "details count the rows of all"

for who in nameless rootly less; do
	sql "${!who}" 'SELECT 1'
	finds -F scope_denied "$out" || fail "$who is served"
	call "${!who}" of_customer '{"like":"%"}'
	finds -F CANARY "$out" && fail "$who reads by a tool"
	call "${!who}" carrel_sql '{"sql":"SELECT customer FROM dataset_'"${dataset//-/_}"'"}'
	finds -F CANARY "$out" && fail "$who reads a dataset"
done

# --- a caller changes nothing of it ------------------------------------------------------------------
while IFS= read -r statement; do
	[ -n "$statement" ] || continue
	refused "$ada" "$statement"
done <<'SQL'
SELECT set_config('app.tenant', 'globex', true), customer FROM orders
SELECT pg_catalog.set_config('app.tenant', 'globex', false)
SELECT become('globex')
SELECT become_sql('globex'), * FROM orders
SELECT public.become_sql('globex')
SELECT ('globex').become
SELECT x.become_sql FROM (SELECT 'globex'::text) x
SELECT 'globex'::changer
SELECT CAST('globex' AS public.changer)
SELECT 'x' ===> 'globex'
SELECT 'x' OPERATOR(public.===>) 'globex'
SELECT become_all(t) FROM (VALUES ('globex')) v(t)
SELECT whose()
SELECT current_setting('app.tenant')
SELECT * FROM pg_settings WHERE name LIKE 'app.%'
SET app.tenant = 'globex'
SET LOCAL app.tenant TO 'globex'
SET ROLE us
SET LOCAL ROLE none
SET SESSION AUTHORIZATION DEFAULT
RESET ROLE
RESET app.tenant
RESET ALL
DISCARD ALL
BEGIN; SET app.tenant = 'globex'; SELECT * FROM orders
SELECT 1; SET app.tenant = 'globex'
DO $$ BEGIN PERFORM set_config('app.tenant', 'globex', false); END $$
CALL become('globex')
PREPARE p AS SELECT * FROM orders
EXECUTE p
DECLARE c CURSOR WITH HOLD FOR SELECT * FROM orders
FETCH ALL FROM c
SHOW app.tenant
SHOW role
EXPLAIN SELECT * FROM orders WHERE customer = 'CANARY-globex-1'
EXPLAIN (ANALYZE) SELECT * FROM orders
SELECT most_common_vals FROM pg_stats WHERE tablename = 'orders'
SELECT reltuples FROM pg_class WHERE relname = 'orders'
SELECT relpages FROM pg_catalog.pg_class c
SELECT c.relallvisible FROM U&"pg\005fclass" c
SELECT (c).relpartbound FROM pg_class c
SELECT n_live_tup FROM pg_stat_user_tables
SELECT seq_tup_read FROM pg_catalog.pg_stat_all_tables
SELECT * FROM pg_stat_sys_tables
SELECT * FROM pg_stat_user_indexes
SELECT * FROM pg_stat_xact_user_tables
SELECT heap_blks_read FROM "pg_statio_user_tables"
SELECT * FROM pg_statio_all_sequences
SELECT tup_returned FROM pg_stat_database
SELECT * FROM pg_statistic_ext_data
SELECT * FROM pg_stats_ext
SELECT pg_stat_get_live_tuples('orders'::regclass)
SELECT pg_relation_size('orders')
SELECT pg_size_pretty(pg_catalog.pg_table_size('orders'))
SELECT pg_total_relation_size(oid) FROM pg_namespace
SELECT pg_indexes_size('orders')
SELECT pg_database_size(current_database())
SELECT last_value FROM pg_sequences
SELECT max(ctid) FROM orders
SELECT (o).ctid FROM orders o
SELECT count(*) FROM orders WHERE o.ctid < '(1,1)'
SELECT query_to_xml('select set_config(''app.tenant'', ''globex'', false)', true, true, '')
SELECT * FROM query_to_xml('SELECT * FROM orders', true, false, '')
WITH x AS (SELECT set_config('role', 'us', false)) SELECT * FROM x, orders
SELECT * FROM orders WHERE set_config('app.tenant', tenant, true) = tenant
SELECT set_config(name, 'globex', true) FROM (VALUES ('app.tenant')) v(name)
COPY orders TO STDOUT
LOAD 'auto_explain'
ALTER ROLE reader SET app.tenant = 'globex'
SQL

# --- nothing stays ----------------------------------------------------------------------------------
for i in 1 2 3 4; do
	sql "$ada" "SELECT 1/0 FROM orders"
	( sql "$ada" "SELECT count(*) FROM orders a, orders b, orders c, orders d WHERE a.customer < b.customer || c.customer || d.customer" ) &
	slow=$!
	sleep 0.3
	case $i in
	1) for pid in $(sql_workers); do kill -9 "$pid" 2>/dev/null; done ;;
	2) kill $(pgrep -P "$slow") "$slow" 2>/dev/null ;;
	3) psql -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'" >/dev/null ;;
	4) psql -c "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'" >/dev/null ;;
	esac
	wait "$slow" 2>/dev/null
	for ((k = 0; k < 100; k++)); do
		sql "$bob" 'SELECT count(*), min(tenant), max(tenant), current_user FROM orders'
		finds -F '"isError":true' "$out" || break
		sleep 0.1
	done
	[ "$(result 'd.structuredContent.rows[0].join()')" = 100,globex,globex,us ] || fail "bob after $i"
	sql "$less" 'SELECT count(*) FROM orders'
	finds -F scope_denied "$out" || fail "a caller without a role is served after $i"
done
finish
