// foreign - access tokens of other issuers: a real provider's, and those of two issuers that a test writes itself, with
// what is tried against a resource server.  Rotation and absence of an issuer: tests/unit/test_issuers.c.
import assert from "node:assert/strict";
import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { execFileSync } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import Provider from "oidc-provider";

import { carrel, clients, sqliteProject, startDaemon } from "./support.mjs";

const AUDIENCE = "https://carrel.example.org/mcp";
const seconds = () => Math.floor(Date.now() / 1000);

// A key with its public half as an issuer publishes it.
function key(kid, alg, type, options) {
	const { privateKey, publicKey } = generateKeyPairSync(type, options);
	return { kid, alg, privateKey, publicKey, jwk: { ...publicKey.export({ format: "jwk" }), kid, alg, use: "sig" } };
}
const rsa = (kid) => key(kid, "RS256", "rsa", { modulusLength: 2048 });
const ec = (kid) => key(kid, "ES256", "ec", { namedCurve: "P-256" });
const ed = (kid) => key(kid, "EdDSA", "ed25519");

// An issuer of few words, which counts who asks.
async function listenAsIssuer(keys) {
	const self = { keys, hits: 0 };
	const server = http.createServer((request, response) => {
		self.hits++;
		const document = request.url === "/.well-known/openid-configuration" ? { issuer: self.issuer, jwks_uri: `${self.issuer}/keys` } :
			{ keys: self.keys.map((one) => one.jwk) };
		response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(document));
	});
	await new Promise((done) => server.listen(0, "127.0.0.1", done));
	self.issuer = `http://127.0.0.1:${server.address().port}`;
	self.stop = () => { server.closeAllConnections(); server.close(); };
	return self;
}

const part = (value) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const seal = (covered, { alg, privateKey }) => sign(alg === "EdDSA" ? null : "sha256", Buffer.from(covered),
	alg === "ES256" ? { key: privateKey, dsaEncoding: "ieee-p1363" } : privateKey).toString("base64url");

let project, daemon, origin, one, two, stranger, real, server;
const keys = {};

// A token of the first issuer that is in order, but for what is changed; undefined takes out.
const claims = (change) => ({ iss: one.issuer, aud: AUDIENCE, sub: "u-1", client_id: "agent", iat: seconds(), exp: seconds() + 600,
	scope: "openid research:read research:query", groups: ["analysts"], ...change });
function token(change = {}, { with: by = keys.rsa, header = {} } = {}) {
	const covered = `${part({ alg: by.alg, typ: "at+jwt", kid: by.kid, ...header })}.${part(claims(change))}`;
	return `${covered}.${seal(covered, by)}`;
}

async function ask(access, method = "initialize", params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } }, more = {}) {
	const answer = await fetch(`${origin}/mcp`, { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
		headers: { authorization: `Bearer ${access}`, "content-type": "application/json", accept: "application/json, text/event-stream", ...more } });
	return { status: answer.status, challenge: answer.headers.get("www-authenticate"), session: answer.headers.get("mcp-session-id"), text: await answer.text() };
}
const newest = async (action) => (await carrel(project.dir, "audit", "search", "--action", action, "-n", "1")).entries[0];

