// signin - programs as people have them sign in by themselves, with a real browser in the middle, from a 401 to a tool
// call: mcp-remote, for agents that know stdio alone, and the MCP Inspector, by its page and by its command line.
// Against the daemon itself, and behind nginx with TLS where that is installed.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { noChromium, openChromium } from "./chromium.mjs";
import { behindNginx, noNginx } from "./nginx.mjs";
import { carrelWith, clients, sqliteProject, startDaemon } from "./support.mjs";

const modules = resolve(dirname(fileURLToPath(import.meta.url)), "../node_modules");
const inspector = join(modules, "@modelcontextprotocol/inspector/clients/launcher/build/index.js");
const PASSWORD = "correct horse battery";
const SQL = ["sql_execution", { connectionId: "warehouse", sql: "SELECT 40 + 2 AS n" }];
const ASKED = /https?:\/\/\S+\/api\/oauth\/authorize\?\S+/;
const MINUTE = 60_000;

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

// mcp-remote, begun as an agent begins it; what it keeps is in config.
function viaMcpRemote(url, config, ca) {
	// BROWSER: whatever it would open is opened here.
	const transport = new kind.Stdio({ command: process.execPath, args: [join(modules, "mcp-remote/dist/proxy.js"), url], stderr: "pipe",
		env: { PATH: process.env.PATH, HOME: config, BROWSER: "true", MCP_REMOTE_CONFIG_DIR: config, ...(ca && { NODE_EXTRA_CA_CERTS: ca }) } });
	const made = { ...kind.make(), said: "" };
	made.connected = made.client.connect(transport, { timeout: 4 * MINUTE });
	transport.stderr.setEncoding("utf8").on("data", (text) => { made.said += text; });
	return made;
}

async function mcpRemote({ url, ca }, browser) {
	const config = mkdtempSync(join(tmpdir(), "carrel-mcp-remote-")), sessions = [];
	try {
		const first = viaMcpRemote(url, config, ca);
		sessions.push(first);
		const [asked] = await until(`a page to open; it said: ${first.said}`, () => ASKED.exec(first.said));
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
		const second = viaMcpRemote(url, config, ca);
		sessions.push(second);
		await second.connected;
		assert.ok(!(await second.call(...SQL)).isError);
		assert.doesNotMatch(second.said, ASKED);
	} finally {
		for (const { client } of sessions) await client.close().catch(() => {});
		rmSync(config, { recursive: true, force: true, maxRetries: 5 });
	}
}

// The Inspector with these arguments: the process, what it said, and how it ended.
function inspect(home, ca, ...args) {
	const child = spawn(process.execPath, [inspector, ...args], { stdio: ["ignore", "pipe", "pipe"], env: { PATH: process.env.PATH, HOME: home,
		BROWSER: "true", MCP_INSPECTOR_SECRET_STORE: "memory", ...(ca && { NODE_EXTRA_CA_CERTS: ca }),
		// Its command line tells whom to visit only where it may open a browser by itself.
		MCP_AUTO_OPEN_ENABLED: String(args[0] === "--cli") } });
	const run = { child, out: "", err: "", ended: new Promise((done) => child.on("exit", done)) };
	child.stdout.setEncoding("utf8").on("data", (text) => { run.out += text; });
	child.stderr.setEncoding("utf8").on("data", (text) => { run.err += text; });
	return run;
}

async function inspectorLine({ url, ca }, browser) {
	const home = mkdtempSync(join(tmpdir(), "carrel-inspector-"));
	const run = inspect(home, ca, "--cli", url, "--method", "tools/call", "--tool-name", SQL[0], "--tool-args-json", JSON.stringify(SQL[1]), "--format", "json");
	try {
		const [asked] = await until(`a page to open; it said: ${run.err}`, () => ASKED.exec(run.err));
		assert.equal(new URL(asked).searchParams.get("resource"), url);
		const page = await browser.fresh();
		await page.open(asked);
		await agree(page);
		assert.equal(await run.ended, 0, run.err);
		assert.equal(JSON.parse(run.out).result.structuredContent.rows[0][0], 42);
	} finally {
		run.child.kill("SIGKILL");
		rmSync(home, { recursive: true, force: true, maxRetries: 5 });
	}
}

// In its page all is one browser: it connects, is sent to sign in, comes back, and a tool is called by its form.
async function inspectorPage({ url, ca }, browser) {
	const home = mkdtempSync(join(tmpdir(), "carrel-inspector-"));
	const run = inspect(home, ca, "--web", "--transport", "http", "--server-url", url);
	try {
		const [at] = await until(`its page; it said: ${run.out}${run.err}`, () => /http:\/\/\S+MCP_INSPECTOR_API_TOKEN=\w+/.exec(run.out));
		const page = await browser.fresh();
		const shown = (selector, text) => `[...document.querySelectorAll("${selector}")].find((e) => e.offsetParent && e.innerText.includes("${text}"))`;
		const click = (what) => until(what, () => page.look(`{ const e = ${what}; e?.click(); Boolean(e) }`));
		await page.open(at);
		await click(`document.querySelector("input[aria-label^='Connect or disconnect']")`);
		await agree(page);
		await click(`document.querySelector("input[value=Tools]")`);
		await click(shown("button", SQL[0]));
		for (const [name, value] of Object.entries(SQL[1])) {
			await until(name, () => page.look(`{ const e = ${shown("label", name)}; e && document.getElementById(e.htmlFor).focus(); Boolean(e) }`));
			await page.say("Input.insertText", { text: value });
		}
		await click(shown("button", "Execute Tool"));
		const text = await until("an answer", async () => /"rows"[^]*"elapsedMs"/.exec(await page.text() ?? "")?.[0]);
		assert.match(text, /"rows":\s*\[\s*\[\s*42\s*\]\s*\]/);
	} finally {
		run.child.kill("SIGKILL");
		rmSync(home, { recursive: true, force: true, maxRetries: 5 });
	}
}

async function prepared(serve) {
	const project = sqliteProject();
	appendFileSync(join(project.dir, "carrel.yaml"), "\noauth: { enabled: true, authorize_per_min: 1000 }\nauth: { loopback: required }\n");
	try {
		const place = await serve(project.dir);
		carrelWith(project.dir, `${PASSWORD}\n`, "user", "add", "ada", "--role", "contributor", "--password-stdin");
		return { ...place, stop: async () => {
			await place.stop();
			project.drop();
		} };
	} catch (error) {
		project.drop();
		throw error;
	}
}

const places = [
	{ name: "the daemon itself", skip: noChromium, serve: startDaemon, hosts: ["localhost", "127.0.0.1"] },
	{ name: "behind nginx with TLS", skip: noChromium || noNginx, serve: behindNginx, hosts: ["localhost"] },
];

for (const { name, skip, serve, hosts } of places)
	describe(name, { skip }, () => {
		let place, browser;
		before(async () => {
			place = await prepared(serve);
			browser = await openChromium("--ignore-certificate-errors");	// the certificate is our own
		});
		after(async () => {
			await browser?.close();
			await place?.stop();
		});
		const at = (host) => ({ ...place, url: place.url.replace(/\/\/[^:]+/, `//${host}`) });

		for (const host of hosts)
			test(`mcp-remote signs in at ${host}, calls, and signs in once only`, { timeout: 5 * MINUTE }, () => mcpRemote(at(host), browser));
		test("the Inspector's command line signs in and calls", { timeout: 5 * MINUTE }, () => inspectorLine(at(hosts[0]), browser));
		test("the Inspector's page signs in and calls", { timeout: 5 * MINUTE }, () => inspectorPage(at(hosts[0]), browser));
	});
