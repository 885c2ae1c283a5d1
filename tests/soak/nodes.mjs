// Three nodes, their two front ends and their store are harmed in turn while clients ask through both: nodes are killed,
// stopped, drained and started again, cut off from the store; the primary crashes and its standby is promoted.
// Checked: each answer is the asked one; each answered statement is in one node's audit, and none is there twice; a code
// that is redeemed at all nodes at one time is redeemed by one at most; a note that was accepted is written by one node, once; a token that was revoked is refused by every node
// from the moment that the command said so, and so is a link to a file that it was given; a link opens at each node, to the rows that
// were asked for; of a table that is imported again and again no node shows half of one, and in the end each shows the last; a node that is cut off for longer than its lease answers no client; every
// audit verifies, and so do all of them together, in the store and as exports; the copy of each is what the node has.
// SOAK_ACTS, with commas between, are some of the acts alone.
// With OLD_BIN_DIRECTORY the nodes begin with those programs, and instead of all that they are upgraded one after the other.
// usage: nodes.mjs BIN_DIRECTORY WORK_DIRECTORY BASE_PORT SECONDS SEED [OLD_BIN_DIRECTORY]
import { execFile, execFileSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { setTimeout as sleep } from "node:timers/promises";

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const [bin, work, basePort, seconds, seedText, old] = process.argv.slice(2);
const base = Number(basePort), LEASE = 2000, MODERN = "2026-07-28";
const run = promisify(execFile), pg = resolve(fileURLToPath(import.meta.url), "../../support/pg.sh");
const PASSWORD = "correct horse battery staple";
const NAMES = ["north", "south", "west"], ENDS = [`https://localhost:${base}`, `https://localhost:${base + 1}`];
const wrong = [], figures = { asked: 0, answered: 0, refused: {}, lost: 0, sessions: 0, sessionCalls: 0, revoked: 0, checkedRevoked: 0, cutChecked: 0, codes: 0, redeemed: 0, notes: 0, links: 0, opened: 0, imports: 0, tablesRead: 0, acts: {} };
const began = Date.now();

let seed = Number(seedText) >>> 0;
const random = (n) => {
	seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
	return Math.floor(seed / 2 ** 32 * n);
};
const tell = (text) => console.log(`${((Date.now() - began) / 1000).toFixed(1)} ${text}`);
const fault = (text) => { wrong.push(text); tell(`WRONG ${text}`); };

// --- the store, and each node's way to it

let primary = "pg0", standby = "pg1", made = 1;
const NOWHERE = 1;
const portOf = (dir) => (dir !== null && existsSync(join(work, dir, "port")) ? Number(readFileSync(join(work, dir, "port"), "utf8")) : NOWHERE);
const targets = [() => portOf(primary), () => portOf(standby)];

// Passes bytes on, unless it is held: then it takes connections and bytes, and nothing comes through.
class Way {
	constructor(port, target) {
		this.held = false;
		this.pairs = new Set();
		this.server = net.createServer((near) => {
			const far = net.connect(target(), "127.0.0.1"), pair = [near, far];
			this.pairs.add(pair);
			for (const [from, to] of [[near, far], [far, near]]) {
				from.on("data", (data) => to.write(data));
				from.on("error", () => to.destroy());
				from.on("close", () => { to.destroy(); this.pairs.delete(pair); });
			}
			if (this.held) pair.forEach((s) => s.pause());
		}).listen(port, "127.0.0.1");
	}
	hold(held) {
		this.held = held;
		for (const s of [...this.pairs].flat()) held ? s.pause() : s.resume();
	}
	cut() {
		for (const s of [...this.pairs].flat()) s.destroy();
	}
}

// --- nodes

class Node {
	constructor(name, i) {
		this.name = name;
		this.dir = join(work, name);
		this.port = base + 2 + i;
		this.harmed = false;
		this.bin = bin;
		if (old !== undefined) this.put(old);
		this.ways = targets.map((target, k) => new Way(base + 10 + 2 * i + k, target));
		this.url = `postgres://carrel:topsecret@127.0.0.1:${base + 10 + 2 * i},127.0.0.1:${base + 11 + 2 * i}/carrel?connect_timeout=2`;
	}
	// The programs of a build, and what they share, as this node's own.
	put(from) {
		const own = join(work, "programs", this.name);
		rmSync(own, { recursive: true, force: true });
		for (const part of ["bin", "share"]) cpSync(join(from, "..", part), join(own, part), { recursive: true, dereference: true });
		this.bin = join(own, "bin");
	}
	async carrel(...args) {
		const { stdout } = await run(join(this.bin, "carrel"), ["-C", this.dir, ...args, "--json"],
			{ env: { ...process.env, CARREL_STATE_URL: this.url }, maxBuffer: 1 << 30, timeout: 90000 });
		return stdout.trim() === "" ? null : JSON.parse(stdout);
	}
	start() { return this.carrel("mcp", "start", "--host", "127.0.0.1", "--port", String(this.port)); }
	pids() {
		const { pid } = JSON.parse(readFileSync(join(this.dir, ".carrel/mcp.json"), "utf8"));
		const children = execFileSync("pgrep", ["-P", String(pid)], { encoding: "utf8" }).trim().split("\n").map(Number);
		return [pid, ...children];
	}
}
const nodes = NAMES.map((name, i) => new Node(name, i));

// --- what is asked

const BODY = (sql, connectionId = "warehouse") => JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "sql_execution",
	arguments: { connectionId, sql }, _meta: { "io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {} } } });

const HEADERS = (token) => ({ Authorization: `Bearer ${token}`, Host: "localhost", "Content-Type": "application/json",
	Accept: "application/json, text/event-stream", "MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "sql_execution" });

async function post(url, token, sql, ms = 20000) {
	const response = await fetch(`${url}/mcp`, { method: "POST", body: BODY(sql), signal: AbortSignal.timeout(ms), headers: HEADERS(token) });
	return { status: response.status, text: await response.text() };
}
const isAnswer = ({ status, text }, n) => status === 200 && text.includes(`[${n}]`);
const direct = (node) => `http://127.0.0.1:${node.port}`;

let counter = 100000000, loading = true, longest = 0, last = Date.now();
const answered = new Set();

async function load(end, tokens) {
	for (let i = 0; loading; i++) {
		const n = ++counter;
		figures.asked++;
		try {
			const got = await post(end, tokens[i % tokens.length], `SELECT ${n}`);
			if (isAnswer(got, n)) {
				answered.add(n);
				if (Date.now() - last > 5000) tell(`${Date.now() - last} ms without an answer to any client`);
				longest = Math.max(longest, Date.now() - last);
				last = Date.now();
			} else if (got.status === 200 && !got.text.includes("isError\":true") && !got.text.includes("\"error\""))
				fault(`${n} was answered ${got.text.slice(0, 200)}`);
			else {
				const why = /"code":"([a-z_]+)"/.exec(got.text)?.[1] ?? `HTTP ${got.status}`;
				figures.refused[why] = (figures.refused[why] ?? 0) + 1;
			}
		} catch {
			figures.lost++;
		}
		await sleep(5);
	}
}

// An official client with a session, opened again whenever it is lost.
async function session(end, token) {
	while (loading) {
		const client = new Client({ name: "soak", version: "1" });
		try {
			await client.connect(new StreamableHTTPClientTransport(new URL(`${end}/mcp`), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }), { timeout: 20000 });
			figures.sessions++;
			while (loading) {
				const n = ++counter;
				const got = await client.callTool({ name: "sql_execution", arguments: { connectionId: "warehouse", sql: `SELECT ${n}` } }, { timeout: 20000 });
				if (got.isError) break;
				if (!JSON.stringify(got).includes(`[${n}]`)) fault(`a session's ${n} was answered ${JSON.stringify(got).slice(0, 200)}`);
				answered.add(n);
				figures.sessionCalls++;
				await sleep(20);
			}
		} catch { /* the node is gone, or the store */ }
		await client.close().catch(() => {});
		await sleep(200);
	}
}

async function create(node, label) {
	const made = await node.carrel("token", "create", "--label", label, "--scopes", "research:read,research:query");
	return { secret: made.secret, id: made.token.id };
}

// The link to the rows of a statement as a file, from an answer; undefined where it has none.  Opened: its status and its text.
const linkOf = ({ status, text }) => status === 200 ? /"carrel\/export":\{[^}]*?"url":"([^"]+)"/.exec(text)?.[1] : undefined;
async function open(node, link, token) {
	const got = await fetch(`${direct(node)}${new URL(link).pathname}`, { headers: { Authorization: `Bearer ${token}`, Host: "localhost" }, signal: AbortSignal.timeout(10000) });
	return { status: got.status, text: await got.text() };
}
async function links(token) {
	for (let n = 900000001; loading; n++, await sleep(300)) { // other numbers than those of the load: each opening runs it again
		try {
			const link = linkOf(await post(direct(nodes[random(3)]), token, `SELECT ${n} AS n`));
			if (link === undefined) continue;
			figures.links++;
			const got = await open(nodes[random(3)], link, token);
			if (got.status !== 200) continue;
			figures.opened++;
			if (got.text !== `n\r\n${n}\r\n`) fault(`the link of ${n} opened to ${JSON.stringify(got.text.slice(0, 200))}`);
		} catch { /* a node, or the store, is away */ }
	}
}

// A table is imported again and again, on the node that writes; all of its rows have one number, on whichever node.
const ROWS = 5000;
let told = 0;
async function bring(i) {
	const file = join(work, "harbour.csv");
	writeFileSync(file, `v,text\n${`${i},${"x".repeat(60)}\n`.repeat(ROWS)}`);
	for (const node of nodes)
		try {
			await node.carrel("dataset", "import", file, "--replace");
			told = i;
			figures.imports++;
			return;
		} catch { /* another one writes, or it is away */ }
}
async function imports() {
	for (let i = 1; loading; i = told === i ? i + 1 : i, await sleep(1000)) await bring(i);
}
async function shown(node, token) {
	const got = await fetch(`${direct(node)}/mcp`, { method: "POST", body: BODY("SELECT min(v), max(v), count(*) FROM harbour", "imports"), signal: AbortSignal.timeout(10000), headers: HEADERS(token) });
	return /\[(\d+),(\d+),(\d+)\]/.exec(await got.text())?.slice(1).map(Number);
}
async function tables(token) {
	for (; loading; await sleep(100)) {
		const node = nodes[random(3)], rows = await shown(node, token).catch(() => undefined);
		if (rows === undefined) continue;
		figures.tablesRead++;
		if (rows[0] !== rows[1] || rows[2] !== ROWS) fault(`${node.name} shows half of a table: ${rows}`);
	}
}
async function checkTables(token) {
	for (const node of nodes) {
		const late = Date.now() + 60000;
		let rows;
		while ((rows = await shown(node, token).catch(() => undefined))?.[0] !== told && Date.now() < late) await sleep(200);
		// One that was killed may have been finished.
		if (told > 0 && !(rows?.[0] >= told)) fault(`${node.name} shows ${rows} of the table, and ${told} was said to be there`);
	}
}

// Tokens are revoked on nodes that are well; what the command says is tried at each node that answers.
async function revoke() {
	for (let i = 0; loading; i++, await sleep(1500)) {
		const node = nodes[random(3)];
		if (node.harmed) continue;
		try {
			const token = await create(node, `short ${i}`);
			const before = await Promise.all(nodes.map((one) => post(direct(one), token.secret, "SELECT 1", 5000).catch(() => ({}))));
			const link = before.map(linkOf).find((one) => one !== undefined);
			const said = await node.carrel("token", "revoke", token.id);
			const told = said.ended?.nodes;
			figures.revoked++;
			if (told === undefined || told.waiting !== "") continue;
			for (const one of nodes) {
				const got = await post(direct(one), token.secret, "SELECT 1", 3000).catch(() => null);
				if (got === null) continue;
				figures.checkedRevoked++;
				if (isAnswer(got, 1)) fault(`${one.name} honours a token whose end it was said to know: ${told.message}`);
				if (link !== undefined && (await open(one, link, token.secret).catch(() => null))?.status === 200)
					fault(`${one.name} opens a link of a token whose end it was said to know`);
			}
		} catch { /* the store is away, or the node went */ }
	}
}

// A person signs in and allows a client something; the code is redeemed at all nodes at one time.
async function redeem() {
	process.env.ORIGIN = ENDS[0];
	const { Browser, code, draw, redirect, register } = await import("../integration/cli/oauth.mjs");
	let browser = null, client = null;
	for (; loading; await sleep(300)) {
		try {
			client ??= await register();
			if (browser === null) {
				const one = new Browser();
				if ((await one.signIn("ada", PASSWORD)).status === 303) browser = one;
				continue;
			}
			const verifier = draw(), got = await code(browser, client, verifier);
			const body = new URLSearchParams({ grant_type: "authorization_code", client_id: client, code: got, code_verifier: verifier, redirect_uri: redirect, resource: `${ENDS[0]}/mcp` });
			const ask = async (node) => (await fetch(`${direct(node)}/api/oauth/token`, { method: "POST", body, headers: { Host: "localhost" }, signal: AbortSignal.timeout(15000) })).json();
			const answers = await Promise.all(nodes.map((node) => ask(node).catch(() => null)));
			const tokens = answers.filter((a) => typeof a?.access_token === "string").length;
			figures.codes++;
			figures.redeemed += tokens;
			if (tokens > 1) fault(`a code was redeemed ${tokens} times`);
		} catch {
			browser = null; // the store is away, or the node went, or the session is of before
		}
	}
}

// Notes are given to any node.  Each is of a subject of its own, so that it becomes a page of its own.
const kept = new Map();
async function notes() {
	for (let i = 0; loading; i++, await sleep(700)) {
		const word = `wharf${[...String(i)].map((d) => "abcdefghij"[d]).join("")}`;
		try {
			const said = await nodes[random(3)].carrel("ingest", "text", `Remember: the ${word} closes at noon.`);
			const id = /mem-\d{13}-[0-9a-f]{24}/.exec(JSON.stringify(said))?.[0];
			if (id !== undefined) kept.set(id, word);
		} catch { /* the node, or the store, is away: not accepted, or not known to be */ }
	}
}
async function checkNotes() {
	for (const late = Date.now() + 60000; Date.now() < late && await psql("SELECT count(*) FROM carrel.note WHERE state < 3") !== "0";) await sleep(500);
	for (const row of (await psql("SELECT id FROM carrel.note WHERE state <> 3")).split("\n").filter((id) => id !== "")) fault(`the note ${row} was not written`);
	const pages = nodes.map((node) => execFileSync("bash", ["-c", "cat \"$0\"/wiki/global/*.md", node.dir], { encoding: "utf8" }));
	for (const [id, word] of kept) {
		const wrote = pages.filter((text) => new RegExp(`\\b${word}\\b`).test(text)).length;
		if (wrote !== 1) fault(`the note ${id} of ${word} was written by ${wrote} nodes`);
	}
	figures.notes = kept.size;
}

// --- what is done to them

const well = async (node, ms = 60000) => {
	for (const end = Date.now() + ms; Date.now() < end; await sleep(100)) {
		const got = await fetch(`${direct(node)}/health/ready`, { signal: AbortSignal.timeout(2000) }).catch(() => null);
		if (got?.status === 200) return true;
	}
	return false;
};

async function killed(node) {
	process.kill(node.pids()[0], "SIGKILL");
	await sleep(500 + random(2000));
	await node.start();
}
async function wounded(node) {
	const children = node.pids().slice(1);
	process.kill(children[random(children.length)], "SIGKILL");
}
async function stopped(node, loadToken) {
	const pids = node.pids();
	pids.forEach((pid) => process.kill(pid, "SIGSTOP"));
	const late = post(direct(node), loadToken, "SELECT 7", 30000).catch(() => null);
	await sleep(10000);
	pids.forEach((pid) => { try { process.kill(pid, "SIGCONT"); } catch { /* ended */ } });
	await late;
}
async function apart(node, loadToken) {
	const ms = [1000, 3000, 8000, 60000][random(Number(seconds) >= 300 ? 4 : 3)];
	node.ways.forEach((w) => w.hold(true));
	const from = Date.now();
	while (Date.now() - from < ms) {
		await sleep(Math.min(200, ms));
		if (Date.now() - from < LEASE + 500) continue;
		const got = await post(direct(node), loadToken, "SELECT 7", 5000).catch(() => null);
		if (got === null) continue;
		figures.cutChecked++;
		if (isAnswer(got, 7)) fault(`${node.name} answers ${Date.now() - from} ms after it was cut off from the store`);
	}
	node.ways.forEach((w) => w.hold(false));
}
// As an upgrade goes: drained, no call left, stopped, started, used again.
async function rolled(node) {
	const other = nodes.find((one) => one !== node);
	await other.carrel("cluster", "drain", node.name);
	await sleep(2500);
	await node.carrel("mcp", "stop");
	await node.start();
	await other.carrel("cluster", "drain", node.name, "--end");
}
async function promoted() {
	const old = primary;
	await run(pg, ["remove", join(work, old)]);
	await run(pg, ["promote", join(work, standby)]);
	primary = standby;
	standby = null;
	nodes.forEach((node) => node.ways.forEach((w) => w.cut()));
	const next = `pg${++made}`;
	await run(pg, ["standby", join(work, primary), join(work, next)]);
	standby = next;
}
async function crashed() {
	await run(pg, ["restart", join(work, primary), "immediate"]);
}

const ACTS = { killed, wounded, stopped, apart, rolled, promoted, crashed };
const plan = () => (process.env.SOAK_ACTS?.split(",") ?? Object.keys(ACTS)).map((act) => [random(1000), act]).sort().map(([, act]) => act);

async function harm(until, loadToken) {
	let todo = [];
	while (Date.now() < until) {
		if (todo.length === 0) todo = plan();
		const act = todo.pop(), node = nodes[random(3)];
		const store = act === "promoted" || act === "crashed", hit = store ? nodes : [node];
		hit.forEach((one) => { one.harmed = true; });
		tell(`${act}${store ? "" : ` ${node.name}`}`);
		figures.acts[act] = (figures.acts[act] ?? 0) + 1;
		try {
			await ACTS[act](node, loadToken);
		} catch (e) {
			fault(`${act}: ${e.stderr || e.message}`);
		}
		if (store) await sleep(3000); // until then a lease may hide that it was away
		for (const one of hit)
			if (!(await well(one))) fault(`${one.name} is not well a minute after it was ${act}`);
		hit.forEach((one) => { one.harmed = false; });
		await sleep(500 + random(1500));
	}
}

// --- an upgrade

const psql = async (sql) => (await run(pg, ["psql", join(work, primary), "-d", "carrel", "-Atc", sql])).stdout.trim();
const owner = async (node) => (await run("curl", ["-sS", "-m", "20", "-d", BODY("SELECT 8"), "-H", "Content-Type: application/json", "-H", "Accept: application/json, text/event-stream",
	"-H", `MCP-Protocol-Version: ${MODERN}`, "-H", "Mcp-Method: tools/call", "-H", "Mcp-Name: sql_execution", `${direct(node)}/mcp`])).stdout;

// What has to last over it, on each node: tokens, of each node; one that was revoked; a session; a grant, turned once each time.
const lasting = { tokens: [], revoked: null, session: null, client: null, grant: null };
const legacy = (node, body) => fetch(`${direct(node)}/mcp`, { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", ...body }), signal: AbortSignal.timeout(20000), headers: {
	Authorization: `Bearer ${lasting.tokens[0].secret}`, Host: "localhost", "Content-Type": "application/json", Accept: "application/json, text/event-stream",
	...(lasting.session && { "Mcp-Session-Id": lasting.session, "MCP-Protocol-Version": "2025-06-18" }) } });
