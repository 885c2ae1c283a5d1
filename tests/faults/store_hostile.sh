#!/bin/bash
# A node whose store says what it likes: each column of each table in turn has a text with controls, one of megabytes, none,
# bytes of the wrong length, the least and the greatest number.  No process of the node ends by it, each command answers, and
# prints no control; once the rows are as they were, everything is as before, and the audit verifies.
# usage: store_hostile.sh BIN_DIRECTORY
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=$(realpath "$1") pg=$here/../support/pg.sh
if [ -z "${PG_DIR:-}" ]; then exec bash "$pg" run - bash "$0" "$bin"; fi
work=$(mktemp -d)
chmod 755 "$work"
failed=0
fail() { echo "FAILED: $*"; failed=1; }
on() { timeout 30 "$bin/carrel" -C "$work/a" "$@" 2>&1; }
trap 'on mcp stop >/dev/null; rm -rf "$work"' EXIT
psql() { (cd / && "$pg" psql "$PG_DIR" -d carrel -Atc "$1"); }
(cd / && "$pg" psql "$PG_DIR" -c "CREATE ROLE carrel LOGIN PASSWORD 'topsecret'" -c "CREATE DATABASE carrel OWNER carrel") || exit 1
CARREL_STATE_URL=$(cd / && "$pg" dsn "$PG_DIR" carrel topsecret carrel)
export CARREL_STATE_URL HOME=$work
"$bin/carrel" init --demo "$work/a" >/dev/null 2>&1 || exit 1
cat >>"$work/a/carrel.yaml" <<'END'
state: env:CARREL_STATE_URL
node: { name: a }
connectivity: { enabled: true }
oauth: { enabled: true }
END
url=$(on mcp start --port 0 --json | sed -n 's/.*"url":"\([^"]*\)\/mcp".*/\1/p')
[ -n "$url" ] || exit 1
(umask 077 && echo 'correct horse battery staple' >"$work/password")
secret=$(on token create --label first --json | sed 's/.*"secret":"\([^"]*\)".*/\1/')
on user add ada --role contributor --password-file "$work/password" >/dev/null || fail "no user"
on client add --name client --redirect http://localhost:9/back >/dev/null || fail "no client"
printf 'a,b\n1,2\n' >"$work/x.csv" && on dataset import "$work/x.csv" --publish >/dev/null || fail "no dataset"
on ingest text 'Remember: the quay is closed.' >/dev/null || fail "no note"
asks() { # the status of a call by the token
	curl -s -m 20 -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $secret" -H 'Content-Type: application/json' \
		-H 'Accept: application/json, text/event-stream' -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/list' \
		"$url/mcp" -d '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{
		"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}'
}
commands=("status" "cluster status" "token list" "user list" "client list" "key list" "dataset list" "audit search --all-nodes")
ends() { grep -cE 'killed by|signal [0-9]' "$work/a/.carrel/logs/mcp.log"; }
bump="UPDATE carrel.revision SET number = number + 1; INSERT INTO carrel.mark SELECT number, 1, 1 FROM carrel.revision"
tried=0
# TABLE COLUMN VALUE: the first row has it, for a moment.
says() {
	local out code
	psql "BEGIN; CREATE TABLE carrel.kept AS SELECT * FROM carrel.$1;
		UPDATE carrel.$1 SET $2 = $3 WHERE ctid = (SELECT min(ctid) FROM carrel.$1); $bump; COMMIT" >/dev/null 2>"$work/why" || {
		psql "DROP TABLE IF EXISTS carrel.kept" >/dev/null 2>&1
		return # a constraint of the table
	}
	sleep 0.4
	asks >/dev/null
	for command in "${commands[@]}"; do
		out=$(on $command)
		code=$?
		[ $code -lt 124 ] || fail "$1.$2 = $3: $command ends with $code"
		LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xae' <<<"$out" && fail "$1.$2 = $3: $command prints controls"
	done
	[ "$(ends)" = 0 ] || {
		fail "$1.$2 = $3: a process ended: $(grep -E 'killed by|signal [0-9]' "$work/a/.carrel/logs/mcp.log")"
		exit 1
	}
	psql "BEGIN; DELETE FROM carrel.$1; INSERT INTO carrel.$1 SELECT * FROM carrel.kept; DROP TABLE carrel.kept; $bump; COMMIT" >/dev/null
	tried=$((tried + 1))
}
controls="E'x\\x1b[31mEVIL\\x1b]0;title\\x07\\r\\n\\u202E\\u0085<b>&\"'''"
while IFS='|' read -r table column type; do
	[ "$(psql "SELECT count(*) FROM carrel.$table")" -gt 0 ] || continue
	case $type in
	text) values=("$controls" "repeat('x', 3000000)" "''") ;;
	bytea) values=("decode(repeat('ff', 3000000), 'hex')" "''" "'\\xff'") ;;
	*) values=("-1" "9223372036854775807" "(-9223372036854775808)::bigint") ;;
	esac
	for value in "${values[@]}"; do says "$table" "$column" "$value"; done
done < <(psql "SELECT c.table_name, c.column_name, c.data_type FROM information_schema.columns c WHERE c.table_schema = 'carrel'
	AND c.table_name NOT IN ('version', 'revision', 'mark') AND c.data_type IN ('text', 'bytea', 'bigint') ORDER BY 1, 2")
for late in {1..100}; do [ "$(asks)" != 200 ] || break; sleep 0.2; done
[ "$(asks)" = 200 ] || fail "the token is not good at the end: $(asks)"
on audit verify >/dev/null || fail "the audit: $(on audit verify)"
[ $tried -gt 150 ] || fail "$tried tried"
[ $failed = 0 ] && echo "$tried values in the store ended no process"
exit $failed
