// tokens - the life of a connectivity token, from its making to its end in the middle of a query, with the official
// clients of both generations over every transport, and with curl.
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

import { carrel, clients, MODERN, sqliteProject, startDaemon, stdioAs, transportsOf } from "./support.mjs";

const run = promisify(execFile);
const ENDLESS = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c";
const QUICK = "SELECT 1 AS one";
let project, daemon;

before(async () => {
	project = sqliteProject();
	appendFileSync(join(project.dir, "carrel.yaml"), "\nsurface: { result_text: brief }\nlimits: { export_rows: 5000 }\n");
	daemon = await startDaemon(project.dir);
	await carrel(project.dir, "connectivity", "enable");
});
after(async () => {
	await daemon?.stop();
	project?.drop();
});

let made = 0;
async function makeToken(scopes = "research:read,research:query") {
	const { token, secret } = await carrel(project.dir, "token", "create", "--label", `client ${++made}`, "--scopes", scopes);
	assert.match(secret, /^crlmcp_[A-Za-z0-9]{8}_[0-9a-f]{32}$/);
	return { id: token.id, secret };
}
const revoke = (id) => carrel(project.dir, "token", "revoke", id);

// The client's own way to send a credential, for each transport.
const bearer = (secret) => ({ Authorization: `Bearer ${secret}` });
const transports = {
	http: (kind, secret) => new kind.Http(new URL(daemon.url), { requestInit: { headers: bearer(secret) } }),
	sse: (kind, secret) => new kind.Sse(new URL(`${daemon.url}/sse`), {
		requestInit: { headers: bearer(secret) },
		eventSourceInit: { fetch: (url, init) => fetch(url, { ...init, headers: { ...init?.headers, ...bearer(secret), Accept: "text/event-stream" } }) },
	}),
	stdio: (kind, secret) => stdioAs(kind, project.dir, { CARREL_MCP_TOKEN: secret }),
};

// Until so many calls are under way.
async function underWay(calls) {
	for (let tries = 0; tries < 600; tries++, await sleep(50)) {
		const all = await Promise.all(daemon.dirs.map((dir) => carrel(dir, "status")));
		if (all.reduce((sum, one) => sum + one.daemon.front.inFlight, 0) === calls)
			return;
	}
	assert.fail("the call is not under way");
}

const sql = (statement) => ["sql_execution", { connectionId: "warehouse", sql: statement }];

// How a call ended: the code of a refusal in the result, or what the client threw.
async function outcome(calling) {
	try {
		const { isError, structuredContent } = await calling;
		return isError ? structuredContent.error.code : "ok";
	} catch (error) {
		return `thrown: ${error.message} ${JSON.stringify(error.data ?? "")}`;
	}
}

for (const kind of clients)
	for (const transport of transportsOf(kind))
		test(`a token lives and ends: ${kind.name} over ${transport}`, { timeout: 60000 }, async () => {
			const token = await makeToken(), session = kind.make();

			await session.client.connect(transports[transport](kind, token.secret));
			try {
				const { tools } = await session.client.listTools();
				assert.ok(tools.some(({ name }) => name === "sql_execution"));
				assert.ok(!tools.some(({ name }) => name === "memory_ingest"));
				assert.equal(await outcome(session.call(...sql(QUICK))), "ok");
				const running = outcome(session.call(...sql(ENDLESS)));
				await underWay(1);
				const { ended } = await revoke(token.id);
				assert.equal(await running, "auth_revoked");
				if (daemon.dirs.length === 1) assert.equal(ended.calls, 1); // a node counts its own
				assert.notEqual(await outcome(session.call(...sql(QUICK))), "ok");
			} finally {
				await session.client.close().catch(() => {});
			}
			await assert.rejects(async () => {
				const again = kind.make();
				await again.client.connect(transports[transport](kind, token.secret));
			});
		});

