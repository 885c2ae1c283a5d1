# The tools from the shell, without a daemon and with one: the same answers.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

"$carrel" init --demo "$scratch/demo" >/dev/null || { echo "no demo"; exit 1; }
cd "$scratch/demo" || exit 1

research() {
	run 0 discover orders && is_json && is_quiet && says '"kind":"table"'
	run 0 discover orders --kind wiki -n 2 && is_json
	grep -q '"kind":"table"' "$out" && fail "--kind wiki shows tables"
	run 0 details orders && is_json && says '"name":"customer_id"'
	run 0 details orders --column id && says '"name":"id"'
	run 1 details orders no_such_table && is_json && says '"ok":true' && says '"table_not_found"'
	run 0 wiki search revenue && is_json && says '"key":"revenue"'
	run 0 wiki read revenue && is_json
	run 1 wiki read no-such-page && one_sentence
	run 0 sl read orders && is_json && says '"sourceName":"orders"'
	run 1 sl read no_such_source && one_sentence

	run 0 sql "SELECT 1 AS a, NULL AS b, 'é' AS c, 1.50 AS d, 9007199254740993 AS e" && is_json
	says '"rows":[[1,null,"é",1.5,"9007199254740993"]]'
	"$carrel" --json sql >"$out" 2>"$err" <<<"SELECT 40 + 2 AS answer" || fail "a statement on standard input"
	says '[[42]]'
	run 0 sql -n 3 "SELECT id FROM orders" && says '"truncated":true'
	run 1 sql "SELECT no_such_column FROM orders" && complains "no_such_column" && one_sentence
	run 1 sql "DELETE FROM orders" && one_sentence
	run 1 sql "SELECT 1; SELECT 2" && one_sentence
	run 1 sql -c nowhere "SELECT 1" && complains "nowhere"
	run 2 sql -n 0 "SELECT 1"
	run 2 sql $'\xff'

	run 0 connection test && is_json && says '"reachable":true'
	run 0 audit-sql && is_json && says '"wrong":0' && says '"kind":"honest"'
	run 0 audit-sql --layer session && is_json && says '"session":{"verdict":"stops"'
	grep -q '"parser":{' "$out" && fail "--layer session shows the parser"
	run 2 audit-sql --layer nonsense && complains "--layer" && one_sentence
	run 1 audit-sql nowhere && complains "nowhere" && one_sentence
	run 0 scan && is_json && says '"changed":false'
	run 1 scan nowhere && complains "nowhere" && one_sentence
}

research
[ -e .carrel/mcp.json ] && fail "a private daemon left mcp.json"
pgrep -f -- "carreld --project-dir $scratch/demo" >/dev/null && fail "a private daemon stayed"
run 0 mcp start --port 0 && research

# On a terminal: tables, NULL visible, nothing in the data obeyed.
run_tty "$carrel" sql "SELECT 'a' AS name, NULL AS nil, 7 AS n"
says "name" && says "NULL" && says "(1 row"
run_tty "$carrel" sql "SELECT char(27) || '[2J' AS evil"
says '\x1b[2J' && grep -q $'\033\[2J' "$out" && fail "the terminal was told to clear"
NO_COLOR=1 run_tty "$carrel" sql "SELECT 1 AS n"
grep -q $'\033\[1m' "$out" && fail "colours despite NO_COLOR"
run_tty "$carrel" details orders && says "customer_id" && says "customers.id"
run_tty "$carrel" discover revenue && says "KIND"
run_tty "$carrel" discover --explain revenue && says "STANDS FOR" && says "lexical and fuzzy lanes: place 1"
run_tty "$carrel" status && says "running at" && says "warehouse"

# With word vectors: what is called by a like word is found, and is no sure answer.
run 0 mcp stop
printf 'kelvar 1 0 0\nrevenue 0.97 0.1 0\npear 0 1 0\nplum 0.1 0.9 0\ntax 0 0 1\n' >"$scratch/words.vec"
run 0 discover kelvar && says '"refs":[]'
echo "embeddings: { vectors: '$scratch/words.vec' }" >>carrel.yaml
run 0 mcp start --port 0
run 0 discover kelvar && says '"id":"revenue"' && says '"confident":false'
run 0 wiki search kelvar && says '"matchReasons":["semantic"]'
run_as 0 discover --explain kelvar && says "semantic lane: place 1" && says "revenue 0.50"
finish
