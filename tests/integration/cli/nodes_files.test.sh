# Three nodes that share a store: what is imported on one of them is read, searched and removed on each.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

if [ -z "${PG_DIR:-}" ]; then
	exec bash "$SOURCE_DIR/tests/support/pg.sh" run - bash "$0"
fi
pg() { (cd / && "$SOURCE_DIR/tests/support/pg.sh" "$1" "$PG_DIR" "${@:2}"); }
pg psql -c "CREATE ROLE carrel LOGIN PASSWORD 'topsecret'" -c "CREATE DATABASE carrel OWNER carrel"
cd "$scratch" && CARREL_STATE_URL=$(pg dsn carrel topsecret carrel)
export CARREL_STATE_URL

"$carrel" init --demo "$scratch/a" >/dev/null
cat >>"$scratch/a/carrel.yaml" <<'END'
state: env:CARREL_STATE_URL
state_files_mb: 2
node: { name: a }
connectivity: { enabled: true, requests_per_min: 1000, global_per_min: 1000, sql_per_min: 1000 }
END
rm -rf "$scratch/a/.carrel/imports" # as it was made
cp -a "$scratch/a" "$scratch/b" && sed -i 's/name: a/name: b/' "$scratch/b/carrel.yaml"
cp -a "$scratch/a" "$scratch/c" && sed -i 's/name: a/name: c/' "$scratch/c/carrel.yaml"
declare -A url
on() { # NODE CODE ARGUMENT...
	cd "$scratch/$1" || exit 1
	run "$2" "${@:3}"
}
start() {
	on "$1" 0 mcp start --port 0
	url[$1]=$(sed -n 's/.*"url":"\([^"]*\)\/mcp".*/\1/p' "$out")
}
tool() { # NODE NAME ARGUMENTS: with the token; the answer is in $out
	curl -s -m 20 -K "$scratch/token" -H 'Content-Type: application/json' \
		-H 'Accept: application/json, text/event-stream' -H 'MCP-Protocol-Version: 2026-07-28' \
		-H 'Mcp-Method: tools/call' -H "Mcp-Name: $2" "${url[$1]}/mcp" \
		-d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"'"$2"'","arguments":'"$3"',"_meta":{
		"io.modelcontextprotocol/protocolVersion":"2026-07-28",
		"io.modelcontextprotocol/clientCapabilities":{}}}}' >"$out"
}
within() { # TENTHS COMMAND...: it succeeds
	local n
	for n in $(seq "$1"); do "${@:2}" && return; sleep 0.1; done
	fail "not within $1 tenths of a second: ${*:2}: $(cat "$out" "$err")"
}
reads() { # NODE TEXT SQL: the owner
	cd "$scratch/$1" && "$carrel" --json sql -c imports "$3" >"$out" 2>"$err" && grep -qF "$2" "$out"
}
files() {
	cd "$scratch/$1/.carrel" && find imports documents -name '*.db' -o -name '*.jsonl' | sort | xargs sha256sum
}
same() { [ "$(files a)" = "$(files b)" ] && [ "$(files a)" = "$(files c)" ]; }

start a
cp "$scratch/a/.carrel/signing.key" "$scratch/key"
for node in b c; do
	rm -rf "$scratch/$node/.carrel"
	on $node 0 cluster join --root-key-file "$scratch/key"
	start $node
done
on a 0 cluster status
w=$(sed -nE 's/.*"name":"([abc])"[^}]*"writes":true.*/\1/p' "$out")
[ "$w" = a ] || fail "the first node does not write: $w"
on a 0 token create --label one --scopes ext:datasets,ext:schema,ext:search,ext:sql
sed 's/.*"secret":"\([^"]*\)".*/header = "Authorization: Bearer \1"/' "$out" >"$scratch/token"

# A node that has nothing says so, and what to do.
on b 1 sql -c imports 'SELECT 1' && complains "imports"

printf 'city,n\nKiel,41\nBonn,17\n' >"$scratch/cities.csv"
on a 0 dataset import "$scratch/cities.csv" --publish
id=$(sed -n 's/.*"id":"\([0-9a-f-]\{36\}\)".*/\1/p' "$out")
table=dataset_$(echo "$id" | tr - _)
for node in b c; do
	within 60 reads $node 58 'SELECT sum(n) FROM cities'
	tool $node carrel_sql '{"sql":"SELECT sum(n) FROM '"$table"'"}' && says 58
	tool $node carrel_get_schema '{"dataset_id":"'"$id"'"}' && says '"city"'
