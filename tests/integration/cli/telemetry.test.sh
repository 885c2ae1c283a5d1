# Traces and metrics for an OpenTelemetry receiver (tests/support/otlp_receiver.mjs), which takes nothing but what the
# published schema has: one trace a call, joined to the caller's, and never a literal, a value, a question or a name.
# A receiver that is absent, slow, busy or killed costs no call anything but its trace.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

at=$scratch/receiver
mkdir "$at" && : >"$at/spans.jsonl"
begin() { # port, key, certificate
	rm -f "$at/port"
	node "$SOURCE_DIR/tests/support/otlp_receiver.mjs" "$at" "$@" & receiver=$!
	trap 'kill $receiver 2>/dev/null; cleanup' EXIT
	for _ in {1..200}; do [ -s "$at/port" ] && return; sleep 0.05; done
	fail "the receiver does not start"
}
begin
port=$(cat "$at/port")
"$carrel" init "$scratch/p" >/dev/null
cd "$scratch/p" || exit 1
sqlite3 shop.db "CREATE TABLE people (name TEXT, age INT); INSERT INTO people VALUES ('Zebulon Quagmire', 47)"
configure() {
	cat >carrel.yaml <<-END
		connections: {shop: {driver: sqlite, path: shop.db}}
		telemetry: {otlp: "http://127.0.0.1:$port", headers: env:OTLP_HEADERS$1}
	END
}
export OTLP_HEADERS='x-team=shop floor,x-key=zebra 7731'
configure ""
run 0 mcp start --port 0
url=$(sed -n 's/.*"url":"\([^"]*\)\/mcp".*/\1/p' "$out")
trace=0af7651916cd43dd8448eb211c80319c parent=b7ad6b7169203331
call() { # sql, _meta, header
	curl -s -m 20 "$url/mcp" -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
		-H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/call' -H 'Mcp-Name: sql_execution' "${@:3}" \
		-d '{"jsonrpc":"2.0","id":7,"method":"tools/call",
		"params":{"name":"sql_execution","arguments":{"connectionId":"'"${connection:-shop}"'","sql":"'"$1"'"},"_meta":{'"$2"'
		"io.modelcontextprotocol/protocolVersion":"2026-07-28",
		"io.modelcontextprotocol/clientInfo":{"name":"Clientele","version":"1"},
		"io.modelcontextprotocol/clientCapabilities":{}}}}' >"$out"
}
sql="SELECT name FROM people WHERE name = 'Zebulon Quagmire' AND age > 46"
call "$sql" "\"traceparent\":\"00-$trace-$parent-01\"," && says 'Zebulon Quagmire'
call "$sql" "" -H "traceparent: 00-${trace/0af/0bf}-$parent-01" && says 'Zebulon Quagmire'
call "$sql" "" -H "traceparent: 00-${trace/0af/0cf}-$parent-00" && says 'Zebulon Quagmire'
call "SELECT nothing_4711 FROM people" "" && says isError
# A method that is no tool's.
curl -s -m 20 "$url/mcp" -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
	-H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: resources/list' -H "traceparent: 00-${trace/0af/0ef}-$parent-01" \
	-d '{"jsonrpc":"2.0","id":8,"method":"resources/list","params":{"_meta":{
	"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"Clientele","version":"1"},
	"io.modelcontextprotocol/clientCapabilities":{}}}}' >"$out" && says resources
