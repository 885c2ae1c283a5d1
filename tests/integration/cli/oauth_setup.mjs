// oauth_setup.mjs - the first administrator, by the LINK that was printed.  See oauth.test.sh.
import { check } from './oauth.mjs';

const [page, link] = process.env.LINK.split('#setup=');
const { origin } = new URL(page);
const fields = { 'Content-Type': 'application/json', Origin: origin };
async function post(name, password) {
	const body = JSON.stringify({ link, name, password });
	const response = await fetch(`${page}/api/setup`, { method: 'POST', headers: fields, body });
	return { status: response.status, cookie: response.headers.get('set-cookie'), text: await response.text() };
}

const poor = await post('root', 'short');
check(poor.status === 400 && /12 to 1024/.test(poor.text), `a poor password: ${poor.status} ${poor.text}`);
const common = await post('root', 'passwordpassword');
check(common.status === 400 && /commonest/.test(common.text), `a common password: ${common.status} ${common.text}`);
check((await post('ada', process.env.PASSWORD)).status === 400, 'a name that is taken');
const made = await post('root', process.env.PASSWORD);
check(made.status === 200 && /carrel_session_/.test(made.cookie), `making it: ${made.status} ${made.text}`);
const signed = { ...fields, Cookie: made.cookie.split(';')[0], 'Carrel-Csrf': JSON.parse(made.text).csrf };
const session = await fetch(`${page}/api/session`, { method: 'POST', body: '{}', headers: signed });
check((await session.json()).principal === 'user:root', 'not signed in');