done
within 20 same
# Another revision of the same table, and a second one.
printf 'city,n\nKiel,41\nBonn,18\n' >"$scratch/cities.csv"
on a 0 dataset import "$scratch/cities.csv" --replace
for node in b c; do within 60 reads $node 59 'SELECT sum(n) FROM cities'; done

# Documents, given at one node and at another.
printf 'The depot in Kiel closes at noon.\n' >"$scratch/depot.md"
printf 'Trains to Bonn leave from platform four.\n' >"$scratch/trains.md"
on b 0 dataset document "$id" "$scratch/depot.md"
on c 0 dataset document "$id" "$scratch/trains.md"
found() { tool "$1" carrel_search '{"query":"'"$2"'"}' && grep -qF "$3" "$out"; }
for node in a b c; do
	within 60 found $node 'depot noon' depot.md
	within 60 found $node 'trains platform' trains.md
done
on a 0 dataset document "$id" --drop depot.md
gone() { tool "$1" carrel_search '{"query":"depot noon"}' && ! grep -qF depot.md "$out"; }
for node in a b c; do within 60 gone $node; done
within 20 same
plain="SELECT count(*) FROM carrel.shared_piece WHERE encode(sealed, 'escape') ~ 'Bonn|SQLite'"
pg psql -d carrel -Atc "$plain" >"$scratch/plain"
grep -qx 0 "$scratch/plain" || fail "the database can read files"

# More than the store may have is said, and not kept; what was there goes on, also what it would have replaced.
seq 1 400000 | sed '1s/^/n\n/' >"$scratch/many.csv"
on a 1 dataset import "$scratch/many.csv" && complains "state_files_mb"
on a 1 dataset import "$scratch/many.csv" --name cities --replace && complains "state_files_mb"
within 60 same
for node in a b c; do within 20 reads $node 59 'SELECT sum(n) FROM cities'; done
curl -s "${url[b]}/metrics" >"$out" && says 'carrel_files_missing 0'
none_missing() { on a 0 cluster status && [ "$(grep -o '"missing":0' "$out" | wc -l)" = 3 ]; }
within 20 none_missing

# Removed on another node than the one that took it.
on b 0 dataset remove "$id"
no_table() { cd "$scratch/$1" && ! "$carrel" --json sql -c imports 'SELECT 1 FROM cities' >"$out" 2>"$err"; }
for node in a b c; do
	within 60 no_table $node
	within 20 gone $node
	[ -z "$(find "$scratch/$node/.carrel/documents" -name '*.jsonl')" ] || fail "$node has documents still"
done
within 20 same
# An import that was interrupted left a log: the next one mends that, and goes to all.
printf half >"$scratch/a/.carrel/imports/imports.db-wal"
on a 0 dataset import "$scratch/cities.csv" --name towns
within 60 reads c 59 'SELECT sum(n) FROM towns'

# Moved: a node's own copy may be an old one; what the store has is brought with the rows, and sent with them.
for node in a b c; do on $node 0 mcp stop; done
printf 'city,n\nKiel,1\n' >"$scratch/cities.csv"
start a
again() { (cd "$scratch/a" && "$carrel" --json dataset import "$scratch/cities.csv" --name towns --replace >"$out" 2>"$err"); }
within 100 again # it waits for its lease before it writes
on a 0 mcp stop
on b 0 state migrate --from env:CARREL_STATE_URL && complains "1 imported files are there"
[ "$(files a)" = "$(files b)" ] || fail "an older copy was moved: $(files a) $(files b)"
sed -i '/^state/d' "$scratch/b/carrel.yaml"
reads b '[1]' 'SELECT sum(n) FROM towns' || fail "without nodes: $(cat "$out" "$err")"
pg psql -c "CREATE DATABASE other OWNER carrel"
old=$CARREL_STATE_URL CARREL_STATE_URL=$(pg dsn carrel topsecret other)
on b 0 state migrate --to env:CARREL_STATE_URL && complains "1 imported files are there"
CARREL_STATE_URL=$old
finish
