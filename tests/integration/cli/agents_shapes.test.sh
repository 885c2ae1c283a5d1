# Clients' files as they are found in the wild: each survives install and remove but for the entry, and no token is anywhere.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

export HOME=$scratch/home
unset CODEX_HOME
project=$scratch/project
mkdir -p "$HOME/.cursor" "$HOME/.codex" "$HOME/.config/opencode" "$HOME/.config/Claude" && run 0 init "$project"
mkdir -p "$project/.cursor"
at() { run "$1" -C "$project" setup-agents "${@:2}"; }
shapes=0

# without ENTRY... - the file on standard input as a value, without the entry at that path and what became empty around it.
cat >"$scratch/without.js" <<'JS'
const [, , file, ...path] = process.argv;
let text = require("fs").readFileSync(file, "utf8").replace(/^\ufeff/, "");
// Comments and trailing commas, outside of strings.
text = text.replace(/"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (m) => m[0] === '"' ? m : "")
	.replace(/"(?:\\.|[^"\\])*"|,(?=\s*[}\]])/g, (m) => m[0] === '"' ? m : "");
const value = text.trim() === "" ? {} : JSON.parse(text);
const take = (at, [key, ...rest]) => {
	if (!at || !(key in at)) return;
	if (rest.length === 0) delete at[key];
	else {
		take(at[key], rest);
		if (Object.keys(at[key]).length === 0) delete at[key];
	}
};
take(value, path);
// What was empty before says as little as what is not there.
console.log(JSON.stringify(value, (k, v) => k === "mcpServers" && v && Object.keys(v).length === 0 ? undefined : v));
JS
value() { node "$scratch/without.js" "$@"; }

# shape NAME TARGET SCOPE FILE ENTRY... - with the file's content on standard input.
shape() {
	local name=$1 target=$2 scope=$3 file=$4 real before
	shift 4
	shapes=$((shapes + 1))
	rm -f "$file" && cat >"$file"
	cp "$file" "$scratch/original"
	before=$(value "$file" "$@")
	CARREL_MCP_TOKEN=s3cr3t-of-the-shape at 0 --target "$target" --scope "$scope" || return
	value "$file" >/dev/null || fail "$name: what was written is no JSON"
	cmp -s "$file" "$scratch/original" && fail "$name: nothing was put in"
	[ "$(value "$file" "$@")" = "$before" ] || fail "$name: more than the entry changed: $(diff "$file" "$scratch/original")"
	# Line by line: what was there is still there, in the same order.
	[ -z "$(diff <(tr -d '\r' <"$scratch/original" | sed 's/,$//') <(tr -d '\r' <"$file" | sed 's/,$//') | grep '^<' | grep -v '[{}]')" ] ||
		fail "$name: a line of the file is gone"
	# A second time changes nothing.
	cp "$file" "$scratch/once"
	CARREL_MCP_TOKEN=s3cr3t-of-the-shape at 0 --target "$target" --scope "$scope" && cmp -s "$file" "$scratch/once" || fail "$name: not idempotent"
	at 0 --remove
	cmp -s "$file" "$scratch/original" || fail "$name: not as before: $(diff "$file" "$scratch/original")"
}

