// oauth_flows.mjs - what users and clients do, and what others try.  See oauth.test.sh.
import { execFileSync } from 'node:child_process';

import { Browser, allow, check, code, draw, list, origin, redeem, refresh, register, request, token } from './oauth.mjs';

const password = process.env.PASSWORD;
const client = await register();
const browser = new Browser();

// Signing in: an unknown name and a wrong password are told in the same words.
const wrong = await new Browser().signIn('ada', 'not this password');
const nobody = await new Browser().signIn('nobody', 'not this password');
check(wrong.status === 401 && nobody.status === 401, `wrong: ${wrong.status}, nobody: ${nobody.status}`);
const before = browser.jar.size;
const signed = await browser.signIn('ada', password, request(client, draw()));
check(signed.status === 303, `signing in: ${signed.status} ${signed.text.slice(0, 200)}`);
check(browser.jar.size > before, 'no session');

// From a code to a call, and to the next token.
let verifier = draw();
let got = await redeem(client, await code(browser, client, verifier), verifier);
check(got.status === 200 && got.scope === 'research:read research:query' && got.expires_in === 900, JSON.stringify(got));
check(await list(got.access_token) === 200, 'the access token is no good');
check(await list(got.access_token.slice(0, -4) + 'AAAA') === 401, 'a forged one is good');
let next = await refresh(client, got.refresh_token);
check(next.status === 200 && next.refresh_token !== got.refresh_token, JSON.stringify(next));
const again = await Promise.all(Array.from({ length: 20 }, () => refresh(client, got.refresh_token)));
check(again.every(a => a.refresh_token === next.refresh_token), 'parallel processes get different successors');

// Of a hundred redemptions one wins, and what it won ends with the second.
verifier = draw();
const one = await code(browser, client, verifier);
const all = await Promise.all(Array.from({ length: 100 }, () => redeem(client, one, verifier)));
check(all.filter(a => a.status === 200).length === 1, `${all.filter(a => a.status === 200).length} of 100 won`);
check(all.every(a => a.status === 200 || a.error === 'invalid_grant'), 'another error than invalid_grant');
check(await list(all.find(a => a.status === 200).access_token) === 401, 'the grant of a replayed code lives');

// Reuse ends the family at once.
next = await refresh(client, next.refresh_token);
check((await refresh(client, got.refresh_token)).error === 'invalid_grant', 'an old refresh token is good');
check((await refresh(client, next.refresh_token)).error === 'invalid_grant', 'its successor still is');
check(await list(next.access_token) === 401, 'an access token of an ended grant is good');

// A stolen code, without the verifier or for another client.
verifier = draw();
const stolen = await code(browser, client, verifier);
check((await redeem(client, stolen, draw())).error === 'invalid_grant', 'a code without its verifier');
check((await redeem(client, stolen, verifier)).error === 'invalid_grant', 'a code that was tried');
check((await redeem('nobody', stolen, verifier)).error === 'invalid_client', 'an unknown client');
check((await token({ grant_type: 'password', client_id: client })).error === 'unsupported_grant_type', 'the password grant');

// An error of the client's goes to no stranger.
const shown = await allow(browser, request('nobody', draw()).replace(/redirect_uri=[^&]*/, 'redirect_uri=https%3A%2F%2Fevil.example%2F'));
check(shown.status === 400 && shown.location === null, `an open redirect: ${shown.status} ${shown.location}`);

// A form that another page made up signs nobody in.
const forged = await new Browser().post('/api/oauth/login', { csrf: 'A'.repeat(43), username: 'ada', password });
check(forged.status === 403 && /form is not good any more/.test(forged.text), `a forged form: ${forged.status}`);

// A code that was given out ends with everything else when its user is signed out everywhere.
verifier = draw();
const late = await code(browser, client, verifier);
execFileSync(process.env.CARREL, ['user', 'set', 'ada', '--sign-out'], { stdio: 'ignore' });
check((await redeem(client, late, verifier)).error === 'invalid_grant', 'a code of a user who was signed out');

console.log(JSON.stringify({ client, origin }));
