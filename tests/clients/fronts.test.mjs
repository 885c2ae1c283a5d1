// A daemon with two fronts: whatever one of them gave out is good at the other,
// or refused in a way that says what to do; and either can go.
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { carrel, MODERN, sqliteProject, startDaemon } from "./support.mjs";

const PAGES = 1100;	// wiki pages, more than a page of resources/list holds

let project, daemon, url, lines, sides;

// --- connections, each of which stays with the front that accepted it

function open() {
	const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
	return { agent, close: () => agent.destroy() };
}

// One request on a connection; the answer, or "late".  With stream, its body is left to be read event by event.
function send(line, { method = "POST", path = "/mcp", headers = {}, body, ms = 15000, stream = false }) {
	return new Promise((done, failed) => {
		const text = body === undefined ? undefined : JSON.stringify(body);
		const late = setTimeout(() => done("late"), ms);
		const request = http.request(url + path, { method, agent: line.agent, headers: { Accept: "application/json, text/event-stream",
			...(text !== undefined && { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) }), ...headers } }, (response) => {
			response.setEncoding("utf8");
			if (stream) {
				clearTimeout(late);
				response.seen = "";
				response.on("data", (data) => { response.seen += data; });
				response.on("error", () => {});
				done(response);
				return;
			}
			let all = "";
			response.on("data", (data) => { all += data; });
			response.on("end", () => {
				clearTimeout(late);
				const found = /^data: (\{.*)$/m.exec(all)?.[1] ?? all;
				done({ status: response.statusCode, headers: response.headers, text: all, json: found.startsWith("{") ? JSON.parse(found) : null });
			});
		});
		request.on("error", (error) => { clearTimeout(late); failed(error); });
		request.end(text);
	});
}

function modern(line, method, params = {}, { name, capabilities = {}, ...rest } = {}) {
	return send(line, { headers: { "MCP-Protocol-Version": MODERN, "Mcp-Method": method, ...(name && { "Mcp-Name": name }) }, ...rest,
		body: { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: { "io.modelcontextprotocol/protocolVersion": MODERN,
			"io.modelcontextprotocol/clientCapabilities": capabilities } } } });
}
const call = (line, name, args, rest) => modern(line, "tools/call", { name, arguments: args }, { name, ...rest });

async function initialize(line) {
	const answer = await send(line, { body: { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: "2025-11-25",
		capabilities: {}, clientInfo: { name: "t", version: "1" } } } });
	assert.equal(answer.status, 200);
	return { "Mcp-Session-Id": answer.headers["mcp-session-id"], "MCP-Protocol-Version": "2025-11-25" };
}
const legacy = (line, headers, method, params = {}) => send(line, { headers, body: { jsonrpc: "2.0", id: 2, method, params } });

async function until(what, look, ms = 20000) {
	for (const end = Date.now() + ms; Date.now() < end; await new Promise((go) => setTimeout(go, 100)))
		if (await look())
			return;
	assert.fail(`${what}: never`);
}

const fronts = async () => (await carrel(project.dir, "status")).daemon.children.filter(({ role }) => role === "front");

/* Whose a connection is, shows when one of the two does not move. */
async function sort() {
	const [one, two] = await fronts();
	lines = Array.from({ length: 40 }, open);
	assert.ok((await Promise.all(lines.map((line) => modern(line, "tools/list")))).every(({ status }) => status === 200));
	process.kill(one.pid, "SIGSTOP");
	const answers = await Promise.all(lines.map((line) => modern(line, "tools/list", {}, { ms: 1200 })));
	process.kill(one.pid, "SIGCONT");
	sides = [lines.filter((_, i) => answers[i] === "late"), lines.filter((_, i) => answers[i] !== "late")];
	for (const side of sides)
		assert.ok(side.length >= 4, `the connections are not shared: ${sides.map((each) => each.length)}`);
	await until("both serve again", async () => (await modern(sides[0][0], "tools/list")).status === 200);
	return [one, two];
}

