// skills - what the skills teach is what the server announces: tool names, argument names, who takes a connection.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { clients, sqliteProject, withClient } from "./support.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const skill = (name) => readFileSync(join(root, "skills", name, "SKILL.md"), "utf8");
const analytics = skill("carrel-analytics");
const errors = [...readFileSync(join(root, "base/err.def"), "utf8").matchAll(/"([a-z_]+)",\s+\d{3},/g)].map((m) => m[1]);
const kinds = ["sl_source", "sl_measure", "sl_dimension"];
// An administrator's alone, so not among the tools of the list below.
const concierge = [...readFileSync(join(root, "policy/tools.def"), "utf8").matchAll(/^TOOL\((\w+),.*CONNECTIVITY,/gm)].map((m) => m[1]);

let project;
const tools = new Map();

before(async () => {
	project = sqliteProject();
	await withClient(clients[0], "stdio", project, async ({ client }) => {
		for (const tool of (await client.listTools()).tools) tools.set(tool.name, tool);
	});
});
after(() => project.drop());

test("every tool is taught, and no other", () => {
	assert.equal(tools.size, 12);
	for (const name of tools.keys()) assert.ok(analytics.includes(`\`${name}\``), `${name} is not taught`);
	for (const text of [analytics, skill("carrel-connectivity")])
		for (const [, word] of text.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g))
			assert.ok(tools.has(word) || concierge.includes(word) || errors.includes(word) || kinds.includes(word),
				`"${word}" is no tool, error or kind`);
	assert.equal(concierge.length, 7);
});

test("every example call fits its tool", () => {
	let seen = 0;
	for (const [, name, text] of analytics.matchAll(/`([a-z_]+)`\s+(\{"[^{}]*\})/g)) {
		const { properties, required = [] } = tools.get(name).inputSchema;
		const args = Object.keys(JSON.parse(text.replace(/\n/g, " ")));
		for (const arg of args) assert.ok(arg in properties, `${name} has no argument ${arg}`);
		for (const arg of required) assert.ok(args.includes(arg), `the example of ${name} lacks ${arg}`);
		seen++;
	}
	assert.ok(seen >= 8, `only ${seen} examples were found`);
});

test("the table of connections is the schemas'", () => {
	for (const [row, fits] of [
		["required", (s) => (s.required ?? []).includes("connectionId")],
		["accepted", (s) => "connectionId" in s.properties && !(s.required ?? []).includes("connectionId")],
		["never", (s) => !("connectionId" in (s.properties ?? {}))],
	]) {
		const line = analytics.split("\n").find((l) => l.startsWith(`| ${row} |`));
		const said = [...line.matchAll(/`([a-z_]+)`/g)].map((m) => m[1]).sort();
		const is = [...tools.values()].filter((t) => fits(t.inputSchema)).map((t) => t.name).sort();
		assert.deepEqual(said, is, row);
	}
});
