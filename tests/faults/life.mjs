// What life does to a loaded daemon: processes that die or stand still, a disk that is full, slow or read-only,
// descriptors and memory that run out, a clock that is set, a database that hangs, drops, restarts, answers nonsense, hangs up by halves
// or is replaced by its standby, files of which no change is told as on a network's file system, clients that hang up,
// a lock that was left.  Meanwhile clients ask, each request with a number of its own.  Held throughout:
// every request has exactly one answer, and the right one or an error that says why; what was answered is on
// record, in a chain that is whole; nothing grows.  How soon it is back is measured and printed, not judged.
// usage: node life.mjs BIN_DIRECTORY WORK ROUNDS SEED [clock]; started by life.sh.
import { execFile, execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const [bin, work, rounds, seed, clock] = process.argv.slice(2);
const project = `${work}/disk/project`, CLIENTS = 6, WAIT = 60000;
const counts = { good: 0, errors: {}, dropped: 0, refused: 0 }, failures = [], back = {}, receipts = new Set();
let said = 'nothing', random = Number(seed), running = true, serial = 0, hurt = 0, port;

function fail(text) { failures.push(text); console.log(`FAILED: ${text}`); }
function below(n) { random = (random * 1103515245 + 12345) % 2147483648; return Math.floor(random / 2147483648 * n); }
function shuffled(list) {
	const all = [...list];
	for (let i = all.length - 1; i > 0; i--) { const k = below(i + 1); [all[i], all[k]] = [all[k], all[i]]; }
	return all;
}
const now = () => performance.now();
const carrel = (...args) => execFileSync(`${bin}/carrel`, ['--project-dir', project, ...args], { encoding: 'utf8', maxBuffer: 1 << 28 });
// Beside what runs: the database's proxy is this process.
const carrelLater = (...args) => new Promise(done => execFile(`${bin}/carrel`, ['--project-dir', project, ...args],
	{ encoding: 'utf8', maxBuffer: 1 << 28 }, (error, out, err) => done({ code: error?.code ?? 0, out, err })));

async function until(what, test, ms = WAIT) {
	for (const end = now() + ms; now() < end && failures.length < 20; await pause(2))
		if (await test()) return true;
	fail(`${what}: not within ${ms / 1000} s; last said: ${said}`);
	if (existsSync(`${project}/.carrel/logs/mcp.log`))
		console.log(readFileSync(`${project}/.carrel/logs/mcp.log`, 'utf8').split('\n').slice(-15).join('\n'));
	return false;
}

// --- the database, with a proxy before it ---------------------------------------------------------

const database = { mode: 'pass', open: new Set(), socket: `${work}/pg/run/.s.PGSQL.${readFileSync(`${work}/pg/port`, 'utf8').trim()}` };
const starting = Buffer.from('E\0\0\0\x45SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up now ...\0\0', 'latin1');
starting.writeUInt32BE(starting.length - 1, 1);

function relay(client) {
	const server = connect({ path: database.socket, allowHalfOpen: true });
	const pair = [client, server];
	const end = () => { pair.forEach(s => s.destroy()); database.open.delete(end); };
	database.open.add(end);
	if (database.mode === 'refuse') return end();
	const pass = (from, to) => from.on('data', async bytes => {
		if (database.mode === 'hang') return;
		if (database.mode === 'slow') { from.pause(); await pause(50); from.resume(); }
		if (database.mode === 'garbage' && to === client)
			for (let i = 0; i < bytes.length; i++) bytes[i] = below(256);
		if (database.mode === 'starting' && to === client) return void client.end(starting);
		// No more is said to the client, and what it says is still read.
		if (database.mode === 'halved' && to === client) return void client.end();
		if (!to.destroyed) to.write(bytes);
	});
	pass(client, server), pass(server, client);
	const ended = () => { if (database.mode !== 'halved') end(); };
	pair.forEach(s => s.on('error', end).on('close', end).on('end', ended));
}
function databaseIs(mode) { database.mode = mode; if (mode !== 'slow' && mode !== 'hang' && mode !== 'garbage' && mode !== 'halved') [...database.open].forEach(end => end()); }

// --- the daemon --------------------------------------------------------------------------------------

const supervisor = () => JSON.parse(readFileSync(`${project}/.carrel/mcp.json`, 'utf8')).pid;
function children() {
	const pid = supervisor();
	try {
		return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
			.map(pid => ({ pid, name: name(pid) })).filter(c => c.name.startsWith('carrel-'));
	} catch { return []; }
}
function name(pid) { try { return readFileSync(`/proc/${pid}/comm`, 'utf8').trim(); } catch { return ''; } }
const all = want => children().filter(c => c.name.startsWith(want));
const any = want => { const list = all(want); return list[below(list.length)]; };
const descriptors = pid => { try { return readdirSync(`/proc/${pid}/fd`).length; } catch { return 0; } };
const resident = pid => Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
const states = () => JSON.parse(carrel('status', '--json')).daemon.children;

// --- clients --------------------------------------------------------------------------------------------

const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
const kinds = {
	sqlite: id => ['sql_execution', { connectionId: 'warehouse', sql: `SELECT ${id} AS n` }, `[[${id}]]`],
	postgres: id => ['sql_execution', { connectionId: 'pg', sql: `SELECT ${id} AS n` }, `[[${id}]]`],
	search: () => ['discover_data', { query: 'orders', limit: 1 }, '"refs"'],
	wiki: () => ['wiki_search', { query: 'refund', limit: 1 }, '"'],
	semantic: () => ['sl_query', { connectionId: 'warehouse', measures: ['orders.placed_orders'] }, '"rows"'],
};
// What may be said where something is wrong; everything else is no answer.
const allowed = ['worker_lost', 'database_unavailable', 'service_unavailable', 'busy', 'query_timeout', 'deadline_exceeded',
	'quarantined', 'out_of_memory', 'result_too_large', 'query_cancelled', 'query_failed', 'connection_lost', 'database_error', 'disk_full'];

function whole(text) {
	const head = text.indexOf('\r\n\r\n');
	if (head < 0) return 0;
	const length = /content-length: *(\d+)/i.exec(text.slice(0, head));
	if (length) return text.length >= head + 4 + Number(length[1]) ? head + 4 + Number(length[1]) : 0;
	const end = text.indexOf('\r\n0\r\n\r\n', head + 2);
	return end < 0 ? 0 : end + 7;
}

function request(kind, id) {
	const [tool, args, want] = kinds[kind](id);
	const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: tool, arguments: args, _meta: meta } });
	return { want, text: `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n` +
		'Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n' +
		`Mcp-Name: ${tool}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}` };
}

