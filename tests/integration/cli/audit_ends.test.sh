# Both ends of the audit: what is removed, put back or added there while Carrel is stopped is named by verify, with and
# without a daemon, and after every start; tail marks rows that are not of the chain; secrets are on record in no form.
command -v sqlite3 >/dev/null || { echo "no sqlite3 here"; exit 77; }
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

mkdir "$scratch/original" && cd "$scratch/original" || exit 1
run 0 init --demo .
get() { node -pe "const d = JSON.parse(require('fs').readFileSync('$out', 'utf8')); $1" 2>/dev/null; }
holds() { [ "$(get "$1")" = true ] || fail "not so: $1"; }
sql() { sqlite3 .carrel/state.db "$1" || fail "$1"; }

# --- secrets, however they are written -------------------------------------------------------
run 0 mcp start --port 0
port=$(sed -E 's/.*"port": ?([0-9]+).*/\1/' .carrel/mcp.json)
run 0 token create --label keep
token=$(get d.secret)
secret=${token##*_}
[ ${#secret} = 32 ] || fail "no secret: $(cat "$out")"
post() { curl -s "http://127.0.0.1:$port/mcp" -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
	-H 'MCP-Protocol-Version: 2026-07-28' -H "Mcp-Method: $1" -H "Mcp-Name: $2" -d "$3" >"$scratch/answer"; }
meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
mac=Zk3vQ9xW1nB7rT5yU2iO8pA6sD4fG0hJ-lK_cVbN3mQ
for spelling in "$token" "${token//_/%5F}" "${token//_/%255f}"; do
	uri="carrel://wiki/$spelling"
	post resources/read "$uri" '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"'"$uri"'",'"$meta}}"
done
for text in "$token" "crlrt_AbCdEfGhIjKlMnOpQrStUvWx_1_$mac" "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ1c2VyIn0.$mac" \
    "postgres://reader:$mac@h/db" "password=$mac" "https://h/cb?code=$mac"; do
	post tools/call sql_execution '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sql_execution","arguments":{"connectionId":"warehouse","sql":"SELECT '"'$text'"' AS t"},'"$meta}}"
done
run 0 audit export
[ "$(grep -c '"action":"mcp.resource.read"' "$out")" = 3 ] && [ "$(grep -c '"target":"sql_execution"' "$out")" = 6 ] || fail "not all is on record"
! finds -F "$secret" "$out" && ! finds -F "$mac" "$out" || fail "a secret is on record: $(grep -F -e "$secret" -e "$mac" "$out" | head -n 2)"
run 0 mcp stop
run 0 audit verify && holds 'd.ok === true && d.problems.length === 0'
last=$(get d.last_seq)
sqlite3 .carrel/state.db "SELECT seq || ', ''' || hash || ''', ''' || mac || '''' FROM audit_head" >"$scratch/head"
cp .carrel/state.db "$scratch/older.db"
for i in 1 2 3; do run 0 sql "SELECT $i"; done
run 0 audit verify && holds 'd.ok === true'
newest=$(get d.last_seq)
cd "$scratch" || exit 1

# --- each attack, on a copy ------------------------------------------------------------------
forge() {
	node -e '
		const [seq, entry, hash] = process.argv.slice(1), e = JSON.parse(entry), n = Number(seq) + 1;
		Object.assign(e, { seq: n, principal: { kind: "user", id: "user:alice" }, statement: "SELECT * FROM salaries" });
		delete e.prev; e.prev = hash;
		const text = JSON.stringify(e), own = require("crypto").createHash("sha256").update(Buffer.from(hash, "hex")).update(text).digest("hex");
		console.log(`INSERT INTO audit VALUES(${n}, ${"\u0027" + text.replaceAll("\u0027", "\u0027\u0027") + "\u0027"}, ${"\u0027" + own + "\u0027"})`);
	' "$(sql 'SELECT max(seq) FROM audit')" "$(sql 'SELECT entry FROM audit ORDER BY seq DESC LIMIT 1')" "$(sql 'SELECT hash FROM audit ORDER BY seq DESC LIMIT 1')"
}
attack() {
	case $1 in
	emptied) sql 'DELETE FROM audit; DELETE FROM audit_head' ;;
	emptied-with-mark) sql "DELETE FROM audit; DELETE FROM audit_head; DELETE FROM setting WHERE key LIKE 'audit.%'" ;;
	emptied-with-all) sql "DELETE FROM audit; DELETE FROM audit_head; DELETE FROM setting WHERE key LIKE 'audit.%'"; : >.carrel/state.db-head ;;
	new-store) rm -f .carrel/state.db .carrel/state.db-wal .carrel/state.db-shm ;;
	older) rm -f .carrel/state.db-wal .carrel/state.db-shm; cp "$scratch/older.db" .carrel/state.db ;;
	older-tables) sql "DELETE FROM audit WHERE seq > $last; DELETE FROM audit_head; INSERT INTO audit_head VALUES($(cat "$scratch/head"))" ;;
	older-without-copy) attack older; rm .carrel/state.db-head ;;
	older-head) sql "DELETE FROM audit_head; INSERT INTO audit_head VALUES($(cat "$scratch/head"))" ;;
	truncated) sql "DELETE FROM audit WHERE seq > $last" ;;
	front) sql "DELETE FROM audit WHERE seq <= 2" ;;
	behind) sql "$(forge)" ;;
	second-head) sql "INSERT INTO audit_head SELECT * FROM audit_head" ;;
	no-head) sql "DELETE FROM audit_head" ;;
	mark) sql "UPDATE setting SET value = '9:00' WHERE key = 'audit.begun'" ;;
	esac
}
named() { holds "d.ok === false && d.problems.some((p) => p.kind === '$1' && ($2))" || echo "   after $attack: $(head -c 600 "$out")"; }

