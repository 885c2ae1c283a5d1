# What three shells offer behind the same lines: commands, options and their words, and the project's names.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

for shell in bash zsh fish; do
	command -v $shell >/dev/null || { fail "$shell is not installed; packaging/install-deps.sh test"; finish; }
	"$carrel" completion $shell >"$scratch/carrel.$shell" || fail "no completions for $shell"
	$shell -n "$scratch/carrel.$shell" 2>"$err" && is_quiet || fail "$shell does not read its completions"
	cmp -s "$scratch/carrel.$shell" "$BIN_DIR/../completions/carrel.$shell" || fail "the build's completions for $shell are others"
done
export HOME=$scratch/home PATH=$BIN_DIR:$PATH
mkdir "$HOME" "$scratch/functions" && cp "$scratch/carrel.zsh" "$scratch/functions/_carrel"
cd "$scratch" || exit 1
"$carrel" init --demo "$scratch/a demo" >/dev/null || fail "no demo"
mkdir -p "$scratch/a demo/wiki/user/local" && echo "Mine." >"$scratch/a demo/wiki/user/local/my-page.md"
printf '# Net takings\n\nNet takings is defined as `sum(orders.amt_eur_ct) / 100.0`, in euros.\n' >note.md
run 0 -C "a demo" ingest text note.md -c warehouse
run_id=$(grep -oE 'mem-[0-9a-f-]+' "$out" | head -n 1)
[ -n "$run_id" ] || fail "no run"

# offered_by SHELL FILE: what it offers behind each line of FILE, one a line, an empty line after each.
offered_by_bash() {
	bash -c '
		. "$1"
		while IFS= read -r line; do
			eval "words=($line)"
			[[ $line == *" " ]] && words+=("")
			COMP_WORDS=()
			for word in "${words[@]}"; do	# as bash splits them
				if [[ $word == --*=* ]]; then COMP_WORDS+=("${word%%=*}" = "${word#*=}"); else COMP_WORDS+=("$word"); fi
			done
			COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$line
			_carrel
			printf "%s\n" "${COMPREPLY[@]}" | grep -v "^$"
			echo
		done <"$2"' bash "$scratch/carrel.bash" "$1"
}
offered_by_zsh() { zsh -f "$SOURCE_DIR/tests/support/complete.zsh" "$scratch/functions" <"$1"; }
offered_by_fish() {
	fish --no-config -c '
		source $argv[1]
		while read -l line
			complete -C $line | string replace -r "\t.*" "" | string replace -r "^--[a-z-]+=" ""
			echo
		end <$argv[2]' "$scratch/carrel.fish" "$1"
}

# expect LINE WORD...: each of the words is offered behind LINE; !WORD: it is not.
expected=()
expect() {
	printf '%s\n' "$1" >>lines
	expected+=("$(printf '%s\n' "${@:2}")")
}

# Every command and every option, as the help has them.
run 0 --help
mapfile -t commands < <(sed -nE 's/^  ([a-z][a-z-]*( [a-z][a-z-]*)?) .*/\1/p' "$out")
[ "${#commands[@]}" -gt 35 ] || fail "commands: ${commands[*]}"
expect 'carrel ' help "${commands[@]%% *}"
for command in "${commands[@]}"; do
	[ "$command" = "${command% *}" ] || { expect "carrel ${command% *} " "${command#* }"; expect "carrel help ${command% *} " "${command#* }"; }
	# shellcheck disable=SC2086
	run 0 $command --help
	mapfile -t options < <(grep -oE '^ +(-[a-zA-Z], |    )--[a-z-]+' "$out" | grep -oE -- '--[a-z-]+')
	expect "carrel $command --" "${options[@]}" --project-dir --json
done

