# Parquet, CSV and JSON files as tables of a DuckDB connection: found, scanned, asked and protected like any other; no
# other file can be read, and a file that is missing, broken or replaced costs its own table at most.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"
library=$BIN_DIR/libduckdb.so client=$BIN_DIR/../tests/duckdb_client
[ -e "$library" ] && [ -x "$client" ] || { echo "the library of DuckDB is not there"; exit 77; }

p="$scratch/p [*?]"	# no wildcards, for they are the project's own
mkdir -p "$p"/{sales,deep/2025/x,links,many,.hidden} "$p/q'd ü" "$scratch/elsewhere"
"$client" "$library" "" <<END
COPY (SELECT i AS id, 'n' || i AS name, (i * 1.25)::DECIMAL(10,2) AS amount, i % 2 AS part, 12345678901234567890::UBIGINT AS big,
  'CANARY-' || i AS ssn FROM range(6) t(i)) TO '$p/sales/one.parquet';
COPY (SELECT i + 10 AS id, 'm' || i AS name, 0.01::DECIMAL(10,2) AS amount, 1 AS part, 1::UBIGINT AS big, 'CANARY-x' AS ssn FROM range(2) t(i))
  TO '$p/sales/two.parquet';
COPY (SELECT 1 AS id) TO '$scratch/elsewhere/narrow.parquet';
COPY (SELECT 'CANARY-a' AS ssnX, 1 AS ssn, 2 AS id) TO '$scratch/elsewhere/names.parquet' (COMPRESSION uncompressed);
COPY (SELECT 'CANARY-1' AS ssn, 'CANARY-2' AS XXX, 4 AS ssn_x) TO '$scratch/elsewhere/pair.parquet' (COMPRESSION uncompressed);
END
sed 's/XXX/SSN/g' "$scratch/elsewhere/pair.parquet" >"$p/pair.parquet"
sed 's/ssnX/ssn\xff/g' "$scratch/elsewhere/names.parquet" >"$p/bytes.parquet"
sed 's/ssnX/id\x00X/g' "$scratch/elsewhere/names.parquet" >"$p/nul.parquet"
printf 'id,name,day\n1,a,2025-01-02\n2,"b, c",2025-01-03\n' >"$p/deep/2025/x/a.csv"
printf 'day,id\n2025-02-01,3\n' >"$p/deep/b.csv"
: >"$p/deep/empty.csv"
printf 'id,"two\nlines"\r\n1,"a\nb"\r\n2,c\r\n' >"$p/spreadsheet.csv"
printf '{"a":1,"odd":{"ssn":"CANARY-odd"},"list":[{"ssn":"CANARY-list"},1],"many":{}}\n{"a":2,"odd":"x"}\n' >"$p/uneven.jsonl"
printf '{"a":1,"tags":["x","y"],"n":12345678901234567890,"who":{"id":{"SSN":"CANARY-who"}}}\n{"a":2}\n' >"$p/events.jsonl"
printf 'id,name\n1,x\n' >"$p/q'd ü/sp ace's [1].csv"
printf 'a,b\n' >"$p/head.csv"
: >"$p/empty.csv"
printf 'not parquet at all' >"$p/bad.parquet"
printf 'secret\nCANARY-link\n' >"$scratch/elsewhere/secret.csv"
printf 'ok\n1\n' >"$p/links/ok.csv"
ln -s "$scratch/elsewhere/secret.csv" "$p/links/out.csv"
printf 'secret\nCANARY-state\n' >"$p/.hidden/h.csv"
printf 'id,n\n500,1\n' >"$p/many/"$'not-utf8-\xff.csv'
mkfifo "$p/many/pipe.csv"
for i in $(seq 20); do printf 'id,n\n%d,1\n' "$i" >"$p/many/$i.csv"; done
python3 -c 'print(",".join("c%d" % i for i in range(30))); print(",".join(str(i) for i in range(30)))' >"$p/wide.csv"
python3 -c '
print("id,late")
for i in range(21000): print("%d,%d" % (i, i))
print("21000,\"CANARY, late\"")' >"$p/late.csv"
# Files of one table that are written in different ways.
mkdir -p "$p"/ways/year={2024,2025}
printf 'id,name,day\n007,a,2025-01-02\n' >"$p/ways/year=2024/a.csv"
printf '# exported\nday;id;name;more\n31/01/2025;x7;it'"'"'s;1,5\n' >"$p/ways/year=2025/b.csv"
printf 'id\tname\tday\r\n9\t"say ""no"""\t\r\n' >"$p/ways/year=2025/c.csv"
# Of one column DuckDB makes numbers, and cannot read it.
mkdir "$p/odd"
printf 'note,flag\nODDLY,true\n' >"$p/odd/a.csv"
printf 'note,flag\nODDLY,7\n' >"$p/odd/b.csv"
# Rows with different numbers of fields, lines before a header, no header, different ends of lines.
rows_of() { seq 300 | sed 's/.*/&,n&,CANARY&/'; }
mkdir "$p/torn"
(echo id,name,ssn && rows_of && echo '77,Smith, John,CANARY') >"$p/torn/last.csv"
(echo id,name,ssn && rows_of && echo 77 && rows_of) >"$p/torn/middle.csv"
printf 'name,ssn\na,CANARY-1\nb,CANARY-2\na,b,c\n' >"$p/torn/few.csv"
(echo 'Report of 2025' && echo id,name,ssn && rows_of) >"$p/torn/titled.csv"
rows_of >"$p/torn/bare.csv"
printf '1,2,3\n4,5,6\r\n7,8,9\n' >"$p/torn/ends.csv"
# Small files that hold much: the types come from the first rows, and from what is not deep.
(echo n && seq 200000 && echo late) | gzip >"$p/torn/packed.csv.gz"
(echo n,m && seq 400000 | sed 's/$/,1/' && echo '1.0,1' && echo '2,1.5') | gzip >"$p/torn/fraction.csv.gz"
(seq 400000 | sed 's/.*/{"n":&}/' && echo '{"n":1.5}') | gzip >"$p/torn/fraction.json.gz"
python3 -c 'print("[" * 20000 + "]" * 20000)' >"$p/torn/nested.json"
printf 'id,ssn,SSN\n1,CANARY,CANARY\n' >"$p/torn/twice.csv"
printf '{"id":1,"Name":"a"}\n{"id":2,"name":"b"}\n{"id":3,"":"c"}\n' >"$p/torn/keys.json"
printf '{"id":1,"x":{"K":1,"l":[{"v":1},{"V":2}]}}\n{"id":2,"x":{"k":2,"":3}}\n' >"$p/torn/nested_keys.json"
printf '{"id":1,"x":{"k\\u0000":1}}\n' >"$p/torn/nested_nul.json"
printf '{"id\\u0000":1}\n' >"$p/torn/nul_key.json"
printf 'id,name\n1,M\xfcller\n' >"$p/torn/latin1.csv"
# Integers of more than 64 bits, alone, with other numbers, beyond 128 bits, and nested.
id=8949020000123456789
printf 'id,some,more,double\n%s0,1.5,1,1.5\n%s1,%s1,%s,\n' $id $id $id $id$id$id >"$p/torn/wide.csv"
printf '{"id":%s0,"in":{"v":[%s0]},"some":1.5,"double":[1.5]}\n{"id":%s1,"in":{"v":[1.5]},"some":%s1}\n' \
	$id $id $id $id >"$p/torn/wide.json"