// The text beside structuredContent is one line for a client that was measured, by what each request or its session says.
test("a brief text is for clients that read the other", async () => {
	const { secret } = await makeToken();
	const call = { name: "sql_execution", arguments: { connectionId: "warehouse", sql: "SELECT 7 AS n UNION ALL SELECT 8" } };
	async function send(method, params, more) {
		const answer = await fetch(daemon.url, { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
			headers: { ...bearer(secret), "Content-Type": "application/json", Accept: "application/json, text/event-stream", ...more } });
		const text = await answer.text();
		return { session: answer.headers.get("mcp-session-id"), ...JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text) };
	}
	const modern = (clientInfo, what = call) => send("tools/call", { ...what, _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28",
		"io.modelcontextprotocol/clientCapabilities": {}, ...(clientInfo && { "io.modelcontextprotocol/clientInfo": clientInfo }) } },
	{ "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": what.name });
	async function legacy(clientInfo) {
		const { session } = await send("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
		return send("tools/call", call, { "Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25" });
	}
	for (const [clientInfo, brief] of [[{ name: "claude-code", version: "2.1.197" }, true], [{ name: "codex-mcp-client", version: "0.170.1" }, true],
		[{ name: "opencode", version: "1.18.33" }, false], [{ name: "claude-code", version: "1.0.0" }, false], [undefined, false]])
		for (const way of clientInfo ? [modern, legacy] : [modern]) {
			const { result } = await way(clientInfo);
			assert.deepEqual(result.structuredContent.rows, [[7], [8]]);
			assert.equal(result.content.length, 1);
			if (brief) assert.equal(result.content[0].text, "2 rows: see structuredContent.");
			else assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
		}
	const list = (await modern({ name: "claude-code", version: "3.0.0" }, { name: "connection_list", arguments: {} })).result;
	assert.equal(list.content[0].text, "See structuredContent.");
	assert.ok(list.structuredContent.connections.length > 0);
	// an error is said in words to every client
	const failed = (await modern({ name: "claude-code", version: "3.0.0" }, { ...call, arguments: { ...call.arguments, sql: "DELETE FROM people" } })).result;
	assert.ok(failed.isError && failed.content[0].text === failed.structuredContent.error.message);
});

// A token that expires ends what it began, over every transport and with both clients.
test("a token expires in the middle of calls and of a stream", { timeout: 180000 }, async () => {
	const lives = clients.flatMap((kind) => transportsOf(kind).map((transport) => ({ kind, transport })));
	// On a busy machine it may be over before its query is under way: then once more, with more time.
	async function expires({ kind, transport }) {
		for (const seconds of [5, 15, 45]) {
			const { secret } = await carrel(project.dir, "token", "create", "--label", `brief ${++made}`, "--scopes", "research:read,research:query",
				"--expires", `${seconds}s`);
			const until = Date.now() + seconds * 1000, session = kind.make();
			try {
				await session.client.connect(transports[transport](kind, secret));
				await session.client.listTools(); // as long as the others' queries run, one more may have to wait for them
				const ended = await outcome(session.call(...sql(ENDLESS)));
				if (ended.startsWith("thrown"))
					throw new Error(ended);
				assert.equal(ended, "auth_expired", `${kind.name} over ${transport}`);
				assert.notEqual(await outcome(session.call(...sql(QUICK))), "ok");
				return;
			} catch (error) {
				if (error.code === "ERR_ASSERTION" || Date.now() < until || seconds === 45)
					throw error;
			} finally {
				await session.client.close().catch(() => {});
			}
		}
	}
	const { secret } = await carrel(project.dir, "token", "create", "--label", `stream ${++made}`, "--scopes", "research:read", "--expires", "5s");
	const stream = await fetch(`${daemon.url}/sse`, { headers: { ...bearer(secret), Accept: "text/event-stream" } });
	assert.equal(stream.status, 200);
	const over = stream.text();
	while (lives.length > 0)
		await Promise.all(lives.splice(0, 5).map(expires)); // connectivity.max_tokens
	await over; // it was closed, or this waits for ever
});

// What curl sees: status, the fields that matter, and the body.
async function curl(secret, message, ...args) {
	const modern = message.params?._meta !== undefined;
	const headers = ["Content-Type: application/json", "Accept: application/json, text/event-stream", ...secret ? [`Authorization: Bearer ${secret}`] : [],
		...modern ? [`MCP-Protocol-Version: ${MODERN}`, `Mcp-Method: ${message.method}`, ...message.params.name ? [`Mcp-Name: ${message.params.name}`] : []] : []];
	const { stdout } = await run("curl", ["-sS", "-i", "--max-time", "30", daemon.url, ...headers.flatMap((h) => ["-H", h]),
		"--data", JSON.stringify(message), ...args]);
	const [head, ...rest] = stdout.split("\r\n\r\n");
	return { status: Number(head.split(" ")[1]), challenge: /^www-authenticate: (.*)$/im.exec(head)?.[1]?.trim(), head, body: rest.join("\r\n\r\n") };
}
const meta = { "io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {} };
const modern = (method, params) => ({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } });
const callSql = (statement) => modern("tools/call", { name: "sql_execution", arguments: { connectionId: "warehouse", sql: statement } });

