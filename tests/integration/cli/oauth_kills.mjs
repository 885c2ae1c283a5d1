// oauth_kills.mjs - flows while carrel-auth is killed: no code is redeemed twice, no family is half revoked, no consent
// that was answered is lost.  PID_FILE is where the test writes nothing; the process is found by its parent.
import { execFileSync } from 'node:child_process';
import { Browser, check, code, draw, list, redeem, refresh, register } from './oauth.mjs';

const parent = process.env.DAEMON;
const auth = () => execFileSync('sh', ['-c', `for p in $(cat /proc/${parent}/task/*/children); do ` +
	`grep -q '^carrel-auth$' /proc/$p/comm && echo $p; done; true`]).toString().trim().split('\n').filter(Boolean).map(Number);
const pause = ms => new Promise(done => setTimeout(done, ms));

// Until it is answered with something else than "not now".
async function patiently(ask) {
	for (let i = 0; i < 200; i++) {
		const answer = await ask().catch(() => undefined);
		if (answer !== undefined && answer.status !== 503 && answer.status !== 429) return answer;
		await pause(50);
	}
	throw new Error('no answer within ten seconds');
}

let killing = true, kills = 0;
async function kill() {
	while (killing && kills < Number(process.env.KILLS)) {
		await pause(20 + Math.random() * 200);
		for (const pid of auth()) try { process.kill(pid, 'SIGKILL'); kills++; } catch { /* it is gone */ }
		await pause(300);
	}
}

const client = await patiently(async () => ({ status: 0, id: await register() })).then(a => a.id);
const browser = new Browser();
for (let i = 0; i < 100 && (await browser.signIn('ada', process.env.PASSWORD).catch(() => ({}))).status !== 303; i++) await pause(100);
const killer = kill();
let redeemed = 0, grants = [];
for (let round = 0; kills < Number(process.env.KILLS) && round < 100000; round++) {
	const verifier = draw();
	const one = await patiently(async () => ({ status: 0, code: await code(browser, client, verifier) })).then(a => a.code);
	const answers = await Promise.all([0, 1, 2].map(() => patiently(() => redeem(client, one, verifier))));
	const won = answers.filter(a => a.status === 200);
	check(won.length <= 1, `a code was redeemed ${won.length} times`);
	redeemed += won.length;
	if (won.length === 0) continue;
	/* It was presented again, so that the family has ended: all of it. */
	const after = await patiently(() => refresh(client, won[0].refresh_token));
	check(after.error === 'invalid_grant', `a replayed code's family lives: ${JSON.stringify(after)}`);
	for (let i = 0; i < 50 && await list(won[0].access_token).catch(() => 503) !== 401; i++) await pause(50);
	check(await patiently(async () => ({ status: await list(won[0].access_token) })).then(a => a.status) === 401, 'an access token lives');
	grants.push(won[0]);
}
killing = false;
await killer;
check(kills >= Number(process.env.KILLS), `${kills} kills`);
console.log(`${kills} kills, ${redeemed} codes redeemed, ${grants.length} families ended`);
