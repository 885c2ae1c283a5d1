// A reverse proxy as people put in front of a daemon: passes everything on and
// appends who asked to X-Forwarded-For.  Who that is says the request's own
// header X-Client, so that one machine can play many.
// usage: node proxy.mjs HOST PORT; prints the port it listens on, on 127.0.0.1.
import http from "node:http";

const [host, port] = process.argv.slice(2);

const server = http.createServer((request, response) => {
	const { "x-client": client = "203.0.113.200", "x-forwarded-for": before, ...headers } = request.headers;
	const onward = http.request({ host, port, method: request.method, path: request.url,
		headers: { ...headers, "x-forwarded-for": before === undefined ? client : `${before}, ${client}` } }, (answer) => {
		response.writeHead(answer.statusCode, answer.headers);
		answer.pipe(response);
	});
	onward.on("error", () => response.destroy());
	response.on("close", () => onward.destroy());
	request.pipe(onward);
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
