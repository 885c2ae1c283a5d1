// nodes - a project served by three nodes with one store: each request goes to one of them, drawn at random.
import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { carrel, freePort, pg } from "./support.mjs";

export const NAMES = ["north", "south", "west"];
export const psql = (...args) => execFileSync(pg, ["psql", process.env.PG_DIR, ...args], { encoding: "utf8" }).trim();

let seed = Number(process.env.SOAK_SEED ?? 1) >>> 0, made = 0;
const random = (n) => {
	seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
	return Math.floor(seed / 2 ** 32 * n);
};

// Passes each request to a node of ports.
const scatter = (ports, asked) => http.createServer((request, response) => {
	const i = random(ports.length);
	asked[i]++;
	const onward = http.request({ host: "127.0.0.1", port: ports[i], method: request.method, path: request.url, headers: request.headers }, (answer) => {
		response.writeHead(answer.statusCode, answer.headers);
		response.flushHeaders();
		answer.on("end", () => response.addTrailers(answer.trailers));
		answer.pipe(response);
	});
	onward.on("error", () => response.destroy());
	response.on("close", () => onward.destroy());
	request.pipe(onward);
});

// Have the project of dir, whose state moves into a database of PG_DIR's server, served by its own directory and two copies of
// it; configuration is added to that of all.  asked counts what came to each.
export async function startNodes(dir, configuration = "") {
	const database = `carrel_${process.pid}_${made++}`, work = mkdtempSync(join(tmpdir(), "carrel-nodes-"));
	const dirs = NAMES.map((name, i) => i === 0 ? dir : join(work, name)), url = join(work, "url"), ports = [];
	const asked = NAMES.map(() => 0);
	psql("-c", `CREATE ROLE ${database} LOGIN PASSWORD 'topsecret'`, "-c", `CREATE DATABASE ${database} OWNER ${database}`);
	writeFileSync(url, execFileSync(pg, ["dsn", process.env.PG_DIR, database, "topsecret", database], { encoding: "utf8" }), { mode: 0o600 });
	const own = readFileSync(join(dir, "carrel.yaml"));
	if (existsSync(join(dir, ".carrel/state.db"))) await carrel(dir, "state", "migrate", "--to", `file:${url}`);
	const balancer = scatter(ports, asked);
	await new Promise((done) => balancer.listen(0, "127.0.0.1", done));
	const origin = `http://127.0.0.1:${balancer.address().port}`;
	appendFileSync(join(dir, "carrel.yaml"), `\nstate: file:${url}\n${configuration}`);
	if (!/^server:/m.test(own)) appendFileSync(join(dir, "carrel.yaml"), `server: { public_url: '${origin}' }\n`);
	for (const copy of dirs.slice(1)) {
		cpSync(dir, copy, { recursive: true, verbatimSymlinks: true });
		for (const suffix of ["", "-wal", "-shm", "-head"]) rmSync(join(copy, `.carrel/state.db${suffix}`), { force: true });
	}
	for (const [i, one] of dirs.entries()) {
		appendFileSync(join(one, "carrel.yaml"), `node: { name: ${NAMES[i]} }\n`);
		if (i > 0) cpSync(join(dir, ".carrel/signing.key"), join(one, ".carrel/signing.key"));
		ports.push(await freePort());
		await carrel(one, "mcp", "start", "--port", String(ports[i]));
	}
	return { url: `${origin}/mcp`, dirs, ports, asked, database, stop: async () => {
		balancer.closeAllConnections();
		balancer.close();
		for (const one of dirs) await carrel(one, "mcp", "stop").catch(() => {});
		writeFileSync(join(dir, "carrel.yaml"), own);
		rmSync(work, { recursive: true, force: true });
	} };
}
