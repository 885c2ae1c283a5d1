// otlp_receiver.mjs DIR [PORT [KEY CERTIFICATE [ADDRESS]]] - an OpenTelemetry receiver that takes nothing but what the published schema of OTLP/HTTP JSON
// has (opentelemetry-proto: trace.proto, metrics.proto, common.proto).  It notes what came, and what was wrong with it.
//
//	DIR/port	where it listens		DIR/behaviour	ok, slow, busy, refuse, chatty or hang, for each request
//	DIR/spans.jsonl	the spans it took, a line each	DIR/metrics.json	the metrics of the last request
//	DIR/wire	all bodies, byte for byte	DIR/faults	what breaks the schema, a line each
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

const dir = process.argv[2];
const faults = [];
const fault = (where, what) => faults.push(`${where}: ${what}`);

const text = (v, where) => typeof v === "string" || fault(where, "is no string");
const hex = (n) => (v, where) =>
	(typeof v === "string" && v.length === 2 * n && /^[0-9a-f]+$/.test(v) && !/^0+$/.test(v)) || fault(where, `is no id of ${n} bytes`);
const long = (v, where) => (typeof v === "string" && /^\d{1,20}$/.test(v)) || fault(where, "is no 64-bit number as a string");
const number = (v, where) => (typeof v === "number" && Number.isFinite(v)) || fault(where, "is no number");
const bool = (v, where) => typeof v === "boolean" || fault(where, "is no boolean");
const whole = (low, high) => (v, where) => (Number.isInteger(v) && v >= low && v <= high) || fault(where, `is not from ${low} to ${high}`);
const list = (of) => (v, where) => (Array.isArray(v) ? v.forEach((one, i) => of(one, `${where}[${i}]`)) : fault(where, "is no list"));
// members: each with its check; a ? at the end of a name: it may be missing.  No others may be there.
const message = (members) => (v, where) => {
	if (v === null || typeof v !== "object" || Array.isArray(v))
		return fault(where, "is no message");
	for (const key of Object.keys(v))
		if (!(key in members) && !(`${key}?` in members))
			fault(where, `has the unknown member ${key}`);
	for (const [name, check] of Object.entries(members)) {
		const key = name.replace("?", "");
		if (key in v)
			check(v[key], `${where}.${key}`);
		else if (key === name)
			fault(where, `lacks ${key}`);
	}
};
const anyValue = (v, where) => {
	message({ "stringValue?": text, "intValue?": long, "boolValue?": bool, "doubleValue?": number })(v, where);
	if (v && Object.keys(v).length !== 1)
		fault(where, "has not exactly one value");
};
const attributes = (v, where) => {
	list(message({ key: text, value: anyValue }))(v, where);
	if (Array.isArray(v) && new Set(v.map((a) => a.key)).size !== v.length)
		fault(where, "has a key twice");
};
const resource = message({ attributes });
const scope = message({ name: text, "version?": text });
const span = message({ traceId: hex(16), spanId: hex(8), "parentSpanId?": hex(8), name: text, kind: whole(1, 5),
	startTimeUnixNano: long, endTimeUnixNano: long, attributes, status: message({ "code?": whole(0, 2), "message?": text }) });
const traces = message({ resourceSpans: list(message({ resource, scopeSpans: list(message({ scope, spans: list(span) })) })) });
const point = message({ attributes, "startTimeUnixNano?": long, timeUnixNano: long, asDouble: number });
const buckets = (v, where) => {
	message({ attributes, startTimeUnixNano: long, timeUnixNano: long, count: long, sum: number, bucketCounts: list(long),
		explicitBounds: list(number) })(v, where);
	if (v.bucketCounts.length !== v.explicitBounds.length + 1)
		fault(where, "has not one bucket more than bounds");
	if (v.bucketCounts.reduce((a, b) => a + BigInt(b), 0n) !== BigInt(v.count))
		fault(where, "counts otherwise than its buckets");
};
const metric = message({ name: text, "description?": text, "unit?": text, "gauge?": message({ dataPoints: list(point) }),
	"sum?": message({ dataPoints: list(point), aggregationTemporality: whole(1, 2), isMonotonic: bool }),
	"histogram?": message({ dataPoints: list(buckets), aggregationTemporality: whole(1, 2) }) });
const metrics = message({ resourceMetrics: list(message({ resource, scopeMetrics: list(message({ scope, metrics: list(metric) })) })) });

const behaviour = () => (existsSync(`${dir}/behaviour`) ? readFileSync(`${dir}/behaviour`, "utf8").trim() : "ok");

function take(request, body) {
	if (request.method !== "POST")
		fault("request", `is a ${request.method}`);
	if (request.headers["content-type"] !== "application/json")
		fault("request", `is of type ${request.headers["content-type"]}`);
	if (request.headers["x-team"] !== "shop floor")
		fault("request", "lacks its header");
	const document = JSON.parse(body);
	if (request.url === "/v1/traces") {
		traces(document, "traces");
		for (const r of document.resourceSpans)
			for (const s of r.scopeSpans)
				for (const one of s.spans) {
					if (BigInt(one.endTimeUnixNano) < BigInt(one.startTimeUnixNano))
						fault(one.name, "ends before it begins");
					appendFileSync(`${dir}/spans.jsonl`, `${JSON.stringify(one)}\n`);
				}
	} else if (request.url === "/v1/metrics") {
		metrics(document, "metrics");
		writeFileSync(`${dir}/metrics.new`, body);
		renameSync(`${dir}/metrics.new`, `${dir}/metrics.json`);
	} else
		fault("request", `goes to ${request.url}`);
}

function serve(request, response) {
	const parts = [];
	request.on("data", (part) => parts.push(part));
	request.on("end", () => {
		const body = Buffer.concat(parts);
		const how = behaviour();
		appendFileSync(`${dir}/wire`, `${JSON.stringify(request.headers)}\n`);
		appendFileSync(`${dir}/wire`, body);
		appendFileSync(`${dir}/requests`, `${how} ${request.url}\n`);
		if (how === "hang")
			return;
		if (how !== "busy" && how !== "refuse")
			try {
				take(request, body);
			} catch (e) {
				fault("request", String(e));
			}
		writeFileSync(`${dir}/faults`, faults.map((f) => `${f}\n`).join(""));
		const answer = () => {
			response.writeHead(how === "busy" ? 503 : how === "refuse" ? 400 : 200, { "content-type": "application/json", "retry-after": "1" });
			response.end(how === "chatty" ? " ".repeat(300000) + "{}" : "{}");
		};
		how === "slow" ? setTimeout(answer, 3000) : answer();
	});
}
const [key, cert] = process.argv.slice(4, 6).map((name) => readFileSync(name));
const server = key ? createSecureServer({ key, cert }, serve) : createServer(serve);
server.listen(Number(process.argv[3] ?? 0), process.argv[6] ?? "127.0.0.1", () => writeFileSync(`${dir}/port`, String(server.address().port)));