printf '{"Id":%s0}\n{"id":%s0}\n' $id $id >"$p/torn/wide_keys.json"
# A file whose end is far away, and which the library does not stop to read: tried while the others are.
run 0 init "$scratch/slow" >/dev/null && cd "$scratch/slow" || exit 1
python3 -c '
import gzip
blank = gzip.compress(b"\n" * (64 << 20))
with open("far.csv.gz", "wb") as f: f.write(gzip.compress(b"a,b\n1,2\n") + blank * 200)'
printf 'server: {port: 0}\nconnections:\n  files: {driver: duckdb, files: [far.csv.gz]}\n' >carrel.yaml
("$carrel" connection test files >said 2>&1) &
far=$!
cd "$p" && run 0 init . >/dev/null

configure() { # further keys
	cat >"$p/carrel.yaml" <<END
server: {port: 0}
connections:
  files:
    driver: duckdb
    workers: 1
    files: [sales/*.parquet, "deep/**/*.csv", events.jsonl, "q'd ü/*.csv", head.csv, many/*.csv, wide.csv, late.csv, "ways/*/*.csv", odd/*.csv,
      pair.parquet, bytes.parquet, nul.parquet, torn/last.csv, torn/middle.csv, torn/few.csv, torn/titled.csv, torn/bare.csv, torn/ends.csv, torn/packed.csv.gz, torn/nested.json, torn/keys.json, torn/twice.csv,
      torn/latin1.csv, torn/fraction.csv.gz, torn/fraction.json.gz, torn/nested_keys.json, torn/nested_nul.json, torn/nul_key.json, {name: wide_csv, path: torn/wide.csv}, {name: wide_json, path: torn/wide.json}, torn/wide_keys.json,
      {name: again, path: sales/one.parquet}, {name: missing, path: none.csv}, {name: nothing, path: "none/*.csv"},
      {name: bad, path: bad.parquet}, {name: empty, path: empty.csv}, {name: links, path: "links/*.csv"}, uneven.jsonl, spreadsheet.csv, {name: all, path: "?hidden/h.csv"}]
$1
END
}

