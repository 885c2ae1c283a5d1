// fetch.mjs - authorizations of clients whose id is the URL of a document.  See fetch.sh.
import { readFileSync } from 'node:fs';

import { Browser, check, code, draw, json, list, origin, redeem, request } from '../integration/cli/oauth.mjs';

const [, counter] = readFileSync(`${process.env.WORK}/server`, 'utf8').trim().split('\n');
const at = path => `https://client.example.org/${path}.json`;
const fetched = async url => (await (await fetch(`http://127.0.0.1:${counter}/`)).json())[url] ?? 0;
const pause = ms => new Promise(done => setTimeout(done, ms));

// What a client without a browser is told, once more when too many were fetched within the minute.
async function looked(id) {
	for (let i = 0; i < 100; i++) {
		const answer = await json(new URL(request(id, draw())).pathname + new URL(request(id, draw())).search, { headers: { accept: 'application/json' } });
		if (!/too many documents/.test(answer.error_description ?? '')) return answer;
		// That is none of the client's making, and passes.
		const { status, error } = answer;
		check(status === 503 && error === 'temporarily_unavailable', `${id}: ${JSON.stringify(answer)}`);
		await pause(2000);
	}
	throw new Error('too many documents for ever');
}

// On a busy machine five seconds may be too few for any document: then once more, when it may be asked for again.
const late = answer => /timed out|in time/i.test(answer.error_description ?? '');

async function refused(id, why) {
	let answer = await looked(id);

	for (let i = 0; i < 3 && late(answer) && !why.test(answer.error_description); i++, answer = await looked(id))
		await pause(61000);
	check(answer.status === 400 && answer.error === 'invalid_client', `${id}: ${JSON.stringify(answer)}`);
	check(why.test(answer.error_description), `${id}: ${answer.error_description}`);
}

const flows = {
	async documents() {
		const document = await json('/.well-known/oauth-authorization-server');
		check(document.client_id_metadata_document_supported === true, 'it is not said');
		// From an id that nobody registered to a call.
		const browser = new Browser(), verifier = draw(), id = at('good');
		await browser.signIn('ada', process.env.PASSWORD);
		const page = await browser.open(request(id, verifier));
		check(page.status === 200 && page.text.includes('A documented client') && page.text.includes('client.example.org'), `consent: ${page.status} ${page.text.slice(0, 800)}`);
		check(!page.text.includes('unverified'), 'a client by its document is unverified');
		const got = await redeem(id, await code(browser, id, verifier), verifier);
		check(got.status === 200 && await list(got.access_token) === 200, JSON.stringify(got));
		check(await fetched(id) === 1, `fetched ${await fetched(id)} times`);
		// Redirects are those of the document; its id is compared as text.
		const other = await json(request(id, verifier).replace('4711%2Fcb', '4711%2Fother').slice(origin.length), { headers: { accept: 'application/json' } });
		check(other.status === 400 && other.error === 'invalid_request', JSON.stringify(other));
		// Many at once are one fetch.
		const many = await Promise.all(Array.from({ length: 20 }, () => looked(at('parallel'))));
		check(many.every(({ status, error }) => status === 401 && error === 'login_required'), JSON.stringify(many[0]));
		check(await fetched(at('parallel')) === 1, `fetched ${await fetched(at('parallel'))} times at once`);
		check((await looked(at('plain'))).status === 401, 'a document without a name');
	},
	// Each by itself takes a place of the ten a minute; what follows waits for one.
	async limits() {
		await refused(at('other'), /client_id is not the URL/);
		// A failure is not tried again at once: for a minute.
		const began = Date.now(), before = await fetched(at('other'));
		await refused(at('other'), /client_id is not the URL/);
		const again = await fetched(at('other')) !== before;
		check(!again || Date.now() - began > 50000, 'a failure was fetched twice at once');
		await refused(at('silent'), /timed out|in time/i);
		await refused(at('endless'), /longer than 65536/);
		await refused(at('inside'), /redirects elsewhere/);
		await refused('https://untrusted.example.org/good.json', /certificate/i);
		// Those are no ids of documents at all: nothing is fetched.
		for (const id of ['http://client.example.org/good.json', 'https://127.0.0.1/good.json', 'https://client.example.org:8443/good.json',
			'https://user@client.example.org/good.json', 'https://client.example.org/a/../good.json', 'https://client.example.org/%2e%2E/good.json',
			'https://client.example.org/good.json#x', 'https://client.example.org', 'https://localhost/good.json', 'https://CLIENT.example.org/good.json',
			'https://[::1]/good.json', 'https://0x7f.1/good.json', 'https://2130706433/good.json', 'file:///etc/passwd', 'gopher://client.example.org/x'])
			await refused(id, /not known here/);
	},
	// The name of a document that leads to this machine, whatever it led to before.
	async addresses() {
		const before = await fetched(at('headers'));
		await refused(at('headers'), /127\.0\.0\.1, which is private, special/);
		check(await fetched(at('headers')) === before, 'it was connected to');
		// What was had before is not, while its document is not to be had: it began anew.
		await refused(at('good'), /127\.0\.0\.1, which is private, special/);
	},
};

await flows[process.argv[2]]();
