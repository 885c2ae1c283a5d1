// oauth_device.mjs - a device without a browser, its user, and who would like to be let in instead.  See oauth.test.sh.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Browser, check, input, json, list, origin, register, token } from './oauth.mjs';

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const client = await register();
const begin = (fields = {}) => json('/api/oauth/device', { method: 'POST', headers: form,
	body: new URLSearchParams({ client_id: client, scope: 'research:read research:query', ...fields }) });
const poll = (device, fields = {}) => token({ grant_type: GRANT, client_id: client, device_code: device.device_code, ...fields });

const metadata = await json('/.well-known/oauth-authorization-server');
check(metadata.device_authorization_endpoint === `${origin}/api/oauth/device`, JSON.stringify(metadata));
check(metadata.grant_types_supported.includes(GRANT), 'the grant is not in the metadata');

// The page needs a user, who comes back to it; a code in its address is not looked at.
const device = await begin();
check(device.status === 200 && /^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/.test(device.user_code), JSON.stringify(device));
check(device.verification_uri === `${origin}/device` && device.verification_uri_complete === undefined, JSON.stringify(device));
check(device.expires_in === 900 && device.interval === 5, JSON.stringify(device));
const ada = new Browser(), bob = new Browser();
const asked = await ada.open('/device');
check(/name="password"/.test(asked.text) && input(asked.text, 'next') === '/device', asked.text);
const signed = await ada.signIn('ada', process.env.PASSWORD, '/device');
check(signed.location === `${origin}/device`, `led to ${signed.location}`);
let page = await ada.open(`/device?user_code=${device.user_code}`);
check(page.status === 200 && !page.text.includes(device.user_code) && /Who sends you a code/.test(page.text), page.text);

// What a page asks; what others make up is refused.
const typed = (browser, csrf, user_code, more = {}) => browser.post('/device', { csrf, user_code, ...more });
const csrf = input(page.text, 'csrf');
check((await typed(ada, 'A'.repeat(43), device.user_code, { decision: 'allow', scope: 'research:read' })).status === 403, 'a forged form');
check((await ada.send('/device', { method: 'POST', headers: { ...form, origin: 'https://evil.example' },
	body: new URLSearchParams({ csrf, user_code: device.user_code, decision: 'allow', scope: 'research:read' }) })).status === 403, 'a foreign page');
check((await new Browser().post('/device', { csrf, user_code: device.user_code })).status === 403, 'nobody is signed in');
page = await typed(ada, csrf, device.user_code.toLowerCase());
check(page.status === 200 && /Let this device in\?/.test(page.text) && /A test/.test(page.text), page.text);
check(/127\.0\.0\.1, less than a minute ago/.test(page.text) && /unverified/.test(page.text), page.text);
check(/name="scope" value="research:query" checked/.test(page.text) && !/ext:sql/.test(page.text), page.text);

// Pending, then let in for what is ticked, once.
check((await poll(device)).error === 'authorization_pending', 'not pending');
check((await poll(device)).error === 'slow_down', 'a fast poll is not slowed down');
check((await poll(device, { client_id: 'nobody' })).error === 'invalid_client', 'an unknown client polls');
check((await poll({ device_code: 'x'.repeat(43) })).error === 'invalid_grant', 'an unknown code');
page = await typed(ada, csrf, device.user_code, { decision: 'allow', scope: 'research:read' });
check(page.status === 200 && /is let in/.test(page.text), page.text);
const got = await poll(device);
check(got.status === 200 && got.scope === 'research:read' && got.refresh_token, JSON.stringify(got));
check(await list(got.access_token) === 200, 'the access token is no good');
check((await typed(ada, csrf, device.user_code)).status === 400, 'a code that was used');
check((await poll(device)).error === 'invalid_grant' && await list(got.access_token) === 401, 'a code that is taken again ends nothing');

// Two people at the same code, at the same moment: one decides.
check((await bob.signIn('bob', process.env.PASSWORD, '/device')).status === 303, 'bob cannot sign in');
const other = input((await bob.open('/device')).text, 'csrf');
check((await typed(bob, csrf, 'BBBB-BBBB')).status === 403, "another's form");
const raced = await begin();
const all = await Promise.all(Array.from({ length: 8 }, (_, i) => i % 2 ? typed(bob, other, raced.user_code, { decision: 'deny' }) :
	typed(ada, csrf, raced.user_code, { decision: 'allow', scope: 'research:read' })));
