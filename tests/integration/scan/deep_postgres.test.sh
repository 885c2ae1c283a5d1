# A deep scan of PostgreSQL: odd types, odd names, and a table that may not be read.
if [ -z "${PG_DIR:-}" ]; then
	command -v psql >/dev/null || exit 77
	exec "$SOURCE_DIR/tests/support/pg.sh" run - env PATH="$PATH" bash "$0"
fi
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

"$SOURCE_DIR/tests/support/pg.sh" psql "$PG_DIR" >/dev/null <<'END'
CREATE ROLE reader LOGIN PASSWORD 'secret';
CREATE TYPE mood AS ENUM ('sad', 'very happy');
CREATE DOMAIN feeling AS mood;
CREATE DOMAIN label AS varchar(40);
CREATE TYPE pair AS (a int, b text);
CREATE TABLE kinds (id int PRIMARY KEY, j json, jb jsonb, x xml, p point, ts tsvector, b bytea, m mood, f feeling,
	ar text[], l label, r int4range, co pair, ok boolean, u uuid, i inet, mon money, iv interval, n numeric, t text);
INSERT INTO kinds SELECT n, '{"a": 1}', '{"b": 2}', '<a/>', '(1,2)', 'fat cat', '\x00ff', 'very happy', 'sad',
	'{x,y}', 'domain label', '[1,3)', '(1,z)', true, '00000000-0000-0000-0000-000000000001', '10.0.0.1', 5, '1 day',
	1.50, CASE WHEN n % 2 = 0 THEN 'even one' END FROM generate_series(1, 10) n;
CREATE TABLE "We.ird ""ü" ("der Status" text, "a.b" varchar(20), "it's" text);
INSERT INTO "We.ird ""ü" VALUES ('Größe XL', 'dotted', 'quoted $1 \ value');
CREATE TABLE blank (status text);
CREATE TABLE nulls_only (status text);
INSERT INTO nulls_only VALUES (NULL), (NULL);
CREATE TABLE secret (status text);
INSERT INTO secret VALUES ('nobody sees this');
CREATE TABLE partly (status text, hidden text);
INSERT INTO partly VALUES ('seen', 'unseen');
CREATE TABLE parted (status text, at date) PARTITION BY RANGE (at);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
INSERT INTO parted VALUES ('in a partition', '2024-02-02');
CREATE VIEW v AS SELECT 'only in the view'::text AS status;
CREATE SCHEMA other;
CREATE TABLE other.blank (status text);
INSERT INTO other.blank VALUES ('other schema');
GRANT USAGE ON SCHEMA public, other TO reader;
GRANT SELECT ON ALL TABLES IN SCHEMA public, other TO reader;
REVOKE SELECT ON secret, partly FROM reader;
GRANT SELECT (status) ON partly TO reader;
END

mkdir "$scratch/p"
printf 'connections:\n  pg: {driver: postgres, url: env:DEEP_URL, schemas: [public, other]}\n' >"$scratch/p/carrel.yaml"
DEEP_URL=$("$SOURCE_DIR/tests/support/pg.sh" dsn "$PG_DIR" reader secret postgres sslmode=disable)
export DEEP_URL

run 0 -C "$scratch/p" scan --deep && says '"changed":true' && says 'has no SELECT on public.secret; ' && says 'no values of partly.hidden were looked at: '
profile=$(echo "$scratch"/p/raw-sources/pg/live-database/*/enrichment/relationship-profile.json)
[ -e "$profile" ] || fail "no profile"
grep -q 'nobody sees\|unseen' "$profile" && fail "values that may not be read"

# is SCHEMA TABLE COLUMN FIELDS EXPECTED
is() {
	local got
	got=$(node -e 'const [path, db, name, column, fields] = process.argv.slice(1);
		const p = JSON.parse(require("fs").readFileSync(path));
		const c = Object.values(p.columns).find(c => c.table.db === db && c.table.name === name && c.column === column);
		console.log(c ? fields.split(",").map(f => JSON.stringify(c[f])).join(" ") : "absent")' "$profile" "$1" "$2" "$3" "$4")
	[ "$got" = "$5" ] || fail "$1.$2.$3: $4: $got, expected $5"
}
is public kinds id rowCount,nullCount,distinctCount,uniquenessRatio '10 0 10 1'
is public kinds j distinctCount,sampleValues '1 ["{\"a\": 1}"]'
is public kinds jb distinctCount,sampleValues '1 ["{\"b\": 2}"]'
is public kinds x distinctCount,sampleValues '1 ["<a/>"]'
is public kinds p distinctCount,sampleValues '1 ["(1,2)"]'
is public kinds ts distinctCount '1'
is public kinds b distinctCount,sampleValues '1 []'
is public kinds m nativeType,normalizedType,sampleValues '"public.mood" "enum" ["very happy"]'
is public kinds f normalizedType,sampleValues '"enum" ["sad"]'
is public kinds ar distinctCount,sampleValues '1 ["{x,y}"]'
is public kinds l nativeType,normalizedType,sampleValues '"public.label" "character varying(40)" ["domain label"]'
is public kinds r sampleValues '["[1,3)"]'
is public kinds co sampleValues '["(1,z)"]'
is public kinds ok sampleValues '["true"]'
is public kinds n sampleValues '["1.50"]'
is public kinds t rowCount,nullCount,distinctCount,nullRate,minTextLength,maxTextLength '10 5 1 0.5 8 8'
is public 'We.ird "ü' "it's" sampleValues '["quoted $1 \\ value"]'
is public blank status rowCount,sampleValues,minTextLength '0 [] null'
is other blank status rowCount,sampleValues '1 ["other schema"]'
is public nulls_only status rowCount,nullCount,nullRate,distinctCount '2 2 1 0'
is public secret status rowCount absent
is public partly status sampleValues '["seen"]'
is public partly hidden rowCount absent
is public parted status sampleValues '["in a partition"]'

run 0 -C "$scratch/p" values 'größe xl' 'VERY happy' 'domain label' 'other schema' 'nobody' &&
	says '"matchedValue":"Größe XL"' && says '"matchedValue":"very happy"' && says '"matchedValue":"domain label"' &&
	says '"matchedValue":"other schema"' && says '"status":"ready"' && says '"reason":"value_not_in_sample"'
run 0 -C "$scratch/p" scan --deep && says '"changed":false'
finish