before(async () => {
	project = sqliteProject();
	mkdirSync(join(project.dir, "wiki/global"), { recursive: true });
	for (let i = 0; i < PAGES; i++)
		writeFileSync(join(project.dir, `wiki/global/page-${i}.md`), `---\nsummary: page ${i}\nusage_mode: auto\n---\n\n# Page ${i}\n`);
	appendFileSync(join(project.dir, "carrel.yaml"), "\nserver: {fronts: 2}\n");
	daemon = await startDaemon(project.dir);
	url = new URL(daemon.url).origin;
	await until("two fronts", async () => (await fronts()).filter(({ state }) => state === "ready").length === 2);
	await sort();
});

after(async () => {
	for (const line of lines ?? [])
		line.close();
	await daemon?.stop();
	project?.drop();
});

test("both serve every tool", async () => {
	for (const [line] of sides) {
		const sql = await call(line, "sql_execution", { connectionId: "warehouse", sql: "SELECT 6 * 7 AS answer" });
		assert.deepEqual(sql.json.result.structuredContent.rows, [[42]]);
		const found = await call(line, "discover_data", { query: "orders" });
		assert.ok(found.json.result.structuredContent.results?.length > 0 || found.json.result.structuredContent.refs?.length > 0, found.text.slice(0, 300));
		const governed = await call(line, "sl_query", { connectionId: "warehouse", measures: ["count(orders.id)"] });
		assert.equal(governed.json.result.isError ?? false, false, governed.text.slice(0, 300));
	}
});

test("a session of one is a session of the other, until it ends on either", async () => {
	for (const [a, b] of [[0, 1], [1, 0]]) {
		const session = await initialize(sides[a][0]);
		for (const side of [b, a, b])
			assert.equal((await legacy(sides[side][0], session, "tools/list")).status, 200);
		assert.equal((await send(sides[b][0], { method: "DELETE", headers: session })).status, 200);
		await until("ended on both", async () => (await legacy(sides[a][0], session, "tools/list")).status === 404, 5000);
		assert.equal((await legacy(sides[b][0], session, "tools/list")).status, 404);
		assert.match((await legacy(sides[a][0], session, "tools/list")).text, /initialize opens a new one/);
	}
});

test("a cursor of one turns the other's page", async () => {
	const seen = new Set();
	let side = 0, cursor, turns = 0;
	do {
		const { json } = await modern(sides[side][0], "resources/list", cursor === undefined ? {} : { cursor });
		assert.ok(json.result, JSON.stringify(json));
		for (const { uri } of json.result.resources) {
			assert.ok(!seen.has(uri), uri);
			seen.add(uri);
		}
		cursor = json.result.nextCursor;
		side = 1 - side;
		turns++;
	} while (cursor !== undefined);
	assert.ok(turns > 1 && [...seen].filter((uri) => uri.includes("page-")).length === PAGES, `${turns} turns, ${seen.size} resources`);
	const bad = await modern(sides[0][0], "resources/list", { cursor: "AQIDBAUGBwgJ" });
	assert.equal(bad.json.error.code, -32602);
});

test("a stream that was lost goes on at the other as a new one", async () => {
	const session = await initialize(sides[0][1]);
	const first = await send(sides[0][1], { method: "GET", headers: { ...session, Accept: "text/event-stream" }, stream: true });
	assert.equal(first.statusCode, 200);
	await until("its first event", () => /^id: (\S+)$/m.test(first.seen));
	const id = /^id: (\S+)$/m.exec(first.seen)[1];
	first.destroy();
	const next = await send(sides[1][1], { method: "GET", headers: { ...session, Accept: "text/event-stream", "Last-Event-ID": id }, stream: true });
	assert.equal(next.statusCode, 200);
	await until("the first event of the new one", () => /^id: (\S+)$/m.test(next.seen));
	assert.notEqual(/^id: (\S+)$/m.exec(next.seen)[1], id);
	writeFileSync(join(project.dir, "wiki/global/told.md"), "---\nsummary: told\nusage_mode: auto\n---\n\n# Told\n");
	await until("a change is told on it", () => next.seen.includes("notifications/resources/list_changed"));
	next.destroy();
});

