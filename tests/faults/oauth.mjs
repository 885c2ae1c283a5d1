// oauth.mjs - people sign in, allow, redeem, renew and revoke while processes are killed at random.  See oauth.sh.
//
// What was answered holds, whoever dies then: a code is redeemed once at most; a grant that has ended has ended whole,
// with every token ever made of it, and one that has not is renewed from wherever its client stands; a consent that was
// taken for given is not asked for again; a right password is never called wrong; who registered stays known.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

import { Browser, allow, check, draw, input, json, list, origin, redirect, redeem, refresh, register, request, token }
	from '../integration/cli/oauth.mjs';

const { CARREL: carrel, PROJECT: project, PASSWORD: password } = process.env;
const wanted = Number(process.env.KILLS), seed = Number(process.env.SEED);
const MINUTE = 60000;
const pause = ms => new Promise(done => setTimeout(done, ms));

// mulberry32
let state = seed >>> 0;
function random(n) {
	state = (state + 0x6d2b79f5) >>> 0;
	let t = Math.imul(state ^ (state >>> 15), state | 1);
	t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
	return ((t ^ (t >>> 14)) >>> 0) % n;
}

const counts = { kills: 0, supervisors: 0, codes: 0, lost: 0, renewals: 0, replays: 0, reuses: 0, revocations: 0, consents: 0, logins: 0,
	signedOut: 0 };

// Asked until it is answered with something else than "not now".
async function patiently(ask) {
	for (const end = Date.now() + 2 * MINUTE; Date.now() < end;) {
		const answer = await ask().catch(error => {
			if (error.wrong) throw error;
		});
		if (answer !== undefined && ![429, 500, 502, 503].includes(answer.status)) return answer;
		await pause(20 + random(60));
	}
	throw new Error('no answer within two minutes');
}

const wrong = message => Object.assign(new Error(message), { wrong: true });
const must = (holds, message) => { if (!holds) throw wrong(message); };

/* --- who is killed --------------------------------------------------------------------------------- */

const daemon = () => {
	try { return JSON.parse(readFileSync(`${project}/.carrel/mcp.json`)).pid; } catch { return 0; }
};

function children(parent) {
	try {
		return readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
			.map(pid => ({ pid, name: readFileSync(`/proc/${pid}/comm`, 'utf8').trim() })).filter(({ name }) => name.startsWith('carrel-'));
	} catch {
		return [];	// one of them has just ended
	}
}

function kill(pid) {
	try { process.kill(pid, 'SIGKILL'); counts.kills++; } catch { /* it is gone */ }
}

const dead = pid => !existsSync(`/proc/${pid}`) || /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

// The supervisor, alone or with all that it has; then there is a new one.
async function killSupervisor() {
	const parent = daemon(), all = children(parent);
	if (parent === 0) return;
	kill(parent);
	if (counts.supervisors++ % 2 === 1) for (const { pid } of all) kill(pid);
	for (const pid of [parent, ...all.map(({ pid }) => pid)])
		for (const end = Date.now() + MINUTE; Date.now() < end; await pause(10))
			try { if (dead(pid)) break; } catch { break; }
	for (let i = 0; ; i++) {
		const { status, stderr } = spawnSync(carrel, ['--project-dir', project, 'mcp', 'start'], { encoding: 'utf8' });
		if (status === 0) return;
		must(i < 20, `the daemon does not start again: ${stderr}`);
		await pause(100);
	}
}

const began = Date.now();
let over = false;
async function killer() {
	const often = ['carrel-auth', 'carrel-auth', 'carrel-auth', 'carrel-front', 'carrel-front', 'carrel-pwhash'];
	// On a busy machine longer, until each flow came to its end once.
	const unfinished = () => ['codes', 'renewals', 'replays', 'consents', 'logins'].some(name => counts[name] === 0);
	for (let turn = 1; counts.kills < wanted || (unfinished() && Date.now() < began + 3 * MINUTE); turn++) {
		await pause(random(counts.kills < wanted ? 400 : 4000));
		if (turn % 25 === 0) {
			await killSupervisor();
			continue;
		}
		const all = children(daemon());
		const some = turn % 8 === 0 ? all : all.filter(({ name }) => name === often[random(often.length)]);
		if (some.length > 0) kill(some[random(some.length)].pid);
	}
	over = true;
}

/* --- what people and clients do -------------------------------------------------------------------- */

const client = async () => (await patiently(async () => ({ status: 201, id: await register() }))).id;

async function signedIn(name) {
	const browser = new Browser();
	await patiently(async () => {
		const answer = await browser.signIn(name, password);
		// 403: carrel-auth or a front that knows the form began anew.
		must([303, 403, 429, 503].includes(answer.status), `signing in: ${answer.status} ${answer.text.slice(0, 300)}`);
		if (answer.status === 303) counts.logins++;
		return answer.status === 303 ? answer : { status: 503 };
	});
	return browser;
}

// A code, by the consent page if that is shown.
async function codeOf(browser, id, verifier, name) {
	for (;;) {
		const page = await patiently(() => allow(browser, request(id, verifier)));
		if (page.location?.startsWith(`${redirect}?`)) {
			const code = new URL(page.location).searchParams.get('code');
			must(code !== null, `sent back without a code: ${page.location}`);
			return code;
		}
		// The form is of before a death; a session is not.
		must(page.status === 403, `no code for ${name}: ${page.status} ${page.location} ${page.text.slice(0, 300)}`);
	}
}