# The names of the project, in the place for each.
here="carrel -C '$scratch/a demo'"
expect "$here sl read " orders customers '!warehouse' '!revenue'
expect "$here sl read ord" orders order_revenue '!customers'
expect "$here sl validate ord" orders
expect "$here wiki read " revenue my-page '!orders'
expect "$here wiki read rev" revenue '!my-page'
expect "$here memory show " "$run_id" '!orders'
expect "$here memory revert mem-" "$run_id"
expect "$here memory approve " "$run_id"
for command in 'connection test' 'connection remove' 'connection edit' 'connection grants' scan audit-sql; do
	expect "$here $command " warehouse '!orders' '!--deep'
done
for command in sql details values discover 'sl query' 'sl list' 'ingest text'; do
	expect "$here $command -c " warehouse '!orders'
	expect "$here $command --connection ware" warehouse
	expect "$here $command --connection=" warehouse
done
expect "carrel --project-dir='$scratch/a demo' --json scan " warehouse
expect "carrel -C '$scratch/nowhere' scan " '!warehouse'
expect "$here connection test --" '!--deep' '!--role'

# Files, by the shell.
expect 'carrel sql --file no' note.md '!a demo/'
expect 'carrel sql --file=no' note.md
expect 'carrel dataset import no' note.md

# Words there is a list of.
expect 'carrel --format ' table csv json jsonl '!note.md'
expect 'carrel status --format=' table json
expect 'carrel connection add x --driver ' sqlite postgres
expect 'carrel discover -k ' wiki sl_measure table
expect 'carrel setup-agents --target ' claude-code vscode zed universal
expect 'carrel setup-agents --scope ' global local project '!table'
expect 'carrel audit-sql --layer ' parser session account
expect 'carrel completion ' bash zsh fish
expect 'carrel sql --max-rows ' '!table' '!warehouse' '!--file'

for shell in bash zsh fish; do
	offered_by_$shell lines >offered 2>"$err" || fail "$shell ended with an error"
	[ "$(grep -c '^$' offered)" -eq "${#expected[@]}" ] || fail "$shell answered $(grep -c '^$' offered) of ${#expected[@]} lines"
	i=0 offers=""
	while IFS= read -r line; do
		[ -z "$line" ] || { offers+=$line$'\n'; continue; }
		while IFS= read -r word; do
			case $word in
			!*) ! grep -qxF -- "${word#!}" <<<"$offers" || fail "$shell offers ${word#!} behind: $(sed -n "$((i + 1))p" lines)" ;;
			*) grep -qxF -- "$word" <<<"$offers" || fail "$shell lacks $word behind: $(sed -n "$((i + 1))p" lines); it has: ${offers//$'\n'/ }" ;;
			esac
		done <<<"${expected[i]}"
		i=$((i + 1)) offers=""
	done <offered
done

# Quotes and backslashes as they stand on the line, and the pieces into which bash splits a word with a colon.
touch "mine:a b" && mkdir -p "$scratch/q" && ln -s "$scratch/a demo" "$scratch/q/it's"
bash -c '. "$1"
	reply() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _carrel; printf "%s\n" "${COMPREPLY[@]}"; }
	reply carrel -C "\"a demo\"" sl read customers
	reply carrel -C "a\\ demo" sl read customers
	reply carrel -C "'"'a demo'"'" sl read "\"customers"
	reply carrel -C "q/it\\'"'"'s" sl read customers
	reply carrel -C "\$(touch ran)" sl read customers
	reply carrel sql --file mine : a' bash "$scratch/carrel.bash" >pieces 2>"$err"
[ "$(cat pieces)" = "$(printf '%s\n' customers customers customers customers '' 'a b')" ] && is_quiet || fail "in pieces: $(cat pieces)"
[ ! -e ran ] || fail "a completion ran what stands on the line"

# A project that is not there, or broken, is no error message in the middle of a line.
run_as 0 completion line -- -C nowhere wiki read "" && is_quiet
[ ! -s "$out" ] || fail "names of no project"
run_as 2 completion bash zsh && complains "bash, zsh and fish"
run_as 2 completion tcsh && complains "bash, zsh and fish"
finish
