// The views of the administration page but the first: each makes its elements of what the server answers.
import { account, act, ask, copied, draw, el, facts, field, good, named, number, person, prose, refresh, room, say, section, submits, table, terms, told, tool, when, word } from "./admin.js";

const SCOPES = ["ext:datasets", "ext:schema", "ext:search", "ext:sql", "research:read", "research:query"];
const PLATFORMS = { claude_code: "Claude Code", claude_desktop: "Claude Desktop", chatgpt_desktop: "ChatGPT desktop", cursor: "Cursor", codex: "Codex",
	opencode: "opencode", gemini: "Gemini CLI", vscode: "VS Code", windsurf: "Windsurf", zed: "Zed", openai_custom_gpt: "a custom GPT",
	generic_rest: "a program, over REST", generic_llm: "a model without MCP" };
const SECONDS = { "1 day": 86400, "30 days": 2592000, "90 days": 7776000, "1 year": 31536000 };

const list = (v) => (Array.isArray(v) ? v : []);
const filled = (o) => Object.fromEntries(Object.entries(o).filter(([, v]) => v !== "" && v !== undefined && v !== null));

// What a change cut off.
function ended(result) {
	const parts = Object.entries(result?.ended ?? {}).filter(([, n]) => n > 0).map(([what, n]) => `${n} ${what}`);
	const nodes = result?.ended?.nodes?.message;
	return (parts.length > 0 ? ` Cut off: ${parts.join(", ")}.` : "") + (nodes ? ` It ${nodes}.` : "");
}

// --- connections -------------------------------------------------------------------------------

// What is known of the values in a database's columns.
const DICTIONARY = { ready: "sampled", no_profile_artifact: "not sampled: `carrel scan --deep`" };

function indexed(search, when_of) {
	const known = list(search.connections), problems = list(search.problems);
	return section("What agents can find",
		table("What is indexed of each database", [
			["Database", (c) => c.id],
			["Scanned", (c) => when(when_of.get(c.id))],
			["Tables", (c) => c.tables, "figure"],
			["Columns", (c) => c.columns, "figure"],
			["Sources", (c) => c.sources, "figure"],
			["Measures", (c) => c.measures, "figure"],
			["Values", (c) => c.dictionaryValues, "figure"],
			["Index", (c) => (c.indexing ? "being made" : "up to date")],
		], known, "Nothing is indexed yet."),
		el("p", {}, `${number(search.pages ?? 0)} wiki pages are indexed with them, in ${number((search.bytes ?? 0) / 1e6)} MB.`),
		problems.length > 0 ? table("Files that cannot be used", [["File", (f) => f.path], ["Why", (f) => prose(f.reason)]], problems) : null,
		el("p", { class: "fine" }, "A scan is made with ", el("code", {}, "carrel scan"), "."));
}

const connections = {
	title: "Databases",
	async show() {
		const [known, status] = await Promise.all([tool("connection_list"), ask("status")]);
		const pools = new Map(list(status.connections).map((c) => [c.id, c]));
		const tested = el("div", { "aria-live": "polite" });
		return [
			section("Connections", table("Connections", [
				["Name", (c) => c.id],
				["Kind", (c) => c.driver],
				["Holds", (c) => c.description],
				["State", (c) => {
					const pool = pools.get(c.id);
					return pool === undefined ? "–" : good(pool.state === "ready", [word(pool.state), pool.reason ? [": ", prose(pool.reason)] : ""].flat(Infinity));
				}],
				["Processes", (c) => list(status.front?.pools).find((p) => p.name === c.id)?.workers, "figure"],
				["Values", (c) => prose(DICTIONARY[c.dictionary] ?? word(c.dictionary).replaceAll("_", " "))],
				["", (c) => act("Test", async () => {
					const result = await tool("connection_test", { connectionId: c.id });
					tested.replaceChildren(el("h3", {}, `Test of ${c.id}`), facts(`Test of ${c.id}`, result));
					say(`${c.id} was tested.`);
				}, { what: c.id }), "acts"],
			], known.connections), tested),
			indexed(status.reports?.search ?? {}, new Map(list(known.connections).map((c) => [c.id, c.lastScan?.extractedAt]))),
		];
	},
};

// --- doctor ------------------------------------------------------------------------------------

const doctor = {
	title: "Doctor",
	async show() {
		const found = list((await ask("doctor")).findings), wrong = found.filter((f) => f.verdict === "wrong"), notes = found.filter((f) => f.verdict === "note");
		const count = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;
		const rows = (caption, those, ...more) => table(caption, [
			["Check", (f) => f.check],
			["Verdict", (f) => (f.verdict === "note" ? word(f.verdict) : good(f.verdict === "ok", word(f.verdict)))],
			["Found", (f) => prose(f.found)],
			...more,
		], those);
		return [
			section("What is wrong", el("p", {}, good(wrong.length === 0, wrong.length === 0 ? "Nothing is wrong" : `${count(wrong.length, "finding")} to mend`), notes.length > 0 ? `, ${count(notes.length, "note")}.` : "."),
				wrong.length + notes.length > 0 ? rows("To mend, and notes", [...wrong, ...notes], ["What to do", (f) => prose(f.fix)]) : null,
				act("Look again", refresh, { main: true, what: "at machine and project" }),
				el("p", { class: "fine" }, "As the service sees it; ", el("code", {}, "carrel doctor"), " says the same for the account that calls it.")),
			section("What is well", rows("What is well", found.filter((f) => f.verdict === "ok"))),
		];
	},
};

