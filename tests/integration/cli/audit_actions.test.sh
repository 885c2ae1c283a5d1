# Whatever can be done to a server, by its owner, by clients and by life, is on record as what it was: after each thing
# exactly the actions that it is, with who did it, to what, and how it came out.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

mkdir "$scratch/project" && cd "$scratch/project" || exit 1
run 0 init --demo .
printf 'connectivity: { sql_per_min: 1000, requests_per_min: 1000, global_per_min: 1000 }\n' >>carrel.yaml
get() { node -pe "const d = JSON.parse(require('fs').readFileSync('$out', 'utf8')); $1" 2>/dev/null; }
me=local:$(id -u)

# The demo's scan was on record before anything that is looked at here.
run 0 audit tail -n 1 && seen=$(get 'd.entries.at(-1)?.seq ?? 0')

# Neither checkpoints nor what commands ask for their own answer are looked at.
ours="!(e.action === 'checkpoint' || (e.action === 'mcp.tool.call' && e.surface === 'cli'))"

# tells 'ACTION…' CONDITION...: exactly these were put on record since the last time, in this order, and of the last one,
# e, each condition holds.  What the supervisor tells comes a moment later.
tells() {
	local i said
	for ((i = 0; i < 600; i++)); do
		run 0 audit tail -n 50
		mapfile -t said < <(node -e "
			const d = JSON.parse(require('fs').readFileSync('$out', 'utf8'));
			const all = d.entries.filter(e => $ours), e = all.at(-1), news = all.filter(e => e.seq > $seen);
			const whole = news.length >= process.argv[1].split(' ').length;
			console.log(whole + '\\n' + d.entries.at(-1).seq);
			if (news.map(e => e.action).join(' ') !== process.argv[1]) console.log('the actions are ' + news.map(e => e.action).join(' '));
			const so = c => { try { return eval(c); } catch { return false; } };
			for (const c of whole ? process.argv.slice(2) : []) if (!so(c)) console.log('not so: ' + c);
		" -- "$@")
		[ "${said[0]}" = true ] && break
		sleep 0.1
	done
	[ "${#said[@]}" -eq 2 ] || fail "of $1: ${said[*]:2}"
	seen=${said[1]:-$seen}
}
owner="e.principal.kind === 'local' && e.principal.id === '$me' && e.surface === 'cli' && e.outcome === 'ok' && e.code === null"
whole="e.seq > 0 && !isNaN(Date.parse(e.at)) && e.prev.length === 64 && e.duration_ms >= 0"
file() { (umask 077 && printf '%s\n' "$2" >"$scratch/$1"); }

# --- by the owner, without a daemon ------------------------------------------------------------
file password 'correct horse battery staple'
run 0 user add ada --role viewer --password-file "$scratch/password"
tells user.add "$owner" "$whole" "e.target === 'ada' && e.policy.role === 'viewer' && e.policy.role_before === undefined"
run 1 user add ada --role viewer --password-file "$scratch/password"
run 0 user set ada --role contributor
tells user.set "$owner" "e.target === 'ada' && e.policy.role === 'contributor' && e.policy.role_before === 'viewer'"
run 0 user set ada --claim team=desk
tells user.set "$owner" "e.target === 'ada' && e.policy.role === 'contributor' && e.policy.role_before === undefined"
run 0 preferences set --user ada weekStart=sunday
tells user.set "$owner" "e.target === 'ada'"
run 0 user remove ada
tells user.remove "$owner" "e.target === 'ada'"
run 0 client add --name Notebook --redirect https://notebook.example/cb && id=$(get d.client.client_id)
tells client.add "$owner" "e.target === '$id'"
run 0 client remove "$id"
tells client.remove "$owner" "e.target === '$id'"
run 0 key rotate
tells key.rotate "$owner"
run 0 connectivity enable
tells connectivity.enable "$owner"
run 0 connectivity disable
tells connectivity.disable "$owner"
run 0 connectivity enable
tells connectivity.enable "$owner"
run 0 token create --label waits --no-reveal && id=$(get d.token.id)
tells token.create "$owner" "e.target === '$id'"
run 0 token reveal "$id"
tells token.reveal "$owner" "e.target === '$id'"
run 0 token revoke "$id"
tells token.revoke "$owner" "e.target === '$id'"
run 0 dataset publish warehouse orders && id=$(get d.dataset.id)
tells dataset.publish "$owner" "e.target === '$id'"
run 0 dataset unpublish "$id"
tells dataset.unpublish "$owner" "e.target === '$id'"
printf 'a,b\n1,2\n' >k.csv
run 0 dataset import k.csv
tells dataset.import "$owner" "e.target === 'k'"
run 0 token create --label all && id=$(get d.token.id) secret=$(get d.secret)
tells token.create "$owner"
run 0 token create --label few --scopes ext:datasets && few=$(get d.token.id) fewer=$(get d.secret)
tells token.create "$owner" "e.policy.scope === 'ext:datasets'"

# --- by clients ----------------------------------------------------------------------------------
run 0 mcp start --port 0 && url=$(get d.url)
tells daemon.start "e.principal.kind === 'none' && e.surface === 'daemon' && e.outcome === 'ok'"
api=${url%/mcp}/api/v1/ext
# post JSON HEADER...: to /mcp; the answer goes to $scratch/answer.
post() {
	local more=() header
	for header in "${@:2}"; do more+=(-H "$header"); done
	curl -s -m 60 -D "$scratch/head" -o "$scratch/answer" "$url" -H 'Content-Type: application/json' \
	    -H 'Accept: application/json, text/event-stream' "${more[@]}" -d "$1"
}
client="e.principal.kind === 'local' && e.principal.id === '$me' && e.surface === 'mcp' && e.client === 'tester 7' && e.address === '127.0.0.1'"
ok="e.outcome === 'ok' && e.code === null"
post '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"tester","version":"7"}}}'
session="Mcp-Session-Id: $(tr -d '\r' <"$scratch/head" | sed -n 's/^[Mm]cp-[Ss]ession-[Ii]d: //p')"
tells mcp.session.created "$client" "$ok"
post '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"sql_execution","arguments":{"connectionId":"warehouse","sql":"SELECT 1 AS n"},"_meta":{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}}}' \
    "$session"
tells mcp.tool.call "$client" "$ok" "$whole" "e.target === 'sql_execution' && e.rows === 1 && e.truncated === false" \
    "e.statement === 'SELECT 1 AS n' && e.connection === 'warehouse' && e.trace_id === '4bf92f3577b34da6a3ce929d0e0e4736'" \
    "require('fs').readFileSync('$scratch/answer', 'utf8').includes(e.receipt)" "e.policy.scope === 'research:query'"
post '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"sql_execution","arguments":{"connectionId":"warehouse","sql":"DROP TABLE orders"}}}' "$session"
tells mcp.tool.call "$client" "e.outcome === 'refused' && e.code === 'forbidden_sql' && e.rows === null && e.statement === 'DROP TABLE orders'"
post '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"entity_details","arguments":{"nothing":1}}}' "$session"
tells mcp.tool.call "$client" "e.outcome === 'refused' && e.code === 'invalid_arguments' && e.target === 'entity_details'"
post '{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"carrel://schema/warehouse/orders"}}' "$session"
tells mcp.resource.read "$client" "$ok" "e.target === 'carrel://schema/warehouse/orders' && e.snapshot !== null"
post '{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"carrel://wiki/nothing"}}' "$session"
tells mcp.resource.read "$client" "e.outcome !== 'ok' && e.code === 'page_not_found' && e.target === 'carrel://wiki/nothing'"
post '{"jsonrpc":"2.0","id":5,"method":"prompts/get","params":{"name":"analyze","arguments":{"question":"How many orders?"}}}' "$session"
tells mcp.prompt.get "$client" "e.target === 'analyze'" "$ok"
curl -s -m 60 -o "$scratch/answer" -X DELETE "$url" -H "$session"
tells mcp.session.terminated "e.principal.id === '$me' && e.surface === 'mcp' && e.outcome === 'ok'"
curl -s -m 60 -D "$scratch/answer" -o /dev/null "$api/datasets" -H "Authorization: Bearer $secret"
tells mcp.tool.call "$ok" "e.principal.kind === 'token' && e.principal.id === 'token:$id' && e.surface === 'rest' && e.target === 'carrel_list_datasets'" \
    "require('fs').readFileSync('$scratch/answer', 'utf8').includes(e.receipt)"
curl -s -m 60 -o "$scratch/answer" "$api/sql" -H "Authorization: Bearer $fewer" -H 'Content-Type: application/json' -d '{"sql":"SELECT 1"}'
tells mcp.tool.call "e.outcome === 'refused' && e.code === 'scope_denied' && e.principal.id === 'token:$few' && e.surface === 'rest' && e.target === 'carrel_sql'"
curl -s -m 60 -o "$scratch/answer" "$api/datasets" -H 'Authorization: Bearer crlmcp_zzzzzzzz_00000000000000000000000000000000'
tells auth "e.outcome === 'refused' && e.code === 'auth_invalid' && e.principal.kind === 'none' && e.address === '127.0.0.1' && e.surface === 'rest'"
run 0 token revoke "$few"
tells token.revoke "$owner" "e.target === '$few'"
curl -s -m 60 -o "$scratch/answer" "$api/datasets" -H "Authorization: Bearer $fewer"
tells auth "e.outcome === 'refused' && e.code === 'auth_revoked'"

get_pid() { sed -E 's/.*"pid": ?([0-9]+).*/\1/' .carrel/mcp.json; }

# --- by life -------------------------------------------------------------------------------------
sed -i 's/sql_per_min: 1000/sql_per_min: 999/' carrel.yaml
run 0 mcp reload
tells daemon.reload "e.outcome === 'ok' && e.surface === 'daemon' && e.principal.kind === 'none'"
cp carrel.yaml "$scratch/good.yaml" && echo 'limits: { max_rows: none }' >>carrel.yaml
kill -HUP "$(get_pid)"
tells daemon.reload "e.outcome === 'error' && e.policy.reason.includes('max_rows')"
cp "$scratch/good.yaml" carrel.yaml
kill -KILL "$(pgrep -P "$(get_pid)" carrel-search)"
tells worker.death "e.outcome === 'error' && e.target.includes('search') && e.policy.reason.length > 0 && e.surface === 'daemon'"
run 0 mcp stop
tells daemon.stop "e.outcome === 'ok'"
run 0 audit tail -n 3
[ "$(get 'd.entries.at(-1).action')" = checkpoint ] || fail "no checkpoint at the stop"
run 0 audit verify
finish
