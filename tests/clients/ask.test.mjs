// Questions in plain language by the official clients of both eras: an answer whose figures are cells, a
// question back by a form or as a block, and a plain no.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { Client as Client2 } from "@modelcontextprotocol/client";

import { carrel, clients, sqliteProject, startDaemon, transports, transportsOf, withClient } from "./support.mjs";

let project, daemon;

before(async () => {
	project = sqliteProject();
	daemon = await startDaemon(project.dir);
}, { timeout: 120000 });
after(async () => {
	await daemon?.stop();
	project?.drop();
});

const place = () => ({ url: daemon.url, dir: project.dir });

// Every number in the text is a cell of the rows, as it is displayed.
function assertFiguresAreCells(text, rows) {
	const cells = rows.data.flat().filter((cell) => typeof cell === "number");
	for (const [token] of text.split("Computed:")[0].matchAll(/-?\d[\d,]*(\.\d+)?/g)) {
		const figure = Number(token.replaceAll(",", ""));
		assert.ok(cells.some((cell) => Math.abs(cell - figure) <= 0.0501), `${token} is no cell`);
	}
}

// What the audit has of a question: its text, title, ontology and session, and what became of it.
async function assertOnRecord(client, receipt, ontologyId, kind, transport) {
	const { entry } = await carrel(project.dir, "audit", "show", receipt);
	const { title, ontology, session, answer } = entry.policy;
	assert.match(entry.statement, /^headcount of recent employees, .* title$/);
	assert.equal(title, `MCP: carrel-tests — ${entry.statement.slice(0, 60)}`);
	assert.equal(ontology, ontologyId);
	assert.ok(["asked back", "declined"].includes(answer), answer);
	if (!kind.modern && transport === "http")
		assert.match(session, /^[0-9a-f]{52}$/);
}

for (const kind of clients)
	for (const transport of transportsOf(kind))
		test(`questions: client ${kind.name} over ${transport}`, { timeout: 120000 }, async () => {
			await withClient(kind, transport, place(), async ({ client, call }) => {
				const { contents } = await client.readResource({ uri: "carrel://ontologies" });
				const [{ id: ontologyId }] = JSON.parse(contents[0].text);
				const ask = async (question) => await call("ask_question", { ontologyId, question });

				const answer = await ask("headcount by team");
				assert.ok(!answer.isError, answer.content[0].text);
				const { structuredContent: said } = answer;
				assert.equal(said.status, "answered");
				assert.equal(said.rows.data.length, said.rows.rowCount);
				assertFiguresAreCells(said.narrative, said.rows);
				assert.equal(answer.content[0].text, said.narrative);
				assert.deepEqual(answer.content.slice(1).map((block) => JSON.parse(block.text)._type), ["chart_specs", "data_lineage"]);
				assert.ok(said.interpretation.words.every(({ consumedBy }) => consumedBy), "a word is in no part of the reading");
				assert.ok(said.checks.every(({ outcome }) => outcome !== "failed" && outcome !== "unverified"));

				const refusal = (await ask("why did headcount fall?")).structuredContent;
				assert.equal(refusal.status, "cannot_answer");
				assert.equal(refusal.reason.code, "cause");
				assert.ok(!("rows" in refusal));

				const back = await ask("headcount of recent employees, said at some length, so that it is longer than a title");
				assert.notEqual(back.structuredContent.status, "answered");
				await assertOnRecord(client, back._meta["carrel/receipt"], ontologyId, kind, transport);
			});
		});

// The clients of docs/clients.md, as they stand there.
for (const [language, program, file] of [["ts", "node", "client.mjs"], ["python", "python3", "client.py"]])
	test(`the documented client in ${language} gets an answer`, { timeout: 60000 }, () => {
		const here = mkdtempSync(join(import.meta.dirname, "documented-"));
		try {
			const text = readFileSync(join(import.meta.dirname, "../../docs/clients.md"), "utf8");
			writeFileSync(join(here, file), text.match(new RegExp("```" + language + "\\n(.*?)```", "s"))[1]);
			const run = (question) => execFileSync(program, [join(here, file), question],
				{ env: { ...process.env, CARREL_URL: daemon.url }, encoding: "utf8" });
			assert.match(run("how many customers are there?"), /count: [\d,]+/);
			assert.match(run("net revenue by channel"), /Which time period/);
			assert.match(run("net revenue by channel [Time period: 2025]"), /net revenue/);
		} finally {
			rmSync(here, { recursive: true });
		}
	});

test("an ontology that is not there is an error of its era", { timeout: 120000 }, async () => {
	const args = { ontologyId: "00000000-0000-4000-8000-000000000000", question: "headcount" };
	for (const kind of clients)
		await withClient(kind, "http", place(), async ({ call }) => {
			if (!kind.modern)
				return assert.rejects(call("ask_question", args), ({ code, data }) => code === -32002 &&
					data.ontologyId === args.ontologyId && data.question === "headcount" && data.code === "ONTOLOGY_NOT_FOUND");
			const { isError, structuredContent } = await call("ask_question", args);
			assert.equal(isError, true);
			assert.equal(structuredContent.error.code, "ontology_not_found");
		});
});

