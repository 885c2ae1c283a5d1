// identity - statements as the one who asks, for users: two who signed in at the organization's provider (one by a
// browser, one by the device grant) and two who come with tokens of another issuer, on PostgreSQL with row security and
// on MariaDB with views.  Each sees its own rows in every tool that shows values, and what is known of it can change.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { Browser, listenAsProvider } from "./provider.mjs";
import { bin, carrel, clients, pg, startDaemon } from "./support.mjs";

const support = resolve(dirname(fileURLToPath(import.meta.url)), "../support");
const SECRET = "a secret of the provider", AUDIENCE = "https://carrel.example.org/mcp";
const noMariaDB = !["/usr/sbin/mariadbd", "/usr/bin/mariadbd"].some(existsSync) && "no MariaDB server here (apt-get install mariadb-server)";
const scopes = "research:read research:query ontologies:read data_agent:read data_agent:write ext:datasets ext:schema ext:search ext:sql";
const seconds = () => Math.floor(Date.now() / 1000);

const PG_SQL = `
CREATE ROLE identity_reader LOGIN PASSWORD 'only:reads' NOINHERIT; CREATE ROLE identity_eu; CREATE ROLE identity_us;
GRANT identity_eu, identity_us TO identity_reader;
CREATE TABLE orders(id int PRIMARY KEY, tenant text NOT NULL, customer text NOT NULL, amount numeric(10,2) NOT NULL);
INSERT INTO orders SELECT i, t, 'CANARY-' || t || '-' || i, i FROM generate_series(1, 200) i, LATERAL (SELECT (ARRAY['acme', 'globex'])[1 + i % 2]) x(t);
ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON orders FOR SELECT TO identity_eu, identity_us USING (tenant = current_setting('app.tenant'));
GRANT SELECT ON orders TO identity_reader, identity_eu, identity_us;`;
const MY_SQL = `
CREATE DATABASE shop CHARACTER SET utf8mb4; USE shop;
CREATE TABLE orders_all(id int PRIMARY KEY, tenant varchar(100) NOT NULL, customer varchar(200) NOT NULL, amount decimal(10,2) NOT NULL);
INSERT INTO orders_all SELECT seq, ELT(1 + seq % 2, 'acme', 'globex'), CONCAT('CANARY-', ELT(1 + seq % 2, 'acme', 'globex'), '-', seq), seq FROM seq_1_to_200;
CREATE FUNCTION app_tenant() RETURNS varchar(100) CHARSET utf8mb4 NOT DETERMINISTIC READS SQL DATA RETURN @app_tenant;
CREATE ALGORITHM = TEMPTABLE SQL SECURITY DEFINER VIEW orders AS SELECT id, tenant, customer, amount FROM orders_all WHERE tenant = app_tenant() COLLATE utf8mb4_nopad_bin;
CREATE USER reader IDENTIFIED BY 'secret';
GRANT SELECT, SHOW VIEW ON shop.orders TO reader; GRANT EXECUTE ON FUNCTION shop.app_tenant TO reader;`;

const key = { kid: "one", ...generateKeyPairSync("rsa", { modulusLength: 2048 }) };
const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
let dir, provider, issuer, issuerServer, daemon, origin, my;
const people = {};

function token(change, by = key) {
	const covered = `${part({ alg: "RS256", typ: "at+jwt", kid: by.kid })}.${part({ iss: issuer, aud: AUDIENCE, client_id: "agent",
		iat: seconds(), exp: seconds() + 600, scope: scopes, groups: ["owners"], ...change })}`;
	return `${covered}.${sign("sha256", Buffer.from(covered), by.privateKey).toString("base64url")}`;
}

// A server that describes itself as an authorization server alone, with a path in its name (RFC 8414).
async function listenAsIssuer() {
	issuerServer = http.createServer((request, response) => {
		const found = request.url === "/.well-known/oauth-authorization-server/main" ? { issuer, jwks_uri: `${issuer}/keys` } :
			request.url === "/main/keys" ? { keys: [{ ...key.publicKey.export({ format: "jwk" }), kid: key.kid, alg: "RS256", use: "sig" }] } : null;
		response.writeHead(found ? 200 : 404, { "Content-Type": "application/json" }).end(JSON.stringify(found ?? {}));
	});
	await new Promise((done) => issuerServer.listen(0, "127.0.0.1", done));
	issuer = `http://127.0.0.1:${issuerServer.address().port}/main`;
}