// What came for one request: the text of an answer, or null where the connection ended; half: no more is sent then.
function ask(socket, text, half) {
	return new Promise(done => {
		let got = '';
		const timer = setTimeout(() => finish(undefined), WAIT);
		function finish(value) {
			clearTimeout(timer);
			socket.off('data', data).off('close', closed).off('error', closed);
			done(value);
		}
		function data(bytes) {
			got += bytes.toString('latin1');
			const n = whole(got);
			if (n === 0) return;
			if (got.length > n) fail(`more than one answer: ${got.slice(0, 300)}`);
			finish(got);
		}
		const closed = () => { if (got.length > 0) counts.cut = (counts.cut ?? 0) + 1; finish(null); };
		socket.on('data', data).on('close', closed).on('error', closed);
		socket.write(text, 'latin1');
		if (half) socket.end();
	});
}

// Whether it is the answer to id: good, or an error that may be.
function judge(kind, id, want, got) {
	// What is refused because nothing can be put on record is not on record.
	const unrecorded = full && got.includes('"service_unavailable"');
	const status = Number(got.slice(9, 12)), receipt = /"carrel\/receipt":"([^"]*)"/.exec(got);
	if (receipt) {
		if (receipts.has(receipt[1])) fail(`a receipt was given twice: ${receipt[1]}`);
		if (!unrecorded) receipts.add(receipt[1]);
	}
	if (status === 503 || status === 429) { counts.refused++, said = got.slice(0, 600); return false; }
	if (!new RegExp(`"id":${id}[,}]`).test(got)) { fail(`the answer to ${id} is another's: ${got.slice(0, 400)}`); return false; }
	const code = allowed.find(c => got.includes(`"${c}"`));
	if (code) {
		said = got.slice(got.indexOf('\r\n\r\n') + 4, 600);
		counts.errors[code] = (counts.errors[code] ?? 0) + 1;
		if (hurt === 0 && now() > calm + 15000) fail(`${kind} ${id} fails although nothing is wrong: ${got.slice(got.indexOf('\r\n\r\n'), 900)}`);
		return false;
	}
	if (status !== 200 || !got.includes(want)) { fail(`a wrong answer to ${kind} ${id}: ${got.slice(0, 900)}`); return false; }
	if (!receipt) fail(`an answer without a receipt: ${got.slice(0, 400)}`);
	counts.good++;
	return true;
}
let calm = 0, frontLost = 0, what = 'nothing', full = false;

