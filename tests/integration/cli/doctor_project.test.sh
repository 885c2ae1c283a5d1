# doctor on a project whose files, programs, secrets or databases are not as they should be.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"
pg=$SOURCE_DIR/tests/support/pg.sh
trap '"$pg" remove "$scratch/pg" >/dev/null 2>&1; cleanup' EXIT

run 0 init --demo "$scratch/p" && cd "$scratch/p" || exit 1
cp carrel.yaml "$scratch/plain.yaml"
run 0 doctor && is_json && is_quiet && says '"found":"reachable, and its scan is up to date"'
grep -q '"verdict":"wrong"' "$out" && fail "something is wrong with the demo"

# finding CODE TEXT FIX: doctor says so, for people and for programs.
finding() {
	run_as "$1" doctor && says "$2" && says "$3"
	run "$1" doctor && is_json && says '"fix":"'
}

# Who may write, and who owns.
chmod o+w carrel.yaml && finding 1 "everybody may write $PWD/carrel.yaml" "chmod -R o-w" && chmod o-w carrel.yaml
chmod o+w wiki && finding 1 "everybody may write $PWD/wiki" "chmod -R o-w" && chmod o-w wiki
chmod 755 .carrel && finding 1 "can be entered by others" "chmod 700" && chmod 700 .carrel
chmod 644 .carrel/signing.key && finding 1 ".carrel/signing.key" "chmod 600" && chmod 600 .carrel/signing.key
chmod 640 .carrel/state.db && finding 1 ".carrel/state.db" "chmod 600" && chmod 600 .carrel/state.db
if [ "$(id -u)" -eq 0 ]; then
	chown 12345 .carrel/logs/mcp.log
	finding 1 "$PWD/.carrel/logs/mcp.log is not the project's owner's" "chown -R"
	chown 0 .carrel/logs/mcp.log
fi
mkdir -p .git && touch -d '10 minutes ago' .git/index.lock
finding 0 ".git/index.lock was left behind" "if no git runs"
touch .git/index.lock && run_as 0 doctor
grep -q "left behind" "$out" && fail "a lock of now is said to be left behind"
rm .git/index.lock && rmdir .git

# Programs: what commits is one of them.
mkdir "$scratch/bin" && cp "$BIN_DIR"/carrel* "$scratch/bin" && cp -r "$BIN_DIR/../share" "$scratch/share"
rm "$scratch/bin/carrel-git"
"$scratch/bin/carrel" doctor >"$out" 2>"$err" && fail "doctor misses no carrel-git"
says "missing next to carrel: carrel-git" && says "install again"

# Secrets that lead nowhere, or that others can read.
configure() { { cat "$scratch/plain.yaml"; printf '\n%s\n' "$1"; } >carrel.yaml; }
printf 'a-token-of-some-length\n' >"$scratch/secret" && chmod 644 "$scratch/secret"
configure "auth: { token: 'file:$scratch/secret' }" && finding 1 "secrets: " "correct its auth.token"
configure "model: { url: 'http://127.0.0.1:9/v1' }" && finding 1 "model.url is set, model.name is not" "say with model.name"
configure "embeddings: { url: 'http://127.0.0.1:9/v1', name: x, key: 'file:$scratch/none' }" &&
	finding 1 "embeddings: " "correct its embeddings.key"
configure 'audit: { key: "file:/nowhere/at/all" }' && finding 1 "secrets: " "correct its audit.key"

# Databases: not there, changed, open to be written, unreadable.
cat "$scratch/plain.yaml" >carrel.yaml
sqlite3 warehouse.db 'ALTER TABLE orders ADD COLUMN later INTEGER'
finding 0 "its structure has changed since the last scan" "carrel scan warehouse"
rm -rf raw-sources/warehouse && finding 0 "not scanned yet" "carrel scan warehouse"
printf 'connections:\n  far: { driver: postgres, url: "postgresql://nobody@127.0.0.1:1/none" }\n' >carrel.yaml
finding 1 "connection far: " "IPAddressAllow="
head -c 100 warehouse.db >torn.db && printf '%5000s' x >>torn.db
printf 'connections:\n  torn: { driver: sqlite, path: torn.db }\n' >carrel.yaml
finding 1 "connection torn: " "mend the file, or name another one"
"$pg" start "$scratch/pg" >/dev/null || { echo "no PostgreSQL"; finish; }
url="postgresql://%s@/postgres?host=$scratch/pg/run&port=$(cat "$scratch/pg/port")"
printf -v owner "$url" postgres && printf -v reader "$url" reader
psql -qX "$owner" -c "CREATE TABLE t (a int); CREATE ROLE reader LOGIN; REVOKE ALL ON t FROM public" >/dev/null
printf 'connections:\n  db: { driver: postgres, url: "%s" }\n' "$owner" >carrel.yaml
finding 0 "its account can write" "carrel connection grants db"
printf 'connections:\n  db: { driver: postgres, url: "%s" }\n' "$reader" >carrel.yaml
finding 1 "connection db: " "lets its account read"
psql -qX "$owner" -c "GRANT SELECT ON t TO reader" >/dev/null
run_as 0 scan db && run_as 0 doctor && says "reachable, and its scan is up to date"

# A variable that the daemon alone has is no finding, and one that nothing has is.
printf 'connections:\n  db: { driver: postgres, url: "env:THE_URL" }\n' >carrel.yaml
finding 1 "url refers to the variable THE_URL, which is not set here" "export THE_URL"

# A port that is taken, by whom.
sed -i '1i server: { port: 0 }' carrel.yaml && THE_URL=$reader run_as 0 mcp start
run_as 0 doctor && says "reachable, and its scan is up to date"
port=$(sed -n 's/.*"port":\([0-9]*\).*/\1/p' .carrel/mcp.json)
run 0 init "$scratch/q" && cd "$scratch/q" && printf 'server: { port: %d }\n' "$port" >carrel.yaml
finding 0 "port $port is taken by the Carrel of $scratch/p" "--port N"
finish
