// A standby that is behind is promoted.  Before that a token was made, one revoked, a user removed, a refresh token turned,
// each on some node; c is down when it happens, d since before what is lost.  See loss.sh.
// Checked: no node answers a remote principal, each says why, and its owner goes on, until the loss is accepted on one
// of them; then what was issued since is no good, what was ended since has ended, the rest holds, on each node; each node's
// audit says so, and the copies of all audits are whole again.
// usage: loss.mjs BIN_DIRECTORY WORK_DIRECTORY BASE_PORT, with ORIGIN
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { setTimeout as sleep } from "node:timers/promises";

import { Browser, code, draw, origin, redeem, register } from "../integration/cli/oauth.mjs";

const [bin, work, basePort] = process.argv.slice(2), run = promisify(execFile);
const pg = resolve(fileURLToPath(import.meta.url), "../../support/pg.sh"), PASSWORD = "correct horse battery staple";
const NODES = ["a", "b", "c", "d"], HOST = new URL(origin).host;
const wrong = [], began = Date.now();
const tell = (text) => console.log(`${((Date.now() - began) / 1000).toFixed(1)} ${text}`);
const expect = (holds, text) => { if (!holds) { wrong.push(text); tell(`WRONG ${text}`); } };

const url = (node) => `http://127.0.0.1:${Number(basePort) + NODES.indexOf(node)}`;
async function on(node, ...args) {
	const { stdout } = await run(join(bin, "carrel"), ["-C", join(work, node), ...args, "--json"], { maxBuffer: 1 << 28, timeout: 60000 });
	return stdout.trim() === "" ? null : JSON.parse(stdout);
}
const fails = (node, ...args) => on(node, ...args).then(() => "", (e) => e.stdout + e.stderr);
const start = (node) => on(node, "mcp", "start", "--port", String(Number(basePort) + NODES.indexOf(node)));
const psql = async (dir, sql, ...more) => (await run(pg, ["psql", join(work, dir), ...more, "-Atc", sql], { cwd: "/" })).stdout.trim();
const server = (...args) => run(pg, args, { cwd: "/" });

let counter = 100;
async function ask(node, token) { // "200 N", or the status and the code of the refusal
	const n = ++counter;
	const answer = await fetch(`${url(node)}/mcp`, { method: "POST", signal: AbortSignal.timeout(20000),
		headers: { ...(token && { Authorization: `Bearer ${token}`, Host: HOST, "X-Forwarded-For": `192.0.2.${n % 250}` }), "Content-Type": "application/json", Accept: "application/json, text/event-stream",
			"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "sql_execution" },
		body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "sql_execution", arguments: { connectionId: "warehouse", sql: `SELECT ${n}` },
			_meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} } } }) });
	const text = await answer.text();
	return answer.status === 200 && text.includes(`[${n}]`) ? "200" : `${answer.status} ${/"code":"([a-z_]+)"/.exec(text)?.[1] ?? text.slice(0, 200)}`;
}
async function within(seconds, what, holds) {
	let last;
	for (const until = Date.now() + seconds * 1000; Date.now() < until; await sleep(100)) {
		last = await holds().catch((e) => String(e));
		if (last === true) return;
	}
	expect(false, `${what}: never within ${seconds} s (${JSON.stringify(last)?.slice(0, 300)})`);
}
const becomes = (seconds, node, token, said) => within(seconds, `${node} answers ${said}`, async () => { const got = await ask(node, token); return got === said || got; });
const health = async (node) => (await fetch(`${url(node)}/health`)).text();
const create = async (node, label) => {
	const made = await on(node, "token", "create", "--label", label, "--scopes", "research:read,research:query");
	return { id: made.token.id, secret: made.secret };
};
const form = async (node, fields) => {
	const answer = await fetch(`${url(node)}/api/oauth/token`, { method: "POST", headers: { Host: HOST }, body: new URLSearchParams(fields) });
	const text = await answer.text();
	return { status: answer.status, ...(text.startsWith("{") ? JSON.parse(text) : { text }) };
};
const refresh = (node, client, token) => form(node, { grant_type: "refresh_token", client_id: client, refresh_token: token, resource: `${origin}/mcp` });
const isCopied = async (node) => /^carrel_audit_uncopied_entries 0/m.test(await (await fetch(`${url(node)}/metrics`)).text()) || "not copied";
const newestCopy = async (dir, node) => Number(await psql(dir, `SELECT seq FROM carrel.audit_chain WHERE node = '${node}'`, "-d", "carrel"));