call "$sql" "" -H "traceparent: 00-$trace-nonsense-01"
connection=Wexelblat call "$sql" "" -H "traceparent: 00-${trace/0af/0df}-$parent-01"
until_in "$at/spans.jsonl" '"carrel.outcome"'
sleep 1.5
cat >"$scratch/check.mjs" <<-'END'
	import { readFileSync } from "node:fs";
	const [dir, trace, parent] = process.argv.slice(2);
	const spans = readFileSync(`${dir}/spans.jsonl`, "utf8").trim().split("\n").map((l) => JSON.parse(l));
	const wrong = [];
	const holds = (what, so) => so || wrong.push(what);
	const value = (s, key) => { const a = s.attributes.find((one) => one.key === key)?.value; return a && Object.values(a)[0]; };
	const roots = spans.filter((s) => s.kind === 2);
	const by = (id) => spans.filter((s) => s.traceId === id);
	const mine = by(trace), root = mine.find((s) => s.kind === 2);
	holds("six traces, the seventh is not to be sampled", new Set(spans.map((s) => s.traceId)).size === 6 && roots.length === 6);
	const listed = by(trace.replace("0af", "0ef")).find((s) => s.kind === 2);
	holds("a method that is no tool's", listed?.name === "resources/list" && value(listed, "mcp.method.name") === "resources/list" &&
		value(listed, "gen_ai.tool.name") === undefined);
	holds("the trace of _meta is joined", root?.parentSpanId === parent);
	holds("the trace of the header is joined", by(trace.replace("0af", "0bf")).some((s) => s.parentSpanId === parent));
	holds("a caller that does not record is not recorded", by(trace.replace("0af", "0cf")).length === 0);
	holds("the parts", mine.map((s) => s.name).sort().join() === "admission,gateway,query,tools/call sql_execution,worker sql");
	const worker = mine.find((s) => s.name === "worker sql"), query = mine.find((s) => s.name === "query");
	for (const s of mine.filter((one) => one !== root)) {
		const above = s === query ? worker : root;
		holds(`${s.name} lies below ${above.name}`, s.parentSpanId === above.spanId);
		holds(`${s.name} lies within it`, BigInt(s.startTimeUnixNano) >= BigInt(above.startTimeUnixNano) &&
			BigInt(s.endTimeUnixNano) <= BigInt(above.endTimeUnixNano));
	}
	holds("MCP's attributes", value(root, "mcp.method.name") === "tools/call" && value(root, "gen_ai.tool.name") === "sql_execution");
	holds("connection, outcome, rows", value(root, "carrel.connection") === "shop" && value(root, "carrel.outcome") === "ok" &&
		value(root, "carrel.rows") === "1");
	holds("a receipt", /^r-[0-9a-f]+-[0-9a-f]+$/.test(value(root, "carrel.receipt")));
	holds("the database's attributes", query.kind === 3 && value(query, "db.system.name") === "sqlite" &&
		value(query, "db.response.returned_rows") === "1");
	const digests = spans.filter((s) => s.name === "query").map((s) => value(s, "carrel.statement.digest"));
	holds("one statement has one digest", digests.length === 3 && new Set(digests).size === 1 && /^[0-9a-f]{32}$/.test(digests[0]));
	const failed = roots.find((s) => s.status.code === 2 && value(s, "carrel.connection") === "shop");
	holds("what failed says its code", failed && /^[a-z_]+$/.test(value(failed, "error.type")) && value(failed, "carrel.outcome") !== "ok");
	holds("nobody is named", !spans.some((s) => s.attributes.some((a) => a.key === "enduser.id")));
	console.log(wrong.join("\n"));
	process.exit(wrong.length > 0 ? 1 : 0);
END
node "$scratch/check.mjs" "$at" $trace $parent >"$out" 2>"$err" || fail "the traces are not as they should be"
[ ! -s "$at/faults" ] || fail "the schema is broken: $(head -n 5 "$at/faults")"
# Everything that went over the wire: no literal, value, identifier of a statement, client, principal or path.
for word in Zebulon Quagmire Wexelblat nothing_4711 SELECT people Clientele "local:" "$(id -un)@" "$scratch"; do
	grep -aqF -- "$word" "$at/wire" && fail "\"$word\" went over the wire"
done
until_in "$at/metrics.json" carrel_calls
[ ! -s "$at/faults" ] || fail "the schema is broken: $(head -n 5 "$at/faults")"