claude=$HOME/.claude.json
shape "Claude Code, as it writes it" claude-code global "$claude" mcpServers carrel <<'J'
{
  "numStartups": 412,
  "installMethod": "native",
  "autoUpdates": true,
  "tipsHistory": {
    "new-user-warmup": 4,
    "shift-enter": 311
  },
  "oauthAccount": {
    "accountUuid": "00000000-0000-4000-8000-000000000000",
    "emailAddress": "someone@example.com"
  },
  "projects": {
    "/home/someone/work": {
      "allowedTools": [],
      "history": [{"display": "a \"quoted\" text with {braces} and // no comment", "pastedContents": {}}],
      "mcpServers": {},
      "hasTrustDialogAccepted": true
    }
  },
  "mcpServers": {
    "github": {
      "type": "stdio",
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-github"],
      "env": {"GITHUB_TOKEN": "${GITHUB_TOKEN}"}
    },
    "sentry": {"type": "sse", "url": "https://mcp.sentry.dev/sse"}
  },
  "userID": "f00",
  "lastCost": 0.30000000000000004,
  "bigNumber": 12345678901234567890
}
J
shape "Claude Code without servers" claude-code global "$claude" mcpServers carrel <<'J'
{
  "numStartups": 1,
  "projects": {}
}
J
shape "Claude Code on one line" claude-code global "$claude" mcpServers carrel <<'J'
{"mcpServers":{"a":{"command":"x"}},"z":[1,2,{"mcpServers":{"carrel":"not this one"}}]}
J
shape "an empty object" claude-code global "$claude" mcpServers carrel < <(printf '{}')
shape "an empty object and lines" claude-code global "$claude" mcpServers carrel < <(printf '{ }\n\n')
shape "a byte order mark" claude-code global "$claude" mcpServers carrel < <(printf '\xef\xbb\xbf{\n  "theme": "dark"\n}\n')
shape "tabs, order, an empty list of servers" claude-code global "$claude" mcpServers carrel < <(printf '{\n\t"mcpServers": {\n\t},\n\t"theme": "dark"\n}\n')
shape "CRLF" claude-code global "$claude" mcpServers carrel < <(printf '{\r\n  "mcpServers": {\r\n    "a": {"command": "x"}\r\n  }\r\n}\r\n')
shape "escaped keys and letters of the world" claude-code global "$claude" mcpServers carrel < <(printf '{"\\u006dcpServers":{"\\u00fcber":{"command":"x","args":["\xe2\x9c\x93","\\ud83d\\ude00"]}},"名":"値"}')
shape "this project among others" claude-code local "$claude" projects "$project" mcpServers carrel <<J
{
  "projects": {
    "$project/../other": {"mcpServers": {"carrel": {"url": "theirs"}}},
    "$project": {
      "allowedTools": ["x"],
      "mcpServers": {"db": {"command": "y"}}
    }
  }
}
J
shape "no such project yet" claude-code local "$claude" projects "$project" mcpServers carrel <<'J'
{
    "projects": {
        "/else": {"mcpServers": {}}
    }
}
J
rm -f "$claude"
shape "a shared .mcp.json" claude-code project "$project/.mcp.json" mcpServers carrel <<'J'
{
  "mcpServers": {
    "puppeteer": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-puppeteer"]
    }
  }
}
J
shape "Cursor" cursor global "$HOME/.cursor/mcp.json" mcpServers carrel <<'J'
{
  "mcpServers": {
    "figma": { "url": "http://127.0.0.1:3845/sse" },
    "linear": {
      "command": "npx", "args": ["-y", "mcp-remote", "https://mcp.linear.app/sse"],
      "env": { "A": "1" }
    }
  }
}
J
shape "Cursor with comments and trailing commas" cursor project "$project/.cursor/mcp.json" mcpServers carrel <<'J'
// servers of this project
{
  /* before { "mcpServers": {} } */
  "mcpServers": {
    // "off": { "url": "http://x" },
    "on": { "url": "http://y", }, // last, with a comma
  },
  "after": [1, 2, /* three */ 3,],
}
// the end
J
shape "Cursor with a comment where the entry goes" cursor project "$project/.cursor/mcp.json" mcpServers carrel <<'J'
{ "mcpServers": { /* none yet */ } }
J
rm -f "$project/.cursor/mcp.json"

# Reached by links, one after the other; the links stay, and so does the mode.
mkdir -p "$HOME/dot" && printf '{"mcpServers":{"a":{"command":"x"}}}\n' >"$HOME/dot/real.json" && chmod 640 "$HOME/dot/real.json"
ln -s real.json "$HOME/dot/link.json" && ln -s dot/link.json "$claude"
cp "$HOME/dot/real.json" "$scratch/original"
at 0 --target claude-code --scope global && at 0 --remove
cmp -s "$HOME/dot/real.json" "$scratch/original" && [ -L "$claude" ] && [ -L "$HOME/dot/link.json" ] && [ "$(stat -c %a "$HOME/dot/real.json")" = 640 ] ||
	fail "links or modes did not survive"
rm "$claude"

# Codex' and opencode's files are written and left to the byte as they were; Claude Desktop's own is never opened.
cat >"$HOME/.codex/config.toml" <<'T'
model = "gpt-5"	# mine
approval_policy = "on-request"

[mcp_servers.docs]
command = "npx"
args = ["-y", "docs-mcp"]