while read -r attack kind at; do
	rm -rf "$scratch/p" && cp -a "$scratch/original" "$scratch/p" && cd "$scratch/p" || exit 1
	attack "$attack"
	run 1 audit verify && named "$kind" "$at"
	run 0 audit tail
	[ "$attack" != behind ] || holds "d.doubtful.join() === '$((newest + 1))'"
	run 0 mcp start --port 0
	run 1 audit verify && named "$kind" "$at"
	run 0 sql "SELECT 5"
	run 0 mcp stop
	run 1 audit verify && named "$kind" "$at"
	run 0 mcp start --port 0
	run 1 audit verify && named "$kind" "$at"
	if [ "$attack" = behind ]; then
		run 0 audit tail -n 100 && holds "d.doubtful.join() === '$((newest + 1))'"
		run_as 0 audit tail -n 100 --format table && finds "^ *$((newest + 1)) !" "$out" || fail "the forged row is not marked"
		run 0 audit search --text salaries && holds "d.entries.length === 1 && d.doubtful.join() === '$((newest + 1))'"
	else
		run 0 audit tail -n 100 && [ "$(get 'd.doubtful === undefined')" = true ] || [ "$kind" = head ] || fail "$attack: rows are marked: $(get d.doubtful)"
	fi
	run 0 mcp stop
done <<END
emptied missing p.seq===1
emptied-with-mark missing p.seq===1
emptied-with-all missing p.seq===1
new-store missing p.seq===1
older missing p.seq===$((last + 1))
older-tables missing p.seq===$((last + 1))
older-without-copy head true
older-head head p.seq===$last
truncated missing p.seq===$((last + 1))
front missing p.seq===1
behind inserted p.seq===$((newest + 1))
second-head head p.seq===$newest
no-head head p.seq===$newest
mark head true
END

# --- the whole state put back, as a backup is: not to be told, and no finding ------------------
rm -rf "$scratch/p" && cp -a "$scratch/original" "$scratch/p" && cd "$scratch/p" || exit 1
run 0 audit verify && holds 'd.ok === true'
finish
