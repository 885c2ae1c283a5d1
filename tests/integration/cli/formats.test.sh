# What a pipe gets: tables unless something else is asked for; --format and --json; errors in the format's way; help.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

"$carrel" init --demo "$scratch/p" >/dev/null || { echo "no demo"; exit 1; }
cd "$scratch/p" || exit 1
is_table() { head -n 1 "$out" | finds -F "$1" && ! grep -q '^{' "$out" && ! grep -q $'\033' "$out" || fail "no plain table"; }

run_as 0 discover revenue && is_table "KIND"
run_as 0 status && says "project" && says "not running"
run_as 0 details orders && says "COLUMN"
run_as 0 connection list && is_table "CONNECTION"
run_as 0 sql 'SELECT 1 AS a, NULL AS b' && is_table "a  b" && says "(1 row"
long=$(printf 'x%.0s' $(seq 700))
run_as 0 sql "SELECT '$long' AS t" && says "$long"

run_as 0 --format json sql 'SELECT 1 AS a' && is_json && says '"rows":[[1]]'
run_as 0 sql 'SELECT 1 AS a' --json && is_json
statement="SELECT 1 AS a, 'x, \"y\"' AS b, NULL AS c, '' AS d UNION ALL SELECT 2, 'line
two', 'z', 'é'"
run_as 0 sql "$statement" --format csv && is_quiet
printf 'a,b,c,d\r\n1,"x, ""y""",,""\r\n2,"line\ntwo",z,é\r\n' | cmp - "$out" || fail "not that CSV"
run_as 0 sql "$statement" --format=jsonl && is_quiet
printf '%s\n' '{"a":1,"b":"x, \"y\"","c":null,"d":""}' '{"a":2,"b":"line\ntwo","c":"z","d":"é"}' | cmp - "$out" || fail "not those lines"
run_as 0 sql 'SELECT 1 FROM orders' -n 2 --format csv && complains "more rows"
[ "$(wc -l <"$out")" -eq 3 ] || fail "CSV holds more than its rows"
run_as 0 sql 'SELECT 1 FROM orders' -n 2 --format jsonl && complains "more rows"
for command in "discover revenue" "values paid" "wiki search revenue" "sl list" "connection list" "memory log" \
	"sl query -m orders.order_count"; do
	# shellcheck disable=SC2086
	run_as 0 $command --format csv && [ "$(grep -c '^{' "$out")" -eq 0 ] || fail "$command as CSV"
	# shellcheck disable=SC2086
	run_as 0 $command --format jsonl
	while read -r line; do node -e 'JSON.parse(process.argv[1])' "$line" || fail "$command: $line"; done <"$out"
done
run_as 2 status --format csv && complains "no single table" && one_sentence
run_as 2 status --format xml && complains "jsonl" && one_sentence
run_as 0 status --format json && is_json

# Errors: a sentence; with --json an object; nothing on standard output.
run_as 1 sql 'SELECT nothing_like_it' && complains "carrel: " && one_sentence
[ -s "$out" ] && fail "something on standard output"
for asked in --json "--format json" "--format=jsonl"; do
	# shellcheck disable=SC2086
	run_as 1 sql 'SELECT nothing_like_it' $asked && one_sentence
	[ -s "$out" ] && fail "something on standard output"
	node -e 'const e = JSON.parse(require("fs").readFileSync(0, "utf8")); if (!e.error.message) process.exit(1)' <"$err" || fail "$asked: the error is no JSON"
	# shellcheck disable=SC2086
	run_as 2 nonsense $asked && node -e 'JSON.parse(require("fs").readFileSync(0, "utf8")).error.message.length' <"$err" || fail "$asked: usage"
done

# A statement from a file.
echo 'SELECT 6 * 7 AS answer;' >"$scratch/q.sql"
run_as 0 sql -f "$scratch/q.sql" && says 42
run_as 0 sql --file "$scratch/q.sql" --format csv && says 42
# Not into grep -q, which leaves at the first match: the command would then write into a closed pipe.
for arguments in "-" "" "-f -"; do
	# shellcheck disable=SC2086
	answer=$("$carrel" sql $arguments <"$scratch/q.sql")
	[[ $answer == *42* ]] || fail "sql $arguments"
done
run_as 1 sql -f "$scratch/none.sql" && complains "none.sql" && one_sentence
run_as 1 sql -f "$scratch" && one_sentence
run_as 2 sql -f "$scratch/q.sql" 'SELECT 1' && one_sentence
run_as 2 sql -f "$scratch/q.sql" SELECT 1 && one_sentence

# Its words may stand unquoted; what the shell keeps apart stays one word.
run_as 0 sql SELECT 6 '*' 7 AS answer && is_table answer && says 42
run_as 0 sql SELECT 'count(*)' AS n FROM orders -n 1 --format csv && is_quiet && says n
run_as 0 sql -- SELECT -1 AS below && says -1
run_as 1 sql DELETE FROM orders && complains "only reads" && one_sentence

# A group's word alone shows what there is, with the options of what shows it.
run_as 0 connection && is_table CONNECTION && says warehouse
run_as 0 wiki && is_table KEY
run_as 0 sl && says orders
run_as 0 sl -c warehouse && says orders && run_as 0 sl --connection=warehouse --format json && is_json
run_as 0 memory -n 3
run_as 2 connection --schemas x && complains "connection --help" && one_sentence
run_as 0 memory
run_as 3 mcp && says "mcp start"
run 0 --json connection && is_json && says '"warehouse"'
run_as 0 connection --help && says "connection add"
run_as 2 ingest && complains "is followed by text" && one_sentence
printf 'SELECT 1\0' >"$scratch/nul.sql" && run_as 1 sql -f "$scratch/nul.sql" && complains NUL

# Help in the ways people ask for it; what was meant.
run_as 0 help && says "Usage: carrel COMMAND"
run_as 0 help scan && says "Usage: carrel scan"
run_as 0 help connection add && says "Usage: carrel connection add"
run_as 0 help mcp && says "mcp start"
run_as 0 connection help && says "connection add"
run_as 2 statsu && complains "carrel status" && one_sentence
run_as 2 dicsover x && complains "carrel discover"
run_as 2 connection lsit && complains "carrel connection list"
run_as 2 wiki serch x && complains "carrel wiki search"
run_as 2 help statsu && complains "carrel status"
run_as 2 scan --depe && complains "--deep"
run_as 2 sql --max-row 3 'SELECT 1' && complains "--max-rows"
run_as 2 zzzzzzzz && one_sentence
grep -q "did you mean" "$err" && fail "a guess without ground"

# The tools' words become the command's.
run_as 1 details nowhere && complains "carrel "
for tool in discover_data entity_details sql_execution connection_list sl_read_source; do
	grep -q "$tool" "$err" && fail "$tool was said to a person"
done
run_as 1 sl read nowhere; grep -qE '[a-z]+_(source|data|details|list)\b' "$err" && fail "a tool's name"
run_as 1 sql -c nowhere 'SELECT 1' && complains "warehouse"
finish
