// duckdb.mjs - for duckdb.sh: the same statements by Carrel and by DuckDB's Node client, in turns.
// usage: duckdb.mjs URL FILE PEERS PAIRS
import { createRequire } from "node:module";

const [url, file, peers, pairs] = process.argv.slice(2);
const meta = {
	"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
};
const statements = {
	"1,000 groups": "SELECT g, count(*) AS n, sum(amount) AS amount FROM t GROUP BY g ORDER BY g",
	"97 groups by text": "SELECT city, count(*) AS n, avg(amount)::DECIMAL(10,2) AS a FROM t WHERE amount > 100 GROUP BY city ORDER BY city",
	"distinct": "SELECT count(DISTINCT amount) AS n FROM t",
};

async function carrel(sql) {
	const answer = await fetch(url, {
		method: "POST",
		headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream",
			"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "sql_execution" },
		body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: {
			name: "sql_execution", arguments: { connectionId: "t", sql, maxRows: 1000 }, _meta: meta } }),
	});
	const result = (await answer.json()).result;
	if (result.isError) throw new Error(JSON.stringify(result));
	return result.structuredContent.rows;
}

async function client() {
	try {
		const { DuckDBInstance } = createRequire(`${peers}/node_modules/`)("@duckdb/node-api");
		const instance = await DuckDBInstance.create(file, { access_mode: "READ_ONLY", threads: "1" });
		const connection = await instance.connect();
		return async (sql) => (await connection.runAndReadAll(sql)).getRowsJson();
	} catch {
		return null;
	}
}

async function timed(run, sql) {
	const from = process.hrtime.bigint();
	const rows = await run(sql);
	return [Number(process.hrtime.bigint() - from) / 1e6, rows];
}

// Numbers that one says as text, with the same value.
const plain = (rows) => JSON.stringify(rows.map((r) => r.map((v) => Number.isNaN(Number(v)) ? v : Number(v))));
const middle = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];
const theirs = await client();
for (const [name, sql] of Object.entries(statements)) {
	const ours = [], others = [], ratios = [];
	for (let i = 0; i < Number(pairs); i++) {
		const [ms, rows] = await timed(carrel, sql);
		ours.push(ms);
		if (theirs === null) continue;
		const [other, same] = await timed(theirs, sql);
		if (plain(rows) !== plain(same))
			throw new Error(`${name}: other rows`);
		others.push(other);
		ratios.push(ms / other);
	}
	const compared = theirs === null ? "DuckDB's Node client is not installed" :
		`DuckDB's Node client ${middle(others).toFixed(0)} ms, ${middle(ratios).toFixed(2)} of it`;
	console.log(`duckdb: ${name}: carrel ${middle(ours).toFixed(0)} ms; ${compared}`);
}
