# What a deep scan infers about an SQLite file without declared keys, what sl_query makes of it, and what is not read again.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"
command -v sqlite3 >/dev/null || exit 77

mkdir "$scratch/p"
sqlite3 "$scratch/p/shop.db" <<'END'
CREATE TABLE customers (id INTEGER PRIMARY KEY, customer_no TEXT, name TEXT);
CREATE TABLE employees (id INTEGER PRIMARY KEY, manager_id INT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INT, customer_no TEXT, ghost_id INT, amount INT);
CREATE TABLE order_items (order_id INT, line_no INT, qty INT, PRIMARY KEY (order_id, line_no));
CREATE TABLE shipments (id INTEGER PRIMARY KEY, order_id INT, line_no INT);
CREATE TABLE ghosts (id INTEGER PRIMARY KEY);
CREATE TABLE KUNDE (KD_NR INT PRIMARY KEY, NAME TEXT);
CREATE TABLE AUFTRAG (AUFNR INT PRIMARY KEY, KD_NR INT);
WITH RECURSIVE i (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 300)
INSERT INTO customers SELECT n, 'C' || n, 'name ' || n FROM i;
INSERT INTO employees SELECT id, nullif(id / 10, 0) FROM customers WHERE id < 100;
INSERT INTO orders SELECT id, id % 200 + 1, 'C' || (id % 100 + 1), 100000 + id, 7 FROM customers;
INSERT INTO order_items SELECT id, 1, 2 FROM orders UNION ALL SELECT id, 2, 5 FROM orders;
INSERT INTO shipments SELECT id, id, 1 + id % 2 FROM orders;
INSERT INTO ghosts SELECT id FROM customers;
INSERT INTO KUNDE SELECT id + 5000, 'k' FROM customers;
INSERT INTO AUFTRAG SELECT id, 5001 + id % 250 FROM customers;
END
printf 'connections:\n  shop: {driver: sqlite, path: shop.db}\n' >"$scratch/p/carrel.yaml"

run 0 -C "$scratch/p" scan --deep && says '"tablesReused":0'
enrichment=$(echo "$scratch"/p/raw-sources/shop/live-database/*/enrichment)
expected="accepted AUFTRAG.(KD_NR)->KUNDE.(KD_NR) selected
accepted employees.(manager_id)->employees.(id) selected
accepted order_items.(order_id)->orders.(id) selected
accepted orders.(customer_id)->customers.(id) selected
accepted orders.(customer_no)->customers.(customer_no) parallel
accepted shipments.(order_id,line_no)->order_items.(order_id,line_no) selected
rejected orders.(ghost_id)->ghosts.(id) not_selected"
got=$(node -e 'const r = JSON.parse(require("fs").readFileSync(process.argv[1]));
	for (const list of ["accepted", "review", "rejected"])
		for (const e of r[list]) {
			if (e.status !== list || e.source !== "inferred" || !e.evidence || e.from.columns.length !== e.to.columns.length)
				throw new Error(JSON.stringify(e));
			console.log(list, e.id, e.graph.resolution);
		}' "$enrichment/relationships.json")
[ "$got" = "$expected" ] || fail "relationships: $got"
grep -q '"accepted": 6' "$enrichment/relationship-diagnostics.json" || fail "no diagnostics"

# They are joins of the semantic layer, each way once and a table's with itself once, and a query runs over them.
manifest=$scratch/p/semantic-layer/shop/_schema/public.yaml
[ "$(grep -c 'source: inferred' "$manifest")" -eq 9 ] || fail "joins: $(grep -c 'source: inferred' "$manifest")"
run 0 -C "$scratch/p" sl query --connection shop --measure 'sum(orders.amount)' --dimension customers.name --limit 1 && says '"rows":'
# What people wrote into the manifest stays, and an inferred join does not stand beside another way.
sed -i 's/source: inferred/source: manual/; s/orders.customer_id = customers.id/orders.customer_no = customers.customer_no/' "$manifest"
run 0 -C "$scratch/p" scan --deep
grep -q 'orders.customer_id = customers.id' "$manifest" && fail "a second way between orders and customers"

# The same file again: nothing is read, nothing written; a change is seen.
run 0 -C "$scratch/p" scan --deep && says '"changed":false' && says '"tablesReused":8'
sqlite3 "$scratch/p/shop.db" "UPDATE orders SET ghost_id = id"
run 0 -C "$scratch/p" scan --deep && says '"changed":true' && says '"tablesReused":0' && says '"accepted":7'

# What names leave open the values decide: the nearest of several tables that hold them all.  Where neither does, a
# person is asked; generated numbers are in every table.
mkdir "$scratch/n"
sqlite3 "$scratch/n/n.db" <<'END'
CREATE TABLE entity (entityid INT PRIMARY KEY);
CREATE TABLE person (entityid INT PRIMARY KEY, name TEXT);
CREATE TABLE badge (entityid INT PRIMARY KEY, code TEXT);
CREATE TABLE phone (entityid INT, digits TEXT);
CREATE TABLE company_name (id INT PRIMARY KEY);
CREATE TABLE company_type (id INT PRIMARY KEY);
CREATE TABLE vendor (entityid INT PRIMARY KEY, name TEXT);
CREATE TABLE offer (entityid INT, price INT);
CREATE TABLE deal (company_id INT, kind TEXT);
CREATE TABLE account (custno INT, name TEXT);
CREATE TABLE saving (custno INT, amount INT);
CREATE TABLE batch_one (id INT PRIMARY KEY);
CREATE TABLE batch_two (id INT PRIMARY KEY);
CREATE TABLE load (batch_id INT, at TEXT);
CREATE TABLE visit (personid INT, day TEXT);
CREATE TABLE manager (entityid INT PRIMARY KEY, title TEXT);
CREATE TABLE part (partid INT PRIMARY KEY);
CREATE TABLE shop (shopid INT PRIMARY KEY);
CREATE TABLE stock (partid INT, shopid INT, amount INT, PRIMARY KEY (partid, shopid));
CREATE TABLE sale (partid INT, shopid INT, day TEXT);
CREATE TABLE wish (partid INT, shopid INT, day TEXT);
CREATE TABLE idle (partid INT, note TEXT);
CREATE TABLE boxes (id INTEGER PRIMARY KEY, width INT);
CREATE TABLE boxs (id INTEGER PRIMARY KEY, height INT);
CREATE TABLE tag (box_id INT, note TEXT);
CREATE TABLE sale_2023 (partid INT, shopid INT, day TEXT);
WITH RECURSIVE i (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 300) INSERT INTO entity SELECT n FROM i;
INSERT INTO person SELECT entityid, 'p' FROM entity WHERE entityid % 3 > 0;
INSERT INTO phone SELECT entityid, 'd' FROM person UNION ALL SELECT entityid, 'e' FROM person;
INSERT INTO vendor SELECT entityid, 'v' FROM entity WHERE entityid < 99;
INSERT INTO offer SELECT entityid, 7 FROM vendor UNION ALL SELECT entityid, 8 FROM vendor;
INSERT INTO badge SELECT entityid, 'b' FROM person;
INSERT INTO company_name SELECT entityid FROM entity;
INSERT INTO company_type SELECT entityid FROM entity WHERE entityid < 5;
INSERT INTO deal SELECT 1 + entityid % 90, 'k' FROM entity;
INSERT INTO account SELECT entityid, 'a' FROM entity;
INSERT INTO saving SELECT entityid, 7 FROM entity;
INSERT INTO batch_one SELECT entityid FROM entity;
INSERT INTO batch_two SELECT entityid FROM entity;
INSERT INTO load SELECT entityid % 50 + 1, 't' FROM entity;
INSERT INTO visit SELECT entityid, 'd' FROM person UNION ALL SELECT entityid, 'd' FROM person WHERE entityid < 9;
INSERT INTO manager SELECT entityid, 'm' FROM person WHERE entityid % 5 = 1;
INSERT INTO part SELECT entityid + 9000 FROM entity;
INSERT INTO shop SELECT entityid + 7000 FROM entity WHERE entityid < 40;
INSERT INTO stock SELECT partid, 7001 + partid % 39, 5 FROM part;
INSERT INTO sale SELECT partid, shopid, 'd' FROM stock WHERE partid % 3 > 0;
INSERT INTO sale_2023 SELECT partid, shopid, 'd' FROM stock WHERE partid % 9 = 1;
INSERT INTO wish SELECT partid, iif(partid % 2 = 0, shopid, NULL), 'd' FROM stock;
END
printf 'connections:\n  n: {driver: sqlite, path: n.db}\n' >"$scratch/n/carrel.yaml"
run 0 -C "$scratch/n" scan --deep
got=$(node -e 'const r = JSON.parse(require("fs").readFileSync(process.argv[1]));
	for (const list of ["accepted", "review"]) for (const e of r[list]) console.log(list, e.id, e.reasons[0])' \
	"$scratch"/n/raw-sources/n/live-database/*/enrichment/relationships.json)