const won = all.filter(answer => answer.status === 200);
check(won.length === 1 && all.every(answer => answer.status === 200 || answer.status === 400), all.map(answer => answer.status).join());
check((await poll(raced)).error === (/is let in/.test(won[0].text) ? undefined : 'access_denied'), 'the answer is not the decision');

// One denied; and of ten polls for what was allowed one gets it, which the next one ends.
const denied = await begin();
await typed(bob, other, denied.user_code, { decision: 'deny', scope: 'research:read' });
check((await poll(denied)).error === 'access_denied', 'not denied');
const wanted = await begin();
await typed(bob, other, wanted.user_code, { decision: 'allow', scope: 'research:read' });
const polls = await Promise.all(Array.from({ length: 10 }, () => poll(wanted)));
check(polls.filter(answer => answer.status === 200).length === 1, 'one code, several tokens');
check(await list(polls.find(answer => answer.status === 200).access_token) === 401, 'a grant of a replayed code lives');

// carrel login: the code is shown, what is allowed is kept for its owner alone, and ends there with carrel logout.
const config = mkdtempSync(join(tmpdir(), 'carrel-login-'));
const file = join(config, 'carrel/logins', `${origin.replace('://', '_').replace(':', '_3a')}.json`);
const options = { env: { ...process.env, XDG_CONFIG_HOME: config }, encoding: 'utf8' };
const run = (...args) => spawnSync(process.env.CARREL, args, options);
try {
	check(run('login', '--token').status === 2 && run('logout', origin).status === 1, 'a login that was not begun');
	check(run('login', 'http://carrel.example.org').status === 2, 'a token over http');
	const login = spawn(process.env.CARREL, ['login', `${origin}/mcp`, '--scopes', 'research:read', '--json'], options);
	let shown = '', answered = '';
	login.stdout.on('data', text => answered += text);
	const coded = new Promise(done => login.stderr.on('data', text => { shown += text; if (/Waiting/.test(shown)) done(); }));
	const ended = new Promise(done => login.on('close', done));
	await Promise.race([coded, ended]);
	check(shown.includes(`${origin}/device `), shown);
	const word = shown.match(/\b([A-Z]{4}-[A-Z]{4})\b/)?.[1];
	check(/carrel login on/.test((await typed(ada, csrf, word)).text), 'the page does not name the program');
	await typed(ada, csrf, word, { decision: 'allow', scope: 'research:read' });
	check(await ended === 0 && JSON.parse(answered).scope === 'research:read', `${shown}${answered}`);
	check((statSync(file).mode & 0o777) === 0o600 && (statSync(join(config, 'carrel')).mode & 0o777) === 0o700, 'others can read it');
	const printed = run('login', '--token').stdout.trim();
	check(await list(printed) === 200, `the token is no good: ${printed}`);
	check(JSON.parse(run('login', '--token', '--json').stdout).secret === printed, 'no JSON');
	const kept = JSON.parse(readFileSync(file, 'utf8'));
	writeFileSync(file, JSON.stringify({ ...kept, expires_at: 1 }));
	const renewed = run('login', '--token', origin);
	check(await list(renewed.stdout.trim()) === 200 && JSON.parse(readFileSync(file, 'utf8')).refresh_token !== kept.refresh_token, renewed.stderr);
	chmodSync(file, 0o644);
	check(run('login', '--token').status === 1, 'a file that others can read');
	chmodSync(file, 0o600);
	check(run('logout').status === 0 && await list(printed) === 401, 'it goes on after logout');
	check(run('login', '--token', origin).status === 1, 'the file is still there');
} finally {
	rmSync(config, { recursive: true });
}

// Guessing ends soon, also with the right code.
let guess;
for (let i = 0; i < 20; i++) guess = await typed(bob, other, 'BCDFGHJK');
check(guess.status === 429 && Number(guess.retry) > 0, `guessing: ${guess.status}`);
check((await typed(bob, other, (await begin()).user_code)).status === 429, 'guessing goes on');
check((await typed(bob, other, 'x'.repeat(65))).status === 400, 'a long code');