async function prepare() {
	process.env.ORIGIN = ENDS[0];
	const { Browser, code, draw, redeem: first, register } = await import("../integration/cli/oauth.mjs");
	for (const node of nodes) lasting.tokens.push(await create(node, `lasting ${node.name}`));
	lasting.revoked = await create(nodes[2], "revoked");
	await nodes[2].carrel("token", "revoke", lasting.revoked.id);
	const opened = await legacy(nodes[0], { id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "soak", version: "1" } } });
	lasting.session = opened.headers.get("mcp-session-id");
	await opened.text();
	await (await legacy(nodes[0], { method: "notifications/initialized" })).text();
	lasting.client = await register();
	const browser = new Browser(), verifier = draw();
	await browser.signIn("ada", PASSWORD);
	lasting.grant = await first(lasting.client, await code(browser, lasting.client, verifier), verifier);
	if (lasting.session === null || lasting.grant.status !== 200) throw new Error(`not prepared: ${lasting.session} ${JSON.stringify(lasting.grant)}`);
}
async function lasts(when) {
	for (const node of nodes) {
		for (const token of lasting.tokens)
			if (!isAnswer(await post(direct(node), token.secret, "SELECT 5"), 5)) fault(`${when}: ${node.name} does not know a token`);
		const refused = await post(direct(node), lasting.revoked.secret, "SELECT 5");
		if (refused.status !== 401) fault(`${when}: ${node.name} answers ${refused.status} to a token that was revoked`);
		const called = await legacy(node, { id: 2, method: "tools/call", params: { name: "sql_execution", arguments: { connectionId: "warehouse", sql: "SELECT 40 + 2 AS n" } } });
		const said = await called.text();
		if (called.status !== 200 || !said.includes("42")) fault(`${when}: the session has ended at ${node.name}: ${called.status} ${said.slice(0, 200)}`);
		if (!isAnswer(await post(direct(node), lasting.grant.access_token, "SELECT 6"), 6)) fault(`${when}: ${node.name} does not know an access token`);
		const body = new URLSearchParams({ grant_type: "refresh_token", client_id: lasting.client, refresh_token: lasting.grant.refresh_token, resource: `${ENDS[0]}/mcp` });
		const next = await (await fetch(`${direct(node)}/api/oauth/token`, { method: "POST", body, headers: { Host: "localhost" }, signal: AbortSignal.timeout(15000) })).json();
		if (next.access_token === undefined) fault(`${when}: ${node.name} does not turn a refresh token: ${JSON.stringify(next)}`);
		else lasting.grant = next;
	}
}
async function again(node, from) {
	const other = nodes.find((one) => one !== node), late = Date.now() + 30000;
	await other.carrel("cluster", "drain", node.name);
	await sleep(1500); // HAProxy has seen it
	while (!/^carrel_calls_in_flight 0/m.test(await (await fetch(`${direct(node)}/metrics`)).text()) && Date.now() < late) await sleep(50);
	await node.carrel("mcp", "stop");
	node.put(from);
	await node.start();
	await other.carrel("cluster", "drain", node.name, "--end");
	if (!(await well(node))) fault(`${node.name} is not well after it was started`);
}
// The store's tables as of a version that needs all of its steps.
async function tooOld(node) {
	const least = await psql("SELECT least FROM carrel.version");
	await psql("UPDATE carrel.version SET least = taken");
	await node.carrel("mcp", "stop");
	await node.start();
	await sleep(2000);
	const health = await (await fetch(`${direct(node)}/health`)).text(), refused = await post(direct(node), lasting.tokens[0].secret, "SELECT 5");
	if (!health.includes("needs a newer Carrel") || !health.includes("upgrade this node")) fault(`${node.name} is too old for the tables, and does not say so: ${health}`);
	if (refused.status !== 503) fault(`${node.name} is too old for the tables, and answers ${refused.status}`);
	if (!(await owner(node)).includes("[8]")) fault(`${node.name} is too old for the tables, and does not serve its owner`);
	await psql(`UPDATE carrel.version SET least = ${least}`);
	if (!(await well(node, 20000))) fault(`${node.name} does not come back when the tables allow it again`);
}
async function upgrade(pause) {
	await prepare();
	const before = Number(await psql("SELECT taken FROM carrel.version"));
	await lasts("before");
	await sleep(pause);
	for (const [i, node] of nodes.entries()) {
		node.harmed = true;
		if (i === 1) {
			tell(`${node.name} is started again, older than the tables`);
			await again(node, old);
			await lasts("an older node was started");
		}
		if (i === 2) {
			tell(`${node.name} is too old for the tables`);
			await tooOld(node);
		}
		tell(`${node.name} is upgraded`);
		await again(node, bin);
		node.harmed = false;
		const taken = Number(await psql("SELECT taken FROM carrel.version"));
		if (taken <= before) fault(`the tables are of version ${taken} still`);
		figures.tables = `${before} to ${taken}`;
		await lasts(`${node.name} was upgraded`);
		await sleep(pause);
	}
}