# What is written wrong is told with its reason.
says_issue() {
	printf 'server: {port: 0}\nconnections:\n  files: {driver: duckdb, files: %s}\n' "$1" >"$p/carrel.yaml"
	"$carrel" -C "$p" doctor >"$out" 2>&1
	says "$2"
}
says_issue '[notes.txt]' 'has to end with .parquet'
says_issue '[a/x.csv, b/x.csv]' 'two entries of files are called x'
says_issue '["*/*.csv", "/*.csv"]' 'gives its table no name'
says_issue '[a.csv], path: x.duckdb' 'not both'
says_issue '[{nom: a, path: a.csv}]' 'a list of at most 64 paths'
says_issue '[none/*.csv]' 'fits no file'
says_issue '[many/*.csv]' 'not in UTF-8 are left out: 1'

mkdir "$scratch/"$'two\nlines' && cp "$p/carrel.yaml" "$scratch/"$'two\nlines' && "$carrel" -C "$scratch/"$'two\nlines' doctor >"$out" 2>&1
says 'has a line break or tab in it'

# The command writes patterns as they are given, and says what fits no file.
printf 'server: {port: 0}\n' >"$p/carrel.yaml"
run_as 0 connection add sales --files 'sales/*.parquet' --files events.jsonl && says 'Added. Next'
run_as 0 connection add none --files 'none/*.csv' && complains 'fits no file' && says 'does not work yet'
run_as 2 connection add both --files head.csv --path x.db && complains 'not both'
run_as 2 connection add lite --driver sqlite --files head.csv && complains '--path FILE'
run 0 connection list && says "$p/sales/*.parquet, $p/events.jsonl"
# A directory, and what a shell makes of wildcards, are tables by their files.
mkdir "$p/shelf" && printf 'id,town\n1,a\n2,b\n2,b\n' >"$p/shelf/towns.csv" && printf '{"a":1}\n' >"$p/shelf/b.jsonl" && echo no >"$p/shelf/notes.txt"
printf 'c\n1\n' >"$p/shelf/b.csv"
run_as 0 connection add shelf --files shelf/ && says 'Added. Next'
(cd "$p/shelf" && "$carrel" -C "$p" connection add here --files ./b.jsonl towns.csv) >"$out" 2>"$err" || fail "several files"
run 0 connection list && says "$p/shelf/b.csv, $p/shelf/b.jsonl, $p/shelf/towns.csv" && says "$p/shelf/./b.jsonl, $p/shelf/towns.csv"
run 0 scan shelf && finds -F 'table: main.b_jsonl' "$p/semantic-layer/shelf/_schema/main.yaml" || fail "no b_jsonl"
run_as 1 connection add none2 --files many/none.d/ && complains 'many/none.d'
run_as 1 connection add empty --files .hidden2 && complains 'has to end with'
mkdir "$p/bare" && run_as 1 connection add bare --files bare && complains 'no Parquet, CSV or JSON files'
# What the owner has not named by itself is left out, with a remark, and the others are taken.
mkdir "$p/mixed" && printf 'c\n1\n' | tee "$p/mixed/ok.csv" "$p/mixed/"$'two\nlines.csv' "$p/mixed/a[1].csv" >/dev/null && mkdir "$p/mixed/dir.csv"
ln -s ../head.csv "$p/mixed/out.csv"; ln -s ok.csv "$p/mixed/in.csv"; mkfifo "$p/mixed/pipe.csv"
run_as 0 connection add mixed --files mixed && complains 'out.csv is left out: it is a link that leads out' && complains 'line break' && complains 'a wildcard in it'
grep -q '^lines' "$err" && fail "a name writes lines of its own: $(cat "$err")"
run 0 connection list && says "$p/mixed/in.csv, $p/mixed/ok.csv\""
run_as 2 connection add two towns.csv && complains 'towns.csv behind the name needs --files'
run 0 connection edit shelf --path sales.duckdb; run 0 connection edit shelf --files shelf
[ "$(grep -c 'path:' "$p/carrel.yaml")" = 0 ] || fail "path was not taken out: $(cat "$p/carrel.yaml")"
(cd "$scratch/elsewhere" && "$carrel" -C "$p" connection add there --files narrow.parquet) >"$out" 2>"$err" || fail "add from elsewhere"
grep -qF "$scratch/elsewhere/narrow.parquet" "$p/carrel.yaml" || fail "$(cat "$p/carrel.yaml")"
run 0 connection test sales && says '"readOnlySession":true'
run 0 audit-sql sales

