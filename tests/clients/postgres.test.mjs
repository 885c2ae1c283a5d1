// The official clients against the demo warehouse in PostgreSQL; run it under `tests/support/pg.sh run -`.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before } from "node:test";

import { research } from "./research.mjs";
import { pg, postgresProject, startDaemon } from "./support.mjs";

let project, daemon;

before(async () => {
	assert.ok(process.env.PG_DIR, "PG_DIR names the server's directory");
	project = postgresProject();
	daemon = await startDaemon(project.dir);
});

after(async () => {
	await daemon?.stop();
	project?.drop();
});

research("postgres", () => ({ url: daemon.url, dir: project.dir }),
	{
		slow: "SELECT count(*) FROM generate_series(1, 3000000)",
		endless: "SELECT count(*) FROM generate_series(1, 1000000) a CROSS JOIN generate_series(1, 1000000) b",
		// How many of the endless ones the server is busy with.
		running: () => Number(execFileSync(pg, ["psql", process.env.PG_DIR, "-Atc", "SELECT count(*) FROM pg_stat_activity " +
			"WHERE usename = 'reader' AND state = 'active' AND query LIKE '%CROSS JOIN generate_series%'"], { encoding: "utf8" })),
	});
