// scattered - the official clients' suite (research.mjs) at three nodes with one store: each request of it goes to one of
// them, drawn at random.  Notes are kept through whichever node, and asked for at another.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { research } from "./research.mjs";
import { bin, pg, sqliteProject } from "./support.mjs";

const NAMES = ["north", "south", "west"], work = mkdtempSync(join(tmpdir(), "carrel-scattered-"));
const psql = (...args) => execFileSync(pg, ["psql", process.env.PG_DIR, ...args], { encoding: "utf8" }).trim();
let project, env, url, balancer, seed = Number(process.env.SOAK_SEED ?? 1) >>> 0;
const asked = NAMES.map(() => 0), ports = [];
const random = (n) => {
	seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
	return Math.floor(seed / 2 ** 32 * n);
};
const carrel = (name, ...args) => JSON.parse(execFileSync(join(bin, "carrel"), ["-C", join(work, name), ...args, "--json"], { encoding: "utf8", env }) || "null");

before(async () => {
	psql("-c", "CREATE ROLE carrel LOGIN PASSWORD 'topsecret'", "-c", "CREATE DATABASE carrel OWNER carrel");
	env = { ...process.env, CARREL_STATE_URL: execFileSync(pg, ["dsn", process.env.PG_DIR, "carrel", "topsecret", "carrel"], { encoding: "utf8" }).trim() };
	project = sqliteProject();
	for (const name of NAMES) {
		cpSync(name === "north" ? project.dir : join(work, "north"), join(work, name), { recursive: true });
		if (name === "north") appendFileSync(join(work, name, "carrel.yaml"), "state: env:CARREL_STATE_URL\n");
	}
	for (const name of NAMES) {
		appendFileSync(join(work, name, "carrel.yaml"), `node: { name: ${name} }\nlimits: { export_rows: 1000 }\n`);
		ports.push(Number(new URL(carrel(name, "mcp", "start", "--port", "0").url).port));
	}
	balancer = http.createServer((request, response) => {
		const i = random(3);
		asked[i]++;
		const onward = http.request({ host: "127.0.0.1", port: ports[i], method: request.method, path: request.url,
			headers: { ...request.headers, host: `127.0.0.1:${ports[i]}` } }, (answer) => {
			response.writeHead(answer.statusCode, answer.headers);
			response.flushHeaders();
			answer.pipe(response);
		});
		onward.on("error", () => response.destroy());
		response.on("close", () => onward.destroy());
		request.pipe(onward);
	});
	await new Promise((done) => balancer.listen(0, "127.0.0.1", done));
	url = `http://127.0.0.1:${balancer.address().port}/mcp`;
});
after(() => {
	balancer?.closeAllConnections();
	balancer?.close();
	for (const name of NAMES) try { carrel(name, "mcp", "stop"); } catch { /* it did not start */ }
	project?.drop();
	rmSync(work, { recursive: true, force: true });
});

research("three nodes", () => ({ url, dir: join(work, "north") }),
	{
		slow: "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 2000000) SELECT count(*) FROM c",
		endless: "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c",
		semantic: true,
	}, { scattered: true });

test("all of them were asked, and every audit verifies", () => {
	assert.ok(asked.every((n) => n > 20), `asked: ${asked}`);
	for (const name of NAMES) carrel(name, "audit", "verify");
	assert.equal(psql("-d", "carrel", "-Atc", "SELECT count(*) FROM carrel.note WHERE state < 3"), "0");
	assert.ok(!/"level":"error"/.test(readFileSync(join(work, "north/.carrel/logs/mcp.log"), "utf8")));
});

// A link is sealed under the key that the nodes share: whichever made it, each of them opens it, and a file lies nowhere.
test("a link to a file opens at every node", async () => {
	const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28",
		"Mcp-Method": "tools/call", "Mcp-Name": "sql_execution" };
	const params = { name: "sql_execution", arguments: { connectionId: "warehouse", sql: "SELECT 7 AS seven" },
		_meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} } };
	for (const made of ports) {
		const answer = await fetch(`http://127.0.0.1:${made}/mcp`, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }) });
		const link = new URL((await answer.json()).result._meta["carrel/export"].url);
		for (const opened of ports) {
			const file = await fetch(`http://127.0.0.1:${opened}${link.pathname}`);
			assert.deepEqual([file.status, await file.text()], [200, "seven\r\n7\r\n"], `${made} at ${opened}`);
		}
	}
});
