#include <stddef.h>
#include <string.h>

#include "cli/completion/completion_scripts.h"

static const struct {
	const char *shell, *script;
} scripts[] = {
	{ "bash",
	    "# bash completion for carrel(1); `carrel completion bash` writes it.\n"
	    "_carrel_paths() {\n"
	    "\tcompopt -o filenames 2>/dev/null\n"
	    "\tmapfile -t COMPREPLY < <(compgen \"$1\" -- \"$value\")\n"
	    "\tCOMPREPLY=(\"${COMPREPLY[@]#\"$before\"}\")\n"
	    "}\n"
	    "# Sets bare to the word without its quotes, and quote to one that is open at its end; expands nothing.\n"
	    "_carrel_bare() {\n"
	    "\tlocal i c\n"
	    "\tbare='' quote=''\n"
	    "\tfor ((i = 0; i < ${#1}; i++)); do\n"
	    "\t\tc=${1:i:1}\n"
	    "\t\tif [[ $c == \\\\ && $quote != \\' ]]; then ((i += 1)); bare+=${1:i:1}\n"
	    "\t\telif [[ -n $quote && $c == \"$quote\" ]]; then quote=''\n"
	    "\t\telif [[ -z $quote && $c == [\\'\\\"] ]]; then quote=$c\n"
	    "\t\telse bare+=$c; fi\n"
	    "\tdone\n"
	    "}\n"
	    "_carrel() {\n"
	    "\tlocal program=${COMP_WORDS[0]/#\\~/$HOME} words=() bare quote value before line i\n"
	    "\t# --option=value and a:b are three words to bash.\n"
	    "\tfor ((i = 1; i <= COMP_CWORD; i++)); do\n"
	    "\t\t_carrel_bare \"${COMP_WORDS[i]}\"\n"
	    "\t\tif ((i > 1)) && [[ $bare == [=:] || ${COMP_WORDS[i - 1]} == [=:] ]]; then"
	    " words[-1]+=$bare; else words+=(\"$bare\"); fi\n"
	    "\tdone\n"
	    "\t[[ $bare == [=:] ]] && bare=''\n"
	    "\tvalue=${words[-1]#--*=} COMPREPLY=()\n"
	    "\tbefore=${value%\"$bare\"}\n"
	    "\twhile IFS= read -r line; do\n"
	    "\t\tcase $line in\n"
	    "\t\t:files) _carrel_paths -f ;;\n"
	    "\t\t:directories) _carrel_paths -d ;;\n"
	    "\t\t*)\n"
	    "\t\t\tline=${line%%$'\\t'*}\n"
	    "\t\t\tline=${line#\"$before\"}\n"
	    "\t\t\tif [[ -z $quote ]]; then printf -v line %q \"$line\"; fi\n"
	    "\t\t\tCOMPREPLY+=(\"$line\") ;;\n"
	    "\t\tesac\n"
	    "\tdone < <(\"$program\" completion line -- \"${words[@]}\" 2>/dev/null)\n"
	    "}\n"
	    "complete -F _carrel carrel\n" },
	{ "zsh",
	    "#compdef carrel\n"
	    "# zsh completion for carrel(1); `carrel completion zsh` writes it.\n"
	    "_carrel() {\n"
	    "\tlocal program=${(Q)words[1]}\n"
	    "\tlocal -a lines names shown\n"
	    "\tif [[ $program == '~/'* ]]; then program=$HOME/${program#??}; fi\n"
	    "\tlines=(\"${(@f)$($program completion line -- \"${(@Q)words[2,CURRENT]}\" 2>/dev/null)}\")\n"
	    "\tcompset -P '--*='\n"
	    "\tcase $lines[1] in\n"
	    "\t:files) _files ;;\n"
	    "\t:directories) _files -/ ;;\n"
	    "\t?*)\n"
	    "\t\tnames=(\"${(@)lines%%$'\\t'*}\") shown=(\"${(@)lines/$'\\t'/  -- }\")\n"
	    "\t\tcompadd -l -d shown -a -- names ;;\n"
	    "\tesac\n"
	    "}\n"
	    "# Autoloaded, this file is the function's body; otherwise it defines it.\n"
	    "if [[ $funcstack[1] == _carrel ]]; then _carrel \"$@\"; else compdef _carrel carrel; fi\n" },
	{ "fish",
	    "# fish completion for carrel(1); `carrel completion fish` writes it.\n"
	    "function __carrel_line\n"
	    "\tset -l words (commandline -opc) (commandline -ct)\n"
	    "\tset -l program (string replace -r '^~(?=/|$)' $HOME -- $words[1])\n"
	    "\tset -l option (string match -r '^--[a-z-]+=' -- $words[-1]); or set option ''\n"
	    "\tset -l word (string replace -- \"$option\" '' $words[-1])\n"
	    "\tfor line in ($program completion line -- $words[2..-1] 2>/dev/null)\n"
	    "\t\tswitch $line\n"
	    "\t\t\tcase :files\n"
	    "\t\t\t\tstring replace -r -- '^' \"$option\" (__fish_complete_path $word)\n"
	    "\t\t\tcase :directories\n"
	    "\t\t\t\tstring replace -r -- '^' \"$option\" (__fish_complete_directories $word)\n"
	    "\t\t\tcase '*'\n"
	    "\t\t\t\techo $option$line\n"
	    "\t\tend\n"
	    "\tend\n"
	    "end\n"
	    "complete -c carrel -f -a '(__carrel_line)'\n" },
};

const char *
completion_script(const char *shell)
{
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
		if (strcmp(scripts[i].shell, shell) == 0)
			return scripts[i].script;
	return NULL;
}
