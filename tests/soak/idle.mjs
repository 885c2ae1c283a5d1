// Streams on which nothing happens for longer than a session may be unused:
// each says now and then that it is there, hears of what changes afterwards,
// and keeps its session; a session without a stream has ended meanwhile.
// usage: node idle.mjs SECONDS
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";

import { MODERN, sqliteProject, startDaemon } from "../clients/support.mjs";

const SILENCE_MS = 20000, IDLE_S = 3600;
const seconds = Number(process.argv[2]);
const project = sqliteProject();
let daemon;

function ask(url, { method = "POST", headers = {}, body } = {}) {
	return new Promise((done, failed) => {
		const text = body === undefined ? undefined : JSON.stringify(body);
		const request = http.request(url, { method, agent: false, headers: { Accept: "application/json, text/event-stream",
			...(text !== undefined && { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) }), ...headers } }, (response) => {
			const stream = { status: response.statusCode, headers: response.headers, text: "", last: Date.now(), longest: 0, ended: false };
			response.setEncoding("utf8");
			response.on("data", (data) => {
				stream.longest = Math.max(stream.longest, Date.now() - stream.last);
				stream.last = Date.now();
				stream.text += data;
			});
			for (const end of ["end", "close", "error"])
				response.on(end, () => { stream.ended = true; });
			done(stream);
		});
		request.on("error", failed);
		request.end(text);
	});
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function initialize(url) {
	const { headers } = await ask(url, { body: { jsonrpc: "2.0", id: 0, method: "initialize",
		params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "idle", version: "1" } } } });
	return { "Mcp-Session-Id": headers["mcp-session-id"], "MCP-Protocol-Version": "2025-11-25" };
}

const list = (url, session) => ask(url, { headers: session, body: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} } });

try {
	daemon = await startDaemon(project.dir);
	const { url } = daemon, kept = await initialize(url), left = await initialize(url);
	const streams = {
		"GET of a session": await ask(url, { method: "GET", headers: { ...kept, Accept: "text/event-stream" } }),
		"HTTP+SSE": await ask(`${url}/sse`, { method: "GET", headers: { Accept: "text/event-stream" } }),
		"subscriptions/listen": await ask(url, { headers: { "MCP-Protocol-Version": MODERN, "Mcp-Method": "subscriptions/listen" },
			body: { jsonrpc: "2.0", id: 7, method: "subscriptions/listen", params: { notifications: { resourcesListChanged: true },
				_meta: { "io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {} } } } }),
	};
	const sse = new URL(/data: (\S+)/.exec((await pause(500), streams["HTTP+SSE"].text))[1], url);
	for (const end = Date.now() + seconds * 1000; Date.now() < end;)
		await pause(Math.min(5000, end - Date.now()));
	for (const [name, stream] of Object.entries(streams)) {
		assert.equal(stream.status, 200, name);
		assert.equal(stream.ended, false, `${name} ended`);
		assert.ok(Math.max(stream.longest, Date.now() - stream.last) < SILENCE_MS, `${name} was silent for ${stream.longest} ms`);
	}
	// HTTP+SSE hears of changes once it has subscribed or initialized
	await ask(sse, { body: { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: "2024-11-05", capabilities: {},
		clientInfo: { name: "idle", version: "1" } } } });
	mkdirSync(join(project.dir, "wiki/global"), { recursive: true });
	writeFileSync(join(project.dir, "wiki/global/late.md"), "---\nsummary: late\nusage_mode: auto\n---\n\n# Late\n");
	for (const name of ["GET of a session", "subscriptions/listen"])
		for (let i = 0; !streams[name].text.includes("notifications/resources/list_changed"); i++) {
			assert.ok(i < 100, `${name} hears of no change`);
			await pause(100);
		}
	for (let i = 0; !streams["HTTP+SSE"].text.includes('"id":0'); i++) {
		assert.ok(i < 100, "HTTP+SSE does not answer");
		await pause(100);
	}
	assert.equal((await list(url, kept)).status, 200, "the session of the open stream has ended");
	assert.equal((await list(url, left)).status, seconds > IDLE_S + 120 ? 404 : 200, "the session that nobody used");
	console.log(`ok    streams that were idle for ${seconds} s`);
} finally {
	await daemon?.stop();
	project.drop();
}
process.exit(0);