# What the dashboards ask for is there, by the names that a Prometheus gives to each.
for panel in "$SOURCE_DIR"/packaging/grafana/*.json; do
	node -e 'const d = JSON.parse(require("fs").readFileSync(process.argv[1])), ids = d.panels.map((p) => p.id);
		if (!d.uid || !d.title || !(d.schemaVersion > 0) || new Set(ids).size !== ids.length || ids.some((i) => !(i > 0)) ||
			d.panels.some((p) => !p.type || !p.gridPos || p.gridPos.x + p.gridPos.w > 24))
			process.exit(1);' "$panel" || fail "$panel is no dashboard"
done
curl -s "$url/metrics" >"$scratch/served"
names() { grep -o 'carrel_[a-z_]*' "$SOURCE_DIR/packaging/grafana/carrel-$1.json" | sort -u; }
[ -z "$(comm -23 <(names otlp) <(names prometheus))" ] || fail "one dashboard asks for what the other does not know"
for name in $(names prometheus); do
	grep -q "^# TYPE ${name%_bucket} " "$scratch/served" || fail "the dashboard asks for $name"
done
# Killed, absent: calls take as long as ever, and it is said once.  Back: what waited comes.
kill -9 $receiver && wait $receiver 2>/dev/null
before=$(wc -l <"$at/spans.jsonl")
for _ in {1..20}; do call "$sql" "" || fail "a call was not answered"; says 'Zebulon Quagmire'; done
until_in .carrel/logs/mcp.log "telemetry could not be sent"
[ "$(grep -c '"telemetry could not be sent: ' .carrel/logs/mcp.log)" = 1 ] || fail "its absence is said again and again"
begin "$port"
for _ in {1..200}; do [ "$(wc -l <"$at/spans.jsonl")" -ge $((before + 100)) ] && break; sleep 0.1; done
[ "$(wc -l <"$at/spans.jsonl")" -ge $((before + 100)) ] || fail "what waited did not come"
# One that answers at length has taken it, and gets nothing twice.
echo chatty >"$at/behaviour" && before=$(wc -l <"$at/spans.jsonl") && call "$sql" ""
sleep 3.5
[ "$(wc -l <"$at/spans.jsonl")" = $((before + 5)) ] || fail "of 5 spans $(($(wc -l <"$at/spans.jsonl") - before)) came"
# Refused: dropped, and counted.
echo refuse >"$at/behaviour"
call "$sql" ""
for _ in {1..100}; do curl -s "$url/metrics" | grep -q '^carrel_telemetry_dropped_spans_total 5' && break; sleep 0.1; done
curl -s "$url/metrics" >"$out"
says 'carrel_telemetry_dropped_spans_total 5' && says carrel_telemetry_sent_spans_total
says carrel_telemetry_export_failures_total
# One that is slow, and one that hangs: calls go on.
for how in slow hang; do
	echo $how >"$at/behaviour"
	call "$sql" "" && sleep 1.5
	SECONDS=0
	for _ in {1..10}; do call "$sql" ""; says 'Zebulon Quagmire'; done
	[ $SECONDS -lt 8 ] || fail "calls wait for the receiver"
done
kill -9 "$(pgrep -P "$(sed -E 's/.*"pid": ?([0-9]+).*/\1/' .carrel/mcp.json)" -x carrel-telemetr)"
call "$sql" "" && says 'Zebulon Quagmire'
echo ok >"$at/behaviour"
until_in .carrel/logs/mcp.log 'telemetry 1 (pid'
# https: an authority that the owner names, the system's, and a certificate for another name.
certificate() { # file, subjectAltName; signed by ours
	openssl req -newkey rsa:2048 -nodes -keyout "$scratch/$1.key" -subj /CN=receiver -out "$scratch/$1.csr" 2>/dev/null
	openssl x509 -req -in "$scratch/$1.csr" -CA "$scratch/ca.crt" -CAkey "$scratch/ca.key" -CAcreateserial -days 2 \
		-extfile <(echo "subjectAltName=$2") -out "$scratch/$1.crt" 2>/dev/null
}
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj '/CN=an authority' -keyout "$scratch/ca.key" -out "$scratch/ca.crt" 2>/dev/null
certificate good IP:127.0.0.1 && certificate bad DNS:other.example && cp "$scratch/ca.crt" .
secure() { # certificate, sslrootcert; whether its spans come
	kill $receiver && wait $receiver 2>/dev/null
	begin 0 "$scratch/$1.key" "$scratch/$1.crt" && : >.carrel/logs/mcp.log
	port=$(cat "$at/port") && configure "$2" && sed -i 's|http://127|https://127|' carrel.yaml
	before=$(wc -l <"$at/spans.jsonl") && run 0 mcp reload && sleep 0.3 && call "$sql" ""
	for _ in {1..80}; do [ "$(wc -l <"$at/spans.jsonl")" -gt "$before" ] && return; grep -q "certificate is refused" .carrel/logs/mcp.log && return 1; sleep 0.1; done
	return 1
}
secure good ", sslrootcert: ca.crt" || fail "a receiver with a certificate gets nothing: $(grep telemetry .carrel/logs/mcp.log)"
secure good "" && fail "a certificate of an unknown authority is taken"
grep -q "certificate is refused (.*issuer.*telemetry.sslrootcert" .carrel/logs/mcp.log || fail "why is not told: $(grep telemetry .carrel/logs/mcp.log)"
secure bad ", sslrootcert: ca.crt" && fail "a certificate of another name is taken"
grep -q "certificate is refused (.*name" .carrel/logs/mcp.log || fail "why is not told: $(grep telemetry .carrel/logs/mcp.log)"
configure ", sslrootcert: nowhere.crt" && sed -i 's|http://127|https://127|' carrel.yaml && run 0 mcp reload && sleep 0.5
run_as 0 status && says "nowhere.crt: correct telemetry.sslrootcert"
kill $receiver && wait $receiver 2>/dev/null
begin && port=$(cat "$at/port")
# Who asked, when the owner says so.
configure ", principals: true"
run 0 mcp reload && sleep 0.5 && call "$sql" ""
until_in "$at/spans.jsonl" '"enduser.id"'
grep -aqF "local:$(id -u)" "$at/wire" || fail "principals: true names no one"
grep -aq "zebra 7731" .carrel/logs/mcp.log && fail "the headers are in the log"
# Without the key there is no process for it.
echo 'connections: {shop: {driver: sqlite, path: shop.db}}' >carrel.yaml
run 0 mcp reload && sleep 0.5 && run_as 0 status && ! finds '^telemetry' "$out" || fail "the process stays"
finish
