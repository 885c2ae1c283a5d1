// The administration page in a real Chromium: in by a link or as an administrator, every view, what each of them
// changes, and who is refused. CARREL_SCREENSHOTS=DIR keeps pictures of it.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { appendFileSync, chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

import { noChromium, openChromium } from "./chromium.mjs";
import { behindNginx, noNginx } from "./nginx.mjs";
import { bin, carrel, carrelWith, sqliteProject, startDaemon } from "./support.mjs";

const PASSWORD = "correct horse battery", NASTY = `<img src=x onerror="document.title='run'">&amp;'"`;
const VIEWS = ["overview", "connections", "doctor", "datasets", "connectivity", "users", "clients", "nodes", "audit", "memory", "questions"];
let project, daemon, origin, browser;

// How long a condition may take to hold on a busy machine.
async function until(what, holds) {
	for (const end = Date.now() + 60000; Date.now() < end; await sleep(50)) {
		const value = await holds();
		if (value) return value;
	}
	assert.fail(what);
}

const linkOf = async () => (await carrel(project.dir, "admin")).url;

// A client of the page's own paths: what it has of cookie and token.
function at(state = {}) {
	return async (path, body = {}, more = {}) => {
		const response = await fetch(`${origin}/admin/api/${path}`, { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json", Origin: origin,
			...(state.cookie && { Cookie: state.cookie }), ...(state.csrf && { "Carrel-Csrf": state.csrf }), ...more } });
		const text = await response.text();
		return { status: response.status, headers: response.headers, text, json: text.startsWith("{") ? JSON.parse(text) : null };
	};
}

async function enter() {
	const { headers, json } = await at()("enter", { link: (await linkOf()).split("#link=")[1] });
	return { cookie: headers.get("set-cookie").split(";")[0], csrf: json.csrf };
}

// With a name and a password, as the login page's form does.
async function signIn(user) {
	const page = await fetch(`${origin}/api/oauth/login?next=%2Fadmin`, { headers: { Accept: "text/html" } });
	const visitor = page.headers.get("set-cookie").split(";")[0], csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())[1];
	const answer = await fetch(`${origin}/api/oauth/login`, { method: "POST", redirect: "manual", headers: { Accept: "text/html", Origin: origin, Cookie: visitor },
		body: new URLSearchParams({ csrf, next: "/admin", username: user, password: PASSWORD }) });
	assert.equal(answer.status, 303);
	const [address, key] = answer.headers.get("location").split("#key=");
	assert.equal(address, `${origin}/admin`);
	return { cookie: answer.headers.get("set-cookie").split(";")[0], csrf: key };
}

before(async () => {
	project = sqliteProject();
	appendFileSync(join(project.dir, "carrel.yaml"), "\noauth: { enabled: true }\nmemory: { review: required }\n");
	daemon = await startDaemon(project.dir);
	origin = new URL(daemon.url).origin;
	for (const [name, role] of [["root", "admin"], ["ada", "contributor"], ["vera", "viewer"]])
		await carrelWith(project.dir, `${PASSWORD}\n`, "user", "add", name, "--role", role, "--password-stdin");
	if (!noChromium) browser = await openChromium();
}, { timeout: 180000 });
after(async () => {
	await browser?.close();
	await daemon?.stop();
	project?.drop();
});

test("the page is three files that name nobody else, and may not be framed", async () => {
	for (const path of ["/admin", "/admin/admin.js", "/admin/views.js", "/admin/admin.css"]) {
		const response = await fetch(origin + path), text = await response.text();
		assert.equal(response.status, 200, path);
		assert.equal(response.headers.get("x-content-type-options"), "nosniff");
		assert.doesNotMatch(text.replaceAll("http://www.w3.org/2000/svg", ""), /https?:\/\/[a-z]|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|localStorage|style=/, path);
	}
	const policy = (await fetch(`${origin}/admin`)).headers.get("content-security-policy");
	for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"])
		assert.ok(policy.includes(part), part);
	assert.doesNotMatch(policy, /unsafe|\*/);
});

