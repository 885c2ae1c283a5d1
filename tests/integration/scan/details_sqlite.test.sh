# Indexes, defaults, generated columns, checks and the definitions of views of an SQLite file in
# `details`, and nothing of them that a column policy keeps back.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"
command -v sqlite3 >/dev/null || exit 77

mkdir "$scratch/p"
sqlite3 "$scratch/p/shop.db" <<'END'
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, email TEXT UNIQUE, ssn TEXT, tier "ENUM('gold', 'lead')", kind "ENUM('person', 'firm')");
CREATE TABLE orders (customer_id INT REFERENCES customers, no INT, status TEXT, total REAL, PRIMARY KEY (customer_id, no)) WITHOUT ROWID;
CREATE INDEX by_name ON customers (name);
CREATE INDEX by_lower ON customers (name, lower(email));
CREATE INDEX by_ssn ON customers (name, ssn);
CREATE INDEX gold_only ON customers (name) WHERE tier = 'gold';
CREATE INDEX "odd ""one""" ON orders (total DESC, status COLLATE NOCASE);
CREATE UNIQUE INDEX one_open ON orders (customer_id) WHERE status = 'open';
CREATE TABLE "odd, (one)" (id INTEGER PRIMARY KEY AUTOINCREMENT, "a, CHECK (1" TEXT DEFAULT 'x, ''y'''
	CHECK ("a, CHECK (1" <> ')'), n DECIMAL(10, 2) NOT NULL DEFAULT (1 + 2), secret TEXT DEFAULT 'hush'
	CHECK (secret <> 'hush hush'), CHECK (n > 0)
	CONSTRAINT "is ""ok""" CHECK (n < 9 AND (id > 0)), CONSTRAINT length CHECK (length(secret) > 4));
ALTER TABLE "odd, (one)" ADD COLUMN twice AS (n * 2) /* as (n) */ CHECK (twice > 1);
ALTER TABLE "odd, (one)" ADD COLUMN whisper GENERATED ALWAYS AS (lower(secret)) CHECK (whisper <> 'psst');
CREATE TABLE deals (ssn TEXT, no INT, PRIMARY KEY (ssn, no));
CREATE TABLE dues (id INTEGER PRIMARY KEY, ssn TEXT, no INT, at INT, FOREIGN KEY (ssn, no) REFERENCES deals (ssn, no));
CREATE VIRTUAL TABLE boxes USING fts5 (a, "check (a)");
CREATE VIEW open_orders AS SELECT * FROM orders WHERE status = 'open'; -- what waits
CREATE VIEW boss AS SELECT name FROM customers WHERE email = 'boss@example.com';
CREATE VIEW upon_boss (who) AS SELECT name FROM boss;
CREATE VIEW named AS SELECT id, name FROM customers;
CREATE VIEW sleeping AS WITH unused AS (SELECT * FROM customers WHERE ssn = '111-22-3333') SELECT 1 AS one;
CREATE VIEW mails AS SELECT lower(email) AS l FROM customers;
CREATE VIEW upon_mails AS SELECT 1 AS one FROM mails WHERE l = 'boss@example.com';
CREATE VIEW counted AS SELECT count(*) AS n FROM customers;
END
project() { printf 'connections:\n  shop: {driver: sqlite, path: shop.db%s}\nserver: {port: 0}\n' "$1" >"$scratch/p/carrel.yaml"; }
details() { run 0 -C "$scratch/p" details "$@"; }
lacks() { ! grep -qF -- "$1" "$out" || fail "$1 is told: $(cat "$out")"; }

project ''
run 0 -C "$scratch/p" scan
details customers
says '{"name":"by_name","columns":["name"],"unique":false}' &&
	says '{"name":"by_lower","columns":["name",null],"unique":false,"definition":"CREATE INDEX by_lower ON customers (name, lower(email))"}' &&
	says '"columns":["name"],"unique":false,"definition":"CREATE INDEX gold_only' &&
	says '{"name":"sqlite_autoindex_customers_1","columns":["email"],"unique":true}' && says "ENUM('gold', 'lead')\",\"normalizedType\":\"enum\""
details orders
says '"columns":["customer_id","no"],"unique":true,"primary":true}' && says '"name":"odd \"one\"","columns":["total","status"]' &&
	says '"definition":"CREATE UNIQUE INDEX one_open'
