// The administration page: who is signed in, what is asked of the server, and the views. What the server answers becomes
// elements and text, never markup; nothing is asked of anybody else.
import { views } from "./views.js";

const SVG = "http://www.w3.org/2000/svg", EVERY = 2000, POINTS = 90;
const $ = (id) => document.getElementById(id);
const content = $("content"), said = $("said");
// What the server wants with the cookie, which browsers send to other ports as well. Kept for this origin and tab.
const KEY = "carrel-key";
let csrf = sessionStorage.getItem(KEY), shown = null, timer = 0, turn = 0;

// --- elements -------------------------------------------------------------------------------

// An element with attributes; "on…" are listeners, null and false leave one out. Children are elements or text.
export function el(name, attributes = {}, ...children) {
	const e = document.createElement(name);
	for (const [key, value] of Object.entries(attributes)) {
		if (value === null || value === undefined || value === false) continue;
		if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
		else e.setAttribute(key, value === true ? "" : String(value));
	}
	for (const child of children.flat(Infinity))
		if (child !== null && child !== undefined && child !== false) e.append(child instanceof Node ? child : String(child));
	return e;
}

export function draw(parent, name, attributes = {}, text = undefined) {
	const e = document.createElementNS(SVG, name);
	for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, typeof value === "number" ? value.toFixed(1) : value);
	if (text !== undefined) e.textContent = text;
	return parent.appendChild(e);
}

export const word = (v) => (v === null || v === undefined || v === "" ? "–" : typeof v === "object" ? JSON.stringify(v) : String(v));
export const number = (v) => (typeof v === "number" ? v.toLocaleString(undefined, { maximumFractionDigits: 2 }) : word(v));
// In the language and the time zone of the browser, as its date fields are.
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const ISO = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
// Texts of strangers may look like a time that does not exist.
const isTime = (v) => typeof v === "string" && ISO.test(v) && !Number.isNaN(Date.parse(v));
export const when = (v) => (isTime(v) ? el("time", { datetime: v, title: v }, moment.format(new Date(v))) : "–");
export const good = (yes, text) => el("span", { class: yes ? "good" : "bad" }, text);

// Who a principal is, in words.
const KINDS = { user: "", local: "local account ", cli: "local account ", token: "token " };
export function person(id) {
	const [, kind, name] = /^(user|local|cli|token):(.*)$/.exec(id ?? "") ?? [];
	return kind !== undefined ? KINDS[kind] + name : id === "static" ? "the static token" : word(id);
}

// Text with what is to be typed between backticks, as messages have it.
export const prose = (text) => word(text).split("`").map((part, i) => (i % 2 === 1 ? el("code", {}, part) : part));

export const section = (title, ...children) => el("section", {}, el("h2", {}, title), ...children);

// Rows of a term and what it is; a row without a value is left out.
export const terms = (caption, rows) => el("table", { class: "terms" }, el("caption", { class: "unseen" }, caption), el("tbody", {}, rows.filter(([, v]) => v !== null && v !== undefined && v !== "").map(([name, v]) =>
	el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, typeof v === "number" ? number(v) : v)))));

// The members of an answer that have no words of their own.
const NAMES = { canWrite: "Account can write", canWriteWhy: "Why", latencyMs: "Latency, ms", duration_ms: "Took, ms", at: "When", seq: "Number", prev: "Hash before",
	client_name: "Client", p50: "Half below", p95: "95 of 100 below", p99: "99 of 100 below" };
export function named(member) {
	if (Object.hasOwn(NAMES, member)) return NAMES[member];
	const text = member.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replaceAll("_", " ").toLowerCase().replace(/\bid\b/g, "ID").replace(/\bsql\b/g, "SQL");
	return text.charAt(0).toUpperCase() + text.slice(1);
}

const isEmpty = (v) => v === null || v === undefined || v === "" || (typeof v === "object" && Object.keys(v).length === 0);

