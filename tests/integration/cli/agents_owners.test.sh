# Whose an entry is: projects of one user beside each other, entries of one's own, what was there before, other directories.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

export HOME=$scratch/home
unset CODEX_HOME XDG_CONFIG_HOME XDG_STATE_HOME
mkdir -p "$HOME"
for p in a b "my Shop"; do run 0 init "$scratch/$p"; done
in_project() { run "$1" -C "$scratch/$2" setup-agents "${@:3}"; }
json() { node -e 'let v = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")); for (const k of process.argv.slice(2)) v = v?.[k]; console.log(JSON.stringify(v) ?? "")' "$@"; }
claude=$HOME/.claude.json

# Two projects, one file: each has its own entry, and takes out only that.
in_project 0 a -t claude-code --scope global
in_project 0 b -t claude-code --scope global
in_project 0 "my Shop" -t claude-code --scope global --stdio
for name in carrel carrel-b carrel-my-shop; do [ -n "$(json "$claude" mcpServers $name)" ] || fail "no $name: $(cat "$claude")"; done
cp "$claude" "$scratch/all"
in_project 0 b -t claude-code --scope global && cmp -s "$claude" "$scratch/all" || fail "not idempotent"
in_project 0 a --remove
for name in carrel-b carrel-my-shop; do [ -n "$(json "$claude" mcpServers $name)" ] || fail "another project's entry is gone: $name"; done
[ -s "$HOME/.claude/skills/carrel-analytics/SKILL.md" ] || fail "another project's skills are gone"
in_project 0 b --remove && in_project 0 "my Shop" --remove
grep -q carrel "$claude" && fail "an entry is left"
[ ! -e "$HOME/.claude/skills/carrel-analytics/SKILL.md" ] || fail "something is left: $(find "$HOME")"
rm -f "$claude"

# Daemons on ports of their own: the second gets a name of its own, the first stays as it was.
printf 'server: { port: 7901 }\n' >>"$scratch/a/carrel.yaml"
printf 'server: { port: 7902 }\n' >>"$scratch/b/carrel.yaml"
for target in claude-code:.claude.json:mcpServers cursor:.cursor/mcp.json:mcpServers gemini:.gemini/settings.json:mcpServers \
	zed:.config/zed/settings.json:context_servers vscode:.config/Code/User/mcp.json:servers opencode:.config/opencode/opencode.json:mcp; do
	IFS=: read -r name file member <<<"$target"
	in_project 0 a -t "$name" --scope global && in_project 0 b -t "$name" --scope global
	json "$HOME/$file" "$member" carrel | finds 7901 || fail "$name: a's entry: $(cat "$HOME/$file")"
	json "$HOME/$file" "$member" carrel-b | finds 7902 || fail "$name: b's entry"
	in_project 0 a --remove
	json "$HOME/$file" "$member" carrel-b | finds 7902 || fail "$name: b's entry went with a's"
	in_project 0 b --remove
	grep -q carrel "$HOME/$file" && fail "$name: an entry is left"
	in_project 0 a -t "$name" --scope global && in_project 0 a --remove
	rm -f "$HOME/$file"
done
in_project 0 a -t codex && in_project 0 b -t codex
grep -qF '[mcp_servers.carrel]' "$HOME/.codex/config.toml" && grep -qF '[mcp_servers.carrel-b]' "$HOME/.codex/config.toml" || fail "codex: $(cat "$HOME/.codex/config.toml")"
in_project 0 a --remove && grep -qF 7902 "$HOME/.codex/config.toml" && ! grep -qF 7901 "$HOME/.codex/config.toml" || fail "codex: b went with a"
in_project 0 b --remove
grep -q carrel "$HOME/.codex/config.toml" && fail "codex: something is left"
rm -rf "$HOME/.codex"

