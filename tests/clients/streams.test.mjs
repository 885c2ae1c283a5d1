// streams - what outlives a request: changes of files that clients hear of, and
// sessions that go on when the front was killed under them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

import { clients, sqliteProject, startDaemon, transportsOf, withClient } from "./support.mjs";

let project, daemon;

before(async () => {
	project = sqliteProject();
	daemon = await startDaemon(project.dir);
});
after(async () => {
	await daemon?.stop();
	project?.drop();
});

const place = () => ({ url: daemon.url, dir: project.dir });
const fronts = () => execFileSync("pgrep", ["-x", "-P", JSON.parse(readFileSync(join(project.dir, ".carrel/mcp.json"))).pid,
	"carrel-front"], { encoding: "utf8" }).trim().split("\n").map(Number);

// Hear of resources, whatever generation the client is.
function hear(kind, client, heard) {
	const on = (schema, method, note) => client.setNotificationHandler(kind.name === "1.x" ? schema : method, note);
	on(ResourceUpdatedNotificationSchema, "notifications/resources/updated", ({ params }) => { heard.push(params.uri); });
	on(ResourceListChangedNotificationSchema, "notifications/resources/list_changed", () => { heard.push("list"); });
}

// The file is written again and again: a client's own stream may open a moment after it is connected.
async function until(condition, act, what) {
	for (let tries = 0; tries < 60; tries++) {
		if (tries % 10 === 0)
			act(tries);
		if (await condition())
			return;
		await sleep(100);
	}
	assert.fail(`waited in vain: ${what}`);
}

let pages = 0;
for (const kind of clients)
	for (const transport of transportsOf(kind))
		test(`a changed file is heard of: ${kind.name} over ${transport}`, { timeout: 60000 }, () =>
			withClient(kind, transport, place(), async ({ client }) => {
				const key = `heard-${++pages}`, uri = `carrel://wiki/${key}`, heard = [];
				const path = join(project.dir, `wiki/global/${key}.md`);

				hear(kind, client, heard);
				if (kind.modern) {
					const { honoredFilter } = await client.listen({ resourcesListChanged: true, resourceSubscriptions: [uri] });
					assert.deepEqual(honoredFilter, { resourcesListChanged: true, resourceSubscriptions: [uri] });
				} else
					await client.subscribeResource({ uri });
				await until(() => heard.includes("list"), (n) => writeFileSync(`${path.slice(0, -3)}-new${n}.md`, "# New\n\nA page.\n"),
					"a page more in the list");
				await until(() => heard.includes(uri), (n) => writeFileSync(path, `# Heard\n\nEdition ${n}.\n`), "the page that was subscribed to");
				assert.ok(heard.every((what) => what === "list" || what === uri), `heard of more: ${heard}`);
				if (!kind.modern) {
					await client.unsubscribeResource({ uri });
					const before = heard.filter((what) => what === uri).length;
					heard.splice(0, heard.length, ...heard.filter((what) => what === uri));
					await until(() => heard.includes("list"), () => { writeFileSync(path, "# Heard\n\nOnce more.\n"); rmSync(`${path.slice(0, -3)}-new0.md`, { force: true }); },
						"a page less in the list");
					assert.equal(heard.filter((what) => what === uri).length, before);
				}
			}));

// What may fail while there is no front: the connection that died, and those refused until the next serves.
async function persist(call) {
	for (let tries = 0; ; tries++)
		try {
			return await call();
		} catch (error) {
			if (tries === 50 || !/fetch failed|ECONNREFUSED|ECONNRESET|socket|terminated/i.test(`${error} ${error.cause ?? ""}`))
				throw error;
			await sleep(100);
		}
}

for (const kind of clients)
	test(`the session goes on after the front was killed: ${kind.name}`, { timeout: 60000 }, () =>
		withClient(kind, "http", place(), async ({ client, call }) => {
			const select = () => call("sql_execution", { connectionId: "warehouse", sql: "SELECT 6 * 7" });
			const session = client.transport.sessionId, [front] = fronts();

			assert.deepEqual((await select()).structuredContent.rows, [[42]]);
			process.kill(front, "SIGKILL");
			assert.deepEqual((await persist(select)).structuredContent.rows, [[42]]);
			assert.equal(client.transport.sessionId, session);
			assert.ok(kind.modern ? session === undefined : /^[\x21-\x7e]+$/.test(session));
			assert.notEqual(fronts()[0], front);
		}));

const INITIALIZE = { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {},
	clientInfo: { name: "t", version: "1" } } };

// Each on a connection of its own, so that the fronts take turns.
const send = (method, headers, message, url = daemon.url) => fetch(url, { method, headers: { "content-type": "application/json",
	accept: "application/json, text/event-stream", connection: "close", ...headers }, body: message && JSON.stringify(message) });

test("two fronts honour a session, and its end", { timeout: 60000 }, async () => {
	const pair = sqliteProject();
	writeFileSync(join(pair.dir, "carrel.yaml"), readFileSync(join(pair.dir, "carrel.yaml"), "utf8") + "server:\n  fronts: 2\n");
	const both = await startDaemon(pair.dir);
	try {
		const session = (await send("POST", {}, INITIALIZE, both.url)).headers.get("mcp-session-id");
		const ping = async () => (await send("POST", { "mcp-session-id": session }, { jsonrpc: "2.0", id: 1, method: "ping" }, both.url)).status;
		const statuses = (wanted) => Promise.all(Array.from({ length: 40 }, async () => assert.equal(await ping(), wanted)));

		await statuses(200);
		assert.equal((await send("DELETE", { "mcp-session-id": session }, undefined, both.url)).status, 200);
		// The other front is told through the supervisor.
		await until(async () => (await Promise.all(Array.from({ length: 40 }, ping))).every((status) => status === 404), () => {}, "the end");
		await statuses(404);
	} finally {
		await both.stop();
		pair.drop();
	}
});

test("Last-Event-ID brings what a lost connection missed of a running call", { timeout: 60000 }, async () => {
	const session = { "mcp-session-id": (await send("POST", {}, INITIALIZE)).headers.get("mcp-session-id"), "mcp-protocol-version": "2025-11-25" };
	const stop = new AbortController();
	const answer = await fetch(daemon.url, { method: "POST", signal: stop.signal, headers: { "content-type": "application/json",
		accept: "application/json, text/event-stream", ...session }, body: JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call",
		params: { name: "sql_execution", _meta: { progressToken: 1 }, arguments: { connectionId: "warehouse",
			sql: "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 3000000) SELECT count(*) FROM c" } } }) });
	const first = Buffer.from((await answer.body.getReader().read()).value).toString();
	const [, id] = /^id: (\S+)\nretry: \d+\ndata: \n\n/.exec(first);

	stop.abort();
	const rest = await (await send("GET", { accept: "text/event-stream", "last-event-id": id, ...session })).text();
	assert.match(rest, /"id":7,"result":/);
	assert.match(rest, /3000000/);
	const ids = [...rest.matchAll(/^id: (\S+)$/gm)].map(([, one]) => one);
	assert.equal(new Set(ids).size, ids.length);
	// all of it was had: nothing more comes, and the stream ends at once
	assert.equal(await (await send("GET", { accept: "text/event-stream", "last-event-id": ids.at(-1), ...session })).text(), "");
});
