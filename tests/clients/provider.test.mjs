// provider - sign-in with the organization's identity: a real provider in the middle, and what can go wrong at each
// step.  What is refused is on record with its reason.
import assert from "node:assert/strict";
import { createHash, createHmac, createPublicKey, createSign, randomBytes } from "node:crypto";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { Browser, listenAsProvider } from "./provider.mjs";
import { carrel, carrelWith, clients, sqliteProject, startDaemon } from "./support.mjs";

const SECRET = "a secret of the provider & of no other party";
let project, provider, daemon, origin;

before(async () => {
	project = sqliteProject();
	provider = await listenAsProvider();
	writeFileSync(join(project.dir, "oidc.secret"), SECRET, { mode: 0o600 });
	appendFileSync(join(project.dir, "carrel.yaml"), `
oauth: { enabled: true, authorize_per_min: 10000, register_per_min: 10000 }
server: { trusted_proxies: [127.0.0.1] }
auth:
  loopback: required
  oidc:
    issuer: ${provider.issuer}
    client_id: carrel
    client_secret: file:oidc.secret
    scopes: openid profile groups
    roles: { analysts: contributor, readers: viewer }
`);
	daemon = await startDaemon(project.dir);
	origin = new URL(daemon.url).origin;
	provider.serve({ client_id: "carrel", client_secret: SECRET, redirect_uris: [`${origin}/api/oauth/callback`] });
	provider.people.set("1001", { preferred_username: "Ada@Example.org", groups: ["analysts", "readers", "others"] });
	provider.people.set("1002", { preferred_username: "eve", groups: ["others"] });
	provider.people.set("1003", { preferred_username: "local", groups: ["analysts"] });
	provider.people.set("1004", { preferred_username: "Not A Name", groups: ["analysts"] });
});
after(async () => {
	provider?.stop();
	await daemon?.stop();
	project?.drop();
});

const home = () => `${origin}/api/oauth/organization`;
const newest = async () => (await carrel(project.dir, "audit", "search", "--action", "login", "-n", "1")).entries[0];

// To the provider and back, and what the browser sees then.
async function signIn(account, { browser = new Browser(), next = "" } = {}) {
	const begun = await browser.ask(`${home()}?next=${encodeURIComponent(next)}`);
	assert.equal(begun.status, 302, begun.text);
	const back = await browser.pass(begun.to, account, `${origin}/api/oauth/callback`);
	return { browser, back, page: await browser.go(back, (to) => to.includes("/admin")) };
}

// The newest refusal is this one, and the page says no.
async function refused(page, code, status = 403) {
	assert.equal(page.status, status, page.text);
	assert.match(page.text, /This does not work/);
	assert.ok(![...page.headers.getSetCookie()].some((line) => /_session_/.test(line) && !/Max-Age=0/.test(line)));
	const entry = await newest();
	assert.equal(entry.outcome, "refused");
	assert.equal(entry.code, code, JSON.stringify(entry));
}

// --- before the provider's configuration is known ------------------------------------------------------------------

const pause = () => new Promise((done) => setTimeout(done, 550));	// after a failure it is not asked at once

async function departs(status) {
	const page = await new Browser().ask(home());
	assert.equal(page.status, status, page.text);
	await pause();
}

test("a configuration that is not the issuer's own is not used", async () => {
	const other = (change) => (path, text) => path.includes(".well-known") ? JSON.stringify({ ...JSON.parse(text), ...change }) : undefined;
	for (const hook of [
		other({ issuer: "https://login.example.org" }),
		other({ token_endpoint: "http://192.0.2.1/token" }),
		(path) => path.includes(".well-known") ? `{"issuer":"${provider.issuer}","x":"${"a".repeat(70000)}"}` : undefined,
		(path, text, response) => {
			response.statusCode = 302;
			response.setHeader("Location", "http://169.254.169.254/latest/meta-data/");
			return "";
		},
	]) {
		provider.hook = hook;
		await departs(503);
	}
	provider.hook = null;
});

// --- the whole way ----------------------------------------------------------------------------------------------------

