# The same on MariaDB: views over variables that hold who asks.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

if [ -z "${MY_DIR:-}" ]; then
	exec bash "$SOURCE_DIR/tests/support/my.sh" run - env PATH="$PATH" bash "$0"
fi
. "$SOURCE_DIR/tests/integration/cli/identity_calls.sh"
odd=$'O\'Brien\n";DROP TABLE orders;--\\x'
"$SOURCE_DIR/tests/support/my.sh" mysql "$MY_DIR" 2>"$err" <<'SQL' || fail "no database"
CREATE DATABASE shop CHARACTER SET utf8mb4;
USE shop;
CREATE TABLE orders_all(id int PRIMARY KEY, tenant varchar(100) NOT NULL, customer varchar(200) NOT NULL);
INSERT INTO orders_all SELECT seq, ELT(1 + seq % 3, 'acme', 'globex', 'O\'Brien\n";DROP TABLE orders;--\\x'),
 CONCAT('CANARY-', ELT(1 + seq % 3, 'acme', 'globex', 'odd'), '-', seq) FROM seq_1_to_300;
CREATE FUNCTION app_tenant() RETURNS varchar(100) CHARSET utf8mb4 NOT DETERMINISTIC READS SQL DATA RETURN @app_tenant;
CREATE ALGORITHM = TEMPTABLE SQL SECURITY DEFINER VIEW orders AS SELECT id, tenant, customer FROM orders_all WHERE tenant = app_tenant() COLLATE utf8mb4_nopad_bin;
DELIMITER $$
CREATE FUNCTION become(t varchar(100)) RETURNS varchar(100) CHARSET utf8mb4 READS SQL DATA SQL SECURITY INVOKER
BEGIN SET @app_tenant = t; RETURN t; END$$
DELIMITER ;
CREATE USER reader IDENTIFIED BY 'secret';
GRANT SELECT, SHOW VIEW ON shop.orders TO reader;
GRANT EXECUTE ON FUNCTION shop.become TO reader;
GRANT EXECUTE ON FUNCTION shop.app_tenant TO reader;
SQL
SHOP_URL=$("$SOURCE_DIR/tests/support/my.sh" url "$MY_DIR" reader secret shop sslmode=disable) && export SHOP_URL
mkdir "$scratch/p" && cd "$scratch/p" || exit 1
cat >carrel.yaml <<'YAML'
connections:
  shop:
    driver: mysql
    url: env:SHOP_URL
    workers: 1
    identity: {settings: {app_tenant: "{claims.tenant}", app_user: "{user.name}"}, owner: {name: ops, claims: {tenant: acme}}}
  ownerless: {driver: mysql, url: env:SHOP_URL, workers: 1, identity: {settings: {app_tenant: "{claims.tenant}"}}}
  dotted: {driver: mysql, url: env:SHOP_URL, identity: {settings: {app.tenant: "{user.name}"}}}
  ours: {driver: mysql, url: env:SHOP_URL, identity: {settings: {carrel_1: "{user.name}"}}}
  roled: {driver: mysql, url: env:SHOP_URL, identity: {role: "{user.name}", roles: [eu]}}
limits: {sql_timeout_s: 5, export_rows: 5000}
connectivity: {enabled: true, requests_per_min: 10000, sql_per_min: 10000, global_per_min: 10000}
tools:
  - name: of_customer
    description: "Orders of a customer"
    connection: shop
    parameters: {like: {type: string, description: "Pattern"}}
    sql: "SELECT customer FROM orders WHERE customer LIKE :like ORDER BY id"
    scopes: []
