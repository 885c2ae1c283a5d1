# What a newcomer types: one line to a first answer, names with blanks, a port that is taken, an interrupt, help of the daemon.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

export HOME=$scratch/home
unset XDG_STATE_HOME H_URL
mkdir "$HOME" && cd "$scratch" || exit 1
sqlite3 shop.db "CREATE TABLE orders(id INTEGER PRIMARY KEY, amount REAL); INSERT INTO orders VALUES (1, 42.5)"

# A project of a database, at once; a path is one of the directory the command is called in.
run_as 0 init "first try" --path shop.db && says "'$scratch/first try'" && says "1 table" && is_quiet
run_as 0 -C "first try" sql 'SELECT amount FROM orders' && says 42.5
run_as 0 -C "first try" details orders && says amount
run 0 init second --path shop.db --name till && is_json && run 0 -C second sql -c till 'SELECT 1'
run_as 1 init third --url env:H_URL && complains H_URL && complains "connection edit"
H_URL="" run_as 1 -C third connection test && complains H_URL
run_as 2 init fourth --demo --path shop.db && one_sentence
run_as 2 init fourth --schema s && one_sentence
run_as 2 init fourth --url postgres://a:b@c/d
[ ! -e fourth/warehouse.db ] || fail "a demo was made"

# No project at all: a private one, scanned the first time, the same one the second.
ask() {
	printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}' \
		'{"jsonrpc":"2.0","method":"notifications/initialized"}' \
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"$1\",\"arguments\":$2}}" |
		"$carrel" mcp stdio "${@:3}" >"$out" 2>"$err"
}
ask sql_execution '{"connectionId":"shop","sql":"SELECT amount FROM orders"}' --path shop.db && says 42.5 && is_quiet
ask entity_details '{"connectionId":"shop","entities":[{"table":"orders"}]}' --path ./shop.db && says '\"name\":\"amount\"'
while read -r line; do node -e 'JSON.parse(process.argv[1])' "$line" || fail "no JSON: $line"; done <"$out"
places=("$HOME"/.local/state/carrel/projects/*)
[ ${#places[@]} -eq 1 ] && [ "$(stat -c %a "${places[0]}")" = 700 ] || fail "places: ${places[*]}"
[ -z "$(ls -A "$scratch" | grep -v -e home -e shop.db -e 'first try' -e second -e third -e fourth -e out -e err)" ] || fail "something lies about: $(ls -A)"
ask sql_execution '{"connectionId":"db","sql":"SELECT 1"}' --url env:H_URL && says database_unavailable && says H_URL
ask sql_execution '{}' --path shop.db -C "first try" && fail "two projects at once"

# An interrupt leaves nothing of a demo, whenever it comes.
for wait in 0.02 0.1 0.3 0.6; do
	bash -c 'trap - INT; exec "$0" init --demo "$1"' "$carrel" "$scratch/demo" >"$out" 2>"$err" &
	sleep $wait
	kill -INT $! 2>/dev/null
	wait $! && { rm -rf "$scratch/demo"; continue; }
	[ ! -e "$scratch/demo" ] || fail "left after $wait s: $(find "$scratch/demo" | head)"
done
mkdir "$scratch/mine" && echo keep >"$scratch/mine/file"
bash -c 'trap - INT; exec "$0" init --demo "$1"' "$carrel" "$scratch/mine" >"$out" 2>"$err" &
sleep 0.1; kill -INT $! 2>/dev/null; wait $!
[ "$(cat "$scratch/mine/file")" = keep ] || fail "a file of the user's is gone"

# Names that need quotes: what a scan wrote is right as it stands.
sqlite3 odd.db 'CREATE TABLE "we""ird" ("a ""quote" INT, "b.c d" TEXT, "select" INT, "%" INT, "a'"'"'b" TEXT); CREATE TABLE k("x.y" INTEGER PRIMARY KEY, v INT)'
run_as 0 init odd --path odd.db && run_as 0 -C odd sl validate --live && says "0 errors, 1 warning"

# Sentences that say what to do: how long a statement ran and by which key, a statement without its end, names that are not there.
sed -i 's/^connections:/limits: { sql_timeout_s: 1 }\nconnections:/' odd/carrel.yaml
run_as 1 -C odd sql 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n' &&
	complains "after 1 s (limits.sql_timeout_s)"
run_as 1 -C odd sql 'SELECT (1' && complains "incomplete input: the statement ends"
run_as 1 -C odd memory show nothing && complains '`carrel memory log` lists them'
run_as 1 -C odd sl read nothing && complains '`carrel discover` finds sources'
run_as 0 -C odd connection test
grep -q grants "$err" && fail "GRANT on SQLite"
run_as 0 -C odd connection add none --path none.db && run_as 0 -C odd connection remove none && says "Removed."
grep -q raw-sources "$out" && fail "a scan that never was"

# A command's own daemon leaves no trace in the log.
lines=$(wc -l <odd/.carrel/logs/mcp.log)
run_as 0 -C odd sql 'SELECT 1'
[ "$(wc -l <odd/.carrel/logs/mcp.log)" -eq "$lines" ] && [ "$lines" -eq 0 ] || fail "$lines lines of private daemons in the log"

# The audit is one screen; everything of it is there when asked for.
run_as 0 -C odd audit-sql && says HOSTILE && says "Together they hold"
[ "$(wc -l <"$out")" -lt 45 ] || fail "audit-sql: $(wc -l <"$out") lines"
run_as 0 -C odd audit-sql --verbose && [ "$(wc -l <"$out")" -gt 250 ] || fail "audit-sql --verbose: $(wc -l <"$out") lines"
run_as 0 -C odd --format csv audit-sql && [ "$(wc -l <"$out")" -gt 250 ] || fail "audit-sql as CSV: $(wc -l <"$out") lines"
run_as 0 -C odd audit-sql --layer parser && says WHY

# A port for one run: whoever writes it into a client's file is told; what is shown can go into the file.
run_as 0 -C odd mcp start --port 0
run_as 0 -C odd setup-agents -t cursor && says "for this run alone"
run_as 0 -C odd setup-agents -t codex --print && complains "would write"
head -n 1 "$out" | grep -q '^\[mcp_servers' || fail "what is shown is no TOML: $(cat "$out")"
run_as 0 -C odd setup-agents --remove
port=$("$carrel" -C odd mcp status --json | grep -o '"port":[0-9]*' | cut -d: -f2)
run_as 0 -C odd mcp stop
sed -i "s/^connections:/server: { port: $port }\nconnections:/" odd/carrel.yaml
run_as 0 -C odd mcp start && run_as 0 -C odd setup-agents -t cursor
grep -q "for this run alone" "$out" && fail "a configured port is for every run"
run_as 0 -C odd setup-agents --remove && run_as 0 -C odd mcp stop
echo '[]' >odd/.mcp.json
run_as 1 -C odd setup-agents -t claude-code && complains "it holds a list where an object is needed"
[ -z "$(find "$HOME" -name agents -o -name .codex -o -name .cursor)" ] || fail "left: $(find "$HOME")"
[ ! -e odd/.cursor ] && [ ! -e odd/.claude ] || fail "left: $(ls -A odd)"

# Schemas are of PostgreSQL, and of a connection.
for option in "--schemas a,b" --all-schemas; do
	# shellcheck disable=SC2086
	run_as 2 init fifth $option && one_sentence && run_as 2 init fifth --path shop.db $option && run_as 2 mcp stdio $option && one_sentence
	rm -rf fifth
done

# The daemon itself, asked by hand.
"$BIN_DIR/carreld" --help >"$out" 2>"$err" && says "usage: carreld" && is_quiet || fail "carreld --help"
"$BIN_DIR/carreld" --version >"$out" 2>"$err" && says "carreld " || fail "carreld --version"

# doctor: a broken line is no missing project; programs; what was not tried is not promised.
printf 'connections: [\n' >"$scratch/second/carrel.yaml"
run_as 1 -C second doctor && says "carrel.yaml" && says "correct that line"
grep -q 'makes a project' "$out" && fail "carrel init would not help"
run_as 0 -C "first try" doctor && says "connection shop: reachable, and its scan is up to date"
mkdir "$scratch/part" && printf 'connections:\n  w: {driver: postgres}\n' >"$scratch/part/carrel.yaml"
run_as 1 -C part doctor && says "url, or host and database" && says "connection edit w"
grep -q "not served; sqlite" "$out" && fail "a driver that is served is said not to be"

# Figures have words for names; a log of no lines is empty.
run 0 init --demo "$scratch/shown" && run_as 0 -C shown mcp start --port 0
run_as 0 -C shown status && says documents
grep -q problemCount "$out" && fail "a field's name is shown to a person"
run_as 0 -C shown mcp logs -n 0
[ ! -s "$out" ] || fail "lines that nobody asked for"
run_as 0 -C shown mcp stop
finish
