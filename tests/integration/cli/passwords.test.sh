# A database password of any characters works as a field, a file and a variable, and percent-encoded in a URL.
# As it is it makes no URL: then the reason says so, and nothing says the password.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

if [ -z "${PG_DIR:-}" ]; then
	exec bash "$SOURCE_DIR/tests/support/pg.sh" run - bash "$0"
fi
umask 077
pg() { bash "$SOURCE_DIR/tests/support/pg.sh" "$@"; }
odd=$'p@ss:w/o#r%d \'q\\\nzzz'
port=$(cat "$PG_DIR/port")
pg psql "$PG_DIR" -q -v "password=$odd" <<'SQL' >/dev/null 2>&1
CREATE ROLE odd LOGIN;
SELECT format('ALTER ROLE odd PASSWORD %L', :'password') \gexec
SQL
p=$scratch/p
mkdir "$p"
printf '%s' "$odd" >"$p/password"
export ODD_PASSWORD=$odd
common="driver: postgres, host: 127.0.0.1, port: $port, database: postgres, user: odd"
cat >"$p/carrel.yaml" <<YAML
connections:
  field: { $common, password: "p@ss:w/o#r%d 'q\\\\\\nzzz" }
  file: { $common, password: file:password }
  variable: { $common, password: env:ODD_PASSWORD }
  encoded: { driver: postgres, url: "postgres://odd:p%40ss%3Aw%2Fo%23r%25d%20%27q%5C%0Azzz@127.0.0.1:$port/postgres" }
  raw: { driver: postgres, url: "postgres://odd:p@ss:w/o#r%d 'qzzz@127.0.0.1:$port/postgres" }
  percent: { driver: postgres, url: "postgres://odd:hunter%zz2@127.0.0.1:$port/postgres" }
  newline: { driver: postgres, url: "postgres://odd:hunter\\n2@127.0.0.1:$port/postgres" }
  listed: { driver: mysql, url: env:NOTHING }
YAML
for c in field file variable encoded; do
	run 0 -C "$p" connection test "$c" || continue
	says '"reachable":true'
done
for c in raw percent newline; do
	run 1 -C "$p" connection test "$c"
	cat "$out" "$err" >>"$scratch/all"
	finds -i 'url\|percent\|password' "$scratch/all" || fail "$c: no reason"
done
run 0 -C "$p" mcp start --port 0
run_as 0 -C "$p" status
cat "$out" "$err" "$p"/.carrel/logs/* >>"$scratch/all"
run 0 -C "$p" status
cat "$out" "$err" >>"$scratch/all"
# A database that cannot be had, or is not served, is unavailable in its own line; the node is ready.
url=http://127.0.0.1:$(sed -n 's/.*"port":\([0-9]*\).*/\1/p' "$p/.carrel/mcp.json")
[ "$(curl -s -o "$out" -w '%{http_code}' "$url/health/ready")" = 200 ] || fail "dead databases make the node unready"
says '"ready":true'
says '"name":"field","role":"sql","state":"ready"'
for c in raw percent newline listed; do says "\"name\":\"$c\",\"role\":\"sql\",\"state\":\"unavailable\""; done
curl -s "$url/health" | finds '"status":"ok"' || fail "dead databases degrade the node"
cat "$out" >>"$scratch/all"
for secret in 'o#r' 'qzzz' hunter 'p@ss' '%zz2' "$odd"; do
	! finds -F -- "$secret" "$scratch/all" || fail "\"$secret\" of a password is shown: $(grep -F -- "$secret" "$scratch/all" | head -n 3)"
done
finish
