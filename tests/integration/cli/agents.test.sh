# Clients' files: what is put in is taken out again, to the byte; what is broken is left alone.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

export HOME=$scratch/home
unset CODEX_HOME
project=$scratch/project
mkdir -p "$HOME" && run 0 init "$project"
at() { run "$1" -C "$project" setup-agents "${@:2}"; }

# everything - the contents of home and project, without what is Carrel's own.
everything() {
	(cd "$scratch" && find home project -path project/.carrel -prune -o \( -type f -o -type l \) -print | sort |
		while read -r f; do [ -L "$f" ] && echo "$f -> $(readlink "$f")"; echo "$f $(sha256sum <"$f") $(stat -Lc %a "$f")"; done)
}

targets="claude-code:global claude-code:local claude-code:project cursor:global cursor:project claude-desktop:global
codex:global opencode:global opencode:project universal:project"

# Files of several shapes, with other servers in them.
mkdir -p "$HOME/.cursor" "$HOME/dotfiles" "$project/.cursor"
printf '{\n\t"numStartups": 5,\n\t"projects": {\n\t\t"/else": {"mcpServers": {}}\n\t},\n\t"mcpServers": {"a": {"command": "x", "env": {"K": "\\u0073ecret"}}},\n\t"z": 1.50\n}' >"$HOME/dotfiles/claude.json"
chmod 600 "$HOME/dotfiles/claude.json"
ln -s dotfiles/claude.json "$HOME/.claude.json"
printf '// mine\n{\n  "mcpServers": {\n    /* db */ "db": { "url": "http://x" }, // last\n  },\n}\n' >"$HOME/.cursor/mcp.json"
printf '{"mcpServers":{}}\r\n' >"$project/.mcp.json"
before=$(everything)

# A file that is shared is left alone when that is said, and only while there is a token.
CARREL_MCP_TOKEN=x at 0 --target cursor --scope project --shared skip && complains "shared with everybody"
[ ! -e "$project/.cursor/mcp.json" ] || fail "a shared entry was not skipped"
at 2 --target cursor --scope project --shared perhaps
at 0 --remove

# Without a token, with one, and with the daemon's: never the token itself.
for token in "" "t0p-secret-value"; do
	for each in $targets; do
		CARREL_MCP_TOKEN=$token at 0 --target "${each%:*}" --scope "${each#*:}"
		[ -z "$token" ] || ! grep -q "$token" "$out" "$err" || fail "$each prints the token"
		CARREL_MCP_TOKEN=$token at 0 --target "${each%:*}" --scope "${each#*:}" --print
		[ -z "$token" ] || ! grep -q "$token" "$out" "$err" || fail "$each --print prints the token"
	done
done
! grep -rqF "t0p-secret-value" "$HOME" "$project" || fail "the token was written"
grep -qF 'Bearer ${CARREL_MCP_TOKEN}' "$HOME/.claude.json" || fail "claude-code does not refer to the variable"
grep -qF 'Bearer ${env:CARREL_MCP_TOKEN}' "$HOME/.cursor/mcp.json" || fail "cursor does not refer to the variable"
[ -L "$HOME/.claude.json" ] || fail "a link was replaced by a file"
[ "$(stat -Lc %a "$HOME/.claude.json")" = 600 ] || fail "the mode of a file was changed"
grep -q '"/else": {"mcpServers": {}}' "$HOME/.claude.json" || fail "another project's entry was changed"
[ -s "$HOME/.claude/skills/carrel-analytics/SKILL.md" ] || fail "the skill is missing"
head -n 3 "$project/.cursor/rules/carrel-analytics.mdc" | finds '^alwaysApply: false$' || fail "cursor's rule lacks its head"
CARREL_MCP_TOKEN=x at 0 --target codex --print && says 'bearer_token_env_var'
CARREL_MCP_TOKEN=x at 0 --target opencode --print && says 'Bearer {env:CARREL_MCP_TOKEN}'

# One target only, then the rest: as if nothing had been.
at 0 --remove --target cursor --scope project
[ ! -e "$project/.cursor/mcp.json" ] || fail "cursor's file is still there"
[ -e "$HOME/.claude/skills" ] || fail "more than cursor was removed"
at 0 --remove
[ "$(everything)" = "$before" ] || fail "something is left, or changed: $(diff <(everything) <(echo "$before"))"
[ ! -e "$project/.carrel/agents/install-manifest.json" ] || fail "the manifest is still there"
at 0 --remove

# What the user put in next to it stays.
at 0 --target claude-code
sed -i 's/"carrel": *{/"mine": {"url": "m"}, "carrel": {/' "$project/.mcp.json"
at 0 --remove
grep -q '"mine"' "$project/.mcp.json" || fail "the user's own entry is gone"

# Broken files are reported and left alone; a copy is kept of what is changed.
printf '{"mcpServers": {' >"$project/.mcp.json"
at 1 --target claude-code && complains ".mcp.json was not changed" && complains "line 1"
[ "$(cat "$project/.mcp.json")" = '{"mcpServers": {' ] || fail "a broken file was written to"
printf '{"mcpServers": []}' >"$project/.mcp.json"
at 1 --target claude-code && complains "not an object"
[ -n "$(ls "$project/.carrel/agents/backup")" ] || fail "no copy was kept"
printf '{' >"$project/.carrel/agents/install-manifest.json"
at 1 --remove && complains "damaged"
[ "$(cat "$project/.carrel/agents/install-manifest.json")" = "{" ] || fail "a damaged manifest was touched"
rm "$project/.carrel/agents/install-manifest.json"

# Usage.
at 2 && complains "--target" && one_sentence
at 2 --target nonsense && one_sentence
at 2 --target cursor --scope local && complains "no scope local" && one_sentence
at 2 --target cursor --scope everywhere && one_sentence
at 0 --target universal && says "carrel mcp start"
finish