// What an answer says, whatever its form, with its members in words; nothing of what is empty.
export function told(v) {
	if (typeof v === "boolean") return v ? "yes" : "no";
	if (typeof v === "number") return number(v);
	if (typeof v !== "object" || v === null) return isTime(v) ? when(v) : word(v);
	if (!Array.isArray(v)) return facts("Details", v);
	if (v.every((one) => typeof one !== "object")) return v.map(word).join(", ");
	return el("ul", { class: "plain" }, v.filter((one) => !isEmpty(one)).map((one) => el("li", {}, told(one))));
}

export function facts(caption, object) {
	const rows = Object.entries(object ?? {}).filter(([, v]) => !isEmpty(v));
	return rows.length === 0 ? el("p", { class: "fine" }, "Nothing is said.") : terms(caption, rows.map(([name, v]) => [named(name), told(v)]));
}

// columns: [heading, of(row), its class: "figure" for numbers, "long" for texts of any length].
export function table(caption, columns, rows, none = "There are none.") {
	if (!Array.isArray(rows) || rows.length === 0) return el("p", { class: "fine" }, none);
	return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
		el("table", {}, el("caption", { class: "unseen" }, caption),
			el("thead", {}, el("tr", {}, columns.map(([heading, , kind]) => el("th", { scope: "col", class: kind }, heading)))),
			el("tbody", {}, rows.map((row) => el("tr", {}, columns.map(([heading, of, kind]) => {
				const cell = of(row);
				return el("td", { "data-label": heading, class: kind }, typeof cell === "number" ? number(cell) : cell instanceof Node || Array.isArray(cell) ? cell : word(cell));
			}))))));
}

export function field(label, attributes = {}, choices = null) {
	const input = choices === null ? el("input", { autocomplete: "off", ...attributes }) :
		el("select", attributes, choices.map((c) => (Array.isArray(c) ? el("option", { value: c[0] }, c[1]) : el("option", { value: c }, c))));
	const outer = attributes.type === "checkbox" ? el("label", { class: "tick" }, input, label) : el("label", {}, label, input);
	return { outer, input };
}

export function say(text, wrong = false) {
	said.textContent = text;
	said.className = wrong ? "bad" : "";
	clearTimeout(say.timer);
	say.timer = setTimeout(() => { said.textContent = ""; }, wrong ? 15000 : 6000);
}

// A button that does something; one that ends something asks by its own text, and does it when pressed again.
export function act(text, run, { ends = false, main = false, what = "" } = {}) {
	let sure = !ends;
	const button = el("button", { type: "button", class: ends ? "ends" : main ? "main" : null, "aria-label": what === "" ? null : `${text} ${what}` }, text);
	const calm = () => {
		sure = !ends;
		button.textContent = text;
		if (what !== "") button.setAttribute("aria-label", `${text} ${what}`);
	};
	button.addEventListener("blur", calm);
	button.addEventListener("click", async () => {
		if (!sure) {
			sure = true;
			button.textContent = `${text}: sure?`;
			button.removeAttribute("aria-label");
			say(`Press again to ${text.toLowerCase()} ${what}.`);
			return;
		}
		calm();
		button.disabled = true;
		try {
			await run();
		} catch (e) {
			say(e.message, true);
		} finally {
			button.disabled = false;
		}
	});
	return button;
}

export function submits(button, fields, run) {
	const press = el("button", { type: "submit", class: "main" }, button);
	return el("form", { onsubmit: async (event) => {
		event.preventDefault();
		press.disabled = true;
		try {
			await run();
		} catch (e) {
			say(e.message, true);
		} finally {
			press.disabled = false;
		}
	} }, fields, press);
}

export function copied(label, text) {
	return act(label, async () => {
		await navigator.clipboard.writeText(text);
		say("Copied.");
	});
}

// --- the server -----------------------------------------------------------------------------

class Refusal extends Error {
	constructor(status, message) {
		super(message);
		this.status = status;
	}
}

async function post(path, body = {}) {
	const headers = { "Content-Type": "application/json" };
	if (csrf !== null) headers["Carrel-Csrf"] = csrf;
	const response = await fetch(`admin/api/${path}`, { method: "POST", headers, body: JSON.stringify(body), credentials: "same-origin", cache: "no-store", redirect: "error" });
	const text = await response.text();
	if (response.ok) return (response.headers.get("Content-Type") ?? "").includes("json") ? JSON.parse(text) : text;
	let message = `The server answered with ${response.status}.`;
	try {
		message = JSON.parse(text).error.message ?? message;
	} catch { /* what is no JSON says nothing more */ }
	throw new Refusal(response.status, message);
}