YAML
run 0 mcp start --port 0
port=$(sed -E 's/.*"port": ?([0-9]+).*/\1/' .carrel/mcp.json)
run 1 sql -c dotted 'SELECT 1' && complains app_user
run 1 sql -c ours 'SELECT 1' && complains "Carrel's own"
run 1 sql -c roled 'SELECT 1' && complains "only PostgreSQL has database roles"
run 1 sql -c ownerless 'SELECT 1' && complains identity.owner
run 0 connection test shop && says '"settings":["app_tenant","app_user"]' && says '"weakened":null'
"$SOURCE_DIR/tests/support/my.sh" mysql "$MY_DIR" <<'SQL'
CREATE ALGORITHM = TEMPTABLE SQL SECURITY DEFINER VIEW shop.loose AS SELECT id FROM shop.orders_all WHERE tenant = shop.app_tenant();
GRANT SELECT, SHOW VIEW ON shop.loose TO reader;
SQL
run 0 connection test shop && says '"weakened":"1 views compare with a value of the caller by a collation' && says 'nopad_bin`: shop.loose'
"$SOURCE_DIR/tests/support/my.sh" mysql "$MY_DIR" <<<'DROP VIEW shop.loose'
run 0 scan shop --deep
newest=$(find raw-sources/shop/live-database -mindepth 1 -maxdepth 1 | sort | tail -n 1)
says no_neutral_identity
grep -rqF CANARY "$newest" && fail "a scan keeps values of a caller"
token ada user.name=ada tenant=acme
token bob user.name=bob tenant=globex
token eve user.name=eve "tenant=$odd"
token less user.name=x
# Search sees a scan a moment later.
for ((i = 0; i < 100; i++)); do "$carrel" --json details orders -c shop >/dev/null 2>&1 && break; sleep 0.1; done
run 0 dataset publish shop orders --name orders
dataset=$(get 'd.dataset.id')
for row in 'sql_execution {"connectionId":"shop","sql":"SELECT * FROM orders ORDER BY id"}' 'of_customer {"like":"CANARY%"}' \
    'carrel_sql {"sql":"SELECT customer FROM dataset_'"${dataset//-/_}"'"}' 'carrel_get_schema {"dataset_id":"'"$dataset"'"}'; do
	for who in ada:acme:globex bob:globex:acme ada:acme:globex; do
		IFS=: read -r name own other <<<"$who"
		call "${!name}" "${row%% *}" "${row#* }"
		finds -F "CANARY-$own-" "$out" || fail "$name: ${row%% *} shows no row of $own"
		finds -F "CANARY-$other-" "$out" && fail "$name: ${row%% *} shows rows of $other"
		[ "${row%% *}" = carrel_get_schema ] || file_shows "$name" "$own" "$other" eve "${row%% *}"
	done
done
sql "$eve" 'SELECT count(*) FROM orders' && [ "$(result 'd.structuredContent.rows[0][0]')" = 100 ] || fail "a value with quotes and a newline finds no rows"
sql "$less" 'SELECT 1' && finds -F scope_denied "$out" || fail "a caller without a tenant is served"
# No condition is tested on a row that is hidden: an error would tell its values.
sql "$ada" "SELECT id FROM orders WHERE 18446744073709551615 + (customer LIKE 'CANARY-globex%') > 0" &&
	[ "$(result 'd.structuredContent.rowCount')" = 100 ] || fail "a condition met hidden rows"
while IFS= read -r statement; do
	refused "$ada" "$statement"
done <<'SQL'
SELECT become('globex')
SELECT shop.become('globex'), o.* FROM orders o
SELECT o.* FROM orders o WHERE shop.become('globex') = 'globex'
SELECT @app_tenant := 'globex'
SELECT @app_tenant
SELECT 'globex' INTO @app_tenant
SET @app_tenant = 'globex'
SET STATEMENT max_statement_time = 1 FOR SELECT 1
SET ROLE NONE
SELECT shop.app_tenant()
EXPLAIN SELECT * FROM orders
SELECT * FROM shop.orders_all
SELECT /*!50000 @app_tenant := 'globex' */ 1
SELECT * FROM information_schema.USER_VARIABLES
SELECT TABLE_ROWS FROM information_schema.TABLES
SELECT * FROM information_schema.statistics
SELECT TABLE_ROWS FROM information_schema.PARTITIONS
SHOW TABLE STATUS
SHOW INDEX FROM orders
SHOW CREATE TABLE orders
BEGIN NOT ATOMIC SET @app_tenant = 'globex'; END
PREPARE p FROM 'SELECT 1'
EXECUTE IMMEDIATE 'SET @app_tenant = 1'
CALL become('globex')
HANDLER orders OPEN
SQL
for i in 1 2 3; do
	( sql "$ada" "SELECT count(*) FROM orders a, orders b, orders c, orders d, orders e WHERE a.customer < concat(b.customer, c.customer, d.customer, e.customer)" ) &
	slow=$!
	sleep 0.3
	case $i in
	1) for pid in $(sql_workers); do kill -9 "$pid" 2>/dev/null; done ;;
	2) kill $(pgrep -P "$slow") "$slow" 2>/dev/null ;;
	3) "$SOURCE_DIR/tests/support/my.sh" mysql "$MY_DIR" -N -e "SELECT id FROM information_schema.processlist WHERE user = 'reader' AND info LIKE 'SELECT%'" |
		while read -r id; do "$SOURCE_DIR/tests/support/my.sh" mysql "$MY_DIR" -e "KILL QUERY $id" 2>/dev/null; done ;;
	esac
	wait "$slow" 2>/dev/null
	for ((k = 0; k < 100; k++)); do
		sql "$bob" 'SELECT count(*), min(tenant), max(tenant) FROM orders'
		finds -F '"isError":true' "$out" || break
		sleep 0.1
	done
	[ "$(result 'd.structuredContent.rows[0].join()')" = 100,globex,globex ] || fail "bob after $i"
	sql "$less" 'SELECT count(*) FROM orders' && finds -F scope_denied "$out" || fail "a caller without a tenant is served after $i"
done
finish
