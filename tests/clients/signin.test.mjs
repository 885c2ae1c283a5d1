// signin - a program as people have it signs in by itself, with a real browser in the middle: mcp-remote, for agents that
// know stdio alone, from a 401 to a tool call.
import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { noChromium, openChromium } from "./chromium.mjs";
import { carrelWith, clients, sqliteProject, startDaemon } from "./support.mjs";

const modules = resolve(dirname(fileURLToPath(import.meta.url)), "../node_modules");
const PASSWORD = "correct horse battery";
const SQL = ["sql_execution", { connectionId: "warehouse", sql: "SELECT 40 + 2 AS n" }];
const MINUTE = 60_000;

let project, daemon, browser;

before(async () => {
	project = sqliteProject();
	appendFileSync(join(project.dir, "carrel.yaml"), "\noauth: { enabled: true, authorize_per_min: 1000 }\nauth: { loopback: required }\n");
	daemon = await startDaemon(project.dir);
	carrelWith(project.dir, `${PASSWORD}\n`, "user", "add", "ada", "--role", "contributor", "--password-stdin");
	if (!noChromium) browser = await openChromium();
});
after(async () => {
	await browser?.close();
	await daemon?.stop();
	project?.drop();
});

// What a person does from the page that a program sends them to.
async function agree(page) {
	await page.fill("input[name=username]", "ada");
	await page.fill("input[name=password]", PASSWORD);
	await page.click("button[type=submit]");
	await page.click("button[name=decision][value=allow]");
}

async function until(what, condition) {
	for (const end = Date.now() + 2 * MINUTE; Date.now() < end; await sleep(50)) {
		const value = await condition();
		if (value) return value;
	}
	throw new Error(`not so far: ${what}`);
}

const kind = clients[0];

for (const host of ["localhost", "127.0.0.1"])
	test(`mcp-remote signs in at ${host}, calls, and signs in once only`, { skip: noChromium, timeout: 5 * MINUTE }, async () => {
		const config = mkdtempSync(join(tmpdir(), "carrel-mcp-remote-"));
		const url = daemon.url.replace(/\/\/[^:]+/, `//${host}`);
		// BROWSER: whatever it would open is opened here.
		const begin = () => new kind.Stdio({ command: process.execPath, args: [join(modules, "mcp-remote/dist/proxy.js"), url], stderr: "pipe",
			env: { PATH: process.env.PATH, HOME: config, BROWSER: "true", MCP_REMOTE_CONFIG_DIR: config } });
		const sessions = [];
		const session = (transport) => {
			const made = kind.make();
			sessions.push(made);
			return { ...made, connected: made.client.connect(transport, { timeout: 4 * MINUTE }) };
		};
		try {
			const transport = begin(), first = session(transport);
			let said = "";
			transport.stderr.setEncoding("utf8").on("data", (text) => { said += text; });
			const asked = await until(`a page to open; it said: ${said}`, () => /https?:\/\/\S+\/api\/oauth\/authorize\?\S+/.exec(said)?.[0]);
			assert.equal(new URL(asked).searchParams.get("resource"), url);
			const page = await browser.fresh();
			await page.open(asked);
			await agree(page);
			await first.connected;
			const { structuredContent, isError } = await first.call(...SQL);
			assert.ok(!isError, JSON.stringify(structuredContent));
			assert.equal(structuredContent.rows[0][0], 42);
			await first.client.close();
			// It kept what it was given: no page is opened again.
			const later = begin(), second = session(later);
			let again = "";
			later.stderr.setEncoding("utf8").on("data", (text) => { again += text; });
			await second.connected;
			assert.ok(!(await second.call(...SQL)).isError);
			assert.doesNotMatch(again, /\/api\/oauth\/authorize\?/);
		} finally {
			for (const { client } of sessions) await client.close().catch(() => {});
			rmSync(config, { recursive: true, force: true, maxRetries: 5 });
		}
	});