configure ''
run 0 mcp start
sql() { run "$1" sql --connection files "$2"; }
rows() { sql 0 "$1" && says "\"rows\":$2"; }
refused() { sql 1 "$1" && complains "$2"; }

rows 'SELECT count(*), sum(amount), max(big) FROM sales' '[[8,18.77,"12345678901234567890"]]'
rows 'SELECT id, name, day FROM deep ORDER BY id' '[[1,"a","2025-01-02"],[2,"b, c","2025-01-03"],[3,null,"2025-02-01"]]'
rows "SELECT typeof(day) FROM deep LIMIT 1" '[["DATE"]]'
rows 'SELECT * FROM spreadsheet' '[[1,"a\nb"],[2,"c"]]'
rows 'SELECT a, tags, n FROM events ORDER BY a' '[[1,"[\"x\",\"y\"]","12345678901234567890"],[2,null,null]]'
rows "SELECT * FROM \"q'd ü\"" '[[1,"x"]]'
rows 'SELECT count(*) FROM head' '[[0]]'
rows 'SELECT count(*), sum(id) FROM many' '[[20,210]]'
rows 'SELECT c29 FROM wide' '[[29]]'
rows "SELECT late FROM late WHERE id = 21000" '[["CANARY, late"]]'
rows 'SELECT * FROM ways ORDER BY year, name' \
	'[["007","a","2025-01-02",null,2024],["x7","it'"'"'s","2025-01-31","1,5",2025],["9","say \"no\"",null,null,2025]]'
rows 'SELECT count(*) FROM again JOIN sales USING (id)' '[[6]]'
run_as 0 sql --format csv --connection files 'SELECT amount, big FROM again LIMIT 1' && says '0.00,12345678901234567890'

# A table whose files cannot be read costs itself alone.
refused 'SELECT * FROM missing' 'none.csv does not exist'
refused 'SELECT * FROM nothing' 'fits no file'
refused 'SELECT * FROM bad' "bad.parquet"
for table in last middle few; do
	refused "SELECT * FROM $table" "the rows of $table.csv have different numbers of fields"
done
refused 'SELECT * FROM ends' 'how ends.csv is written was not found: its rows have different numbers of fields'
rows 'SELECT count(*), min(id) FROM titled' '[[300,1]]'
rows 'SELECT count(*), min(column0) FROM bare' '[[300,1]]'
rows 'SELECT count(n) FROM packed' '[[200001]]'
rows 'SELECT count(*) FROM nested' '[[1]]'
rows 'SELECT typeof(max(n)), max(n), count(*) FROM fraction' '[["BIGINT",400000,400002]]'
refused 'SELECT sum(m) FROM fraction' 'a value of the column m is no whole number'
refused 'SELECT sum(n) FROM fraction_json' 'a value of the column n is no whole number'
rows 'SELECT * FROM keys ORDER BY id' '[[1,"a",null,null],[2,null,"b",null],[3,null,null,"c"]]'
rows 'SELECT * FROM nested_keys ORDER BY id' '[[1,"{\"K\":1,\"l\":[{\"v\":1},{\"V\":2}]}"],[2,"{\"k\":2,\"\":3}"]]'
rows 'SELECT * FROM nested_nul' '[[1,"{\"k\\u0000\":1}"]]'
refused 'SELECT * FROM latin1' 'CSV Error on Line: 2 of latin1.csv, which is not in UTF-8'
refused 'SELECT * FROM nul_key' 'the name of a column has a NUL byte'
rows 'SELECT * FROM wide_csv ORDER BY id' "[[\"${id}0\",\"1.5\",\"1\",1.5],[\"${id}1\",\"${id}1\",\"$id$id$id\",null]]"
rows 'SELECT * FROM wide_json ORDER BY id' "[[\"${id}0\",\"{\\\"v\\\":[${id}0]}\",\"1.5\",\"[1.5]\"],[\"${id}1\",\"{\\\"v\\\":[1.5]}\",\"${id}1\",null]]"
rows 'SELECT typeof(id), sum(id) FROM wide_json GROUP BY 1' '[["HUGEINT","178980400002469135781"]]'
refused 'SELECT * FROM wide_keys' 'integers of more than 64 bits'
refused 'SELECT * FROM bytes' 'the files of bytes cannot be read'
refused 'SELECT * FROM nul' 'the name of a column has a NUL byte'
refused 'SELECT * FROM empty' 'its files are empty'
refused 'SELECT * FROM links' 'is a link that leads out'
refused 'SELECT * FROM "all"' 'fits no file'
run 1 connection test files && complains 'the files of'

