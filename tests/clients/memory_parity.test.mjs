// memory_parity - the same text through MCP and through the shell: equal signals, equal statuses, equal files.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { carrel, clients, sqliteProject, startDaemon, withClient } from "./support.mjs";
import { texts } from "./memory_texts.mjs";

// Everything about it is equal but for what says who, when and which run.
const plain = (text) => text
	.replace(/mem-\d{13}-[0-9a-f]{24}/g, "RUN")
	.replace(/\d{4}-\d\d-\d\d(T[\d:.]+Z)?/g, "WHEN")
	.replace(/\b(cli|local):\d+/g, "WHO");

// "wiki/global/x.md" -> text, of everything that runs may write.
function files(dir) {
	const found = new Map();
	const walk = (path) => {
		for (const e of readdirSync(join(dir, path), { withFileTypes: true }))
			if (e.isDirectory()) walk(join(path, e.name));
			else found.set(join(path, e.name), plain(readFileSync(join(dir, path, e.name), "utf8")));
	};
	walk("wiki");
	walk("semantic-layer");
	return found;
}

let asked, typed, daemons;

before(async () => {
	asked = sqliteProject();
	typed = { dir: `${asked.dir}-typed`, drop: () => rmSync(`${asked.dir}-typed`, { recursive: true, force: true }) };
	mkdirSync(typed.dir);
	cpSync(asked.dir, typed.dir, { recursive: true });
	daemons = [await startDaemon(asked.dir), await startDaemon(typed.dir)];
});
after(async () => {
	for (const daemon of daemons ?? []) await daemon.stop();
	asked.drop();
	typed.drop();
});

async function ask(call, args) {
	const { structuredContent: { runId } } = await call("memory_ingest", args);
	for (;;) {
		const { structuredContent: status } = await call("memory_ingest_status", { runId });
		if (status.status !== "running") return status;
		await sleep(5);
	}
}

// The CLI exits with 1 when a run failed; what it prints is the status all the same.
async function type(args) {
	const file = join(typed.dir, ".carrel", "text.md");
	writeFileSync(file, args.content);
	try {
		return await carrel(typed.dir, "ingest", "text", file, ...(args.connectionId ? ["--connection", args.connectionId] : []));
	} catch (error) {
		return JSON.parse(error.stdout);
	}
}

const essence = (status) => JSON.parse(plain(JSON.stringify({ ...status, startedAt: null, finishedAt: null })));

test(`${texts.length} texts of different kinds`, () =>
	withClient(clients[0], "http", { ...daemons[0], dir: asked.dir }, async ({ call }) => {
		const seen = new Set();

		assert.ok(texts.length >= 50);
		for (const { name, ...args } of texts) {
			const one = await ask(call, args), other = await type(args);
			const shown = [await carrel(asked.dir, "memory", "show", one.runId), await carrel(typed.dir, "memory", "show", other.runId)];

			assert.deepEqual(essence(one), essence(other), name);
			assert.deepEqual(shown[0].signals, shown[1].signals, name);
			assert.equal(shown[0].content, args.content, name);
			assert.equal(shown[1].content, args.content, name);
			assert.equal(one.status, "done", `${name}: ${one.error}`);
			assert.equal(one.signalDetected, shown[0].signals.length > 0, name);
			for (const { signal } of shown[0].signals) seen.add(signal);
		}
		assert.deepEqual([...files(asked.dir)], [...files(typed.dir)]);
		/* Every kind of signal was among them. */
		assert.deepEqual([...seen].sort(), ["calendar", "dbt", "definition", "definition_table", "formula", "freshness", "gotcha",
			"lookml", "names", "request", "rule", "sql", "sql_aggregate", "units"]);
	}));

test("nothing hostile left its place, and every page still reads", () =>
	withClient(clients[0], "http", { ...daemons[0], dir: asked.dir }, async ({ call }) => {
		for (const path of files(asked.dir).keys()) {
			assert.match(path, /^(wiki\/global\/[A-Za-z0-9][\w-]*\.md|semantic-layer\/warehouse\/(_schema\/)?[\w-]+\.yaml)$/);
			if (!path.startsWith("wiki/")) continue;
			const key = path.slice("wiki/global/".length, -".md".length);
			const { structuredContent: page, isError } = await call("wiki_read", { key });
			assert.ok(!isError, `${key}: ${JSON.stringify(page)}`);
			/* Who wrote it is for us to say. */
			if (page.provenance?.runId) assert.match(page.provenance.runId, /^mem-\d{13}-[0-9a-f]{24}$/);
			assert.notEqual(page.provenance?.author, "root");
			assert.equal(page.provenance?.status ?? null, null);
		}
	}));
