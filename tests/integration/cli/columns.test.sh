# The column policy through the whole system: scan, discovery, details, dictionary,
# semantic layer and SQL, and samples that were stored before there was one.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

mkdir -p "$scratch/p" && cd "$scratch/p" || exit 1
sqlite3 shop.db "CREATE TABLE customers(id INTEGER PRIMARY KEY, city TEXT, email TEXT, ssn TEXT, phone TEXT);
CREATE VIEW mails AS SELECT id, email AS address FROM customers;
INSERT INTO customers VALUES (1, 'Oslo', 'CANARY1@x', 'CANARY-1', '+47CANARY'), (2, 'Rome', 'CANARY2@x', 'CANARY-2', '+39CANARY');"
policy='{ hide: [customers.ssn], mask: [email], hash: ["customers.phone"] }'
write() { printf 'connections:\n  shop: { driver: sqlite, path: shop.db%s }\n' "$1" >carrel.yaml; }

clean() {
	grep -qF CANARY "$out" "$err" && fail "a protected value: $1"
}

# Without a policy everything is found, and stored.
write "" && run 0 scan --deep
run 0 values CANARY-1 && says '"ssn"'
run 0 discover ssn && says 'ssn'

# With one, what is stored from before is not shown.
write ", columns: $policy"
run 0 discover ssn && clean discover
grep -q '"columnName":"ssn"' "$out" && fail "a hidden column is discovered"
run 0 details customers && clean details && says '"name":"email"'
grep -q '"ssn"' "$out" && fail "a hidden column has details"
run 0 values CANARY-1 CANARY1@x Oslo
grep -q '"matches":\[{' "$out" && fail "stored samples of another policy are shown"

run 0 sl read customers && says '"email"'
grep -q 'ssn' "$out" && fail "a hidden column in a source"
run 1 sl query -d customers.ssn && complains "ssn"

policy_holds() {
	run 0 sql "SELECT * FROM customers" && clean "all columns" && says '"***"' && says '"phone"'
	grep -q '"ssn"' "$out" && fail "a hidden column in SELECT *"
	run 0 sql "SELECT * FROM mails" && clean "a view" && says '"***"'
	run 1 sql "SELECT ssn FROM customers" && complains "hidden" && one_sentence
	run 1 sql "SELECT id FROM customers WHERE email LIKE 'C%'" && complains "masked"
	run 1 sql "SELECT id FROM main.customers WHERE ssn LIKE 'C%'" && complains "ssn"
}
policy_holds

# A scan under the policy measures what may be seen, and nothing else.
run 0 scan --deep && clean scan
run 0 values Oslo && says '"city"'
run 0 values CANARY-1 CANARY1@x
grep -q '"matches":\[{' "$out" && fail "protected values were sampled"
newest=$(find raw-sources/shop/live-database -mindepth 1 -maxdepth 1 | sort | tail -n 1)
[ -n "$newest" ] && grep -rqF CANARY "$newest" && fail "a protected value in the scan's files"
grep -rqF '"ssn"' "$newest" && fail "a hidden column in the scan's files"
run 0 connection test && clean "connection test" && says '"matchNothing":[]'
run 1 connection grants shop && complains "SQLite" && one_sentence

# Another policy: samples are not shown until the next deep scan.
write ", columns: { hide: [customers.ssn], mask: [email], hash: [phone], scopes: { 'research:query': { hide: [customers.city] } } }"
run 0 values Oslo
grep -q '"matches":\[{' "$out" && fail "samples of another policy are shown"
run 1 sql "SELECT city FROM customers" && complains "hidden"

# A running daemon, and one that gets a new policy.
write "" && run 0 mcp start --port 0
run 0 sql "SELECT ssn FROM customers" && says CANARY-1
write ", columns: $policy"
kill -HUP "$(grep -o '"pid":[ ]*[0-9]*' .carrel/mcp.json | tr -dc 0-9)"
for _ in $(seq 1000); do
	"$carrel" --json sql "SELECT * FROM customers" >"$out" 2>"$err"
	grep -qF '***' "$out" && break
	sleep 0.1
done
policy_holds
run 0 mcp stop

# What is not understood is no policy at all: nothing is served.
write ", columns: { hides: [customers.ssn] }"
run 1 sql "SELECT 1" && complains "columns.hides"

# DuckDB, where the policy's database is called as the file: also where the file has a schema of that name.
if [ -e "$BIN_DIR/libduckdb.so" ]; then
	[ -e .carrel/mcp.json ] && run 0 mcp stop
	for file in main.duckdb sales.duckdb memory.duckdb carrel_file.duckdb; do
		echo "CREATE SCHEMA sales; CREATE SCHEMA carrel_file; CREATE TABLE people(id INTEGER, ssn TEXT);
		CREATE TABLE sales.people(id INTEGER, ssn TEXT); CREATE TABLE carrel_file.people(id INTEGER, ssn TEXT);
		INSERT INTO people VALUES (7, 'CANARY'); INSERT INTO sales.people VALUES (8, 'CANARY'); INSERT INTO carrel_file.people VALUES (9, 'CANARY');" |
			"$BIN_DIR/../tests/duckdb_client" "$BIN_DIR/libduckdb.so" made.db && mv made.db "$file" || fail "no $file"
		printf 'connections:\n  d: { driver: duckdb, path: %s, columns: { mask: [ssn] } }\n' "$file" >carrel.yaml
		for sql in "SELECT id, ssn FROM people" "SELECT id, ssn FROM main.people" "SELECT id, ssn FROM people"; do
			run 0 sql "$sql" && clean "$file: $sql" && says '[7,"***"]'
		done
	done
	printf 'id,ssn\n7,CANARY\n' >people.csv
	printf 'connections:\n  main: { driver: duckdb, files: [people.csv], columns: { mask: [ssn] } }\n' >carrel.yaml
	run 0 sql "SELECT id, ssn FROM people" && clean "files" && says '[7,"***"]'
	run 1 sql "SELECT CAST(ssn AS INTEGER) FROM people" && clean "a cast"
fi
finish
