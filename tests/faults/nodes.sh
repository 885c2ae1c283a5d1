#!/bin/bash
# Two nodes with one store.  A note whose writer dies before it has begun to write it is the other node's; one that was begun
# stays, and is finished when that node is back, or is released to the other one: each is written once.  A node whose clock is a minute ahead decides as the
# store's clock does.
# usage: nodes.sh BIN_DIRECTORY
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=$(realpath "$1") pg=$here/../support/pg.sh
elsewhen=$bin/../../tests/elsewhen.so
if [ -z "${PG_DIR:-}" ]; then exec bash "$pg" run - bash "$0" "$bin"; fi
work=$(mktemp -d)
chmod 755 "$work"
failed=0
fail() { echo "FAILED: $*"; failed=1; }
killed() { # NODE: all of its daemon
	local daemon
	daemon=$(sed -E 's/.*"pid": ?([0-9]+).*/\1/' "$work/$1/.carrel/mcp.json" 2>/dev/null) || return
	kill -KILL "$daemon" $(pgrep -P "$daemon") 2>/dev/null
}
trap 'killed a; killed b; rm -rf "$work"' EXIT
(cd / && "$pg" psql "$PG_DIR" -c "CREATE ROLE carrel LOGIN PASSWORD 'topsecret'" -c "CREATE DATABASE carrel OWNER carrel") || exit 1
CARREL_STATE_URL=$(cd / && "$pg" dsn "$PG_DIR" carrel topsecret carrel)
export CARREL_STATE_URL HOME=$work GIT_CONFIG_NOSYSTEM=1
"$bin/carrel" init --demo "$work/a" >/dev/null 2>&1 || exit 1
printf 'state: env:CARREL_STATE_URL\nnode: { name: a }\nconnectivity: { enabled: true }\n' >>"$work/a/carrel.yaml"
git init -q "$work/a" && git -C "$work/a" add wiki semantic-layer && git -C "$work/a" -c user.name=U -c user.email=u@example.com commit -qm first
cp -a "$work/a" "$work/b" && sed -i 's/name: a/name: b/' "$work/b/carrel.yaml"
on() { "$bin/carrel" -C "$work/$1" "${@:2}" --json 2>&1; }
declare -A url
start() { # NODE [FAULTS]
	url[$1]=$(CARREL_FAULTS=${2:-} on "$1" mcp start --port 0 | sed -n 's/.*"url":"\([^"]*\)\/mcp".*/\1/p')
	[ -n "${url[$1]}" ] || { fail "$1 does not start"; exit 1; }
}
tool() { # NODE NAME ARGUMENTS
	curl -s -m 20 -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
		-H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/call' -H "Mcp-Name: $2" "${url[$1]}/mcp" \
		-d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"'"$2"'","arguments":'"$3"',"_meta":{
		"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}'
}
keep() { tool "$1" memory_ingest '{"content":"'"$2"'"}' | grep -oE 'mem-[0-9]{13}-[0-9a-f]{24}' | head -n 1; }
status() { tool "$1" memory_ingest_status '{"runId":"'"$2"'"}'; }
within() { # SECONDS COMMAND...
	local until=$((SECONDS + $1))
	until "${@:2}"; do [ $SECONDS -lt $until ] || return 1; sleep 0.1; done
}
writes() { on "$1" cluster status | grep -qE "\"name\":\"$2\"[^}]*\"writes\":true"; }
done_at() { status "$1" "$2" | grep -q '"done":true'; }
wrote() { cat "$work/$1"/wiki/global/*.md | grep -c "$2"; }
state_of() { (cd / && "$pg" psql "$PG_DIR" -d carrel -Atc "SELECT state FROM carrel.note WHERE id = '$1'"); }
is_at() { [ "$(state_of "$1")" = "$2" ]; }

# POINT STATE WRITER TEXT: a stops there with the note in that state, and dies; WRITER writes it.
dies_at() {
	start a "memory.$1=stall"
	start b
	within 10 writes b a || fail "a is not the writer"
	local id
	id=$(keep b "Remember: $4.")
	[ -n "$id" ] || fail "$1: not accepted"
	within 10 is_at "$id" "$2" || fail "$1: the note is in state $(state_of "$id"), not $2"
	sleep 0.3
	killed a
	within 15 writes b b || fail "$1: b does not take the writing over"
	if [ "$3" = b ]; then
		within 10 done_at b "$id" || fail "$1: b does not write it: $(status b "$id")"
	else
		sleep 2
		status b "$id" | grep -q 'the node a was writing this note and is away' || fail "$1: b does not say where it is: $(status b "$id")"
	fi
	start a
	within 15 done_at b "$id" || fail "$1: it is not done: $(status b "$id")"
	within 15 done_at a "$id" || fail "$1: a does not know: $(status a "$id")"
	sleep 1
	for node in a b; do
		local n
		n=$(wrote $node "$4")
		if [ $node = "$3" ]; then [ "$n" -ge 1 ] || fail "$1: $node did not write it"; else [ "$n" = 0 ] || fail "$1: $node wrote it too"; fi
		n=$(git -C "$work/$node" log --format=%B | grep -c "Carrel-Run: $id")
		[ "$n" = "$([ $node = "$3" ] && echo 1 || echo 0)" ] || fail "$1: $node has $n commits of it"
	done
	on a mcp stop >/dev/null; on b mcp stop >/dev/null
}
# POINT TEXT: a stops there and dies; its note is released, b writes it, and a takes back what it had written.
released_at() {
	start a "memory.$1=stall"
	start b
	within 10 writes b a || fail "released: a is not the writer"
	local id
	id=$(keep b "Remember: $2.")
	within 10 is_at "$id" 2 || fail "released, $1: the note is in state $(state_of "$id")"
	sleep 0.5
	says b 'a is there' || fail "released, $1: a node with a lease loses its note"
	killed a
	within 15 writes b b || fail "released, $1: b does not take the writing over"
	on b cluster status | grep -qE '"name":"a"[^}]*"holds":1' || fail "released, $1: the status does not say that a holds a note"
	on b cluster release a | grep -q "\"runs\":\"$id\"" || fail "released, $1: $(on b cluster release a)"
	says b 'holds no note' || fail "released, $1: released again"
	on b audit search --action node.release | grep -q "a $id" || fail "released, $1: not in the audit"
	within 10 done_at b "$id" || fail "released, $1: b does not write it: $(status b "$id")"
	[ "$(wrote b "$2")" -ge 1 ] || fail "released, $1: b did not write it"
	start a
	within 15 settled || fail "released, $1: a still has it queued"
	taken_back "$2" || fail "released, $1: a has $(wrote a "$2") times what b wrote: $(git -C "$work/a" log --format=%s -n 3)"
	within 15 done_at a "$id" || fail "released, $1: a does not know: $(status a "$id")"
	[ -z "$(git -C "$work/a" status --porcelain wiki semantic-layer)" ] || fail "released, $1: a left $(git -C "$work/a" status --porcelain)"
	[ "$(wrote b "$2")" -ge 1 ] || fail "released, $1: b lost it"
	on a mcp stop >/dev/null; on b mcp stop >/dev/null
}
says() { local said; said=$(on "$1" cluster release a); grep -q "$2" <<<"$said"; }
settled() { [ -z "$(ls "$work/a/.carrel/memory/queue")" ]; }
taken_back() { [ "$(wrote a "$1")" = 0 ]; }
released_at planned 'the lock gate weighs nine tons'
released_at applied 'the ferry leaves at seven'
released_at recorded 'the pilot boat is red'

dies_at consulted 1 b 'the harbour opens at six'
dies_at planned 2 a 'the quay is closed in winter'
dies_at applied 2 a 'the crane lifts forty tons'

# b's clock is a minute ahead: in a mount namespace of its own, where the programs load elsewhen.so.
if [ -e "$elsewhen" ] && unshare -Urm true 2>/dev/null; then
	start a
	url[b]=$(unshare -Urm bash -c '
		mkdir "$1/etc" && cp -a /etc/. "$1/etc" 2>/dev/null
		echo "$2" >"$1/etc/ld.so.preload" && mount --bind "$1/etc" /etc && mount -t tmpfs none /run || exit 1
		printf "\x3c\0\0\0\0\0\0\0" >/run/carrel-elsewhen && head -c 24 /dev/zero >>/run/carrel-elsewhen
		exec "$3/carrel" -C "$1/b" --json mcp start --port 0' bash "$work" "$(realpath "$elsewhen")" "$bin" |
		sed -n 's/.*"url":"\([^"]*\)\/mcp".*/\1/p')
	[ -n "${url[b]}" ] || fail "b does not start with another clock"
	code() { # NODE SECRET
		curl -s -m 10 -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $2" -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
			"${url[$1]}/mcp" -d '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}'
	}
	is() { [ "$(code "$1" "$2")" = "$3" ]; }
	secret() { sed 's/.*"secret":"\([^"]*\)".*/\1/'; }
	of_a=$(on a token create --label a | secret) of_b=$(on b token create --label b | secret)
	for token in "$of_a" "$of_b"; do for node in a b; do within 3 is $node "$token" 200 || fail "clock: $node answers $(code $node "$token")"; done; done
	# One that ends in 30 s by the store's clock has not ended for b, whose clock says that it has.
	(cd / && "$pg" psql "$PG_DIR" -d carrel -c "UPDATE carrel.token SET expires = floor(extract(epoch FROM clock_timestamp()) * 1000) + 30000;
		UPDATE carrel.revision SET number = number + 1; INSERT INTO carrel.mark SELECT number, 1, 1 FROM carrel.revision") >/dev/null
	sleep 1
	for node in a b; do is $node "$of_a" 200 || fail "clock: $node ends a token that has 30 s left: $(code $node "$of_a")"; done
	on a token revoke b >/dev/null
	within 2 is b "$of_b" 401 || fail "clock: b honours what was revoked: $(code b "$of_b")"
	within 15 eval 'on b doctor | grep -q "clock is .* ahead of the store"' || fail "clock: doctor at b does not say it: $(on b doctor | tail -c 600)"
	curl -s "${url[b]}/health/ready" | grep -q '"ready":true' || fail "clock: b is not ready"
else
	echo "no namespaces of our own here: no other clock"
fi
[ $failed = 0 ] && echo "notes are written once, and the store's clock decides"
exit $failed
