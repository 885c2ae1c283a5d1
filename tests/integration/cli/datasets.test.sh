# What is published, by the commands and as a token's holder sees it: nothing at first, and no more than was said.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

mkdir "$scratch/project" && cd "$scratch/project" || exit 1
run 0 init --demo .

# get EXPRESSION - a member of the last answer; d is the whole of it.
get() { node -pe "const d = JSON.parse(require('fs').readFileSync('$out', 'utf8')); $1" 2>/dev/null; }
holds() { [ "$(get "$1")" = true ] || fail "not so: $1: $(head -c 600 "$out")"; }

# --- the commands, without a daemon --------------------------------------------------------

run 0 dataset list && holds 'd.datasets.length === 0 && d.count === 0'
run 0 dataset publish warehouse orders --description 'One row an order' && is_quiet
members=id,name,description,type,row_count,column_count,created_at,has_vectors,connection,table,table_name
holds "Object.keys(d.dataset).join() === '$members'"
holds '/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(d.dataset.id)'
holds 'd.dataset.name === "orders" && d.dataset.type === "table" && d.dataset.connection === "warehouse"'
holds 'd.dataset.table_name === "dataset_" + d.dataset.id.replaceAll("-", "_") && d.dataset.row_count > 0'
orders=$(get d.dataset.id)
run 1 dataset publish warehouse customers --name ORDERS && complains "already" && one_sentence
run 1 dataset publish warehouse orders --name others && complains "unpublish it first" && one_sentence
run 1 dataset publish warehouse absent && complains "carrel scan warehouse" && one_sentence
run 1 dataset publish absent orders && one_sentence
run 1 dataset publish warehouse customers --name "$(printf 'two\nlines')" && one_sentence
run 1 dataset publish warehouse customers --name ' blank ' && one_sentence
run 1 dataset publish warehouse customers --name "$(head -c 129 /dev/zero | tr '\0' n)" && one_sentence
run 2 dataset publish warehouse
run 0 dataset publish warehouse orders
holds "d.dataset.id === '$orders' && d.dataset.description === 'One row an order'"
run 0 dataset show "${orders^^}" && holds "d.dataset.id === '$orders'"
run 0 dataset show Orders && holds "d.dataset.id === '$orders'"
run 1 dataset show nothing && one_sentence
run 1 dataset unpublish nothing && complains "dataset list" && one_sentence
run 0 dataset unpublish "$orders" && holds "d.unpublished === true && d.id === '$orders'"
run 1 dataset unpublish "$orders"
run 0 dataset list && holds 'd.count === 0'

# The same table has the same id again, also under another name.
run 0 dataset publish warehouse orders --name 'All orders'
holds "d.dataset.id === '$orders' && d.dataset.name === 'All orders'"
run_tty "$carrel" dataset list && finds 'CONNECTION.*TABLE' "$out" || fail "no table"

# An import goes when it is removed; a table is only unpublished.
printf 'k,v\n1,one\n2,two\n' >k.csv
run 0 dataset import k.csv && holds 'd.dataset === null'
run 0 dataset publish imports k && holds 'd.dataset.type === "csv" && Date.parse(d.dataset.created_at) > 1.7e12'
run 0 dataset unpublish k
printf '[{"k":1,"v":"one"}]' >k.json
run 0 dataset import k.json --replace && run 0 dataset publish imports k && holds 'd.dataset.type === "json"'
run 0 dataset import k.csv --replace && run 0 dataset show k && holds 'd.dataset.type === "csv"'
run 0 dataset import k.csv --replace --publish && holds 'd.dataset.type === "csv" && d.dataset.row_count === 2'
run 0 dataset import k.csv --replace --publish && imported=$(get d.dataset.id)
run 0 dataset remove "$imported" && holds "d.removed === true && d.id === '$imported'"
run 1 sql -c imports 'SELECT * FROM k'
run 0 dataset remove "$orders" && run 0 sql -c warehouse 'SELECT count(*) FROM orders'

