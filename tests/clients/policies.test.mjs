// policies - one forbidden thing by every way in: each official client over each transport, the command line, and a
// person whose client may only ask (OAuth), on SQLite and PostgreSQL. A row says what is forbidden; whatever comes back
// may not hold the figure or the value, and its neighbours that are allowed are answered.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

import { bin, carrel, carrelWith, clients, MODERN, postgresProject, sqliteProject, startDaemon, transportsOf, withClient } from "./support.mjs";

const run = promisify(execFile);
const at = { connectionId: "warehouse" };
const sl = (measure, more = {}) => ["sl_query", { ...at, measures: [measure], ...more }];
const ask = (question) => ["ask_question", { question }];
const sql = (text) => ["sql_execution", { ...at, sql: text }];

// The configuration of the connection, the figures that it keeps back (each a statement that the owner runs before), what
// must be refused, and what must go on.
const policies = [{
	name: "query_policy: semantic-layer-only",
	config: { query_policy: "semantic-layer-only" },
	secrets: ["SELECT max(list_price_ct) FROM products", "SELECT min(list_price_ct) FROM products"],
	refused: [
		sl("max(products.list_price_ct)"), sl("min(products.list_price_ct)"),
		sl({ expr: "max(products.list_price_ct)", name: "highest" }),
		sl("orders.order_count", { filters: ["orders.id IN (SELECT id FROM orders)"] }),
		sql("SELECT max(list_price_ct) FROM products"),
		ask("highest list price of products"), ask("lowest list price of products"),
		ask("highest list price per category"), ask("average list price of products"),
		ask("[Proceed] highest list price of products"),
	],
	allowed: [sl("orders.order_count"), sl({ expr: "max(orders.ordered_at)", name: "latest" }), ask("order count by channel")],
}, {
	name: "columns: hide and mask",
	config: { columns: { hide: ["customers.email"], mask: ["customers.full_name"] } },
	secrets: ["SELECT email FROM customers WHERE email IS NOT NULL ORDER BY id LIMIT 1",
		"SELECT max(email) FROM customers", "SELECT max(full_name) FROM customers"],
	refused: [
		sql("SELECT email FROM customers LIMIT 5"), sql("SELECT max(email) FROM customers"),
		sql("SELECT * FROM (SELECT c.* FROM customers c) x ORDER BY 1 LIMIT 3"),
		sl("orders.order_count", { dimensions: ["customers.email"] }), sl("max(customers.email)"),
		sl("orders.order_count", { filters: ["customers.email LIKE 'a%'"] }),
		ask("emails of customers"), ask("orders by email in 2025"), ask("how many customers per email"),
		ask("full names of customers"), ask("how many customers per full name"), ask("latest email of customers"),
		sql("SELECT full_name FROM customers ORDER BY full_name DESC LIMIT 3"),
		["entity_details", { ...at, entities: [{ table: { name: "customers" }, columns: ["email"] }] }],
		["discover_data", { query: "customer email", limit: 20 }],
	],
	allowed: [sql("SELECT count(*) FROM customers"), sl("orders.order_count", { dimensions: ["customers.segment"] }),
		ask("order count by channel")],
}];

// The demo's models are those of its SQLite project; PostgreSQL has the scan of the same tables, and this measure.
const ORDERS = `name: orders
measures:
  - {name: order_count, expr: count(*)}
`;
const postgres = () => {
	const made = postgresProject("policies");
	writeFileSync(join(made.dir, "semantic-layer/warehouse/orders.yaml"), ORDERS);
	return made;
};
const engines = [["SQLite", sqliteProject], ["PostgreSQL", postgres]];

// The key below the connection's driver, in block or flow style as the file has it.
function configure(dir, config) {
	const path = join(dir, "carrel.yaml"), text = readFileSync(path, "utf8");
	const lines = Object.entries(config).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
	const block = text.replace(/^( +)driver: (\w+)$/m, (all, pad) => [all, ...lines.map((line) => pad + line)].join("\n"));
	const changed = block !== text ? block : text.replace(/driver: \w+/, (all) => `${all}, ${lines.join(", ")}`);

	assert.notEqual(changed, text, "carrel.yaml names a driver");
	writeFileSync(path, changed);
}

// A figure is kept back as digits, however they are grouped; a text as it is.
const shows = (said, secret) => said.replaceAll(/(?<=\d)[,.\u202f\u00a0 ](?=\d{3})/g, "").includes(String(secret));

const words = { sl_query: (a) => ["sl", "query", "-c", a.connectionId,
	"-m", typeof a.measures[0] === "string" ? a.measures[0] : `${a.measures[0].name}=${a.measures[0].expr}`,
	...(a.dimensions ?? []).flatMap((d) => ["-d", d]), ...(a.filters ?? []).flatMap((f) => ["-w", f])],
ask_question: (a) => ["ask", a.question], sql_execution: (a) => ["sql", "-c", a.connectionId, a.sql],
entity_details: (a) => ["details", a.entities[0].table.name], discover_data: (a) => ["discover", a.query] };

