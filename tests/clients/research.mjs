// research - what every client does with every database: find, inspect, query.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { clients, transportsOf, withClient } from "./support.mjs";

const tools = ["connection_list", "discover_data", "wiki_search", "wiki_read", "entity_details", "dictionary_search",
	"sl_read_source", "sl_query", "sql_execution", "memory_ingest", "memory_ingest_status", "ask_question"];

// The text block says the same as the structured content, always.
export function content(result) {
	assert.equal(result.content[0].type, "text");
	assert.ok(!result.isError, result.content[0].text);
	assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
	return result.structuredContent;
}

async function lists(session) {
	const { tools: listed } = await session.client.listTools();
	const names = listed.map((tool) => tool.name);
	assert.deepEqual([...names].sort(), [...tools].sort());
	for (const tool of listed) {
		assert.ok(tool.title && tool.description && tool.inputSchema && tool.outputSchema, tool.name);
		assert.equal(tool.annotations.openWorldHint, false, tool.name);
	}
	for (const local of ["scan", "introspect", "connection_test"])
		assert.ok(!names.includes(local), `${local} is not for clients`);
}

async function finds(session) {
	const { connections } = content(await session.call("connection_list", {}));
	assert.deepEqual(connections.map((c) => c.id), ["warehouse"]);
	assert.equal(connections[0].readOnly, true);
	assert.ok(connections[0].lastScan.syncId);

	const { refs } = content(await session.call("discover_data", { query: "orders", limit: 30 }));
	const table = refs.find((ref) => ref.kind === "table" && ref.tableRef.name === "orders");
	assert.ok(table, "discover_data finds the table orders");
	return table;
}

async function inspects(session, table) {
	const { results } = content(await session.call("entity_details",
		{ connectionId: "warehouse", entities: [{ table: table.tableRef }] }));
	assert.equal(results[0].ok, true);
	const columns = results[0].columns.map((column) => column.name);
	for (const name of ["id", "customer_id", "amt_eur_ct"])
		assert.ok(columns.includes(name), name);
	assert.ok(results[0].foreignKeys.some((key) => key.fromColumn === "customer_id" && key.toTable === "customers"));
}

// The tools that only some projects have something for: whatever they say, it is what their schemas promise.
async function callsTheRest(session, semantic) {
	const { results: matches } = content(await session.call("dictionary_search", { values: ["shipped", "no such value"] }));
	assert.equal(matches.length, 2);
	const { results: pages } = content(await session.call("wiki_search", { query: "refund revenue orders" }));
	if (pages.length > 0)
		assert.equal(content(await session.call("wiki_read", { key: pages[0].key })).key, pages[0].key);
	const source = await session.call("sl_read_source", { connectionId: "warehouse", sourceName: "orders" });
	const numbers = await session.call("sl_query", { connectionId: "warehouse", measures: ["count(orders.id)"], dimensions: [] });
	if (semantic) {
		assert.ok(content(source).yaml.includes("orders"));
		assert.equal(content(numbers).rowCount, 1);
	} else
		for (const result of [source, numbers])
			assert.ok(result.isError ? result.structuredContent.error.code : result.structuredContent);
	const { runId } = content(await session.call("memory_ingest", { content: "# Called\n\nEvery client calls every tool." }));
	let status;
	do
		status = content(await session.call("memory_ingest_status", { runId }));
	while (status.status === "running" && await sleep(20, true));
	assert.equal(status.runId, runId);
}

async function queries(session, sql) {
	const result = content(await session.call("sql_execution", {
		connectionId: "warehouse",
		sql: "SELECT count(*) AS orders, min(id) AS first, NULL AS nil FROM orders",
	}));
	assert.deepEqual(result.headers, ["orders", "first", "nil"]);
	assert.equal(result.rowCount, 1);
	assert.equal(result.truncated, false);
	assert.ok(result.rows[0][0] > 1000);
	assert.equal(result.rows[0][2], null);

	// One that takes a moment: the clients drop progress that arrives together with the answer.
	const seen = [];
	content(await session.call("sql_execution", { connectionId: "warehouse", sql: sql.slow },
		{ onprogress: (progress) => seen.push(progress.progress) }));
	assert.ok(seen.length > 0, "progress was reported");
	for (let i = 1; i < seen.length; i++)
		assert.ok(seen[i] > seen[i - 1], `progress only rises: ${seen}`);
}

async function errs(session) {
	const failures = [
		["sql_execution", { connectionId: "nowhere", sql: "SELECT 1" }, "connection_not_found"],
		["sql_execution", { connectionId: "warehouse", sql: "SELECT no_such_column FROM orders" }, "invalid_sql"],
		["wiki_read", { key: "no-such-page" }, "page_not_found"],
	];
	for (const [tool, args, code] of failures) {
		const result = await session.call(tool, args);
		assert.equal(result.isError, true, tool);
		assert.equal(result.structuredContent.error.code, code);
		assert.ok(result.content[0].text.length > 10);
	}
	for (const sql of ["DELETE FROM orders", "DROP TABLE orders", "SELECT 1; SELECT 2"]) {
		const result = await session.call("sql_execution", { connectionId: "warehouse", sql });
		assert.equal(result.isError, true, sql);
	}
	await assert.rejects(session.call("no_such_tool", {}));
}

async function until(condition, what) {
	for (let tries = 0; tries < 100; tries++) {
		if (await condition())
			return;
		await sleep(100);
	}
	assert.fail(`waited in vain: ${what}`);
}

// Two cancelled queries leave a pool of two free again at once, not after their
// timeout; where the database can tell, they were seen there before and not after.
async function cancels(session, sql) {
	const started = Date.now(), stop = new AbortController();
	const begun = new Set();
	const calls = [1, 2].map((call) => assert.rejects(session.call("sql_execution",
		{ connectionId: "warehouse", sql: sql.endless }, { signal: stop.signal, onprogress: () => begun.add(call) })));
	await until(() => begun.size === 2, "both have begun");
	if (sql.running)
		await until(() => sql.running() === 2, "both run in the database");
	stop.abort();
	await Promise.all(calls);
	if (sql.running)
		await until(() => sql.running() === 0, "neither runs in the database");
	const { rows } = content(await session.call("sql_execution", { connectionId: "warehouse", sql: "SELECT 42" }));
	assert.deepEqual(rows, [[42]]);
	assert.ok(Date.now() - started < 28000, "the pool was free long before the statement timeout of 30 s");
}

// One test per client and transport; place() gives {url, dir} once the daemon runs,
// sql a statement that is slow and one that never ends.  scattered: each request may come to another node, where running
// calls of a session stay with their own (docs/nodes.md), so that its clients do not cancel; nor is there a stream of HTTP+SSE.
export function research(database, place, sql, { scattered = false } = {}) {
	for (const kind of clients)
		for (const transport of scattered ? ["http"] : transportsOf(kind))
			test(`${database}: client ${kind.name} over ${transport}`, { timeout: 120000 }, () =>
				withClient(kind, transport, place(), async (session) => {
					await lists(session);
					const table = await finds(session);
					await inspects(session, table);
					await queries(session, sql);
					await callsTheRest(session, sql.semantic);
					await errs(session);
					if (!scattered || kind.modern) await cancels(session, sql);
				}));
}