// --- datasets ----------------------------------------------------------------------------------

const datasets = {
	title: "Datasets",
	async show() {
		const [published, known] = await Promise.all([tool("dataset_list"), tool("connection_list")]);
		const connection = field("Connection", {}, list(known.connections).map((c) => c.id));
		const called = field("Table", { required: true, placeholder: "orders", maxlength: 256 });
		const name = field("Name", { placeholder: "the table's", maxlength: 128 });
		const text = field("Description", { maxlength: 1000 });
		return [
			section("Published", table("Published datasets", [
				["Name", (d) => d.name],
				["Description", (d) => d.description],
				["Connection", (d) => d.connection],
				["Table", (d) => d.table],
				["Rows", (d) => d.row_count, "figure"],
				["Published", (d) => when(d.created_at)],
				["", (d) => act("Unpublish", async () => {
					await tool("dataset_unpublish", { id: d.id });
					say(`${d.name} is not published any more.`);
					await refresh();
				}, { ends: true, what: d.name }), "acts"],
			], published.datasets, "Nothing is published: holders of connectivity tokens see no table.")),
			section("Publish a table", submits("Publish", [connection.outer, called.outer, name.outer, text.outer], async () => {
				const found = await tool("dataset_check", { connectionId: connection.input.value, table: called.input.value.trim() });
				const result = await tool("dataset_publish", filled({ connection: found.connection, db: found.db, table: found.table, type: found.type, name: name.input.value.trim(), description: text.input.value.trim() }));
				say(`${word(result.dataset?.name ?? called.input.value)} is published.`);
				await refresh();
			})),
		];
	},
};

// --- connectivity ------------------------------------------------------------------------------

function tokenSection(tokens) {
	const label = field("What it is for", { required: true, maxlength: 128 });
	const expires = field("Good for", {}, [...Object.entries(SECONDS).map(([text, s]) => [s, text]), [0, "no end"]]);
	expires.input.value = SECONDS["90 days"];
	const ticks = SCOPES.map((scope) => field(scope, { type: "checkbox", value: scope, checked: scope.startsWith("ext:") }));
	const secret = el("div", { "aria-live": "assertive" });
	const reveal = (made) => {
		secret.replaceChildren(el("div", { class: "secret" },
			el("p", {}, "The token's secret, shown this once. Keep it where programs read it from, such as CARREL_MCP_TOKEN."),
			el("pre", { id: "secret", tabindex: 0 }, made.secret), copied("Copy the secret", made.secret),
			act("I have it", async () => refresh())));
		secret.querySelector("pre").focus();
	};
	return section("Tokens", secret,
		table("Connectivity tokens", [
			["Label", (t) => t.label],
			["ID", (t) => el("code", {}, t.id)],
			["Scopes", (t) => list(t.scopes).join(" ")],
			["State", (t) => good(t.state === "active", t.state)],
			["Last used", (t) => when(t.last_used_at)],
			["Requests", (t) => t.request_count, "figure"],
			["Ends", (t) => when(t.expires_at)],
			["", (t) => [
				t.state === "pending" ? act("Reveal", async () => reveal(await tool("token_reveal", { id: t.id })), { what: t.label }) : null,
				t.state === "active" || t.state === "pending" ? act("Revoke", async () => {
					const result = await tool("token_revoke", { id: t.id });
					say(`${t.label} is revoked.${ended(result)}`);
					await refresh();
				}, { ends: true, what: t.label }) : null,
			].filter((b) => b !== null), "acts"],
		], tokens),
		el("h3", {}, "Make a token"),
		submits("Make the token", [label.outer, expires.outer, el("fieldset", {}, el("legend", {}, "What it may do"), ticks.map((t) => t.outer))], async () => {
			const made = await tool("token_create", { label: label.input.value.trim(), scopes: ticks.filter((t) => t.input.checked).map((t) => t.input.value),
				expires_s: Number(expires.input.value) });
			reveal(made);
			say("The token is made.");
		}));
}