expected="accepted badge.(entityid)->person.(entityid) values_found
accepted deal.(company_id)->company_name.(id) values_found
accepted idle.(partid)->part.(partid) no_values_but_names_agree
accepted manager.(entityid)->person.(entityid) values_found
accepted offer.(entityid)->vendor.(entityid) values_found
accepted person.(entityid)->entity.(entityid) values_found
accepted phone.(entityid)->person.(entityid) values_found
accepted sale.(partid,shopid)->stock.(partid,shopid) values_found
accepted sale_2023.(partid,shopid)->stock.(partid,shopid) values_found
accepted stock.(partid)->part.(partid) values_found
accepted stock.(shopid)->shop.(shopid) values_found
accepted vendor.(entityid)->entity.(entityid) values_found
accepted visit.(personid)->person.(entityid) values_found
accepted wish.(partid)->part.(partid) values_found
accepted wish.(partid,shopid)->stock.(partid,shopid) values_found
review account.(custno)->saving.(custno) key_of_both
review load.(batch_id)->batch_one.(id) several_targets
review load.(batch_id)->batch_two.(id) several_targets
review saving.(custno)->account.(custno) key_of_both
review tag.(box_id)->boxes.(id) no_values_to_check
review tag.(box_id)->boxs.(id) no_values_to_check"
[ "$got" = "$expected" ] || fail "relationships by their values: $got"

# Under another column policy nothing is taken over, and nothing of before stays remembered.
grep -q 'name 1' "$scratch"/p/.carrel/memory/scans/shop*.recall || fail "nothing is remembered"
printf 'connections:\n  shop: {driver: sqlite, path: shop.db, columns: {mask: ["customers.name"]}}\n' >"$scratch/p/carrel.yaml"
run 0 -C "$scratch/p" scan --deep && says '"changed":true' && says '"tablesReused":0'
grep -q 'name 1' "$(ls -d "$scratch"/p/raw-sources/shop/live-database/* | tail -n 1)/enrichment/relationship-profile.json" && fail "a masked value was sampled"
grep -q 'name 1' "$scratch"/p/.carrel/memory/scans/shop*.recall && fail "a masked value is remembered"
finish
