// support - fresh demo projects on SQLite and PostgreSQL, daemons of them, and
// the official clients of both generations over both transports.
import { execFile, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport as Sse1 } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { Client as Client2, SSEClientTransport as Sse2, StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
export const bin = resolve(process.env.CARREL_BIN ?? join(root, "build/bin"));
const run = promisify(execFile);

// What holds a secret of some test (tests/support/secrets) among these files; folders are searched but for .carrel/secrets.
function leaks(...places) {
	if (places.length === 0)
		return "";
	try {
		return execFileSync("grep", ["-rlaEf", join(root, "tests/support/secrets"), "--exclude-dir=secrets", "-s", ...places], { encoding: "utf8" });
	} catch {
		return ""; // none, or none can be read
	}
}

function assertNoLeaks(...places) {
	const found = leaks(...places);
	if (found !== "")
		throw new Error(`a secret is in ${found}`);
}

// The arguments and the environment of a project's daemon and its children; none when it is gone already.
function processesOf(dir) {
	try {
		const { pid } = JSON.parse(readFileSync(join(dir, ".carrel/mcp.json"), "utf8"));
		const children = execFileSync("pgrep", ["-P", String(pid)], { encoding: "utf8" }).trim().split("\n");
		return [pid, ...children].flatMap((one) => [`/proc/${one}/cmdline`, `/proc/${one}/environ`]);
	} catch {
		return [];
	}
}

// The script that runs the throw-away PostgreSQL server.
export const pg = join(root, "tests/support/pg.sh");

export const MODERN = "2026-07-28";

// Run `carrel` in a project and return its JSON.
export async function carrel(dir, ...args) {
	const { stdout } = await run(join(bin, "carrel"), ["--project-dir", dir, ...args, "--json"],
		{ maxBuffer: 64 << 20 });
	return stdout.trim() === "" ? null : JSON.parse(stdout);
}

// The same with text on its standard input.
export function carrelWith(dir, input, ...args) {
	const said = execFileSync(join(bin, "carrel"), ["--project-dir", dir, ...args, "--json"], { input, encoding: "utf8" });
	return said.trim() === "" ? null : JSON.parse(said);
}

// A project that serves the demo warehouse from SQLite, and what undoes it.
export function sqliteProject() {
	const dir = mkdtempSync(join(tmpdir(), "carrel-clients-"));
	execFileSync(join(bin, "carrel"), ["init", "--demo", dir], { stdio: "ignore" });
	return { dir, drop: () => dropProject(dir) };
}

// Everything of a project goes; no secret is in what Carrel wrote there.
function dropProject(dir) {
	const found = leaks(join(dir, ".carrel"), join(dir, "project/.carrel"));
	rmSync(dir, { recursive: true, force: true });
	if (found !== "")
		throw new Error(`a secret is in ${found}`);
}

// The same warehouse in the PostgreSQL server of PG_DIR (tests/support/pg.sh), read by an account that cannot write.
export function postgresProject(database = "shop") {
	const dir = mkdtempSync(join(tmpdir(), "carrel-clients-"));
	const drop = () => dropProject(dir);
	try {
		return { dir: fillPostgres(dir, database), drop };
	} catch (error) {
		drop();
		throw error;
	}
}

function fillPostgres(dir, database) {
	const server = process.env.PG_DIR;
	const psql = (...args) => execFileSync(pg, ["psql", server, ...args], { encoding: "utf8" }).trim();
	const init = (...args) => execFileSync(join(bin, "carrel"), ["init", ...args], { stdio: "ignore" });
	const demo = join(dir, "demo"), project = join(dir, "project"), reader = database === "shop" ? "reader" : `${database}_reader`;

	init("--demo", demo);
	// One server serves all files of tests, one after the other.
	psql("-c", `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`, "-c", `DROP ROLE IF EXISTS ${reader}`,
		"-c", `CREATE DATABASE ${database}`, "-c", `CREATE ROLE ${reader} LOGIN PASSWORD 'only:reads'`);
	const port = psql("-Atc", "SHOW port");
	execFileSync(join(root, "demo/load_postgres.sh"),
		[`host=${server}/run port=${port} user=postgres dbname=${database}`, join(demo, "warehouse.db")]);
	psql("-c", `\\c ${database}`, "-c", `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${reader}`);

	init(project);
	execFileSync(join(bin, "carrel"), ["--project-dir", project, "connection", "add", "warehouse", "--host", "127.0.0.1",
		"--port", port, "--database", database, "--user", reader, "--password-stdin"], { input: "only:reads\n" });
	execFileSync(join(bin, "carrel"), ["--project-dir", project, "scan"], { stdio: "ignore" });
	return project;
}

// Start the project's daemon on a free port; stop() ends it.  With CARREL_SCATTERED: three nodes (nodes.mjs).
export async function startDaemon(dir) {
	if (process.env.CARREL_SCATTERED) return (await import("./nodes.mjs")).startNodes(dir);
	const { url } = await carrel(dir, "mcp", "start", "--port", "0");
	return { url, dirs: [dir], stop: () => {
		assertNoLeaks(...processesOf(dir));
		return carrel(dir, "mcp", "stop");
	} };
}

export const freePort = () => new Promise((done) => {
	const server = net.createServer().listen(0, "127.0.0.1", () => {
		const { port } = server.address();
		server.close(() => done(port));
	});
});

// The build for the conformance suite on a free port: where it is, its process, and what becomes of that.
// A port that was free may be somebody's by then: another one is tried.
// prepare(dir) is called with its project, whose configuration has config too, before it is served.
export async function serveFixture({ ignoring, prepare, config = "", tries: left = 5 } = {}) {
	const port = await freePort();
	const serve = join(root, "tests/conformance/serve");
	const dir = join(root, `build/conformance/project-${port}`);
	if (prepare) {
		mkdirSync(dir, { recursive: true });
		writeFileSync(join(dir, "carrel.yaml"), `server:\n  host: 127.0.0.1\n  port: ${port}\n${config}`);
		await prepare(dir);
	}
	const [command, ...args] = ignoring ? ["bash", "-c", `trap "" ${ignoring}; exec "$@"`, "-", serve] : [serve];
	const server = spawn(command, [...args, "--port", String(port)], { stdio: "ignore" });
	const ended = new Promise((done) => server.on("exit", (code, signal) => {
		rmSync(dir, { recursive: true, force: true });
		done({ code, signal });
	}));
	for (let tries = 0; !(await fetch(`http://localhost:${port}/health`).catch(() => null))?.ok; tries++) {
		if (server.exitCode === 1 && left > 1) return serveFixture({ ignoring, prepare, config, tries: left - 1 });
		if (tries === 1200 || server.exitCode !== null) {
			server.kill("SIGKILL");
			throw new Error("the fixture is not served");
		}
		await new Promise((next) => setTimeout(next, 100));
	}
	return { url: `http://localhost:${port}/mcp`, dir, server, ended };
}

const info = { name: "carrel-tests", version: "1" };

function client1() {
	const client = new Client1(info);
	return {
		client,
		call: (name, args, options) => client.callTool({ name, arguments: args }, CallToolResultSchema, options),
	};
}

function client2(mode) {
	const client = new Client2(info, { versionNegotiation: { mode } });
	return { client, call: (name, args, options) => client.callTool({ name, arguments: args }, options) };
}

// Every client we promise to serve: generation, and how it finds the revision.
export const clients = [
	{ name: "1.x", make: client1, Http: Http1, Sse: Sse1, Stdio: Stdio1 },
	{ name: "2.x legacy", make: () => client2("legacy"), Http: Http2, Sse: Sse2, Stdio: Stdio2 },
	{ name: "2.x auto", make: () => client2("auto"), Http: Http2, Stdio: Stdio2, modern: true },
	{ name: `2.x pinned ${MODERN}`, make: () => client2({ pin: MODERN }), Http: Http2, Stdio: Stdio2, modern: true },
];

export const transports = {
	http: (kind, place) => new kind.Http(new URL(place.url)),
	sse: (kind, place) => new kind.Sse(new URL(`${place.url}/sse`)),
	stdio: (kind, place) => stdioAs(kind, place.dir, undefined),
};

// A client over stdio, with these variables beside what it passes on by itself.
export const stdioAs = (kind, dir, env) => new kind.Stdio({
	command: join(bin, "carrel"),
	args: ["mcp", "stdio", "--project-dir", dir],
	env: env && { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
	stderr: "ignore",
});

// Those that a client has: HTTP+SSE ended with the modern era, and its stream stays with one node.
export const transportsOf = (kind) => Object.keys(transports).filter((name) => name !== "sse" || (kind.Sse && !process.env.CARREL_SCATTERED));

// Connect, hand the session to body, and close it whatever happens.
export async function withClient(kind, transport, place, body) {
	const session = kind.make();
	await session.client.connect(transports[transport](kind, place));
	try {
		await body(session);
	} finally {
		await session.client.close();
	}
}