function guideSection(tokens) {
	const platform = field("Program", {}, Object.entries(PLATFORMS));
	const token = field("Token", {}, [["", "none yet"], ...tokens.map((t) => [t.id, t.label])]);
	const steps = el("div", { "aria-live": "polite" });
	return section("Set-up guide", submits("Show the guide", [platform.outer, token.outer], async () => {
		const guide = await tool("connectivity_guide", filled({ platform: platform.input.value, token_id: token.input.value }));
		const config = typeof guide.config === "string" ? guide.config : guide.config ? JSON.stringify(guide.config, null, 2) : "";
		const places = typeof guide.config_file_path === "string" ? { "": guide.config_file_path } : guide.config_file_path ?? {};
		steps.replaceChildren(el("div", {}, el("h3", {}, PLATFORMS[platform.input.value]),
			el("ol", {}, list(guide.steps).map((s) => el("li", {}, word(s.instruction), s.config ? el("pre", {}, word(s.config)) : null,
				s.validation ? el("p", { class: "fine" }, word(s.validation)) : null))),
			config !== "" ? [el("h3", {}, "Configuration"), Object.entries(places).map(([system, path]) => el("p", { class: "fine" }, `${system} `, el("code", {}, word(path)))),
				el("pre", { id: "config" }, config), copied("Copy the configuration", config)] : [],
			guide.system_prompt ? [el("h3", {}, "System prompt"), el("pre", {}, word(guide.system_prompt)), copied("Copy the prompt", word(guide.system_prompt))] : [],
			list(guide.troubleshooting).length > 0 ? [el("h3", {}, "If it does not work"), el("ul", {}, guide.troubleshooting.map((t) => el("li", {}, word(t))))] : []));
	}), steps);
}

const connectivity = {
	title: "Tokens",
	async show() {
		const [status, tokens] = await Promise.all([tool("connectivity_state"), tool("token_list")]);
		const active = list(tokens.tokens).filter((t) => t.state === "active");
		const tested = el("div", { "aria-live": "polite" }), which = field("Token", {}, active.map((t) => [t.id, t.label]));
		const on = status.enabled, use = status.metrics ?? {};
		return [
			section("Connectivity tokens are " + (on ? "taken" : "refused"),
				el("p", {}, on ? `Programs with a token are served at ${word(status.bind_host)}, port ${word(status.port)}.` :
					"Programs get no answer with a token until this is switched on."),
				on ? act("Disable", async () => {
					const result = await tool("connectivity_set", { enabled: false });
					say(`Tokens are refused from now on.${ended(result)}`);
					await refresh();
				}, { ends: true, what: "connectivity" }) : act("Enable", async () => {
					await tool("connectivity_set", { enabled: true });
					say("Tokens are taken from now on.");
					await refresh();
				}, { main: true, what: "connectivity" }),
				el("h3", {}, "Use"), terms("Use of tokens", [["Requests", `${number(use.requests_total ?? 0)}, of which ${number(use.errors_total ?? 0)} failed`],
					["Wrong credentials", use.auth_failures], ["Open connections", use.active_connections],
					["Answered within", use.latency_ms?.p50 === null || use.latency_ms?.p50 === undefined ? null : `${number(use.latency_ms.p50)} ms half of them, ${number(use.latency_ms.p99)} ms 99 of 100`]]),
				el("h3", {}, "Last calls"),
				table("Last calls", [["When", (q) => when(q.at)], ["Tool", (q) => q.tool], ["Milliseconds", (q) => q.duration_ms, "figure"], ["", (q) => good(q.ok, q.ok ? "ok" : "failed")]],
					status.recent_queries, "No calls yet.")),
			tokenSection(list(tokens.tokens)),
			active.length > 0 ? section("Test", submits("Test the token", [which.outer], async () => {
				tested.replaceChildren(facts("Test of the token", await tool("connectivity_check", { token_id: which.input.value })));
				say("The test has ended.");
			}), tested) : null,
			guideSection(active),
		].filter((s) => s !== null);
	},
};

// --- users and clients -------------------------------------------------------------------------

const users = {
	title: "Users",
	async show() {
		const found = await tool("user_list");
		const who = account(), role = field("Role", {}, found.roles);
		const set = async (user, change, what) => {
			const result = await tool("user_set", { name: user.name, ...change });
			say(`${user.name} ${what}.${ended(result)}`);
			await refresh();
		};
		return [
			section("Users", table("Users", [
				["Name", (u) => u.name],
				["Role", (u) => {
					const roles = field(`Role of ${u.name}`, {}, found.roles);
					roles.input.value = u.role;
					roles.input.setAttribute("aria-label", `Role of ${u.name}`);
					roles.input.addEventListener("change", () => set(u, { role: roles.input.value }, `is ${roles.input.value} now`).catch((e) => {
						roles.input.value = u.role;
						say(e.message, true);
					}));
					return roles.input;
				}],
				["State", (u) => good(!u.disabled, u.disabled ? "disabled" : "may sign in")],
				["Last sign-in", (u) => when(u.last_login_at)],
				["Sessions", (u) => u.sessions, "figure"],
				["Grants", (u) => u.grants, "figure"],
				["", (u) => [
					act("Sign out", () => set(u, { sign_out: true }, "is signed out everywhere"), { what: u.name }), " ",
					u.disabled ? act("Enable", () => set(u, { disabled: false }, "may sign in again"), { what: u.name }) :
						act("Disable", () => set(u, { disabled: true }, "is disabled"), { ends: true, what: u.name }), " ",
					act("Remove", async () => {
						const result = await tool("user_remove", { name: u.name });
						say(`${u.name} is removed.${ended(result)}`);
						await refresh();
					}, { ends: true, what: u.name }),
				], "acts"],
			], found.users)),
			section("Add a user", submits("Add the user", [who.fields, role.outer], async () => {
				await tool("user_add", { ...who.read(), role: role.input.value });
				who.clear();
				say("The user is added.");
				await refresh();
			})),
		];
	},
};