# No other file is read, whatever way it is asked for, and no path is told.
for statement in "SELECT * FROM read_csv('/etc/passwd')" "FROM '/etc/passwd'" "FROM 'sales/one.parquet'" "SELECT * FROM glob('/*')" \
	"SELECT * FROM read_text('$scratch/elsewhere/secret.csv')" "SELECT * FROM '$p/sales/one.parquet'" "SET allowed_paths = ['/etc/passwd']" \
	"COPY sales TO 'x.csv'" "CREATE TABLE x AS FROM sales" "SELECT sql FROM duckdb_views()" "SELECT view_definition FROM information_schema.views" \
	"SELECT current_setting('allowed_paths')" "SELECT filename FROM sales" "CREATE VIEW sales AS SELECT 1" "SELECT * FROM parquet_metadata('sales/one.parquet')" \
	"SELECT * FROM sniff_csv('events.jsonl')" "ATTACH 'x.db'"; do
	run 1 sql --connection files "$statement"
	grep -qF "$scratch/elsewhere" "$err" || grep -qF 'CANARY' "$out" "$err" && fail "$statement: $(cat "$out" "$err")"
done
for statement in 'EXPLAIN SELECT * FROM sales' 'EXPLAIN (FORMAT json) SELECT * FROM deep' 'FROM duckdb_tables' 'FROM information_schema.tables' 'DESCRIBE sales'; do
	sql 0 "$statement"
	grep -qF "$p" "$out" && fail "$statement tells a path: $(cat "$out")"
done

# Scans: tables with columns, values for a dictionary, and a warning for what cannot be read.
run 0 scan files --deep
run 0 details --connection files sales && says '"kind":"table"' && says 'DECIMAL(10,2)'
grep -qF "$p" "$out" && fail "a path is told: $(cat "$out")"
grep -rqF 'files of many whose paths are not in UTF-8 are left out: 1' raw-sources || fail "the scan has no warning"
run 0 values --connection files n3 && says '"sales"'
run 0 values --connection files ODDLY && says '"odd"'
grep -rqF 'no values of odd.flag were looked at' raw-sources || fail "no warning of a column that cannot be read"
grep -rqF "$scratch" raw-sources semantic-layer && fail "a path is written: $(grep -rF "$scratch" raw-sources semantic-layer | head -n 3)"

# A file that comes, goes, grows or is replaced is noticed by the next call.
printf 'id,n\n1000,1\n' >many/new.csv
rows 'SELECT count(*), sum(id) FROM many' '[[21,1210]]'
rm many/new.csv
rows 'SELECT count(*) FROM many' '[[20]]'
printf '1001,1\n' >>many/7.csv
rows 'SELECT count(*), sum(id) FROM many' '[[21,1211]]'
printf 'id,name\n7,new\n' >head2.csv && mv head2.csv head.csv
rows 'SELECT * FROM head' '[[7,"new"]]'
printf 'x\n5\n' >none.csv
rows 'SELECT * FROM missing' '[[5]]'
rm none.csv
refused 'SELECT * FROM missing' 'none.csv does not exist'
cp "$scratch/elsewhere/narrow.parquet" sales/zero.parquet
refused 'SELECT sum(amount) FROM sales' 'column "amount" was read from the original file "one.parquet", but could not be found in file "zero.parquet"'
rm sales/zero.parquet
ln -sf "$scratch/elsewhere/secret.csv" events.tmp && mv events.tmp many/8.csv
refused 'SELECT * FROM many' 'is a link that leads out'
rm many/8.csv
rows 'SELECT count(*) FROM many' '[[20]]'

