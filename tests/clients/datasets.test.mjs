// datasets - real tables that are published, on SQLite and PostgreSQL: every operation by REST and by an official
// client over MCP, with the same answer and the same error, and what is published or not from one call to the next.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { carrel, clients, postgresProject, sqliteProject, startDaemon } from "./support.mjs";

const kind = clients.find((k) => k.name === "2.x auto");
const NOWHERE = "00000000-0000-4000-8000-000000000000";
const inSql = (id) => `dataset_${id.replaceAll("-", "_")}`;
const VECTORS = "embeddings: { vectors: words.vec }\n";
const LIMITS = "connectivity: { sql_per_min: 100000, requests_per_min: 100000, global_per_min: 100000 }\n";

// What is asked of any dataset: the operation, and what comes of it.
const cases = (id, other, secret) => [
	["carrel_list_datasets", {}, null],
	["carrel_get_schema", { dataset_id: id }, null],
	["carrel_get_schema", { dataset_id: NOWHERE }, "dataset_not_found"],
	["carrel_sql", { sql: `SELECT count(*) AS n FROM ${inSql(id)}` }, null],
	["carrel_sql", { sql: `SELECT count(*) AS n FROM "dataset_${id}" AS d` }, null],
	["carrel_sql", { sql: `SELECT count(*) AS n FROM ${inSql(id)}`, dataset_id: id }, null],
	["carrel_sql", { sql: `SELECT count(*) FROM ${inSql(id)} a JOIN ${inSql(other)} b ON a.id = b.id` }, null],
	["carrel_sql", { sql: `WITH x AS (SELECT id FROM ${inSql(id)} ORDER BY id LIMIT 3) SELECT * FROM x ORDER BY id` }, null],
	["carrel_sql", { sql: "SELECT 1 AS one, 'ä' AS text, NULL AS empty" }, null],
	["carrel_sql", { sql: `SELECT count(*) FROM ${inSql(other)}`, dataset_id: id }, "dataset_not_found"],
	["carrel_sql", { sql: `SELECT * FROM ${inSql(NOWHERE)}` }, "dataset_not_found"],
	["carrel_sql", { sql: "SELECT 1", dataset_id: NOWHERE }, "dataset_not_found"],
	["carrel_sql", { sql: `SELECT * FROM ${secret}` }, "table_not_found"],
	["carrel_sql", { sql: `SELECT * FROM ${inSql(id)} WHERE id IN (SELECT id FROM ${secret})` }, "table_not_found"],
	["carrel_sql", { sql: `SELECT there_is_none FROM ${inSql(id)}` }, "invalid_sql"],
	["carrel_sql", { sql: "SELECT FROM WHERE" }, "invalid_sql"],
	["carrel_sql", { sql: `DELETE FROM ${inSql(id)}` }, "forbidden_sql"],
	["carrel_sql", { sql: `SELECT 1; SELECT 2` }, "forbidden_sql"],
	["carrel_sql", { sql: `SELECT '${"x".repeat(4096)}'` }, "sql_too_long"],
	["carrel_sql", { sql: "" }, "invalid_arguments"],
	["carrel_sql", { sql: "SELECT 1", limit: 3 }, "invalid_arguments"],
	["carrel_sql", {}, "invalid_arguments"],
	["carrel_search", { query: "how are parcels returned?" }, null],
	["carrel_search", { query: "how are parcels returned?", dataset_id: id, top_k: 1 }, null],
	["carrel_search", { query: "nothing", dataset_id: other, top_k: 20 }, null],
	["carrel_search", { query: "parcels", dataset_id: NOWHERE }, "dataset_not_found"],
	["carrel_search", { query: "parcels", top_k: 0 }, "invalid_arguments"],
	["carrel_search", { query: "parcels", top_k: 21 }, "invalid_arguments"],
	["carrel_search", { query: "" }, "invalid_arguments"],
	["carrel_search", { query: "x".repeat(1001) }, "invalid_arguments"],
	["carrel_search", {}, "invalid_arguments"],
];

const RETURNS = ["Parcels are returned within thirty days, at our expense.", "Refunds are paid on the card that was used."];

