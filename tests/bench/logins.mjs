// logins.mjs token: an access token.  logins.mjs FILE: logins, four at a time, until it is killed; FILE has their number.
import { writeFileSync } from 'node:fs';

import { Browser, code, draw, redeem, register } from '../integration/cli/oauth.mjs';

const signIn = () => { const browser = new Browser(); return browser.signIn('ada', process.env.PASSWORD).then(({ status }) => ({ browser, status })); };

if (process.argv[2] === 'token') {
	const client = await register(), { browser } = await signIn(), verifier = draw();
	console.log((await redeem(client, await code(browser, client, verifier), verifier)).access_token);
} else {
	let n = 0;
	await Promise.all(Array.from({ length: 4 }, async () => {
		for (;;) {
			const { status } = await signIn();
			if (status === 303) writeFileSync(process.argv[2], String(++n));
		}
	}));
}
