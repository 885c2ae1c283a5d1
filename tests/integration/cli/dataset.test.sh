# Files become tables of the project's own; what cannot be taken is listed, and an import that ends early leaves nothing.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

project=$scratch/project
run 0 init "$project"
at() { run "$1" -C "$project" "${@:2}"; }
imports=$project/.carrel/imports

# A file of another country: Latin-1, semicolons, decimal commas, days before months, a row that is torn.
printf 'Nr;Kunde;Preis;Datum\r\n1;M\xfcller;1.234,50;29.02.2024\r\n2;"Stra\xdfe; 5";3,25;01.03.2024\r\n3;x\r\n' >"$scratch/Preise März 2024.csv"
at 0 dataset import "$scratch/Preise März 2024.csv" && is_json && is_quiet &&
	says '"connection":"imports","table":"preise_maerz_2024","rows":{"read":3,"taken":2,"rejected":1}' &&
	says '{"name":"Preis","type":"REAL"},{"name":"Datum","type":"DATE"}' &&
	says '"rejects":[{"line":4,"column":null,"reason":"it has fewer fields than there are columns"}]' &&
	says "\"rejects_file\":\"$imports/preise_maerz_2024.rejects.jsonl\""
finds '"line":4' "$imports/preise_maerz_2024.rejects.jsonl" || fail "the reject is not in its file"
at 0 sql 'SELECT Kunde, Preis, Datum FROM preise_maerz_2024 ORDER BY Nr' && says '[["Müller",1234.5,"2024-02-29"],["Straße; 5",3.25,"2024-03-01"]]'
at 0 discover Kunde && says '"preise_maerz_2024.Kunde"'

# The same name again needs a word; --strict keeps nothing; no option is guessed.
at 1 dataset import "$scratch/Preise März 2024.csv" && complains "--replace" && one_sentence
at 1 dataset import "$scratch/Preise März 2024.csv" --replace --strict && complains "line 4" && one_sentence
at 0 sql 'SELECT count(*) FROM preise_maerz_2024' && says '[[2]]'
at 2 dataset import "$scratch/t.tsv" --input-format xml && complains "csv tsv json" && one_sentence
at 1 dataset import "$scratch/absent.csv" && complains "absent.csv cannot be read" && one_sentence
at 1 dataset import "$scratch" && complains "only a file can be imported" && one_sentence
# Parquet: by the library of DuckDB, or not at all.
printf 'PAR1' >"$scratch/x.parquet"
cp "$project/carrel.yaml" "$scratch/carrel.yaml"
printf 'engines: { duckdb: none.so }\n' >>"$project/carrel.yaml"
at 1 dataset import "$scratch/x.parquet" && complains "carrel engine add duckdb" && one_sentence
cp "$scratch/carrel.yaml" "$project/carrel.yaml"
if [ -e "$BIN_DIR/libduckdb.so" ]; then
	echo "COPY (SELECT 9223372036854775807 AS i, 18446744073709551615::UBIGINT AS u, 12.50::DECIMAL(10,2) AS d, 1e18::DECIMAL(38,4) + 0.5 AS wide,
		'007' AS s, '\\x00\\xFF'::BLOB AS b, DATE '2024-02-29' AS dt, TIMESTAMPTZ '2024-03-31 02:30:00.5+02' AS tz, [1, NULL] AS l, true AS f
		UNION ALL SELECT NULL, 1::UBIGINT, -0.01, NULL, '', NULL, NULL, NULL, NULL, NULL) TO '$scratch/Alle [1].parquet' (COMPRESSION zstd)" |
		"$BIN_DIR/../tests/duckdb_client" "$BIN_DIR/libduckdb.so" "$scratch/made.duckdb"
	at 0 dataset import "$scratch/Alle [1].parquet" --publish && is_json && is_quiet && says '"type":"parquet"' &&
		says '"table":"alle_1","rows":{"read":2,"taken":2,"rejected":0}' &&
		says '{"name":"i","type":"INTEGER"},{"name":"u","type":"TEXT"},{"name":"d","type":"DECIMAL(10,2)"},{"name":"wide","type":"TEXT"}' &&
		says '"column":"u","note":"it is TEXT, since no number'
	at 0 sql 'SELECT * FROM alle_1 ORDER BY f' --format csv &&
		says '9223372036854775807,18446744073709551615,12.5,1000000000000000000.5000,007,"{""base64"":""AP8=""}",2024-02-29,2024-03-31 00:30:00.5Z,"[1,null]",1'
	at 0 sql 'SELECT typeof(i), typeof(d), typeof(b), f IS NULL FROM alle_1' && says '[["integer","real","blob",0],["null","real","null",1]]'
	at 1 dataset import "$scratch/Alle [1].parquet" --replace --type d=text && complains "--type means nothing for a file of the format parquet"
	head -c 900 "$scratch/Alle [1].parquet" >"$scratch/torn.parquet"
	# Names with a NUL byte, which no SQL can say, or not in UTF-8; days that have no place in the order of texts.
	echo "COPY (SELECT 'first' AS aXa, 'second' AS a, DATE 'infinity' AS inf, DATE '0044-03-15 (BC)' AS bc, TIMESTAMP '12345-01-01' AS far,
		'NaN' AS t) TO '$scratch/plain.parquet' (COMPRESSION uncompressed)" |
		"$BIN_DIR/../tests/duckdb_client" "$BIN_DIR/libduckdb.so" "$scratch/made.duckdb"
	sed 's/aXa/a\x00a/g' "$scratch/plain.parquet" >"$scratch/nul.parquet"
	sed 's/aXa/a\xffa/g' "$scratch/plain.parquet" >"$scratch/bytes.parquet"
	at 0 dataset import "$scratch/plain.parquet" && is_json &&
		says '{"name":"inf","type":"TEXT"},{"name":"bc","type":"TEXT"},{"name":"far","type":"TEXT"}' && ! grep -qF 'NaN is NULL' "$out" ||
		fail "plain.parquet: $(cat "$out")"
	at 1 dataset import "$scratch/nul.parquet" && complains "the name of a column has a NUL byte" && one_sentence
	at 1 dataset import "$scratch/bytes.parquet" && complains "cannot be read: Invalid unicode" && one_sentence
	for bad in x torn; do
		at 1 dataset import "$scratch/$bad.parquet" && complains "$bad.parquet" && one_sentence
	done
	at 1 dataset import "$scratch/Preise März 2024.csv" --name p --input-format parquet && complains "cannot be read" && one_sentence