// Ask for a path below /admin/api; who is no longer signed in is told so.
export async function ask(path, body = {}) {
	try {
		return await post(path, body);
	} catch (e) {
		if (e.status === 401) signedOut({ signed_in: false, denied: false, login: null }, "The session has ended.");
		throw e;
	}
}

export const tool = (name, args = {}) => ask(`tools/${name}`, args);

// --- charts ---------------------------------------------------------------------------------

// A drawing is as wide as it is shown, so that its text has the size of the page's.
export const room = (most) => Math.max(260, Math.min(most, content.clientWidth - 60));

// series: { label, points, class }; points are numbers, the newest last; null: unknown.  none: said where all are 0.
export function chart(title, unit, series, none) {
	const W = room(560), H = 170, left = 52, bottom = 24, top = 8;
	const all = series.flatMap((s) => s.points.filter((v) => v !== null));
	if (all.every((v) => v === 0)) return el("p", { class: "fine empty" }, none);
	const most = Math.max(1e-9, ...all), power = 10 ** Math.floor(Math.log10(most));
	const high = power * ([1, 2, 3, 4, 6, 8, 10].find((n) => n * power >= most) ?? 10);
	const x = (i) => left + (W - left - 6) * i / (POINTS - 1), y = (v) => top + (H - top - bottom) * (1 - v / high);
	const newest = (s) => s.points.findLast((v) => v !== null);
	const svg = document.createElementNS(SVG, "svg");
	svg.setAttribute("viewBox", `0 0 ${W} ${H}`);
	svg.setAttribute("class", "chart");
	svg.setAttribute("role", "img");
	svg.setAttribute("aria-label", `${title}: ${series.map((s) => `${s.label} ${number(newest(s) ?? 0)} ${unit}`).join(", ")} now`);
	for (const part of [0, 0.5, 1]) {
		draw(svg, "line", { class: "axis", x1: left, x2: W - 6, y1: y(high * part), y2: y(high * part) });
		draw(svg, "text", { x: left - 6, y: y(high * part) + 4, "text-anchor": "end" }, number(high * part));
	}
	draw(svg, "text", { x: left, y: H - 6 }, `${POINTS * EVERY / 60000} minutes ago`);
	draw(svg, "text", { x: W - 6, y: H - 6, "text-anchor": "end" }, "now");
	for (const s of series) {
		// Where nothing was called, the line goes from what was known before to what is known then.
		const known = s.points.map((v, i) => [x(i + POINTS - s.points.length), v]).filter(([, v]) => v !== null);
		if (known.length > 0) draw(svg, "path", { class: s.class, d: `M${known.map(([at, v]) => `${at.toFixed(1)} ${y(v).toFixed(1)}`).join("L")}` });
		if (known.length === 1) draw(svg, "circle", { class: s.class, cx: known[0][0], cy: y(known[0][1]), r: 2 });
	}
	return el("figure", { class: "plain" }, svg, el("figcaption", { class: "fine" }, series.map((s) => `${s.label}: ${number(newest(s) ?? 0)} ${unit}`).join(" · ")));
}

// --- figures of /metrics ----------------------------------------------------------------------

function samples(text) {
	const all = [];
	for (const line of text.split("\n")) {
		const found = /^([a-z_]+)(?:\{([^}]*)\})? (\S+)/.exec(line);
		if (found === null) continue;
		const labels = Object.fromEntries([...(found[2] ?? "").matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map((m) => [m[1], m[2]]));
		all.push({ name: found[1], labels, value: Number(found[3]) });
	}
	return all;
}

// Of all tools together: how many calls there were, how many failed, and the cumulated buckets by their bounds.
function figures(text) {
	const f = { at: performance.now(), calls: 0, failed: 0, buckets: new Map() };
	for (const s of samples(text)) {
		if (s.name === "carrel_calls_total") {
			f.calls += s.value;
			if (s.labels.outcome !== undefined && s.labels.outcome !== "ok") f.failed += s.value;
		} else if (s.name === "carrel_call_duration_seconds_bucket")
			f.buckets.set(s.labels.le, (f.buckets.get(s.labels.le) ?? 0) + s.value);
	}
	return f;
}

