// Another account of this machine against people who are signed in: browsers send their cookies to its port, and take
// cookies from it. A real Chromium is the victim's; the hostile server runs as an account of its own.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { noChromium, openChromium } from "./chromium.mjs";
import { carrel, carrelWith, sqliteProject, startDaemon } from "./support.mjs";

const skip = noChromium || (process.getuid() !== 0 && "only root can play another account");
const PASSWORD = "correct horse battery", NOBODY = 65534;
const AUTHORIZE = "/api/oauth/authorize?response_type=code&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256" +
	"&redirect_uri=http%3A%2F%2F127.0.0.1%3A9%2Fback&state=s&client_id=";
let project, daemon, origin, browser, client, neighbour;

async function until(what, holds) {
	for (const end = Date.now() + 60000; Date.now() < end; await sleep(50)) {
		const value = await holds();
		if (value) return value;
	}
	assert.fail(what);
}

// The hostile account: what it is told to do, it does with its own connections.
async function startNeighbour() {
	const source = readFileSync(new URL("../support/neighbour.mjs", import.meta.url), "utf8");
	const child = spawn("node", ["--input-type=module", "-e", source], { uid: NOBODY, gid: NOBODY, cwd: "/", env: { PATH: process.env.PATH, TARGET: origin }, stdio: ["pipe", "pipe", "inherit"] });
	const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator](), at = Number((await lines.next()).value);
	const tell = async (order) => {
		child.stdin.write(`${JSON.stringify(order)}\n`);
		return JSON.parse((await lines.next()).value);
	};
	assert.equal(await tell({ act: "who" }), NOBODY);
	return { url: `http://127.0.0.1:${at}`, other: `http://localhost:${at}`, tell, seen: (path) => tell({ act: "seen", path }),
		attempt: (path, more) => tell({ act: "attempt", path, ...more }), stop: () => child.stdin.end() };
}

const JSON_FIELDS = { "Content-Type": "application/json" };
const stealing = { body: JSON.stringify({ label: "stolen", scopes: ["research:read", "research:query"] }), headers: JSON_FIELDS };
const tokens = async () => (await carrel(project.dir, "token", "list")).tokens.length;

// As this account, which owns the daemon, with the same cookie and key: so that what is refused the other is not refused by accident.
async function session(cookie, key) {
	const response = await fetch(`${origin}/admin/api/session`, { method: "POST", body: "{}", headers: { ...JSON_FIELDS, Origin: origin, Cookie: cookie, ...(key && { "Carrel-Csrf": key }) } });
	return response.json();
}

async function nothingFor(cookie) {
	const asked = await neighbour.attempt("/admin/api/session", { cookie, body: "{}", headers: JSON_FIELDS });
	assert.deepEqual([asked.status, JSON.parse(asked.text).signed_in, JSON.parse(asked.text).csrf], [200, false, undefined]);
	assert.equal((await neighbour.attempt("/admin/api/tools/token_create", { cookie, key: "x".repeat(43), ...stealing })).status, 401);
	assert.match((await neighbour.attempt(AUTHORIZE + client, { cookie, method: "GET", headers: { Accept: "text/html" } })).location, /\/api\/oauth\/login\?/);
	assert.equal(await tokens(), 0);
}

async function signIn(page, next = "") {
	await page.open(`${origin}/api/oauth/login${next}`);
	await page.fill("#username", "root");
	await page.fill("#password", PASSWORD);
	await page.click("button.first");
}

before(async () => {
	if (skip) return;
	project = sqliteProject();
	appendFileSync(join(project.dir, "carrel.yaml"), "\noauth: { enabled: true, authorize_per_min: 1000 }\n");
	daemon = await startDaemon(project.dir);
	origin = `http://127.0.0.1:${new URL(daemon.url).port}`;
	for (const [name, role] of [["root", "admin"], ["mallory", "contributor"]])
		await carrelWith(project.dir, `${PASSWORD}\n`, "user", "add", name, "--role", role, "--password-stdin");
	const registered = await fetch(`${origin}/api/oauth/register`, { method: "POST", headers: JSON_FIELDS, body: JSON.stringify({ client_name: "A client", redirect_uris: ["http://127.0.0.1:9/back"] }) });
	client = (await registered.json()).client_id;
	neighbour = await startNeighbour();
	browser = await openChromium();
}, { timeout: 180000 });
after(async () => {
	neighbour?.stop();
	await browser?.close();
	await daemon?.stop();
	project?.drop();
});

