// What a page of somebody else can do to a daemon on this machine, tried with a
// real Chromium where there is one: nothing it can send is answered with more
// than a refusal, whatever it is sent with and whoever's page it is.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { sqliteProject, startDaemon } from "./support.mjs";

const browser = ["chromium", "chromium-browser", "google-chrome"].find((name) => {
	try {
		execFileSync("which", [name], { stdio: "ignore" });
		return true;
	} catch {
		return false;
	}
});
const skip = browser === undefined && "no Chromium here (apt-get install chromium)";

let project, daemon, port, tap, evil, dir;
const sockets = new Set();
const seen = [];	// what reached the daemon, and what it answered: { line, head, status }

// Between browser and daemon, which changes nothing.
function listenIn() {
	const server = net.createServer((from) => {
		const to = net.connect(port, "127.0.0.1");
		sockets.add(from).add(to);
		let asked = "", answered = "";
		from.on("data", (data) => {
			asked += data.toString("latin1");
			to.write(data);
		});
		to.on("data", (data) => {
			answered += data.toString("latin1");
			const status = /^HTTP\/1\.1 (\d+)/.exec(answered);
			if (status !== null) {
				seen.push({ line: asked.split("\r\n")[0], head: asked.split("\r\n\r\n")[0], status: Number(status[1]) });
				asked = answered = "";
			}
			from.write(data);
		});
		for (const [one, other] of [[from, to], [to, from]]) {
			one.on("error", () => other.destroy());
			one.on("close", () => other.destroy());
		}
	});
	return new Promise((done) => server.listen(0, "127.0.0.1", () => done(server)));
}

// Everything a page can send, each marked in its path by what it was tried with.
function attempts(target, mark) {
	const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
	return `
	const at = (path, how) => ${JSON.stringify(target)} + path + "?" + ${JSON.stringify(mark)} + "-" + how;
	const body = ${JSON.stringify(message)}, tries = [];
	const put = (html) => { const e = document.createElement("div"); e.innerHTML = html; document.body.append(e); return e; };
	for (const mode of ["cors", "no-cors"]) for (const path of ["/mcp", "/mcp/sse", "/health", "/health/ready", "/mcp/messages"]) {
		tries.push(fetch(at(path, "get-" + mode), { mode, credentials: "include" }));
		tries.push(fetch(at(path, "post-" + mode), { mode, method: "POST", body, headers: { "Content-Type": "text/plain" } }));
	}
	tries.push(fetch(at("/mcp", "post-json"), { method: "POST", body, headers: { "Content-Type": "application/json" } }));
	tries.push(fetch(at("/mcp", "delete"), { method: "DELETE", headers: { "Mcp-Session-Id": "x" } }));
	tries.push(fetch(at("/mcp", "put"), { method: "PUT", body }));
	tries.push(new Promise((done) => { const x = new XMLHttpRequest(); x.open("POST", at("/mcp", "xhr")); x.onloadend = done; x.send(body); }));
	tries.push(new Promise((done) => { const s = new EventSource(at("/mcp/sse", "eventsource")); s.onerror = () => { s.close(); done(); }; s.onopen = done; }));
	tries.push(new Promise((done) => { const s = new WebSocket(at("/mcp", "websocket").replace("http", "ws")); s.onerror = s.onopen = done; }));
	navigator.sendBeacon(at("/mcp", "beacon"), body);
	navigator.sendBeacon(at("/mcp", "beacon-blob"), new Blob([body], { type: "text/plain" }));
	put('<img src="' + at("/mcp/sse", "img") + '"><link rel="stylesheet" href="' + at("/mcp/sse", "css") + '"><iframe src="' + at("/mcp/sse", "iframe") +
		'"></iframe><object data="' + at("/mcp/sse", "object") + '"></object><video src="' + at("/mcp/sse", "video") + '"></video>' +
		'<iframe sandbox="allow-scripts" srcdoc="<script>fetch(&quot;' + at("/mcp/sse", "sandboxed") + '&quot;,{mode:&quot;no-cors&quot;})<' + '/script>"></iframe>' +
		'<iframe src="data:text/html,<script>fetch(%22' + at("/mcp", "data-url") + '%22,{method:%22POST%22,mode:%22no-cors%22,body:%22{}%22})<' + '/script>"></iframe>');
	const script = document.createElement("script");
	script.src = at("/mcp/sse", "script");
	document.body.append(script);
	const module_ = document.createElement("script");
	module_.type = "module";
	module_.src = at("/mcp/sse", "module");
	document.body.append(module_);
	for (const enctype of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
		const name = "f" + enctype.length;
		put('<iframe name="' + name + '"></iframe><form method="post" target="' + name + '" enctype="' + enctype + '" action="' + at("/mcp", "form-" + enctype.length) +
			'"><input name=\\'{"jsonrpc":"2.0","id":1,"method":"tools/list","x":"\\' value=\\'"}\\'></form>').querySelector("form").submit();
	}
	put('<iframe name="g"></iframe><form method="get" target="g" action="' + at("/mcp/sse", "").split("?")[0] + '"><input name="' +
		at("", "form-get").split("?")[1] + '"></form>').querySelector("form").submit();
	const worker = new Worker(URL.createObjectURL(new Blob(['fetch("' + at("/mcp/sse", "worker") + '",{mode:"no-cors"})'])));
	Promise.race([Promise.allSettled(tries), new Promise((done) => setTimeout(done, 4000))]).then(() => setTimeout(() => {
		new Image().src = "http://evil.test:REPORT/done?" + ${JSON.stringify(mark)};
		location.href = at("/mcp/sse", "navigation");
	}, 1000));`;
}

