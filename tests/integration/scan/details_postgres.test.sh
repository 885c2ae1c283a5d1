# Labels, indexes and the definitions of views of a PostgreSQL database in `details`, and nothing of them that a column policy keeps back.
if [ -z "${PG_DIR:-}" ]; then
	command -v psql >/dev/null || exit 77
	exec "$SOURCE_DIR/tests/support/pg.sh" run - env PATH="$PATH" bash "$0"
fi
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

sql() { "$SOURCE_DIR/tests/support/pg.sh" psql "$PG_DIR" >/dev/null 2>&1; }
sql <<'SQL'
CREATE ROLE reader LOGIN PASSWORD 'secret';
CREATE TYPE kind AS ENUM ('first', 'it''s "fine"', 'last');
CREATE DOMAIN short_kind AS kind;
CREATE DOMAIN shorter AS short_kind;
CREATE TYPE secret_kind AS ENUM ('informer', 'double');
DO $$ BEGIN EXECUTE 'CREATE TYPE many AS ENUM (' || (SELECT string_agg(quote_literal('label_' || i), ',' ORDER BY i) FROM generate_series(1, 150) i) || ')'; END $$;
CREATE TABLE people (id int PRIMARY KEY, k kind, s shorter, ks kind[], m many, cover secret_kind, email text, ssn text, region text, n int);
CREATE INDEX by_region ON people (region, n);
CREATE INDEX by_lower ON people (region, lower(email));
CREATE UNIQUE INDEX boss_only ON people (region) WHERE email = 'boss@example.com';
CREATE INDEX by_email ON people (email);
CREATE INDEX by_ssn ON people (region, ssn);
CREATE INDEX stored ON people (n DESC) INCLUDE (region);
CREATE INDEX hashed ON people USING hash (region);
CREATE INDEX with_ssn ON people (n) INCLUDE (ssn);
CREATE INDEX rows ON people ((people IS NULL));
CREATE VIEW shown AS SELECT id, k FROM people WHERE region = 'eu';
CREATE VIEW boss AS SELECT id FROM people WHERE email = 'boss@example.com';
CREATE VIEW upon_boss AS SELECT id FROM boss;
CREATE VIEW starred AS SELECT * FROM people;
CREATE VIEW sleeping AS WITH unused AS (SELECT 1 FROM people WHERE ssn = '111-22-3333') SELECT 1 AS one;
CREATE VIEW nothing AS SELECT FROM people WHERE email = 'boss@example.com';
CREATE FUNCTION look() RETURNS text LANGUAGE sql AS 'SELECT email FROM people LIMIT 1';
CREATE VIEW calls AS SELECT look() = 'boss@example.com' AS is_boss;
CREATE MATERIALIZED VIEW copied AS SELECT email AS e FROM people;
CREATE MATERIALIZED VIEW open_copy AS SELECT region, count(*) AS n FROM people GROUP BY 1;
CREATE TABLE parts (id int, at date) PARTITION BY RANGE (at);
CREATE INDEX by_at ON parts (at);
CREATE TABLE parts_24 PARTITION OF parts FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;
SQL
DB_URL=$("$SOURCE_DIR/tests/support/pg.sh" dsn "$PG_DIR" reader secret postgres sslmode=disable)
export DB_URL
mkdir "$scratch/p"
cd "$scratch/p" || exit 1
project() { printf 'connections:\n  h: {driver: postgres, url: env:DB_URL%s}\nserver: {port: 0}\n' "$1" >carrel.yaml; }
lacks() { grep -qF -- "$1" "$out" && fail "$1 is told: $(cat "$out")"; }

project ''
run 0 scan
run 0 details people
labels='"enumLabels":["first","it'"'"'s \"fine\"","last"]'
says '"nativeType":"public.kind","normalizedType":"enum"' && says "$labels" && says '"nativeType":"public.shorter","normalizedType":"enum"' &&
	says '"nativeType":"public.kind[]","normalizedType":"array"' && says '"label_100"],"moreLabels":true' && says '"informer"'
lacks label_101
[ "$(grep -oF -- "$labels" "$out" | wc -l)" = 3 ] || fail "labels of a domain or an array are missing"
says '{"name":"people_pkey","columns":["id"],"unique":true,"primary":true}' && says '{"name":"by_region","columns":["region","n"],"unique":false}' &&
	says '"columns":["region",null],"unique":false,"definition":"CREATE INDEX by_lower ON public.people USING btree (region, lower(email))"' &&
	says '"definition":"CREATE UNIQUE INDEX boss_only' && says '"columns":["n"],"unique":false,"definition":"CREATE INDEX stored' &&
	says 'USING hash (region)'
run 0 details shown open_copy parts calls
says '"definition":"SELECT people.id,' && says 'GROUP BY people.region' && says '{"name":"by_at","columns":["at"],"unique":false}' && says 'look()'
run_tty "$carrel" details people shown
says 'one of first' && says 'by_region (region, n)' && says 'SELECT people.id'

# The scan is older than the policy: nothing of it is trusted, and what to do is said.
project ', columns: {mask: [people.email, people.cover], hide: [people.ssn]}'
run 0 details people boss
lacks boss@ && lacks '"indexes"' && lacks '"definition"' && lacks informer && says 'carrel scan h'
says '"name":"cover","nativeType":"public.secret_kind","normalizedType":"enum"'

run 0 scan
run 0 details people
says "$labels" && says '"name":"by_region"' && says '{"name":"by_email","columns":["email"],"unique":false}' && says '"name":"stored"'
for gone in by_lower boss_only by_ssn with_ssn '"rows"' informer 'carrel scan'; do lacks "$gone"; done
for view in boss upon_boss starred sleeping nothing calls copied; do
	"$carrel" --json details $view >"$out" 2>/dev/null
	lacks '"definition"'
	lacks boss@
	lacks 111-22
done
run 0 details shown open_copy
says '"definition":"SELECT people.id,' && says 'GROUP BY people.region'
# Not in the files either, which are committed.
grep -rqE "boss@|111-22|informer|by_ssn|ssn" "raw-sources/h/live-database/$(ls raw-sources/h/live-database | tail -1)" &&
	fail "what is protected stands in the scan"

# A view that is newer than what the worker knows of the database.
run 0 mcp start
sql <<'SQL'
CREATE VIEW fresh AS SELECT id FROM people WHERE email = 'boss@example.com';
SQL
run 0 scan
run 0 details fresh
lacks '"definition"' && lacks boss@
run 0 mcp stop

# What changes is told.
run 0 details shown && says '"stale":false'
sql <<'SQL'
ALTER TYPE kind ADD VALUE 'newest';
SQL
run 0 details shown && says '"stale":true'
run 0 scan
run 0 details shown && says '"newest"' && says '"stale":false'
finish