const clients = {
	title: "OAuth clients",
	async show() {
		const [known, grants, keys] = await Promise.all([tool("client_list"), tool("client_grants"), tool("key_list")]);
		const name = field("Name", { required: true, maxlength: 256 });
		const redirect = field("Sent back to", { required: true, maxlength: 2048, placeholder: "https://…/callback" });
		return [
			section("Clients", table("OAuth clients", [
				["Name", (c) => c.client_name],
				["ID", (c) => el("code", {}, c.client_id)],
				["From", (c) => c.source],
				["Sent back to", (c) => list(c.redirect_uris).map((u) => el("div", {}, u))],
				["Last used", (c) => when(c.last_used_at)],
				["Grants", (c) => c.grants, "figure"],
				["", (c) => act("Remove", async () => {
					const result = await tool("client_remove", { client_id: c.client_id });
					say(`${word(c.client_name)} is removed.${ended(result)}`);
					await refresh();
				}, { ends: true, what: word(c.client_name ?? c.client_id) }), "acts"],
			], known.clients)),
			section("Add a client", submits("Add the client", [name.outer, redirect.outer], async () => {
				await tool("client_add", { name: name.input.value.trim(), redirects: redirect.input.value.trim().split(/\s+/) });
				say("The client is added.");
				await refresh();
			})),
			section("Consents", table("Who allowed what to whom", [
				["User", (g) => g.user],
				["Client", (g) => g.client_name ?? g.client_id],
				["Scopes", (g) => list(g.scopes).join(" ")],
				["Since", (g) => when(g.created_at)],
				["Last used", (g) => when(g.last_used_at)],
				["Ends", (g) => when(g.expires_at)],
				["", (g) => act("Revoke", async () => {
					const result = await tool("client_revoke", { grant_id: g.grant_id });
					say(`The consent is revoked.${ended(result)}`);
					await refresh();
				}, { ends: true, what: `the consent of ${g.user}` }), "acts"],
			], grants.grants)),
			section("Signing keys", table("Keys that access tokens are signed with", [
				["Key", (k) => el("code", {}, k.kid)], ["Algorithm", (k) => k.alg], ["State", (k) => k.state], ["Made", (k) => when(k.created_at)], ["Until", (k) => when(k.until)],
			], keys.keys), act("Rotate", async () => {
				await tool("key_rotate");
				say("There is a new key.");
				await refresh();
			}, { ends: true, what: "the signing key" })),
		];
	},
};

// --- nodes -------------------------------------------------------------------------------------

const nodes = {
	title: "Nodes",
	async show() {
		const found = list((await tool("cluster_status")).nodes), shared = found.length > 0;
		const drain = (n, end) => async () => {
			const result = await tool("cluster_drain", { node: n.name, end });
			say(end ? `${word(result.node)} is used again.` : `${word(result.node)} is drained.${result.others === 0 ? " No other node is left." : ""}`);
			await refresh();
		};
		const release = (n) => async () => {
			const result = await tool("cluster_release", { node: n.name });
			say(`Queued again, for the node that writes: ${word(result.runs)}. If ${word(result.node)} comes back, it takes back what it had written of this.`);
			await refresh();
		};
		return [section("Nodes that share the state store",
			shared ? table("Nodes", [
				["Node", (n) => (n.own ? `${word(n.name)} (this one)` : n.name)],
				["Lease", (n) => good(n.lease, n.lease ? `${number(n.lease_ms)} ms left` : "ended")],
				["Has acted upon", (n) => good(n.current, n.current ? "everything" : "not the newest change")],
				["Load balancer", (n) => good(!n.drained, n.drained ? "drained" : "used")],
				["Project", (n) => good(!n.behind, `${n.writes ? "writes it" : "reads it"}${n.behind ? ", and is behind" : ""}${!n.lease && n.holds > 0 ? ", and holds a note" : ""}`)],
				["Revision", (n) => (n.project ? el("code", {}, word(n.project).slice(0, 12)) : "")],
				["Audit copied", (n) => (typeof n.uncopied !== "number" ? "unknown" : good(n.uncopied < 10000, n.uncopied === 0 ? "everything" : `all but ${number(n.uncopied)} entries`))],
				["Imported files", (n) => (typeof n.missing !== "number" ? "unknown" : good(n.missing === 0, n.missing === 0 ? "all" : `${number(n.missing)} missing`))],
				["", (n) => [
					n.drained ? act("End draining", drain(n, true), { what: word(n.name) }) : act("Drain", drain(n, false), { ends: true, what: word(n.name) }),
					...(!n.lease && n.holds > 0 ? [" ", act("Release its note", release(n), { ends: true, what: word(n.name) })] : []),
				], "acts"],
			], found) : el("p", {}, "The state store is this node's alone."),
			el("p", { class: "fine" }, "A drained node finishes what runs there; ", el("code", {}, "/health/ready"), " is false, so that the load balancer sends nothing new."))];
	},
};

