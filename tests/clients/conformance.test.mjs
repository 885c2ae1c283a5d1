// The public conformance suite against the fixture build: every scenario that a
// revision's requirements score passes, and the others that apply; those of the
// tasks extension too, which nobody scores.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { serveFixture } from "./support.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const suite = join(root, "tests/node_modules/@modelcontextprotocol/conformance");

// How many scenarios each requires, and which are run unscored and apply to us all the same.
const REVISIONS = {
	"2025-11-25": { scored: 30, also: ["server-session-lifecycle", "json-schema-2020-12"] },
	"2026-07-28": { scored: 37, also: ["http-header-validation", "http-custom-header-server-validation", "json-schema-2020-12"] },
};

// The names under "server:" of a requirements file.
function required(revision) {
	const text = readFileSync(join(suite, "requirements", `${revision}.yaml`), "utf8");
	const server = text.slice(text.search(/^server:$/m) + "server:".length);
	const end = server.search(/^\S/m);
	return [...server.slice(0, end < 0 ? undefined : end).matchAll(/^ +- ([a-z0-9-]+)$/gm)].map((m) => m[1]);
}

let fixture, out;
const results = {};

// "✓ ping: 2 passed, 0 failed" → ping: {ok, passed, failed}
function readSummary(text) {
	const found = {};
	for (const [, mark, name, passed, failed] of text.matchAll(/^(✓|✗) (\S+): (\d+) passed, (\d+) failed/gm))
		found[name] = { ok: mark === "✓" && failed === "0", passed: Number(passed), failed: Number(failed) };
	return found;
}

const run = (revision) => new Promise((done) => execFile(process.execPath, [join(suite, "dist/index.js"), "server",
	"--url", fixture.url, "--requirements", revision, "-o", join(out, revision)],
{ maxBuffer: 64 << 20 }, (error, stdout, stderr) => done({ code: error?.code ?? 0, text: stdout + stderr })));

before(async () => {
	out = mkdtempSync(join(tmpdir(), "carrel-conformance-"));
	fixture = await serveFixture();
	for (const revision of Object.keys(REVISIONS)) {
		const { code, text } = await run(revision);
		results[revision] = { code, found: readSummary(text), text };
	}
}, { timeout: 300000 });

after(() => {
	fixture?.server.kill("SIGKILL");
	rmSync(out, { recursive: true, force: true });
});

for (const [revision, { scored, also }] of Object.entries(REVISIONS)) {
	const names = required(revision);

	test(`conformance ${revision}: ${scored} scenarios are required, and all were run`, () => {
		assert.equal(names.length, scored);
		assert.equal(results[revision].code, 0, results[revision].text.slice(-6000));
	});
	for (const name of [...names, ...also])
		test(`conformance ${revision}: ${name}`, () => {
			const result = results[revision].found[name];
			assert.ok(result, "it was not run");
			assert.ok(result.ok && result.passed > 0, `${result.passed} passed, ${result.failed} failed`);
		});
}

test("conformance: the tasks extension", (t) => {
	const scenarios = Object.entries(results["2026-07-28"].found).filter(([name]) => name.startsWith("tasks-"));
	assert.ok(scenarios.length >= 10);
	for (const [name, { passed, failed }] of scenarios) {
		t.diagnostic(`${name}: ${passed} passed, ${failed} failed`);
		assert.equal(failed, 0, name);
	}
});

test("conformance: the fixture ends on SIGTERM, and on SIGINT even where its shell ignored it", { timeout: 60000 }, async () => {
	const other = await serveFixture({ ignoring: "INT" });
	for (const [one, signal] of [[fixture, "SIGTERM"], [other, "SIGINT"]]) {
		one.server.kill(signal);
		assert.deepEqual(await one.ended, { code: 0, signal: null });
		await assert.rejects(fetch(new URL("/health", one.url)));
	}
});
