// Answers for the addresses that doctor_url.test.sh tries: a line of ports, then it serves until it is ended.
// usage: node doctor_url.mjs KEY CERTIFICATE
import { createServer as http } from 'node:http';
import { createServer as https } from 'node:https';
import { createServer as tcp } from 'node:net';
import { readFileSync } from 'node:fs';

const [key, cert] = process.argv.slice(2).map(f => readFileSync(f));
const health = (request, response) => response.end(request.url === '/health' ? '{"status":"ok"}' : '');
const says = status => (request, response) => { response.statusCode = status; response.end(); };
const servers = [
	https({ key, cert }, health), https({ key, cert }, says(502)), https({ key, cert }, says(403)),
	https({ key, cert }, says(404)), http(health), tcp(socket => socket.on('error', () => {}).end('what?\r\n')),
	tcp(socket => socket.on('error', () => {})),
];
for (const server of servers)
	await new Promise(done => server.on('clientError', (e, socket) => socket.destroy()).listen(0, '127.0.0.1', done));
console.log(servers.map(server => server.address().port).join(' '));