test("curl: unknown, wrong, revoked and expired tokens, scopes, and connectivity off", { timeout: 60000 }, async () => {
	const token = await makeToken(), narrow = await makeToken("research:read"), ext = await makeToken("ext:sql");
	const brief = (await carrel(project.dir, "token", "create", "--label", "brief", "--scopes", "research:read", "--expires", "1s")).secret;

	assert.equal((await curl(token.secret, callSql(QUICK))).status, 200);
	const wrong = await curl(`${token.secret.slice(0, -1)}${token.secret.endsWith("0") ? "1" : "0"}`, callSql(QUICK));
	assert.equal(wrong.status, 401);
	assert.match(wrong.body, /"error":"unauthorized","code":"auth_invalid"/);
	assert.match(wrong.challenge, /^Bearer error="invalid_token"/);

	const denied = await curl(narrow.secret, callSql(QUICK));
	assert.equal(denied.status, 403);
	assert.equal(denied.challenge, 'Bearer error="insufficient_scope", scope="research:read research:query"');
	assert.deepEqual(JSON.parse(denied.body).error.data, { required: ["research:query"], missing: ["research:query"], code: "FORBIDDEN" });
	assert.equal(JSON.parse(denied.body).error.code, 1403);
	const never = await curl(narrow.secret, modern("tools/call", { name: "memory_ingest", arguments: { content: "x" } }));
	assert.equal(never.status, 200);
	assert.equal(never.challenge, undefined);
	const { tools } = JSON.parse((await curl(ext.secret, modern("tools/list", {}))).body).result;
	assert.deepEqual(tools.map((t) => t.name), ["carrel_sql"]);

	let expired = "";
	for (let tries = 0; tries < 200 && !expired.includes('"code":"auth_expired"'); tries++, await sleep(50))
		expired = (await curl(brief, modern("tools/list", {}))).body;
	assert.match(expired, /"code":"auth_expired"/);
	await revoke(narrow.id);
	assert.match((await curl(narrow.secret, modern("tools/list", {}))).body, /"code":"auth_revoked"/);

	await carrel(project.dir, "connectivity", "disable");
	const off = await curl(token.secret, callSql(QUICK));
	assert.equal(off.status, 401);
	assert.match(off.body, /"code":"auth_invalid"/);
	await carrel(project.dir, "connectivity", "enable");
	assert.equal((await curl(token.secret, callSql(QUICK))).status, 200);
});

// What is counted outlives the front.
async function killFront() {
	const { pid } = JSON.parse(readFileSync(join(project.dir, ".carrel/mcp.json")));
	const fronts = () => execFileSync("pgrep", ["-x", "-P", pid, "carrel-front"], { encoding: "utf8" }).trim();
	const before = fronts();

	process.kill(Number(before), "SIGKILL");
	for (let tries = 0; tries < 1000; tries++) {
		await sleep(50);
		const answer = await fetch(daemon.url.replace("/mcp", "/health/ready")).catch(() => null);
		if (answer?.ok && fronts() !== before)
			return;
	}
	assert.fail("the front does not come back");
}

test("curl: more than the rate is refused in-band, and others never notice", { timeout: 60000 }, async () => {
	const token = await makeToken(), other = await makeToken();
	const codes = [];

	for (let i = 0; i < 12; i++)
		codes.push(/"code":"rate_limited"/.test((await curl(token.secret, callSql(QUICK))).body));
	assert.deepEqual(codes.slice(0, 10), Array(10).fill(false)); // connectivity.sql_per_min
	assert.deepEqual(codes.slice(10), [true, true]);
	const held = JSON.parse((await curl(token.secret, callSql(QUICK))).body).result;
	assert.equal(held.isError, true);
	assert.ok(held.structuredContent.error.details.retry_after_s >= 1);
	assert.equal(JSON.parse((await curl(other.secret, callSql(QUICK))).body).result.isError, undefined);
	await killFront();
	assert.match((await curl(token.secret, callSql(QUICK))).body, /"code":"rate_limited"/);
	assert.equal(JSON.parse((await curl(other.secret, callSql(QUICK))).body).result.isError, undefined);
});