function fillPostgres() {
	const psql = (...args) => execFileSync(pg, ["psql", process.env.PG_DIR, ...args], { encoding: "utf8" }).trim();
	psql("-c", "DROP DATABASE IF EXISTS identities WITH (FORCE)", ...["identity_reader", "identity_eu", "identity_us"].flatMap((role) => ["-c", `DROP ROLE IF EXISTS ${role}`]),
		"-c", "CREATE DATABASE identities", "-c", "\\c identities", "-c", PG_SQL);
	return execFileSync(pg, ["dsn", process.env.PG_DIR, "identity_reader", "only:reads", "identities", "sslmode=disable"], { encoding: "utf8" }).trim();
}
function fillMariaDB() {
	my = mkdtempSync(join(tmpdir(), "carrel-identity-my-"));
	execFileSync(join(support, "my.sh"), ["start", my], { stdio: "ignore" });
	execFileSync(join(support, "my.sh"), ["mysql", my], { input: MY_SQL });
	return execFileSync(join(support, "my.sh"), ["url", my, "reader", "secret", "shop", "sslmode=disable"], { encoding: "utf8" }).trim();
}

const api = (path, fields) => fetch(`${origin}/api/oauth/${path}`, { method: "POST", body: new URLSearchParams(fields) }).then((answer) => answer.json());

// At the provider, then what is asked at the page that the browser comes back to.
async function signIn(browser, from, account) {
	const link = /id="organization" href="([^"]*)"/.exec((await browser.go(from)).text)[1].replaceAll("&amp;", "&");
	const begun = await browser.ask(new URL(link, origin));
	return browser.go(await browser.pass(begun.to, account, `${origin}/api/oauth/callback`));
}
const grants = [...scopes.split(" ").map((scope) => ["scope", scope]), ["decision", "allow"]];

async function byBrowser(account) {
	const redirect = "http://127.0.0.1:9/cb", verifier = randomBytes(32).toString("base64url");
	const client = await (await fetch(`${origin}/api/oauth/register`, { method: "POST", headers: { "Content-Type": "application/json" },
		body: JSON.stringify({ client_name: "Client", redirect_uris: [redirect] }) })).json();
	const browser = new Browser(), consent = await signIn(browser, `${origin}/api/oauth/authorize?` + new URLSearchParams({ response_type: "code",
		client_id: client.client_id, redirect_uri: redirect, code_challenge: createHash("sha256").update(verifier).digest("base64url"),
		code_challenge_method: "S256", state: "s", scope: scopes, resource: `${origin}/mcp` }), account);
	const allowed = await browser.send(consent, grants, (to) => to.startsWith(redirect));
	return (await api("token", { grant_type: "authorization_code", code: new URL(allowed.to).searchParams.get("code"), redirect_uri: redirect,
		client_id: client.client_id, code_verifier: verifier, resource: `${origin}/mcp` })).access_token;
}
async function byDevice(account) {
	const client = await (await fetch(`${origin}/api/oauth/register`, { method: "POST", headers: { "Content-Type": "application/json" },
		body: JSON.stringify({ client_name: "Device", redirect_uris: ["http://127.0.0.1:9/cb"], grant_types: ["urn:ietf:params:oauth:grant-type:device_code"] }) })).json();
	const device = await api("device", { client_id: client.client_id, scope: scopes, resource: `${origin}/mcp` });
	const browser = new Browser(), page = await signIn(browser, `${origin}/device`, account);
	const shown = await browser.send(page, [["user_code", device.user_code]]);
	assert.match(shown.text, /Let this device in\?/);
	await browser.send(shown, grants);
	return (await api("token", { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: device.device_code, client_id: client.client_id })).access_token;
}

