// duckdb.mjs - for duckdb.sh: the same statements by Carrel, by DuckDB's Node client and by another MCP server, in turns.
// usage: duckdb.mjs URL DIRECTORY PEERS PAIRS   DIRECTORY holds t.duckdb (connection t) and t.parquet (connection p)
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { createRequire } from "node:module";

const [url, directory, peers, pairs] = process.argv.slice(2);
const meta = {
	"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
};
const statements = {
	"1,000 groups": "SELECT g, count(*) AS n, sum(amount) AS amount FROM t GROUP BY g ORDER BY g",
	"97 groups by text": "SELECT city, count(*) AS n, avg(amount)::DECIMAL(10,2) AS a FROM t WHERE amount > 100 GROUP BY city ORDER BY city",
	"distinct": "SELECT count(DISTINCT amount) AS n FROM t",
};
const parquet = (sql) => sql.replace("FROM t", `FROM '${directory}/t.parquet'`);

async function carrel(connectionId, sql) {
	const answer = await fetch(url, {
		method: "POST",
		headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream",
			"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "sql_execution" },
		body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: {
			name: "sql_execution", arguments: { connectionId, sql, maxRows: 1000 }, _meta: meta } }),
	});
	/* A call that takes long is answered by a stream, whose last event is the result. */
	const result = JSON.parse((await answer.text()).trim().split("\n").at(-1).replace(/^data: /, "")).result;
	if (result.isError) throw new Error(JSON.stringify(result));
	return result.structuredContent.rows;
}

// DuckDB's own client in this process.
async function client() {
	try {
		const { DuckDBInstance } = createRequire(`${peers}/node_modules/`)("@duckdb/node-api");
		const options = { access_mode: "READ_ONLY", threads: "1" };
		const instance = await DuckDBInstance.create(`${directory}/t.duckdb`, options);
		const connection = await instance.connect();
		const run = async (sql) => (await connection.runAndReadAll(sql)).getRowsJson();
		return { t: run, p: (sql) => run(parquet(sql)) };
	} catch {
		return null;
	}
}

// Another MCP server, over its standard input and output.
async function server() {
	const program = `${peers}/node_modules/@seed-ship/duckdb-mcp-native/dist/server/mcp-server.js`;
	if (!existsSync(program)) return null;
	const child = spawn(process.execPath, [program], { env: { ...process.env,
		DUCKDB_THREADS: "1", DUCKDB_PATH: ":memory:", MCP_SECURITY_MODE: "development" }, stdio: ["pipe", "pipe", "ignore"] });
	const waiting = new Map();
	createInterface({ input: child.stdout }).on("line", (line) => {
		try {
			const message = JSON.parse(line);
			waiting.get(message.id)?.(message);
		} catch { /* what it logs there */ }
	});
	let last = 0;
	const call = (method, params) => new Promise((done) => {
		waiting.set(++last, done);
		child.stdin.write(JSON.stringify({ jsonrpc: "2.0", id: last, method, params }) + "\n");
	});
	await call("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } });
	child.stdin.write(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }) + "\n");
	const run = async (sql) => {
		const answer = await call("tools/call", { name: "query_duckdb", arguments: { sql, limit: 1000 } });
		const text = answer.result?.content?.[0]?.text ?? "";
		if (answer.error || answer.result.isError) throw new Error(JSON.stringify(answer));
		const { data } = JSON.parse(text);
		return data.map((row) => Object.values(row));
	};
	return { p: (sql) => run(parquet(sql)), end: () => child.kill() };
}

async function timed(run, sql) {
	const from = process.hrtime.bigint();
	const rows = await run(sql);
	return [Number(process.hrtime.bigint() - from) / 1e6, rows];
}

// Numbers that one says as text, with the same value.
const plain = (rows) => JSON.stringify(rows.map((r) => r.map((v) => Number.isNaN(Number(v)) ? v : Number(v))));
const middle = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];

const others = { "DuckDB's Node client": await client(), "duckdb-mcp-native": await server() };
for (const [connection, what] of [["t", "table"], ["p", "Parquet"]]) {
	for (const [name, sql] of Object.entries(statements)) {
		const asked = Object.entries(others).filter(([, peer]) => peer?.[connection]);
		const ours = [], ratios = Object.fromEntries(asked.map(([peer]) => [peer, []]));
		for (let i = 0; i < Number(pairs); i++) {
			const [ms, rows] = await timed((text) => carrel(connection, text), sql);
			ours.push(ms);
			for (const [peer, runs] of asked) {
				const [other, same] = await timed(runs[connection], sql);
				if (plain(rows) !== plain(same)) throw new Error(`${name}: ${peer} has other rows`);
				ratios[peer].push(ms / other);
			}
		}
		const compared = asked.map(([peer]) => `${middle(ratios[peer]).toFixed(2)} of ${peer}`).join(", ");
		console.log(`duckdb: ${what}, ${name}: ${middle(ours).toFixed(0)} ms, ${compared || "no client is installed to compare with"}`);
	}
}
others["duckdb-mcp-native"]?.end();