// --- before

for (const node of NODES) await start(node);
writeFileSync(join(work, "password"), `${PASSWORD}\n`, { mode: 0o600 });
for (const user of ["ada", "bob"]) await on("a", "user", "add", user, "--role", "contributor", "--password-file", join(work, "password"));
const kept = await create("a", "kept"), ofA = await create("a", "of a"), ofC = await create("b", "of c");
for (const node of NODES) for (const token of [kept, ofA, ofC]) await becomes(5, node, token.secret, "200");
const client = await register(), browser = new Browser();
expect((await browser.signIn("ada", PASSWORD)).status === 303, "ada cannot sign in");
const grant = async () => { const verifier = draw(); return redeem(client, await code(browser, client, verifier), verifier); };
const turned = await grant(), still = await grant();
expect(turned.status === 200 && still.status === 200, `no grants: ${JSON.stringify([turned, still])}`);
await becomes(5, "b", turned.access_token, "200");
for (const node of NODES) await within(10, `${node} copied`, () => isCopied(node));
await on("d", "mcp", "stop");
await within(10, "the standby has all of it", async () => (await psql("pg0", "SELECT pg_current_wal_lsn()")) === (await psql("pg1", "SELECT pg_last_wal_replay_lsn()")) || "behind");

// --- what is lost

await psql("pg1", "ALTER SYSTEM SET primary_conninfo = 'host=/nowhere'");
await psql("pg1", "SELECT pg_reload_conf()");
await within(10, "nothing is received", async () => (await psql("pg1", "SELECT count(*) FROM pg_stat_wal_receiver")) === "0" || "received");
const point = Number(await psql("pg1", "SELECT number FROM carrel.revision", "-d", "carrel"));
tell(`the standby stays at change ${point}`);
expect((await run(join(bin, "carrel"), ["-C", join(work, "a"), "doctor"]).catch((e) => e)).stdout.includes("no standby has each commit"), "doctor does not say what a failover would lose");
await on("a", "token", "revoke", ofA.id);
await on("c", "token", "revoke", ofC.id);
await on("a", "user", "remove", "bob");
const later = await create("b", "later"), next = await refresh("b", client, turned.refresh_token), lateGrant = await grant();
expect(next.status === 200 && lateGrant.status === 200, `nothing is issued: ${JSON.stringify([next, lateGrant])}`);
for (const node of ["a", "b", "c"]) {
	await becomes(5, node, later.secret, "200");
	await becomes(5, node, ofA.secret, "401 auth_revoked");
}
for (const node of ["a", "b", "c"]) await within(10, `${node} copied`, () => isCopied(node));
await on("c", "mcp", "stop");
const lost = { number: Number(await psql("pg0", "SELECT number FROM carrel.revision", "-d", "carrel")) };
for (const node of ["a", "b", "c"]) lost[node] = await newestCopy("pg0", node);
expect(lost.number > point, `nothing is lost: ${lost.number}`);

// --- the primary is gone, the standby is there in its place

const port = readFileSync(join(work, "pg0/port"), "utf8").trim();
await server("remove", join(work, "pg0"));
await server("promote", join(work, "pg1"));
await server("stop", join(work, "pg1"));
const conf = join(work, "pg1/data/postgresql.conf");
writeFileSync(conf, readFileSync(conf, "utf8").replace(/^port = .*$/m, `port = ${port}`));
writeFileSync(join(work, "pg1/port"), `${port}\n`);
await server("restart", join(work, "pg1"));
tell(`promoted: of ${lost.number} changes ${await psql("pg1", "SELECT number FROM carrel.revision", "-d", "carrel")} are there`);
for (const node of ["a", "b", "c"]) expect((await newestCopy("pg1", node)) < lost[node], `the copy of ${node} lost nothing`);
await sleep(2500); // what was remembered is good for the lease
await start("c");
for (const node of ["a", "b", "c"]) await within(15, `${node} says why`, async () => { const said = await health(node); return (said.includes("it lost commits") && said.includes("carrel cluster accept-loss")) || said; });
await start("d"); // it knows nothing of what is lost, but others do
await within(15, "d says why", async () => { const said = await health("d"); return /it lost commits that the node [abc] knows/.test(said) || said; });
for (const until = Date.now() + 5000; Date.now() < until; await sleep(200))
	for (const node of NODES) {
		for (const token of [kept.secret, ofA.secret, later.secret, next.access_token]) {
			const got = await ask(node, token);
			expect(got === "503 service_unavailable", `${node} answers ${got} before the loss is accepted`);
		}
		const got = await refresh(node, client, turned.refresh_token);
		expect(got.status >= 500, `${node} turns a refresh token: ${JSON.stringify(got)}`);
	}
