// logins.mjs token: an access token.  logins.mjs tokens N: so many, a line each.  logins.mjs FILE: logins, four at a time, until it is killed; FILE has their number.
import { writeFileSync } from 'node:fs';

import { Browser, code, draw, redeem, refresh, register } from '../integration/cli/oauth.mjs';

const signIn = () => { const browser = new Browser(); return browser.signIn('ada', process.env.PASSWORD).then(({ status }) => ({ browser, status })); };

if (process.argv[2] === 'token') {
	const client = await register(), { browser } = await signIn(), verifier = draw();
	console.log((await redeem(client, await code(browser, client, verifier), verifier)).access_token);
} else if (process.argv[2] === 'tokens') {
	// Of one grant: a new one at each renewal, and those before are good until they expire.
	const client = await register(), { browser } = await signIn(), verifier = draw();
	let pair = await redeem(client, await code(browser, client, verifier), verifier);
	for (let n = Number(process.argv[3]); n > 0; n--) {
		console.log(pair.access_token);
		pair = await refresh(client, pair.refresh_token);
	}
} else {
	let n = 0;
	await Promise.all(Array.from({ length: 4 }, async () => {
		for (;;) {
			const { status } = await signIn();
			if (status === 303) writeFileSync(process.argv[2], String(++n));
		}
	}));
}