// A document of a dataset, as `carrel dataset document` leaves it.
function writeDocument(project, id, source, texts) {
	const dir = join(project.dir, ".carrel", "documents", id);
	const name = createHash("sha256").update(source).digest("hex").slice(0, 16) + ".jsonl";
	mkdirSync(dir, { recursive: true, mode: 0o700 });
	const lines = [{ carrel_document: 1, source_file: source, pages: texts.length, chunks: texts.length, added_at: "2026-01-31T12:00:00Z" },
		...texts.map((text, n) => ({ chunk_index: n, page: n + 1, text }))];
	writeFileSync(join(dir, `.tmp-${name}`), lines.map((l) => JSON.stringify(l) + "\n").join(""));
	renameSync(join(dir, `.tmp-${name}`), join(dir, name));
}

// What differs from call to call.
const steady = (object) => ({ ...object, request_id: undefined, execution_ms: undefined });

async function overRest(api, secret, tool, args) {
	const init = { headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" } };
	const path = tool === "carrel_list_datasets" ? "datasets" :
		tool === "carrel_get_schema" ? `datasets/${encodeURIComponent(args.dataset_id)}/schema` : tool === "carrel_search" ? "search" : "sql";
	if (path === "sql" || path === "search") Object.assign(init, { method: "POST", body: JSON.stringify(args) });
	const answer = await fetch(`${api}/${path}`, init);
	return { status: answer.status, body: await answer.json() };
}

for (const { name, make, tables, hidden } of [
	{ name: "SQLite", make: sqliteProject, tables: ["orders", "customers"], hidden: "products" },
	{ name: "PostgreSQL", make: postgresProject, tables: ["orders", "customers"], hidden: "public.orders" },
]) {
	let project, daemon, api, secret, client, mcp;
	const ids = [];

	before(async () => {
		project = make();
		appendFileSync(join(project.dir, "carrel.yaml"), LIMITS + VECTORS);
		writeFileSync(join(project.dir, "words.vec"), "car 1 0.1 0\nautomobile 0.9 0 0.1\nbanana 0 1 0\nwinter 0 0 1\n");
		await carrel(project.dir, "scan");
		for (const table of tables)
			ids.push((await carrel(project.dir, "dataset", "publish", "warehouse", table)).dataset.id);
		writeDocument(project, ids[0], "returns.pdf", RETURNS);
		writeDocument(project, ids[0], "cars.md", ["The automobile is parked behind the house."]);
		daemon = await startDaemon(project.dir);
		api = daemon.url.replace(/\/mcp$/, "/api/v1/ext");
		await carrel(project.dir, "connectivity", "enable");
		({ secret } = await carrel(project.dir, "token", "create", "--label", "datasets"));
		const made = kind.make();
		({ client, call: mcp } = made);
		await client.connect(new kind.Http(new URL(daemon.url), { requestInit: { headers: { Authorization: `Bearer ${secret}` } } }));
	}, { timeout: 180000 });
	after(async () => {
		await client?.close();
		await daemon?.stop();
		project?.drop();
	}, { timeout: 60000 });

	test(`${name}: REST and MCP answer alike`, { timeout: 180000 }, async () => {
		// Numbers of rows and columns come when the database has said them.
		for (const end = Date.now() + 60000; Date.now() < end;)
			if ((await mcp("carrel_list_datasets", {})).structuredContent.datasets.every((d) => d.row_count !== null && d.column_count !== null))
				break;
		for (const [tool, args, code] of cases(...ids, hidden)) {
			const said = await mcp(tool, args);
			const { status, body } = await overRest(api, secret, tool, args);
			assert.deepEqual(steady(body), steady(said.structuredContent), JSON.stringify(args));
			assert.equal(body.error?.code ?? null, code, `${JSON.stringify(args)}: ${JSON.stringify(body)}`);
			assert.equal(status === 200, code === null);
			assert.equal(said.isError ?? false, code !== null);
		}
	});

	// Where each request comes to one of several nodes, what one is given is known to the others a little later.
	const finds = async (query, check) => {
		for (let tries = process.env.CARREL_SCATTERED ? 60 : 0; ; tries--)
			try {
				return check((await mcp("carrel_search", query)).structuredContent);
			} catch (error) {
				if (tries === 0) throw error;
				await new Promise((done) => setTimeout(done, 500));
			}
	};

	test(`${name}: text is found with what to cite`, { timeout: 120000 }, async () => {
		const found = (await mcp("carrel_search", { query: "returned parcel" })).structuredContent;
		assert.deepEqual(found.matches[0], { id: `${ids[0]}/returns.pdf/0`, score: 1, text: RETURNS[0], metadata:
			{ source_file: "returns.pdf", dataset_id: ids[0], dataset_name: "orders", page: 1, chunk_index: 0 } });
		assert.equal(found.count, 1);
		assert.equal(found.truncated, false);
		// What comes while it is served is found by the next call; what is not published is not.
		writeDocument(project, ids[1], "notes.md", ["Customers may return parcels at any shop."]);
		await finds({ query: "returned parcel" }, (found) => assert.equal(found.count, 2));
		await finds({ query: "parcel", dataset_id: ids[1] }, (found) => assert.equal(found.matches[0].metadata.source_file, "notes.md"));
		await carrel(project.dir, "dataset", "unpublish", ids[1]);
		await finds({ query: "returned parcel" }, (found) => assert.equal(found.count, 1));
		assert.equal((await carrel(project.dir, "dataset", "publish", "warehouse", tables[1])).dataset.id, ids[1]);
		await finds({ query: "returned parcel" }, (found) => assert.equal(found.count, 2));
	});

	test(`${name}: word vectors find what is said in other words`, { timeout: 60000 }, async () => {
		const { datasets } = (await mcp("carrel_list_datasets", {})).structuredContent;
		assert.deepEqual(ids.map((id) => datasets.find((d) => d.id === id).has_vectors), [true, false]);
		const [first] = (await mcp("carrel_search", { query: "car" })).structuredContent.matches;
		assert.equal(first.metadata.source_file, "cars.md");
		assert.ok(first.score > 0.3 && first.score <= 1);
	});

	test(`${name}: the texts of a column are found with the row that SQL goes on with`, { timeout: 120000 }, async () => {
		const publish = async (table) => (await carrel(project.dir, "dataset", "publish", "warehouse", table)).dataset.id;
		const rates = await publish("fx_rates"), web = await publish("web_sessions"), view = await publish("v_order_revenue");
		const rows = async (id) => (await mcp("carrel_sql", { sql: `SELECT count(*) FROM ${inSql(id)}` })).structuredContent.rows[0][0];
		// A key of two columns, a table of several pages, and none.
		const [channels] = (await carrel(project.dir, "dataset", "document", view, "--column", "channel")).documents;
		assert.deepEqual([channels.chunks, channels.skipped], [await rows(view), null]);
		const [currency] = (await carrel(project.dir, "dataset", "document", rates, "--column", "currency")).documents;
		const [paths] = (await carrel(project.dir, "dataset", "document", web, "--column", "landing_path")).documents;
		assert.deepEqual([currency.chunks, paths.chunks], [await rows(rates), await rows(web)]);
		// The index takes them up by itself.
		let found;
		for (const end = Date.now() + 60000; found === undefined && Date.now() < end;)
			[found] = (await mcp("carrel_search", { query: "USD", dataset_id: rates })).structuredContent.matches;
		const { month, currency: of } = found.metadata.row;
		assert.deepEqual([found.text, found.metadata.source_file, found.metadata.column, of], ["USD", "column:currency", "currency", "USD"]);
		const sql = `SELECT count(*) FROM ${inSql(rates)} WHERE month = '${month}' AND currency = '${of}'`;
		assert.deepEqual((await mcp("carrel_sql", { sql })).structuredContent.rows, [[1]]);
		for (const id of [rates, web, view])
			await carrel(project.dir, "dataset", "remove", id);
	});

	test(`${name}: what is published counts from the next call on`, { timeout: 120000 }, async () => {
		const sql = `SELECT count(*) AS n FROM ${inSql(ids[1])}`;
		const before = (await mcp("carrel_sql", { sql })).structuredContent.rows;
		await carrel(project.dir, "dataset", "unpublish", ids[1]);
		assert.equal((await mcp("carrel_sql", { sql })).structuredContent.error.code, "dataset_not_found");
		assert.equal((await overRest(api, secret, "carrel_sql", { sql })).status, 404);
		assert.equal((await carrel(project.dir, "dataset", "publish", "warehouse", tables[1])).dataset.id, ids[1]);
		assert.deepEqual((await mcp("carrel_sql", { sql })).structuredContent.rows, before);
	});
}
