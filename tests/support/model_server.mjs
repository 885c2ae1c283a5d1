// model_server - a played model behind an OpenAI-compatible endpoint. usage: model_server.mjs DIRECTORY
// It writes its port to DIRECTORY/port, every request, head and body, as a line of JSON to DIRECTORY/requests, and each
// byte that reaches it to DIRECTORY/wire; how it answers stands in DIRECTORY/behaviour: {how, choice, ...}, read at each
// request.  Asked for the text of an answer it behaves as {tell: {how, text}} says.
import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const [directory] = process.argv.slice(2);
let asked = {}, last = "";

const behaviour = () => {
	const text = readFileSync(join(directory, "behaviour"), "utf8");
	if (text !== last) [asked, last] = [{}, text];
	return JSON.parse(text);
};
const said = (content, usage = { total_tokens: 1000 }) =>
	JSON.stringify({ id: "x", object: "chat.completion", choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }], usage });

// A vector a text: how often each letter of the alphabet is in it, from the last text to the first.
const vectors = (texts, dimensions) => JSON.stringify({ object: "list", data: texts.map((text, index) => ({ object: "embedding", index,
	embedding: Array.from({ length: dimensions }, (_, i) => text.toLowerCase().split(String.fromCharCode(97 + i)).length - 1) })).reverse() });

// Asked for vectors it behaves as {embed: {how, dimensions}} says, after `good` requests as {then}.
function embed(b, request, res) {
	const json = (status, text, type = "application/json") => res.writeHead(status, { "Content-Type": type }).end(text);
	const good = vectors(request.input, b.dimensions ?? 26);
	const n = asked.embeds = (asked.embeds ?? 0) + 1;
	switch (n > (b.good ?? Infinity) ? b.then : b.how) {
	case "good": return json(200, good);
	case "few": return json(200, vectors(request.input.slice(1), 26));
	case "same": return json(200, good.replaceAll('"index":1', '"index":0'));
	case "words": return json(200, good.replace("[0,", '["none",'));
	case "zero": return json(200, good.replace(/[1-9]/g, "0"));
	case "uneven": return json(200, good.replace("[0,", "[0,0,"));
	case "broken": return json(200, good.slice(0, -9));
	case "html": return json(200, good, "text/html");
	case "huge": return json(200, Buffer.alloc(20 << 20, 32));
	case "refused": return json(401, "{}");
	case "busy": return json(503, "{}");
	case "redirect": return res.writeHead(302, { Location: `http://127.0.0.1:${b.other}/stolen` }).end();
	case "drop": return res.destroy();
	case "hang": return;
	default: return json(500, "{}");
	}
}

// Bytes for ever, until the other end has had enough.
function pour(res, ms, bytes) {
	const timer = setInterval(() => res.socket.destroyed ? clearInterval(timer) : res.socket.write(bytes()), ms);
	res.socket.on("close", () => clearInterval(timer));
}

function answer(behaviour, request, res) {
	if (Array.isArray(request?.input)) return embed({ how: "good", ...behaviour.embed }, request, res);
	const tells = request?.messages?.[0]?.content.includes("result of a query");
	const b = tells ? { how: "good", ...behaviour.tell } : behaviour;
	const json = (status, text, headers = {}) => res.writeHead(status, { "Content-Type": "application/json", ...headers }).end(text);
	const good = JSON.stringify(tells ? { text: b.text ?? "" } : b.choice);
	const n = asked[tells] = (asked[tells] ?? 0) + 1;
	switch (b.how) {
	case "good": return json(200, said(good));
	case "no_schema": return request.response_format?.type === "json_schema" ? json(400, `{"error":{"message":"unknown response_format"}}`) : json(200, said(good));
	case "text_only": return request.response_format ? json(400, `{"error":{}}`) : json(200, said(`Here it is:\n\`\`\`json\n${good}\n\`\`\`\nAnything {else}?`));
	case "mended": return json(200, said(n === 1 ? `{"understood": tru` : good));
	case "invents": return json(200, said(JSON.stringify(tells ? { text: "Atlantis has 12 EUR." } : { words: [{ word: "takings", means: "pay.secret", value: null }] })));
	case "broken": return json(200, said("{{{ no JSON"));
	case "no_chat": return json(200, `{"choices": "none", "usage": [1]}`);
	case "html": return json(200, said(good), { "Content-Type": "text/html" });
	case "no_json": return json(200, "<html>");
	case "deep": return json(200, said("[".repeat(200000)));
	case "empty": return json(200, said(null));
	case "huge": res.writeHead(200, { "Content-Type": "application/json" }); return res.end(Buffer.alloc(6 << 20, 32));
	case "endless": res.writeHead(200, { "Content-Type": "application/json" }).write("{"); return pour(res, 1, () => "4000\r\n" + " ".repeat(0x4000) + "\r\n");
	case "drip": res.writeHead(200, { "Content-Type": "application/json" }).write("{"); return pour(res, 100, () => "1\r\n \r\n");
	case "headers": res.socket.write("HTTP/1.1 200 OK\r\n"); return pour(res, 1, () => `X-${Math.random()}: ${"a".repeat(4000)}\r\n`);
	case "hints": return pour(res, 1, () => "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n".repeat(20));
	case "bomb": return json(200, gzipSync(Buffer.alloc(200 << 20, 32)), { "Content-Encoding": "gzip" });
	case "tools": return json(200, JSON.stringify({ choices: [{ message: { role: "assistant", content: null, tool_calls: [{ id: "1", type: "function",
		function: { name: "sql_execution", arguments: '{"sql":"DELETE FROM orders"}' } }] } }], usage: { total_tokens: 1 } }));
	case "writes": return json(200, said(JSON.stringify({ words: [{ word: "takings", means: "'; DELETE FROM orders; --", value: null }], sql: "DELETE FROM orders" })));
	case "busy": return n < 3 ? json(429, "{}", { "Retry-After": "0" }) : json(200, said(good));
	case "always_busy": return json(503, "{}");
	case "redirect": return json(302, "", { Location: `http://127.0.0.1:${b.other}/stolen` });
	case "refused": return json(401, `{"error":{"message":"no key"}}`);
	case "drop": return res.destroy();
	case "half": res.writeHead(200, { "Content-Length": "5000" }); res.write("{"); return setTimeout(() => res.destroy(), 50);
	case "hang": return;
	case "dawdle": return setTimeout(() => json(200, said(good)), b.ms);
	case "expensive": return json(200, said("{", { total_tokens: 1000000 }));
	default: return json(500, "{}");
	}
}

const server = http.createServer((req, res) => {
	let text = "";
	req.setEncoding("utf8").on("data", (data) => { text += data; }).on("end", () => {
		let body = null;
		try {
			body = JSON.parse(text);
		} catch {}
		appendFileSync(join(directory, "requests"), JSON.stringify({ method: req.method, url: req.url, headers: req.headers, body }) + "\n");
		answer(behaviour(), body, res);
	});
	res.on("error", () => {});
});
server.on("connection", (socket) => socket.on("data", (data) => appendFileSync(join(directory, "wire"), data)));
server.listen(0, "127.0.0.1", () => {
	writeFileSync(join(directory, "port.new"), String(server.address().port));
	renameSync(join(directory, "port.new"), join(directory, "port"));
});
