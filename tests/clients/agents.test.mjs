// The files that `carrel setup-agents` writes, read by the agents themselves: each
// finds its entry in them and starts or reaches the server.  Those that are on the
// PATH take part; tests/soak/run.sh agents installs them all.
import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { noChromium, openChromium } from "./chromium.mjs";
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

// Their own login, with a real browser in the middle; what they then call is up to a model, which is not asked here.
const logins = {
	codex: { program: "codex", args: ["mcp", "login", "shop"], list: ["mcp", "list"], says: /^shop\b.*\bOAuth\b/m,
		file: ".codex/config.toml", config: (url) => `[mcp_servers.shop]\nurl = "${url}"\n` },
	opencode: { program: "opencode", args: ["mcp", "auth", "shop"], list: ["mcp", "list"], says: /\bshop\b\S*\s+(\S*\s*)?connected/,
		file: ".config/opencode/opencode.json", config: (url) => JSON.stringify({ mcp: { shop: { type: "remote", url, enabled: true } } }) },
};
const PASSWORD = "correct horse battery";

for (const [target, agent] of Object.entries(logins))
	test(`${target} signs in`, { skip: has(agent.program) ? noChromium : `${agent.program} is not installed`, timeout: 240_000 }, async () => {
		const own = sqliteProject(), itsHome = mkdtempSync(join(tmpdir(), "carrel-agents-"));
		const itsEnv = { ...env, HOME: itsHome, BROWSER: "true" };
		appendFileSync(join(own.dir, "carrel.yaml"), "\noauth: { enabled: true }\nauth: { loopback: required }\n");
		const served = await startDaemon(own.dir), browser = await openChromium();
		let child;
		try {
			carrelWith(own.dir, `${PASSWORD}\n`, "user", "add", "ada", "--role", "contributor", "--password-stdin");
			mkdirSync(dirname(join(itsHome, agent.file)), { recursive: true });
			writeFileSync(join(itsHome, agent.file), agent.config(served.url));
			child = spawn(agent.program, agent.args, { env: itsEnv, cwd: own.dir, stdio: ["pipe", "pipe", "pipe"] });
			const ended = new Promise((done) => child.on("exit", done));
			let said = "";
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
			const listed = await new Promise((done) => execFile(agent.program, agent.list, { env: itsEnv, cwd: own.dir, timeout: 90_000 },
				(error, out, err) => done(out + err)));
			assert.match(listed.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, ""), agent.says);
		} finally {
			child?.kill("SIGKILL");
			await browser.close();
			await served.stop();
			own.drop();
			rmSync(itsHome, { recursive: true, force: true, maxRetries: 5 });
		}
	});