before(async () => {
	Object.assign(keys, { rsa: rsa("rsa-1"), ec: ec("ec-1"), ed: ed("ed-1"), two: rsa("rsa-2"), stranger: rsa("rsa-1"),
		curve: key("curve", "ES256", "ec", { namedCurve: "P-384" }), small: key("small", "RS256", "rsa", { modulusLength: 1024 }) });
	one = await listenAsIssuer([keys.rsa, keys.ec, keys.ed, keys.curve, keys.small]);
	two = await listenAsIssuer([keys.two]);
	stranger = await listenAsIssuer([keys.stranger]);
	server = http.createServer((request, response) => real.callback()(request, response));
	await new Promise((done) => server.listen(0, "127.0.0.1", done));
	const issuer = `http://127.0.0.1:${server.address().port}`;
	real = new Provider(issuer, {
		clients: [{ client_id: "robot", client_secret: "a secret", grant_types: ["client_credentials"], redirect_uris: [], response_types: [] }],
		scopes: ["research:read", "research:query"],
		features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false },
			resourceIndicators: { enabled: true, getResourceServerInfo: () => ({ scope: "research:read research:query", audience: AUDIENCE,
				accessTokenFormat: "jwt", accessTokenTTL: 600, jwt: { sign: { alg: "RS256" } } }) } },
	});
	project = sqliteProject();
	appendFileSync(`${project.dir}/carrel.yaml`, `
oauth: { enabled: true }
limits: { export_rows: 1000 }
connectivity: { auth_failures_per_min: 100000 }
tools:
  - { name: one, description: "One. Example: {}", connection: warehouse, sql: "SELECT 1 AS one" }
  - { name: two, description: "Two. Example: {}", connection: warehouse, sql: "SELECT 2 AS two", scopes: [] }
  - { name: three, description: "Three. Example: {}", connection: warehouse, sql: "SELECT 3 AS three" }
auth:
  loopback: required
  roles: { desk: "tools:one tools:two" }
  issuers:
    - { issuer: "${one.issuer}", audience: "${AUDIENCE}", roles: { analysts: contributor, readers: viewer, desks: desk } }
    - { issuer: "${two.issuer}", audience: other, typ: JWT, scope_claim: "", roles: { "*": viewer }, max_age_s: 60 }
    - { issuer: "${issuer}", audience: "${AUDIENCE}", roles: { "*": contributor } }
`);
	daemon = await startDaemon(project.dir);
	origin = new URL(daemon.url).origin;
	for (let tries = 0; tries < 100 && (await ask(token())).status === 503; tries++) await sleep(100);
});
after(async () => {
	for (const each of [one, two, stranger]) each?.stop();
	server?.closeAllConnections();
	server?.close();
	await daemon?.stop();
	project?.drop();
});

test("the resource names its issuers, those of others first", async () => {
	const document = await (await fetch(`${origin}/.well-known/oauth-protected-resource/mcp`)).json();
	assert.deepEqual(document.authorization_servers, [one.issuer, two.issuer, real.issuer, origin]);
	assert.equal(document.resource, `${origin}/mcp`);
});

test("tokens of each algorithm are good, and on record with issuer and subject", async () => {
	for (const by of [keys.rsa, keys.ec, keys.ed]) {
		const sub = `u-${by.alg}`;
		const answer = await ask(token({ sub }, { with: by }));
		assert.equal(answer.status, 200, answer.text);
		const entry = await newest("login");
		assert.equal(entry.outcome, "ok");
		assert.equal(entry.target, `${one.issuer} ${sub}`);
		assert.match(entry.principal.id, new RegExp(`^user:u-${by.alg.toLowerCase()}#[A-Za-z0-9_-]{16}$`));
		assert.equal(entry.client, "agent");
	}
	assert.equal((await ask(token({ aud: ["x", AUDIENCE] }))).status, 200);
	assert.equal((await ask(token({}, { header: { typ: "application/at+jwt" } }))).status, 200);
	const seen = (await carrel(project.dir, "user", "list")).users;
	assert.deepEqual(seen, [], "no account is made");
});

test("scope and role both bound what a subject may", async () => {
	const call = (access) => ask(access, "tools/call", { name: "sql_execution", arguments: { connectionId: "warehouse", sql: "SELECT 1 AS one" },
		_meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
			"io.modelcontextprotocol/clientCapabilities": {} } }, { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "sql_execution" });
	const good = await call(token());
	assert.equal(good.status, 200, good.text);
	assert.match(good.text, /"one"/);
	/* the file of the result opens to its subject, with what its token may now, and to no other */
	const link = JSON.parse(good.text.replace(/^[^{]*/, "")).result._meta["carrel/export"].url;
	const open = async (access) => {
		const answer = await fetch(origin + new URL(link).pathname, { headers: { authorization: `Bearer ${access}` } });
		return [answer.status, await answer.text()];
	};
	assert.deepEqual(await open(token()), [200, "one\r\n1\r\n"]);
	assert.equal((await open(token({ sub: "u-other" })))[0], 404);
	assert.notEqual((await open(token({ scope: "research:read" })))[0], 200);
	assert.notEqual((await open(token({ groups: ["readers"] })))[0], 200);
	assert.equal((await open("x"))[0], 401);
	const narrow = await call(token({ scope: "research:read" }));
	assert.equal(narrow.status, 403, narrow.text);
	assert.match(narrow.challenge, /insufficient_scope/);
	const viewer = await call(token({ groups: ["readers"] }));
	assert.match(viewer.text, /FORBIDDEN|research:query/);
	assert.doesNotMatch(viewer.text, /"one"/);
	assert.equal((await ask(token({ groups: ["others"], sub: "u-none" }))).status, 401);
	const entry = await newest("login");
	assert.deepEqual([entry.code, entry.outcome, entry.target], ["no_role", "refused", `${one.issuer} u-none`]);
	assert.equal((await ask(token({ groups: undefined, sub: "u-none" }))).status, 401);
	assert.equal((await ask(token({ scope: undefined }))).status, 200);	/* a session, in which nothing may be called */
	assert.equal((await call(token({ scope: undefined }))).status, 403);
});