fi
at 1 dataset import "$scratch/x.parquet" --input-format csv && complains "the file is Parquet" && one_sentence

# Lines of JSON, nested; and tabs with newlines in quotes, seen by a person.
printf '{"id":1,"who":{"name":"Ada","tags":["a","b"]}}\n{"id":2,"who":{"name":null}}\n' >"$scratch/people.jsonl"
at 0 dataset import "$scratch/people.jsonl" --name people && says '{"name":"who_name","type":"TEXT"},{"name":"who_tags","type":"TEXT"}'
printf 'a\tb\n"x\ny"\t1\n' >"$scratch/t.tsv"
run_tty "$carrel" -C "$project" dataset import "$scratch/t.tsv" && says "1 row imported" && says "INTEGER"
run_as 0 -C "$project" dataset import "$scratch/t.tsv" --replace --input-format tsv && says "1 row imported"
run_tty "$carrel" -C "$project" dataset import "$scratch/Preise März 2024.csv" --replace && says "2 rows imported, 1 not"

# One option has one meaning.
run_as 0 dataset import --help && [ "$(grep -c '^ *--format ' "$out")" -eq 1 ] || fail "--format is listed twice"
at 2 dataset import "$scratch/t.tsv" --format xml && complains "--input-format is the format of the file"
at 0 dataset import "$scratch/t.tsv" --replace --format tsv && is_json	# as scripts of before have it
run_as 0 -C "$project" --format json dataset import "$scratch/t.tsv" --replace && is_json
run_as 0 dataset list --help && says "--format"

# What is not in the table is said, with its line; an option decides instead of the file.
rows='1;1.234,50;03/04/2024\n2;7,00;05/06/2024\n3;8,25;06/06/2024\n4;keine Angabe;07/06/2024\n'
printf 'Bericht\n\nNr;Betrag;Tag\n%b' "$rows" >"$scratch/Umsätze.csv"
at 0 dataset import "$scratch/Umsätze.csv" && is_json && is_quiet && says '"table":"umsaetze"' &&
	says '"file":{"format":"csv","encoding":"utf-8","delimiter":";","header":true},"skipped":1' &&
	says '{"line":1,"column":null,"note":"it is above the table and was passed over: \"Bericht\""}' &&
	says '{"line":7,"column":"Betrag","note":"it would be REAL but for 1 of 4 values, the first' &&
	says '{"line":null,"column":"Tag","note":"it is TEXT'