test("curl: a flood of wrong tokens blocks none that is right", { timeout: 60000 }, async () => {
	const token = await makeToken(), codes = new Set();

	for (let i = 0; i < 12; i++) {
		const { status } = await curl(`crlmcp_zzzzzzzz_${i.toString(16).padStart(32, "0")}`, modern("tools/list", {}));
		codes.add(status);
	}
	assert.deepEqual([...codes], [401, 429]);
	assert.equal((await curl(token.secret, callSql(QUICK))).status, 200);
	assert.equal((await curl(null, callSql(QUICK))).status, 200); // the owner's own
	await killFront();
	assert.equal((await curl("nothing", modern("tools/list", {}))).status, 429);
	assert.equal((await curl(token.secret, callSql(QUICK))).status, 200);
});

// Round and round, so that what else the machine does is spread over all of them; what is not the same is so each time.
test("unknown, wrong and revoked tokens take the same time", { timeout: 180000 }, async () => {
	const known = await makeToken(), ended = await makeToken();
	const agent = new http.Agent({ keepAlive: true, maxSockets: 1 }), body = JSON.stringify(modern("tools/list", {}));
	const time = (secret) => new Promise((done, fail) => {
		const since = process.hrtime.bigint();
		http.request(daemon.url, { agent, method: "POST", headers: { ...bearer(secret), "Content-Type": "application/json" } }, (answer) => {
			answer.resume().on("end", () => done([answer.statusCode, Number(process.hrtime.bigint() - since) / 1000]));
		}).on("error", fail).end(body);
	});
	await revoke(ended.id);
	const kinds = { unknown: `crlmcp_zzzzzzzz_${"0".repeat(32)}`, wrong: `${known.secret.slice(0, -32)}${"0".repeat(32)}`, revoked: ended.secret };
	const medians = async () => {
		const times = { unknown: [], wrong: [], revoked: [] };

		for (let i = 0; i < 600; i++)
			for (const [kind, secret] of Object.entries(kinds)) {
				const [status, us] = await time(secret);
				assert.ok(status === 401 || status === 429);
				times[kind].push(us);
			}
		return Object.values(times).map((all) => all.sort((x, y) => x - y)[all.length / 2]);
	};
	const same = (all) => Math.max(...all) - Math.min(...all) < 0.2 * Math.min(...all), seen = [];

	do
		seen.push(await medians());
	while (!same(seen.at(-1)) && seen.length < 4);
	agent.destroy();
	assert.ok(same(seen.at(-1)), `medians in us: ${JSON.stringify(seen)}`);
});

// Every client gets the link, by every transport, and its own credential opens it; the owner's need none on this machine.
test("an export opens to the principal that it was given to, and to no other", { timeout: 120000 }, async () => {
	const statement = { connectionId: "warehouse", sql: "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 6000) SELECT n FROM c", maxRows: 1 };
	const open = (url, secret) => fetch(url, secret && { headers: bearer(secret) });
	const wholes = [], links = [];
	let held;
	for (const kind of clients) {
		if (held) await revoke(held.id);
		held = await makeToken(); // the rate is a token's own
		for (const transport of transportsOf(kind))
			for (const secret of [held.secret, undefined]) {
				if (secret === undefined && transport !== "stdio") continue;
				const session = kind.make();
				await session.client.connect(secret ? transports[transport](kind, secret) : stdioAs(kind, project.dir, undefined));
				const result = await session.call("sql_execution", statement);
				await session.client.close();
				const link = result._meta["carrel/export"];
				assert.ok(link, `${kind.name} ${transport} ${JSON.stringify(result)}`);
				assert.deepEqual([link.maxRows, link.formats], [5000, ["csv", "jsonl"]], `${kind.name} ${transport}`);
				assert.equal(result.content.find(({ type }) => type === "resource_link")?.uri, link.url);
				const file = await open(link.url, secret);
				assert.equal(file.status, 200, `${kind.name} ${transport} ${await file.clone().text()}`);
				wholes.push(await file.text());
				links.push({ url: link.url, secret });
			}
	}
	for (const text of wholes) assert.deepEqual([text.length, text.split("\r\n").length], [wholes[0].length, 5002]);
	const of = (who) => links.find(({ secret }) => secret === who).url, other = await makeToken();
	for (const [what, url, secret, status] of [["another token", of(held.secret), other.secret, 404], ["no token", of(held.secret), undefined, 404], ["the owner's, by a token", of(undefined), held.secret, 404]])
		assert.equal((await open(url, secret)).status, status, what);
	await revoke(held.id);
	assert.equal((await open(of(held.secret), held.secret)).status, 401);
	assert.equal((await open(of(held.secret), other.secret)).status, 404);
	// the file says that there was more, the entry as well; a statement that is refused has no file
	const { stdout } = await run("curl", ["-s", "-D", "-", "-o", "/dev/null", of(undefined)]);
	assert.match(stdout, /Carrel-Rows: 5000\s/i);
	assert.match(stdout, /Carrel-Truncated: true/i);
	const { entries } = await carrel(project.dir, "audit", "search", "--action", "export"), last = entries.at(-1);
	assert.deepEqual([last.outcome, last.rows, last.truncated, last.policy.bytes, last.statement], ["ok", 5000, true, wholes[0].length, statement.sql]);
	assert.ok((await carrel(project.dir, "audit", "search", "--action", "export.open")).entries.some(({ receipt }) => receipt === last.receipt));
	// a balancer asks a node by HTTP/1.1, whatever it is asked by
	if (!process.env.CARREL_SCATTERED) assert.match((await run("curl", ["-s", "--http1.0", of(undefined)])).stdout, /HTTP\/1\.1/);
	await revoke(other.id);
});

