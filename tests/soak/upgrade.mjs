// upgrade.mjs before|during|after - a person, a client and a program at ORIGIN, before, during and after an upgrade.  See
// upgrade.sh and upgrade_package.sh.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { Browser, check, code, draw, list, origin, redeem, refresh, register, request } from '../integration/cli/oauth.mjs';

const file = process.env.STATE;
const headers = (access, session) => ({ authorization: `Bearer ${access}`, 'content-type': 'application/json',
	accept: 'application/json, text/event-stream', ...(session && { 'mcp-session-id': session, 'mcp-protocol-version': '2025-06-18' }) });
const post = (access, session, body) => fetch(`${origin}/mcp`, { method: 'POST', headers: headers(access, session),
	body: JSON.stringify({ jsonrpc: '2.0', ...body }) });

async function callTool(access, session) {
	const answer = await post(access, session, { id: 2, method: 'tools/call',
		params: { name: 'sql_execution', arguments: { connectionId: 'warehouse', sql: 'SELECT 40 + 2 AS n' } } });
	return { status: answer.status, text: await answer.text() };
}

async function before() {
	const client = await register(), browser = new Browser(), verifier = draw();
	const signed = await browser.signIn('ada', process.env.PASSWORD, request(client, draw()));
	check(signed.status === 303, `signing in: ${signed.status}`);
	const got = await redeem(client, await code(browser, client, verifier), verifier);
	check(got.status === 200 && await list(got.access_token) === 200, `no access: ${JSON.stringify(got)}`);
	check(await list(process.env.TOKEN) === 200, 'the token is no good');
	const opened = await post(got.access_token, null, { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18',
		capabilities: {}, clientInfo: { name: 'a test', version: '1' } } });
	const session = opened.headers.get('mcp-session-id');
	await opened.text();
	check(session, 'no session');
	await (await post(got.access_token, session, { method: 'notifications/initialized' })).text();
	const called = await callTool(got.access_token, session);
	check(called.status === 200 && called.text.includes('42'), `a call: ${called.status} ${called.text.slice(0, 300)}`);
	writeFileSync(file, JSON.stringify({ client, jar: [...browser.jar], access: got.access_token, refresh: got.refresh_token,
		session }));
}

async function after() {
	const was = JSON.parse(readFileSync(file, 'utf8'));
	check(await list(process.env.TOKEN) === 200, 'the token ended');
	check(await list(was.access) === 200, 'the access token ended');
	const called = await callTool(was.access, was.session);
	check(called.status === 200 && called.text.includes('42'), `the session ended: ${called.status} ${called.text.slice(0, 300)}`);
	const stream = await fetch(`${origin}/mcp`, { headers: { ...headers(was.access, was.session), accept: 'text/event-stream' } });
	check(stream.status === 200, `no stream in the session: ${stream.status}`);
	await stream.body.cancel();
	const next = await refresh(was.client, was.refresh);
	check(next.status === 200 && await list(next.access_token) === 200, `the grant ended: ${JSON.stringify(next)}`);
	const browser = new Browser(), verifier = draw();
	browser.jar = new Map(was.jar);
	const got = await redeem(was.client, await code(browser, was.client, verifier), verifier);
	check(got.status === 200, `the person is signed out: ${JSON.stringify(got)}`);
}

// Until STOP is there: calls one after the other, each answered, and a stream that is opened again when it ends.
async function during() {
	const was = JSON.parse(readFileSync(file, 'utf8')), odd = [];
	let calls = 0, streams = 0, done = false;
	const hold = async () => {
		while (!done) {
			const stream = await fetch(`${origin}/mcp`, { headers: { ...headers(was.access, was.session), accept: 'text/event-stream' } });
			if (stream.status !== 200) {
				const text = await stream.text();
				if (stream.status !== 503 || !/is stopping/.test(text)) odd.push(`a stream: ${stream.status} ${text}`);
				await sleep(100);
				continue;
			}
			streams++;
			const reader = stream.body.getReader();
			const ended = (async () => { while (!(await reader.read()).done); })().catch(() => {});
			while (!done && !await Promise.race([ended.then(() => true), sleep(100)]));
			if (done) await reader.cancel().catch(() => {});
		}
	};
	const held = hold();
	while (!existsSync(process.env.STOP)) {
		const called = await callTool(was.access, was.session).catch((error) => ({ status: String(error.cause ?? error), text: '' }));
		calls++;
		if (called.status !== 200 || !called.text.includes('42')) odd.push(`${called.status} ${called.text.slice(0, 200)}`);
	}
	done = true;
	await held;
	console.log(`${calls} calls, ${odd.length} not answered with rows, ${streams} streams`);
	check(calls > 50 && streams >= 2, 'not enough was tried, or the stream did not end');
	check(odd.length === 0, odd.slice(0, 5).join('\n'));
}

await { before, during, after }[process.argv[2]]();