// All that the command line says, whatever its exit code.
async function shell(dir, [tool, args]) {
	const { stdout, stderr } = await run(join(bin, "carrel"), ["--project-dir", dir, "--json", ...words[tool](args)],
		{ maxBuffer: 64 << 20 }).catch((failed) => failed);
	return stdout + stderr;
}

const called = async (session, [tool, args]) => JSON.stringify(await session.call(tool, args).catch((error) => ({
	message: error.message, data: error.data })));

// Every way in, as a function from a call to all that came back.
async function everyWay(dir, place, body) {
	for (const kind of clients)
		for (const transport of transportsOf(kind))
			await withClient(kind, transport, place, (session) => body(`${kind.name} ${transport}`, (call) => called(session, call)));
	await body("command line", (call) => shell(dir, call));
}

// --- a person whose client may ask, and no more -----------------------------------------------------------

const ASKING = "data_agent:read data_agent:write ontologies:read";
const PASSWORD = "four odd words of mine";

// Calls a method with the token of a grant of these scopes alone; what came back, as text.
async function asker(url) {
	process.env.ORIGIN = new URL(url).origin;
	const oauth = await import(`../integration/cli/oauth.mjs?${process.env.ORIGIN}`);
	const browser = new oauth.Browser(), client = await oauth.register(), verifier = oauth.draw();
	await browser.signIn("ada", PASSWORD);
	const code = await oauth.code(browser, client, verifier, { scope: ASKING });
	const { access_token, scope } = await oauth.redeem(client, code, verifier);
	assert.equal(scope.split(" ").sort().join(" "), ASKING);
	return async (method, params = {}) => {
		const named = params.uri ?? params.name;
		const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: {
			"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {} } } });
		const response = await fetch(url, { method: "POST", body, headers: { Authorization: `Bearer ${access_token}`,
			"Content-Type": "application/json", Accept: "application/json, text/event-stream",
			"MCP-Protocol-Version": MODERN, "Mcp-Method": method, ...(named === undefined ? {} : { "Mcp-Name": named }) } });
		const text = await response.text();
		return /^data: (\{.*"(?:result|error)".*)$/m.exec(text)?.[1] ?? text;
	};
}

// All that there is to read without a question: lists, resources, what completes their names; and the tools of workers.
async function readings(say) {
	const said = [];
	for (const list of ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]) said.push(await say(list));
	for (const { uri } of JSON.parse(said[2]).result.resources) said.push(await say("resources/read", { uri }));
	for (const { uriTemplate: uri } of JSON.parse(said[3]).result.resourceTemplates)
		for (const [, name] of uri.matchAll(/\{(\w+)\}/g))
			said.push(await say("completion/complete", { ref: { type: "ref/resource", uri }, argument: { name, value: "" } }));
	for (const name of ["ask_query", "ask_values", "ask_model", "ask_execution"])
		said.push(await say("tools/call", { name, arguments: { ...at, measures: ["count(*)"], words: ["a"] } }));
	return said;
}

for (const [engine, project] of engines)
	for (const policy of policies)
		test(`${policy.name} on ${engine} holds by every way in`, async (t) => {
			const { dir, drop } = project();
			let daemon;
			t.after(async () => {
				await daemon?.stop();
				drop();
			});
			const secrets = [];
			for (const statement of policy.secrets)
				secrets.push((await carrel(dir, "sql", "-c", "warehouse", statement)).rows[0][0]);
			configure(dir, policy.config);
			appendFileSync(join(dir, "carrel.yaml"), "\noauth: { enabled: true }\nlimits: { ask_per_min: 1000, resources_per_min: 1000 }\n");
			carrelWith(dir, `${PASSWORD}\n`, "user", "add", "ada", "--role", "contributor", "--password-stdin");
			daemon = await startDaemon(dir);
			const holds = (way, what, said) => {
				for (const secret of secrets)
					assert.ok(!shows(said, secret), `${way}: ${what} shows ${secret}: ${said.slice(0, 600)}`);
			};

			await everyWay(dir, { url: daemon.url, dir }, async (way, say) => {
				for (const call of policy.refused) holds(way, JSON.stringify(call), await say(call));
				for (const call of policy.allowed) {
					const said = await say(call);
					assert.match(said, /"rows":|"status":"clarification"/, `${way}: ${JSON.stringify(call)} is answered: ${said.slice(0, 600)}`);
				}
			});

			const say = await asker(daemon.url), call = ([name, args]) => say("tools/call", { name, arguments: args });
			for (const said of await readings(say)) holds("asker", "a reading", said);
			for (const row of policy.refused) holds("asker", JSON.stringify(row), await call(row));
			for (const row of policy.allowed) {
				const said = await call(row);
				assert.match(said, row[0] === "ask_question" ? /"rows":|"status":"clarification"/ : /"error":/,
					`asker: ${JSON.stringify(row)}: ${said.slice(0, 600)}`);
			}
		});