for (const node of NODES) {
	expect((await fetch(`${url(node)}/health/ready`)).status === 503, `${node} is ready`);
	expect((await ask(node)) === "200", `${node} does not serve its owner`);
	expect(JSON.stringify(await on(node, "status")).includes("lost commits"), `the status of ${node} does not say why`);
	expect((await fails(node, "token", "revoke", kept.id)).includes("lost commits"), `${node} changes what it does not rely on`);
}
tell("no node goes on by itself");

// --- accepted

const accepted = Date.now();
await on("b", "cluster", "accept-loss");
for (const node of NODES) await becomes(20, node, kept.secret, "200");
tell(`each node serves ${Date.now() - accepted} ms after the loss was accepted`);
for (const node of NODES) {
	for (const [token, said] of [[ofA.secret, "401 auth_revoked"], [ofC.secret, "401 auth_revoked"], [later.secret, "401 auth_invalid"],
		[turned.access_token, "401 auth_revoked"], [next.access_token, "401 auth_revoked"], [lateGrant.access_token, "401 auth_invalid"]]) {
		const got = await ask(node, token);
		expect(got === said, `${node} answers ${got}, not ${said}: ${token}`);
	}
	expect((await ask(node, still.access_token)) === "200", `${node}: a grant that nothing happened to has ended: ${await ask(node, still.access_token)}`);
	for (const token of [turned.refresh_token, next.refresh_token, lateGrant.refresh_token]) {
		const got = await refresh(node, client, token);
		expect(got.status === 400 && got.error === "invalid_grant", `${node} turns a refresh token: ${JSON.stringify(got)}`);
	}
	const said = JSON.stringify(await on(node, "audit", "search", "--action", "store.loss"));
	expect(said.includes("epoch 2: "), `the audit of ${node} does not tell of the loss: ${said.slice(0, 300)}`);
	expect(said.includes('"accepted"') === (node === "b"), `who accepted it, at ${node}: ${said.slice(0, 300)}`);
}
expect((await refresh("d", client, still.refresh_token)).status === 200, "the grant that nothing happened to cannot be turned");
expect(!JSON.stringify(await on("c", "user", "list")).includes('"bob"'), "bob is there again");
expect((await browser.open(`${origin}/api/oauth/login`)).text.includes('name="password"'), "ada is signed in still");
expect((await fails("a", "cluster", "accept-loss")).includes("nothing to accept"), "there is a loss to accept still");

for (const node of NODES) {
	await within(20, `${node} copied`, () => isCopied(node));
	expect(!(node in lost) || (await newestCopy("pg1", node)) > lost[node], `the copy of ${node} does not go on`);
	const copy = join(work, `${node}.copy.jsonl`), own = join(work, `${node}.jsonl`);
	await on("d", "audit", "export", "--node", node, "-o", copy);
	await on(node, "audit", "export", "-o", own);
	const [has, is] = [copy, own].map((file) => readFileSync(file, "utf8"));
	expect(is.startsWith(has) && has.length > 0, `the copy of ${node} is not its audit`);
}
for (const node of NODES) {
	const said = await on(node, "audit", "verify", "--all-nodes").then(() => "", (e) => e.stdout + e.stderr);
	expect(said === "", `the audits as ${node} sees them: ${said}`);
}
const exports = await on("a", "audit", "verify", ...NODES.map((node) => join(work, `${node}.jsonl`))).then(() => "", (e) => e.stdout + e.stderr);
expect(exports === "", `the exports: ${exports}`);
console.log(wrong.length === 0 ? `${lost.number - point} changes were lost; nothing that they ended is good, and the audits are whole` : `${wrong.length} wrong`);
process.exit(wrong.length === 0 ? 0 : 1);