# A file that grows meanwhile costs the statements that read it, and no others.
busy="SELECT count(*) FROM range(10000000) a WHERE hash(a.range) % 7 <> 8 AND EXISTS (FROM"
(while [ ! -e "$scratch/enough" ]; do echo '2000,1' >>many/7.csv; sleep 0.02; done) &
grower=$!
rows "$busy head)" '[[10000000]]'
refused "$busy 'MANY')" 'a file changed while the statement read it'
touch "$scratch/enough" && wait $grower

# Column policies.
configure '    columns: {hide: ["*.ssn"], mask: [late.late], hash: [deep.name]}'
run 0 mcp reload
rows 'SELECT * FROM sales WHERE id = 3' '[[3,"n3",3.75,1,"12345678901234567890"]]'
refused 'SELECT ssn FROM sales' 'is hidden'
rows 'SELECT late FROM late WHERE id = 21000' '[["***"]]'
sql 0 'SELECT name FROM deep WHERE id = 1' && { finds -E '\[\["[0-9a-f]{8}-' "$out" || fail "no digest"; }
refused 'SELECT ssn FROM carrel_file.main.sales' 'no table'
refused 'SELECT * FROM bare' 'bare.csv has no header in its first line, by which a column policy knows its columns'
refused 'SELECT * FROM twice' 'twice.csv has no header'
refused 'SELECT * FROM titled' 'titled.csv has no header in its first line'
# Names that the library changed, and fields.
rows 'SELECT * FROM pair' '[[4]]'
refused 'SELECT who.id FROM events' 'the column who is hidden'
rows 'SELECT * EXCLUDE (tags, n) FROM events ORDER BY a' '[[1],[2]]'
# What differs from row to row has fields that no type tells.
rows 'SELECT a, odd FROM uneven ORDER BY a' '[[1,"\"***\""],[2,"\"x\""]]'
rows "SELECT odd ->> 'ssn' FROM uneven WHERE a = 1" '[[null]]'
refused 'SELECT list FROM uneven' 'the column list is hidden'
refused 'SELECT * FROM wide_json' 'nested fields whose names a column policy has to see'
refused 'SELECT * FROM nested_keys' 'Duplicate name'
printf 'x,y\nCANARY-tail' >>late.csv
refused 'SELECT count(*) FROM late WHERE late IS NOT NULL' 'the files of late cannot be read'
run 0 scan files --deep
grep -rqF CANARY raw-sources/files/live-database/"$(ls raw-sources/files/live-database | tail -n 1)" && fail "a protected value is kept"

# One measure, by the semantic layer, by a question and by a published dataset.
mkdir -p semantic-layer/files
printf 'name: sales\ntable: main.sales\ngrain: [id]\ncolumns:\n  - {name: id, type: number}\n  - {name: part, type: number}\nmeasures:\n  - {name: revenue, expr: sum(amount)}\n' \
	>semantic-layer/files/sales.yaml
run 0 sl query --connection files --measure sales.revenue && says '18.77'
run 0 ask 'revenue' && says '18.77'
run 0 connectivity enable
get() { node -pe "const d = JSON.parse(require('fs').readFileSync('$out', 'utf8')); $1" 2>/dev/null; }
run 0 dataset publish files sales && name=dataset_$(get d.dataset.id | tr - _)
run 0 token create --label t && token=$(get d.secret)
run 0 mcp status && url=$(get d.url)
# The limit is the one that the library has, not that of connectivity.
printf '{"sql":"SELECT count(*) FROM %s"}' "$name" |
	curl -s -o "$out" -H "Authorization: Bearer $token" -H 'Content-Type: application/json' \
		-d @- "${url%/mcp}/api/v1/ext/sql"
says '"max_memory_mb":512'
run 0 mcp stop
wait $far
grep -qF 'looking at the files of far takes too long' "$scratch/slow/said" || fail "$(cat "$scratch/slow/said")"
[ $failures -eq 0 ]