test("a real provider's token, by the official clients", async () => {
	const form = new URLSearchParams({ grant_type: "client_credentials", client_id: "robot", client_secret: "a secret", resource: AUDIENCE,
		scope: "research:read research:query" });
	const got = await (await fetch(`${real.issuer}/token`, { method: "POST", body: form })).json();
	assert.ok(got.access_token, JSON.stringify(got));
	for (let tries = 0; tries < 50 && (await ask(got.access_token)).status === 503; tries++) await sleep(100);
	for (const kind of clients) {
		const { client } = kind.make();
		await client.connect(new kind.Http(new URL(daemon.url), { requestInit: { headers: { Authorization: `Bearer ${got.access_token}` } } }));
		const result = await client.callTool({ name: "sql_execution", arguments: { connectionId: "warehouse", sql: "SELECT 1 AS one" } });
		assert.ok(!result.isError, JSON.stringify(result));
		await client.close();
	}
	assert.equal((await newest("login")).target, `${real.issuer} robot`);
});

test("what is no such token is refused", async () => {
	const pem = keys.rsa.publicKey.export({ type: "spki", format: "pem" });
	const hmac = (secret, header = {}) => {
		const covered = `${part({ alg: "HS256", typ: "at+jwt", kid: "rsa-1", ...header })}.${part(claims())}`;
		return `${covered}.${createHmac("sha256", secret).update(covered).digest("base64url")}`;
	};
	const bare = `${part({ alg: "none", typ: "at+jwt", kid: "rsa-1" })}.${part(claims())}`;
	const [header, , signature] = token().split(".");
	const twice = JSON.stringify(claims()).replace("{", `{"sub":"u-0",`);
	const covered = `${part({ alg: "RS256", typ: "at+jwt", kid: "rsa-1" })}.${part(twice)}`;
	const raw = (kid) => ({ ...keys.rsa, kid });
	const whole = (head, body) => `${part(head)}.${part(body)}.${seal(`${part(head)}.${part(body)}`, keys.rsa)}`;
	const twiceOver = (name, value) => whole({ alg: "RS256", typ: "at+jwt", kid: "rsa-1" }, JSON.stringify(claims()).replace("{", `{"${name}":${JSON.stringify(value)},`));
	const headerTwice = whole('{"alg":"RS256","typ":"at+jwt","kid":"rsa-1","kid":"rsa-1"}', claims());
	const bad = {
		"no signature": `${bare}.`, "alg none with a signature": `${bare}.${signature}`,
		"HS256 with the public key": hmac(pem), "HS256 with the published key": hmac(JSON.stringify(keys.rsa.jwk)),
		"other claims under the signature": `${header}.${part(claims({ sub: "root" }))}.${signature}`,
		"a member twice": `${covered}.${seal(covered, keys.rsa)}`,
		"another issuer's key": token({}, { with: keys.two }), "another issuer's key with this one's name": token({}, { with: { ...keys.two, kid: "rsa-1" } }),
		"a key of another kind": token({}, { with: { ...keys.ec, kid: "rsa-1" } }), "an algorithm of another key": token({}, { header: { alg: "ES256" } }),
		"a stranger's key": token({}, { with: keys.stranger }), "a key of another curve": token({}, { with: keys.curve }),
		"a key of another curve as its own algorithm": token({}, { with: keys.curve, header: { alg: "ES384" } }), "a short key": token({}, { with: keys.small }),
		"PS256": token({}, { header: { alg: "PS256" } }), "RS512": token({}, { header: { alg: "RS512" } }), "NONE": token({}, { header: { alg: "NONE" } }),
		"a chain in the header": token({}, { with: keys.stranger, header: { x5c: ["AA=="], "x5t#S256": "AA" } }),
		"over by a second": token({ exp: seconds() - 1, iat: seconds() - 100 }), "ends now": token({ exp: seconds() }), "not yet by a little more": token({ nbf: seconds() + 65 }),
		"begins a little later": token({ iat: seconds() + 65 }), "exp twice": twiceOver("exp", seconds() + 600), "aud twice": twiceOver("aud", AUDIENCE),
		"a name of a key twice": headerTwice,
		"this issuer's token as the other's, whose key it lacks": token({ iss: two.issuer, aud: "other" }, { header: { typ: "JWT" } }),
		"the other's token as this issuer's, by its own key": token({ iss: one.issuer }, { with: keys.two }),
		"no audience": token({ aud: undefined }), "another audience": token({ aud: `${origin}/mcp` }), "a longer audience": token({ aud: `${AUDIENCE}/` }),
		"audiences that are no texts": token({ aud: [AUDIENCE, 7] }), "an empty list of audiences": token({ aud: [] }), "an audience in an object": token({ aud: { a: AUDIENCE } }),
		"no end": token({ exp: undefined }), "over": token({ exp: seconds() - 1 }), "an end that is a text": token({ exp: `${seconds() + 600}` }),
		"an end without end": token({ exp: 1e300 }), "no beginning": token({ iat: undefined }), "of tomorrow": token({ iat: seconds() + 86400, exp: seconds() + 90000 }),
		"not yet": token({ nbf: seconds() + 600 }), "too old, whenever it ends": token({ iat: seconds() - 3601, exp: seconds() + 1e9 }),
		"an identity token": token({ nonce: "n" }), "an identity token by its type": token({}, { header: { typ: "JWT" } }), "no type": token({}, { header: { typ: undefined } }),
		"nobody's": token({ sub: undefined }), "an empty subject": token({ sub: "" }), "a subject that is a number": token({ sub: 7 }), "a long subject": token({ sub: "x".repeat(256) }),
		"no name of a key": token({}, { header: { kid: undefined } }), "an empty name of a key": token({}, { with: raw("") }),
		"names of keys": token({}, { header: { kid: ["rsa-1"] } }), "a key in the header": token({}, { with: keys.stranger, header: { jwk: keys.stranger.jwk } }),
		"a key elsewhere": token({}, { with: keys.stranger, header: { jku: `${stranger.issuer}/keys` } }),
		"a chain elsewhere": token({}, { with: keys.stranger, header: { x5u: `${stranger.issuer}/keys` } }),
		"an extension": token({}, { header: { crit: ["b64"], b64: false } }), "compressed": token({}, { header: { zip: "DEF" } }),
		"the issuer with a slash": token({ iss: `${one.issuer}/` }), "the issuer in capitals": token({ iss: one.issuer.toUpperCase() }),
		"two issuers": token({ iss: [one.issuer, two.issuer] }), "padded": `${token()}==`, "four parts": `${token()}.x`,
	};
	for (const [what, access] of Object.entries(bad)) {
		const answer = await ask(access);
		assert.ok(answer.status === 401 || (answer.status === 503 && /key/.test(what)), `${what}: ${answer.status} ${answer.text}`);
	}
	for (const kid of ["../../etc/passwd", "' OR 1=1 --", "rsa-1\u0000", "x".repeat(3000), "rsa-1 "])
		assert.ok([401, 503].includes((await ask(token({}, { with: raw(kid) }))).status), kid);
	const since = (await carrel(project.dir, "audit", "search", "--action", "auth", "-n", "1")).entries;
	assert.ok(since.length === 1 && since[0].outcome === "refused" && since[0].code === "auth_invalid", JSON.stringify(since));
	/* At the borders. */
	for (const change of [{ nbf: seconds() + 55 }, { iat: seconds() + 55 }, { exp: seconds() + 5 }, { iat: seconds() - 3590, exp: seconds() + 1e6 }, { aud: [AUDIENCE] }, { aud: Array(100).fill(AUDIENCE) }])
		assert.equal((await ask(token(change))).status, 200, JSON.stringify(change));
	assert.equal((await ask(token({ aud: Array(101).fill(AUDIENCE) }))).status, 401);
	assert.equal((await ask(token({ padding: "x".repeat(20000) }))).status, 431);
	assert.equal((await ask(token({ padding: "x".repeat(8000) }))).status, 200);
	assert.equal((await ask(token())).status, 200);
});