// --- audit -------------------------------------------------------------------------------------

// A page of the audit has rows of number, text and hash.
const entryOf = ([, text]) => JSON.parse(text);

async function hashOf(prev, entry) {
	const before = Uint8Array.from(prev.match(/../g) ?? [], (b) => parseInt(b, 16)), text = new TextEncoder().encode(entry);
	const whole = new Uint8Array(before.length + text.length);
	whole.set(before);
	whole.set(text, before.length);
	return [...new Uint8Array(await crypto.subtle.digest("SHA-256", whole))].map((b) => b.toString(16).padStart(2, "0")).join("");
}

// Recompute the chain from its first entry on; what is told is told as it goes.
async function verifyChain(state, tell) {
	let from = state.firstSeq, hash = null, count = 0;
	for (;;) {
		const page = await tool("audit_page", { from, limit: 500 });
		for (const row of list(page.entries)) {
			const [seq, text, told, vouched] = row;
			if (!vouched) return `Row ${seq} is no part of the chain.`;
			const entry = JSON.parse(text);
			if (hash !== null && entry.prev !== hash) return `Entry ${entry.seq} does not follow the one before it.`;
			if (await hashOf(entry.prev, text) !== told) return `Entry ${entry.seq} was changed.`;
			hash = told;
			count++;
		}
		tell(count);
		if (page.next === undefined || page.next === null || list(page.entries).length === 0) break;
		from = page.next;
	}
	return count === 0 ? "There are no entries." : null;
}

// What became of a call; a question may have been asked back, which is no failure.
function outcomeOf(e) {
	const text = e.policy?.answer ?? e.outcome;
	if (e.outcome === "ok" && ["asked back", "declined"].includes(text)) return text;
	return good(e.outcome === "ok", e.code ? `${text}: ${word(e.code).replaceAll("_", " ")}` : word(text));
}

// Whether the page itself asked, to show something. What changes something is no read, nor is a question.
const READS = /_(list|page|find|state|status|show|log|grants|check|guide|read|test)$/;
const isOfDoctor = (e) => e.surface === "cli" && (e.client ?? "").startsWith("carrel doctor ");
const isOwnRead = (e) => e.action === "mcp.tool.call" && (isOfDoctor(e) || (e.surface === "page" && e.outcome === "ok" && READS.test(e.target ?? "")));
const SHOWN = 100, PAGES = 10;

// The newest entries that are wanted, out of as many pages as it takes.
async function newest(filters, wanted) {
	const found = [];
	let from;
	for (let n = 0; n < PAGES && found.length < SHOWN; n++) {
		const place = from === undefined ? {} : filters.allNodes ? { after: from } : { from };
		const page = await tool("audit_page", { ...filters, down: true, limit: 500, ...place });
		found.push(...list(page.entries).map((row) => ({ ...entryOf(row), node: row[4] })).filter(wanted));
		from = filters.allNodes ? page.after : page.next;
		if (from === undefined || from === null || (!filters.allNodes && list(page.entries).length === 0)) break;
	}
	return found.slice(0, SHOWN);
}

const audit = {
	title: "Audit",
	async show() {
		const state = await tool("audit_state");
		const found = el("div", { "aria-live": "polite" }), checked = el("p", { role: "status" });
		const inputs = { text: field("Text"), principal: field("Who"), action: field("Action"), target: field("On what"), outcome: field("Outcome", {}, [["", "any"], "ok", "refused", "error", "cancelled"]),
			since: field("Not before", { type: "date" }), receipt: field("Receipt") };
		const own = field("Also what this page read", { type: "checkbox" });
		const shared = list((await tool("cluster_status")).nodes).length > 0, all = field("Of all nodes", { type: "checkbox" });
		const everywhere = () => shared && all.input.checked;
		const columns = [
			["When", (e) => when(e.at)],
			...(shared ? [["Node", (e) => e.node ?? "this one"]] : []),
			["Who", (e) => person(e.principal?.id), "who"],
			["Way", (e) => e.surface],
			["Action", (e) => e.action],
			["On", (e) => e.target, "long"],
			["Outcome", (e) => outcomeOf(e)],
			["ms", (e) => e.duration_ms, "figure"],
			["Receipt", (e) => el("details", {}, el("summary", {}, e.receipt ?? "entry"), facts("The whole entry", e))],
		];
		const search = async () => {
			const values = Object.fromEntries(Object.entries(inputs).map(([k, f]) => [k, f.input.value.trim()]));
			if (values.receipt !== "") {
				const one = await tool("audit_find", { receipt: values.receipt, ...(everywhere() ? { allNodes: true } : {}) });
				found.replaceChildren(table("Entries", columns, [{ ...(typeof one.entry === "string" ? JSON.parse(one.entry) : one.entry), node: one.node }]));
				return;
			}
			const filters = filled({ ...values, receipt: "", since: values.since === "" ? "" : `${values.since}T00:00:00.000Z`, ...(everywhere() ? { allNodes: true } : {}) });
			found.replaceChildren(table("Entries, the newest first", columns, await newest(filters, (e) => own.input.checked || !isOwnRead(e)), "No entry is like that."));
		};
		await search();
		return [
			section("The chain", el("p", {}, good(state.sound === true, state.sound === true ? "Its ends are sound" : "Its ends are not as they were left: carrel audit verify says why"),
				`: entries ${number(state.firstSeq)} to ${number(state.lastSeq)}. Keys ${state.keyOutside ? "come from outside the state directory" : "lie in the state directory"}.`),
				act("Check every entry", async () => {
					const wrong = await verifyChain(state, (n) => { checked.textContent = `${number(n)} entries are checked.`; });
					checked.textContent = wrong ?? `${checked.textContent} Every one follows the one before it, unchanged.`;
					checked.className = wrong === null ? "good" : "bad";
				}), checked,
				el("p", { class: "fine" }, "Signatures of checkpoints are checked by ", el("code", {}, "carrel audit verify"), ".")),
			section("Search", submits("Search", [...Object.values(inputs), own, ...(shared ? [all] : [])].map((f) => f.outer), search), found),
		];
	},
};

