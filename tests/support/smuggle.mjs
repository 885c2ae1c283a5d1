// What one client of a reverse proxy can do to the requests of others: raw bytes that a proxy and the server behind it
// might read as different requests. After each the proxy's other clients get the answers to their own requests.
// usage: smuggle.mjs HOST PORT; speaks TLS to 127.0.0.1.
import assert from "node:assert/strict";
import tls from "node:tls";
import { gzipSync } from "node:zlib";

const [name, port] = process.argv.slice(2), host = `${name}:${port}`;
const second = `GET /smuggled HTTP/1.1\r\nHost: ${host}\r\n\r\n`;

// All answers to these bytes: [{status, text}], until the other end has closed or said nothing for a while.
function send(bytes, quiet = 300) {
	return new Promise((done) => {
		let said = "", timer;
		const socket = tls.connect({ host: "127.0.0.1", port, servername: name, rejectUnauthorized: false, ALPNProtocols: ["http/1.1"] });
		const end = () => {
			socket.destroy();
			done([...said.matchAll(/HTTP\/1\.[01] (\d{3})[^]*?(?=HTTP\/1\.[01] \d{3}|$)/g)].map(([text, status]) => ({ status: Number(status), text }))
				.filter(({ status }) => status >= 200));
		};
		const wait = () => {
			clearTimeout(timer);
			timer = setTimeout(end, said === "" ? 20 * quiet : quiet);
		};
		socket.on("secureConnect", () => { socket.write(bytes); wait(); });
		socket.on("data", (data) => { said += data; wait(); });
		socket.on("close", end).on("error", () => {});
	});
}

const post = (fields, body) => `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n${fields}\r\n\r\n${body}`;
const get = (path, fields = "") => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${fields}\r\n`;
const chunked = "Transfer-Encoding: chunked";

// Others, on connections of their own, which may share the proxy's with the server.
async function honest(after) {
	const all = await Promise.all(["/health", "/nowhere", "/health", "/nowhere"].map(async (path) =>
		[path, await send(get(path, "Connection: close\r\n"))]));
	for (const [path, answers] of all)
		assert.deepEqual(answers.map(({ status }) => status), [path === "/health" ? 200 : 404], `${path} after ${JSON.stringify(after)}: ${answers.map(({ text }) => text.slice(0, 200))}`);
}

const attacks = [
	post(`Content-Length: 5\r\n${chunked}`, `0\r\n\r\n${second}`),
	post(`${chunked}\r\nContent-Length: ${5 + second.length}`, `0\r\n\r\n${second}`),
	...["Transfer-Encoding : chunked", "Transfer-Encoding: xchunked", "Transfer-Encoding:\x0bchunked", "Transfer-Encoding: \"chunked\"",
		"X: x\nTransfer-Encoding: chunked", "Transfer-Encoding\r\n : chunked", "Transfer-Encoding: chunked\r\nTransfer-Encoding: cow",
		"Transfer-Encoding: identity, chunked", "transfer_encoding: chunked"].map((te) => post(`Content-Length: 5\r\n${te}`, `0\r\n\r\n${second}`)),
	post("Content-Length: 0\r\nContent-Length: 60", second), post("Content-Length: +0", second), post("Content-Length: 0, 60", second),
	post("Content-Length: 0x3c", second), post(chunked, `5\n{"a":\n0\n\n${second}`), post(chunked, `fffffffffffffffff0\r\n${second}`),
	post(chunked, `0;a="\r\n\r\n"\r\n\r\n${second}`), post(chunked, `5 \r\n{"a":\r\n0\r\n\r\n${second}`), post(chunked, `0\r\nHost: x\r\n\r\n${second}`),
	post(`${chunked}\r\nExpect: 100-continue`, `0\r\n\r\n${second}`), post("Content-Length: 5\r\nExpect: 200-ok", `{"a":${second}`),
	`GET /health HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${second.length}\r\n\r\n${second}`,
	`GET /health HTTP/1.1\r\nHost: ${host}\r\n${chunked}\r\n\r\n0\r\n\r\n${second}`,
	`GET /health HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n${second}`,
	`GET /health HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n${second}`,
	`GET http://127.0.0.1/health HTTP/1.1\r\nHost: ${host}\r\n\r\n`, `GET /health HTTP/1.1\r\nHost: ${host}\r\nHost: 127.0.0.1\r\n\r\n`,
	`GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`, `GET /health HTTP/1.0\r\n\r\n${second}`, `GET /health\r\n\r\n${second}`,
	`GET /he\0alth HTTP/1.1\r\nHost: ${host}\r\n\r\n`, `GET /health\r\nX: HTTP/1.1\r\nHost: ${host}\r\n\r\n${second}`,
];

await honest("nothing");
for (const attack of attacks) {
	const answers = await send(attack);
	// At most the two requests that the bytes can be read as, and of the owner's nothing.
	assert.ok(answers.length <= 2, `${JSON.stringify(attack)}: ${answers.length} answers`);
	for (const { text } of answers) assert.ok(!/projectDir|workers/.test(text), `${JSON.stringify(attack)}: ${text}`);
	await honest(attack);
}
// Requests in one packet are answered in their order, each once.
const pipelined = await send(get("/health") + get("/nowhere") + get("/health") + get("/nowhere", "Connection: close\r\n"), 2000);
assert.deepEqual(pipelined.map(({ status }) => status), [200, 404, 200, 404]);
// A compressed body is not read.
const packed = gzipSync(Buffer.alloc(64 << 20, 32));
const [refused] = await send(Buffer.concat([Buffer.from(post(`Content-Encoding: gzip\r\nContent-Length: ${packed.length}`, "")), packed]), 2000);
assert.ok(refused.status === 415 || refused.status === 401, `a compressed body: ${refused.status}`);
console.log(`${attacks.length} attacks`);