# A table of which a column policy hides every column is no dataset; what it hides of another is not shown.
mkdir "$scratch/kept" && sqlite3 "$scratch/kept/s.db" "
CREATE TABLE people(id INTEGER PRIMARY KEY, ssn TEXT, city TEXT);
INSERT INTO people VALUES (1, 'CANARY', 'Oslo');
CREATE TABLE keys(k TEXT, more TEXT); INSERT INTO keys VALUES ('CANARY', 'CANARY');"
printf 'connections:\n  s: { driver: sqlite, path: s.db, columns: { hide: ["people.ssn", "keys.*"] } }\n' >"$scratch/kept/carrel.yaml"
run 0 -C "$scratch/kept" scan
run 1 -C "$scratch/kept" dataset publish s keys && complains "hidden" && one_sentence
run 0 -C "$scratch/kept" dataset publish s people && holds 'd.dataset.column_count === 2'

# --- as a token's holder ------------------------------------------------------------------------

run 0 dataset publish warehouse orders
printf 'connectivity: { sql_per_min: 100000, requests_per_min: 100000, global_per_min: 100000 }\n' >>carrel.yaml
# Word vectors that are a pipe keep nobody waiting; carrel status says so.
mkfifo words.vec && printf 'embeddings: { vectors: words.vec }\n' >>carrel.yaml
run 0 mcp start --port 0 && url=$(get d.url)
run 0 status && holds "JSON.stringify(d).includes('words.vec is no regular file')"
run 0 connectivity enable
run 0 token create --label all && all=$(get d.secret)
run 0 token create --label few --scopes ext:datasets && few=$(get d.secret)