async function client(number) {
	const names = Object.keys(kinds);
	let socket;
	while (running) {
		const id = ++serial, kind = names[(id + number) % names.length], { text, want } = request(kind, id), lost = frontLost, begun = what;
		if (!socket || socket.destroyed || socket.readableEnded)
			socket = connect(port, '127.0.0.1').setNoDelay(true).on('error', () => {});
		const got = await ask(socket, text);
		if (got) { judge(kind, id, want, got); await pause(below(10)); continue; }
		if (got === undefined) fail(`${kind} ${id} was not answered within a minute; it was sent during: ${begun}`);
		else {
			counts.dropped++;
			// A front that dies takes its connections along, and may be counted a moment later.
			await pause(100);
			if (lost === frontLost && frontLost === 0) fail(`the connection of ${id} ended and no front did`);
		}
		socket.destroy(), socket = undefined;
		await pause(5);
	}
	socket?.destroy();
}

// A request on a connection of its own: whether it was answered well.
async function good(kind, half) {
	const id = ++serial, { text, want } = request(kind, id);
	const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).setNoDelay(true).on('error', () => {});
	const got = await ask(socket, text, half);
	socket.destroy();
	return got ? judge(kind, id, want, got) : false;
}

// --- faults ------------------------------------------------------------------------------------------------

// Until the kind is answered well, from when the fault was over.
async function measured(fault, kind, from = now()) {
	if (await until(`${fault}: ${kind} again`, () => good(kind))) (back[fault] ??= []).push(now() - from);
}
function signal(pid, what) { try { process.kill(pid, what); } catch { /* it is gone by itself */ } }
async function stopped(role, kind, ms) {
	const one = any(role);
	if (!one) return;
	if (role === 'carrel-front') frontLost++;
	signal(one.pid, 'SIGSTOP');
	await pause(ms);
	signal(one.pid, 'SIGCONT');
	await measured(`${role.slice(7)} stood still`, kind);
}
async function killed(role, kind) {
	const one = any(role);
	if (!one) return;
	if (role === 'carrel-front') frontLost++;
	const from = now();
	signal(one.pid, 'SIGKILL');
	await measured(`${role.slice(7)} killed`, kind, from);
}
async function databaseFault(mode, ms) {
	databaseIs(mode);
	await pause(ms);
	databaseIs('pass');
	await measured(`PostgreSQL: ${mode}`, 'postgres');
}
function plan(...fields) { // clock_s, disk_ms, deaf, read_only
	const bytes = Buffer.alloc(32), fd = openSync('/run/carrel-elsewhen', 'r+');
	fields.forEach((n, i) => bytes.writeBigInt64LE(BigInt(n), 8 * i));
	writeSync(fd, bytes, 0, 32, 0);
	closeSync(fd);
}
async function restarted(how, called = `PostgreSQL restarted ${how}`.trim()) {
	const fd = openSync(`${work}/orders`, 'w'), before = database.socket;
	writeSync(fd, `${how}\n`);
	closeSync(fd);
	const { out } = await new Promise(done => execFile('cat', [`${work}/done`], (error, out) => done({ out })));
	database.socket = out.trim();
	if ((database.socket !== before) !== (how === 'failover')) fail(`${called}: it is at ${database.socket}`);
	await measured(called, 'postgres');
}
function limit(pid, what) { try { execFileSync('prlimit', ['--pid', String(pid), what], { stdio: 'pipe' }); return true; } catch { return false; } }

