# What costs a ktx project a part of itself costs it no more than that part.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"
command -v sqlite3 >/dev/null || exit 77

project=$scratch/odd
mkdir -p "$project"/{wiki/global,semantic-layer/{shop,elsewhere/deep},raw-sources/shop/live-database}
sqlite3 "$project/shop.db" 'CREATE TABLE e(id INTEGER PRIMARY KEY, boss INTEGER REFERENCES e(id), name TEXT, pay REAL);
	INSERT INTO e VALUES (1, NULL, "Ada", 3), (2, 1, "Bob", 2), (3, 1, "Cy", 1)'
cat >"$project/ktx.yaml" <<'END'
connections:
  shop: { driver: sqlite, path: shop.db, maxConnections: 2, colour: red }
  lake: { driver: mongodb, path: lake.json }
  bare: { driver: postgres }
  docs: { driver: gdrive, folder_id: x }
END
mkdir -p "$project/semantic-layer/shop/_schema"
cat >"$project/semantic-layer/shop/_schema/public.yaml" <<'END'
tables:
  e:
    table: e
    columns:
      - {name: id, type: number, pk: true, nullable: false}
      - {name: boss, type: number}
      - {name: name, type: string}
      - {name: pay, type: number}
    joins:
      - {to: e, on: e.boss = e.id, relationship: many_to_one, source: formal}
      - {to: e, on: e.id = e.boss, relationship: one_to_many, source: formal}
END
printf 'name: people\nowner: me\nlabel: Leute\ntable: e\ngrain: [id]\ncolumns:\n  - {name: id, type: number}\nmeasures:\n  - {name: heads, expr: count(*), synonyms: [Kopfzahl], unit: people, format: "0"}\n' \
	>"$project/semantic-layer/shop/people.yaml"
printf 'name: torn\ntable: e\ncolumns: [\n' >"$project/semantic-layer/shop/half.yaml"
printf 'name: far\ntable: t\ngrain: [id]\ncolumns:\n  - {name: id, type: number}\n' >"$project/semantic-layer/elsewhere/deep/x.yaml"
printf -- '---\nsummary: pay of the shop\nconnections: [shop]\n---\nPay is net.\n' >"$project/wiki/global/pay-shop.md"
printf -- '---\nsummary: pay of the lake\nconnections: [lake]\n---\nPay is gross.\n' >"$project/wiki/global/pay-lake.md"
printf -- '---\nsummary: pay everywhere\n---\nPay is pay.\n' >"$project/wiki/global/pay-all.md"
at() { run "$1" -C "$project" --json "${@:2}"; }

# Connections: each unavailable one with its reason, none of them in the way.
at 0 sql -c shop 'SELECT count(*) FROM e' && says '[[3]]'
at 1 sql -c lake 'SELECT 1' && complains 'mongodb'
at 1 sql -c bare 'SELECT 1' && complains 'needs a url, or host and database'
at 0 connection list && for id in shop lake bare docs; do says "\"id\":\"$id\""; done
cp "$project/ktx.yaml" "$scratch/before.yaml"
at 1 connection edit shop --path other.db && complains 'Carrel never writes it: change it by hand' && complains 'schemas: [A, B]'
at 1 scan bare --all-schemas && complains 'bare is not served' && complains 'carrel status'
at 1 details -c bare x && says 'is not available: a postgres connection needs a url'
! finds 'carrel scan' "$out" || fail "a scan that cannot be"
at 1 details -c lake x && says 'does not serve its driver, mongodb'
cmp -s "$project/ktx.yaml" "$scratch/before.yaml" || fail "ktx.yaml was written"
KTX_PROJECT_DIR=$project run 0 --json sql -c shop 'SELECT 1' && says '[[1]]'
CARREL_PROJECT_DIR=$project KTX_PROJECT_DIR=/nowhere run 0 --json sql -c shop 'SELECT 1'

# A join that nothing could name, and keys of later versions, are passed over and told.
at 0 sl query -c shop -m 'sum(e.pay)' -d e.boss && says '[[null,3],[1,3]]'
at 0 sl query -c shop -m people.heads && says '[[3]]'
at 0 discover Kopfzahl && says '"id":"people.heads"'
at 1 sl validate && says '"path":"_schema/public.yaml","line":10,"severity":"warning","category":"invalid_join"' &&
	says '"path":"people.yaml","line":2,"severity":"warning","category":"invalid_source"' && says 'the key \"owner\"'
printf 'name: e\nmeasures:\n  - {name: staff, expr: count(*)}\n' >"$project/semantic-layer/shop/e.yaml"
at 1 sl validate && says '"path":"e.yaml","line":null' && says 'here or in the scanned source below _schema, has no'
rm "$project/semantic-layer/shop/e.yaml"
at 0 scan && complains 'bare is passed over: a postgres connection needs' &&
	complains 'lake is passed over: driver "mongodb" is not served'