// The bound in milliseconds below which this part of the calls between two looks stayed; null: there were none.
function quantile(before, now, part) {
	const rows = [...now.buckets].map(([le, n]) => [le === "+Inf" ? Infinity : Number(le), n - (before.buckets.get(le) ?? 0)]).sort((a, b) => a[0] - b[0]);
	const total = rows.at(-1)?.[1] ?? 0;
	if (total <= 0) return null;
	let below = 0;
	for (const [bound, n] of rows) {
		if (n >= total * part) return 1000 * (bound === Infinity ? below : bound);
		below = bound;
	}
	return null;
}

const history = { before: null, rate: [], failed: [], p50: [], p99: [], cpu: [], cpuFront: [], memory: [], memorySearch: [], processes: null };

function keep(list, v) {
	list.push(v);
	if (list.length > POINTS) list.shift();
}

const sum = (list) => (list.length === 0 ? null : list.reduce((all, v) => all + v, 0));

// Percent of one processor since the last look, of processes that were there then; and what they hold, where it is shown.
function rememberProcesses(children) {
	const at = performance.now(), before = history.processes, known = (Array.isArray(children) ? children : []).filter((p) => typeof p.cpuMs === "number");
	const used = (those) => sum(those.filter((p) => before.of.has(p.pid)).map((p) => 100 * Math.max(0, p.cpuMs - before.of.get(p.pid)) / (at - before.at)));
	const held = (those) => sum(those.filter((p) => typeof p.memoryKb === "number").map((p) => p.memoryKb / 1024));
	if (before !== null) {
		keep(history.cpu, used(known));
		keep(history.cpuFront, used(known.filter((p) => p.role === "front")));
		keep(history.memory, held(known));
		keep(history.memorySearch, held(known.filter((p) => p.role === "search")));
	}
	history.processes = { at, of: new Map(known.map((p) => [p.pid, p.cpuMs])) };
}

function remember(now) {
	const { before } = history;
	if (before !== null && now.calls >= before.calls) {
		const seconds = (now.at - before.at) / 1000;
		keep(history.rate, (now.calls - before.calls) / seconds);
		keep(history.failed, Math.max(0, now.failed - before.failed) / seconds);
		keep(history.p50, quantile(before, now, 0.5));
		keep(history.p99, quantile(before, now, 0.99));
	}
	history.before = now;
}

// --- overview ---------------------------------------------------------------------------------

function processes(status) {
	// Processes of one connection have one reason, which is said once.
	const children = Array.isArray(status.children) ? status.children : [], said = new Set();
	const first = new Map(children.map((p) => [p, p.reason && !said.has(p.reason) && said.add(p.reason)]));
	const end = (p) => (p.state === "ready" ? (p.lastExit ?? "–").split(":")[0] : [...said].some((r) => (p.lastExit ?? "").includes(r)) ? "–" : p.lastExit);
	return table("Processes", [
		["Process", (p) => (p.connection ? `${p.connection}, process ${p.index + 1}` : p.role)],
		["PID", (p) => String(p.pid ?? "–")],
		["State", (p) => good(p.state === "ready", [word(p.state), first.get(p) ? [": ", prose(p.reason)] : p.reason ? ", as above" : ""].flat(Infinity))],
		["Processor, s", (p) => (typeof p.cpuMs === "number" ? p.cpuMs / 1000 : "–"), "figure"],
		["Memory, MB", (p) => (typeof p.memoryKb === "number" ? p.memoryKb / 1024 : "–"), "figure"],
		["Restarts", (p) => p.restarts, "figure"],
		["Last end", end],
		["Confined", (p) => (p.sandbox ? good(!p.sandbox.degraded, p.sandbox.degraded ? `less than wanted: ${word(p.sandbox.note)}` :
			`Landlock${p.sandbox.namespaces ? " and namespaces" : ""}`) : "–")],
	], children);
}

