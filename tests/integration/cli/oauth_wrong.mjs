// oauth_wrong.mjs - wrong passwords, one after the other.  See oauth.test.sh.
import { Browser, check } from './oauth.mjs';

const browser = new Browser();
const statuses = [];
for (let i = 0; i < 11; i++) statuses.push((await browser.signIn('bob', `not the password ${i}`)).status);
// Ten from this address: oauth_flows.mjs had two of them.
check(statuses.slice(0, 8).every(s => s === 401) && statuses.slice(8).every(s => s === 429), statuses.join());
const last = await browser.signIn('bob', process.env.PASSWORD);
check(last.status === 429 && Number(last.retry) > 600, `${last.status}, retry ${last.retry}`);
