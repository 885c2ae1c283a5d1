# A deep scan of an SQLite file, from the shell to dictionary_search.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"
command -v sqlite3 >/dev/null || exit 77

mkdir "$scratch/p"
sqlite3 "$scratch/p/shop.db" <<'END'
CREATE TABLE "We.ird ""ü" ("der Status" TEXT, "a.b" VARCHAR(20), 'q''uote' TEXT);
INSERT INTO "We.ird ""ü" VALUES ('Größe XL', 'dotted', 'it''s'), ('Größe XL', NULL, 'it''s'), (NULL, NULL, 'x');
CREATE TABLE blank (status TEXT, n INT);
CREATE TABLE nulls_only (status TEXT, n INT);
INSERT INTO nulls_only VALUES (NULL, NULL), (NULL, NULL);
CREATE TABLE kinds (flag BOOLEAN, bytes BLOB, doc JSON, plain, amount NUMERIC, label TEXT);
INSERT INTO kinds VALUES (1, x'00ff', '{"a":1}', 'plainly', 1.5, 'wide label'), (0, x'01', '[]', 7, 2, CAST(x'ff41' AS TEXT));
CREATE TABLE many (code TEXT, big TEXT);
WITH RECURSIVE i (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 500)
INSERT INTO many SELECT 'code-' || n, hex(zeroblob(2000)) FROM i;
CREATE VIEW v AS SELECT 'only in the view' AS status;
CREATE VIEW broken AS SELECT x FROM missing;
END
printf 'connections:\n  shop: {driver: sqlite, path: shop.db}\nscan: {sample_rows: 400}\n' >"$scratch/p/carrel.yaml"

run 0 -C "$scratch/p" scan --deep && says '"changed":true' && says '"tables":5'
profile=$(echo "$scratch"/p/raw-sources/shop/live-database/*/enrichment/relationship-profile.json)
[ -e "$profile" ] || fail "no profile"

# column TABLE COLUMN FIELDS: what the profile says of one.
column() {
	node -e 'const p = JSON.parse(require("fs").readFileSync(process.argv[1]));
		const c = Object.values(p.columns).find(c => c.table.name === process.argv[2] && c.column === process.argv[3]);
		console.log(process.argv[4].split(",").map(f => JSON.stringify(c[f])).join(" "))' "$profile" "$@"
}
is() {
	local got
	got=$(column "$1" "$2" "$3")
	[ "$got" = "$4" ] || fail "$1.$2: $3: $got, expected $4"
}
counts=rowCount,nullCount,distinctCount,nullRate,minTextLength,maxTextLength
is 'We.ird "ü' 'der Status' "$counts,sampleValues" '3 1 1 0.3333333333333333 8 8 ["Größe XL"]'
is 'We.ird "ü' "q'uote" "distinctCount,uniquenessRatio,sampleValues" "2 0.6666666666666666 [\"it's\",\"x\"]"
is blank status "$counts,sampleValues" '0 0 0 0 null null []'
is nulls_only status "$counts,sampleValues" '2 2 0 1 null null []'
is kinds flag distinctCount,sampleValues '2 ["0","1"]'
is kinds bytes distinctCount,sampleValues '2 []'
is kinds amount distinctCount,sampleValues '2 ["1.5","2"]'
# What is no text is counted and not told.
is kinds label distinctCount,sampleValues '2 ["wide label"]'
# The sample is bounded; too many values are no dictionary, too long ones are not told.
is many code rowCount,distinctCount '400 400'
[ "$(column many code sampleValues | tr , '\n' | wc -l)" -eq 5 ] || fail "many.code: $(column many code sampleValues)"
is many big distinctCount,maxTextLength,sampleValues '1 4000 []'

# Found by its literal, end to end.
run 0 -C "$scratch/p" values 'größe' && says '"matchedValue":"Größe XL"' && says '"sourceName":"We.ird \"ü"' &&
	says '"columnName":"der Status"' && says '"status":"ready"' && says '"sampledRows":400' && says '"valuesPerColumn":200'
run 0 -C "$scratch/p" values 'code-7' 'only in the view' && says '"reason":"more_values_than_kept"' &&
	says '"leftOut":[{"reason":"more_values_than_kept","columns":1,"examples":["many.code"]}]'
run_as 0 -C "$scratch/p" values 'GROSSE XL' 'wide lable' && says 'but for accents' && says 'wide label  a close spelling'

# The same again publishes nothing; new data do.
run 0 -C "$scratch/p" scan --deep && says '"changed":false'
sqlite3 "$scratch/p/shop.db" "INSERT INTO blank VALUES ('fresh', 1)"
run 0 -C "$scratch/p" scan --deep && says '"changed":true'
run 0 -C "$scratch/p" values fresh && says '"matchedValue":"fresh"'
# A scan of the structure leaves the dictionary.
run 0 -C "$scratch/p" scan shop
run 0 -C "$scratch/p" values fresh && says '"matchedValue":"fresh"'
finish