grep -q 'alias: e_boss' "$project/semantic-layer/shop/_schema/public.yaml" || fail "the scan wrote no alias"
at 0 sl query -c shop -m 'n=count(e.id)' -d e_boss.name && says '["Ada",2]'

# Sources of a connection that is not configured, and files that are broken, can be read.
frames() { printf '%s\n' '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
	'{"jsonrpc":"2.0","method":"notifications/initialized"}'; }
tool() { frames; printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n' "$1" "$2"; }
call() { tool "$@" | "$carrel" -C "$project" mcp stdio >"$out" 2>"$err"; }
call sl_read_source '{"connectionId":"elsewhere","sourceName":"far"}' && says '"yaml":"name: far'
call sl_read_source '{"connectionId":"elsewhere","sourceName":"near"}' && says 'source_not_found' && says 'There is: far'
call sl_read_source '{"connectionId":"nowhere","sourceName":"far"}' && says 'connection_not_found'
call sl_read_source '{"connectionId":"../shop","sourceName":"far"}' && says 'connection_not_found'
call sl_read_source '{"connectionId":"shop","sourceName":"torn"}' && says 'columns: [' && says '"problem":"line'

# What ktx's clients send and read.
call sl_query '{"connectionId":"shop","measures":["people.heads"],"include":["sql"]}' && says '"totalRows":1' && says '"sql":"SELECT'
grep -q '"plan"' "$out" && fail "a plan that was not asked for"
call sl_query '{"connectionId":"shop","measures":["people.heads"]}' && says '"rowCount":1'
grep -q '"sql"' "$out" && fail "SQL that was not asked for"
call sl_query '{"connectionId":"shop","measures":["people.heads"],"limit":999999}' && says 'limit is 10000'
call wiki_search '{"query":"pay","connectionId":"shop"}' && says '"pay-shop"' && says '"pay-all"' && says '"totalFound":2'
grep -q 'pay-lake' "$out" && fail "a page of another connection"
call wiki_search '{"query":"pay"}' && says '"totalFound":3'
call entity_details '{"connectionId":"shop","entities":[{"table":{"db":"x","name":"e"}},{"table":"x.e"},{"table":{"db":"main","name":"e"}},{"table":"e","columns":["bos"]}]}'
[ "$(grep -o '"code":"table_not_found"' "$out" | wc -l)" = 2 ] || fail "a schema that does not exist was found"
says '"table":{"db":"x","name":"e"}' && says '"candidates":["boss"'

# ktx's names of variables are understood, and give way to ours.
asked() { curl -s -o "$out" -w '%{http_code}' "${@:2}" -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
	-d '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' "$1"; }
for both in 0 1; do
	[ $both = 1 ] && export CARREL_MCP_TOKEN=ours-ours-ours-ours-ours-ours-ours
	KTX_MCP_TOKEN=theirs-theirs-theirs-theirs-theirs at 0 mcp start --port 0
	unset CARREL_MCP_TOKEN
	url=$(grep -o '"url":"[^"]*"' "$out" | cut -d'"' -f4)
	expected=(200 401) && [ $both = 1 ] && expected=(401 200)
	[ "$(asked "$url")" = 401 ] || fail "no token is needed"
	[ "$(asked "$url" -H 'Authorization: Bearer theirs-theirs-theirs-theirs-theirs')" = "${expected[0]}" ] || fail "KTX_MCP_TOKEN, round $both"
	[ "$(asked "$url" -H 'Authorization: Bearer ours-ours-ours-ours-ours-ours-ours')" = "${expected[1]}" ] || fail "CARREL_MCP_TOKEN, round $both"
	at 0 mcp stop
done

# A dictionary that is not there, one that cannot be read, and one that can: status tells them apart.
scan=$(find "$project/raw-sources/shop/live-database" -mindepth 1 -maxdepth 1 -type d | sort | tail -n 1)
at 0 mcp start --port 0
at 0 status && says '"dictionary":"no_profile_artifact"'
mkdir -p "$scan/enrichment" && echo '{"tables": [' >"$scan/enrichment/relationship-profile.json"
at 0 mcp reload && at 0 mcp restart --port 0
at 0 status && says '"dictionary":"unreadable"' && says 'enrichment/relationship-profile.json'
run 0 -C "$project" status
run_as 0 -C "$project" status && says 'enrichment/relationship-profile.json'
at 0 scan --deep shop
at 0 status && says '"dictionary":"ready"'
at 0 mcp stop
finish