const page = (script) => `<!doctype html><meta charset="utf-8"><body><script>${script}</script></body>`;

// A server of pages: /attack, /redirect to the daemon, /done when a page has tried all.
function startEvil() {
	const waiting = new Map();
	const server = http.createServer((request, response) => {
		const url = new URL(request.url, "http://evil.test"), to = server.address().port;
		if (url.pathname === "/done") {
			waiting.get(url.search.slice(1))?.();
			response.end();
		} else if (url.pathname === "/redirect")
			response.writeHead(Number(url.searchParams.get("status")), { Location: url.searchParams.get("to") }).end();
		else
			response.writeHead(200, { "Content-Type": "text/html" })
				.end(page(attempts(`http://127.0.0.1:${port}`, url.search.slice(1)).replaceAll("REPORT", to) +
					[302, 303, 307].map((status) => `fetch("/redirect?status=${status}&to=" + encodeURIComponent(at("/mcp/sse", "redirect-${status}")),
						{ mode: "no-cors", method: "POST", body: "{}" });`).join("")));
	});
	server.done = (mark) => new Promise((done) => waiting.set(mark, done));
	return new Promise((done) => server.listen(0, "127.0.0.1", () => done(server)));
}

// When a request whose line holds the text has reached the daemon, or after so long.
async function arrives(text, ms = 30000) {
	for (const end = Date.now() + ms; Date.now() < end && !seen.some(({ line }) => line.includes(text));)
		await sleep(50);
}

// When a page has tried all, and come to the navigation it ends with.
const tried = (mark) => evil.done(mark).then(() => arrives(`?${mark}-navigation`, 1500));

// Open a page until then, or for so long.
async function visit(url, until, ms = 30000) {
	const profile = mkdtempSync(join(dir, "profile-"));
	const child = spawn(browser, ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions", "--disable-dev-shm-usage",
		`--user-data-dir=${profile}`, "--allow-file-access-from-files", "--disable-background-networking",
		`--host-resolver-rules=MAP 127.0.0.1:${port} 127.0.0.1:${tap.address().port},MAP rebind.test:${port} 127.0.0.1:${tap.address().port},` +
		`MAP evil.test 127.0.0.1`, url], { stdio: "ignore", detached: true });
	await Promise.race([until, new Promise((done) => setTimeout(done, ms).unref())]);
	try {
		process.kill(-child.pid, "SIGKILL");	// the group we started
	} catch {}
	await new Promise((done) => (child.exitCode ?? child.signalCode) !== null ? done() : child.once("exit", done));
}

before(async () => {
	if (skip)
		return;
	dir = mkdtempSync(join(tmpdir(), "carrel-browser-"));
	project = sqliteProject();
	daemon = await startDaemon(project.dir);
	port = Number(new URL(daemon.url).port);
	tap = await listenIn();
	evil = await startEvil();
});

after(async () => {
	for (const socket of sockets)
		socket.destroy();
	tap?.close();
	evil?.closeAllConnections();
	evil?.close();
	await daemon?.stop();
	project?.drop();
	if (dir !== undefined)
		rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
});

function assertRefused(mark, most, least) {
	const ours = seen.filter(({ line }) => line.includes(`?${mark}-`));
	for (const { line, status, head } of ours)
		assert.equal(status, 403, `${line} was answered with ${status}\n${head}`);
	const kinds = new Set(ours.map(({ line }) => new RegExp(`\\?${mark}-([a-z0-9-]+)`).exec(line)[1]));
	for (const kind of most)
		assert.ok(kinds.has(kind), `${kind} did not reach the daemon; there were ${[...kinds].join(" ")}`);
	assert.ok(ours.length >= least, `only ${ours.length} requests`);
}

const KINDS = ["get-cors", "get-no-cors", "post-no-cors", "post-json", "eventsource", "img", "script", "iframe", "form-10", "form-get", "navigation"];

test("a page of another site", { skip }, async () => {
	await visit(`http://evil.test:${evil.address().port}/attack?cross`, tried("cross"));
	assertRefused("cross", [...KINDS, "redirect-307"], 30);
});

test("a page on another port of this machine", { skip }, async () => {
	await visit(`http://127.0.0.1:${evil.address().port}/attack?port`, tried("port"));
	assertRefused("port", KINDS, 30);
});

test("a page in a file", { skip }, async () => {
	const file = join(dir, "attack.html");
	writeFileSync(file, page(attempts(`http://127.0.0.1:${port}`, "file").replaceAll("REPORT", evil.address().port)));
	await visit(`file://${file}`, tried("file"));
	assertRefused("file", KINDS.filter((kind) => kind !== "navigation"), 25);
});

test("a name that was made to point here", { skip }, async () => {
	await visit(`http://rebind.test:${port}/health?rebind-navigation`, arrives("?rebind-navigation"));
	assertRefused("rebind", ["navigation"], 1);
});

test("the owner's own address bar is answered", { skip }, async () => {
	await visit(`http://127.0.0.1:${port}/health?own`, arrives("?own"));
	assert.equal(seen.find(({ line }) => line.includes("?own"))?.status, 200);
});

test("nothing of it opened a session or made a call", { skip }, async () => {
	const figures = JSON.parse(execFileSync(join(process.env.CARREL_BIN ?? "build/bin", "carrel"), ["--json", "-C", project.dir, "status"]));
	const text = JSON.stringify(figures);
	assert.match(text, /"sessions":0/);
});