// --- after all of it

// Each entry of each node's audit is in the store, once and as it is in the file.
async function copies() {
	for (const node of nodes) {
		const late = Date.now() + 30000;
		while (!/^carrel_audit_uncopied_entries 0/m.test(await (await fetch(`${direct(node)}/metrics`)).text().catch(() => "")) && Date.now() < late) await sleep(200);
		const copy = join(work, `${node.name}.copy.jsonl`), own = join(work, `${node.name}.jsonl`);
		await nodes[0].carrel("audit", "export", "--node", node.name, "-o", copy).catch((e) => fault(`the copy of ${node.name}: ${e.stderr}`));
		await node.carrel("audit", "export", "-o", own);
		const [has, is] = [copy, own].map((file) => readFileSync(file, "utf8"));
		figures.copied = (figures.copied ?? 0) + has.split("\n").length - 1;
		if (!is.startsWith(has) || is.length > has.length + 200000) fault(`the copy of ${node.name} is not its audit: ${has.length} of ${is.length} bytes`);
	}
	for (const node of nodes) await node.carrel("audit", "verify", "--all-nodes").catch((e) => fault(`the audits as ${node.name} sees them: ${e.stdout}${e.stderr}`));
	// At one time: what one of them says of another may be newer than what that one had exported before.
	await Promise.all(nodes.map((node) => node.carrel("audit", "export", "-o", join(work, `${node.name}.jsonl`))));
	await nodes[0].carrel("audit", "verify", ...nodes.map((node) => join(work, `${node.name}.jsonl`))).catch((e) => fault(`the exports: ${e.stdout}${e.stderr}`));
}

