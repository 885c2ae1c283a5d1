// The official clients against the demo warehouse in SQLite, with a running daemon and without one.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { content, research } from "./research.mjs";
import { carrel, clients, sqliteProject, startDaemon, withClient } from "./support.mjs";

let project, daemon;

before(async () => {
	project = sqliteProject();
	daemon = await startDaemon(project.dir);
});

after(async () => {
	await daemon?.stop();
	project?.drop();
});

research("sqlite", () => ({ url: daemon.url, dir: project.dir }),
	{
		slow: "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 2000000) SELECT count(*) FROM c",
		endless: "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c",
		semantic: true,
	});

test("sqlite: stdio without a daemon", { timeout: 120000 }, async () => {
	const alone = sqliteProject();
	try {
		for (const kind of clients)
			await withClient(kind, "stdio", alone, async (session) => {
				const { rowCount } = content(await session.call("sql_execution",
					{ connectionId: "warehouse", sql: "SELECT count(*) FROM regions" }));
				assert.equal(rowCount, 1, kind.name);
			});
		assert.equal(await carrel(alone.dir, "mcp", "status").catch((error) => error.code), 3);
	} finally {
		alone.drop();
	}
});
