# The audits of two nodes that share a store: copied, found on each of them, vouched for by each other, and attacked.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

if [ -z "${PG_DIR:-}" ]; then
	exec bash "$SOURCE_DIR/tests/support/pg.sh" run - bash "$0"
fi
pg() { (cd / && "$SOURCE_DIR/tests/support/pg.sh" "$1" "$PG_DIR" "${@:2}"); }
pg psql -c "CREATE ROLE carrel LOGIN PASSWORD 'topsecret'" -c "CREATE DATABASE carrel OWNER carrel"
sql() { pg psql -d carrel -qtA -c "SET search_path = carrel; $1"; }
cd "$scratch" && CARREL_STATE_URL=$(pg dsn carrel topsecret carrel)
export CARREL_STATE_URL

"$carrel" init --demo "$scratch/a" >/dev/null
printf 'state: env:CARREL_STATE_URL\nnode: { name: a }\n' >>"$scratch/a/carrel.yaml"
cp -a "$scratch/a" "$scratch/b"
sed -i 's/name: a/name: b/' "$scratch/b/carrel.yaml"
on() { # NODE CODE ARGUMENT...
	cd "$scratch/$1" || exit 1
	run "$2" "${@:3}"
}
declare -A url
start() {
	on "$1" 0 mcp start --port 0
	url[$1]=$(sed -n 's/.*"url":"\([^"]*\)\/mcp".*/\1/p' "$out")
}
ask() { # NODE: 42, as its owner
	curl -s -m 20 -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
		-H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/call' -H 'Mcp-Name: sql_execution' "${url[$1]}/mcp" \
		-d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sql_execution","arguments":{"connectionId":"warehouse",
		"sql":"SELECT 42"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
		"io.modelcontextprotocol/clientCapabilities":{}}}}' | tee "$scratch/answer" | grep -o '\[42\]'
}
receipt() { grep -oE '"carrel/receipt":"[^"]*"' "$scratch/answer" | cut -d'"' -f4; }
waits() { # SECONDS COMMAND...: until it succeeds
	local until=$((SECONDS + $1))
	until "${@:2}"; do [ $SECONDS -le $until ] || { fail "never: ${*:2}"; return 1; }; sleep 0.1; done
}
knows() { "$carrel" -C "$scratch/$1" audit show --all-nodes "$2" >/dev/null 2>&1; } # NODE RECEIPT: from the store
is_copied() { curl -s "${url[$1]}/metrics" | finds '^carrel_audit_uncopied_entries 0'; }
vouches() { "$carrel" -C "$scratch/$1" --json audit search --action checkpoint --limit 1 | grep -qF '"others":[{"node":"'"$2"; }
seals() { # NODE OTHER: two checkpoints name it, so that the first of them counts in an export
	[ "$("$carrel" -C "$scratch/$1" --json audit search --action checkpoint --limit 2 | grep -oF '"others":[{"node":"'"$2" | wc -l)" -ge 2 ]
}
auth_of() { "$carrel" -C "$scratch/$1" --json status | grep -oE '"role":"auth"[^}]*"pid":[0-9]+' | sed 's/.*://'; }

start a
start b
ask a >/dev/null && first=$(receipt)
# Another node knows the answer, and who asked; without being asked for all nodes it does not.
waits 5 knows b "$first"
on b 1 audit show "$first" && complains "no entry has the receipt"
on b 0 audit show --all-nodes "$first" && says '"node":"a"' && says '"statement":"SELECT 42"'
cd "$scratch/b" && run_as 0 audit search --all-nodes --text "SELECT 42" && finds -E "^node +seq" "$out" || fail "no nodes in the table"
ask b >/dev/null
waits 5 knows a "$(receipt)"
on a 0 audit search --all-nodes --text "SELECT 42" && says '"node":"a"' && says '"node":"b"'
on a 0 cluster status && says '"uncopied":'
[ "$(sql "SELECT count(*) FROM audit_copy WHERE position('SELECT 42'::bytea IN entry) > 0")" = 0 ] || fail "readable"

# A process that copies is killed under load, again and again: each entry is there, once.
for _ in 1 2 3; do
	for _ in 1 2 3 4 5 6 7 8; do ask a; done >"$scratch/load" &
	kill -KILL "$(auth_of a)"
	wait $!
	waits 10 ask a >/dev/null
done
waits 5 is_copied a
waits 25 vouches a b
waits 25 vouches b a
ask a >/dev/null
waits 25 seals a b
waits 5 is_copied a && waits 5 is_copied b
on b 0 audit verify --all-nodes && says '"node":"a","of":"copy"' && says '"node":"b","of":"audit"' && says '"problems":[]'
cd "$scratch/b" && run_as 0 audit verify --all-nodes && says "none contradicts another"

# Exports, at a place without Carrel's store: whole, one that was cut off, one that is not there, one that was edited.
for node in a b; do on $node 0 audit export -o "$scratch/$node.jsonl"; done
on a 0 audit export --node b -o "$scratch/copy.jsonl"
cmp <(head -n 5 "$scratch/copy.jsonl") <(head -n 5 "$scratch/b.jsonl") || fail "the copy of b is not its audit"
cd "$scratch" || exit 1
run 0 audit verify a.jsonl b.jsonl && says '"problems":[]'
head -n 4 b.jsonl >cut.jsonl
run 1 audit verify a.jsonl cut.jsonl && says '"node":"b"' && says '"kind":"missing"'
run 1 audit verify a.jsonl a.jsonl && says '"node":"b"' && says "which is not here at all"
sed 's/SELECT 42/SELECT 43/' b.jsonl >edited.jsonl
run 1 audit verify a.jsonl edited.jsonl && says '"kind":"changed"'
# What the last checkpoint of a file says may be anybody's word; one of another project is told by its key.
run 0 audit verify a.jsonl b.jsonl && [ "$(grep -oE '"key":"[0-9a-f]{64}"' "$out" | sort -u | wc -l)" = 1 ] || fail "one key"
"$carrel" init --demo "$scratch/c" >/dev/null && on c 0 token create --label x && on c 0 audit export -o "$scratch/c.jsonl"
cd "$scratch" || exit 1
run 1 audit verify a.jsonl b.jsonl c.jsonl && says "signed with another key than that of a"
run 2 audit verify --all-nodes a.jsonl

# What is done to the copies in the store.
of_b="chain = (SELECT chain FROM audit_chain WHERE node = 'b')"
sql "CREATE TABLE saved AS SELECT * FROM audit_copy WHERE $of_b AND seq IN (3, 4)"
sql "UPDATE audit_copy c SET entry = s.entry FROM saved s WHERE c.$of_b AND c.seq = 3 AND s.seq = 4;
	DELETE FROM audit_copy WHERE $of_b AND seq = 4"
on a 1 audit verify --all-nodes && says '"node":"b","seq":3,"kind":"changed"' && says '"node":"b","seq":4,"kind":"missing"'
! grep -qF '"node":"a","seq"' "$out" || fail "a is blamed"
sql "DELETE FROM audit_copy WHERE $of_b AND seq IN (3, 4); INSERT INTO audit_copy SELECT * FROM saved; DROP TABLE saved"
on a 0 audit verify --all-nodes

# A record that no node wrote names nothing: not what is exported, and not whose an entry is.
sql "INSERT INTO audit_chain(chain, node, seq, hash, mac, kept, point, point_hash, substance, days, at) SELECT
	set_byte(chain, 0, get_byte(chain, 0) # 1), node, seq, hash, mac, kept, point, point_hash, substance, days, at + 99999999
	FROM audit_chain WHERE node = 'b'"
on a 0 audit export --node b -o "$scratch/again.jsonl" && complains "not written by a node"
cmp <(head -n 5 "$scratch/copy.jsonl") <(head -n 5 "$scratch/again.jsonl") || fail "what was planted is exported"
sql "UPDATE audit_chain SET node = 'ghost' WHERE at > (SELECT max(at) FROM audit_chain WHERE node = 'a') + 9999999"
on a 1 audit export --node ghost -o "$scratch/again.jsonl" && complains "no record of a node names a copy of ghost"
sql "DELETE FROM audit_chain WHERE node = 'ghost'; UPDATE audit_chain SET node = 'ghost' WHERE node = 'b'"
on a 0 audit search --all-nodes --text "SELECT 42" && says '"node":"?"' && ! grep -qF ghost "$out" || fail "a planted name"
sql "UPDATE audit_chain SET node = 'b' WHERE node = 'ghost'; CREATE TABLE saved AS SELECT * FROM audit_copy WHERE $of_b AND seq = 3;
	UPDATE audit_copy SET hash = set_byte(hash, 1, get_byte(hash, 1) # 1) WHERE $of_b AND seq = 3"
on a 0 audit export --node b -o "$scratch/again.jsonl" && complains "a row of the copy is not as the node wrote it"
! grep -q '^{,' "$scratch/again.jsonl" || fail "a line that is no JSON"
sql "DELETE FROM audit_copy WHERE $of_b AND seq = 3; INSERT INTO audit_copy SELECT * FROM saved; DROP TABLE saved"
on a 0 audit verify --all-nodes

# A node's whole state is put back to an older one: it says so itself, the others too, and what it lacks is in the store.
on b 0 mcp stop
mkdir "$scratch/kept" && cp -p "$scratch/b/.carrel/"state.db* "$scratch/kept"
start b
ask b >/dev/null && lost=$(receipt)
waits 5 knows a "$lost"
on b 0 mcp stop
cp -p "$scratch/kept/"state.db* "$scratch/b/.carrel/"
start b
waits 10 ask b >/dev/null
on b 1 audit show "$lost"
on b 0 audit show --all-nodes "$lost" && says '"node":"b"'
on b 1 audit verify && says '"kind":"missing"' && says "the newest entries are missing"
ask b >/dev/null
waits 5 knows a "$(receipt)"
on a 1 audit verify --all-nodes && says '"node":"b"' && says "the newest entries are missing"
! grep -qE '"node":"a","seq"' "$out" || fail "a is blamed"
finish
