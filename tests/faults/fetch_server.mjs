// fetch_server.mjs - serves documents of clients over https as tests/faults/fetch.sh needs them: good ones, and others.
// Prints its port; counts what was asked for at /counts of its plain twin, whose port it prints next.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import tls from 'node:tls';

const dir = process.argv[2], counts = {};
const pair = name => ({ key: readFileSync(`${dir}/${name}.key`), cert: readFileSync(`${dir}/${name}.crt`) });
const contexts = Object.fromEntries(['client.example.org', 'untrusted.example.org'].map(name => [name, tls.createSecureContext(pair(name))]));

function answer(request, response) {
	const host = request.headers.host, url = `https://${host}${request.url}`, path = request.url.split('?')[0];
	const good = { client_id: url, client_name: 'A documented client', redirect_uris: ['http://127.0.0.1:4711/cb'], token_endpoint_auth_method: 'none',
		logo_uri: 'https://client.example.org/logo.png' };
	const say = (document, { status = 200, type = 'application/json', headers = {} } = {}) => response.writeHead(status,
		{ 'Content-Type': type, ...headers }).end(typeof document === 'string' ? document : JSON.stringify(document));

	counts[url] = (counts[url] ?? 0) + 1;
	switch (path) {
	case '/good.json': return say(good, { headers: { 'Cache-Control': 'max-age=3600' } });
	case '/parallel.json': return setTimeout(() => say(good), 300);
	case '/plain.json': return say({ client_id: url, redirect_uris: good.redirect_uris });
	case '/other.json': return say({ ...good, client_id: 'https://client.example.org/good.json' });
	case '/slash.json': return say({ ...good, client_id: `${url}/` });
	case '/secret.json': return say({ ...good, client_secret: 'x' });
	case '/basic.json': return say({ ...good, token_endpoint_auth_method: 'client_secret_basic' });
	case '/keys.json': return say({ ...good, token_endpoint_auth_method: 'private_key_jwt' });
	case '/nowhere.json': return say({ ...good, redirect_uris: [] });
	case '/script.json': return say({ ...good, redirect_uris: ['javascript:alert(1)'] });
	case '/hidden.json': return say({ ...good, client_name: 'A\u202egood one' });
	case '/array.json': return say([good]);
	case '/broken.json': return say('{"client_id":');
	case '/twice.json': return say(`{"client_id":"${url}","client_id":"${url}","redirect_uris":["http://127.0.0.1:4711/cb"]}`);
	case '/deep.json': return say(`{"client_id":"${url}","x":${'['.repeat(200)}${']'.repeat(200)}}`);
	case '/html.json': return say('<title>Log in first</title>', { type: 'text/html' });
	case '/text.json': return say(good, { type: 'text/plain' });
	case '/forbidden.json': return say(good, { status: 403 });
	case '/moved.json': return response.writeHead(302, { Location: 'https://client.example.org/good.json' }).end();
	case '/inside.json': return response.writeHead(301, { Location: 'http://127.0.0.1:7878/admin' }).end();
	case '/long.json': return say({ ...good, x: 'x'.repeat(70000) });
	case '/endless.json':
		response.writeHead(200, { 'Content-Type': 'application/json' });
		return void setInterval(() => response.write(' '.repeat(16384)), 1);
	case '/headers.json': return say(good, { headers: Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`X-${i}`, 'x'.repeat(150)])) });
	case '/slow.json': response.writeHead(200, { 'Content-Type': 'application/json' }); return void setInterval(() => response.write(' '), 500);
	case '/silent.json': return;
	default: return say('{}', { status: 404 });
	}
}

const server = https.createServer({ ...pair('client.example.org'), maxHeaderSize: 65536,
	SNICallback: (name, done) => done(null, contexts[name] ?? contexts['client.example.org']) }, answer);
server.on('tlsClientError', () => {});
const plain = http.createServer((request, response) => response.end(JSON.stringify(counts)));
server.listen(0, '127.0.0.1', () => plain.listen(0, '127.0.0.1', () => console.log(`${server.address().port}\n${plain.address().port}`)));