let hours = 0;
const faults = {
	'kill sqlite': () => killed('carrel-sql-sqli', 'sqlite'),
	'kill postgres': () => killed('carrel-sql-post', 'postgres'),
	'kill search': () => killed('carrel-search', 'search'),
	'kill auth': () => killed('carrel-auth', 'sqlite'),
	'kill memory': () => killed('carrel-memory', 'wiki'),
	'kill agent': () => killed('carrel-agent', 'sqlite'),
	'kill front': () => killed('carrel-front', 'sqlite'),
	'stop sqlite': () => stopped('carrel-sql-sqli', 'sqlite', 300),
	'stop postgres': () => stopped('carrel-sql-post', 'postgres', 300),
	'stop search': () => stopped('carrel-search', 'search', 300),
	'stop auth': () => stopped('carrel-auth', 'sqlite', 300),
	'stop front': () => stopped('carrel-front', 'sqlite', 300),
	async 'stop supervisor'() {
		const pid = supervisor();
		signal(pid, 'SIGSTOP');
		await pause(300);
		signal(pid, 'SIGCONT');
		await measured('supervisor stood still', 'sqlite');
	},
	async 'stop all'() {
		const list = [supervisor(), ...children().map(c => c.pid)];
		list.forEach(pid => signal(pid, 'SIGSTOP'));
		await pause(400);
		list.forEach(pid => signal(pid, 'SIGCONT'));
		await measured('all stood still', 'sqlite');
	},
	'database drops': () => databaseFault('drop', 10),
	'database refuses': () => databaseFault('refuse', 400),
	'database hangs': () => databaseFault('hang', 700),
	'database slow': () => databaseFault('slow', 400),
	'database garbage': () => databaseFault('garbage', 300),
	'database starting': () => databaseFault('starting', 300),
	'database half-closes': () => databaseFault('halved', 300),
	'database fails over': () => restarted('failover', 'PostgreSQL failed over'),
	'database restarts': () => restarted(below(2) ? 'immediate' : ''),
	async 'disk full'() {
		const file = `${work}/disk/full`, fd = openSync(file, 'w'), block = Buffer.alloc(1 << 16, 1);
		for (let size = block.length; size >= 512;)
			try { writeSync(fd, block, 0, size); } catch { size >>= 1; }
		full = true;
		await pause(500);
		closeSync(fd), rmSync(file);
		await measured('disk was full', 'sqlite');
		await pause(1000);
		full = false;
	},
	async 'no descriptors'() {
		const one = any('carrel-front');
		if (!one || !limit(one.pid, `--nofile=${descriptors(one.pid)}:`)) return;
		// It ends when a worker begins meanwhile: the channel to it is a descriptor that cannot be taken.
		frontLost++;
		const late = Array.from({ length: 20 }, () => connect(port, '127.0.0.1').on('error', () => {}));
		await pause(300);
		late.forEach(s => s.destroy());
		limit(one.pid, '--nofile=20000:');
		await measured('front without descriptors', 'sqlite');
	},
	async 'no memory'() {
		const [role, kind] = [['carrel-sql-sqli', 'sqlite'], ['carrel-search', 'search'], ['carrel-agent', 'sqlite']][below(3)], one = any(role);
		if (!one || !limit(one.pid, '--as=1:')) return;
		await pause(300);
		signal(one.pid, 'SIGKILL');
		await measured(`${role.slice(7)} without memory`, kind);
	},
	async 'clients hang up'() {
		// A proxy that half-closes is answered; one that is gone is no harm.
		for (let i = 0; i < 5; i++) {
			const { text } = request(below(2) ? 'sqlite' : 'postgres', ++serial), socket = connect(port, '127.0.0.1');
			socket.on('error', () => {}).write(text.slice(0, 1 + below(text.length)), 'latin1');
			await pause(below(5));
			below(2) ? socket.resetAndDestroy() : socket.destroy();
		}
		if (!await good('sqlite', true) && hurt === 1) await measured('client half-closed', 'sqlite');
	},
	async 'lock left'() {
		// What memory keeps is kept, and says why it is not committed; the next one is.
		const note = `${work}/note`, before = commits();
		writeFileSync(`${project}/.git/index.lock`, '');
		writeFileSync(note, `Remember: the count ${++serial} is taken from orders.\n`);
		const left = await carrelLater('ingest', 'text', note);
		if (left.code !== 0 || !left.out.includes('index.lock')) fail(`ingest beside a lock: ${left.out}${left.err}`);
		rmSync(`${project}/.git/index.lock`);
		writeFileSync(note, `Remember: the sum ${++serial} is taken from refunds.\n`);
		const kept = await carrelLater('ingest', 'text', note);
		if (kept.code !== 0 || commits() !== before + 1) fail(`ingest without a lock: ${kept.out}${kept.err}`);
		await measured('git lock left', 'wiki');
	},
	async reload() {
		signal(supervisor(), 'SIGHUP');
		frontLost++;
		await measured('reload', 'sqlite');
	},
	...clock && {
		async 'clock jumps'() {
			for (const off of [60, -60, 7200, -7200, 86400, -86400, 0]) {
				plan(hours * 3600 + off, 0);
				await pause(100);
				await measured('clock was set', 'sqlite');
			}
		},
		async 'network file system'() {
			// As on NFS, where what another machine writes is not told: pages that come and go.
			const file = `${project}/wiki/global/from-elsewhere.md`, one = `quixotry${++serial}`;
			const search = () => carrelLater('wiki', 'search', one, '--json');
			const found = async () => (await search()).out.includes('from-elsewhere');
			plan(hours * 3600, 0, 1);
			await killed('carrel-search', 'search');
			writeFileSync(file, `---\nsummary: ${one}\n---\n# ${one}\n\nThe ${one} is counted elsewhere.\n`);
			await until('a new page without a word of the kernel', found);
			rmSync(file);
			await until('no page', async () => !await found());
			plan(hours * 3600, 0);
			await killed('carrel-search', 'search');
		},
		async 'disk read-only'() {
			// A restart of carrel-auth meanwhile changes nothing: it does not come up, and its entries stay.
			plan(hours * 3600, 0, 0, 1), full = true;
			await pause(300);
			if (below(2)) signal(any('carrel-auth')?.pid, 'SIGKILL');
			await pause(300);
			plan(hours * 3600, 0);
			await measured('disk was read-only', 'sqlite');
			await pause(1000);
			full = false;
		},
		async 'disk slow'() {
			plan(hours * 3600, 100);
			await pause(500);
			plan(hours * 3600, 0);
			await measured('disk was slow', 'sqlite');
		},
	},
};

