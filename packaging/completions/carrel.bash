# bash completion for carrel(1)

# The connections of the project the command line speaks of.
_carrel_connections() {
	"${COMP_WORDS[0]}" "${project[@]}" connection list --json 2>/dev/null |
		grep -o '"id":"[^"]*"' | cut -d'"' -f4
}

_carrel() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local command='' sub='' i project=()
	COMPREPLY=()

	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		-C | --project-dir) project=(-C "${COMP_WORDS[++i]}") ;;
		-*) ;;
		*) if [ -z "$command" ]; then command=${COMP_WORDS[i]}; elif [ -z "$sub" ]; then sub=${COMP_WORDS[i]}; fi ;;
		esac
	done

	case $before in
	-C | --project-dir) mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
	-c | --connection) mapfile -t COMPREPLY < <(compgen -W "$(_carrel_connections)" -- "$word"); return ;;
	--path | --token-file | --file) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
	--format) mapfile -t COMPREPLY < <(compgen -W "table csv json jsonl" -- "$word"); return ;;
	-d | --driver) mapfile -t COMPREPLY < <(compgen -W "sqlite postgres" -- "$word"); return ;;
	-t | --target) mapfile -t COMPREPLY < <(compgen -W "claude-code cursor claude-desktop codex opencode vscode gemini zed universal" -- "$word"); return ;;
	-s | --scope) mapfile -t COMPREPLY < <(compgen -W "global local project" -- "$word"); return ;;
	-k | --kind) mapfile -t COMPREPLY < <(compgen -W "wiki sl_source sl_measure sl_dimension table column" -- "$word"); return ;;
	esac

	local global="--project-dir --format --json --help --version" words=
	case "$command $sub" in
	" ") words="help init connection scan status mcp discover details values sql wiki sl ingest memory setup-agents audit-sql sandbox completion doctor" ;;
	"init "*) words="--demo --url --path --name --schema" ;;
	"connection ") words="add edit list test grants remove" ;;
	"connection add" | "connection edit") words="--driver --path --url --host --port --database --user --password --password-stdin --schema --schemas --all-schemas --workers $(_carrel_connections)" ;;
	"completion ") words="zsh fish" ;;
	"connection test" | "connection remove") words="$(_carrel_connections)" ;;
	"scan ") words="--deep --schemas --all-schemas $(_carrel_connections)" ;;
	"connection grants") words="--role $(_carrel_connections)" ;;
	"status "*) words="--clear-quarantine" ;;
	"mcp ") words="start stop reload restart status logs stdio" ;;
	"mcp start" | "mcp restart") words="--port --host --token --token-file --allowed-host --allowed-origin --foreground" ;;
	"mcp logs") words="--follow --lines" ;;
	"mcp stdio") words="--url --path --name --schema --token --token-file" ;;
	"discover "*) words="--connection --kind --limit --explain" ;;
	"details "*) words="--connection --column" ;;
	"values "*) words="--connection --limit" ;;
	"sql "*) words="--file --connection --max-rows" ;;
	"wiki ") words="search read" ;;
	"wiki search") words="--limit" ;;
	"sl ") words="search list read query validate" ;;
	"sl query"*) words="--connection --measure --dimension --filter --segment --order-by --limit --include-empty --no-empty --query-file --sql" ;;
	"sl search"*) words="--connection --limit" ;;
	"sl validate"*) words="--connection --live" ;;
	"sl "*) words="--connection" ;;
	"ingest ") words="text" ;;
	"ingest text") words="--connection" ;;
	"memory ") words="log show approve revert" ;;
	"memory log") words="--limit" ;;
	"setup-agents "*) words="--target --scope --name --dir --stdio --remove --print" ;;
	"audit-sql "*) words="--layer $(_carrel_connections)" ;;
	"sandbox verify") words="--verbose" ;;
	"sandbox ") words="verify" ;;
	"doctor "*) words="--config-reference --config-schema" ;;
	esac
	case $word in
	-*) mapfile -t COMPREPLY < <(compgen -W "$words $global" -- "$word") ;;
	*) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word") ;;
	esac
}

complete -F _carrel carrel