// One call by each era's client.
async function call(access, name, args, kind = clients.at(-1)) {
	const { client } = kind.make();
	try {
		await client.connect(new kind.Http(new URL(daemon.url), { requestInit: { headers: { Authorization: `Bearer ${access}` } } }));
		return await client.callTool({ name, arguments: args });
	} catch (error) {
		return { isError: true, text: error.message };
	} finally {
		await client.close();
	}
}
const shows = (result, tenant) => JSON.stringify(result).includes(`CANARY-${tenant}-`);
const sql = (connectionId, text) => ["sql_execution", { connectionId, sql: text }];

before(async () => {
	assert.ok(process.env.PG_DIR, "PG_DIR names the server's directory");
	dir = mkdtempSync(join(tmpdir(), "carrel-identity-"));
	provider = await listenAsProvider();
	await listenAsIssuer();
	writeFileSync(join(dir, "urls"), "");
	writeFileSync(join(dir, "oidc.secret"), SECRET, { mode: 0o600 });
	writeFileSync(join(dir, "pg.url"), fillPostgres(), { mode: 0o600 });
	if (!noMariaDB) writeFileSync(join(dir, "my.url"), fillMariaDB(), { mode: 0o600 });
	const owner = "owner: {name: ops, claims: {tenant: acme, db_role: identity_eu}}";
	writeFileSync(join(dir, "carrel.yaml"), `
connections:
  pg:
    driver: postgres
    url: file:pg.url
    workers: 2
    identity: {settings: {app.tenant: "{claims.tenant}", app.user: "{user.name}"}, role: "{claims.db_role}", roles: [identity_eu, identity_us], ${owner}}
${noMariaDB ? "" : `  my:
    driver: mysql
    url: file:my.url
    workers: 2
    identity: {settings: {app_tenant: "{claims.tenant}"}, ${owner}}
`}oauth: { enabled: true, authorize_per_min: 10000, register_per_min: 10000 }
server: { trusted_proxies: [127.0.0.1] }
limits: { sql_timeout_s: 30 }
connectivity: { enabled: true, auth_failures_per_min: 100000 }
tools:
${(noMariaDB ? ["pg"] : ["pg", "my"]).map((id) => `  - { name: bought_${id}, description: Orders of a customer, connection: ${id}, sql: "SELECT id FROM orders WHERE customer = :customer",
      parameters: { customer: { type: string, description: Who, values: { dimension: orders.customer } } } }`).join("\n")}
auth:
  loopback: required
  issuers:
    - { issuer: "${issuer}", audience: "${AUDIENCE}", roles: { owners: admin } }
    - { issuer: "${provider.issuer}", audience: "${AUDIENCE}", roles: { owners: admin } }
  oidc:
    issuer: ${provider.issuer}
    client_id: carrel
    client_secret: file:oidc.secret
    scopes: openid profile groups company
    roles: { owners: admin }
`);
	daemon = await startDaemon(dir);
	origin = new URL(daemon.url).origin;
	provider.serve({ client_id: "carrel", client_secret: SECRET, redirect_uris: [`${origin}/api/oauth/callback`] });
	provider.people.set("1001", { preferred_username: "ada", groups: ["owners"], tenant: "acme", db_role: "identity_eu" });
	provider.people.set("1002", { preferred_username: "bob", groups: ["owners"], tenant: "globex", db_role: "identity_us" });
	for (const id of noMariaDB ? ["pg"] : ["pg", "my"]) {
		await carrel(dir, "scan", id, "--deep");
		await carrel(dir, "sl", "new", "orders", "-c", id);
	}
	people.ada = await byBrowser("1001");
	people.bob = await byDevice("1002");
	people.fay = token({ sub: "fay", tenant: "acme", db_role: "identity_eu" });
	people.fin = token({ sub: "fin", tenant: "globex", db_role: "identity_us", client_id: "other" });
	for (let tries = 0; tries < 100 && (await call(people.fay, ...sql("pg", "SELECT 1"))).isError; tries++) await sleep(100);
}, { timeout: 120000 });
after(async () => {
	provider?.stop();
	issuerServer?.closeAllConnections();
	issuerServer?.close();
	await daemon?.stop();
	if (my) execFileSync(join(support, "my.sh"), ["remove", my], { stdio: "ignore" });
	rmSync(dir, { recursive: true, force: true });
});