test("an MCP client is let in by the organization's identity", async () => {
	const redirect = "http://127.0.0.1:9/cb", verifier = randomBytes(32).toString("base64url");
	const client = await (await fetch(`${origin}/api/oauth/register`, { method: "POST", headers: { "Content-Type": "application/json" },
		body: JSON.stringify({ client_name: "Client", redirect_uris: [redirect] }) })).json();
	const asked = `${origin}/api/oauth/authorize?` + new URLSearchParams({ response_type: "code", client_id: client.client_id,
		redirect_uri: redirect, code_challenge: createHash("sha256").update(verifier).digest("base64url"),
		code_challenge_method: "S256", state: "s&t", scope: "research:read research:query", resource: `${origin}/mcp` });
	const program = await fetch(asked, { headers: { Accept: "application/json" } });
	const { login_url: login, ...said } = await program.json();
	assert.equal(program.status, 401, JSON.stringify(said));
	const browser = new Browser(), page = await browser.ask(login);
	const link = /id="organization" href="([^"]*)"/.exec(page.text)[1].replaceAll("&amp;", "&");
	const begun = await browser.ask(new URL(link, origin));
	const back = await browser.pass(begun.to, "1001", `${origin}/api/oauth/callback`);
	const consent = await browser.go(back);
	assert.match(consent.text, /Let this program in\?/);
	assert.match(consent.text, /ada@example\.org/);
	const allowed = await browser.send(consent, [["scope", "research:read"], ["scope", "research:query"], ["decision", "allow"]],
		(to) => to.startsWith(redirect));
	assert.ok(allowed.to, allowed.text);
	const came = new URL(allowed.to);
	assert.equal(came.searchParams.get("state"), "s&t");
	const { access_token } = await (await fetch(`${origin}/api/oauth/token`, { method: "POST", body: new URLSearchParams({
		grant_type: "authorization_code", code: came.searchParams.get("code"), redirect_uri: redirect, client_id: client.client_id,
		code_verifier: verifier, resource: `${origin}/mcp` }) })).json();
	const kind = clients.at(-1), made = kind.make();
	await made.client.connect(new kind.Http(new URL(`${origin}/mcp`), { requestInit: { headers: { Authorization: `Bearer ${access_token}` } } }));
	assert.ok((await made.client.listTools()).tools.length > 3);
	await made.client.close();
	const { users } = await carrel(project.dir, "user", "list");
	assert.deepEqual(users.map(({ name, role }) => [name, role]), [["ada@example.org", "contributor"]]);

	// Removed from the group, the user loses what is open at the next sign-in, and is let in again with another group.
	provider.people.get("1001").groups = ["others"];
	await refused((await signIn("1001")).page, "no_role");
	const after = await fetch(`${origin}/mcp`, { method: "POST", headers: { Authorization: `Bearer ${access_token}`, "Content-Type": "application/json",
		Accept: "application/json, text/event-stream" }, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }) });
	assert.equal(after.status, 401);
	assert.equal((await carrel(project.dir, "user", "list")).users[0].role, "none");
	provider.people.get("1001").groups = "readers";
	assert.match((await signIn("1001")).page.text, /You are signed in as <strong>ada@example\.org/);
	assert.equal((await carrel(project.dir, "user", "list")).users[0].role, "viewer");
});

test("who has no role, no name, or another's name is refused", async () => {
	await carrelWith(project.dir, "correct horse battery\n", "user", "add", "local", "--role", "admin", "--password-stdin");
	await refused((await signIn("1003")).page, "name_taken");
	await refused((await signIn("1002")).page, "no_role");
	await refused((await signIn("1004")).page, "no_name");
	assert.throws(() => carrelWith(project.dir, "correct horse battery\n", "user", "set", "ada@example.org", "--password-stdin"),
		/has no password/);
});

// --- how the browser comes back -------------------------------------------------------------------------------------

test("an answer is good once, in the browser that asked, and from the provider alone", async () => {
	const first = await signIn("1001");
	assert.equal(first.page.status, 200);
	await refused(await first.browser.ask(first.back), "state_used");

	const browser = new Browser(), begun = await browser.ask(home());
	const back = await browser.pass(begun.to, "1001", `${origin}/api/oauth/callback`);
	await refused(await new Browser().ask(back), "state_unknown");
	const stranger = new Browser();
	await stranger.ask(home());
	await refused(await stranger.ask(back), "state_unknown");

	const changed = (of) => {
		const url = new URL(back);
		for (const [name, value] of Object.entries(of)) value === null ? url.searchParams.delete(name) : url.searchParams.set(name, value);
		return url;
	};
	await refused(await browser.ask(changed({ state: null })), "state_unknown");
	await refused(await browser.ask(changed({ state: "x".repeat(54) })), "state_unknown");
	await refused(await browser.ask(changed({ iss: "https://login.example.org" })), "issuer_mismatch");

	for (const [change, code] of [[{ iss: null }, "issuer_mismatch"], [{ code: null, error: "access_denied" }, "provider_denied"],
		[{ code: "of another sign-in" }, "provider_failed"]]) {
		const again = new Browser(), url = new URL(await again.pass((await again.ask(home())).to, "1001", `${origin}/api/oauth/callback`));
		for (const [name, value] of Object.entries(change)) value === null ? url.searchParams.delete(name) : url.searchParams.set(name, value);
		await refused(await again.ask(url), code, code === "provider_failed" ? 503 : 403);
	}
});