function server(status) {
	const f = status.front ?? {}, n = (v, one, many = `${one}s`) => `${number(v ?? 0)} ${v === 1 ? one : many}`;
	return el("div", { class: "pair" },
		terms("This server", [["Running since", when(status.startedAt)], ["Version", status.version], ["Project", status.project], ["Commit", status.revision], ["Address", status.url],
			["Configuration", status.reloads > 0 ? `read again ${n(status.reloads, "time")}` : null], ["Not taken", status.reloadError]]),
		terms("What it has answered", [["Calls", `${number(f.calls ?? 0)}, of which ${number(f.failed ?? 0)} failed and ${number(f.cancelled ?? 0)} were cancelled`],
			["Requests", `${number(f.requests ?? 0)}, of which ${number(f.refused ?? 0)} were refused`],
			["At this moment", `${n(f.inFlight, "call")}, ${n(f.connections, "connection")}, ${n(f.sessions, "session")}, ${n(f.localClients, "local program")}`]]));
}

const overview = {
	title: "Overview",
	live: true,
	async show() {
		const alarm = el("div", { role: "alert" }), charts = el("div", { class: "pair" }), state = el("div");
		const look = async () => {
			const [status, text] = await Promise.all([ask("status"), ask("metrics")]);
			remember(figures(text));
			rememberProcesses(status.children);
			const reason = status.front?.reason ?? "";
			if (alarm.textContent !== reason) alarm.replaceChildren(reason === "" ? "" : el("p", { class: "wrong" }, prose(reason)));
			const quiet = "No call has come since this page was opened.", soon = "Measured in a moment.";
			charts.replaceChildren(
				section("Calls a second", chart("Calls a second", "a second", [{ label: "all", points: history.rate, class: "one" }, { label: "not successful", points: history.failed, class: "two" }], quiet)),
				section("How long calls took", chart("How long calls took", "ms", [{ label: "half below", points: history.p50, class: "one" }, { label: "99 of 100 below", points: history.p99, class: "two" }], quiet)),
				section("Processor of the processes", chart("Processor of the processes", "% of a core", [{ label: "all", points: history.cpu, class: "one" }, { label: "front", points: history.cpuFront, class: "two" }], soon)),
				section("Memory of the processes", chart("Memory of the processes", "MB", [{ label: "all", points: history.memory, class: "one" }, { label: "search", points: history.memorySearch, class: "two" }], soon),
					history.memory.length > 0 && history.memory.at(-1) === null ? el("p", { class: "fine" }, "Not shown to the service here: its unit hides other processes (ProtectProc=). systemd-cgtop has the sum.") : null));
			if (!state.contains(document.activeElement)) state.replaceChildren(
				section("Processes", processes(status)),
				section("This server", server(status)));
		};
		await look();
		return { nodes: [alarm, charts, state], look };
	},
};

// --- which view -------------------------------------------------------------------------------

const all = { overview, ...views };

async function show(again = false) {
	const name = Object.hasOwn(all, location.hash.slice(1)) ? location.hash.slice(1) : shown ?? "overview";
	const mine = ++turn, view = all[name];
	clearInterval(timer);
	for (const a of $("views").children) {
		if (a.hash === `#${name}`) a.setAttribute("aria-current", "page");
		else a.removeAttribute("aria-current");
	}
	document.title = `${view.title} – Carrel administration`;
	if (!again) content.replaceChildren(el("h1", {}, view.title), el("p", { class: "fine" }, "Loading …"));
	let made;
	try {
		made = await view.show();
	} catch (e) {
		if (mine === turn && csrf !== null) content.replaceChildren(el("h1", {}, view.title), el("p", { class: "wrong", role: "alert" }, e.message));
		return;
	}
	if (mine !== turn) return;
	const { nodes, look } = Array.isArray(made) ? { nodes: made, look: null } : made;
	content.replaceChildren(el("h1", {}, view.title), ...nodes);
	if (again || shown !== null) content.focus({ preventScroll: true });
	if (!again && shown !== null) window.scrollTo(0, 0);
	shown = name;
	if (look !== null) timer = setInterval(() => {
		if (!document.hidden) look().catch((e) => { if (mine === turn) say(e.message, true); });
	}, EVERY);
}