# An entry of the user's own is not touched; asked for by its name it is replaced, and put back to the byte.
mkdir -p "$HOME/.codex"
own='{"mcpServers": {"carrel":   {"command": "my-own" , "args": []}, "x": {"command": "y"}}}'
printf '%s' "$own" >"$claude"
printf 'model = "m"\n\n[mcp_servers.carrel] # own\ncommand = "my-own"\n\n[mcp_servers.carrel.env]\nA = "b"\n\n# about x\n[x]\ny = 1' >"$HOME/.codex/config.toml"
cp "$HOME/.codex/config.toml" "$scratch/codex"
in_project 0 a -t claude-code -t codex --scope global
json "$claude" mcpServers carrel command | finds my-own || fail "the user's entry was replaced"
[ -n "$(json "$claude" mcpServers carrel-a)" ] && grep -qF '[mcp_servers.carrel-a]' "$HOME/.codex/config.toml" || fail "no entry of ours"
in_project 0 a --remove
[ "$(cat "$claude")" = "$own" ] && cmp -s "$HOME/.codex/config.toml" "$scratch/codex" || fail "not as before"
in_project 0 a -t claude-code -t codex --scope global --name carrel
json "$claude" mcpServers carrel | finds 7901 && grep -q 7901 "$HOME/.codex/config.toml" || fail "--name did not replace it"
grep -q my-own "$HOME/.codex/config.toml" && fail "codex: the old table is still there"
in_project 0 a -t claude-code -t codex --scope global --name carrel
in_project 0 a --remove
[ "$(cat "$claude")" = "$own" ] || fail "not put back: $(cat "$claude")"
cmp -s "$HOME/.codex/config.toml" "$scratch/codex" || fail "codex: not put back: $(diff "$HOME/.codex/config.toml" "$scratch/codex")"
rm "$claude" "$HOME/.codex/config.toml"

# One name and one address for two on purpose: the last of them takes it out.
sed 's/7901/7902/' -i "$scratch/a/carrel.yaml"
in_project 0 a -t claude-code --scope global --name shared && in_project 0 b -t claude-code --scope global --name shared
in_project 0 a --remove && says "since $scratch/b uses it" && json "$claude" mcpServers shared | finds 7902 || fail "b's entry went with a's"
in_project 0 b --remove
grep -q shared "$claude" && fail "an entry that two had is left"
sed 's/7902/7901/' -i "$scratch/a/carrel.yaml"

# One name for two on purpose: who comes last has it, and the other's --remove leaves it alone.
in_project 0 a -t claude-code --scope global --name shared && in_project 0 b -t claude-code --scope global --name shared
in_project 0 a --remove && json "$claude" mcpServers shared | finds 7902 || fail "b's entry went with a's"
in_project 0 b --remove

# A skill that was somebody's own comes back; one that was changed since stays.
mkdir -p "$scratch/a/.claude/skills/carrel-analytics"
echo mine >"$scratch/a/.claude/skills/carrel-analytics/SKILL.md"
in_project 0 a -t claude-code
echo changed >"$scratch/a/.claude/skills/carrel-connectivity/SKILL.md"
in_project 0 a --remove
[ "$(cat "$scratch/a/.claude/skills/carrel-analytics/SKILL.md")" = mine ] || fail "the user's skill is gone"
[ "$(cat "$scratch/a/.claude/skills/carrel-connectivity/SKILL.md")" = changed ] || fail "a changed skill was removed"

# Where the agent works: --dir; names; what is wrong with them.
mkdir "$scratch/code"
in_project 0 a -t claude-code -t vscode -t zed -t gemini -t codex -t opencode -t cursor --dir "$scratch/code" --name shop
for file in .mcp.json .vscode/mcp.json .zed/settings.json .gemini/settings.json .codex/config.toml opencode.json .cursor/mcp.json \
	.claude/skills/carrel-analytics/SKILL.md; do
	[ -s "$scratch/code/$file" ] || fail "no $file in --dir"
	[ -e "$scratch/a/$file" ] && [ "$file" != .claude/skills/carrel-analytics/SKILL.md ] && fail "$file in the project"
	grep -q shop "$scratch/code/$file" || [ "${file##*.}" = md ] || fail "$file: no entry of that name"
