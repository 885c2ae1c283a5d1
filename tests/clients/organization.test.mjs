// organization - a person signs in at the organization's provider with a real browser: through nginx with TLS, at a real
// provider whose certificate an authority of the company's own signed, for a program and for a device.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { noChromium, openChromium } from "./chromium.mjs";
import { behindNginx, makeCertificate, noNginx } from "./nginx.mjs";
import { listenAsProvider } from "./provider.mjs";
import { carrel, sqliteProject } from "./support.mjs";

const skip = noChromium || noNginx, SECRET = "a secret of the provider", scope = "research:read research:query";
let project, company, provider, place, browser, program, came;

before(async () => {
	if (skip) return;
	project = sqliteProject();
	company = mkdtempSync(join(tmpdir(), "carrel-company-"));
	makeCertificate(company);
	provider = await listenAsProvider("localhost", { key: readFileSync(join(company, "key.pem")), cert: readFileSync(join(company, "cert.pem")) });
	writeFileSync(join(project.dir, "oidc.secret"), SECRET, { mode: 0o600 });
	writeFileSync(join(project.dir, "company-ca.pem"), readFileSync(join(company, "ca.pem")));
	appendFileSync(join(project.dir, "carrel.yaml"), `
oauth:
  enabled: true
auth:
  loopback: required
  oidc:
    issuer: ${provider.issuer}
    client_id: carrel
    client_secret: file:oidc.secret
    sslrootcert: company-ca.pem
    scopes: openid profile groups
    role_claim: groups
    roles: { analysts: contributor, data-owners: admin, everybody: viewer }
`);
	place = await behindNginx(project.dir);
	provider.serve({ client_id: "carrel", client_secret: SECRET, redirect_uris: [`${place.origin}/api/oauth/callback`] });
	provider.people.set("1001", { preferred_username: "Ada@Example.org", groups: ["analysts"] });
	program = http.createServer((request, response) => {
		const url = new URL(request.url, "http://127.0.0.1");
		if (url.pathname === "/cb") came = url;	// and not the icon that a browser asks for behind it
		response.end("back at the program");
	});
	await new Promise((done) => program.listen(0, "127.0.0.1", done));
	browser = await openChromium("--ignore-certificate-errors");
}, { timeout: 120000 });
after(async () => {
	await browser?.close();
	await place?.stop();
	provider?.stop();
	program?.closeAllConnections();
	program?.close();
	project?.drop();
	if (company) rmSync(company, { recursive: true, force: true });
});

// A form to the server behind nginx, whose authority is told.
const post = (path, fields, headers = { "Content-Type": "application/x-www-form-urlencoded" }) => new Promise((done, fail) => {
	const body = headers["Content-Type"] === "application/json" ? JSON.stringify(fields) : new URLSearchParams(fields).toString();
	const request = https.request(`${place.origin}${path}`, { method: "POST", ca: readFileSync(place.ca), headers }, (answer) => {
		let text = "";
		answer.setEncoding("utf8").on("data", (part) => { text += part; }).on("end", () => done({ status: answer.statusCode, json: JSON.parse(text) }));
	});
	request.on("error", fail).end(body);
});
const until = async (what, condition, page) => {
	for (const end = Date.now() + 60000; Date.now() < end; await sleep(50))
		if (await condition()) return;
	throw new Error(`not so far: ${what}${page ? `; the page says: ${await page.text()} ${page.complaints().join(" ")}` : ""}`);
};

// What a person does from the login page on, at the provider and back.
async function signIn(page) {
	await page.click("#organization");
	await page.fill("input[name=login]", "1001");
	await page.fill("input[name=password]", "any");
	await page.click("button[type=submit]");
	await page.has("input[name=prompt][value=consent]");
	await page.click("button[type=submit]");
}
async function use(token) {
	const { status, json } = await post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "sql_execution",
		arguments: { connectionId: "warehouse", sql: "SELECT 40 + 2 AS n" }, _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28",
			"io.modelcontextprotocol/clientInfo": { name: "t", version: "1" }, "io.modelcontextprotocol/clientCapabilities": {} } } },
	{ "Content-Type": "application/json", Accept: "application/json, text/event-stream", Authorization: `Bearer ${token}`, "mcp-protocol-version": "2026-07-28",
		"mcp-method": "tools/call", "mcp-name": "sql_execution" });
	assert.equal(status, 200);
	assert.equal(json.result.structuredContent.rows[0][0], 42);
}

test("a program is let in through the browser", { skip, timeout: 120000 }, async () => {
	const redirect = `http://127.0.0.1:${program.address().port}/cb`, verifier = randomBytes(32).toString("base64url");
	const { json: client } = await post("/api/oauth/register", { client_name: "Program", redirect_uris: [redirect] }, { "Content-Type": "application/json" });
	const page = await browser.fresh();
	await page.open(`${place.origin}/api/oauth/authorize?` + new URLSearchParams({ response_type: "code", client_id: client.client_id, redirect_uri: redirect,
		code_challenge: createHash("sha256").update(verifier).digest("base64url"), code_challenge_method: "S256", state: "s", scope, resource: `${place.origin}/mcp` }));
	await signIn(page);
	await page.has("button[name=decision][value=allow]");
	assert.match(await page.text(), /ada@example\.org/);
	await page.click("button[name=decision][value=allow]");
	await until("the program has its code", () => came?.searchParams.get("code"), page);
	const { json } = await post("/api/oauth/token", { grant_type: "authorization_code", code: came.searchParams.get("code"), redirect_uri: redirect,
		client_id: client.client_id, code_verifier: verifier, resource: `${place.origin}/mcp` });
	await use(json.access_token);
	assert.deepEqual(page.complaints().filter((line) => /Content Security Policy|violat/i.test(line)), []);	// the provider's pages have others
	const { users } = await carrel(project.dir, "user", "list");
	assert.deepEqual(users.map(({ name, role }) => [name, role]), [["ada@example.org", "contributor"]]);
});

test("a device is let in by its code", { skip, timeout: 120000 }, async () => {
	const grant = "urn:ietf:params:oauth:grant-type:device_code";
	const { json: client } = await post("/api/oauth/register", { client_name: "Device", redirect_uris: ["http://127.0.0.1:9/cb"], grant_types: [grant] },
		{ "Content-Type": "application/json" });
	const { json: device } = await post("/api/oauth/device", { client_id: client.client_id, scope, resource: `${place.origin}/mcp` });
	assert.equal(device.verification_uri, `${place.origin}/device`);
	const page = await browser.fresh();
	await page.open(`${device.verification_uri}?user_code=${device.user_code}`);
	await signIn(page);
	await page.has("input[name=user_code]");
	assert.doesNotMatch(await page.run("document.documentElement.innerHTML"), new RegExp(device.user_code), "a code in the link is filled in");
	await page.fill("input[name=user_code]", device.user_code);
	await page.click("button[type=submit]");
	await page.click("button[name=decision][value=allow]");
	await until("the device is let in", async () => /is let in/.test(await page.text() ?? ""));
	const { json } = await post("/api/oauth/token", { grant_type: grant, device_code: device.device_code, client_id: client.client_id });
	await use(json.access_token);
});