// After something was changed.
export const refresh = () => show(true);

// --- in and out -------------------------------------------------------------------------------

function keep_key(key) {
	csrf = key;
	if (key === null) sessionStorage.removeItem(KEY);
	else sessionStorage.setItem(KEY, key);
}

function signedOut(session, message) {
	keep_key(null);
	turn++;
	clearInterval(timer);
	$("views").hidden = $("leave").hidden = true;
	$("who").textContent = "";
	document.title = "Carrel administration";
	content.replaceChildren(el("h1", {}, "Administration"), section("Sign in",
		message ? el("p", { class: "wrong", role: "alert" }, message) : null,
		session.login && !session.denied ? el("p", {}, el("a", { class: "button", href: session.login }, "Sign in")) : null,
		session.denied ? el("p", {}, "You are signed in, but only administrators may be here: the page needs the scope connectivity:admin.") : null,
		session.denied && session.login ? el("p", {}, el("a", { class: "button", href: session.login }, "Sign in as somebody else")) : null,
		el("p", { class: session.login ? "fine" : null }, session.login ? "Or, on the server as its owner," : "On the server, as its owner,", " open the link that ", el("code", {}, "carrel admin"), " prints. It is good once.")));
}

// A name, and a password that is typed twice because typing is not shown.
export function account() {
	const name = field("Name", { required: true, maxlength: 64, pattern: "[a-z0-9][a-z0-9._\\-]{0,63}", autocapitalize: "none", spellcheck: "false" });
	const password = field("Password (12 characters or more)", { type: "password", required: true, minlength: 12, maxlength: 1024, autocomplete: "new-password" });
	const again = field("The same password again", { type: "password", required: true, autocomplete: "new-password" });
	const read = () => {
		if (password.input.value !== again.input.value) throw new Error("The two passwords differ.");
		return { name: name.input.value.trim(), password: password.input.value };
	};
	return { fields: [name.outer, password.outer, again.outer], read, clear: () => { password.input.value = again.input.value = ""; } };
}

// By the link that `carrel mcp start` prints while there is no administrator.
function firstAdministrator(link) {
	const who = account();
	signedOut({}, "");
	content.replaceChildren(el("h1", {}, "The first administrator"),
		section("Choose a name and a password", submits("Make the administrator", who.fields, async () => {
			keep_key((await post("setup", { link, ...who.read() })).csrf);
			await begin();
		})));
}

async function begin() {
	let session, message = "";
	const [, what, secret] = /^#(link|key|setup)=([A-Za-z0-9_-]+)$/.exec(location.hash) ?? [];
	// Neither the history nor a screenshot keeps it.
	if (what !== undefined) history_forget();
	if (what === "key") keep_key(secret);
	if (what === "setup") {
		firstAdministrator(secret);
		return;
	}
	if (what === "link") {
		try {
			keep_key((await post("enter", { link: secret })).csrf);
		} catch (e) {
			message = e.message;
		}
	}
	try {
		session = await post("session");
	} catch (e) {
		signedOut({}, e.message);
		return;
	}
	if (!session.signed_in) {
		signedOut(session, message);
		return;
	}
	keep_key(session.csrf);
	$("who").textContent = `Signed in as ${session.principal.startsWith("local:") ? "the owner of this server" : person(session.principal)}`;
	$("leave").hidden = $("views").hidden = false;
	if (message !== "") say(message, true);
	await show();
}

function history_forget() {
	window.history.replaceState(null, "", location.pathname);
}

$("views").replaceChildren(...Object.entries(all).map(([name, view]) => el("a", { href: `#${name}` }, view.title)));
$("leave").addEventListener("click", async () => {
	try {
		await post("leave");
	} catch (e) {
		say(e.message, true);
		return;
	}
	signedOut({}, "");
	say("You are signed out.");
});
window.addEventListener("hashchange", () => {
	if (/^#(link|key|setup)=/.test(location.hash)) begin();
	else if (csrf !== null && location.hash !== "#content") show();
});
begin();