for (const [id, skip] of [["pg", false], ["my", noMariaDB]]) {
	test(`${id}: each sees its own rows in every tool, of both eras`, { skip, timeout: 60000 }, async () => {
		const { dataset } = await carrel(dir, "dataset", "publish", id, "orders", "--name", `orders-${id}`);
		const tools = [
			sql(id, "SELECT customer FROM orders ORDER BY id"),
			["sl_query", { connectionId: id, measures: ["orders.orders_count"], dimensions: ["orders.customer"], limit: 1000 }],
			["carrel_sql", { sql: `SELECT customer FROM dataset_${dataset.id.replaceAll("-", "_")}` }],
			["carrel_get_schema", { dataset_id: dataset.id }],
		];
		const kept = [["dictionary_search", { values: ["CANARY-acme-2", "CANARY-globex-1"] }], ["discover_data", { query: "orders by customer" }],
			["entity_details", { connectionId: id, entities: [{ table: "orders" }] }]];
		for (const [who, own, other] of [["ada", "acme", "globex"], ["bob", "globex", "acme"], ["fay", "acme", "globex"], ["fin", "globex", "acme"]]) {
			for (const kind of [clients[0], clients.at(-1)])
				for (const [name, args] of kind === clients[0] ? tools.slice(0, 2) : tools) {
					const result = await call(people[who], name, args, kind);
					assert.ok(shows(result, own), `${who}: ${name} shows no row of ${own}: ${JSON.stringify(result).slice(0, 400)}`);
					assert.ok(!shows(result, other), `${who}: ${name} shows rows of ${other}`);
				}
			for (const [name, args] of kept) {
				const { structuredContent, isError } = await call(people[who], name, args);
				assert.ok(structuredContent && !isError, `${name}: ${JSON.stringify(structuredContent)}`);
				assert.doesNotMatch(JSON.stringify({ ...structuredContent, values: undefined, query: undefined }), /"sampleValues?":\[?"CANARY|"rowCount":\d/, name);
			}
		}
	});
}

// MariaDB's collations take letters of either case, with and without accents, and blanks at the end for equal.
for (const [id, skip] of [["pg", false], ["my", noMariaDB]])
	test(`${id}: a value that only looks like another tenant's opens no row`, { skip, timeout: 60000 }, async () => {
		for (const tenant of ["ACME", "\u00e1cme", "acme ", "\uff41cme", "acme\u00ad", "acm\u0435", "acme' OR '1'='1", "a%", "acm_"]) {
			const looks = token({ sub: `looks ${tenant}`, tenant, db_role: "identity_eu" });
			const answer = await call(looks, ...sql(id, "SELECT customer FROM orders"));
			assert.ok(!answer.isError && answer.structuredContent.rowCount === 0, `${tenant}: ${JSON.stringify(answer).slice(0, 300)}`);
		}
		for (const tenant of ["x".repeat(10000), "", null, ["acme"], { acme: 1 }, "acme\u0000", 1.5]) {
			const answer = await call(token({ sub: "wrong", client_id: `c${JSON.stringify(tenant).length}`, tenant, db_role: "identity_eu" }), ...sql(id, "SELECT customer FROM orders"));
			assert.ok(answer.isError && !JSON.stringify(answer).includes("CANARY-"), `${JSON.stringify(tenant)?.slice(0, 40)}: ${JSON.stringify(answer).slice(0, 300)}`);
		}
	});

// What a parameter's values are, by each era's client.
async function complete(access, name, value, kind) {
	const { client } = kind.make();
	await client.connect(new kind.Http(new URL(daemon.url), { requestInit: { headers: { Authorization: `Bearer ${access}` } } }));
	const { completion } = await client.complete({ ref: { type: "ref/resource", uri: `carrel://tools/${name}/{customer}` }, argument: { name: "customer", value } });
	await client.close();
	return completion;
}

for (const [id, skip] of [["pg", false], ["my", noMariaDB]])
	test(`${id}: each is offered its own values of a dimension, and may use no others`, { skip, timeout: 60000 }, async () => {
		for (const [who, own, other] of [["ada", "acme", "globex"], ["bob", "globex", "acme"], ["fay", "acme", "globex"], ["fin", "globex", "acme"]])
			for (const kind of [clients[0], clients.at(-1)]) {
				const all = await complete(people[who], `bought_${id}`, "", kind);
				assert.deepEqual([all.values.length, all.total, all.hasMore], [100, 100, false], who);
				assert.ok(all.values.every((value) => value.startsWith(`CANARY-${own}-`)), `${who}: ${all.values}`);
				assert.deepEqual((await complete(people[who], `bought_${id}`, `canary-${other}`, kind)).values, []);
				const bought = await call(people[who], `bought_${id}`, { customer: all.values[0] }, kind);
				assert.equal(bought.structuredContent?.rowCount, 1, JSON.stringify(bought));
				const others = all.values[0].startsWith("CANARY-acme") ? "CANARY-globex-1" : "CANARY-acme-2";
				const refused = await call(people[who], `bought_${id}`, { customer: others }, kind);
				assert.ok(refused.isError && /is not one of the values of orders\.customer; near: "CANARY-/.test(JSON.stringify(refused).replaceAll("\\", "")), JSON.stringify(refused));
				assert.ok(!JSON.stringify(refused).replaceAll(others, "").includes(`CANARY-${other}-`), `${who} is told values of ${other}: ${JSON.stringify(refused)}`);
			}
	});

test("a question is answered with the rows of the one who asks", { timeout: 60000 }, async () => {
	const { client } = clients.at(-1).make();
	await client.connect(new (clients.at(-1).Http)(new URL(daemon.url), { requestInit: { headers: { Authorization: `Bearer ${people.ada}` } } }));
	const { contents } = await client.readResource({ uri: "carrel://ontologies" });
	await client.close();
	const ontologies = JSON.parse(contents[0].text);
	assert.ok(ontologies.length > 0);
	for (const { id } of ontologies)
		for (const [who, own, other] of [["ada", "acme", "globex"], ["bob", "globex", "acme"], ["fin", "globex", "acme"]]) {
			const result = await call(people[who], "ask_question", { ontologyId: id, question: "number of orders by customer" });
			assert.ok(shows(result, own), `${who} at ${id}: ${JSON.stringify(result).slice(0, 600)}`);
			assert.ok(!shows(result, other), `${who} at ${id} sees rows of ${other}`);
		}
});

test("a token that lacks a claim is refused by its name", async () => {
	for (const [change, claim] of [[{ db_role: "identity_eu" }, "tenant"], [{ tenant: "acme" }, "db_role"], [{ tenant: { a: 1 }, db_role: "identity_eu" }, "tenant"],
		[{ tenant: "", db_role: "identity_eu" }, "tenant"], [{ tenant: "x".repeat(1025), db_role: "identity_eu" }, "tenant"]]) {
		const result = JSON.stringify(await call(token({ sub: `poor-${claim}`, ...change }), ...sql("pg", "SELECT customer FROM orders")));
		assert.match(result, new RegExp(`no claim \\\\+"${claim}\\\\+"`), result);
	}
	const result = JSON.stringify(await call(token({ sub: "high", tenant: "acme", db_role: "postgres" }), ...sql("pg", "SELECT 1")));
	assert.match(result, /identity\.roles/);
});

test("a newer token, and a newer sign-in, end what ran by older claims", { timeout: 60000 }, async () => {
	const slow = sql("pg", "SELECT count(*) FROM orders a, orders b, orders c, orders d WHERE a.customer < b.customer || c.customer || d.customer");
	const old = token({ sub: "may", tenant: "acme", db_role: "identity_eu", iat: seconds() - 30 });
	let running = call(old, ...slow);
	await sleep(700);
	const newer = token({ sub: "may", tenant: "globex", db_role: "identity_us" });
	assert.ok(shows(await call(newer, ...sql("pg", "SELECT customer FROM orders")), "globex"));
	assert.match(JSON.stringify(await running), /has changed while the call was under way/);
	assert.match((await call(old, ...sql("pg", "SELECT 1"))).text, /401|nauthorized|expired/i);
	const { entries } = await carrel(dir, "audit", "search", "--action", "login", "-n", "3");
	assert.ok(entries.some(({ code, target }) => code === "token_outdated" && target === `${issuer} may`), JSON.stringify(entries));

	running = call(people.ada, ...slow);
	await sleep(700);
	provider.people.get("1001").tenant = "globex";
	const browser = new Browser(), begun = await browser.ask(`${origin}/api/oauth/organization?next=`);
	await browser.go(await browser.pass(begun.to, "1001", `${origin}/api/oauth/callback`), (to) => to.includes("/admin"));
	assert.match(JSON.stringify(await running), /has changed while the call was under way/);
	const now = await call(people.ada, ...sql("pg", "SELECT customer FROM orders"));
	assert.ok(shows(now, "globex") && !shows(now, "acme"), JSON.stringify(now).slice(0, 300));
});

test("an identity with an account has the account's claims, and none once the account is removed", { timeout: 60000 }, async () => {
	const own = (change) => token({ iss: provider.issuer, sub: "1002", ...change }, { kid: "rsa", privateKey: provider.rsa.key });
	const read = (access) => call(access, ...sql("pg", "SELECT customer FROM orders"));
	// The provider was asked before it served, and is asked again after half a minute.
	for (let tries = 0; tries < 400 && /503|unavailable/i.test((await read(own())).text ?? ""); tries++) await sleep(100);
	const kept = await read(own());
	assert.ok(shows(kept, "globex") && !shows(kept, "acme"), JSON.stringify(kept).slice(0, 300));
	/* What the token says counts, and is not mixed with what is kept: the role would be globex's. */
	assert.match(JSON.stringify(await read(own({ tenant: "acme", client_id: "third" }))), /no claim \\+"db_role/);
	await carrel(dir, "user", "remove", "bob");
	assert.match((await read(own())).text, /401|nauthorized|revoked/i);
	const { entries } = await carrel(dir, "audit", "search", "--action", "login", "-n", "2");
	assert.ok(entries.some(({ code }) => code === "user_removed"), JSON.stringify(entries));
	people.bob = await byDevice("1002");
	assert.ok(shows(await read(own()), "globex"));
});

test("an administrator sees the claims that are kept", async () => {
	const { claims } = await carrel(dir, "user", "list");
	assert.deepEqual(claims.bob, { tenant: "globex", db_role: "identity_us" });
	const text = execFileSync(join(bin, "carrel"), ["--project-dir", dir, "user", "list"], { encoding: "utf8" });
	assert.match(text, /bob.*tenant=globex db_role=identity_us/);
});

test("an issuer asserts no claims beyond those of its list", { timeout: 60000 }, async () => {
	assert.ok(shows(await call(people.fay, ...sql("pg", "SELECT customer FROM orders")), "acme"));
	const file = join(dir, "carrel.yaml"), before = readFileSync(file, "utf8");
	writeFileSync(file, before.replace(`audience: "${AUDIENCE}", roles`, `audience: "${AUDIENCE}", claims: [db_role, other], roles`)
		.replace("    scopes: openid profile groups company\n", "$&    claims: [tenant]\n"));
	await carrel(dir, "mcp", "reload");
	let refused; // by the front that takes over
	for (let tries = 0; tries < 100 && !(refused = await call(people.fay, ...sql("pg", "SELECT customer FROM orders"))).isError; tries++) await sleep(100);
	assert.ok(refused.isError && /tenant/.test(JSON.stringify(refused)) && !shows(refused, "acme"), JSON.stringify(refused));
	await byBrowser("1002");
	assert.deepEqual((await carrel(dir, "user", "list")).claims.bob, { tenant: "globex" });
	writeFileSync(file, before);
	await carrel(dir, "mcp", "reload");
	await byBrowser("1002");
	assert.deepEqual((await carrel(dir, "user", "list")).claims.bob, { tenant: "globex", db_role: "identity_us" });
});