// --- memory ------------------------------------------------------------------------------------

// What became of each kind of object of an import, and what was skipped with its reason; null: the run is of a text.
function imported(report) {
	if (!report) return null;
	return [
		el("h3", {}, `Import of ${word(report.project)}, ${word(report.kind)}`),
		table("What was read", [
			["Object", (o) => word(o.as)],
			...[["Read", "read"], ["Taken", "taken"], ["In others", "merged"], ["Skipped", "skipped"]].map(([head, key]) => [head, (o) => o[key], "figure"]),
		], list(report.objects), "Nothing was read."),
		el("details", {}, el("summary", {}, `What was skipped: ${list(report.skipped).length}`), table("What was skipped", [
			["Object", (s) => `${word(s.as)} ${word(s.name)}`],
			["From", (s) => word(s.from)],
			["Why", (s) => word(s.reason)],
		], list(report.skipped), "Nothing was skipped.")),
	];
}

const memory = {
	title: "Memory",
	async show() {
		const log = await tool("memory_log", { limit: 50 });
		const one = el("div", { "aria-live": "polite" });
		const open = async (run) => {
			const id = run.runId, whole = await tool("memory_show", { runId: id });
			const state = whole.review ?? whole.status ?? run.status;
			one.replaceChildren(section(`Run ${id}`, el("p", {}, word(state)),
				act("Approve", async () => {
					await tool("memory_approve", { runId: id });
					say("The run is in force.");
					await refresh();
				}, { main: true, what: `run ${id}` }), " ",
				act("Revert", async () => {
					await tool("memory_revert", { runId: id });
					say("The run's changes are taken back.");
					await refresh();
				}, { ends: true, what: `run ${id}` }),
				...list(imported(whole.report)),
				...list(whole.files ?? whole.changes).map((f) => [el("h3", {}, word(f.path ?? f.key)),
					el("div", { class: "pair" }, el("div", {}, el("p", { class: "fine" }, "Before"), el("pre", {}, f.before ?? "(it is new)")), el("div", {}, el("p", { class: "fine" }, "After"), el("pre", {}, f.after ?? "(it is removed)")))]).flat(),
				el("details", {}, el("summary", {}, "Everything that is known of it"), facts("The whole entry", whole))));
			one.querySelector("h2").tabIndex = -1;
			one.querySelector("h2").focus();
		};
		return [
			section("Runs", table("Runs, the newest first", [
				["When", (r) => when(r.startedAt)],
				["Who", (r) => person(r.principal)],
				["What", (r) => list(r.changes).map((c) => el("div", {}, word(c.summary ?? c.path)))],
				["Became", (r) => (r.reverted ? "taken back" : word(r.review ?? r.status))],
				["Run", (r) => [el("code", {}, word(r.runId)), ...(r.node ? [` on ${word(r.node)}`] : [])]],
				["", (r) => act("Show", () => open(r), { what: `run ${r.runId}` }), "acts"],
			], log.runs, "Nothing was ingested yet.")),
			one,
		];
	},
};

// --- questions ---------------------------------------------------------------------------------

// What a chart of an answer holds, as rows of bars: a label and a value each.
function bars(chart) {
	if (chart?.type === "pie") return list(chart.slices).map((s) => [word(s?.label), s?.value]);
	const series = list(chart?.series);
	return list(chart?.categories).flatMap((c, i) => series.map((s) => [series.length > 1 ? `${word(c)}, ${word(s?.label)}` : word(c), s?.data?.[i]]));
}