async function isDead(family, why) {
	const answer = await patiently(() => refresh(family.client, family.tokens.at(-1).refresh_token));
	must(answer.error === 'invalid_grant', `${why}: the newest refresh token is good: ${JSON.stringify(answer)}`);
	for (const { access_token } of family.tokens)
		must((await patiently(async () => ({ status: await list(access_token) }))).status === 401, `${why}: an access token is good`);
}

async function isAlive(family) {
	const { status } = await patiently(async () => ({ status: await list(family.tokens.at(-1).access_token) }));
	must(status === 200, `the access token of a grant that has not ended: ${status}`);
}

// A grant, or null when the answer that carried it was lost: then the second attempt has ended it.
async function family(browser, id, name) {
	const verifier = draw(), code = await codeOf(browser, id, verifier, name);
	let attempts = 0;
	const got = await patiently(() => { attempts++; return redeem(id, code, verifier); });
	if (got.status !== 200) {
		must(attempts > 1 && got.error === 'invalid_grant', `a code after ${attempts} attempts: ${JSON.stringify(got)}`);
		counts.lost++;
		return null;
	}
	counts.codes++;
	return { client: id, tokens: [got] };
}

async function renew(family) {
	const got = await patiently(() => refresh(family.client, family.tokens.at(-1).refresh_token));
	must(got.status === 200, `a refresh token that was not used before: ${JSON.stringify(got)}`);
	counts.renewals++;
	family.tokens.push(got);
}

/* --- the flows, each by itself for as long as there are kills --------------------------------------- */

// One code, presented by three at once and once more: one of them has it at most, and that one not for long.
async function replays(browser, id) {
	const verifier = draw(), code = await codeOf(browser, id, verifier, 'ada');
	const answers = await Promise.all([0, 1, 2].map(() => patiently(() => redeem(id, code, verifier))));
	const won = answers.filter(({ status }) => status === 200);
	must(won.length <= 1, `a code was redeemed ${won.length} times`);
	const again = await patiently(() => redeem(id, code, verifier));
	must(again.error === 'invalid_grant', `a code after all that: ${JSON.stringify(again)}`);
	if (won.length === 0) return;
	await isDead({ client: id, tokens: won }, 'a code was replayed');
	counts.replays++;
}

// A client that renews its token and, as often as not, uses an old one at last.
async function renewals(browser, id) {
	const one = await family(browser, id, 'ada');
	if (one === null) return;
	for (let i = 2 + random(4); i > 0; i--) {
		await renew(one);
		if (random(3) === 0) await isAlive(one);
	}
	const { refresh_token: old } = one.tokens.at(-3);
	if (random(2) === 0) {
		const answer = await patiently(() => refresh(id, old));
		must(answer.error === 'invalid_grant', `an old refresh token: ${JSON.stringify(answer)}`);
		await isDead(one, 'a refresh token was reused');
		counts.reuses++;
	} else {
		await patiently(() => json('/api/oauth/revoke', { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' },
			body: new URLSearchParams({ client_id: id, token: random(2) === 0 ? one.tokens[0].access_token : one.tokens.at(-1).refresh_token }) }));
		await isDead(one, 'it was revoked');
		counts.revocations++;
	}
}

// A new client: once its user was sent back with a code, nobody asks again.
async function consents(browser) {
	const id = await client();
	await codeOf(browser, id, draw(), 'ada');
	for (let i = 0; i < 3; i++) {
		await pause(random(300));
		const page = await patiently(() => browser.open(request(id, draw())));
		must(page.location?.startsWith(`${redirect}?code=`), `consent was given, and is asked for: ${page.status} ${page.location}`);
	}
	counts.consents++;
}

async function logins() {
	const browser = await signedIn('ada');
	await pause(random(200));
	const page = await patiently(() => browser.open('/api/oauth/login'));
	must(page.status === 200 && !/name="password"/.test(page.text), 'somebody who signed in is asked to sign in');
}

// All that a user granted ends by one command, or, when that fails, nothing of it.
async function signingOut(id) {
	const browser = await signedIn('bob'), all = [];
	for (let i = 0; i < 3; i++) {
		const one = await family(browser, id, 'bob');
		if (one !== null) all.push(one);
	}
	const { status } = spawnSync(carrel, ['--project-dir', project, 'user', 'set', 'bob', '--sign-out'], { stdio: 'ignore' });
	const states = [];
	for (const one of all)
		states.push((await patiently(() => refresh(id, one.tokens[0].refresh_token))).status);
	must(new Set(states).size <= 1, `some grants of a user ended: ${states}`);
	if (status !== 0) return;
	must(states.every(s => s === 400), `a user was signed out: ${states}`);
	for (const one of all) await isDead(one, 'its user was signed out');
	counts.signedOut++;
}

async function forever(flow) {
	while (!over) await flow();
}

const browser = await signedIn('ada'), id = await client(), other = await client();
const flows = [() => replays(browser, id), () => renewals(browser, id), () => renewals(browser, id), () => consents(browser), logins,
	() => signingOut(other)];
try {
	await Promise.all([killer(), ...flows.map(forever)]);
} catch (error) {
	console.error(`seed ${seed}, after ${counts.kills} kills: ${error.stack}`);
	process.exit(1);
}
for (const name of ['codes', 'renewals', 'replays', 'consents', 'logins'])
	check(counts[name] > 0, `no flow came to its end: ${JSON.stringify(counts)}`);
console.log(`${JSON.stringify(counts)}, ${Math.round((Date.now() - began) / 1000)} s, seed ${seed}`);
process.exit(0);
