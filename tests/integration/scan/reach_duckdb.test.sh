# Schemas of a DuckDB file: `main` when none is named, those that are left out are named, and taken by the same options as
# PostgreSQL's.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

library=$BIN_DIR/libduckdb.so
[ -e "$library" ] || { echo "left out: libduckdb.so is not in the directory of the programs"; exit 77; }
run 0 init "$scratch/p" && cd "$scratch/p" || exit 1
"$BIN_DIR/../tests/duckdb_client" "$library" shop.duckdb <<'SQL'
CREATE TABLE orders AS SELECT 1 AS id;
CREATE SCHEMA billing; CREATE TABLE billing.bills AS SELECT 1 AS id; CREATE VIEW billing.open_bills AS SELECT 1 AS id;
CREATE SCHEMA clinic; CREATE TABLE clinic.visits AS SELECT 1 AS id;
CREATE SCHEMA empty;
SQL
in_file() { grep -qF "$1" carrel.yaml || fail "carrel.yaml lacks $1: $(cat carrel.yaml)"; }

run 0 connection add d --path shop.duckdb
run 0 connection test d && says '"tables":1' && says '"otherTables":3,"otherSchemas":["billing","clinic"]'
run 0 scan d && says '"tables":1' && says '3 tables in billing, clinic are not served: `carrel scan d --all-schemas`'
run 0 scan d --all-schemas && says '"tables":3' && says '"views":1' && in_file 'schemas: [main, billing, clinic]'
grep -q 'not served' "$out" && fail "something is said to be left out"
run 0 details billing.bills clinic.visits
run 0 connection edit d --path shop.duckdb --schemas empty && in_file 'schemas: [empty]'
run 1 scan d && complains 'the schemas that are served hold no tables'
run 0 connection edit d --path shop.duckdb && ! grep -q schemas carrel.yaml || fail "schemas are left: $(cat carrel.yaml)"
run 0 connection add e --path shop.duckdb --schema clinic --schema main && in_file 'schemas: [clinic, main]'
run 0 connection add f --path shop.duckdb --all-schemas
run 0 scan f && says '"tables":3'
run 2 connection add g --driver sqlite --path shop.db --schema a && complains 'nothing of a server'
finish