test("who listens at either hears of a change", async () => {
	const streams = await Promise.all(sides.map((side) => modern(side[2], "subscriptions/listen",
		{ notifications: { resourcesListChanged: true, resourceSubscriptions: ["carrel://wiki/global/page-1"] } }, { stream: true })));
	for (const stream of streams)
		await until("acknowledged", () => stream.seen.includes("notifications/subscriptions/acknowledged"));
	writeFileSync(join(project.dir, "wiki/global/heard.md"), "---\nsummary: heard\nusage_mode: auto\n---\n\n# Heard\n");
	for (const stream of streams)
		await until("told", () => stream.seen.includes("notifications/resources/list_changed"));
	for (const stream of streams)
		stream.destroy();
});

test("a legacy subscription is heard of on the front that has the session's stream", async () => {
	const session = await initialize(sides[1][3]);
	const stream = await send(sides[1][3], { method: "GET", headers: { ...session, Accept: "text/event-stream" }, stream: true });
	const { json } = await legacy(sides[1][0], session, "resources/list");
	const { uri } = json.result.resources.find((each) => each.uri.includes("page-"));
	assert.ok((await legacy(sides[1][0], session, "resources/subscribe", { uri })).json.result);
	const key = uri.split("/").at(-1);
	appendFileSync(join(project.dir, `wiki/global/${key}.md`), "\nMore.\n");
	await until("updated", () => stream.seen.includes("notifications/resources/updated"));
	stream.destroy();
});

test("what needs one front alone is refused with the reason, or not offered", async () => {
	const tasks = { extensions: { "io.modelcontextprotocol/tasks": {} } };
	for (const [line] of sides) {
		const sse = await send(line, { method: "GET", path: "/mcp/sse", headers: { Accept: "text/event-stream" } });
		assert.equal(sse.status, 404);
		assert.match(sse.text, /server\.fronts: 1/);
		const discovered = await modern(line, "server/discover", {}, { capabilities: tasks });
		assert.ok(!JSON.stringify(discovered.json.result.capabilities).includes("tasks"), discovered.text);
		const get = await modern(line, "tasks/get", { taskId: "0123" }, { name: "0123", capabilities: tasks });
		assert.equal(get.status, 404);
		assert.equal(get.json.error.code, -32601);
		const done = await call(line, "sql_execution", { connectionId: "warehouse", sql: "SELECT 1 AS one" }, { capabilities: tasks });
		assert.equal(done.json.result.resultType, "complete");
	}
});

test("a run that one front took in is finished with the other", async () => {
	const [one] = await fronts();
	const side = 0;	// the first front's, as sort() left it
	const begun = await call(sides[side][0], "memory_ingest", { connectionId: "warehouse",
		content: "# Fee\n\nFee share is defined as `sum(orders.amt_eur_ct) / 1000.0`.\n" });
	const { runId } = begun.json.result.structuredContent;
	assert.ok(runId, begun.text);
	process.kill(one.pid, "SIGKILL");
	let status;
	await until("the run ends", async () => {
		({ json: { result: { structuredContent: status } } } = await call(sides[1][0], "memory_ingest_status", { runId }));
		return status.done;
	}, 60000);
	assert.equal(status.status, "done", JSON.stringify(status));
	const written = readdirSync(join(project.dir, "semantic-layer/warehouse"), { recursive: true }).filter((name) => name.endsWith(".yaml"))
		.map((name) => readFileSync(join(project.dir, "semantic-layer/warehouse", name), "utf8")).join("");
	assert.match(written, /1000\.0/, `tried and kept: ${JSON.stringify(status)}`);
});

test("when one dies the other serves, and the next takes part again", async () => {
	const session = await initialize(sides[1][0]);
	await until("two again", async () => (await fronts()).filter(({ state }) => state === "ready").length === 2);
	for (const line of lines)
		line.close();
	const [, two] = await sort();
	// the session of before is known to the one that came after it
	for (const [line] of sides)
		assert.equal((await legacy(line, session, "tools/list")).status, 200);
	process.kill(two.pid, "SIGKILL");
	assert.equal((await legacy(sides[0][0], session, "tools/list")).status, 200);
	await until("two again", async () => (await fronts()).filter(({ state }) => state === "ready").length === 2);
});

test("both end with the daemon", async () => {
	const pids = (await fronts()).map(({ pid }) => pid);
	await daemon.stop();
	daemon = undefined;
	for (const pid of pids)
		assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
});
