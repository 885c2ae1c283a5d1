#!/bin/zsh -f
# complete.zsh DIRECTORY - what zsh offers behind each line of standard input
# with the functions in DIRECTORY: the candidates one a line, then an empty line.
zmodload zsh/zpty || exit 1
exec 3>&1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf $scratch' EXIT
cat >$scratch/rc <<'RC'
PROMPT= RPROMPT= COLUMNS=1000
unset zle_bracketed_paste
autoload -Uz compinit && compinit -u -D
bindkey -e
bindkey '^I' complete-word
zstyle ':completion:*' insert-tab false
zstyle ':completion:*' completer _complete
say_begin() { print -r -- '<<<' }
say_end() { print -r -- '>>>'; again }
again() { compprefuncs=(say_begin) comppostfuncs=(say_end) }	# each is for one completion
again
# What is added is printed, in place of being shown.
compadd() {
	if [[ "${@[1,(i)(-|--)]}" == *-(O|A|D)\ * ]]; then
		builtin compadd "$@"
		return
	fi
	local -a hits
	builtin compadd -A hits "$@"
	local hit
	for hit in $hits; do print -r -- "=$hit"; done
	builtin compadd "$@"
}
print -r -- READY
RC
zpty shell zsh -f -i
zpty -w shell "fpath=($1 \$fpath); source $scratch/rc"
zpty -r shell answer $'*READY\r\n*' || exit 1
while IFS= read -r line; do
	zpty -w -n shell "$line"$'\t'
	zpty -r shell answer $'*>>>\r\n*' || exit 1
	answer=${${answer//$'\r'/}##*<<<$'\n'}
	for each in ${(f)answer}; do
		if [[ $each == '='* ]]; then print -r -u3 -- "${each#'='}"; fi
	done
	print -u3
	zpty -w -n shell $'\x15'
done
zpty -d shell
