# Connections are added to the file as a person would have written them.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

"$carrel" init "$scratch/p" >/dev/null
cd "$scratch/p" || exit 1
cat >carrel.yaml <<'END'
# who owns this file
connections:
  # the first one
  shop: { driver: sqlite, path: shop.db }   # small

server:
  port: 7900   # not the default
END

mkdir data && sqlite3 data/second.db 'CREATE TABLE t(a)'
run 0 connection add second --path data/second.db --workers 3 && is_quiet
grep -qF '# the first one' carrel.yaml && grep -qF '# small' carrel.yaml && grep -qF '# not the default' carrel.yaml ||
	fail "a comment was lost: $(cat carrel.yaml)"
run 0 connection list && says '"id":"second"' && says "$scratch/p/data/second.db"
run 1 connection add second --path x.db && complains "second" && one_sentence
run 2 connection add 'no good' --path x.db && one_sentence
run 2 connection add third && one_sentence
run 2 connection add third --driver oracle && complains "sqlite" && one_sentence
run 2 connection add third --path x.db --host h && one_sentence

# Passwords: a reference, or standard input; never the command line.
run 2 connection add pg --url postgres://reader:hunter2@db.example.org/shop && complains "env:" && one_sentence
grep -q hunter2 carrel.yaml "$err" && fail "the password was written somewhere"
run 2 connection add pg --url 'postgres://db.example.org/shop?user=a&password=hunter2' && one_sentence
run 2 connection add pg --host h --database d --user u --password hunter2 && complains "env:" && one_sentence
run 0 connection add pg1 --url env:WAREHOUSE_URL --schema public --schema sales && complains "WAREHOUSE_URL" && one_sentence
SHOP_URL=mysql://u:secret@db.example.org/shop run 0 connection add my --url env:SHOP_URL && is_quiet
grep -qF 'driver: mysql' carrel.yaml || fail "the driver is not that of the URL: $(cat carrel.yaml)"
grep -qF secret@ carrel.yaml && fail "the password was written"
PGPASS=x run 0 connection add pg2 --host db.example.org --database shop --user reader --password env:PGPASS && is_quiet
"$carrel" connection add pg3 --host db.example.org --port 5433 --database shop --user reader --password-stdin \
	>"$out" 2>"$err" <<<'hunter2: "quoted" #x' || fail "--password-stdin"
secret=$scratch/p/.carrel/secrets/pg3.password
[ "$(cat "$secret")" = 'hunter2: "quoted" #x' ] || fail "the password was not kept"
[ "$(stat -c %a "$secret")" = 600 ] || fail "the password can be read by others"
grep -q hunter2 carrel.yaml && fail "the password is in carrel.yaml"
run 0 connection list && says '"where":"env:WAREHOUSE_URL"' && says '"where":"db.example.org:5433/shop"'

# Keys without an option of their own; each is its driver's.
run 0 connection add keys --url env:WAREHOUSE_URL --set sslmode=verify-full --set sslrootcert=roots.pem
grep -A4 '^  keys:' carrel.yaml | grep -q 'sslrootcert: roots.pem' || fail "the key was not kept"
run 0 connection remove keys
run 2 connection add keys2 --url env:WAREHOUSE_URL --set colour=red && complains "KEY=VALUE" && one_sentence
run 2 connection add keys2 --path data/second.db --set sslmode=require && complains "a key of SQLite" && one_sentence
run 2 connection add keys2 --host h --database d --set password=hunter2 && complains "never the password" && one_sentence