// --- the run ----------------------------------------------------------------------------------------------------

carrel('init', '--demo', project);
const git = (...args) => execFileSync('git', ['-C', project, '-c', 'user.name=x', '-c', 'user.email=x@localhost', ...args], { encoding: 'utf8', stdio: 'pipe' });
const commits = () => Number(git('rev-list', '--count', 'HEAD'));
git('init', '-q'), git('add', 'carrel.yaml'), git('commit', '-qm', 'begin');
const proxy = createServer(relay).listen(0, '127.0.0.1');
await new Promise(done => proxy.once('listening', done));
writeFileSync(`${project}/carrel.yaml`, readFileSync(`${project}/carrel.yaml`, 'utf8').replace('connections:',
	`connections:\n  pg: { driver: postgres, url: "postgresql://postgres@127.0.0.1:${proxy.address().port}/postgres?sslmode=disable" }`));
const begun = await carrelLater('mcp', 'start', '--port', '0');
if (begun.code !== 0) { console.log(`the daemon did not start: ${begun.err}`); process.exit(1); }
port = JSON.parse(readFileSync(`${project}/.carrel/mcp.json`, 'utf8')).port;
for (const kind of Object.keys(kinds)) await until(`${kind} at first`, () => good(kind));
const clients = Array.from({ length: CLIENTS }, (_, i) => client(i));
calm = now();