details open_orders boss
says '"definition":"CREATE VIEW open_orders AS SELECT * FROM orders WHERE status = ' && says 'boss@example.com'
details 'odd, (one)' boxes
says '"description":null,"identity":"by default"}' && says "\"default\":\"'x, ''y'''\"" && says '"default":"1 + 2"' &&
	says '"generated":"n * 2"' && says '"generated":"lower(secret)"' &&
	says "\"checks\":[{\"expression\":\"\\\"a, CHECK (1\\\" <> ')'\"}" &&
	says "{\"expression\":\"secret <> 'hush hush'\"},{\"expression\":\"twice > 1\"}" &&
	says "{\"expression\":\"whisper <> 'psst'\"},{\"expression\":\"n > 0\"}" && says "{\"name\":\"is \\\"ok\\\"\",\"expression\":\"n < 9 AND (id > 0)\"}" &&
	says ",{\"name\":\"length\",\"expression\":\"length(secret) > 4\"}]"
run_tty "$carrel" -C "$scratch/p" details customers open_orders 'odd, (one)'
says 'generated as n * 2' && says 'is "ok": n < 9' && says 'identity by default'
says 'by_name (name)' && says 'by_lower: CREATE INDEX by_lower' && says 'CREATE VIEW open_orders'

# The scan is older than the policy: nothing of it is trusted, and what to do is said.
project ', columns: {mask: [customers.email, customers.tier, "*.secret"], hide: ["*.ssn"]}'
details deals dues
lacks toTable && lacks constraintName && says '"name":"no"' &&
	[ "$(grep -o '"primaryKey":true' "$out" | wc -l)" -eq 1 ] || fail "a part of a key is told: $(cat "$out")"
details customers boss
lacks boss@ && lacks by_lower && lacks by_ssn && lacks '"indexes"' && says 'carrel scan shop'
lacks '"definition"'
details 'odd, (one)'
for gone in '"default"' '"generated"' '"identity"' '"checks"'; do lacks "$gone"; done

run 0 -C "$scratch/p" scan
details 'odd, (one)'
says '"default":"1 + 2"' && says '"generated":"n * 2"' && says '"identity"' &&
	says '"checks":[{"expression":"\"a, CHECK' && says '{"expression":"twice > 1"},{"expression":"n > 0"}'
for gone in hush psst 'lower(secret)' 'length('; do lacks "$gone"; done
details customers
says '"name":"by_name"' && says '"columns":["email"],"unique":true}' && lacks by_lower && lacks by_ssn && lacks gold && lacks carrel\ scan &&
	says "ENUM('person', 'firm')" && lacks lead
for view in boss upon_boss sleeping mails upon_mails; do
	"$carrel" --json -C "$scratch/p" details $view >"$out" 2>/dev/null
	lacks '"definition"'
	lacks boss@
	lacks 111-22
done
details open_orders named counted
says 'CREATE VIEW open_orders' && says 'CREATE VIEW named' && says 'CREATE VIEW counted'
# Not in the files either, which are committed.
grep -rqE "boss@|111-22|gold|by_ssn|hush|psst|lower\(secret" "$scratch/p/raw-sources/shop/live-database/$(ls "$scratch/p/raw-sources/shop/live-database" | tail -1)" &&
	fail "what is protected stands in the scan"

# Without the policy the same scan shows what it has and says that there may be more.
project ''
details customers
says '"name":"by_name"' && says 'carrel scan shop'

# A statement of any length, and more indexes than anybody reads, are cut down.
{
	echo "CREATE VIEW long_one AS SELECT '$(seq -s x 1 3000)' AS one;"
	echo 'CREATE TABLE much (a, b);'
	for i in $(seq 1 90); do printf "CREATE INDEX much_%s ON much (a) WHERE b <> '%s';\n" "$i" "$(printf 'y%.0s' $(seq 1 3000))"; done
} | sqlite3 "$scratch/p/shop.db"
run 0 -C "$scratch/p" scan
says 'much has more labels, indexes, checks, partitions or text than a scan keeps'
details long_one much
[ "$(stat -c %s "$out")" -lt 200000 ] || fail "$(stat -c %s "$out") bytes for two tables"
says ' …"'
finish
