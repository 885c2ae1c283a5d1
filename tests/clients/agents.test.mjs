// The files that `carrel setup-agents` writes, read by the agents themselves: each
// finds its entry in them and starts or reaches the server; and their way from a 401
// to a tool call.  Those that are on the PATH take part; tests/soak/run.sh agents
// installs them all.
import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { noChromium, openChromium } from "./chromium.mjs";
import { playModel } from "./model.mjs";
import { behindNginx, noNginx } from "./nginx.mjs";
import { carrelWith, sqliteProject, startDaemon } from "./support.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const bin = resolve(process.env.CARREL_BIN ?? join(root, "build/bin"));
const home = mkdtempSync(join(tmpdir(), "carrel-agents-"));
const env = { ...process.env, HOME: home, NO_COLOR: "1" };
for (const name of Object.keys(env))
	if (/^(CODEX_|CLAUDE|ANTHROPIC_|OPENAI_|OPENCODE|XDG_|CARREL_MCP_TOKEN)/.test(name))
		delete env[name];

let project, daemon;

before(async () => {
	project = sqliteProject();
	daemon = await startDaemon(project.dir);
});
after(async () => {
	await daemon?.stop();
	project?.drop();
	rmSync(home, { recursive: true, force: true });
});

// What each says of a server that it has; codex looks into its file and starts nothing.
const agents = {
	"claude-code": { program: "claude", args: ["mcp", "list"], says: /\bNAME\b.*Connected/ },
	codex: { program: "codex", args: ["mcp", "list"], says: /^NAME\b.*\benabled\b/m },
	opencode: { program: "opencode", args: ["mcp", "list"], says: /\bNAME\b\S*\s+(\S*\s*)?connected/ },
};

function has(program) {
	try {
		execFileSync("sh", ["-c", `command -v ${program}`], { env });
		return true;
	} catch {
		return false;
	}
}

const carrel = (...args) => execFileSync(join(bin, "carrel"), ["--project-dir", project.dir, ...args], { env, encoding: "utf8" });
const ask = (agent) => new Promise((done) => execFile(agent.program, agent.args, { env, cwd: project.dir, timeout: 90_000 },
	(error, out, err) => done(out + err)));

for (const [target, agent] of Object.entries(agents))
	for (const way of ["http", "stdio"])
		test(`${target} takes the entry for ${way}, and has none when it is removed`,
			{ skip: has(agent.program) ? false : `${agent.program} is not installed`, timeout: 240_000 }, async () => {
				const name = `shop-${way}`;
				const says = new RegExp(agent.says.source.replace("NAME", name), agent.says.flags);

				carrel("setup-agents", "--target", target, "--scope", "global", "--name", name, ...(way === "stdio" ? ["--stdio"] : []));
				assert.match(await ask(agent), says);
				carrel("setup-agents", "--remove");
				assert.doesNotMatch(await ask(agent), new RegExp(name));
			});

// Their own login, with a real browser in the middle, and then a call of a tool that a played model asks for.
const logins = {
	"claude-code": {
		program: "claude", list: ["mcp", "list"], says: /^shop:.*Connected/m,
		// It signs nobody in but at a terminal.
		login: ["script", "-qec", "claude mcp login shop", "/dev/null"],
		configure: (home, url) => execFileSync("claude", ["mcp", "add", "--transport", "http", "--scope", "user", "shop", url], { env: { ...env, HOME: home } }),
		call: (question) => ["claude", "-p", question, "--allowedTools", "mcp__shop__sql_execution,mcp__shop__two_more"],
		env: (model, ca) => ({ ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: model, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", NODE_EXTRA_CA_CERTS: ca }),
	},
	codex: {
		program: "codex", list: ["mcp", "list"], says: /^shop\b.*\bOAuth\b/m,
		login: ["codex", "mcp", "login", "shop"],
		configure: (home, url, model) => place(join(home, ".codex/config.toml"), `model = "played"\nmodel_provider = "played"\n
[model_providers.played]\nname = "played"\nbase_url = "${model}/v1"\nwire_api = "responses"\n\n[mcp_servers.shop]\nurl = "${url}"\n`),
		call: (question) => ["codex", "exec", "--skip-git-repo-check", question],
		env: (model, ca) => ({ CODEX_CA_CERTIFICATE: ca, SSL_CERT_FILE: ca }),
	},
	opencode: {
		program: "opencode", list: ["mcp", "list"], says: /\bshop\b\S*\s+(\S*\s*)?connected/,
		login: ["opencode", "mcp", "auth", "shop"],
		configure: (home, url, model) => place(join(home, ".config/opencode/opencode.json"), JSON.stringify({
			mcp: { shop: { type: "remote", url, enabled: true } }, share: "disabled", autoupdate: false,
			provider: { played: { npm: "@ai-sdk/openai-compatible", options: { baseURL: `${model}/v1`, apiKey: "none" }, models: { played: { tool_call: true } } } } })),
		call: (question) => ["opencode", "run", "-m", "played/played", question],
		env: (model, ca) => ({ NODE_EXTRA_CA_CERTS: ca }),
	},
};
const PASSWORD = "correct horse battery";
const TOOL = ["sql_execution", { connectionId: "warehouse", sql: "SELECT 40 + 2 AS n" }];
// A tool of the team's, for a user whose role has it and nothing else.
const TEAM = `
tools:
  - name: two_more
    description: "Two more than a number. Example: {\\"n\\": 1}"
    connection: warehouse
    parameters: { n: { type: integer, description: "The number" } }
    sql: "SELECT :n + 2 AS n"
`;
const callers = {
	contributor: { tool: TOOL },
	desk: { tool: ["two_more", { n: 40 }] },
};
// With surface.result_text: brief, front/calls/brief.c says who gets the rows in structuredContent alone: whoever does not
// hand these to the model is seen here.
const places = {
	"the daemon itself": { serve: startDaemon, skip: noChromium, role: "contributor" },
	"nginx with TLS": { serve: behindNginx, skip: noChromium || noNginx, role: "desk" },
};

function place(file, text) {
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, text);
}

// Their pictures, colours and cursors are left out of what they say.
const plain = (text) => text.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, "");

