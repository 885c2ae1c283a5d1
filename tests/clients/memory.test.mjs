// memory - what one session found out, the next one finds; many at once lose nothing.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { clients, sqliteProject, startDaemon, withClient } from "./support.mjs";

let project, daemon;
const git = (...args) => execFileSync("git", ["-C", project.dir, "-c", "user.name=U", "-c", "user.email=u@example.com", ...args],
	{ encoding: "utf8", maxBuffer: 64 << 20 }).trim();

before(async () => {
	project = sqliteProject();
	git("init", "-q");
	git("add", "-A");
	git("commit", "-qm", "before");
	daemon = await startDaemon(project.dir);
});
after(async () => {
	await daemon.stop();
	project.drop();
});

async function finished(call, runId) {
	for (;;) {
		const { structuredContent: status, isError } = await call("memory_ingest_status", { runId });
		if (isError) assert.match(status.error.code, /^(busy|rate_limited)$/);
		else if (status.status !== "running") return status;
		await sleep(5);
	}
}

for (const [i, kind] of clients.entries()) {
	test(`a finding is found by the next question: ${kind.name}`, () =>
		withClient(kind, "http", { ...daemon, dir: project.dir }, async ({ call }) => {
			const name = `zweitkauf${"abcd"[i]}`;
			const ask = async () => (await call("discover_data", { query: name })).structuredContent.refs.map((r) => r.id);

			assert.ok(!(await ask()).includes(name));
			const { structuredContent } = await call("memory_ingest",
				{ content: `# ${name}\n\n${name} is defined as \`sum(refunds.amount_ct) / ${i + 2}.0\`.`, connectionId: "warehouse" });
			const status = await finished(call, structuredContent.runId);
			assert.equal(status.status, "done");
			assert.deepEqual(status.captured, { wiki: [name], sl: ["refunds"], xrefs: [name] });
			const found = await ask();
			assert.ok(found.includes(name) && found.includes(`refunds.${name}`), `found ${found}`);
			const { structuredContent: page } = await call("wiki_read", { key: name });
			assert.equal(page.provenance.runId, structuredContent.runId);
			const { structuredContent: numbers } = await call("sl_query", { measures: [`refunds.${name}`] });
			assert.equal(numbers.rowCount, 1);
		}));
}

test("200 at once, with searches and an editor: nothing is lost, every status is true", () =>
	withClient(clients[0], "http", { ...daemon, dir: project.dir }, async ({ call }) => {
		const path = join(project.dir, "wiki/global/parallel-facts.md");
		const lines = [];
		const { structuredContent: first } = await call("memory_ingest", { content: "# Parallel facts\n\nRemember: the first of many." });
		await finished(call, first.runId);

		const editor = (async () => {
			for (let i = 0; i < 20; i++) {
				appendFileSync(path, `Edited by hand, number ${i}.\n`);
				await sleep(7);
			}
		})();
		// More are asked for than one client may have in flight: who is told so asks again.
		const ingest = async (content) => {
			for (;;) {
				const { structuredContent, isError } = await call("memory_ingest", { content });
				if (!isError) return structuredContent;
				assert.match(structuredContent.error.code, /^(busy|rate_limited)$/);
				await sleep(10);
			}
		};
		const searches = Array.from({ length: 50 }, (_, i) => call("wiki_search", { query: `facts ${i}` }));
		const runs = await Promise.all(Array.from({ length: 200 }, async (_, i) => {
			const text = `Parallel fact number ${i} stands alone.`;
			const { runId } = await ingest(`# Parallel facts\n\nRemember: ${text}`);
			return { text, status: await finished(call, runId) };
		}));
		await Promise.all([editor, ...searches]);

		const page = readFileSync(path, "utf8");
		for (const { text, status } of runs) {
			if (status.status === "done") lines.push(text);
			else assert.match(status.error, /was changed by somebody else/);
			assert.equal(page.split(text).length - 1, status.status === "done" ? 1 : 0, `${status.status}: ${text}`);
		}
		for (let i = 0; i < 20; i++) assert.ok(page.includes(`Edited by hand, number ${i}.\n`), `edit ${i} is gone`);
		assert.ok(lines.length > 100, `only ${lines.length} runs landed`);
		// One commit for each that is done, none for the others, and nothing of the editor's is taken for ours.
		const committed = git("log", "--format=%B").split("\n").filter((l) => l.startsWith("Carrel-Run: ")).map((l) => l.slice(12));
		assert.equal(new Set(committed).size, committed.length);
		for (const { status } of runs) {
			assert.equal(committed.includes(status.runId), status.status === "done", status.error);
			if (status.status === "done") assert.match(status.commitHash, /^[0-9a-f]{40}$/);
		}
		assert.equal(git("fsck", "--strict", "--no-dangling"), "");
		assert.equal(git("diff", "--cached", "--name-only"), "");
		for (const place of ["wiki/global", "semantic-layer/warehouse", ".carrel/memory/queue"])
			assert.deepEqual(readdirSync(join(project.dir, place)).filter((n) => n.startsWith(".carrel-tmp-") || n.startsWith("mem-")), []);
	}));