done
(cd "$scratch/code" && run 0 -C "$scratch/a" setup-agents -t claude-code --scope local --dir . )
[ -n "$(json "$claude" projects "$scratch/code" mcpServers carrel)" ] || fail "local: not for the directory"
in_project 0 a --remove
[ -z "$(ls -A "$scratch/code")" ] || fail "something is left: $(find "$scratch/code")"
in_project 2 a -t cursor --dir "$scratch/none" && one_sentence
in_project 2 a -t codex --name 'a b' && one_sentence
in_project 2 a -t codex --name "$(printf 'x%.0s' $(seq 65))" && one_sentence

# What each client's documentation has: HTTP, with a token, and started by the client.
cat >"$scratch/check.js" <<'JS'
const fs = require("fs"), assert = require("assert");
const [, , dir, mode, program, project] = process.argv;
const read = (f) => fs.readFileSync(dir + "/" + f, "utf8"), json = (f) => JSON.parse(read(f));
const url = "http://127.0.0.1:7901/mcp", args = ["--project-dir", project, "mcp", "stdio"];
const bearer = (text) => mode === "token" ? { headers: { Authorization: "Bearer " + text } } : {};
const same = (a, b) => assert.deepStrictEqual(a, b);
const stdio = { command: program, args }, local = mode === "stdio";
same(json(".mcp.json").mcpServers.carrel, local ? { type: "stdio", ...stdio } : { type: "http", url, ...bearer("${CARREL_MCP_TOKEN}") });
same(json(".cursor/mcp.json").mcpServers.carrel, local ? stdio : { url, ...bearer("${env:CARREL_MCP_TOKEN}") });
same(json(".vscode/mcp.json").servers.carrel, local ? { type: "stdio", ...stdio } : { type: "http", url, ...bearer("${env:CARREL_MCP_TOKEN}") });
same(json(".gemini/settings.json").mcpServers.carrel, local ? stdio : { httpUrl: url, ...bearer("${CARREL_MCP_TOKEN}") });
same(json(".zed/settings.json").context_servers.carrel, mode === "open" ? { url } : stdio);
same(json("opencode.json").mcp.carrel, local ? { type: "local", command: [program, ...args], enabled: true } :
	{ type: "remote", url, enabled: true, ...bearer("{env:CARREL_MCP_TOKEN}") });
same(read(".codex/config.toml"), "[mcp_servers.carrel]\n" + (local ?
	`command = ${JSON.stringify(program)}\nargs = ${JSON.stringify(args)}\n` :
	`url = "${url}"\n` + (mode === "token" ? 'bearer_token_env_var = "CARREL_MCP_TOKEN"\n' : "")));
JS
all="-t claude-code -t cursor -t vscode -t gemini -t zed -t opencode -t codex"
for mode in open token stdio; do
	option= token=
	[ $mode = stdio ] && option=--stdio
	[ $mode = token ] && token=t0p-secret-of-it
	# shellcheck disable=SC2086
	CARREL_MCP_TOKEN=$token in_project 0 a $all --dir "$scratch/code" $option
	node "$scratch/check.js" "$scratch/code" $mode "$carrel" "$scratch/a" 2>"$scratch/why" || fail "$mode: $(cat "$scratch/why")"
	grep -rq t0p-secret "$scratch/code" "$scratch/a" "$HOME" "$out" "$err" && fail "the token was written"
	in_project 0 a --remove
done

# --print writes the text and nothing else, in the file's own language; nothing is written.
before=$(find "$HOME" "$scratch/code" | sort)
run_as 0 -C "$scratch/a" setup-agents -t codex --print --stdio && says '[mcp_servers.carrel]' && says 'command = "'
run_as 0 -C "$scratch/a" setup-agents -t zed --print && says '"context_servers"'
[ "$(find "$HOME" "$scratch/code" | sort)" = "$before" ] || fail "--print wrote something"

# A daemon behind a Unix socket: its public address, or the client starts Carrel itself.
sed -i '/^server:/d' "$scratch/a/carrel.yaml"
printf 'auth: { loopback: open }\nserver: { listen: "unix:%s/h.sock" }\n' "$scratch" >>"$scratch/a/carrel.yaml"
in_project 1 a -t claude-code && complains "public_url" && one_sentence
in_project 0 a -t claude-code --stdio && in_project 0 a --remove
finish
