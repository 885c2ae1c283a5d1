// walk - what walk.sh needs of JavaScript: the provider, the configuration put together, and the persons with their browser.
//	walk.mjs provider DIR			login.example.org with the key and certificate in DIR
//	walk.mjs merge FILE…			one YAML document of several, the later ones in the earlier ones
//	walk.mjs persons DIR LOGIN…		DIR as walk.sh made it; LOGIN… runs `carrel login` on the company's machine
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createHash, randomBytes, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { parse, stringify } from "yaml";

import { openChromium } from "../clients/chromium.mjs";
import { listenAsProvider } from "../clients/provider.mjs";

const ORIGIN = "https://carrel.example.org", ISSUER = "https://login.example.org/realms/main";
const MINT = { host: "127.0.0.2", port: 8099 };
const scopes = "research:read research:query ontologies:read data_agent:read data_agent:write";
const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
const seconds = () => Math.floor(Date.now() / 1000);

// --- the company's provider, whose key also signs the access tokens that programs bring
async function serveProvider(dir) {
	const provider = await listenAsProvider("login.example.org", { key: readFileSync(join(dir, "login.example.org.key")), cert: readFileSync(join(dir, "login.example.org.pem")) },
		{ address: "127.0.0.2", port: 443, issuer: ISSUER });
	provider.serve({ client_id: "carrel", client_secret: "a secret of the provider", redirect_uris: [`${ORIGIN}/api/oauth/callback`] },
		{ openid: ["sub", "groups", "tenant", "db_role"], profile: ["preferred_username"] });
	provider.people.set("1001", { preferred_username: "ada", groups: ["analysts"], tenant: "acme", db_role: "analyst_eu" });
	provider.people.set("1002", { preferred_username: "bob", groups: ["analysts"], tenant: "globex", db_role: "analyst_us" });
	provider.people.set("1003", { preferred_username: "eve", groups: ["visitors-without-a-role"], tenant: "acme", db_role: "analyst_eu" });
	provider.people.set("1004", { preferred_username: "tom", groups: ["analysts"] });
	http.createServer((request, response) => {
		let text = "";
		request.on("data", (piece) => { text += piece; }).on("end", () => {
			const covered = `${part({ alg: "RS256", typ: "at+jwt", kid: provider.rsa.jwk.kid })}.${part({ iss: ISSUER, iat: seconds(), exp: seconds() + 600, ...JSON.parse(text) })}`;
			response.end(`${covered}.${sign("sha256", Buffer.from(covered), provider.rsa.key).toString("base64url")}`);
		});
	}).listen(MINT.port, MINT.host);
}
const mint = async (claims) => (await fetch(`http://${MINT.host}:${MINT.port}`, { method: "POST", body: JSON.stringify(claims) })).text();

// --- one document of several
function merge(into, from) {
	for (const [key, value] of Object.entries(from ?? {}))
		if (value && typeof value === "object" && !Array.isArray(value) && into[key] && typeof into[key] === "object") merge(into[key], value);
		else into[key] = Array.isArray(value) && Array.isArray(into[key]) ? [...into[key], ...value] : value;
	return into;
}

// --- persons
const grants = "urn:ietf:params:oauth:grant-type:device_code";
let came, browser;