// A worker that dies, a client that stops: the file is seen to be cut, and the other worker goes on.
test("an export that is cut never looks whole", { timeout: 120000 }, async () => {
	const { secret } = await makeToken(), kind = clients.find(({ modern }) => modern), session = kind.make();
	await session.client.connect(transports.http(kind, secret));
	const endless = { connectionId: "warehouse", sql: "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n, hex(zeroblob(20000)) AS text FROM c" };
	const { url } = (await session.call("sql_execution", { ...endless, maxRows: 1 }))._meta["carrel/export"];
	const begin = async () => {
		const file = await fetch(url, { headers: bearer(secret) }), reader = file.body.getReader();
		assert.equal(file.status, 200);
		await reader.read();
		return reader;
	};
	const last = async () => (await carrel(project.dir, "audit", "search", "--action", "export")).entries.at(-1);
	const reader = await begin();
	const busy = await underWay(1).then(() => carrel(project.dir, "status"));
	assert.ok(busy);
	// the other worker serves meanwhile
	assert.equal((await session.call(...sql(QUICK))).structuredContent.rows[0][0], 1);
	const { pid } = JSON.parse(readFileSync(join(project.dir, ".carrel/mcp.json"), "utf8"));
	for (const one of execFileSync("pgrep", ["-P", String(pid), "carrel-sql"], { encoding: "utf8" }).trim().split("\n")) process.kill(Number(one), "SIGKILL");
	await assert.rejects(async () => { while (!(await reader.read()).done); }, /terminated|closed/);
	assert.deepEqual([(await last()).outcome, (await last()).code], ["error", "worker_lost"]);
	// a row that is too large is an error with its status, and of a later one the file is cut
	const wide = (rows, at) => ({ connectionId: "warehouse", sql: `WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < ${rows}) SELECT ${[1, 2, 3, 4, 5, 6].map((n) => `hex(zeroblob((i = ${at}) * 120000)) AS c${n}`).join(", ")}, hex(zeroblob(100)) AS more FROM c` });
	const linkTo = async (what) => (await session.call("sql_execution", { ...what, maxRows: 1 }))._meta["carrel/export"].url;
	const first = await fetch(await linkTo(wide(1, 1)), { headers: bearer(secret) });
	assert.deepEqual([first.status, (await first.json()).error.code], [413, "result_too_large"]);
	await assert.rejects(async () => {
		const file = await fetch(await linkTo(wide(4000, 3999)), { headers: bearer(secret) });
		assert.equal(file.status, 200);
		await file.text();
	}, /terminated|closed/);
	assert.equal((await last()).code, "result_too_large");
	// who goes away cancels
	const second = await begin();
	await second.cancel();
	await underWay(0);
	for (let tries = 0; (await last()).code !== "query_cancelled"; tries++, await sleep(100)) assert.ok(tries < 100);
	await session.client.close();
});