test("a link is good once, and its session is a cookie that no other site has sent", async () => {
	const url = await linkOf(), link = url.split("#link=")[1];
	assert.equal(url, `${origin}/admin#link=${link}`);
	const first = await at()("enter", { link });
	assert.equal(first.status, 200);
	assert.match(first.headers.get("set-cookie"), /; HttpOnly; SameSite=Strict; Path=\//);
	assert.equal((await at()("enter", { link })).status, 401);
	assert.equal((await at()("enter", { link: `${link.slice(1)}A` })).status, 401);
	assert.equal((await at()("enter", {})).status, 400);
	const entries = (await carrel(project.dir, "audit", "search", "--action", "login")).entries;
	assert.ok(entries.some((e) => e.surface === "page" && e.principal.kind === "local" && e.outcome === "ok"));
	assert.doesNotMatch(JSON.stringify(entries), new RegExp(link));
});

test("nothing is answered without a session, its token and our own origin", async () => {
	const state = await enter(), own = at(state);
	assert.equal((await own("tools/token_list")).status, 200);
	for (const path of ["status", "metrics", "doctor", "tools/token_list", "leave"]) {
		assert.equal((await at()(path)).status, 401, path);
		assert.equal((await at({ cookie: state.cookie })(path)).status, 403, path);
		assert.equal((await at({ ...state, csrf: `${state.csrf.slice(1)}A` })(path)).status, 403, path);
		assert.equal((await own(path, {}, { Origin: "http://evil.example" })).status, 403, path);
		assert.equal((await at({ ...state, cookie: `${state.cookie}x` })(path)).status, 401, path);
	}
	// The cookie, which browsers send to other ports as well, does not lead to the key.
	assert.deepEqual((await at({ cookie: state.cookie })("session")).json, { signed_in: false, denied: false, login: "api/oauth/login?next=%2Fadmin" });
	assert.equal((await own("session")).json.csrf, state.csrf);
	assert.equal((await fetch(`${origin}/admin/api/status`, { headers: { Cookie: state.cookie, "Carrel-Csrf": state.csrf } })).status, 405);
	assert.equal((await own("tools/token_list", {}, { "Content-Type": "text/plain" })).status, 415);
	// What the owner alone may, and what there is not; arguments that do not fit.
	for (const name of ["setup_link", "admin_link", "dataset_remove", "scan", "audit_sql", "datasets", "introspect", "nothing"])
		assert.equal((await own(`tools/${name}`)).status, 404, name);
	assert.equal((await own("tools/token_list", { no: 1 })).status, 400);
	assert.equal((await own("leave")).status, 200);
	assert.equal((await own("tools/token_list")).status, 401);
});

test("only administrators: not other roles, nor who was one", { timeout: 120000 }, async () => {
	for (const name of ["ada", "vera"]) {
		const state = await signIn(name), session = await at(state)("session");
		assert.deepEqual([session.json.signed_in, session.json.denied, session.json.csrf], [false, true, undefined]);
		assert.equal((await at({ ...state, csrf: "x".repeat(43) })("tools/token_list")).status, 403);
	}
	const state = await signIn("root"), own = at(state);
	assert.equal((await own("session")).json.principal, "user:root");
	assert.equal((await own("tools/token_create", { label: "by root" })).status, 200);
	const { entries: [entry] } = await carrel(project.dir, "audit", "search", "--action", "token.create", "-n", "1");
	assert.deepEqual([entry.principal.id, entry.surface], ["user:root", "page"]);
	assert.equal((await own("tools/token_list")).status, 200);
	assert.equal((await own("tools/token_revoke", { id: "nothing" })).status, 400);
	// Who looked, and who was refused, is on record as well.
	for (const [target, outcome] of [["token_list", "ok"], ["token_revoke", "refused"]]) {
		const { entries: [one] } = await carrel(project.dir, "audit", "search", "--target", target, "--principal", "user:root", "-n", "1");
		assert.deepEqual([one.surface, one.outcome, one.action], ["page", outcome, "mcp.tool.call"], target);
	}
	await carrel(project.dir, "user", "set", "root", "--role", "viewer");
	for (const path of ["tools/token_list", "status", "metrics", "doctor"]) assert.equal((await own(path)).status, 403, path);
	await carrel(project.dir, "user", "set", "root", "--role", "admin");
	assert.equal((await own("tools/token_list")).status, 200);
	await carrel(project.dir, "user", "set", "root", "--sign-out");
	assert.equal((await own("tools/token_list")).status, 401);
});

test("the doctor's list is the command line's", { timeout: 180000 }, async () => {
	const own = at(await enter());
	// Several at once are told the same.
	const [page, again] = await Promise.all([own("doctor"), own("doctor")]);
	assert.deepEqual([page.status, again.text], [200, page.text]);
	// Something wrong is exit status 1, and a list all the same.
	const shown = page.json.findings, { findings } = await carrel(project.dir, "doctor").catch((e) => JSON.parse(e.stdout));
	assert.deepEqual(shown.map((f) => f.check), findings.map((f) => f.check));
	for (const f of shown) assert.deepEqual([["ok", "note", "wrong"].includes(f.verdict), typeof f.found, f.verdict === "ok" ? f.fix : typeof f.fix], [true, "string", f.verdict === "ok" ? null : "string"], f.check);
	// What is wrong now is found, without a restart of anything, and is gone when it is mended.
	const looks = async (open) => (await own("doctor")).json?.findings.some((f) => f.check === "secrets" && f.found.includes("signing.key") && f.verdict === "wrong") === open;
	chmodSync(join(project.dir, ".carrel", "signing.key"), 0o644);
	await until("the open key is found", () => looks(true));
	chmodSync(join(project.dir, ".carrel", "signing.key"), 0o600);
	await until("and mended", () => looks(false));
});

// --- in the browser ------------------------------------------------------------------------------

async function go(page, view) {
	await page.run(`location.hash = ${JSON.stringify(view)}`);
	await until(`the view ${view}`, () => page.look(`document.querySelector("nav a[aria-current]")?.hash === "#${view}" &&
		!document.querySelector("main").innerText.includes("Loading …") && document.querySelector("main section") !== null`));
}

async function open() {
	const page = await browser.fresh();
	await page.open(await linkOf());
	await page.has("nav a[aria-current]");
	return page;
}

const named = (name) => `[...document.querySelectorAll("button")].filter((b) => (b.getAttribute("aria-label") ?? b.textContent) === ${JSON.stringify(name)})`;
// A list that was changed is read anew before its buttons are there.
async function press(page, name, nth = 0) {
	await until(`a button ${name}`, () => page.look(`${named(name)}.length > ${nth}`));
	await page.run(`{ const b = ${named(name)}[${nth}]; b.focus(); b.click(); }`);
}
const fill = (page, label, value) => page.run(`{ const l = [...document.querySelectorAll("label")].filter((l) => l.textContent.startsWith(${JSON.stringify(label)}))[0];
	const i = l.querySelector("input, select"); i.value = ${JSON.stringify(value)}; i.dispatchEvent(new Event("change")); }`);
const says = (page, text) => until(`the page says ${text}`, async () => (await page.text())?.includes(text));

test("every view: what it holds, for the eye and for others", { skip: noChromium, timeout: 180000 }, async () => {
	const page = await open();
	assert.equal(await page.run("location.hash"), "");
	for (const view of VIEWS) {
		await go(page, view);
		assert.equal(await page.run(`document.querySelectorAll("h1").length`), 1, view);
		assert.deepEqual(await page.run(`[...document.querySelectorAll("input, select, textarea")].filter((e) => e.labels.length === 0 && !e.getAttribute("aria-label")).map((e) => e.outerHTML)`), [], view);
		assert.deepEqual(await page.run(`[...document.querySelectorAll("button, a")].filter((e) => (e.getAttribute("aria-label") ?? e.textContent).trim() === "").map((e) => e.outerHTML)`), [], view);
		assert.deepEqual(await page.run(`[...document.querySelectorAll("svg")].filter((e) => !e.getAttribute("aria-label")).length`), 0, view);
		assert.equal(await page.run(`[...document.querySelectorAll("table")].filter((e) => (e.caption?.textContent ?? "") === "").length`), 0, `${view} has a table without a caption`);
		assert.doesNotMatch(await page.text(), /upSeconds|buildMs|syncId|requests_total|reloadError|no_profile|[{[]\s*"|local:\d/, `${view} shows what is internal`);
		await page.say("Emulation.setDeviceMetricsOverride", { width: 360, height: 740, deviceScaleFactor: 1, mobile: true });
		assert.ok(await page.run("document.documentElement.scrollWidth <= 360"), `${view} is wider than a phone`);
		await page.say("Emulation.clearDeviceMetricsOverride");
	}
	assert.deepEqual(await page.run(`["header", "nav[aria-label]", "main", "[aria-live]", "a.skip"].filter((s) => document.querySelector(s) === null)`), []);
	await go(page, "overview");
	for (const role of ["search", "memory", "auth", "agent", "front"]) await says(page, role);
	await says(page, "Landlock");
	await says(page, "Processor of the processes");
	await until("charts of the processes", () => page.look(`[...document.querySelectorAll("svg.chart")].filter((e) => /^(Processor|Memory) of/.test(e.getAttribute("aria-label")) && e.querySelector("path.one") !== null).length === 2`));
	await until("charts of what was called", () => page.look(`document.querySelectorAll("svg.chart path.one").length >= 1`));
	// By the keyboard alone: the first stop leads to the content, and views are links.
	await page.run("document.activeElement.blur()");
	await page.run("document.querySelector('nav a:nth-child(2)').focus()");
	await page.press("Enter", "Enter", "\r");
	await until("the second view", () => page.look(`document.querySelector("nav a[aria-current]").hash === "#connections"`));
	await until("the focus is on the content", () => page.look(`document.activeElement.id === "content"`));
	assert.deepEqual(page.complaints(), []);
});

test("tokens, connectivity, datasets: made, shown once, ended", { skip: noChromium, timeout: 180000 }, async () => {
	const page = await open();
	await go(page, "connectivity");
	await press(page, "Enable connectivity");
	await says(page, "Tokens are taken from now on.");
	await until("enabled", async () => (await carrel(project.dir, "connectivity", "status")).enabled);
	await until("the view again", () => page.look(`[...document.querySelectorAll("button")].some((b) => b.textContent === "Disable")`));
	await fill(page, "What it is for", NASTY);
	await press(page, "Make the token");
	await page.has("#secret");
	const secret = await page.run(`document.querySelector("#secret").textContent`);
	assert.match(secret, /^crlmcp_[A-Za-z0-9]{8}_[0-9a-f]{32}$/);
	assert.equal((await fetch(`${origin}/api/v1/ext/datasets`, { headers: { Authorization: `Bearer ${secret}` } })).status, 200);
	await press(page, "I have it");
	await until("the list", () => page.look(`document.querySelector("#secret") === null && document.querySelector("table").textContent !== ""`));
	await says(page, NASTY);
	assert.ok(!(await page.text()).includes(secret));
	assert.equal(await page.run(`document.querySelectorAll("main img").length`), 0);
	await press(page, "Test the token");
	await says(page, "Sample query ok");
	await fill(page, "Program", "cursor");
	await press(page, "Show the guide");
	await page.has("#config");
	assert.match(await page.run(`document.querySelector("#config").textContent`), /mcp/);
	assert.ok(!(await page.text()).includes(secret.slice(-32)));
	// Ending asks first.
	await press(page, `Revoke ${NASTY}`);
	assert.equal((await fetch(`${origin}/api/v1/ext/datasets`, { headers: { Authorization: `Bearer ${secret}` } })).status, 200);
	await page.run(`[...document.querySelectorAll("button")].find((b) => b.textContent === "Revoke: sure?").click()`);
	await until("it is revoked", async () => (await fetch(`${origin}/api/v1/ext/datasets`, { headers: { Authorization: `Bearer ${secret}` } })).status === 401);
	await go(page, "datasets");
	await fill(page, "Table", "orders");
	await fill(page, "Description", NASTY);
	await press(page, "Publish");
	await until("it is published", async () => (await carrel(project.dir, "dataset", "list")).count === 1);
	await says(page, NASTY);
	await press(page, "Unpublish orders");
	await page.run(`[...document.querySelectorAll("button")].find((b) => b.textContent === "Unpublish: sure?").click()`);
	await until("it is not published", async () => (await carrel(project.dir, "dataset", "list")).count === 0);
	await go(page, "connections");
	await press(page, "Test warehouse");
	await says(page, "Read only session");
	assert.deepEqual([await page.run(`document.querySelectorAll("main img").length`), page.complaints()], [0, []]);
});

test("users, clients, the audit, memory and questions", { skip: noChromium, timeout: 180000 }, async () => {
	const page = await open();
	await go(page, "users");
	await fill(page, "Name", "bea");
	await fill(page, "Password", PASSWORD);
	await fill(page, "The same password again", PASSWORD);
	await press(page, "Add the user");
	await until("bea is there", async () => (await carrel(project.dir, "user", "list")).users.some((u) => u.name === "bea" && u.role === "viewer"));
	await page.has("select[aria-label='Role of bea']");
	await page.run(`{ const s = document.querySelector("select[aria-label='Role of bea']"); s.value = "contributor"; s.dispatchEvent(new Event("change")); }`);
	await until("bea's role", async () => (await carrel(project.dir, "user", "list")).users.some((u) => u.name === "bea" && u.role === "contributor"));
	await says(page, "bea is contributor now");
	await press(page, "Remove bea");
	await page.run(`[...document.querySelectorAll("button")].find((b) => b.textContent === "Remove: sure?").click()`);
	await until("bea is gone", async () => (await carrel(project.dir, "user", "list")).users.every((u) => u.name !== "bea"));

	await go(page, "clients");
	await fill(page, "Name", "a < b & c");
	await fill(page, "Sent back to", "https://client.example/back");
	await press(page, "Add the client");
	await says(page, "a < b & c");
	assert.ok((await carrel(project.dir, "client", "list")).clients.some((c) => c.client_name === "a < b & c"));

	await go(page, "audit");
	await says(page, "Its ends are sound");
	await press(page, "Check every entry");
	await says(page, "Every one follows the one before it, unchanged.");
	const targets = () => page.look(`[...document.querySelectorAll("main td[data-label=On]")].map((c) => c.textContent)`);
	assert.ok((await targets()).every((t) => !["audit_page", "connection_test"].includes(t)), "the page's own reads drown the others");
	await page.run(`[...document.querySelectorAll("label.tick input")].at(-1).click()`);
	await press(page, "Search");
	await until("the page's own reads", async () => (await targets()).includes("audit_page"));
	await fill(page, "Action", "client.add");
	await press(page, "Search");
	await until("what was searched for", () => page.look(`[...document.querySelectorAll("main td[data-label=Action]")].every((c) => c.textContent === "client.add") && document.querySelectorAll("main td[data-label=Action]").length > 0`));

	writeFileSync(join(project.dir, "text.txt"), `Net margin is revenue minus cost. ${NASTY} Remember this.`);
	await carrel(project.dir, "ingest", "text", join(project.dir, "text.txt"));
	const run = await until("the run has ended", async () => (await carrel(project.dir, "memory", "log")).runs.find((r) => r.done !== false));
	await go(page, "memory");
	await press(page, `Show run ${run.runId}`);
	await says(page, `Run ${run.runId}`);
	await says(page, NASTY);
	if (run.review === "pending") {
		await press(page, `Approve run ${run.runId}`);
		await until("it is approved", async () => (await carrel(project.dir, "memory", "log")).runs.some((r) => r.runId === run.runId && r.review === "approved"));
	}

	writeFileSync(join(project.dir, "run.sql"), "SELECT count(*) FROM orders o JOIN customers c ON o.customer_id = c.id; DROP TABLE orders;");
	const imported = await carrel(project.dir, "import-knowledge", "queries", join(project.dir, "run.sql"));
	await go(page, "questions");
	await go(page, "memory");
	await press(page, `Show run ${imported.runId}`);
	await says(page, "Import of log, queries");
	await page.has("main td[data-label='In others']");
	await says(page, `What was skipped: ${imported.report.skipped.length}`);

	for (const question of ["net revenue in 2025", "net revenue by country", "how is the weather"]) await carrel(project.dir, "ask", question).catch(({ code }) => assert.ok(code >= 3));
	await go(page, "questions");
	for (const [text, outcome] of [["net revenue in 2025", "answered"], ["net revenue by country", "asked back"], ["how is the weather", "declined"]])
		assert.equal(await page.run(`[...document.querySelectorAll("main tr")].find((r) => r.querySelector("td[data-label=Question]")?.textContent === ${JSON.stringify(text)})?.querySelector("td[data-label=Outcome]").textContent`), outcome);
	await fill(page, "Question", "net revenue by sales area in 2025");
	await press(page, "Answer, and show how");
	await page.has("main svg.answer rect");
	await says(page, "SELECT");
	await fill(page, "Question", "net revenue by month in 2025");
	await press(page, "Answer, and show how");
	await page.has("main svg.answer path.lines[d]");
	assert.match(await page.run(`document.querySelector("main svg.answer").getAttribute("aria-label")`), /2025.*\d/);
	await fill(page, "Question", "net revenue by country");
	await press(page, "Answer, and show how");
	await press(page, "last quarter");
	await until("the answer to a question back", () => page.run(`document.querySelector("main label input").form.querySelector("input").value.endsWith("[Time period: last quarter]") && document.querySelector("main [aria-live] ul li") !== null`));
	assert.deepEqual([await page.run(`document.querySelectorAll("main img").length`), await page.run("document.title.includes('run')"), page.complaints()], [0, false, []]);
});

test("an administrator signs in with a password, others are told no, and out is out", { skip: noChromium, timeout: 180000 }, async () => {
	for (const [user, may] of [["root", true], ["vera", false]]) {
		const page = await browser.fresh();
		await page.open(`${origin}/admin`);
		await page.has("main a[href*=login]");
		assert.equal(await page.run(`document.querySelector("nav").getClientRects().length`), 0, "views that lead nowhere are shown");
		await page.click("main a[href*=login]");
		await page.fill("input[name=username]", user);
		await page.fill("input[name=password]", PASSWORD);
		await page.press("Enter", "Enter", "\r");
		if (!may) {
			await says(page, "only administrators may be here");
			continue;
		}
		await page.has("nav a[aria-current]");
		assert.equal(await page.run(`document.querySelector("#who").textContent`), "Signed in as root");
		await page.click("#leave");
		await says(page, "You are signed out.");
		await page.open(`${origin}/admin`);
		await page.has("main a[href*=login]");
	}
});

test("the first administrator is made by the printed link, whose secret no proxy logs", { skip: noChromium || noNginx, timeout: 180000 }, async (t) => {
	const own = sqliteProject();
	appendFileSync(join(own.dir, "carrel.yaml"), "\noauth: { enabled: true }\n");
	const site = await behindNginx(own.dir), chromium = await openChromium("--ignore-certificate-errors");
	t.after(async () => {
		await chromium.close();
		await site.stop();
		own.drop();
	});
	const { stderr } = await promisify(execFile)(join(bin, "carrel"), ["--project-dir", own.dir, "mcp", "start"]);
	const [link, origin, secret] = /(https:\S+)\/admin#setup=([\w-]{43})/.exec(stderr);
	assert.equal(origin, site.origin);
	const make = async (page, name) => {
		await page.open(link);
		await says(page, "The first administrator");
		assert.equal(await page.url(), `${site.origin}/admin`);
		await fill(page, "Name", name);
		for (const field of ["Password", "The same password again"]) await fill(page, field, PASSWORD);
		await press(page, "Make the administrator");
	};
	const page = await chromium.fresh(), late = await chromium.fresh();
	await make(page, "root");
	await page.has("nav a[aria-current]");
	assert.equal(await page.run(`document.querySelector("#who").textContent`), "Signed in as root");
	await make(late, "mallory");
	await says(late, "no good");
	assert.deepEqual((await carrel(own.dir, "user", "list")).users.map(({ name, role }) => [name, role]), [["root", "admin"]]);
	assert.match(site.log(), /POST \/admin\/api\/setup/);
	assert.ok(!site.log().includes(secret), "the secret is in the proxy's log");
	assert.ok(!JSON.stringify(await carrel(own.dir, "audit", "tail", "-n", "200")).includes(secret), "the secret is in the audit");
});

test("pictures of it", { skip: noChromium || !process.env.CARREL_SCREENSHOTS, timeout: 400000 }, async () => {
	const page = await open();
	const own = at(await enter());
	let busy = true;
	const calls = (async () => {
		for (let i = 0; busy; i++, await sleep(40 + 30 * Math.sin(i / 40)))
			await Promise.all(["token_list", "audit_state", "connection_list", "dataset_list"].map((name) => own(`tools/${name}`)));
	})();
	const picture = async (name) => {
		const { data } = await page.say("Page.captureScreenshot", { format: "png" });
		writeFileSync(join(process.env.CARREL_SCREENSHOTS, `${name}.png`), Buffer.from(data, "base64"));
	};
	for (const [kind, width, height, mobile] of [["light", 1100, 900, false], ["dark", 1100, 900, false], ["phone", 380, 800, true]]) {
		await page.say("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile });
		await page.say("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: kind === "dark" ? "dark" : "light" }] });
		for (const view of VIEWS) {
			await go(page, view);
			if (view === "overview") await sleep(kind === "light" ? 60000 : 4000);
			if (view === "questions") {
				await fill(page, "Question", "net revenue by sales area in 2025");
				await press(page, "Answer, and show how");
				await page.has("main svg.answer");
			}
			await picture(`${view}-${kind}`);
		}
	}
	busy = false;
	await calls;
});
