// The MCP Inspector's command line, as people try servers out with it: connect,
// list, and every tool, over each transport.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { sqliteProject, startDaemon } from "./support.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const bin = resolve(process.env.CARREL_BIN ?? join(root, "build/bin"));
const inspector = join(root, "tests/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");
const home = mkdtempSync(join(tmpdir(), "carrel-inspector-"));

let project, daemon;

before(async () => {
	project = sqliteProject();
	daemon = await startDaemon(project.dir);
});
after(async () => {
	await daemon?.stop();
	project?.drop();
	rmSync(home, { recursive: true, force: true });
});

const targets = {
	http: () => [daemon.url, "--transport", "http"],
	sse: () => [`${daemon.url}/sse`, "--transport", "sse"],
	stdio: () => [join(bin, "carrel"), "mcp", "stdio", "--project-dir", project.dir],
};

// What the Inspector prints holds the result.  A command's own arguments come behind "--".
const inspect = (transport, ...args) => new Promise((done, failed) => execFile(process.execPath,
	[inspector, "--cli", ...transport === "stdio" ? [] : targets[transport](), "--format", "json", ...args,
		...transport === "stdio" ? ["--", ...targets.stdio()] : []],
	{ maxBuffer: 16 << 20, timeout: 60000, env: { ...process.env, HOME: home, MCP_INSPECTOR_SECRET_STORE: "memory" } }, (error, stdout, stderr) =>
		error ? failed(new Error(`${error.message}\n${stderr}`)) : done(JSON.parse(stdout).result)));

const call = (transport, name, args = {}) => inspect(transport, "--method", "tools/call", "--tool-name", name,
	...Object.entries(args).flatMap(([key, value]) => ["--tool-arg", `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`]));

// With arguments that have an answer in the demo project; what depends on an earlier one comes after it.
const CALLS = [
	["connection_list", {}, (c) => c.connections.length > 0],
	["discover_data", { query: "revenue" }, (c) => c.refs.length > 0],
	["wiki_search", { query: "refund" }, (c) => c.results.length > 0],
	["entity_details", { connectionId: "warehouse", entities: [{ table: "orders" }] }, (c) => c.results[0].ok],
	["dictionary_search", { values: ["zzzz"] }, (c) => c.results.length === 1],
	["sql_execution", { connectionId: "warehouse", sql: "SELECT 42" }, (c) => c.rows[0][0] === 42],
];

// Those that need to know something first.
async function dependent(transport, seen) {
	const of = (kind) => seen.discover_data.refs.find((ref) => ref.kind === kind).id;
	const ask = async (name, args) => {
		const result = await call(transport, name, args);
		assert.ok(!result.isError, `${name}: ${result.content[0].text}`);
		return result.structuredContent;
	};

	assert.ok((await ask("wiki_read", { key: seen.wiki_search.results[0].key })).content.length > 0);
	assert.ok((await ask("sl_query", { measures: [of("sl_measure")] })).rowCount >= 0);
	const source = of("sl_measure").split(".")[0];
	assert.equal((await ask("sl_read_source", { connectionId: "warehouse", sourceName: source })).sourceName, source);
	const { runId } = await ask("memory_ingest", { content: `# Looked at over ${transport}\n\nOnce.` });
	assert.equal((await ask("memory_ingest_status", { runId })).runId, runId);
	const { contents } = await inspect(transport, "--method", "resources/read", "--uri", "carrel://ontologies");
	const [{ id: ontologyId }] = JSON.parse(contents[0].text);
	assert.equal((await ask("ask_question", { ontologyId, question: "What was net revenue in 2025?" })).status, "answered");
}

for (const transport of Object.keys(targets))
	test(`Inspector over ${transport}: connect, list, call every tool`, { timeout: 240000 }, async () => {
		const { tools } = await inspect(transport, "--method", "tools/list");
		const seen = {};

		assert.equal(tools.length, CALLS.length + 6);
		for (const [name, args, holds] of CALLS) {
			const { structuredContent, isError } = await call(transport, name, args);
			assert.ok(!isError && holds(structuredContent), name);
			seen[name] = structuredContent;
		}
		await dependent(transport, seen);
	});

test("Inspector reads resources and prompts", { timeout: 120000 }, async () => {
	const { resources } = await inspect("http", "--method", "resources/list");
	const { contents } = await inspect("http", "--method", "resources/read", "--uri", resources[0].uri);
	assert.equal(contents[0].uri, resources[0].uri);
	const { prompts } = await inspect("http", "--method", "prompts/list");
	assert.ok(prompts.some((prompt) => prompt.name === "analyze"));
	assert.ok((await inspect("http", "--method", "resources/templates/list")).resourceTemplates.length > 0);
});
