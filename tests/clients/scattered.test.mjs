// scattered - the official clients' suite (research.mjs) at three nodes with one store: each request of it goes to one of
// them, drawn at random.  Notes are kept through whichever node, and asked for at another.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { psql, startNodes } from "./nodes.mjs";
import { research } from "./research.mjs";
import { carrel, sqliteProject } from "./support.mjs";

let project, nodes;

before(async () => {
	project = sqliteProject();
	nodes = await startNodes(project.dir, "limits: { export_rows: 1000 }\n");
});
after(async () => {
	await nodes?.stop();
	project?.drop();
});

research("three nodes", () => ({ url: nodes.url, dir: project.dir }),
	{
		slow: "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 2000000) SELECT count(*) FROM c",
		endless: "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c",
		semantic: true,
	}, { scattered: true });

test("all of them were asked, and every audit verifies", async () => {
	assert.ok(nodes.asked.every((n) => n > 20), `asked: ${nodes.asked}`);
	for (const dir of nodes.dirs) await carrel(dir, "audit", "verify");
	assert.equal(psql("-d", nodes.database, "-Atc", "SELECT count(*) FROM carrel.note WHERE state < 3"), "0");
	assert.ok(!/"level":"error"/.test(readFileSync(join(project.dir, ".carrel/logs/mcp.log"), "utf8")));
});

// A link is sealed under the key that the nodes share: whichever made it, each of them opens it, and a file lies nowhere.
test("a link to a file opens at every node", async () => {
	const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28",
		"Mcp-Method": "tools/call", "Mcp-Name": "sql_execution" };
	const params = { name: "sql_execution", arguments: { connectionId: "warehouse", sql: "SELECT 7 AS seven" },
		_meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} } };
	for (const made of nodes.ports) {
		const answer = await fetch(`http://127.0.0.1:${made}/mcp`, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }) });
		const link = new URL((await answer.json()).result._meta["carrel/export"].url);
		for (const opened of nodes.ports) {
			const file = await fetch(`http://127.0.0.1:${opened}${link.pathname}`);
			assert.deepEqual([file.status, await file.text()], [200, "seven\r\n7\r\n"], `${made} at ${opened}`);
		}
	}
});
