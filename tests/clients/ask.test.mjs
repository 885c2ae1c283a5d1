// Questions in plain language by the official clients of both eras: an answer whose figures are cells, a
// question back by a form or as a block, and a plain no.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { clients, sqliteProject, startDaemon, transportsOf, withClient } from "./support.mjs";

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

				const back = await ask("headcount of recent employees");
				assert.notEqual(back.structuredContent.status, "answered");
			});
		});

test("an ontology that is not there is an error of its era", { timeout: 120000 }, async () => {
	const args = { ontologyId: "00000000-0000-4000-8000-000000000000", question: "headcount" };
	for (const kind of clients)
		await withClient(kind, "http", place(), async ({ call }) => {
			if (!kind.modern) return assert.rejects(call("ask_question", args), (error) => error.code === -32003);
			const { isError, structuredContent } = await call("ask_question", args);
			assert.equal(isError, true);
			assert.equal(structuredContent.error.code, "ontology_not_found");
		});
});
