// support - fresh demo projects on SQLite and PostgreSQL, daemons of them, and
// the official clients of both generations over both transports.
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const bin = resolve(process.env.CARREL_BIN ?? join(root, "build/bin"));
const run = promisify(execFile);

export const MODERN = "2026-07-28";

// Run `carrel` in a project and return its JSON.
export async function carrel(dir, ...args) {
	const { stdout } = await run(join(bin, "carrel"), ["--project-dir", dir, ...args, "--json"],
		{ maxBuffer: 64 << 20 });
	return stdout.trim() === "" ? null : JSON.parse(stdout);
}

// A project that serves the demo warehouse from SQLite, and what undoes it.
export function sqliteProject() {
	const dir = mkdtempSync(join(tmpdir(), "carrel-clients-"));
	execFileSync(join(bin, "carrel"), ["init", "--demo", dir], { stdio: "ignore" });
	return { dir, drop: () => rmSync(dir, { recursive: true, force: true }) };
}

// The same warehouse in a PostgreSQL server of our own.
export function postgresProject() {
	const dir = mkdtempSync(join(tmpdir(), "carrel-clients-"));
	const script = (name, ...args) => execFileSync(join(root, name), args, { encoding: "utf8",
		env: { ...process.env, BIN_DIR: bin } });
	const server = join(dir, "server");
	script("tests/support/pg.sh", "start", server);
	const url = script("tests/support/pg.sh", "url", server).trim();
	const drop = () => {
		script("tests/support/pg.sh", "stop", server);
		rmSync(dir, { recursive: true, force: true });
	};
	try {
		const demo = join(dir, "demo");
		execFileSync(join(bin, "carrel"), ["init", "--demo", demo], { stdio: "ignore" });
		script("demo/load_postgres.sh", url, join(demo, "warehouse.db"));
		const project = join(dir, "project");
		execFileSync(join(bin, "carrel"), ["init", project], { stdio: "ignore" });
		writeFileSync(join(project, "carrel.yaml"),
			`connections:\n  warehouse:\n    driver: postgres\n    url: file:warehouse.url\n`);
		writeFileSync(join(project, "warehouse.url"), url, { mode: 0o600 });
		execFileSync(join(bin, "carrel"), ["--project-dir", project, "scan"], { stdio: "ignore" });
		return { dir: project, drop };
	} catch (error) {
		drop();
		throw error;
	}
}

// Start the project's daemon on a free port; stop() ends it.
export async function startDaemon(dir) {
	const { url } = await carrel(dir, "mcp", "start", "--port", "0");
	return { url, stop: () => carrel(dir, "mcp", "stop") };
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
	{ name: "1.x", make: client1, Http: Http1, Stdio: Stdio1 },
	{ name: "2.x legacy", make: () => client2("legacy"), Http: Http2, Stdio: Stdio2 },
	{ name: "2.x auto", make: () => client2("auto"), Http: Http2, Stdio: Stdio2, modern: true },
	{ name: `2.x pinned ${MODERN}`, make: () => client2({ pin: MODERN }), Http: Http2, Stdio: Stdio2, modern: true },
];

export const transports = {
	http: (kind, place) => new kind.Http(new URL(place.url)),
	stdio: (kind, place) => new kind.Stdio({
		command: join(bin, "carrel"),
		args: ["mcp", "stdio", "--project-dir", place.dir],
		stderr: "ignore",
	}),
};

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
