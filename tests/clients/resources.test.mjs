// resources - what every client sees beside tools: resources, templates, prompts, completion, and changes of files.
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import {
	PromptListChangedNotificationSchema, ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";

import { carrel, clients, sqliteProject, startDaemon, transportsOf, withClient } from "./support.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const golden = join(root, "tests/golden/resources-demo.json");

let project, daemon;
const place = () => ({ url: daemon.url, dir: project.dir });

before(async () => {
	project = sqliteProject();
	daemon = await startDaemon(project.dir);
});

after(async () => {
	await daemon?.stop();
	project?.drop();
});

// Every page of a list; the clients of 2.x follow cursors by themselves.
async function all(list, items) {
	const found = [];
	let cursor;
	do {
		const page = await list(cursor === undefined ? undefined : { cursor });
		found.push(...page[items]);
		cursor = page.nextCursor;
	} while (cursor !== undefined);
	return found;
}

// From the list of ontologies to a field of a dataset; legacy servers have a code of their own for what is not ready.
async function readsOntologies(client, kind) {
	const text = async (uri) => (await client.readResource({ uri })).contents[0].text;
	const listed = JSON.parse(await text("carrel://ontologies"));
	assert.equal(listed.length, 1);
	const [{ id, name, datasetCount, fieldCount }] = listed;
	assert.match(id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
	const { ontology, datasets } = JSON.parse(await text(`carrel://ontologies/${id}`));
	assert.deepEqual([ontology.id, ontology.name, datasets.length], [id, name, datasetCount]);
	let fields = 0;
	for (const dataset of datasets) {
		const { contents: [{ mimeType, text: yaml }] } =
			await client.readResource({ uri: `carrel://ontologies/${id}/datasets/${encodeURIComponent(dataset.name)}` });
		assert.equal(mimeType, "text/yaml");
		assert.ok(yaml.startsWith(`name: ${JSON.stringify(dataset.name)}\n`), yaml);
		assert.ok(yaml.includes(dataset.source === "sql" ? "source:\n  sql: " :
			`source:\n  table: ${JSON.stringify(dataset.source)}\nfields:\n`), yaml);
		fields += yaml.match(/^  - name: /gm).length;
	}
	assert.equal(fields, fieldCount);
	const none = "00000000-0000-4000-8000-000000000000";
	for (const [uri, code, named] of [[`carrel://ontologies/${none}`, "ONTOLOGY_NOT_FOUND", { ontologyId: none }],
		[`carrel://ontologies/${id}/datasets/nothing`, "DATASET_NOT_FOUND", { ontologyId: id, datasetName: "nothing" }]])
		await assert.rejects(client.readResource({ uri }), (error) => {
			assert.equal(error.code, kind.name === "1.x" ? -32002 : -32602, `${error}`);
			if (kind.name === "1.x")
				assert.equal(error.data.code, code);
			for (const [key, value] of Object.entries(kind.name === "2.x legacy" ? {} : named)) // that client keeps the URI alone
				assert.equal(error.data[key], value);
			return true;
		});
	const template = { type: "ref/resource", uri: "carrel://ontologies/{id}/datasets/{name}" };
	const { completion } = await client.complete({ ref: template, argument: { name: "name", value: "ord" }, context: { arguments: { id } } });
	assert.ok(completion.values.includes("orders"));
}

async function readsAll(client, kind) {
	const resources = await all((p) => client.listResources(p), "resources");
	const uris = resources.map((r) => r.uri);
	assert.equal(new Set(uris).size, uris.length, "each once");
	for (const start of ["carrel://wiki/", "carrel://semantic-layer/warehouse/", "carrel://schema/warehouse/", "carrel://dialect/"])
		assert.ok(uris.some((uri) => uri.startsWith(start)), start);
	for (const resource of resources) {
		assert.ok(resource.name && resource.title && resource.mimeType, resource.uri);
		const { contents } = await client.readResource({ uri: resource.uri });
		assert.equal(contents.length, 1);
		assert.equal(contents[0].uri, resource.uri);
		assert.equal(contents[0].mimeType, resource.mimeType);
		assert.ok(contents[0].text.length > 0, resource.uri);
		if (resource.size !== undefined)
			assert.equal(Buffer.byteLength(contents[0].text), resource.size, resource.uri);
		if (resource.uri.startsWith("carrel://ontologies"))
			continue;
		if (resource.mimeType === "application/json")
			assert.equal(JSON.parse(contents[0].text).ok, true, resource.uri);
	}
	const { resourceTemplates } = await client.listResourceTemplates();
	assert.deepEqual(resourceTemplates.map((t) => t.uriTemplate),
		["carrel://wiki/{key}", "carrel://semantic-layer/{connection}/{source}", "carrel://schema/{connection}/{table}",
			"carrel://dialect/{connection}", "carrel://ontologies/{id}", "carrel://ontologies/{id}/datasets/{name}"]);

	await readsOntologies(client, kind);

	// Legacy servers say -32002, which the clients of 2.x report as the newer code.
	const missing = kind.name === "1.x" ? -32002 : -32602;
	for (const uri of ["carrel://wiki/no-such-page", "carrel://wiki/..%2f..%2fcarrel.yaml", "carrel://schema/nowhere/orders",
		"file:///etc/passwd", "carrel://wiki/"])
		await assert.rejects(client.readResource({ uri }), (error) => {
			assert.equal(error.code, missing, `${uri}: ${error}`);
			assert.equal(error.data?.uri, uri);
			return true;
		});
	await assert.rejects(client.listResources({ cursor: "" }), (error) => error.code === -32602);
}

async function prompts(client) {
	const { prompts: listed } = await client.listPrompts();
	assert.deepEqual(listed.map((p) => p.name), ["analyze", "explain_table", "define_metric"]);
	const names = (await client.listTools()).tools.map((tool) => tool.name);
	for (const prompt of listed) {
		assert.ok(prompt.description && prompt.title && prompt.arguments.every((a) => a.description), prompt.name);
		const values = { question: "How many orders?", table: "orders", metric: "revenue" };
		const args = Object.fromEntries(prompt.arguments.filter((a) => a.required).map((a) => [a.name, values[a.name]]));
		const { messages } = await client.getPrompt({ name: prompt.name, arguments: args });
		assert.equal(messages[0].role, "user");
		for (const [, word] of messages[0].content.text.matchAll(/\b([a-z]+_[a-z_]+)\b/g))
			assert.ok(names.includes(word) || !/^(discover|wiki|entity|dictionary|sl|sql|memory|connection)_/.test(word),
				`${prompt.name} names ${word}, which is no tool`);
		await assert.rejects(client.getPrompt({ name: prompt.name, arguments: {} }), (error) => error.code === -32602);
	}
	await assert.rejects(client.getPrompt({ name: "no-such-prompt" }), (error) => error.code === -32602);
}

async function completes(client) {
	const complete = async (ref, name, value, context) =>
		(await client.complete({ ref, argument: { name, value }, ...(context && { context: { arguments: context } }) })).completion;
	const table = { type: "ref/resource", uri: "carrel://schema/{connection}/{table}" };
	const explain = { type: "ref/prompt", name: "explain_table" };
	assert.deepEqual((await complete(table, "connection", "w")).values, ["warehouse"]);
	for (const ref of [table, explain]) {
		const found = await complete(ref, "table", "ord", { connection: "warehouse" });
		assert.deepEqual(found.values.slice(0, 2), ["order_items", "orders"]);
		assert.equal(found.total, found.values.length);
		assert.deepEqual((await complete(ref, "table", "ord", { connection: "nowhere" })).values, []);
	}
	assert.deepEqual((await complete({ type: "ref/resource", uri: "carrel://wiki/{key}" }, "key", "rev")).values, ["revenue"]);
	await assert.rejects(complete({ type: "ref/prompt", name: "nope" }, "x", ""), (error) => error.code === -32602);
}

for (const kind of clients)
	for (const transport of transportsOf(kind))
		test(`resources: client ${kind.name} over ${transport}`, { timeout: 120000 }, () =>
			withClient(kind, transport, place(), async ({ client }) => {
				const capabilities = client.getServerCapabilities();
				assert.deepEqual(capabilities.resources, { subscribe: true, listChanged: true });
				assert.deepEqual(capabilities.prompts, { listChanged: true });
				assert.deepEqual(capabilities.completions, {});
				await readsAll(client, kind);
				await prompts(client);
				await completes(client);
			}));

test("resources: the demo's list is as it was", { timeout: 60000 }, () =>
	withClient(clients[0], "http", place(), async ({ client }) => {
		const resources = await all((p) => client.listResources(p), "resources");
		for (const { annotations } of resources)
			if (annotations) {
				assert.match(annotations.lastModified, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
				annotations.lastModified = "…";
			}
		const text = `[\n${resources.map((r) => JSON.stringify(r)).join(",\n")}\n]\n`;
		if (process.env.CARREL_GOLDEN === "write")
			writeFileSync(golden, text);
		assert.equal(text, readFileSync(golden, "utf8"));
	}));

// --- changes -------------------------------------------------------------------------------

async function until(condition, what) {
	for (let tries = 0; tries < 200; tries++) {
		if (await condition())
			return;
		await sleep(50);
	}
	assert.fail(`waited in vain: ${what}`);
}

// What a client hears: {list: n, uris: […]}.
function hears(kind, client) {
	const heard = { list: 0, uris: [] };
	const on = (schema, method, handler) => client.setNotificationHandler(kind.name === "1.x" ? schema : method, handler);
	on(ResourceListChangedNotificationSchema, "notifications/resources/list_changed", () => { heard.list++; });
	on(PromptListChangedNotificationSchema, "notifications/prompts/list_changed", () => {});
	on(ResourceUpdatedNotificationSchema, "notifications/resources/updated", (n) => { heard.uris.push(n.params.uri); });
	return heard;
}

for (const kind of clients)
	for (const transport of transportsOf(kind))
		test(`changes: client ${kind.name} over ${transport}`, { timeout: 120000 }, () =>
			withClient(kind, transport, place(), async ({ client }) => {
				const heard = hears(kind, client), page = join(project.dir, "wiki/global/changing.md");
				const uris = ["carrel://wiki/changing", "carrel://semantic-layer/warehouse/changing"];
				const source = join(project.dir, "semantic-layer/warehouse/changing.yaml");
				let listening;
				if (kind.modern)
					listening = await client.listen({ resourcesListChanged: true, resourceSubscriptions: uris });
				else
					for (const uri of uris)
						await client.subscribeResource({ uri });
				try {
					writeFileSync(page, "# One\n");
					await until(() => heard.list > 0 && heard.uris.includes(uris[0]), "the page appeared");
					assert.equal((await client.readResource({ uri: uris[0] })).contents[0].text, "# One\n");
					heard.uris = [];
					writeFileSync(page, "# Two\n");
					await until(() => heard.uris.includes(uris[0]), "the page changed");
					assert.equal((await client.readResource({ uri: uris[0] })).contents[0].text, "# Two\n");
					writeFileSync(source, "name: changing\ntable: orders\n");
					await until(() => heard.uris.includes(uris[1]), "the source appeared");
					heard.list = 0;
					heard.uris = [];
					rmSync(page);
					rmSync(source);
					await until(() => heard.list > 0 && uris.every((uri) => heard.uris.includes(uri)), "both went");
					await assert.rejects(client.readResource({ uri: uris[0] }));
				} finally {
					rmSync(page, { force: true });
					rmSync(source, { force: true });
					await listening?.close();
				}
			}));

// A worker that takes another's place has read the same files or others: only then is there something to hear.
test("changes: the search worker is replaced", { timeout: 60000 }, () =>
	withClient(clients.at(-1), "http", place(), async ({ client }) => {
		const heard = hears(clients.at(-1), client), page = join(project.dir, "wiki/global/replaced.md");
		const uri = "carrel://wiki/replaced";
		const worker = async () => (await carrel(project.dir, "status")).daemon.children.find((c) => c.role === "search");
		const replaced = async (pid) => {
			process.kill(pid, "SIGKILL");
			await until(async () => { const now = await worker(); return now.pid !== pid && now.state === "ready"; }, "another worker");
			assert.ok((await client.listResources(undefined, { cacheMode: "bypass" })).resources.length > 0);
		};
		const listening = await client.listen({ resourcesListChanged: true, resourceSubscriptions: [uri] });
		try {
			await replaced((await worker()).pid);
			await sleep(500);
			assert.deepEqual(heard, { list: 0, uris: [] });

			const { pid } = await worker();
			process.kill(pid, "SIGSTOP");
			writeFileSync(page, "# Written while nobody looked\n");
			await replaced(pid);
			await until(() => heard.list > 0 && heard.uris.includes(uri), "what changed meanwhile");
			assert.match((await client.readResource({ uri })).contents[0].text, /nobody looked/);
		} finally {
			rmSync(page, { force: true });
			await listening.close();
		}
	}));

// Another scheme, and a daemonless stdio server.
test("resources: a scheme of one's own", { timeout: 60000 }, async () => {
	const own = sqliteProject();
	try {
		const file = join(own.dir, "carrel.yaml");
		writeFileSync(file, `${readFileSync(file, "utf8")}\nsurface: { resource_scheme: acme }\n`);
		await withClient(clients[0], "stdio", own, async ({ client }) => {
			const resources = await all((p) => client.listResources(p), "resources");
			assert.ok(resources.every((r) => r.uri.startsWith("acme://")));
			const { contents } = await client.readResource({ uri: "acme://wiki/revenue" });
			assert.match(contents[0].text, /revenue/i);
			await assert.rejects(client.readResource({ uri: "carrel://wiki/revenue" }));
		});
	} finally {
		own.drop();
	}
});