# ask TOKEN METHOD NAME PARAMS - in the modern era, into $out
ask() {
	curl -s -o "$out" -H "Authorization: Bearer $1" -H 'Content-Type: application/json' \
		-H 'Accept: application/json, text/event-stream' -H 'MCP-Protocol-Version: 2026-07-28' \
		-H "Mcp-Method: $2" ${3:+-H "Mcp-Name: $3"} "$url" -d '{"jsonrpc":"2.0","id":1,"method":"'"$2"'",
		"params":{'"$4"'
		"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
		"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}'
}
tool() { ask "$1" tools/call "$2" '"name":"'"$2"'","arguments":'"$3",; }
ask "$few" tools/list '' '' && holds 'd.result.tools.map(t => t.name).join() === "carrel_list_datasets"'
tool "$all" carrel_list_datasets '{}'
holds "d.result.structuredContent.count === 1 && d.result.structuredContent.datasets[0].id === '$orders'"
holds '!JSON.stringify(d.result.structuredContent).includes("warehouse")'
tool "$all" carrel_get_schema '{"dataset_id":"'"$orders"'"}'
holds 'd.result.structuredContent.columns.length > 3 && d.result.structuredContent.row_count > 0'
holds 'd.result.structuredContent.columns.every(c => c.sample_values.length <= 3 && c.type.length > 0)'
holds 'd.result.structuredContent.columns.some(c => c.sample_values.length === 3)'
tool "$all" carrel_get_schema '{"dataset_id":"00000000-0000-4000-8000-000000000000"}'
holds 'd.result.isError && d.result.structuredContent.error.code === "dataset_not_found"'
tool "$few" carrel_get_schema '{"dataset_id":"'"$orders"'"}' && holds 'd.error.data.code === "FORBIDDEN"'

# SQL over what is published, by both ways: the same rows, and nothing else is there.
api=${url%/mcp}/api/v1/ext
name=dataset_${orders//-/_}
# sql TEXT [DATASET] - over HTTP, into $out
sql() {
	printf '{"sql":"%s"%s}' "${1//\"/\\\"}" "${2:+,\"dataset_id\":\"$2\"}" |
		curl -s -o "$out" -H "Authorization: Bearer $all" -H 'Content-Type: application/json' -d @- "$api/sql"
}
refused() { sql "$1" && finds "^{\"error\":{\"code\":\"$2\",\"message\":\".\{20,\},\"request_id\":\"r-" "$out" || fail "$1"; }
tool "$all" carrel_sql '{"sql":"SELECT count(*) AS n FROM '$name'"}'
rows=$(get 'JSON.stringify(d.result.structuredContent.rows)')
holds 'd.result.structuredContent.columns.join() === "n" && d.result.structuredContent.row_count === 1'
sql "SELECT count(*) AS n FROM \"dataset_$orders\" -- $name"
holds "JSON.stringify(d.rows) === '$rows' && d.rows[0][0] > 0 && d.truncated === false && Number.isInteger(d.execution_ms) && d.execution_ms >= 0"
holds 'JSON.stringify(d.limits_applied) === `{"max_rows":500,"max_runtime_ms":10000,"max_memory_mb":256}`'
holds 'Object.keys(d).join() === "columns,rows,row_count,truncated,execution_ms,limits_applied,request_id"'
sql "SELECT * FROM $name" && holds 'd.rows.length === 500 && d.row_count === 500 && d.truncated === true'
sql "SELECT * FROM $name LIMIT 10000" && holds 'd.rows.length === 500 && d.truncated === true'
sql "SELECT 1 AS x" "$orders" && says '"rows":[[1]]'
sql "SELECT count(*) FROM ${name^^}" && says "\"rows\":$rows"
sql "SELECT 'dataset_00000000-0000-4000-8000-000000000000' AS x /* dataset_00000000_0000_4000_8000_000000000000 */"
says '"row_count":1'
refused 'SELECT * FROM orders' table_not_found
refused 'SELECT * FROM main.orders' table_not_found
refused 'SELECT name FROM sqlite_schema' table_not_found
refused 'SELECT * FROM dataset_00000000_0000_4000_8000_000000000000' dataset_not_found
sql "WITH dataset_00000000_0000_4000_8000_000000000000 AS (SELECT 7 AS x) SELECT x FROM dataset_00000000_0000_4000_8000_000000000000"
says '"rows":[[7]]'
refused "SELECT missing FROM $name" invalid_sql
refused "DELETE FROM $name" forbidden_sql
refused "SELECT '$(head -c 4096 /dev/zero | tr '\0' x)'" sql_too_long
sql "SELECT '$(head -c 4087 /dev/zero | tr '\0' x)'" && says '"row_count":1'
sql 'SELECT 1' 00000000-0000-4000-8000-000000000000 && says '"dataset_not_found"'

# Two of one database are joined; two databases are two statements.
run 0 dataset publish warehouse customers && customers=$(get d.dataset.id)
sql "SELECT count(*) FROM $name o JOIN dataset_${customers//-/_} c ON c.id = o.customer_id"
says "\"rows\":$rows"
sql "SELECT count(*) FROM $name, dataset_${customers//-/_}" "$orders" && says '"dataset_not_found"'
printf 'k,v\n1,one\n' >two.csv
run 0 dataset import two.csv --publish && two=$(get d.dataset.id)
sql "SELECT /* /* */ v FROM dataset_${two//-/_} /* $name" && says '"rows":[["one"]]'
sql "SELECT v FROM dataset_${two//-/_}" && says '"rows":[["one"]]'
refused "SELECT * FROM dataset_${two//-/_}, $name" invalid_sql && finds 'different databases' "$out" || fail "no reason"
run 0 dataset remove "$two" && run 0 dataset unpublish customers
refused "SELECT count(*) FROM dataset_${customers//-/_}" dataset_not_found
tool "$few" carrel_sql '{"sql":"SELECT 1"}' && holds 'd.error.data.code === "FORBIDDEN"'

# A statement that runs when its dataset is unpublished ends then.
cut=0
for try in $(seq 50); do
	(out=$scratch/cut && sql "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n, $name") &
	running=$!
	sleep "0.$try"	# it may not have begun yet: then once more
	run 0 dataset unpublish "$orders" && cut=$(get d.calls)
	wait $running
	mv "$scratch/cut" "$out" && says '"dataset_not_found"'
	run 0 dataset publish warehouse orders
	[ "$cut" = 0 ] || break
done
[ "$cut" = 1 ] || fail "no statement was cut"

# Publishing takes effect on the next call; none of the inner tools has a name that a client could call.
run 0 dataset publish warehouse customers
tool "$all" carrel_list_datasets '{}' && holds 'd.result.structuredContent.count === 2'
run 0 dataset unpublish customers && run 0 dataset unpublish orders
tool "$all" carrel_list_datasets '{}' && holds 'd.result.structuredContent.count === 0'
tool "$all" carrel_get_schema '{"dataset_id":"'"$orders"'"}'
holds 'd.result.structuredContent.error.code === "dataset_not_found"'
for inner in datasets dataset_sample dataset_texts dataset_column dataset_execution dataset_publish dataset_list dataset_check; do
	tool "$all" $inner '{}' && holds 'd.error.code === -32602'
done

# Documents are found with their dataset, by whoever may search it; what cannot be read is skipped, the others are not.
documents=$PWD/.carrel/documents
run 0 dataset publish warehouse orders
run 0 dataset document orders && holds "d.dataset.id === '$orders' && d.documents.length === 0"
mkdir notes
printf '# Refunds\n\nAn order counts as refunded once the parcel was scanned at the depot.\n' >notes/handbook.md
printf 'Die B\xfccher der Str\xe4nge liegen im Zwischenlager.\n' >lager.txt
printf 'one\0two' >bytes.txt
run 0 dataset document orders notes/handbook.md lager.txt bytes.txt absent.txt notes handbook.md && is_quiet
holds "d.dataset.name === 'orders' && d.documents.map((o) => [o.file, o.pages, o.chunks].join()).join(' ') ===
	'handbook.md,,1 lager.txt,,1 bytes.txt,,0 absent.txt,,0 notes,,0 handbook.md,,0'"
holds "d.documents.slice(0, 2).every((o) => o.skipped === null) && d.documents[2].skipped.startsWith('it is no text')"
holds "d.documents[3].skipped.includes('No such file') && d.documents[4].skipped === 'it is no file'"
holds "d.documents[5].skipped.includes('another file of this name')"
[ "$(stat -c %a "$documents" "$documents/$orders" "$documents/$orders/"*.jsonl | sort -u | tr '\n' ' ')" = '600 700 ' ] ||
	fail "documents are open to others"
found() {
	for _ in {1..300}; do
		tool "$all" carrel_search '{"query":"'"$1"'"}'
		[ "$(get "d.result.structuredContent.matches[0]?.metadata.source_file ?? 'nothing'")" = "$2" ] && return
		sleep 0.1
	done
	fail "$1 is not found in $2: $(head -c 600 "$out")"
}
found 'parcel depot' handbook.md && finds 'Refunds' "$out" || fail "no heading"
found Zwischenlager lager.txt && finds 'Bücher der Stränge' "$out" || fail "no Latin-1"
# Word's documents: paragraphs, tables, footnotes; not what was deleted, nor what is there for older readers only.
python3 - <<'END'
import zipfile
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
def run(text): return f"<w:r><w:t>{text}</w:t></w:r>"
body = ('<w:p><w:pPr><w:pStyle w:val="berschrift1"/></w:pPr>' + run("Garantie") + "</w:p>"
    "<w:p>" + run("Spare parts are kept for ") + run("eleven years") + "<w:r><w:br/></w:r>" + run("after the sale &amp; delivered free.") + "</w:p>"
    "<w:p><w:del><w:r><w:delText>purged words</w:delText></w:r></w:del><w:r><w:instrText>HYPERLINK secretfield</w:instrText></w:r></w:p>"
    "<w:tbl><w:tr><w:tc><w:p>" + run("gearbox") + "</w:p></w:tc><w:tc><w:p>" + run("copper") + "</w:p></w:tc></w:tr></w:tbl>"
    "<w:p><mc:AlternateContent><mc:Choice>" + run("boxed") + "</mc:Choice><mc:Fallback>" + run("boxedtwice") + "</mc:Fallback></mc:AlternateContent></w:p>")
def write(name, parts):
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as z:
        for part, text in parts.items(): z.writestr(part, text)
document = f"<w:document {W}><w:body>{body}</w:body></w:document>"
write("guarantee.docx", {"word/document.xml": document, "word/footnotes.xml": f"<w:footnotes {W}><w:footnote><w:p>{run('An asterisked remark.')}</w:p></w:footnote></w:footnotes>"})
write("entities.docx", {"word/document.xml": '<!DOCTYPE x [<!ENTITY e "eee">]>' + document})
write("torn.docx", {"word/document.xml": document[:-40]})
write("other.zip", {"a.txt": "text"})
whole = open("guarantee.docx", "rb").read()
open("half.docx", "wb").write(whole[:len(whole) // 2])
open("named.docx", "w").write("no document of Word's\n")
open("named.PDF", "w").write("no PDF\n")
END
run 0 dataset document orders guarantee.docx entities.docx torn.docx other.zip half.docx named.docx named.PDF
holds "d.documents.map((o) => [o.file, o.pages, o.chunks].join()).join(' ') ===
	'guarantee.docx,,1 entities.docx,,0 torn.docx,,0 other.zip,,0 half.docx,,0 named.docx,,0 named.PDF,,0'"
holds "d.documents[1].skipped.includes('damaged') && d.documents[2].skipped.includes('damaged')"
holds "d.documents[3].skipped.includes('save it as text') && d.documents[4].skipped.includes('damaged')"
holds "d.documents[5].skipped.includes('called .docx') && d.documents[6].skipped.includes('called .pdf')"
found 'spare parts sale' guarantee.docx && holds "d.result.structuredContent.matches[0].text ===
	'Garantie\\nSpare parts are kept for eleven years after the sale & delivered free.\\ngearbox\\ncopper\\nboxed\\nAn asterisked remark.'"
run 0 dataset document orders --drop guarantee.docx

# PDF: each page's text is found with its number; what has no text, or is made to do harm, has its own reason.
python3 - <<'END'
def packed(objects, extra=b""):
    out, at = b"%PDF-1.4\n", []
    for i, o in enumerate(objects):
        at.append(len(out))
        out += b"%d 0 obj\n" % (i + 1) + o + b"\nendobj\n"
    return out + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + b"".join(b"%010d 00000 n \n" % a for a in at) + \
        b"trailer<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, extra, len(out))
def stream(text, more=b""): return b"<<%s/Length %d>>stream\n%s\nendstream" % (more, len(text), text)
def begin(pages): return [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[%s]/Count %d>>" % (b" ".join(b"%d 0 R" % (4 + 2 * i) for i in range(pages)), pages),
    b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
FONT = b"/Font<</F1 3 0 R>>"
def page(content, more=b""): return b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<<%s%s>>/Contents %d 0 R>>" % (FONT, more, content)
def write(name, data): open(name, "wb").write(data)
def pages(lists, extra=b""):
    objects = begin(len(lists))
    for i, lines in enumerate(lists):
        objects += [page(5 + 2 * i), stream(b"BT /F1 12 Tf 72 720 Td 14 TL " + b" ".join(b"(%s) Tj T*" % l for l in lines) + b" ET")]
    return packed(objects, extra)
filler = [b"The rules of the yard apply to all who come by lorry or on foot."] * 40
whole = pages([filler, [], [b"Trailers are weighed at the northern lighthouse."] + filler, [b"Appendix"]])
write("yard.pdf", whole)
write("cut.pdf", whole[:900])
write("headonly.pdf", b"%PDF-1.4\n")
write("scan.pdf", pages([[], []]))
write("locked.pdf", pages([[b"secret"]], b"/Encrypt<</Filter/Standard/V 1/R 2/O<" + b"41" * 32 + b">/U<" + b"42" * 32 + b">/P -4>>/ID[<00><00>]"))
# A page that draws a form ten times, which draws another ten times, and so on.
forms = begin(1) + [page(5, b"/XObject<</X 6 0 R>>"), stream(b"/X Do " * 10)]
for i in range(12):
    forms.append(stream(b"/X Do " * 10, b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X %d 0 R>>>>" % (7 + i)))
write("forms.pdf", packed(forms + [stream(b"", b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]")]))
END
if [ -x /usr/bin/pdftotext ]; then
	run 0 dataset document orders yard.pdf cut.pdf headonly.pdf scan.pdf locked.pdf
	holds "d.documents.map((o) => [o.file, o.pages, o.chunks > 0].join()).join(' ') ===
		'yard.pdf,4,true cut.pdf,,false headonly.pdf,,false scan.pdf,,false locked.pdf,,false'"
	holds "['damaged', 'damaged', 'only pictures of pages', 'encrypted'].every((w, i) => d.documents[i + 1].skipped.includes(w))"
	found 'northern lighthouse' yard.pdf && holds "d.result.structuredContent.matches.some((m) =>
		m.metadata.page === 3 && m.text.includes('lighthouse'))"
	holds "d.result.structuredContent.matches.every((m) => m.metadata.source_file !== 'yard.pdf' || [1, 3, 4].includes(m.metadata.page))"
	( ulimit -S -t 2; exec "$carrel" --json dataset document orders forms.pdf ) >"$out" 2>"$err"
	holds "d.documents[0].skipped.includes('of computing')"
	[ -z "$(find "$documents" -name '.tmp-*')" ] || fail "something half written stays"
	run 0 dataset document orders --drop yard.pdf
else
	run 1 dataset document orders yard.pdf && holds "d.documents[0].skipped.includes('install the package poppler-utils')"
fi

# As many files as there are, in one answer.
read -ra many < <(printf 'absent%d.txt ' {1..400})
run 0 dataset document orders "${many[@]}" lager.txt
holds "d.documents.length === 401 && d.documents[400].chunks === 1 && d.documents[399].skipped.includes('No such file')"

printf 'Now the shelf is meant.\n' >notes/handbook.md
run 0 dataset document orders notes/handbook.md && found 'shelf' handbook.md && found 'parcel depot' nothing
run 1 dataset document orders bytes.txt && complains "none of the files" && one_sentence
run 0 dataset document orders && holds "d.documents.map((o) => o.file).join() === 'handbook.md,lager.txt'"
run_tty "$carrel" dataset document orders && finds 'FILE.*PAGES.*CHUNKS' "$out" || fail "no table"
run 2 dataset document orders lager.txt --drop lager.txt
run 1 dataset document orders --drop absent.txt && complains "no document" && one_sentence
run 0 dataset document orders --drop lager.txt && holds "d.documents.length === 1" && found Zwischenlager nothing
run 1 dataset document nothing lager.txt && complains "no dataset" && one_sentence
[ -z "$(find "$documents" -name '.tmp-*')" ] || fail "something half written stays"
run 0 dataset unpublish orders && [ -d "$documents/$orders" ] || fail "unpublishing takes documents"
run 0 dataset publish warehouse orders && found shelf handbook.md
run 0 dataset remove orders && [ ! -e "$documents/$orders" ] || fail "documents outlive their dataset"

# A view that takes for ever has no number of rows, and takes none from the others; what is known is not asked for again
# at each call, unless the owner asks for the one.
sqlite3 warehouse.db 'CREATE VIEW endless AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c'
sqlite3 warehouse.db 'CREATE TABLE reals(k REAL PRIMARY KEY, t TEXT); INSERT INTO reals
	WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 20500) SELECT x * 1.1, x FROM c'
run 0 scan && run 0 dataset publish warehouse regions && regions=$(get d.dataset.id)
run 0 dataset publish warehouse endless && holds 'd.dataset.row_count === null && d.dataset.column_count === 1'
listed() {
	tool "$all" carrel_list_datasets '{}'
	get "d.result.structuredContent.datasets.filter((x) => ['regions', 'endless'].includes(x.name)).map((x) =>
		[x.name, x.row_count, x.column_count].join()).sort().join(' ')"
}
had=$(sqlite3 warehouse.db 'SELECT count(*) FROM regions') same="endless,,1 regions"
[ "$(listed)" = "$same,$had,7" ] || fail "not counted: $(listed)"
sqlite3 warehouse.db "INSERT INTO regions VALUES (900, 'XX', 'x', 'x', 'x', 'x', 0)"
[ "$(listed)" = "$same,$had,7" ] || fail "counted at each call: $(listed)"
run 0 dataset show regions && holds "d.dataset.row_count === $had + 1"
[ "$(listed)" = "$same,$((had + 1)),7" ] || fail "what the owner was told is not kept: $(listed)"
tool "$all" carrel_get_schema '{"dataset_id":"'"$regions"'"}' && holds "d.result.structuredContent.row_count === $had + 1"
run 0 dataset unpublish endless && run 0 dataset unpublish regions && sqlite3 warehouse.db 'DROP VIEW endless'

# The texts of a column that the owner names are found like documents, each with the row that SQL can go on with.
run 0 dataset publish warehouse support_tickets && tickets=$(get d.dataset.id)
run 0 dataset document "$tickets" --column SUBJECT --column absent --column subject && is_quiet
holds "d.documents.map((o) => [o.file, o.pages].join()).join(' ') === 'column:subject, column:absent, column:subject,'"
holds "d.documents[0].skipped === null && d.documents[0].chunks > 2000 && d.documents[1].skipped.includes('channel, subject')"
holds "d.documents[2].skipped === 'it was given before'"
found 'refund not received' column:subject
holds "d.result.structuredContent.matches[0].metadata.column === 'subject' && d.result.structuredContent.matches[0].metadata.page === null"
row=$(get 'd.result.structuredContent.matches[0].metadata.row.id') text=$(get 'd.result.structuredContent.matches[0].text')
sql "SELECT subject FROM dataset_${tickets//-/_} WHERE id = $row" && holds "d.rows[0][0] === '$text'"
run 1 dataset document "$tickets" --column absent && complains "none of the columns" && one_sentence
run 2 dataset document "$tickets" --column subject --drop column:subject
# A column that the policy protects is found no more from the next call on, and cannot be read; one that it leaves is.
cp carrel.yaml open.yaml
# The connection gets a policy, or none.
policy() {
	sed "s/^    path: warehouse.db/&${1:+\\n    columns: $1}/" open.yaml >carrel.yaml && run 0 mcp reload
}
# Not found, although all documents were read.
lost() {
	for _ in {1..300}; do
		tool "$all" carrel_search '{"query":"shelf '"$1"'","top_k":20}'
		holds "(d.result?.structuredContent?.matches ?? []).every((m) => m.metadata.source_file === 'handbook.md')"
		[ "$(get 'd.result.structuredContent.count === 1 && d.result.structuredContent.truncated === false')" = true ] && return
		sleep 0.1
	done
	fail "the documents are not read"
}
run 0 dataset document "$tickets" notes/handbook.md
for action in hide hash; do
	policy "{ $action: [support_tickets.subject] }"
	lost 'refund not received'
	run 1 dataset document "$tickets" --column subject && complains "none of the columns"
	finds -E '"skipped":"the (dataset has no column|texts of column)' "$out" || fail "not the policy: $(cat "$out")"
done
policy '{ hide: [customers.email] }' && found 'refund not received' column:subject
policy '' && found 'refund not received' column:subject
sed 's/^    path: warehouse.db/&\n    query_policy: semantic-layer-only/' open.yaml >carrel.yaml && run 0 mcp reload
lost 'refund not received'
run 1 dataset document "$tickets" --column subject && says 'semantic-layer-only'
policy ''
# Unpublishing takes them: they are the table's rows, not the owner's files.
run 0 dataset unpublish "$tickets" && run 0 dataset publish warehouse support_tickets
run 0 dataset document "$tickets" && holds "d.documents.map((o) => o.file).join() === 'handbook.md'"
# The administration page cannot take the file; nothing of it is found until the column is named again.
run 0 dataset document "$tickets" --column subject && found 'refund not received' column:subject
page='{"connection":"imports","db":"","table":"paged","type":"table"}'
printf 'a\tb\n1\t2\n' >paged.tsv && run 0 dataset import paged.tsv
"$BIN_DIR/../tests/local_call" dataset_publish "$page" >"$out" && run 0 dataset show paged && holds 'd.dataset.type === "tsv"'
run 0 dataset remove paged
"$BIN_DIR/../tests/local_call" dataset_unpublish '{"id":"'"$tickets"'"}' >"$out" && holds 'd.error === undefined'
run 0 dataset publish warehouse support_tickets && lost 'refund not received'
run 0 dataset document "$tickets" --column subject && found 'refund not received' column:subject
run 0 dataset document "$tickets" --drop column:subject
holds "d.documents.map((o) => o.file).join() === 'handbook.md'"
touch column:x && run 1 dataset document "$tickets" column:x && says "its name is that of a column"
# Fractions are a key, too: no row is read twice, none is left out.
run 0 dataset publish warehouse reals && reals=$(get d.dataset.id)
run 0 dataset document "$reals" --column t && holds 'd.documents[0].chunks === 20500'
[ "$(grep -o '"text":.*' "$documents/$reals"/*.jsonl | sort -u | wc -l)" = 20500 ] || fail "a row is read twice"
run 0 dataset remove "$reals" && sqlite3 warehouse.db 'DROP TABLE reals'
# Without a key the row's number says which; a table of more than one page is read whole, and again when it changed.
{ echo n,note; seq 1 45000 | sed 's/.*/&,"shared words &\n\nsecond paragraph"/'; } >notes.csv
run 0 dataset import notes.csv --publish && noted=$(get d.dataset.id)
run 0 dataset document "$noted" --column note && holds 'd.documents[0].chunks === 45000'
last=$(tail -n 1 "$documents/$noted"/*.jsonl)
[ "$last" = '{"chunk_index":44999,"row_number":45000,"page":null,"text":"shared words 45000\nsecond paragraph"}' ] ||
	fail "the last row is $last"
printf 'n,note\n1,\n2,later words\n' >notes.csv && run 0 dataset import notes.csv --replace
run 0 dataset document "$noted" --column note && holds 'd.documents[0].chunks === 1'
found 'later words' column:note && holds 'd.result.structuredContent.matches[0].metadata.row_number === 2'
printf 'n,note\n1,\n' >notes.csv && run 0 dataset import notes.csv --replace
run 0 dataset document "$noted" --column note && holds 'd.documents[0].chunks === 0' && found 'later words' nothing
run 0 dataset remove "$noted" && [ ! -e "$documents/$noted" ] || fail "texts of a column outlive their dataset"
[ -z "$(find "$documents" -name '.tmp-*')" ] || fail "something half written stays"
"$carrel" --json audit search --action dataset.document | finds "\"target\":\"$tickets\"" || fail "no column on record"

# The dataset tools are called as surface.tool_prefix says, wherever their names stand, and no other way.
named=list_datasets,get_schema,search,sql
old_names() { ! finds -E 'carrel_(list|get|search|sql)' "$out" || fail "an old name: $(grep -oE '.{40}carrel_[a-z]+' "$out" | head -n 1)"; }
run 0 dataset publish warehouse orders
cp carrel.yaml plain.yaml && printf 'surface: { tool_prefix: shop-2 }\n' >>carrel.yaml && run 0 mcp reload
for _ in {1..300}; do
	ask "$all" tools/list '' ''
	[ "$(get 'd.result.tools.length')" = 4 ] && break
	sleep 0.1
done
holds "d.result.tools.map((t) => t.name.replace('shop-2_', '')).join() === '$named'"
holds "d.result.tools.every((t) => t.name.startsWith('shop-2_')) && !/carrel_(${named//,/|})/.test(JSON.stringify(d))"
holds "JSON.stringify(d).includes('An id from shop-2_list_datasets.')"
tool "$all" shop-2_list_datasets '{}' && holds 'd.result.structuredContent.count > 0'
tool "$all" shop-2_search '{"query":"nothing"}' && holds 'd.result.structuredContent.count === 0'
tool "$all" shop-2_sql "{\"sql\":\"SELECT count(*) AS n FROM $name\"}" && holds 'd.result.structuredContent.row_count === 1'
for call in carrel_sql shop_sql shop-2_; do
	tool "$all" "$call" '{"sql":"SELECT 1"}' && holds 'd.error.code === -32602 && /no such tool/.test(d.error.message)'
done
tool "$all" shop-2_get_schema '{"dataset_id":"00000000-0000-4000-8000-000000000000"}'
holds "/shop-2_list_datasets shows which there are/.test(d.result.structuredContent.error.message)"
tool "$all" shop-2_sql '{"sql":"SELECT * FROM customers"}'
holds "/shop-2_get_schema/.test(d.result.content[0].text) && !/carrel_/.test(JSON.stringify(d.result.structuredContent))"
tool "$all" shop-2_search '{}' && holds "/do not fit shop-2_search:/.test(JSON.stringify(d))"
tool "$few" shop-2_sql '{"sql":"SELECT 1"}' && holds 'd.error.data.code === "FORBIDDEN"'
# Over HTTP nothing is called otherwise than before; its messages say the names that are.
sql 'SELECT 1 AS x' && says '"rows":[[1]]'
refused 'SELECT * FROM customers' table_not_found && finds shop-2_get_schema "$out" || fail "an old name over HTTP"
curl -s -o "$out" "$api/openapi.json" && finds shop-2_list_datasets "$out" && old_names
run 0 connectivity setup claude_code && old_names
run 0 connectivity setup chatgpt_desktop && says 'shop-2_list_datasets' && old_names
run 0 prompt --platform claude_code && says 'shop-2_search' && old_names
for bad in shop_ wiki; do
	printf 'surface: { tool_prefix: %s }\n' "$bad" | cat plain.yaml - >carrel.yaml
	run 1 mcp reload && complains 'surface.tool_prefix: expected a prefix'
done
cp plain.yaml carrel.yaml && run 0 mcp reload
for _ in {1..300}; do
	tool "$all" carrel_list_datasets '{}'
	[ "$(get 'd.result.structuredContent.count > 0')" = true ] && break
	sleep 0.1
done
holds 'd.result.structuredContent.count > 0'

# Each change is on record.
"$carrel" --json audit search --action dataset.document | finds "\"target\":\"$orders\"" || fail "no document on record"
run 0 audit search --action dataset.publish
"$carrel" --json audit search --action dataset.publish | finds "\"target\":\"$orders\"" || fail "not on record"
"$carrel" --json audit search --action dataset.import | finds '"target":"k"' || fail "the import is not on record"
"$carrel" --json audit search --action dataset.unpublish | finds "\"target\":\"$orders\"" ||
	fail "the end is not on record"
run 0 mcp stop
finish
