# Relationships of a PostgreSQL database that nobody declared: types that are alike, odd names, what may not be read.
if [ -z "${PG_DIR:-}" ]; then
	command -v psql >/dev/null || exit 77
	exec "$SOURCE_DIR/tests/support/pg.sh" run - env PATH="$PATH" bash "$0"
fi
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

"$SOURCE_DIR/tests/support/pg.sh" psql "$PG_DIR" >/dev/null <<'END'
CREATE ROLE reader LOGIN PASSWORD 'secret';
CREATE DOMAIN sku AS varchar(20);
CREATE SCHEMA a; CREATE SCHEMA b;
CREATE TABLE a.accounts (id uuid PRIMARY KEY, name text);
CREATE TABLE a.products (sku sku PRIMARY KEY, title text);
CREATE TABLE a."Order Lines" ("accountId" uuid, sku text, "product_sku" varchar(30), n numeric, closed_account_id uuid);
CREATE TABLE a.sessions (id bigint PRIMARY KEY, account_id uuid, parent_id numeric);
CREATE TABLE a.secrets (id int PRIMARY KEY, account_id uuid);
CREATE TABLE b.accounts (id uuid PRIMARY KEY);
CREATE TABLE b.visits (id int PRIMARY KEY, account_id uuid);
CREATE TABLE a.department (DepartmentID int, name text);
CREATE TABLE a.employee (EmployeeNo int, DepartmentID int);
CREATE TABLE a.area (id int PRIMARY KEY);
CREATE TABLE a.country_area (area int PRIMARY KEY);
CREATE TABLE a.area_alias (id int PRIMARY KEY, area int);
CREATE TABLE a.medium (id int, name text);
CREATE TABLE a.alternative_medium (id int, medium int);
CREATE TABLE a.countries (code char(2) PRIMARY KEY);
CREATE TABLE a.addresses (id int PRIMARY KEY, country_code text, declared_id uuid REFERENCES a.accounts);
INSERT INTO a.accounts SELECT ('00000000-0000-0000-0000-' || lpad(g::text, 12, '0'))::uuid, 'n' FROM generate_series(1, 200) g;
INSERT INTO b.accounts SELECT ('00000000-0000-0000-0001-' || lpad(g::text, 12, '0'))::uuid FROM generate_series(1, 50) g;
INSERT INTO a.products SELECT 'P-' || g FROM generate_series(1, 80) g;
INSERT INTO a."Order Lines" SELECT ('00000000-0000-0000-0000-' || lpad((g % 200 + 1)::text, 12, '0'))::uuid, 'P-' || (g % 80 + 1),
	'P-' || (g % 70 + 1), g, NULL FROM generate_series(1, 900) g;
INSERT INTO a.sessions SELECT g, ('00000000-0000-0000-0000-' || lpad((g % 200 + 1)::text, 12, '0'))::uuid, nullif(g / 2, 0)
	FROM generate_series(1, 300) g;
INSERT INTO a.secrets SELECT g, ('00000000-0000-0000-0000-' || lpad(g::text, 12, '0'))::uuid FROM generate_series(1, 9) g;
INSERT INTO b.visits SELECT g, ('00000000-0000-0000-0001-' || lpad((g % 50 + 1)::text, 12, '0'))::uuid FROM generate_series(1, 99) g;
INSERT INTO a.countries VALUES ('DE'), ('AT'), ('CH');
INSERT INTO a.addresses SELECT g, (ARRAY['DE', 'AT'])[g % 2 + 1] FROM generate_series(1, 60) g;
INSERT INTO a.department SELECT g, 'd' FROM generate_series(1, 20) g;
INSERT INTO a.employee SELECT g + 1000, 1 + (g * 37) % 20 FROM generate_series(1, 150) g;
INSERT INTO a.area SELECT g FROM generate_series(1, 200) g;
INSERT INTO a.country_area SELECT g FROM generate_series(1, 200) g;
INSERT INTO a.area_alias SELECT g, 1 + (g * 37) % 190 FROM generate_series(1, 150) g;
INSERT INTO a.medium SELECT g, 'm' FROM generate_series(1, 200) g;
INSERT INTO a.alternative_medium SELECT g, 1 + (g * 37) % 150 FROM generate_series(1, 150) g;
GRANT USAGE ON SCHEMA a, b TO reader;
GRANT SELECT ON ALL TABLES IN SCHEMA a, b TO reader;
REVOKE SELECT ON a.secrets FROM reader;
END
DB_URL=$("$SOURCE_DIR/tests/support/pg.sh" dsn "$PG_DIR" reader secret postgres sslmode=disable)
export DB_URL
mkdir "$scratch/p"
printf 'connections:\n  pg: {driver: postgres, url: env:DB_URL, schemas: [a, b], workers: 4}\n' >"$scratch/p/carrel.yaml"
run 0 -C "$scratch/p" scan --deep
got=$(node -e 'const r = JSON.parse(require("fs").readFileSync(process.argv[1]));
	for (const e of r.accepted) console.log(e.source, e.id)' "$scratch"/p/raw-sources/pg/live-database/*/enrichment/relationships.json)
expected='inferred a.Order Lines.(accountId)->a.accounts.(id)
inferred a.Order Lines.(product_sku)->a.products.(sku)
inferred a.Order Lines.(sku)->a.products.(sku)
inferred a.addresses.(country_code)->a.countries.(code)
formal a.addresses.(declared_id)->a.accounts.(id)
inferred a.alternative_medium.(medium)->a.medium.(id)
inferred a.area_alias.(area)->a.area.(id)
inferred a.country_area.(area)->a.area.(id)
inferred a.employee.(departmentid)->a.department.(departmentid)
inferred a.sessions.(account_id)->a.accounts.(id)
inferred a.sessions.(parent_id)->a.sessions.(id)
inferred b.visits.(account_id)->b.accounts.(id)'
[ "$got" = "$expected" ] || fail "relationships: $got"
# The same with another number of workers: nothing hangs on which answer comes first.
run 0 -C "$scratch/p" scan --deep && says '"changed":false'
sed -i 's/workers: 4/workers: 2/' "$scratch/p/carrel.yaml"
rm -r "$scratch/p/.carrel/memory/scans"
run 0 -C "$scratch/p" scan --deep && says '"changed":false' && says '"tablesReused":0'
finish