test("an issuer that is not configured has nothing fetched, and a wrong key little", async () => {
	assert.equal((await ask(token({ iss: stranger.issuer }, { with: keys.stranger }))).status, 401);
	assert.equal(stranger.hits, 0);
	const before = one.hits;
	for (let i = 0; i < 50; i++) await ask(token({}, { with: { ...keys.rsa, kid: `guess-${i}` } }));
	await sleep(800);
	assert.ok(one.hits - before <= 2, `${one.hits - before} fetches`);
	assert.equal((await ask(token())).status, 200);
});

test("tools by name: the claim and the role have to name them, or to allow them", async () => {
	const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };
	const modern = (access, method, params = {}) => ask(access, method, { ...params, _meta: meta },
		{ "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...(params.name && { "mcp-name": params.name }) });
	const listed = async (access) => JSON.parse((await modern(access, "tools/list")).text).result.tools.map(({ name }) => name);
	for (const [sub, groups, scope, names] of [
		["t-1", ["desks"], "tools:one tools:three research:query", ["one"]],
		["t-2", ["desks"], ["tools:two", "tools:one"], ["one", "two"]],
		["t-3", ["desks"], "research:read research:query memory:write", []],
		["t-4", ["analysts"], "tools:three tools:two tools:nothing", ["three"]],
		["t-5", ["readers"], "tools:one tools:two", []],
	]) {
		const access = token({ sub, groups, scope });
		assert.deepEqual(await listed(access), names, `${sub}`);
		for (const name of ["one", "two", "three", "sql_execution", "connection_list"]) {
			const { result } = JSON.parse((await modern(access, "tools/call", { name, arguments: name === "sql_execution" ? { connectionId: "warehouse", sql: "SELECT 9" } : {} })).text);
			assert.equal(result?.structuredContent !== undefined && !result.isError, names.includes(name), `${sub} calls ${name}`);
		}
		const { result } = JSON.parse((await modern(access, "resources/list")).text);
		assert.deepEqual(result.resources, [], sub);
	}
});

test("an older issuer: type JWT, no scopes, one minute", async () => {
	const other = (change) => token({ iss: two.issuer, aud: "other", scope: undefined, groups: undefined, ...change }, { with: keys.two, header: { typ: "JWT" } });
	for (let tries = 0; tries < 50 && (await ask(other())).status === 503; tries++) await sleep(100);
	assert.equal((await ask(other())).status, 200);
	assert.equal((await ask(other({ iat: seconds() - 61 }))).status, 401);
	assert.equal((await ask(other({ aud: AUDIENCE }))).status, 401);
	/* A subject of one issuer cannot use a session of the same name at another. */
	const session = (await ask(token({ sub: "same" }))).session;
	const stolen = await ask(other({ sub: "same" }), "tools/list", {}, { "mcp-session-id": session, "mcp-protocol-version": "2025-06-18" });
	assert.equal(stolen.status, 404, stolen.text);
});

test("what a token opened ends with it", async () => {
	const access = token({ sub: "brief", exp: seconds() + 3 });
	const { session } = await ask(access);
	const begun = Date.now();
	const stream = await fetch(`${origin}/mcp`, { headers: { authorization: `Bearer ${access}`, accept: "text/event-stream", "mcp-session-id": session,
		"mcp-protocol-version": "2025-06-18" } });
	assert.equal(stream.status, 200);
	await stream.text().catch(() => "");
	const took = Date.now() - begun;
	assert.ok(took > 1000 && took < 20000, `${took} ms`);
	assert.equal((await ask(access)).status, 401);
});

test("it ends also where carrel-auth started again in between", { timeout: 60000 }, async () => {
	const access = token({ sub: "outlives", exp: seconds() + 5 });
	const { session } = await ask(access);
	const stream = await fetch(`${origin}/mcp`, { headers: { authorization: `Bearer ${access}`, accept: "text/event-stream", "mcp-session-id": session,
		"mcp-protocol-version": "2025-06-18" } });
	assert.equal(stream.status, 200);
	const begun = Date.now(), { pid } = JSON.parse(readFileSync(join(project.dir, ".carrel/mcp.json"), "utf8"));
	process.kill(Number(execFileSync("pgrep", ["-P", String(pid), "-x", "carrel-auth"], { encoding: "utf8" })), "SIGKILL");
	await stream.text().catch(() => "");
	const took = Date.now() - begun;
	assert.ok(took > 2000 && took < 25000, `${took} ms`);
});
