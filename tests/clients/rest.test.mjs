// rest - the interface at /api/v1/ext: its OpenAPI document before a public validator, a client generated from it
// through every operation, and every operation beside the same call over MCP.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { createConfig, lintFromString } from "@redocly/openapi-core";
import Ajv from "ajv/dist/2020.js";
import { OpenAPIClientAxios } from "openapi-client-axios";

import { carrel, clients, serveFixture } from "./support.mjs";

const ID = "5f3b6c1e-8a54-4f0b-9a52-0d9e4b7c2f11";
let fixture, api, document, secret, poor;

before(async () => {
	fixture = await serveFixture({
		config: "connectivity:\n  requests_per_min: 100000\n  sql_per_min: 100000\n  global_per_min: 100000\n",
		prepare: async (dir) => {
			await carrel(dir, "connectivity", "enable");
			({ secret } = await carrel(dir, "token", "create", "--label", "rest"));
			({ secret: poor } = await carrel(dir, "token", "create", "--label", "poor", "--scopes", "research:read"));
		},
	});
	api = fixture.url.replace(/\/mcp$/, "/api/v1/ext");
	document = await (await fetch(`${api}/openapi.json`)).json();
}, { timeout: 180000 });
after(async () => {
	fixture?.server.kill("SIGTERM");
	await fixture?.ended;
});

const bearer = (token) => ({ Authorization: `Bearer ${token}` });
const operations = () => Object.entries(document.paths).flatMap(([path, item]) => Object.entries(item).map(([method, operation]) => ({ path, method, operation })));

const generated = async (token) => {
	const client = await new OpenAPIClientAxios({
		definition: document, axiosConfigDefaults: { headers: token ? bearer(token) : {}, validateStatus: () => true },
	}).getClient();
	return (id, parameters, body) => client[id](parameters, body);
};

// A schema of the document, with those it refers to.
const ajv = new Ajv({ strict: false, validateFormats: false });
function fits(schema, value) {
	const check = ajv.compile({ ...schema, components: document.components });
	assert.ok(check(value), `${JSON.stringify(check.errors)} in ${JSON.stringify(value)}`);
}

test("the document passes the validator, examples and all, without a warning", async () => {
	const config = await createConfig({ extends: ["recommended-strict"] });
	const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: "/openapi.json", config });
	assert.deepEqual(problems.map((p) => `${p.ruleId}: ${p.message} ${p.location[0]?.pointer}`), []);
});

test("the document is what importers of actions take", () => {
	assert.match(document.openapi, /^3\.1\./);
	assert.deepEqual(document.servers.map((s) => s.url), [api.replace("localhost", "127.0.0.1")]);
	const ids = operations().map(({ operation }) => operation.operationId);
	assert.deepEqual(ids, ["listDatasets", "getSchema", "searchText", "runSql", "getHealth"]);
	for (const { operation, path } of operations()) {
		assert.ok(operation.description.length < 300, `${path}: ${operation.description.length}`);
		assert.ok(operation.summary.length < 300);
	}
	// They refuse an object without properties, wherever it stands.
	const look = (node, where) => {
		if (node === null || typeof node !== "object") return;
		if (node.type === "object") assert.ok(node.properties, `${where} has no properties`);
		for (const [key, value] of Object.entries(node)) if (key !== "example") look(value, `${where}/${key}`);
	};
	look(document.components.schemas, "#");
	assert.ok(!JSON.stringify(document).includes(ID.slice(0, 9) + "x"));
});

const CALLS = [
	{ id: "listDatasets", tool: "carrel_list_datasets", args: {} },
	{ id: "getSchema", tool: "carrel_get_schema", args: { dataset_id: ID } },
	{ id: "searchText", tool: "carrel_search", args: { query: "rain", top_k: 3, dataset_id: ID } },
	{ id: "runSql", tool: "carrel_sql", args: { sql: "SELECT 1" } },
];
const WRONG = [
	{ id: "getSchema", tool: "carrel_get_schema", args: { dataset_id: "nothing/else %" }, status: 404 },
	{ id: "getSchema", tool: "carrel_get_schema", args: { dataset_id: "x".repeat(65) }, status: 400 },
	{ id: "searchText", tool: "carrel_search", args: { query: "rain", top_k: 0 }, status: 400 },
	{ id: "searchText", tool: "carrel_search", args: { query: "x".repeat(1001) }, status: 400 },
	{ id: "searchText", tool: "carrel_search", args: {}, status: 400 },
	{ id: "runSql", tool: "carrel_sql", args: { sql: "SELECT 1", limit: 3 }, status: 400 },
	{ id: "runSql", tool: "carrel_sql", args: { sql: "SELECT 1", dataset_id: "nothing" }, status: 404 },
	...[["forbidden_sql", 400], ["invalid_sql", 400], ["sql_too_long", 400], ["table_not_found", 404], ["query_timeout", 408],
		["result_too_large", 413], ["database_error", 502], ["database_unavailable", 503], ["internal_error", 500]]
		.map(([code, status]) => ({ id: "runSql", tool: "carrel_sql", args: { sql: `fail ${code}` }, status, code })),
];