async function api(path, fields) {
	const answer = await fetch(`${ORIGIN}/api/oauth/${path}`, { method: "POST", ...(path === "register" ?
		{ headers: { "Content-Type": "application/json" }, body: JSON.stringify(fields) } : { body: new URLSearchParams(fields) }) });
	return answer.json();
}
async function signIn(page, account) {
	await page.click("#organization");
	await page.fill("input[name=login]", account);
	await page.fill("input[name=password]", "any");
	await page.click("button[type=submit]");
	await page.has("input[name=prompt][value=consent]");
	await page.click("button[type=submit]");
}
async function eventually(what, condition) {
	for (const end = Date.now() + 30000; Date.now() < end; await sleep(100)) {
		const value = await condition();
		if (value) return value;
	}
	throw new Error(`not so far: ${what}`);
}
async function byBrowser(account, redirect) {
	const verifier = randomBytes(32).toString("base64url"), client = await api("register", { client_name: "Program", redirect_uris: [redirect] });
	const page = await browser.fresh();
	came = undefined;
	await page.open(`${ORIGIN}/api/oauth/authorize?` + new URLSearchParams({ response_type: "code", client_id: client.client_id, redirect_uri: redirect,
		code_challenge: createHash("sha256").update(verifier).digest("base64url"), code_challenge_method: "S256", state: "s", scope: scopes, resource: `${ORIGIN}/mcp` }));
	await signIn(page, account);
	const shown = await eventually("a page of ours", () => page.look(`location.origin === "${ORIGIN}" && document.readyState === "complete" && document.body.innerText`));
	if (!await page.look("document.querySelector('button[name=decision][value=allow]') !== null")) return { refused: shown };
	await page.click("button[name=decision][value=allow]");
	await eventually("the program has its code", () => came?.searchParams.get("code")).catch(async (error) => {
		throw new Error(`${error.message}: ${await page.url()} ${await page.text()} ${came}`);
	});
	const { access_token } = await api("token", { grant_type: "authorization_code", code: came.searchParams.get("code"), redirect_uri: redirect,
		client_id: client.client_id, code_verifier: verifier, resource: `${ORIGIN}/mcp` });
	return { access: access_token };
}
// `carrel login` on another machine's terminal; its person has a browser elsewhere.
async function byDevice(account, login) {
	const child = spawn(login[0], [...login.slice(1), "login", ORIGIN, "--scopes", scopes], { stdio: ["ignore", "pipe", "pipe"] });
	let said = "";
	for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => { said += text; });
	const ended = new Promise((done) => child.on("exit", done));
	const [, code] = await eventually("a code", () => /\b([A-Z]{4}-[A-Z]{4})\b/.exec(said) ?? (child.exitCode !== null && assert.fail(said)));
	const page = await browser.fresh();
	await page.open(`${ORIGIN}/device`);
	await signIn(page, account);
	await page.fill("input[name=user_code]", code);
	await page.click("button[type=submit]");
	await page.click("button[name=decision][value=allow]");
	assert.equal(await ended, 0, said);
	return { access: execFileSync(login[0], [...login.slice(1), "login", "--token"], { encoding: "utf8" }).trim() };
}
const call = (access, name, args) => request(access, "tools/call", name, { name, arguments: args });
async function request(access, method, name, params) {
	const answer = await fetch(`${ORIGIN}/mcp`, { method: "POST", headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream",
		Authorization: `Bearer ${access}`, "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name,
		traceparent: `00-${randomBytes(16).toString("hex")}-${randomBytes(8).toString("hex")}-01` },
		body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28",
			"io.modelcontextprotocol/clientInfo": { name: "walk", version: "1" }, "io.modelcontextprotocol/clientCapabilities": {} } } }) });
	const text = await answer.text();
	return { status: answer.status, text, result: answer.headers.get("content-type")?.startsWith("application/json") ? JSON.parse(text).result : undefined };
}
const shows = (answer, tenant) => answer.text.includes(`CANARY-${tenant}-`);