const drawing = (width, height, label) => {
	const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
	for (const [name, value] of Object.entries({ viewBox: `0 0 ${width} ${height}`, class: "chart answer", role: "img", "aria-label": label })) svg.setAttribute(name, value);
	return svg;
};
const isFigure = (v) => typeof v === "number" && Number.isFinite(v);

// Lines over categories, and points over figures: places are [x, y, what it is called] a series.
function plotted(chart) {
	const points = chart.type === "scatter", categories = list(chart.categories);
	const series = points ? [{ label: word(chart.yAxisLabel), places: list(chart.points).map((p) => [p?.x, p?.y, word(p?.label)]) }] :
		list(chart.series).map((s) => ({ label: word(s?.label), places: list(s?.data).map((v, i) => [i, v, word(categories[i])]) }));
	const all = series.flatMap((s) => s.places).filter(([x, y]) => isFigure(x) && isFigure(y));
	if (all.length === 0) return null;
	const W = room(620), H = 260, left = 80, right = 16, top = 10, bottom = 30;
	const span = (values, zero) => {
		const least = Math.min(...values), most = Math.max(...values);
		const [low, high] = zero ? [Math.min(0, least), Math.max(0, most)] : [least, most];
		if (low === high) return [low - 1, high + 1];
		// From 0 the axis ends at a round figure.
		const power = 10 ** Math.floor(Math.log10(Math.max(high, -low))), round = (v) => Math.sign(v) * power * ([1, 2, 4, 6, 8, 10].find((n) => n * power >= Math.abs(v)) ?? 10);
		return zero ? [round(low), round(high)] : [low, high];
	};
	const across = span(all.map(([x]) => x), false), up = span(all.map(([, y]) => y), true);
	const X = (v) => left + (W - left - right) * (v - across[0]) / (across[1] - across[0]), Y = (v) => H - bottom - (H - top - bottom) * (v - up[0]) / (up[1] - up[0]);
	const svg = drawing(W, H, `${word(chart.title)}: ${all.slice(0, 40).map(([x, y, label]) => `${points ? number(x) : label} ${number(y)}`).join("; ")}`);
	for (const part of [0, 0.5, 1]) {
		const v = up[0] + part * (up[1] - up[0]);
		draw(svg, "line", { class: "axis", x1: left, x2: W - right, y1: Y(v), y2: Y(v) });
		draw(svg, "text", { x: left - 8, y: Y(v) + 4, "text-anchor": "end" }, number(v));
	}
	for (const [v, anchor] of [[across[0], "start"], [across[1], "end"]])
		draw(svg, "text", { x: X(v), y: H - 8, "text-anchor": anchor }, points ? number(v) : word(categories[Math.round(v)]));
	series.forEach((s, n) => {
		let path = "", going = false;
		for (const [x, y, label] of s.places) {
			if (isFigure(x) && isFigure(y)) {
				path += `${going ? "L" : "M"}${X(x).toFixed(1)} ${Y(y).toFixed(1)}`;
				draw(draw(svg, "circle", { class: `point s${n % 6}`, cx: X(x), cy: Y(y), r: points ? 4 : 2.5 }), "title", {}, `${label} ${points ? `${number(x)}, ` : ""}${number(y)}`);
			}
			going = isFigure(x) && isFigure(y);
		}
		if (!points) draw(svg, "path", { class: `lines s${n % 6}`, d: path });
	});
	return el("figure", { class: "plain" }, el("figcaption", {}, word(chart.title)), svg,
		series.length > 1 ? el("p", { class: "fine" }, series.map((s, n) => [n > 0 ? " · " : "", el("span", { class: `key s${n % 6}` }, s.label)])) : null);
}

function answerChart(chart) {
	if (chart?.type === "line" || chart?.type === "scatter") return plotted(chart);
	const rows = bars(chart).filter(([, v]) => isFigure(v)).slice(0, 40);
	if (rows.length === 0) return null;
	const high = Math.max(0, ...rows.map(([, v]) => v)), low = Math.min(0, ...rows.map(([, v]) => v)), LINE = 22, W = room(620), left = Math.min(190, 0.36 * W), right = Math.min(100, 0.24 * W);
	const x = (v) => left + (W - left - right) * (high === low ? 0 : (v - low) / (high - low));
	const svg = drawing(W, rows.length * LINE + 4, `${word(chart.title)}: ${rows.map(([label, v]) => `${label} ${number(v)}`).join("; ")}`);
	rows.forEach(([label, v], i) => {
		draw(svg, "text", { x: left - 8, y: i * LINE + 16, "text-anchor": "end" }, label.length > left / 7 ? `${label.slice(0, left / 7 - 1)}…` : label);
		draw(svg, "rect", { class: "bar", x: Math.min(x(0), x(v)), y: i * LINE + 4, width: Math.max(1, Math.abs(x(v) - x(0))), height: LINE - 8 });
		draw(svg, "text", { x: x(Math.max(0, v)) + 6, y: i * LINE + 16 }, number(v));
	});
	return el("figure", { class: "plain" }, el("figcaption", {}, word(chart.title)), svg);
}