test("it leads to paths of this server alone", async () => {
	for (const next of ["https://evil.example/", "//evil.example/", "/\\evil.example", "/api/oauth/logout", "/api/oauth/authorize"]) {
		const { page } = await signIn("1001", { next });
		assert.equal(page.status, 200, next);
		assert.match(page.text, /You are signed in as/);
	}
	const { page } = await signIn("1001", { next: "/admin" });
	assert.match(page.to, new RegExp(`^${origin}/admin#key=`));
});

// --- what the provider signs ------------------------------------------------------------------------------------------

const b64 = (value) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const signed = (header, claims, key = provider.rsa.key) => {
	const text = `${b64(header)}.${b64(claims)}`;
	if (header.alg === "none") return `${text}.`;
	if (header.alg.startsWith("HS")) return `${text}.${createHmac("sha256", key).update(text).digest("base64url")}`;
	return `${text}.${createSign("sha256").update(text).sign({ key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
};

test("a token that is not the provider's, for this client and this sign-in, is refused", async () => {
	const pem = createPublicKey(provider.rsa.key).export({ type: "spki", format: "pem" });
	const rs = { alg: "RS256", kid: "rsa" }, now = () => Math.floor(Date.now() / 1000);
	for (const [make, code] of [
		[(c) => `${signed({ alg: "none" }, c)}AA`, "id_token_algorithm"],
		[(c) => signed({ alg: "HS256", kid: "rsa" }, c, pem), "id_token_algorithm"],
		[(c) => signed({ alg: "RS256", kid: "ec" }, c), "id_token_key_kind"],
		[(c) => signed({ ...rs, kid: "unknown" }, c), "id_token_key"],
		[(c) => signed(rs, { ...c, iss: "https://login.example.org" }), "id_token_issuer"],
		[(c) => signed(rs, { ...c, aud: "another" }), "id_token_audience"],
		[(c) => signed(rs, { ...c, azp: "another" }), "id_token_audience"],
		[(c) => signed(rs, { ...c, nonce: "of another sign-in" }), "id_token_nonce"],
		[(c) => signed(rs, { ...c, exp: now() - 120 }), "id_token_expired"],
		[(c) => signed({ ...rs, jku: "https://evil.example/keys" }, c, provider.ec.key), "id_token_header"],
		[(c) => signed({ ...rs, jwk: provider.ec.jwk }, c), "id_token_header"],
		[(c) => signed({ ...rs, x5u: "https://evil.example/chain" }, c), "id_token_header"],
		[(c) => signed(rs, JSON.stringify(c).replace("{", `{"nonce":"another",`)), "id_token_form"],
		[(c) => signed(rs, { ...c, iss: `${c.iss}/` }), "id_token_issuer"],
		[(c) => signed(rs, { ...c, aud: ["carrel", "another"] }), "id_token_audience"],
		[(c) => signed(rs, { ...c, nbf: now() + 120 }), "id_token_early"],
		[(c) => signed(rs, { ...c, exp: now() - 61 }), "id_token_expired"],
		[(c) => "a".repeat(20000), "provider_failed"],
	]) {
		provider.hook = (path, text) => {
			if (path !== "/token") return undefined;
			const answer = JSON.parse(text), claims = JSON.parse(Buffer.from(answer.id_token.split(".")[1], "base64url"));
			return JSON.stringify({ ...answer, id_token: make(claims) });
		};
		const { page } = await signIn("1001");
		provider.hook = null;
		await refused(page, code, code === "provider_failed" ? 503 : 403);
	}
	provider.hook = (path, text) => {
		if (path !== "/token") return undefined;
		const answer = JSON.parse(text), claims = JSON.parse(Buffer.from(answer.id_token.split(".")[1], "base64url"));
		return JSON.stringify({ ...answer, id_token: signed({ alg: "ES256", kid: "ec" }, claims, provider.ec.key) });
	};
	assert.equal((await signIn("1001")).page.status, 200);
	provider.hook = null;
});

test("a provider that hangs is given up", async () => {
	provider.hook = (path) => path === "/token" ? null : undefined;
	const { page } = await signIn("1001");
	provider.hook = null;
	await refused(page, "provider_failed", 503);
	assert.equal((await signIn("1001")).page.status, 200);
});
