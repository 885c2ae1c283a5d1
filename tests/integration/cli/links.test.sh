# Links: none leads out of the project, and at home only to what is the user's own.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

export HOME=$scratch/home
unset CODEX_HOME
project=$scratch/project out_dir=$scratch/outside
mkdir -p "$HOME" "$out_dir/dir" && run 0 init "$project"
printf '{"mcpServers":{}}\n' >"$out_dir/victim.json"
at() { run "$1" -C "$project" setup-agents "${@:2}"; }
outside() { (cd "$out_dir" && find . -printf '%p %s %m\n' | sort); cat "$out_dir/victim.json"; }
untouched() { [ "$(outside)" = "$before" ] || fail "$1: something outside of the project was touched"; }
before=$(outside)

# In place of the file, of every directory above it, there and dangling.
for case in ".mcp.json:claude-code:victim.json" ".mcp.json:claude-code:nothing.json" ".claude:claude-code:dir" \
	".claude/skills:claude-code:dir" ".cursor:cursor:dir" ".cursor/mcp.json:cursor:victim.json" \
	".cursor:cursor:absent" ".carrel/agents:cursor:dir"; do
	IFS=: read -r link target to <<<"$case"
	[ "$target" = cursor ] && rm -rf "$project/.cursor" "$project/.mcp.json" "$project/.claude"
	mkdir -p "$(dirname "$project/$link")"
	rm -rf "${project:?}/$link"
	ln -s "$out_dir/$to" "$project/$link"
	at 1 --target "$target" --scope project
	grep -q "Traceback\|Segm" "$err" && fail "$link: it crashed"
	[ -L "$project/$link" ] || fail "$link: the link was replaced"
	untouched "$link"
	"$carrel" -C "$project" setup-agents --target "$target" --scope project --remove >/dev/null 2>&1
	untouched "$link --remove"
	rm "$project/$link"
done
[ ! -e "$out_dir/absent" ] || fail "a dangling link was filled"

# Installed honestly, then a directory is exchanged for a link before it is removed.
rm -rf "$project/.claude" "$project/.cursor" "$project/.mcp.json" "$project/.carrel/agents"
at 0 --target claude-code --scope project
cp -r "$project/.claude" "$out_dir/copy" && rm -rf "$project/.claude" && ln -s "$out_dir/copy" "$project/.claude"
before=$(outside)
run 1 -C "$project" setup-agents --target claude-code --scope project --remove
untouched "--remove behind a link"
rm "$project/.claude"

# At home: links of those who keep their files elsewhere at home are followed, absolute ones as well, and stay.
mkdir -p "$HOME/dotfiles/cursor" && ln -s "$HOME/dotfiles/cursor" "$HOME/.cursor"
printf '{}\n' >"$HOME/dotfiles/claude.json" && ln -s "$HOME/dotfiles/claude.json" "$HOME/.claude.json"
at 0 --target cursor --scope global
at 0 --target claude-code --scope global
grep -q carrel "$HOME/dotfiles/cursor/mcp.json" && grep -q carrel "$HOME/dotfiles/claude.json" || fail "links at home were not followed"
[ -L "$HOME/.cursor" ] && [ -L "$HOME/.claude.json" ] || fail "links at home were replaced"
# but not out of it
rm "$HOME/.cursor" "$HOME/.claude.json"
ln -s "$out_dir/dir" "$HOME/.cursor" && ln -s "$out_dir/victim.json" "$HOME/.claude.json"
before=$(outside)
at 1 --target cursor --scope global && complains "by a link"
at 1 --target claude-code --scope global && complains "by a link"
untouched "home"

# A manifest that names files of others removes nothing.
printf '{"version":1,"entries":[{"kind":"file","target":"cursor","scope":"project","path":"%s"}]}' "$out_dir/victim.json" \
	>"$project/.carrel/agents/install-manifest.json"
"$carrel" -C "$project" setup-agents --target cursor --scope project --remove >/dev/null 2>&1
untouched "a manifest of somebody else"

# init makes nothing behind links.
mkdir "$scratch/p2" && ln -s "$out_dir/dir" "$scratch/p2/wiki"
run 1 init "$scratch/p2" && complains "is a link"
mkdir "$scratch/p3" && ln -s "$out_dir/dir" "$scratch/p3/raw-sources"
run 1 init "$scratch/p3" && complains "is a link"
untouched "init"
finish