# What is amiss is said at once: no file, a directory, no database; `~` is the home directory.
run 0 connection add gone --path no/such.db && complains "$scratch/p/no/such.db" && one_sentence
run 0 connection add dir --path data && complains "directory" && one_sentence
echo text >data/text.db
run 0 connection add text --path data/text.db && complains "no SQLite database" && one_sentence
HOME=$scratch run 0 connection add home --path '~/p/data/second.db' && is_quiet
grep -qF "path: $scratch/p/data/second.db" carrel.yaml || fail "~ was kept"
(cd data && run 0 connection add here --path second.db && is_quiet)
# Nor does the last word say that all is well.
run 0 connection add under --path data/second.db/x && complains "$scratch/p/data/second.db/x" && one_sentence
mkfifo data/pipe.db
run 0 connection add pipe --path data/pipe.db && complains "no file" && one_sentence
"$carrel" connection add gone2 --path no/such.db 2>/dev/null | grep -q 'does not work yet' ||
	fail "a connection without a database was added as if it worked"
"$carrel" connection edit gone2 --path data/second.db 2>&1 | grep -q 'not work' && fail "it works now"
"$carrel" connection add works --path data/second.db 2>&1 | grep -q '^Added. Next:' || fail "a good connection"
# A server is asked once: one that refuses, and one that takes the connection and never says a word.
add_server() { # name, port
	timeout 60 "$carrel" connection add "$1" --host 127.0.0.1 --port "$2" --database shop --user reader \
		--password-stdin >"$out" 2>"$err" <<<secret || fail "connection add $1: $(cat "$err")"
	says "it does not work yet" && says "carrel connection edit $1" && says "carrel connection remove $1"
}
add_server refused 1 && says "Connection refused" && says "127.0.0.1, port 1" && is_quiet
coproc SILENT { exec node -e 'const s = require("net").createServer(() => {}).listen(0, "127.0.0.1", () => console.log(s.address().port))'; }
silent=$SILENT_PID
read -r port <&"${SILENT[0]}"
add_server silent "$port" && says "timeout expired" && says "port $port" && is_quiet
kill "$silent"
run 1 connection add schemas --host 127.0.0.1 --port 1 --database shop --user reader --password env:PATH --all-schemas
complains "Connection refused" && complains "carrel connection edit schemas --all-schemas"
for name in refused silent schemas gone dir text home here under pipe gone2 works; do run 0 connection remove $name; done

# Edited in place: the keys that are named, nothing else.
run 0 connection edit second --workers 5 && is_quiet
grep -qF 'workers: 5' carrel.yaml && grep -qF 'path: data/second.db' carrel.yaml || fail "not edited: $(cat carrel.yaml)"
run 0 connection edit pg1 --host db2.example.org --database shop --user u
grep -qF 'url: env:WAREHOUSE_URL' carrel.yaml && fail "the url stayed beside the host"
WAREHOUSE_URL=x run 0 connection edit pg1 --url env:WAREHOUSE_URL && is_quiet
grep -qF db2.example.org carrel.yaml && fail "the host stayed beside the url"
run 0 connection list && says '"where":"env:WAREHOUSE_URL"'
run 2 connection edit pg1 && one_sentence
# The file that is configured tells the driver, from wherever the command is called.
printf '\0\0\0\0\0\0\0\0DUCK%100s' '' >data/file.duckdb
for path in data/file.duckdb '~/p/data/file.duckdb'; do
	(cd / && HOME=$scratch "$carrel" -C "$scratch/p" connection add other --path "$path" >"$out" 2>"$err")
	grep -qF 'driver: duckdb' carrel.yaml || fail "$path: $(tail -n 3 carrel.yaml)"
	run 0 connection remove other
done
run 1 connection edit nobody --workers 3 && complains "nobody" && one_sentence
run 1 connection edit shop --path data/second.db && complains "braces" && one_sentence
run 2 connection edit second --url postgres://a:b@c/d && one_sentence
run 2 connection edit second --workers 99999999999999999999 && one_sentence
grep -qF 'workers: 5' carrel.yaml || fail "a refused edit changed the file"

run 0 connection remove shop && is_quiet
run 0 connection list
grep -q '"id":"shop"' "$out" && fail "shop is still there"
grep -qF '# not the default' carrel.yaml || fail "a comment was lost with shop"
run 1 connection remove shop && one_sentence
finish
