// The files that `carrel setup-agents` writes, read by the agents themselves: each
// finds its entry in them and starts or reaches the server.  Those that are on the
// PATH take part; tests/soak/run.sh agents installs them all.
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { sqliteProject, startDaemon } from "./support.mjs";

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
