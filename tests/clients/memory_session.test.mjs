// memory_session - a research session: badly answered, found out, kept, answered; corrected; and taken back to the byte.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { carrel, clients, sqliteProject, startDaemon, withClient } from "./support.mjs";

let project, daemon;
const git = (...args) => execFileSync("git", ["-C", project.dir, "-c", "user.name=U", "-c", "user.email=u@example.com", ...args],
	{ encoding: "utf8", env: { ...process.env, HOME: project.dir, GIT_CONFIG_NOSYSTEM: "1" } }).trim();

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

// Every byte that runs may write.
function bytes() {
	const found = {};
	const walk = (path) => {
		for (const e of readdirSync(join(project.dir, path), { withFileTypes: true }))
			if (e.isDirectory()) walk(join(path, e.name));
			else found[join(path, e.name)] = createHash("sha256").update(readFileSync(join(project.dir, path, e.name))).digest("hex");
	};
	for (const place of ["wiki", "semantic-layer", "raw-sources"]) walk(place);
	return found;
}

async function keep(call, args) {
	const { structuredContent: { runId } } = await call("memory_ingest", args);
	for (;;) {
		const { structuredContent: status } = await call("memory_ingest_status", { runId });
		if (status.status !== "running") return status;
		await sleep(5);
	}
}

for (const kind of [clients[0], clients.at(-1)])
	test(`a session: ${kind.name}`, () =>
		withClient(kind, "http", { ...daemon, dir: project.dir }, async ({ call }) => {
			const before = bytes(), tree = git("rev-parse", "HEAD:"), commits = Number(git("rev-list", "--count", "HEAD"));
			const discover = async (query) => (await call("discover_data", { query, limit: 5 })).structuredContent.refs;
			const about = (refs) => refs.map((r) => r.id);

			// A question that nothing in the project answers.
			assert.ok(!about(await discover("kulanzquote")).some((id) => /kulanz/.test(id)));

			// What the turn found out, from the data itself.
			const { structuredContent: found } = await call("sql_execution",
				{ connectionId: "warehouse", sql: "SELECT sum(amount_ct) / 1000.0 AS k FROM refunds WHERE reason = 'defect'" });
			const finding = await keep(call, {
				content: "# Kulanzquote\n\nKulanzquote is defined as `sum(refunds.amount_ct) / 1000.0 where reason = 'defect'`.\n\nBe careful: with VAT.",
				connectionId: "warehouse",
			});
			assert.equal(finding.status, "done");
			assert.deepEqual(finding.captured, { wiki: ["kulanzquote"], sl: ["refunds"], xrefs: ["kulanzquote"] });

			// The same question, in the next call: the page and the measure come first, and say where they are from.
			const refs = await discover("kulanzquote");
			assert.deepEqual(about(refs.slice(0, 2)).sort(), ["kulanzquote", "refunds.kulanzquote"]);
			const page = refs.find((r) => r.kind === "wiki");
			assert.equal(page.provenance.runId, finding.runId);
			assert.match(page.provenance.at, /^\d{4}-\d\d-\d\dT/);
			assert.ok(page.provenance.author);
			const { structuredContent: read } = await call("wiki_read", { key: "kulanzquote" });
			assert.deepEqual(read.slRefs, ["refunds.kulanzquote"]);
			assert.equal(read.provenance.runId, finding.runId);
			const { structuredContent: source } = await call("sl_read_source", { connectionId: "warehouse", sourceName: "refunds" });
			assert.match(source.yaml, /name: kulanzquote[\s\S]*wiki: kulanzquote/);
			const { structuredContent: number } = await call("sl_query", { measures: ["refunds.kulanzquote"] });
			assert.deepEqual(number.rows, found.rows);

			// A page that is there is corrected: extended, not doubled, and both statements stand.
			assert.ok(!(await discover("are vouchers in net revenue")).some((r) => /vouchers are taken off/.test(r.snippet ?? "")));
			const correction = await keep(call, { content: "# Revenue\n\nRemember: vouchers are taken off net revenue on the day of the order." });
			assert.deepEqual(correction.changes.map((c) => [c.path, c.action]), [["wiki/global/revenue.md", "updated"]]);
			assert.ok((await discover("vouchers are taken off")).some((r) => r.id === "revenue"));
			assert.match((await call("wiki_read", { key: "revenue" })).structuredContent.content, /ouchers are taken off net revenue/);

			// What was just kept is contradicted: said on both sides, decided on none.
			const second = await keep(call, {
				content: "# Kulanzquote\n\nKulanzquote is defined as `sum(refunds.amount_ct) / 2000.0`.", connectionId: "warehouse",
			});
			assert.ok(second.changes.every((c) => /contradicts|otherwise/.test(c.reason)), JSON.stringify(second.changes));
			assert.match((await call("wiki_read", { key: "kulanzquote" })).structuredContent.content, /This contradicts[\s\S]*2000\.0/);
			assert.match(readFileSync(join(project.dir, "semantic-layer/warehouse/refunds.yaml"), "utf8"),
				/# contradicted on wiki page kulanzquote: sum\(amount_ct\) \/ 2000\.0\n {2}- name: kulanzquote\n/);
			assert.deepEqual((await call("sl_query", { measures: ["refunds.kulanzquote"] })).structuredContent.rows, found.rows);

			// One commit each, each the run's own.
			for (const status of [finding, correction, second]) {
				assert.match(status.commitHash, /^[0-9a-f]{40}$/);
				assert.ok(git("log", "-1", "--format=%B", status.commitHash).includes(`Carrel-Run: ${status.runId}`));
				assert.deepEqual(git("show", "--format=", "--name-only", status.commitHash).split("\n").sort(),
					status.changes.filter((c) => c.action !== "skipped").map((c) => c.path).sort());
			}

			// Back, newest first: as if nothing had been, in the files and in the tree.
			for (const { runId } of [second, correction, finding]) await carrel(project.dir, "memory", "revert", runId);
			assert.deepEqual(bytes(), before);
			assert.equal(git("rev-parse", "HEAD:"), tree);
			assert.equal(Number(git("rev-list", "--count", "HEAD")), commits + 6);
			assert.equal(git("status", "--porcelain"), "");
			assert.equal(git("fsck", "--strict", "--no-dangling"), "");
			assert.ok(!about(await discover("kulanzquote")).some((id) => /kulanz/.test(id)));
		}));
