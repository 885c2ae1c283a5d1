// oauth.mjs - a client and a browser of few words, against the daemon at ORIGIN.  See oauth.test.sh.
import { createHash, randomBytes } from 'node:crypto';

export const origin = process.env.ORIGIN;
export const redirect = 'http://127.0.0.1:4711/cb';
const form = { 'content-type': 'application/x-www-form-urlencoded' };
export const input = (html, name) => html.match(new RegExp(`name="${name}" value="([^"]*)"`))?.[1]?.replaceAll('&amp;', '&');

export function check(holds, what) {
	if (!holds) throw new Error(what);
}

// --- the browser: keeps cookies, follows nothing by itself ---------------------------------------

export class Browser {
	jar = new Map();
	async send(url, init = {}) {
		const answer = await fetch(new URL(url, origin), { redirect: 'manual', ...init, headers: {
			accept: 'text/html', origin, cookie: [...this.jar].map(([k, v]) => `${k}=${v}`).join('; '), ...init.headers } });
		for (const line of answer.headers.getSetCookie()) {
			const [, name, value] = line.match(/^([^=]+)=([^;]*)/);
			if (value === '' || /max-age=0/i.test(line)) this.jar.delete(name); else this.jar.set(name, value);
		}
		return { status: answer.status, location: answer.headers.get('location'), retry: answer.headers.get('retry-after'),
			text: await answer.text() };
	}
	post(url, fields) { return this.send(url, { method: 'POST', headers: form, body: new URLSearchParams(fields) }); }
	// GET, through redirects within the origin.
	async open(url) {
		let page = await this.send(url);
		for (let i = 0; i < 5 && page.status >= 300 && page.status < 400 &&
		    new URL(page.location, origin).origin === origin; i++)
			page = await this.send(page.location);
		return page;
	}
	async signIn(name, password, next = `${origin}/api/oauth/login`) {
		const page = await this.open(next);
		const fields = { username: name, password, csrf: input(page.text, 'csrf') ?? '', next: input(page.text, 'next') ?? '' };
		return this.post('/api/oauth/login', fields);
	}
}

// --- the client ----------------------------------------------------------------------------------------

export async function json(path, init) {
	const answer = await fetch(origin + path, init);
	const text = await answer.text();
	return { status: answer.status, ...(text.startsWith('{') ? JSON.parse(text) : { text }) };
}

export async function register() {
	const answer = await json('/api/oauth/register', { method: 'POST', headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ client_name: 'A test', redirect_uris: [redirect], token_endpoint_auth_method: 'none' }) });
	check(answer.status === 201, `register: ${JSON.stringify(answer)}`);
	return answer.client_id;
}

export function request(client, verifier, more = {}) {
	return `${origin}/api/oauth/authorize?` + new URLSearchParams({ response_type: 'code', client_id: client, redirect_uri: redirect,
		state: 'a state', code_challenge_method: 'S256', resource: `${origin}/mcp`, scope: 'research:read research:query',
		code_challenge: createHash('sha256').update(verifier).digest('base64url'), ...more });
}

// The consent page, allowed as it is ticked; what comes back is where the client is called.
export async function allow(browser, url) {
	let page = await browser.open(url);
	if (page.status === 200) {
		const scopes = [...page.text.matchAll(/name="scope" value="([^"]*)"[^>]* checked/g)].map(m => m[1]);
		const action = page.text.match(/<form method="post" action="([^"]*)"/)[1].replaceAll('&amp;', '&');
		const fields = new URLSearchParams({ csrf: input(page.text, 'csrf'), decision: 'allow' });
		for (const scope of scopes) fields.append('scope', scope);
		page = await browser.send(action, { method: 'POST', headers: form, body: fields });
	}
	return page;
}

export async function code(browser, client, verifier, more) {
	const page = await allow(browser, request(client, verifier, more));
	check(page.status === 303 || page.status === 302, `no code: ${page.status} ${page.text.slice(0, 300)}`);
	const back = new URL(page.location);
	check(back.href.startsWith(redirect + '?') && back.searchParams.get('state') === 'a state', `sent to ${back}`);
	check(back.searchParams.get('iss') === origin, 'no iss');
	return back.searchParams.get('code');
}

export const token = fields => json('/api/oauth/token', { method: 'POST', headers: form, body: new URLSearchParams(fields) });
export const redeem = (client, code, verifier, more) => token({ grant_type: 'authorization_code', client_id: client, code,
	code_verifier: verifier, redirect_uri: redirect, resource: `${origin}/mcp`, ...more });
export const refresh = (client, refresh_token, more) => token({ grant_type: 'refresh_token', client_id: client, refresh_token,
	resource: `${origin}/mcp`, ...more });
export const draw = () => randomBytes(32).toString('base64url');

export async function list(access) {
	const answer = await fetch(`${origin}/mcp`, { method: 'POST', headers: { authorization: `Bearer ${access}`,
		'content-type': 'application/json', accept: 'application/json, text/event-stream' },
	body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {},
		clientInfo: { name: 'a test', version: '1' } } }) });
	await answer.text();
	return answer.status;
}
