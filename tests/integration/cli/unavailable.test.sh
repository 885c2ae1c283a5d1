# A connection that cannot be served is a state: every command says which, where, what is wrong and what to do.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

unset H_URL
"$carrel" init "$scratch/p" >/dev/null
cd "$scratch/p" || exit 1
run 0 connection add h --url env:H_URL && complains H_URL
tools() {
	printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}' \
		'{"jsonrpc":"2.0","method":"notifications/initialized"}' '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' \
		'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"sql_execution","arguments":{"connectionId":"h","sql":"SELECT 1"}}}' |
		"$carrel" mcp stdio >"$out" 2>"$err"
}

# A variable that is not set, or empty: named by everything that needs it.
for value in unset empty; do
	[ $value = empty ] && export H_URL=
	word="not set"; [ $value = empty ] && word=empty
	run 1 connection test h && complains H_URL && complains "$word" && one_sentence
	run 1 sql 'SELECT 1' && complains H_URL && complains '"h"' && one_sentence
	run 1 audit-sql && complains H_URL && one_sentence
	run 1 scan && complains H_URL && one_sentence
	tools
	complains "the connection h is unavailable" && complains H_URL
	says '"name":"sql_execution"'
	grep -q '"code":"database_unavailable"' "$out" && says H_URL || fail "the call says nothing"
done
unset H_URL
"$carrel" init "$scratch/none" >/dev/null
(cd "$scratch/none" && tools && says '"name":"sql_execution"' && says "carrel connection add")

# The daemon: said at start, mended by a reload with the variable of now, degraded in its own line alone.
sqlite3 "$scratch/x.db" 'CREATE TABLE t(a); INSERT INTO t VALUES (42)'
run 0 mcp start --port 0 && complains H_URL && one_sentence && says '"state":"unavailable"'
url=$(sed -n 's/.*"url":"\([^"]*\)\/mcp".*/\1/p' "$out")
[ "$(curl -s -o "$scratch/ready" -w '%{http_code}' "$url/health/ready")" = 200 ] || fail "one connection took the node out"
grep -q '"name":"h","role":"sql","state":"unavailable"' "$scratch/ready" || fail "not in its line: $(cat "$scratch/ready")"
curl -s "$url/health" | finds '"status":"ok"' || fail "one connection degrades the node"
run_as 0 status && [ "$(grep -c H_URL "$out")" = 1 ] && says "see above" || fail "the reason is not said once: $(cat "$out")"
run 1 sql 'SELECT 1' && complains H_URL && complains "mcp reload"
H_URL=postgres://u:secret@127.0.0.1:1/x run 0 mcp reload && complains "127.0.0.1, port 1" && complains "Connection refused"
grep -q secret "$out" "$err" .carrel/logs/mcp.log && fail "the password was told"
[ -e .carrel/reload ] && fail "the values lie about"
run 1 sql 'SELECT 1' && complains "Connection refused"

# Connections come and go while it runs.
run 0 connection add x --path "$scratch/x.db"
run 0 sql -c x 'SELECT a FROM t' && says 42
run 0 connection add y --path "$scratch/y.db" && complains "no file"
run 1 connection test y && complains "$scratch/y.db" && complains "does not exist"
run 0 connection edit y --path "$scratch/x.db" && run 0 sql -c y 'SELECT a FROM t' && says 42
run 0 connection remove y && run 1 sql -c y 'SELECT a FROM t' && complains '"y"'

# Edited by hand: told until it is reloaded; a broken file changes nothing.
sed -i 's/^connections:/connections:  # mine/' carrel.yaml
run_tty "$carrel" status && says "mcp reload"
run 0 mcp reload && run_tty "$carrel" status
grep -q "mcp reload" "$out" && fail "still out of date"
cp carrel.yaml "$scratch/good.yaml"
echo 'server: { port: nonsense }' >>carrel.yaml
run 1 mcp reload && complains "server.port"
cp "$scratch/good.yaml" carrel.yaml
run 0 sql -c x 'SELECT a FROM t' && says 42

# Restarted where it was, with the variables of now.
port=${url##*:}
run 0 mcp restart && says ":$port/mcp"
run 3 -C "$scratch/none" mcp reload && complains "mcp start"
run 0 mcp stop

# Files of the wrong kind, named.
echo text >"$scratch/text.db" && mkdir "$scratch/dir.db"
for file in gone.db text.db dir.db; do
	run 0 connection edit x --path "$scratch/$file"
	run 1 sql -c x 'SELECT 1' && complains "$scratch/$file" && complains '"x"' && one_sentence
done

# Passwords with characters that mean something in a URL: explained, and no part of them told.
for password in 'p@ss' 'pa/ss' 'r3ad it/:@#?&%x' '50%'; do
	H_URL="postgres://reader:$password@127.0.0.1:1/x" run 1 sql -c h 'SELECT 1' && one_sentence
	complains '"h"'
	grep -qF -e "$password" -e "ss@" -e 'r3ad' "$err" && fail "a part of the password was told"
done
H_URL="postgres://reader:p@ss@127.0.0.1:1/x" run 1 sql -c h 'SELECT 1' && complains percent
H_URL="mysql://reader@127.0.0.1/x" run 1 sql -c h 'SELECT 1' && complains "postgres://"
finish
