// What every tool says of itself, and whether it is true: the list in a golden
// file and within its budget of tokens, examples that fit, results that fit.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import Ajv from "ajv/dist/2020.js";

import { MODERN, sqliteProject, startDaemon } from "./support.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const golden = join(root, "tests/golden/tools-list.json");
const ajv = new Ajv({ strict: false });

// Tokens as they are counted here: bytes of JSON over four.
const SHOWN_MAX = 2850, ALL_MAX = 6800;
const tokens = (value) => Buffer.byteLength(JSON.stringify(value)) / 4;

// openWorldHint is false for all, destructiveHint stands only where something is written.
const READS = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
const ANNOTATIONS = {
	connection_list: { title: "Connection List", ...READS },
	discover_data: { title: "Discover Data", ...READS },
	wiki_search: { title: "Wiki Search", ...READS },
	wiki_read: { title: "Wiki Read", ...READS },
	entity_details: { title: "Entity Details", ...READS },
	dictionary_search: { title: "Dictionary Search", ...READS },
	sl_read_source: { title: "Semantic Layer Read Source", ...READS },
	sl_query: { title: "Semantic Layer Query", ...READS },
	sql_execution: { title: "SQL Execution", ...READS },
	memory_ingest: { title: "Memory Ingest", readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
	memory_ingest_status: { title: "Memory Ingest Status", readOnlyHint: true, openWorldHint: false },
	ask_question: { title: "Ask Question", readOnlyHint: true, idempotentHint: false, openWorldHint: false },
};

// Real calls over the demo project; a function is given what was found before it.
const CALLS = [
	["connection_list", {}],
	["discover_data", { query: "revenue by customer", limit: 50 }],
	["discover_data", { query: "zzzzqqqq" }],
	["wiki_search", { query: "refund" }],
	["wiki_read", (seen) => ({ key: seen.wiki_search.results[0].key })],
	["entity_details", { connectionId: "warehouse", entities: [{ table: "orders" }, { table: "nowhere" }, { table: "orders", columns: ["nothing"] }] }],
	["dictionary_search", { values: ["cancelled", "zzzzqqqq"] }],
	["sl_read_source", (seen) => ({ connectionId: "warehouse", sourceName: seen.discover_data.refs.find((r) => r.kind === "sl_source").id })],
	["sl_query", (seen) => ({ measures: [seen.discover_data.refs.find((r) => r.kind === "sl_measure").id] })],
	["sql_execution", { connectionId: "warehouse", sql: "SELECT 1 AS one, NULL AS none, 'x' AS text, 9007199254740993 AS big, x'00ff' AS bytes" }],
	["sql_execution", { connectionId: "warehouse", sql: "SELECT * FROM orders", maxRows: 3 }],
	["sql_execution", { connectionId: "warehouse", sql: "SELECT * FROM orders", maxBytes: 2000, format: "columns" }],
	["memory_ingest", { content: "# Golden tools\n\nThe list of tools is held in a golden file." }],
	["memory_ingest_status", (seen) => ({ runId: seen.memory_ingest.runId })],
	["ask_question", () => ({ ontologyId: ontology, question: "headcount by team" })],
	["ask_question", () => ({ ontologyId: ontology, question: "why did the moon rise?" })],
];

let project, daemon, tools, ontology, id = 0;

async function rpc(method, params, accept = "application/json") {
	const named = method === "tools/call" ? { "Mcp-Name": params.name } : method === "resources/read" ? { "Mcp-Name": params.uri } : {};
	const answer = await fetch(daemon.url, { method: "POST",
		headers: { "Content-Type": "application/json", Accept: accept, "MCP-Protocol-Version": MODERN, "Mcp-Method": method, ...named },
		body: JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params: { ...params, _meta: { ...params._meta,
			"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {} } } }) });
	return accept === "application/json" ? (await answer.json()).result : answer.text();
}

const call = (name, args) => rpc("tools/call", { name, arguments: args });

before(async () => {
	project = sqliteProject();
	daemon = await startDaemon(project.dir);
	({ tools } = await rpc("tools/list", {}));
	const uri = "carrel://ontologies", { contents } = await rpc("resources/read", { uri });
	[{ id: ontology }] = [JSON.parse(contents[0].text)].flat();
});
after(async () => {
	await daemon?.stop();
	project?.drop();
});

test("the list is the golden one (CARREL_GOLDEN=write renews it)", () => {
	const text = JSON.stringify(tools, null, "\t") + "\n";
	if (process.env.CARREL_GOLDEN === "write") writeFileSync(golden, text);
	assert.equal(text, readFileSync(golden, "utf8"));
});

test(`the list costs at most ${SHOWN_MAX} tokens of what a model is shown, and ${ALL_MAX} in all`, (t) => {
	const shown = tokens(tools.map(({ name, title, description, inputSchema }) => ({ name, title, description, inputSchema })));
	const all = tokens(tools);
	t.diagnostic(`${shown} shown, ${all} in all`);
	assert.ok(shown <= SHOWN_MAX, `${shown} tokens are shown`);
	assert.ok(all <= ALL_MAX, `${all} tokens in all`);
});

test("order, titles and annotations are the contract's", () => {
	assert.deepEqual(tools.map((tool) => tool.name), Object.keys(ANNOTATIONS));
	for (const tool of tools) {
		assert.deepEqual(tool.annotations, ANNOTATIONS[tool.name], tool.name);
		assert.equal(tool.title, tool.annotations.title);
	}
});

// Every property of a schema, however deep, with its path.
function* properties(schema, path) {
	for (const [name, value] of Object.entries(schema.properties ?? {})) {
		yield [`${path}.${name}`, value];
		yield* properties(value, `${path}.${name}`);
	}
	for (const branch of [...schema.anyOf ?? [], ...schema.oneOf ?? [], ...schema.items ? [schema.items] : []])
		yield* properties(branch, path);
}

test("every input field is described, and every description ends with an example that fits", () => {
	for (const { name, description, inputSchema } of tools) {
		for (const [path, field] of properties(inputSchema, name))
			assert.ok(field.description?.length > 3, `${path} is not described`);
		const example = /Example: (\{.*\})$/s.exec(description);
		assert.ok(example, `${name} has no example`);
		assert.ok(ajv.validate(inputSchema, JSON.parse(example[1])), `${name}: ${ajv.errorsText()}`);
	}
});

test("every tool's results fit its output schema, and are repeated as text", async () => {
	const seen = {};
	for (const [name, args] of CALLS) {
		const { outputSchema } = tools.find((tool) => tool.name === name);
		const result = await call(name, typeof args === "function" ? args(seen) : args);
		assert.ok(!result.isError, `${name}: ${result.content[0].text}`);
		// The first branch is a result; the other one an error's, which these are not.
		assert.ok(ajv.validate(outputSchema.anyOf[0], result.structuredContent), `${name}: ${ajv.errorsText()}`);
		// An answer in words is told in blocks of its own.
		if (name === "ask_question") assert.equal(result.content[0].type, "text");
		else assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent, name);
		seen[name] ??= result.structuredContent;
	}
	assert.deepEqual(Object.keys(seen), tools.map((tool) => tool.name), "a tool was not called");
});

test("errors fit the announced schema too", async () => {
	for (const tool of tools) {
		const result = await call(tool.name, { nonsense: true });
		assert.equal(result.isError, true);
		assert.ok(ajv.validate(tool.outputSchema, result.structuredContent), tool.name);
		const { error } = result.structuredContent;
		assert.equal(error.code, "invalid_arguments");
		assert.ok(error.details.issues.some((issue) => issue.path === "nonsense" && issue.problem.startsWith("is not known here")), tool.name);
	}
});

test("an argument error names path, problem and an example that would be accepted", async () => {
	const { structuredContent: { error } } = await call("discover_data", { query: "", limit: 500, kinds: ["tables"] });
	const found = Object.fromEntries(error.details.issues.map((issue) => [issue.path, issue]));
	assert.deepEqual(Object.keys(found).sort(), ["kinds[0]", "limit", "query"]);
	assert.match(found.limit.problem, /at most 50/);
	const { properties: input } = tools.find((tool) => tool.name === "discover_data").inputSchema;
	assert.ok(ajv.validate(input.limit, JSON.parse(found.limit.example)));
	assert.ok(ajv.validate(input.query, JSON.parse(found.query.example)));
	assert.ok(ajv.validate(input.kinds.items, JSON.parse(found["kinds[0]"].example)));
});

// The part of a schema that an issue's path means: "kinds[0]" is kinds' items.
function* partsOf(schema, path) {
	const [, name, rest] = /^\.?([^.[]+)(.*)$/.exec(path) ?? [];
	const step = path.startsWith("[") ? [schema.items, path.slice(path.indexOf("]") + 1)] : [schema.properties?.[name], rest];
	for (const branch of schema.anyOf ?? [])
		yield* partsOf(branch, path);
	if (step[0] && step[1] === "")
		yield step[0];
	else if (step[0])
		yield* partsOf(step[0], step[1]);
}

test("whatever is wrong in whichever argument, the example given for it would be accepted", async () => {
	let seen = 0;
	for (const { name, description, inputSchema } of tools) {
		const good = JSON.parse(/Example: (\{.*\})$/s.exec(description)[1]);
		const attempts = (inputSchema.required ?? []).map((field) => { const { [field]: _, ...rest } = good; return rest; });
		for (const field of Object.keys(inputSchema.properties ?? {}))
			for (const wrong of [{ x: 1 }, 1.5, true, null, [null], "", [[]], -7, 1e9])
				attempts.push({ ...good, [field]: wrong });
		for (const args of attempts.filter((a) => !ajv.validate(inputSchema, a))) {
			const { error } = (await call(name, args)).structuredContent;
			assert.equal(error?.code, "invalid_arguments", `${name} ${JSON.stringify(args)}`);
			for (const issue of error.details.issues) {
				const parts = [...partsOf(inputSchema, issue.path)];
				if (parts.length === 0)
					continue;	/* an unknown member, which has no example */
				assert.ok(parts.some((part) => ajv.validate(part, JSON.parse(issue.example))),
					`${name} ${JSON.stringify(args)}: ${JSON.stringify(issue)}`);
				assert.ok(error.message.includes(issue.path) && error.message.includes(issue.problem));
				seen++;
			}
		}
	}
	assert.ok(seen > 100, `only ${seen} were wrong`);
});

test("aliases are renamed before anything is checked", async () => {
	const { structuredContent } = await call("entity_details",
		{ connectionId: "warehouse", entities: [{ table: { schema: "main", table: "orders" } }] });
	assert.equal(structuredContent.results[0].tableRef?.name ?? structuredContent.results[0].error.code, "orders");
});

test("sql_execution tells its stages", async () => {
	const text = await rpc("tools/call", { name: "sql_execution", arguments: { connectionId: "warehouse", sql: "SELECT 1 UNION SELECT 2" },
		_meta: { progressToken: 0 } }, "application/json, text/event-stream");
	const said = [...text.matchAll(/^data: (.*)$/gm)].map(([, line]) => JSON.parse(line)).filter((m) => m.method);
	assert.deepEqual(said.map(({ method, params }) => [method, params.progressToken, params.progress, params.total, params.message]), [
		["notifications/progress", 0, 0, 1, "Validating SQL"],
		["notifications/progress", 0, 0.3, 1, "Executing"],
		["notifications/progress", 0, 1, 1, "Fetched 2 rows"],
	]);
});