// Begin its login, and be the person whom it sends to the browser.
async function signIn(agent, options) {
	const child = spawn(agent.login[0], agent.login.slice(1), { ...options, stdio: ["pipe", "pipe", "pipe"] });
	const ended = new Promise((done) => child.on("exit", done)), browser = await openChromium("--ignore-certificate-errors");
	let said = "";
	try {
		const url = await new Promise((done, failed) => {
			for (const stream of [child.stdout, child.stderr])
				stream.setEncoding("utf8").on("data", (text) => {
					said += text;
					const found = /https?:\/\/\S+\/api\/oauth\/authorize\?[^\s"'\x1b]+(?=[\s"'\x1b])/.exec(said);
					if (found) done(found[0]);
				});
			child.on("exit", () => failed(new Error(`it opened no page: ${said.slice(-500)}`)));
		});
		const page = await browser.fresh();
		await page.open(url);
		await page.fill("input[name=username]", "ada");
		await page.fill("input[name=password]", PASSWORD);
		await page.click("button[type=submit]");
		await page.click("button[name=decision][value=allow]");
		assert.equal(await ended, 0, said.slice(-500));
	} finally {
		child.kill("SIGKILL");
		await browser.close();
	}
}

for (const [target, agent] of Object.entries(logins))
	for (const [where, { serve, skip, role }] of Object.entries(places))
		test(`${target} signs in at ${where} and calls a tool`, { skip: has(agent.program) ? skip : `${agent.program} is not installed`, timeout: 240_000 }, async () => {
			const own = sqliteProject(), itsHome = mkdtempSync(join(tmpdir(), "carrel-agents-")), model = await playModel(...callers[role].tool);
			appendFileSync(join(own.dir, "carrel.yaml"), "\noauth: { enabled: true }\nauth: { loopback: required, roles: { desk: \"tools:two_more\" } }\nsurface: { result_text: brief }\n" + TEAM);
			const served = await serve(own.dir);
			const itsEnv = Object.fromEntries(Object.entries({ ...env, HOME: itsHome, BROWSER: "true", TERM: "xterm", ...agent.env(model.url, served.ca) })
				.filter(([, value]) => value !== undefined));
			const run = ([program, ...args]) => new Promise((done) => {
				const child = execFile(program, args, { env: itsEnv, cwd: own.dir, timeout: 90_000 }, (error, out, err) => done(plain(out + err)));
				child.stdin.end();
			});
			try {
				carrelWith(own.dir, `${PASSWORD}\n`, "user", "add", "ada", "--role", role, "--password-stdin");
				agent.configure(itsHome, served.url, model.url);
				await signIn(agent, { env: itsEnv, cwd: own.dir });
				assert.match(await run([agent.program, ...agent.list]), agent.says);
				const said = await run(agent.call("How much is it?"));
				if (role === "desk") // of this server's tools the agent has that one
					assert.deepEqual([...new Set(model.asked.flat().filter((name) => /sql_execution|connection_list|wiki_|two_more/.test(name)))].length, 1, JSON.stringify(model.asked));
				assert.match(model.said.join("\n"), /"rows":\[\[42\]\]/, `the model was told: ${JSON.stringify(model)}; it said: ${said.slice(-1000)}`);
			} finally {
				model.close();
				await served.stop();
				own.drop();
				rmSync(itsHome, { recursive: true, force: true, maxRetries: 5 });
			}
		});