at 0 dataset import "$scratch/Umsätze.csv" --replace --type Betrag=decimal --type Tag=dmy --decimal , &&
	says '{"name":"Betrag","type":"REAL"},{"name":"Tag","type":"DATE"}' &&
	says '"rejects":[{"line":7,"column":"Betrag","reason":"\"keine Angabe\" does not fit REAL"}]'
at 0 sql 'SELECT Betrag, Tag FROM umsaetze ORDER BY Nr' &&
	says '[[1234.5,"2024-04-03"],[7,"2024-06-05"],[8.25,"2024-06-06"]]'
run_tty "$carrel" -C "$project" dataset import "$scratch/Umsätze.csv" --replace &&
	says "encoding utf-8, delimiter ;, header true" &&
	says 'line 7, column Betrag: it would be REAL but for 1 of 4 values'
at 1 dataset import "$scratch/Umsätze.csv" --replace --type Preis=decimal &&
	complains 'the file has "Nr", "Betrag", "Tag"' && one_sentence
for wrong in "--type Betrag" "--type Betrag=money" "--decimal x" "--header maybe" "--delimiter ab" "--delimiter 1"; do
	# shellcheck disable=SC2086 # two words
	at 2 dataset import "$scratch/Umsätze.csv" $wrong && complains "${wrong%% *}" && one_sentence
done
printf 'a:b\n\x93\x8c:2\n' >"$scratch/tokyo.csv"
at 0 dataset import "$scratch/tokyo.csv" --delimiter : --encoding shift_jis --header no --name tokyo &&
	says '"encoding":"shift_jis"'
at 0 sql 'SELECT * FROM tokyo' && says '[["a","b"],["東","2"]]'
at 1 dataset import "$scratch/tokyo.csv" --encoding klingon --name x && complains "iconv -l" && one_sentence

# A file that is no table is refused, with the way that there is.
printf '%%PDF-1.4\nx\n' >"$scratch/notes.pdf"
at 1 dataset import "$scratch/notes.pdf" && complains "carrel dataset document" && one_sentence
printf 'a,b,c\n' >"$scratch/head.csv"
at 0 dataset import "$scratch/head.csv" && says '"rows":{"read":0,"taken":0,"rejected":0}' &&
	says '{"name":"c","type":"TEXT"}'

# A daemon serves what was imported while it runs, without being started again.
other=$scratch/other
run 0 init "$other"
run 0 -C "$other" mcp start --port 0
printf 'k,v\n1,one\n' >"$scratch/k.csv"
run 0 -C "$other" dataset import "$scratch/k.csv"
run 0 -C "$other" sql 'SELECT v FROM k' && says '[["one"]]'
printf 'k,v\n1,uno\n2,dos\n' >"$scratch/k.csv"
run 0 -C "$other" dataset import "$scratch/k.csv" --replace
run 0 -C "$other" sql 'SELECT v FROM k ORDER BY k' && says '[["uno"],["dos"]]'
run 0 -C "$other" mcp stop

# Killed at any moment, an import leaves the table as it was, or whole where it was about to say so.
awk 'BEGIN { print "n,t"; for (i = 0; i < 400000; i++) print i ",text number " i }' >"$scratch/long.csv"
for wait in 0.02 0.05 0.1 0.2 0.3; do
	"$carrel" -C "$project" dataset import "$scratch/long.csv" --name people --replace >/dev/null 2>"$err" &
	pid=$!
	sleep "$wait"
	child=$(pgrep -P "$pid" -f carrel-import | head -n 1)
	[ -n "$child" ] && kill -9 "$child" 2>/dev/null
	if wait "$pid"; then
		break	# it was faster than we
	fi
	complains "nothing was kept"
	[ ! -e "$project/.carrel/imports/imports.db-wal" ] || fail "a log of a killed import stays"
	at 0 sql 'SELECT count(*) FROM people' || break
	finds -F '[[400000]]' "$out" && break
	says '[[2]]'
done

# The process that reads the file reaches nothing else.
finds 'Seccomp:.2' <(
	"$carrel" -C "$project" dataset import "$scratch/long.csv" --name slow >/dev/null 2>&1 &
	pid=$!
	for _ in {1..200}; do
		child=$(pgrep -P "$pid" -f carrel-import | head -n 1)
		[ -n "$child" ] && grep -a 'Seccomp:' "/proc/$child/status" 2>/dev/null
		kill -0 "$pid" 2>/dev/null || break
	done
	wait "$pid"
) || fail "carrel-import was not seen under seccomp"

finish
