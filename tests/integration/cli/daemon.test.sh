# The daemon's life as the shell sees it.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

"$carrel" init --demo "$scratch/a" >/dev/null || { echo "no demo"; exit 1; }
cp -r "$scratch/a" "$scratch/b"
member() { sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p" "$out"; }
# Gone, or a zombie that nobody has waited for.
gone() { [ ! -e "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; }

run 0 -C "$scratch/a" mcp start --port 0 && is_quiet && is_json && says '"state":"running"'
pid=$(member pid) port=$(member port)
kill -0 "$pid" 2>/dev/null || fail "pid $pid is not there"
# Nobody may look into it, but root; then there is nothing to see.
if [ "$(id -u)" -eq 0 ]; then
	tr '\0' '\n' <"/proc/$pid/environ" | finds . && fail "carreld has an environment"
else
	cat "/proc/$pid/environ" >/dev/null 2>&1 && fail "carreld can be looked into"
fi
run 0 -C "$scratch/a" mcp status && says "\"pid\":$pid"
run 0 -C "$scratch/a" mcp start && says "\"pid\":$pid"	# already running
run 0 -C "$scratch/a" status && is_json && says '"state":"running"'
run 0 -C "$scratch/a" mcp logs -n 5 && is_quiet
run 0 -C "$scratch/a" doctor && is_json

# The same port again: says by whom, and how to choose another.
run 1 -C "$scratch/b" mcp start --port "$port" && complains "$port" && complains "--port" && one_sentence
complains "Carrel of $scratch/a"
run 3 -C "$scratch/b" mcp status

# Tokens: only from a file of our own, and required before others may connect.
run 1 -C "$scratch/b" mcp start --port 0 --host 0.0.0.0 && complains "token" && one_sentence
printf 'secret-%s\n' "$$" >"$scratch/token" && chmod 644 "$scratch/token"
run 1 -C "$scratch/b" mcp start --port 0 --token-file "$scratch/token" && complains "chmod 600" && one_sentence
chmod 600 "$scratch/token"
# One that has the project and does not serve, as one that is about to end does, is waited for.
exec 8>>"$scratch/b/.carrel/lock" && flock 8
asleep -f "carreld --project-dir $scratch/b" &
exec 8>&-
run 0 -C "$scratch/b" mcp start --port 0 --token-file "$scratch/token" && says '"tokenAuth":true'
b=$(member pid)
grep -qF "secret-$$" "/proc/$b/cmdline" "/proc/$b/environ" 2>/dev/null && fail "the token can be seen in /proc"
grep -rqF "secret-$$" "$scratch/b/.carrel" && fail "the token is in .carrel"
run 0 -C "$scratch/b" mcp stop
run 0 -C "$scratch/b" mcp start --port 0 --token "secret-$$" && complains "--token-file"
run 0 -C "$scratch/b" mcp stop
CARREL_MCP_TOKEN=from-the-variable run 0 -C "$scratch/b" mcp start --port 0 && says '"tokenAuth":true' && is_quiet
run 0 -C "$scratch/b" mcp stop && says '"state":"stopped"'

# Killed: stale, then a fresh start; another program with that pid is not ours to stop.
kill -KILL "$pid"
until gone "$pid"; do sleep 0.05; done
run 3 -C "$scratch/a" mcp status && says '"state":"stale"'
run 0 -C "$scratch/a" mcp start --port 0 && is_quiet
pid=$(member pid)
run 0 -C "$scratch/a" mcp stop
gone "$pid" || fail "pid $pid survived mcp stop"
[ -e "$scratch/a/.carrel/mcp.json" ] && fail "mcp.json survived mcp stop"
run 3 -C "$scratch/a" mcp stop && complains "not running"
sleep 60 &
stranger=$!
printf '{"pid":%d,"port":1,"host":"127.0.0.1","startedAt":"","tokenAuth":false,"projectDir":"%s"}' \
	$stranger "$scratch/a" >"$scratch/a/.carrel/mcp.json"
run 3 -C "$scratch/a" mcp stop
kill -0 $stranger 2>/dev/null || fail "mcp stop ended a stranger"
kill $stranger

# Left empty when the machine went down: as if there were none.
: >"$scratch/a/.carrel/mcp.json"
run 3 -C "$scratch/a" mcp status && says '"state":"stopped"'
run 0 -C "$scratch/a" mcp start --port 0 && is_quiet
run 0 -C "$scratch/a" mcp stop && says '"state":"stopped"'

# In the foreground: prints its URL, ends with us.
: >"$out"
"$carrel" --json -C "$scratch/a" mcp start --port 0 --foreground >"$out" 2>"$err" &
lid=$!
for _ in $(seq 1000); do [ -s "$out" ] && break; sleep 0.1; done
says "http://127.0.0.1:"
pid=$(member pid)
kill -TERM $lid
wait $lid || fail "the foreground ended with $?"
gone "$pid" || fail "carreld survived its foreground"
finish