test("a listener gets the cookie of the owner's page and can do nothing with it", { skip, timeout: 120000 }, async () => {
	const page = await browser.fresh();
	await page.open((await carrel(project.dir, "admin")).url);
	await page.has("nav a[aria-current]");
	const key = await page.run("sessionStorage.getItem('carrel-key')");
	// A page of another site sends the browser there, so that SameSite=Strict is no wall.
	await page.open(`${neighbour.other}/elsewhere`);
	const cookie = await until("the browser sends the cookie to the other port", () => neighbour.seen("/second"));
	assert.match(cookie, /carrel_admin_\d+=/);
	await nothingFor(cookie);
	assert.equal((await session(cookie)).signed_in, false);
	assert.equal((await session(cookie, key)).principal, `local:${process.getuid()}`);
	// The page goes on in its tab when it is opened again; another tab has no key.
	await page.open(`${origin}/admin`);
	await page.has("nav a[aria-current]");
});

test("a listener gets the cookie of a user's login and can do nothing with it", { skip, timeout: 120000 }, async () => {
	const page = await browser.fresh();
	await signIn(page, "?next=%2Fadmin");
	await page.has("nav a[aria-current]");
	assert.equal(await page.run("location.hash"), "");
	await page.open(`${neighbour.url}/here`);
	const cookie = await until("the browser sends the cookie to the other port", () => neighbour.seen("/here"));
	assert.match(cookie, /carrel_session_\d+=/);
	await nothingFor(cookie);
	const own = await fetch(origin + AUTHORIZE + client, { redirect: "manual", headers: { Accept: "text/html", Cookie: cookie } });
	assert.equal(own.status, 200); // the consent page, for this account
	// Who is signed in and comes without the key to the administration is asked for the password.
	const page2 = await browser.fresh();
	await signIn(page2);
	await page2.has("form[action$=logout]");
	await page2.open(`${origin}/admin`);
	await page2.click("main a[href*=login]");
	await page2.has("#password");
});

test("a hostile page in the victim's browser learns nothing and changes nothing", { skip, timeout: 120000 }, async () => {
	const page = await browser.fresh();
	await page.open((await carrel(project.dir, "admin")).url);
	await page.has("nav a[aria-current]");
	await page.open(`${neighbour.url}/hostile`);
	await until("the page is done", () => page.look("document.title === 'done'"));
	const told = await neighbour.tell({ act: "reported" });
	assert.equal(told.length, 9);
	for (const [name, what] of told) assert.ok(what === "refused" || what === "", `${name}: ${what}`);
	await nothingFor(await neighbour.seen("/hostile"));
	assert.ok((await carrel(project.dir, "audit", "search", "--action", "token.create")).entries.length === 0);
});

test("cookies from another port sign nobody in as somebody else", { skip, timeout: 180000 }, async () => {
	// The neighbour signs in as itself, by its own connections, and hands its session to the victim's browser.
	const html = { Accept: "text/html" };
	const form = await neighbour.attempt("/api/oauth/login", { method: "GET", headers: html }), visitor = form.cookie.split(";")[0];
	const csrf = /name="csrf" value="([^"]+)"/.exec(form.text)[1];
	const body = new URLSearchParams({ csrf, next: "", username: "mallory", password: PASSWORD }).toString();
	const signed = await neighbour.attempt("/api/oauth/login", { cookie: visitor, body, headers: { ...html, "Content-Type": "application/x-www-form-urlencoded" } });
	assert.equal(signed.status, 303);
	const theirs = signed.cookie.split(";")[0];
	assert.equal((await neighbour.attempt(AUTHORIZE + client, { cookie: theirs, method: "GET", headers: html })).status, 200);
	await neighbour.tell({ act: "toss", lines: [`${theirs}; Path=/`] });
	// One who has not signed in, and one who has.
	for (const already of [false, true]) {
		const page = await browser.fresh();
		if (already) {
			await signIn(page);
			await page.has("form[action$=logout]");
		}
		await page.open(`${neighbour.url}/toss`);
		await until("the cookie is tossed", async () => (await page.text()) === "tossed");
		await page.open(origin + AUTHORIZE + client);
		await page.has("#password");
		assert.doesNotMatch(await page.text(), /mallory/);
		await page.fill("#username", "root");
		await page.fill("#password", PASSWORD);
		await page.click("button.first");
		await page.has("button[value=allow]");
		assert.match(await page.text(), /in your name, root/);
	}
	// A login form that it fills in and sends in the victim's browser, with the visitor's cookie that belongs to it.
	await neighbour.tell({ act: "toss", lines: [`${visitor}; Path=/`] });
	await neighbour.tell({ act: "form", csrf, user: "mallory", password: PASSWORD });
	const page = await browser.fresh();
	await page.open(`${neighbour.url}/forged`);
	await until("the form is refused", async () => /Origin|does not work|may not call/.test(await page.text() ?? ""));
	await page.open(`${origin}/api/oauth/login`);
	await page.has("#password");
});