[projects."/home/someone/work"]
trust_level = "trusted"
T
printf '{\n  // opencode reads comments\n  "$schema": "https://opencode.ai/config.json",\n  "mcp": {"x": {"type": "local", "command": ["y"],},},\n}\n' |
	tee "$project/opencode.json" >"$HOME/.config/opencode/opencode.json"
printf '{"mcpServers": {"a": {"command": "x"}}}' >"$HOME/.config/Claude/claude_desktop_config.json"
untouched() { cat "$HOME/.codex/config.toml" "$project/opencode.json" "$HOME/.config/opencode/opencode.json" "$HOME/.config/Claude/claude_desktop_config.json" | sha256sum; }
theirs=$(untouched)
for each in codex:global opencode:global opencode:project claude-desktop:global; do
	CARREL_MCP_TOKEN=x at 0 --target "${each%:*}" --scope "${each#*:}"
	[ "$each" = claude-desktop:global ] || [ "$(untouched)" != "$theirs" ] || fail "$each was not written"
	grep -qF '# mine' "$HOME/.codex/config.toml" && grep -qF '// opencode reads comments' "$project/opencode.json" || fail "$each: a comment is gone"
	grep -qF carrel "$HOME/.config/Claude/claude_desktop_config.json" && fail "Claude Desktop's own file was written"
	at 0 --remove
	[ "$(untouched)" = "$theirs" ] || fail "$each: not as before"
done

# Not JSON, not ours to mend: reported, left to the byte, nothing else begun.
for broken in '{"a":1}{"b":2}' '[]' '"text"' '{"mcpServers":null}' '{"mcpServers":{"a":1,"a":2}' '// only a comment' '{"a":'; do
	printf "$broken" >"$claude" && cp "$claude" "$scratch/original"
	at 1 --target claude-code --scope global && one_sentence
	cmp -s "$claude" "$scratch/original" || fail "a broken file was changed: $broken"
done
rm -f "$claude"

# Wherever the token comes from it is in no output and in no file but its own.
targets="claude-code:global claude-code:local claude-code:project cursor:global cursor:project claude-desktop:global
codex:global opencode:global opencode:project universal:project"
for source in variable literal file running; do
	token=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
	cp "$project/carrel.yaml" "$scratch/carrel.yaml"
	unset CARREL_MCP_TOKEN
	case $source in
	variable) export CARREL_MCP_TOKEN=$token ;;
	literal) printf 'auth: { token: "%s" }\n' "$token" >>"$project/carrel.yaml" ;;
	file) (umask 077; mkdir -p "$project/.carrel/secrets"; echo "$token" >"$project/.carrel/secrets/token"); printf 'auth: { token: "file:.carrel/secrets/token" }\n' >>"$project/carrel.yaml" ;;
	running) CARREL_MCP_TOKEN=$token run 0 -C "$project" mcp start --port 0 ;;
	esac
	for each in $targets; do
		for how in "" --print --json "--print --json"; do
			# shellcheck disable=SC2086
			at 0 --target "${each%:*}" --scope "${each#*:}" $how
			! grep -qF "$token" "$out" "$err" || fail "$each $how says the token ($source)"
		done
		[ "$each" = codex:global ] || [ "${each%%:*}" = universal ] || [ "${each%%:*}" = claude-desktop ] || [ "${each%%:*}" = opencode ] ||
			grep -rqF CARREL_MCP_TOKEN "$HOME/.claude.json" "$project/.mcp.json" "$HOME/.cursor" "$project/.cursor" 2>/dev/null || fail "$each: no reference to the variable ($source)"
	done
	found=$(grep -rlF "$token" "$HOME" "$project" 2>/dev/null | grep -v -e "^$project/carrel.yaml$" -e "^$project/.carrel/secrets/token$")
	[ -z "$found" ] || fail "the token is in $found ($source)"
	# A zip is no text: what is in it, uncompressed.
	! grep -qaF "$token" "$project/.carrel/agents/claude/carrel.zip" || fail "the plugin holds the token ($source)"
	at 0 --remove
	[ "$source" != running ] || run 0 -C "$project" mcp stop
	cp "$scratch/carrel.yaml" "$project/carrel.yaml"
done
unset CARREL_MCP_TOKEN
[ "$(untouched)" = "$theirs" ] || fail "a file is not as before"
[ "$shapes" -ge 14 ] || fail "only $shapes shapes"
finish
