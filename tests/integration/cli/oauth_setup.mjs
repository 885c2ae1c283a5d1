// oauth_setup.mjs - the first administrator, by the LINK that was printed.  See oauth.test.sh.
import { Browser, check } from './oauth.mjs';

const link = process.env.LINK;
const input = (html, name) => html.match(new RegExp(`name="${name}" value="([^"]*)"`))?.[1];
const browser = new Browser();
const page = await browser.open(link);
check(page.status === 200, `the page: ${page.status}`);
const fields = (username, password) => ({ username, password, csrf: input(page.text, 'csrf') ?? '', link: input(page.text, 'link') });
const poor = await browser.post('/api/oauth/setup', fields('root', 'short'));
check(poor.status >= 400 || /12 to 1024/.test(poor.text), `a poor password: ${poor.status}`);
const taken = await browser.post('/api/oauth/setup', fields('ada', process.env.PASSWORD));
check(taken.status !== 303, 'a name that is taken');
const made = await browser.post('/api/oauth/setup', fields('root', process.env.PASSWORD));
check(made.status === 303, `making it: ${made.status} ${made.text.slice(0, 300)}`);
check(browser.jar.size > 0, 'not signed in');
const again = await new Browser().open(link);
check(again.status !== 200 || !/name="password"/.test(again.text), 'the link is good twice');
const wrong = await new Browser().open(link.replace(/link=.{43}/, 'link=' + 'A'.repeat(43)));
check(wrong.status !== 200 || !/name="password"/.test(wrong.text), 'a guessed link is good');