function checked(checks) {
	const count = (outcome) => checks.filter((c) => c.outcome === outcome).length, failed = checks.filter((c) => c.outcome === "failed");
	return checks.length === 0 ? null : el("div", {}, el("p", {}, `Checks: ${count("passed")} passed, ${count("not_applicable")} not applicable, `,
		failed.length > 0 ? good(false, `${failed.length} failed`) : "none failed", "."),
		failed.map((c) => el("p", { class: "bad" }, `${word(c.id)}: ${word(c.detail ?? c.message)}`)));
}

// What the narrative's Markdown is made of: lines, lists, strong words, and escapes.
function narrated(text) {
	const words = (line) => line.split("**").map((part, i) => (i % 2 === 1 ? el("strong", {}, part) : part.replace(/\\([!-/:-@[-`{-~])/g, "$1")));
	const shown = [];
	for (const line of text.split("\n").filter((l) => l !== ""))
		if (!line.startsWith("- ")) shown.push(el("p", {}, words(line)));
		else {
			if (shown.at(-1)?.tagName !== "UL") shown.push(el("ul", {}));
			shown.at(-1).append(el("li", {}, words(line.slice(2))));
		}
	return shown;
}

// The questions back; a suggestion is asked again with the question.
const askedBack = (questions, again) => questions.map((q) => [el("p", {}, word(q.question)),
	el("p", { class: "suggested" }, list(q.suggestions).map((s) => (q.topic ? act(s, () => again(`[${q.topic}: ${s}]`)) : el("span", {}, s))))]);

function answered({ answer, trace }, again) {
	// Where a line has a label for each row, they are what people call the first column's values.
	const line = list(answer?.charts).find((c) => c.type === "line"), rows = answer?.rows;
	const labels = list(line?.categories).filter((_, i) => list(line.series).some((s) => isFigure(s.data[i])));
	const data = list(rows?.data).map((r, i) => (list(labels).length === list(rows?.data).length ? [labels[i], ...r.slice(1)] : r)), headers = list(rows?.headers).map((h) => (typeof h === "string" ? h : word(h?.name)));
	return [
		section({ answered: "Answer", clarification: "Asked back", cannot_answer: "No answer" }[answer?.status] ?? word(answer?.status), answer?.narrative ? narrated(answer.narrative) : null,
			askedBack(list(answer?.questions), again),
			answer?.reason ? el("p", {}, word(answer.reason.message)) : null,
			list(answer?.charts).map(answerChart),
			headers.length > 0 ? table("Rows", headers.map((h, i) => [h, (r) => r[i], typeof rows.data?.[0]?.[i] === "number" ? "figure" : null]), data.slice(0, 50)) : null,
			list(answer?.interpretation?.sql).map((sql) => el("pre", {}, sql)),
			checked(list(answer?.checks)),
			[...list(answer?.caveats), ...list(answer?.assumptions)].map((c) => el("p", { class: "fine" }, word(c)))),
		section("How", list(trace).map((t) => el("details", {}, el("summary", {}, named(t.phase)), told(t.artifact ?? t)))),
	];
}

const questions = {
	title: "Questions",
	async show() {
		const [resources, asked] = await Promise.all([tool("resources_list"), tool("audit_page", { down: true, limit: 50, target: "ask_question" })]);
		const uri = list(resources.resources).map((r) => r.uri).find((u) => typeof u === "string" && u.endsWith("://ontologies"));
		const known = uri === undefined ? [] : JSON.parse((await tool("resource_read", { uri })).contents?.[0]?.text ?? "[]");
		const ontologies = (Array.isArray(known) ? known : list(known.ontologies)).map((o) => [o.id, o.name ?? o.id]);
		const ontology = field("Semantic layer", {}, ontologies), question = field("Question", { required: true, maxlength: 2000, size: 48 });
		const out = el("div", { "aria-live": "polite" });
		const show = async () => {
			out.replaceChildren(el("p", { class: "fine" }, "It is being answered …"));
			try {
				out.replaceChildren(...answered(await tool("ask_trace", { ontologyId: ontology.input.value, question: question.input.value.trim() }), async (answer) => {
					question.input.value = `${question.input.value.trim()} ${answer}`;
					await show();
				}));
			} catch (e) {
				out.replaceChildren(el("p", { class: "wrong" }, e.message));
			}
		};
		return [
			section("Ask, and see how it is answered", ontologies.length === 0 ? el("p", { class: "fine" }, "There is no semantic layer to ask yet.") :
				submits("Answer, and show how", [ontology.outer, question.outer], show)),
			out,
			section("What was asked", table("Questions of agents, the newest first", [
				["When", (e) => when(e.at)],
				["Who", (e) => person(e.principal?.id), "who"],
				["Question", (e) => e.statement ?? "kept as its digest alone", "long"],
				["Outcome", (e) => outcomeOf(e)],
				["ms", (e) => e.duration_ms, "figure"],
			], list(asked.entries).map(entryOf), "No question was asked yet.")),
		];
	},
};

export const views = { connections, doctor, datasets, connectivity, users, clients, nodes, audit, memory, questions };