// The path's argument is a parameter of the generated client, the others are its body.
const parts = ({ id, args }) => id === "getSchema" ? [args] : [null, id === "listDatasets" ? undefined : args];

test("a generated client goes through every operation", { timeout: 120000 }, async () => {
	const call = await generated(secret);
	for (const each of [...CALLS, { id: "getHealth", args: {} }]) {
		const { operation } = operations().find((o) => o.operation.operationId === each.id);
		const { status, data, headers } = await call(each.id, ...parts(each));
		assert.equal(status, 200, JSON.stringify(data));
		fits(operation.responses[200].content["application/json"].schema, data);
		assert.match(headers["carrel-receipt"], /^r-[0-9a-f]{8}-[0-9a-f]+$/);
		assert.equal("ratelimit" in headers, each.id !== "getHealth");
	}
});

test("what goes wrong is in the document, too", { timeout: 120000 }, async () => {
	const schema = { $ref: "#/components/schemas/Error" };
	const cases = [...WRONG.map((w) => ({ ...w, token: secret })), { id: "listDatasets", args: {}, status: 401 },
		{ id: "listDatasets", args: {}, status: 401, token: secret.slice(0, -1) }, { id: "runSql", args: { sql: "x" }, status: 403, token: poor }];
	for (const each of cases) {
		const call = await generated(each.token);
		const { status, data, headers } = await call(each.id, ...parts(each));
		assert.equal(status, each.status, `${JSON.stringify(each)}: ${JSON.stringify(data)}`);
		fits(schema, data);
		assert.equal(data.request_id, headers["carrel-receipt"]);
		const { operation } = operations().find((o) => o.operation.operationId === each.id);
		assert.ok(String(status) in operation.responses, `${each.id} does not tell of ${status}`);
		if (each.code) assert.equal(data.error.code, each.code);
	}
});

// Every operation, over MCP with both generations of clients: the same object, or the same error.
const plain = (object) => ({ ...object, request_id: undefined });
for (const kind of clients.filter((k) => ["1.x", "2.x auto"].includes(k.name)))
	test(`REST answers as ${kind.name} is answered over MCP`, { timeout: 300000 }, async () => {
		const call = await generated(secret);
		const { client, call: mcp } = kind.make();
		await client.connect(new kind.Http(new URL(fixture.url), { requestInit: { headers: bearer(secret) } }));
		try {
			const names = (await client.listTools()).tools.map((t) => t.name);
			for (const { tool } of CALLS) assert.ok(names.includes(tool));
			for (const each of [...CALLS, ...WRONG]) {
				const said = await mcp(each.tool, each.args);
				const { status, data } = await call(each.id, ...parts(each));
				assert.equal(said.isError ?? false, status !== 200);
				assert.deepEqual(plain(data), plain(said.structuredContent));
			}
		} finally {
			await client.close();
		}
	});

test("nothing but health is there while connectivity is off", { timeout: 60000 }, async () => {
	const other = await serveFixture();
	const off = other.url.replace(/\/mcp$/, "/api/v1/ext");
	try {
		for (const path of ["datasets", `datasets/${ID}/schema`, "openapi.json", "nothing"])
			for (const headers of [{}, bearer(secret)]) {
				const answer = await fetch(`${off}/${path}`, { headers });
				assert.equal(answer.status, 503);
				assert.equal((await answer.json()).error.code, "service_unavailable");
			}
		assert.deepEqual(Object.keys(await (await fetch(`${off}/health`)).json()), ["status", "connectivity_enabled", "version"]);
	} finally {
		other.server.kill("SIGTERM");
		await other.ended;
	}
});