async function audits() {
	const times = new Map();
	for (const node of nodes) {
		await node.carrel("audit", "verify").catch((e) => fault(`the audit of ${node.name}: ${e.stdout}${e.stderr}`));
		const file = join(work, `${node.name}.jsonl`);
		await run(join(bin, "carrel"), ["-C", node.dir, "audit", "export", "-o", file]);
		for (const line of readFileSync(file, "utf8").split("\n")) {
			const n = /SELECT (1\d{8})\b/.exec(line)?.[1];
			if (n !== undefined && line.includes("outcome") && /outcome\\?":\\?"ok/.test(line)) times.set(Number(n), (times.get(Number(n)) ?? 0) + 1);
		}
	}
	figures.onRecord = times.size;
	figures.twice = [...times.values()].filter((t) => t > 1).length;
	figures.withoutEntry = [...answered].filter((n) => !times.has(n)).length;
	if (figures.twice > 0) fault(`${figures.twice} statements were run twice`);
	if (figures.withoutEntry > 0) fault(`${figures.withoutEntry} answers have no entry in any audit`);
}

for (const node of nodes) {
	await node.start();
	if (!(await well(node))) throw new Error(`${node.name} does not start: ${readFileSync(join(node.dir, ".carrel/logs/mcp.log"), "utf8").slice(-2000)}`);
}
writeFileSync(join(work, "password"), `${PASSWORD}\n`, { mode: 0o600 });
await nodes[0].carrel("user", "add", "ada", "--role", "contributor", "--password-file", join(work, "password"));
// nginx keeps a credential with a node: several, so that all of them are used.
const tokens = [];
for (let i = 0; i < 6; i++) tokens.push((await create(nodes[0], `load ${i}`)).secret);
const loads = [];
for (const end of ENDS) {
	let first = { status: 0, text: "" };
	for (const late = Date.now() + 20000; !isAnswer(first, 1) && Date.now() < late; await sleep(200))
		first = await post(end, tokens[0], "SELECT 1").catch((e) => ({ status: 0, text: String(e) }));
	if (!isAnswer(first, 1)) throw new Error(`${end} answers ${first.status} ${first.text.slice(0, 300)}`);
	for (let i = 0; i < 3; i++) loads.push(load(end, tokens.slice(2 * i, 2 * i + 2)));
	loads.push(session(end, tokens[0]));
}
loads.push(revoke(), redeem(), notes());
if (old === undefined) loads.push(links(tokens[2]), imports(), tables(tokens[3]));
if (old !== undefined) await upgrade(Number(seconds) * 250);
else await harm(began + Number(seconds) * 1000, tokens[0]);
await sleep(2000);
loading = false;
await Promise.all(loads);
figures.answered = answered.size;
figures.longestWithoutAnswerMs = longest;
for (const end of ENDS) {
	const got = await post(end, tokens[1], "SELECT 1").catch((e) => ({ status: 0, text: String(e) }));
	if (!isAnswer(got, 1)) fault(`${end} is not well at the end: ${got.status} ${got.text.slice(0, 200)}`);
}
if (old === undefined) await checkTables(tokens[3]);
await copies();
await checkNotes();
await audits();
figures.seconds = Math.round((Date.now() - began) / 1000);
console.log(JSON.stringify(figures));
console.log(wrong.length === 0 ? "nothing was wrong" : `${wrong.length} wrong`);
process.exit(wrong.length === 0 ? 0 : 1);