async function persons(dir, login) {
	const program = http.createServer((request, response) => {
		if (request.url.startsWith("/cb")) came = new URL(request.url, "http://127.0.0.1");
		response.end("back at the program");
	});
	await new Promise((done) => program.listen(0, "127.0.0.1", done));
	browser = await openChromium("--ignore-certificate-errors");
	const redirect = `http://127.0.0.1:${program.address().port}/cb`, at = JSON.parse(readFileSync(join(dir, "tokens.json"))), wrong = [];
	const holds = (what, so) => { if (!so) wrong.push(what); };
	let checks = 0;
	try {
		const audience = `${ORIGIN}/mcp`;
		const { access: ada } = await byBrowser("1001", redirect), { access: bob } = await byDevice("1002", login);
		const { refused } = await byBrowser("1003", redirect), { access: tom } = await byBrowser("1004", redirect);
		holds(`eve, whose group has no role, is let in or not told why: ${refused}`, /role/.test(refused ?? ""));
		const fay = await mint({ sub: "fay", aud: audience, client_id: "agent", scope: scopes, groups: ["analysts"], tenant: "acme", db_role: "analyst_eu" });
		const fin = await mint({ sub: "fin", aud: audience, client_id: "agent", scope: scopes, groups: ["analysts"], tenant: "globex", db_role: "analyst_us" });
		await eventually("the issuer's keys are here", async () => (await call(fay, "connection_list", {})).status === 200);

		const { result: read } = await request(ada, "resources/read", "carrel://ontologies", { uri: "carrel://ontologies" });
		const ontologies = Object.fromEntries(JSON.parse(read.contents[0].text).map((one) => [one.connectionId ?? one.connection ?? one.name, one.id]));
		const tools = ({ id, table }) => [["sql_execution", { connectionId: id, sql: `SELECT customer FROM ${table} ORDER BY id` }],
			["sl_query", { connectionId: id, measures: [`${table}.${table}_count`], dimensions: [`${table}.customer`], limit: 1000 }],
			["ask_question", { ontologyId: ontologies[id], question: `${table.replace("_", " ")} by customer` }], [`orders_of_${id}`, undefined]];
		const kept = ({ id, table }) => [["dictionary_search", { values: ["CANARY-acme-3", "CANARY-globex-1", "CANARY-demo-2"] }],
			["discover_data", { query: "orders by customer" }], ["entity_details", { connectionId: id, entities: [{ table }] }]];
		for (const place of at.identities) {
			const { id, table } = place;
			for (const [who, access, own, other] of [["ada", ada, "acme", "globex"], ["bob", bob, "globex", "acme"], ["fay", fay, "acme", "globex"], ["fin", fin, "globex", "acme"]]) {
				for (const [name, args] of tools(place)) {
					const answer = await call(access, name, args ?? { customer: { acme: "CANARY-acme-3", globex: "CANARY-globex-1" }[own] });
					checks++;
					holds(`${who}: ${name} on ${id} shows no row of ${own}: ${answer.text.slice(0, 400)}`, shows(answer, own));
					holds(`${who}: ${name} on ${id} shows rows of ${other} or demo`, !shows(answer, other) && !shows(answer, "demo"));
					if (name !== "sql_execution") continue;
					// What a person opens: the same rows, for that person alone.
					const link = answer.result?._meta?.["carrel/export"]?.url;
					holds(`${who}: ${id} offers no file`, link);
					if (!link) continue;
					const open = (by) => fetch(link, { headers: { Authorization: `Bearer ${by}` } }), mine = await open(access), rows = await mine.text();
					holds(`${who}: the file of ${id}: ${mine.status} ${rows.slice(0, 200)}`, mine.status === 200 && rows.includes(`CANARY-${own}-`) && !rows.includes(`CANARY-${other}-`));
					for (const [them, by] of [["ada", ada], ["bob", bob], ["fay", fay], ["fin", fin], ["tom", tom]].filter(([them]) => them !== who)) {
						const theirs = await open(by);
						checks++;
						holds(`${them} opens the file that ${who} was given: ${theirs.status}`, theirs.status >= 400 && !(await theirs.text()).includes("CANARY"));
					}
				}
				for (const [name, args] of kept(place)) {
					const { text, result } = await call(access, name, args);
					checks++;
					holds(`${who}: ${name}: ${text.slice(0, 300)}`, result?.structuredContent && !result.isError);
					// Of the values that were asked for, which are repeated, only the neutral identity's were found.
					const told = JSON.stringify(result?.structuredContent ?? "", (key, value) => ["values", "value", "query"].includes(key) ? undefined : value);
					holds(`${who}: ${name} of ${id} tells values of tenants: ${told.slice(0, 600)}`, !/CANARY-(acme|globex)/.test(told));
				}
			}
			const nobody = await call(tom, "sql_execution", { connectionId: id, sql: `SELECT customer FROM ${table}` });
			checks++;
			holds(`tom, who has no tenant, is served: ${nobody.text.slice(0, 300)}`, !shows(nobody, "acme") && !shows(nobody, "globex") && /scope_denied/.test(nobody.text));
		}
		// A token for one tool of the team's: that one, and nothing else.
		const team = await call(at.tool, "revenue_by_region", { region: "EU", since: "2025-06-01" });
		checks += 3;
		holds(`the team's tool: ${team.text.slice(0, 300)}`, team.result?.structuredContent?.rowCount === 7);
		holds("a token of one tool may run SQL", !(await call(at.tool, "sql_execution", { connectionId: "warehouse", sql: "SELECT 1" })).result?.structuredContent?.rows);
		const rest = await fetch(`${ORIGIN}/api/v1/ext/tools/revenue_by_region`, { method: "POST", headers: { Authorization: `Bearer ${at.tool}`, "Content-Type": "application/json" }, body: '{"region":"US"}' });
		holds(`the team's tool by REST: ${rest.status}`, rest.status === 200 && (await rest.json()).rowCount === 12);
		const ssh = await call(ada, "sql_execution", { connectionId: "warehouse", sql: "SELECT count(*) FROM revenue_months" });
		checks++;
		holds(`the database behind SSH: ${ssh.text.slice(0, 300)}`, ssh.result?.structuredContent?.rows?.[0]?.[0] === 36);
		// Published, each token sees the rows of the person it stands for.
		for (const [own, other] of [["acme", "globex"], ["globex", "acme"]]) {
			const answer = await call(at[own], "carrel_sql", { sql: `SELECT customer FROM dataset_${at.dataset.replaceAll("-", "_")}` });
			checks++;
			holds(`the dataset for ${own}: ${answer.text.slice(0, 300)}`, shows(answer, own) && !shows(answer, other));
		}
	} finally {
		await browser.close();
		program.closeAllConnections();
		program.close();
	}
	for (const line of wrong) console.log(`wrong: ${line}`);
	console.log(`${checks} answers looked at, ${wrong.length} wrong`);
	process.exitCode = wrong.length ? 1 : 0;
}

const [what, ...rest] = process.argv.slice(2);
if (what === "provider") await serveProvider(rest[0]);
else if (what === "merge") console.log(stringify(rest.map((file) => parse(readFileSync(file, "utf8"))).reduce(merge, {})));
else await persons(rest[0], rest.slice(1));
