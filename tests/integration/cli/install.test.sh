# What `make install` puts in place works from there: the demo, every process, the skills.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

cmake --install "$(dirname "$BIN_DIR")" --prefix "$scratch/usr" >"$out" 2>"$err" || fail "it cannot be installed"
carrel=$scratch/usr/bin/carrel
export HOME=$scratch/home
mkdir "$HOME"

run 0 init --demo "$scratch/demo" && is_quiet
run 0 -C "$scratch/demo" discover "refunded revenue" && says '"id":"revenue"'
run 0 -C "$scratch/demo" sql "SELECT 41 + 1" && says '42'
run 0 -C "$scratch/demo" setup-agents --target universal --scope project
for skill in "$SOURCE_DIR"/skills/*/; do
	[ -s "$scratch/demo/.agents/skills/$(basename "$skill")/SKILL.md" ] || fail "$(basename "$skill") is not installed"
done
for file in bash-completion/completions/carrel zsh/site-functions/_carrel fish/vendor_completions.d/carrel.fish; do
	grep -q "completion line" "$scratch/usr/share/$file" || fail "$file is not installed"
done
finish
