# What is typed wrong is answered with exit code 2 and one sentence.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

run 0 --help && says "Usage: carrel COMMAND"
run 0 --version && says "carrel "
run 0 mcp --help && says "mcp start"
run 0 scan --help && says "Usage: carrel scan"
run 2 && complains "carrel --help" && one_sentence
run 2 nonsense && complains "no command \"nonsense\"" && one_sentence
run 2 token && complains 'carrel token` is followed by create, list, reveal or revoke' && one_sentence
run 2 sandbox && complains 'carrel sandbox` is followed by verify;' && one_sentence
run 2 scan --nonsense && complains "carrel scan --help" && one_sentence
run 2 connection add && one_sentence
run 2 connection list here && complains 'takes no argument, so not "here"; see `carrel connection list --help`' && one_sentence
run 2 mcp start --port 99999 && complains "65535" && one_sentence
run 2 mcp start --allowed-origin example.org && complains "scheme://host" && one_sentence
run 2 mcp start --host 'no host' && one_sentence

# A project that is not there.
run 1 --project-dir "$scratch/nowhere" status && one_sentence
CARREL_PROJECT_DIR=$scratch/nowhere run 1 status && one_sentence
cd "$scratch" && mkdir empty && cd empty
run 1 status && complains "carrel init"
run 3 mcp stop && complains "not running" && one_sentence
run 3 mcp status && is_quiet && is_json
run 1 mcp logs && one_sentence

# A person is told of commands, not of tools, and what to do next.
run 0 init "$scratch/bare"
run 1 -C "$scratch/bare" dataset document nothing && complains '`carrel dataset list` shows'
run 1 -C "$scratch/bare" sl query -m x && complains 'carrel connection add'

# A broken configuration: every error at once, each with its line.
mkdir "$scratch/broken"
printf 'server:\n  port: abc\nconnections:\n  a: {driver: sqlite}\nnonsense: 1\n' >"$scratch/broken/carrel.yaml"
run 1 -C "$scratch/broken" scan && complains "carrel.yaml:2" && complains "carrel.yaml:4"
run 1 -C "$scratch/broken" status
printf 'connections: [\n' >"$scratch/broken/carrel.yaml"
run 1 -C "$scratch/broken" scan && one_sentence

# Every command and every option stands in the manual.
man=$SOURCE_DIR/packaging/man/carrel.1
run 0 --help
mapfile -t commands < <(sed -nE 's/^  ([a-z][a-z-]*( [a-z][a-z-]*)?) .*/\1/p' "$out")
[ "${#commands[@]}" -gt 60 ] || fail "commands: ${commands[*]}"
for command in "${commands[@]}"; do
	command=${command% }	# of one word
	grep -q "^\.It Ic $command\b" "$man" || fail "no $command in the manual"
	# shellcheck disable=SC2086
	run 0 $command --help
	for option in $(grep -oE '^ +(-[a-zA-Z], |    )--[a-z-]+' "$out" | grep -oE -- '--[a-z-]+'); do
		grep -qE -- "-${option#--}( |\$)" "$man" || fail "no $option of $command in the manual"
	done
done

# The schema knows every key of the reference.
run 0 doctor --config-reference
mapfile -t keys < <(grep -oE '^[a-z_<>.A-Z]+$' "$out" | sed 's/.*\.//' | sort -u)
[ "${#keys[@]}" -gt 40 ] || fail "keys: ${keys[*]}"
run 0 doctor --config-schema && is_json
for key in "${keys[@]}"; do says "\"$key\":{"; done
says '"query_policy":{"enum":["open","semantic-layer-only","read-only-sql",null]'

# A reader that goes away is no crash.
"$carrel" --help | head -n 1 >/dev/null
[ "${PIPESTATUS[0]}" -le 1 ] || fail "carrel --help | head: exit code ${PIPESTATUS[0]}"

# README is short, and its links lead somewhere; so do those of the pages.
[ "$(wc -l <"$SOURCE_DIR/README.md")" -lt 150 ] || fail "README is long"
for page in "$SOURCE_DIR"/README.md "$SOURCE_DIR"/docs/*.md; do
	while read -r link; do
		[ -e "$(dirname "$page")/$link" ] || fail "$page: $link leads nowhere"
	done < <(grep -oE '\]\([^)#:]+' "$page" | cut -c3-)
done
finish