test("ontologies that are declared are all there are, and each keeps to its sources", { timeout: 120000 }, async () => {
	const ids = [1, 2, 3].map((n) => `5f3b6c1e-8a54-4f0b-9a52-0d9e4b7c2f1${n}`);
	const narrow = sqliteProject();
	appendFileSync(join(narrow.dir, "carrel.yaml"), `ontologies:
  - { id: ${ids[0].toUpperCase()}, name: People, description: Who works here, connection: warehouse, sources: [employees] }
  - { id: ${ids[1]}, name: All, connection: warehouse, sources: "*" }
  - { id: ${ids[2]}, name: Broken, connection: warehouse, sources: [employees, there_is_none] }\n`);
	const served = await startDaemon(narrow.dir);
	try {
		for (const kind of clients)
			await withClient(kind, "http", { url: served.url, dir: narrow.dir }, async ({ client, call }) => {
				const read = async (uri) => JSON.parse((await client.readResource({ uri })).contents[0].text);
				const listed = await read("carrel://ontologies");
				assert.deepEqual(listed.map(({ id, name, description }) => [id, name, description]),
					[[ids[0], "People", "Who works here"], [ids[1], "All", null]]);
				assert.equal(listed[0].datasetCount, 1);
				assert.ok(listed[1].datasetCount > 1);
				assert.deepEqual((await read(`carrel://ontologies/${ids[0]}`)).datasets.map((d) => d.name), ["employees"]);
				const ask = async (ontologyId, question) => (await call("ask_question", { ontologyId, question })).structuredContent;
				const question = "how many orders are there?";
				assert.equal((await ask(ids[0], "headcount by team")).status, "answered");
				assert.equal((await ask(ids[0], question)).status, "cannot_answer");
				assert.notEqual((await ask(ids[1], question)).status, "cannot_answer");
				await assert.rejects(client.readResource({ uri: `carrel://ontologies/${ids[2]}` }),
					({ code, message }) => /not ready/.test(message) && (kind.name !== "1.x" || code === -32003));
			});
	} finally {
		await served.stop();
		narrow.drop();
	}
});

// A client whose user answers forms as `reply` says; `forms` holds what the user was shown.
async function withUser(kind, reply, forms, run) {
	const capabilities = reply === null ? {} : { elicitation: {} };
	const info = { name: "carrel-tests", version: "1" };
	const mode = kind.name.includes("pinned") ? { pin: kind.name.split(" ").at(-1) } : kind.name.split(" ").at(-1);
	const client = kind.name === "1.x" ? new Client1(info, { capabilities }) : new Client2(info, { capabilities, versionNegotiation: { mode } });
	const show = async ({ params }) => {
		forms.push(params);
		return reply(params);
	};
	if (reply !== null)
		client.setRequestHandler(kind.name === "1.x" ? ElicitRequestSchema : "elicitation/create", show);
	await client.connect(transports.http(kind, place()));
	try {
		const [{ id: ontologyId }] = JSON.parse((await client.readResource({ uri: "carrel://ontologies" })).contents[0].text);
		await run(async (question) => (await client.callTool({ name: "ask_question", arguments: { ontologyId, question } })));
	} finally {
		await client.close();
	}
}

const VAGUE = "how many orders are there?";
const refused = (action) => async () => ({ action });

test("a question back is a form in every era, or a block", { timeout: 120000 }, async () => {
	for (const kind of clients) {
		const forms = [];
		await withUser(kind, async () => ({ action: "accept", content: { q1: "2025" } }), forms, async (ask) => {
			const { structuredContent: said } = await ask(VAGUE);
			assert.equal(said.status, "answered", kind.name);
			assert.equal(forms.length, 1);
			assert.deepEqual(Object.keys(forms[0].requestedSchema.properties), ["q1"]);
			assert.ok(said.interpretation.timeWindow, "the window that was answered is in the reading");
			// The same in one question, without a form.
			const written = (await ask(`${VAGUE} [Time period: 2025]`)).structuredContent;
			assert.equal(forms.length, 1);
			assert.deepEqual(written.rows, said.rows);
			assert.deepEqual(written.interpretation.timeWindow, said.interpretation.timeWindow);
		});
		for (const reply of [refused("decline"), refused("cancel"), null]) {
			forms.length = 0;
			await withUser(kind, reply, forms, async (ask) => {
				const { structuredContent: said, content } = await ask(VAGUE);
				assert.equal(said.status, "clarification", kind.name);
				assert.equal(forms.length, reply === null ? 0 : 1);
				assert.ok(!("rows" in said) && said.questions.length >= 1 && said.questions.length <= 3);
				assert.equal(JSON.parse(content[0].text)._type, "clarification_request");
			});
		}
	}
});