const sizes = [];
for (let round = 0; round < Number(rounds) && failures.length < 20; round++) {
	for (const fault of shuffled(Object.keys(faults))) {
		hurt++, what = fault;
		const from = failures.length;
		await faults[fault]();
		hurt--;
		calm = now();
		if (failures.length > from) console.log(`  … during or after: ${fault}, round ${round}`);
	}
	// An hour goes by in a moment.
	if (clock) plan(++hours * 3600, 0);
	for (const kind of Object.keys(kinds)) await until(`${kind} after round ${round}`, () => good(kind));
	await until('every process ready', () => children().length >= 8 && states().every(c => c.state === 'ready'));
	sizes.push({ children: children().length, files: descriptors(supervisor()), kb: resident(supervisor()) });
}
running = false;
await Promise.all(clients);

// What was answered is on record, and what is on record is whole.
const verified = await carrelLater('audit', 'verify');
if (verified.code !== 0) fail(`audit verify: ${verified.out}${verified.err}`);
await carrelLater('audit', 'export', '-o', `${work}/audit.jsonl`);
const entries = readFileSync(`${work}/audit.jsonl`, 'utf8').split('\n').filter(Boolean).map(line => JSON.parse(line).receipt ?? JSON.parse(line).entry?.receipt);
const recorded = new Set(entries);
const missing = [...receipts].filter(r => !recorded.has(r));
if (missing.length > 0) fail(`answered and not on record: ${missing.length} of ${receipts.size}, such as ${missing.slice(0, 3)}`);
const first = sizes[0] ?? {}, last = sizes.at(-1) ?? {};
if (last.children !== first.children || last.files > first.files + 4 || last.kb > first.kb + 8192)
	fail(`something grows: ${JSON.stringify(first)}, then ${JSON.stringify(last)}`);
const ended = await carrelLater('mcp', 'stop');
if (ended.code !== 0) fail(`mcp stop: ${ended.err}`);
[...database.open].forEach(end => end());
proxy.close();

for (const [fault, list] of Object.entries(back).sort()) {
	const sorted = list.sort((a, b) => a - b);
	console.log(`back after ${fault}: ${sorted[sorted.length >> 1].toFixed(1)} ms, at most ${sorted.at(-1).toFixed(1)} (${list.length})`);
}
console.log(`${rounds} rounds, seed ${seed}: ${counts.good} good, in-band ${JSON.stringify(counts.errors)}, ${counts.refused} refused, ` +
	`${counts.dropped} connections ended; ${receipts.size} receipts, ${entries.length} entries`);
console.log(`supervisor ${first.kb} -> ${last.kb} kB, ${first.files} -> ${last.files} descriptors, ${first.children} -> ${last.children} processes`);
console.log(failures.length ? `0 passed, ${failures.length} failed` : '1 passed, 0 failed');
process.exit(failures.length ? 1 : 0);
