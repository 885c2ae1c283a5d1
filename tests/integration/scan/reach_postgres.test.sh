# What of a PostgreSQL database is served and what the account may read of it is told, and can be changed with one word.
if [ -z "${PG_DIR:-}" ]; then
	command -v psql >/dev/null || exit 77
	exec "$SOURCE_DIR/tests/support/pg.sh" run - env PATH="$PATH" bash "$0"
fi
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

sql() { "$SOURCE_DIR/tests/support/pg.sh" psql "$PG_DIR" >/dev/null 2>&1; }
sql <<'SQL'
CREATE ROLE reader LOGIN PASSWORD 'secret';
CREATE ROLE nobody_much LOGIN PASSWORD 'secret';
CREATE SCHEMA clinic; CREATE SCHEMA billing; CREATE SCHEMA "Odd, one"; CREATE SCHEMA empty;
CREATE TYPE clinic.visit_kind AS ENUM ('first', 'control');
CREATE DOMAIN clinic.short AS clinic.visit_kind;
CREATE TABLE public.places (id int PRIMARY KEY, kinds clinic.visit_kind[]);
CREATE TABLE clinic.visits (id int PRIMARY KEY, kind clinic.visit_kind, s clinic.short, secret_note text, for_boss text);
CREATE TABLE billing.bills (id int PRIMARY KEY, n numeric(10,2));
CREATE TABLE "Odd, one".t (id int);
GRANT USAGE ON SCHEMA clinic, billing, "Odd, one" TO reader;
GRANT SELECT ON ALL TABLES IN SCHEMA public, clinic, billing, "Odd, one" TO reader;
SQL
dsn() { "$SOURCE_DIR/tests/support/pg.sh" dsn "$PG_DIR" "$1" secret postgres sslmode=disable; }
DB_URL=$(dsn reader)
export DB_URL
in_file() { grep -qF "$1" "$scratch/p/carrel.yaml" || fail "carrel.yaml lacks $1: $(cat "$scratch/p/carrel.yaml")"; }

"$carrel" init "$scratch/p" >/dev/null
cd "$scratch/p" || exit 1
printf '# mine\nconnections:\n  h:\n    driver: postgres\n    url: env:DB_URL   # ours\n' >carrel.yaml
run 0 connection test h && says '"otherTables":3' && says '"otherSchemas":["Odd, one","billing","clinic"]' && says '"readable":1'
run 0 scan h && says '3 tables in Odd, one, billing, clinic are not served' && says 'carrel scan h --all-schemas'
run 0 status && says '"leftOut":"3 tables in Odd, one, billing, clinic are not served: `carrel scan h --all-schemas` takes them'
run_as 0 status && says 'h: the last scan left something out; `carrel doctor` says what'
run_as 0 scan h && complains 'as before; `carrel doctor` says what' # once
grep -q 'are not served' "$err" && fail "a note is said again"
"$carrel" doctor >"$out" 2>&1
says 'the last scan left something out' && says 'billing, clinic are not served' && says 'expect_partial: true'
cp carrel.yaml plain.yaml && sed -i 's/driver: postgres/&\n    expect_partial: true/' carrel.yaml
run_as 0 scan h && is_quiet
run_as 0 status && ! grep -q 'not take everything' "$out" || fail "status repeats what is expected"
run 0 status && says '"leftOut":null'
"$carrel" doctor >"$out" 2>&1
! grep -q 'not take everything' "$out" || fail "doctor repeats what is expected"
mv plain.yaml carrel.yaml
run 2 scan h --schemas public, && one_sentence
run 2 scan h --schemas public --all-schemas && one_sentence
run 0 scan h --schemas public,clinic && says '"tables":2' && says '2 tables in Odd, one, billing are not served'
in_file '# ours' && in_file '# mine'
run 0 scan h --all-schemas && says '"tables":4'
grep -q 'not served' "$out" && fail "something is said to be left out"
run 0 status && says '"leftOut":null'
run 0 details clinic.visits billing.bills && says '"nativeType":"clinic.visit_kind"' && says '"nativeType":"clinic.short"' &&
	says '"nativeType":"numeric(10,2)","normalizedType":"decimal"'
run 0 details places && says '"nativeType":"clinic.visit_kind[]","normalizedType":"array"'
run 0 connection edit h --schemas billing && is_quiet
run 0 scan h && says '"tables":1'
run 0 connection edit h --all-schemas
run 0 scan h && says '"tables":4'
run 0 connection add second --url env:DB_URL --all-schemas
run 0 scan second && says '"tables":4'
run 0 connection remove second

# Nothing in the schemas that are served: no scan of nothing.
run 0 connection edit h --schemas empty
run 1 scan h && complains 'are not served' && complains 'carrel scan h --all-schemas'
run 0 scan h --all-schemas

# What an account sees less of is named the same, and is no change.
sql <<'SQL'
REVOKE USAGE ON SCHEMA clinic FROM reader;
SQL
run 0 scan h --deep && says 'the account can read 3 of 4 tables and views: it has no SELECT on clinic.visits; '
[ "$(grep -o 'permission denied' "$out" | wc -l)" = 0 ] || fail "a refusal is told raw: $(cat "$out")"
run 0 details clinic.visits && says '"nativeType":"clinic.visit_kind"'
run 0 status && says '"leftOut":"the account can read 3 of 4 tables and views'
sql <<'SQL'
GRANT USAGE ON SCHEMA clinic TO reader;
SQL

# Hidden for somebody is hidden in what is kept for all.
printf 'connections:\n  h:\n    driver: postgres\n    url: env:DB_URL\n    schemas: [public, clinic]\n    columns:\n      hide: [clinic.visits.secret_note]\n      scopes:\n        "ext:sql":\n          hide: [clinic.visits.for_boss]\n' >carrel.yaml
run 0 scan h
grep -rq 'secret_note\|for_boss' raw-sources/h/live-database/"$(ls raw-sources/h/live-database | tail -1)" && fail "a hidden column was kept"

# An account that may read nothing is told so before anything is done, with the way out.
DB_URL=$(dsn nobody_much)
run 1 connection test h && complains 'the account can read 0 of 2 tables and views; `carrel connection grants h --to nobody_much`'
run 1 scan h && complains 'the account can read 0 of 2 tables' && complains 'carrel connection grants h --to nobody_much'
finish
