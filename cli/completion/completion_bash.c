/* completion_bash.c - see completion_bash.h. */
#include <string.h>

#include "cli/completion/cmd_completion.h"
#include "cli/completion/completion_bash.h"

static const char head[] =
    "# bash completion for carrel(1); `carrel completion bash` writes it.\n"
    "\n"
    "# Candidates that begin with what is typed, quoted as the shell wants them.\n"
    "_carrel_lines() {\n"
    "\tlocal line\n"
    "\twhile IFS= read -r line; do\n"
    "\t\tif [[ $line == \"$word\"* ]]; then COMPREPLY+=(\"$(printf %q \"$line\")\"); fi\n"
    "\tdone\n"
    "}\n"
    "_carrel_words() { _carrel_lines < <(printf '%s\\n' \"$@\"); }\n"
    "_carrel_names() { _carrel_lines < <(\"$program\" \"${project[@]}\" completion \"$1\" 2>/dev/null); }\n"
    "_carrel_files() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); "
    "}\n"
    "_carrel_directories() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "
    "\"$word\"); }\n"
    "\n"
    "_carrel() {\n"
    "\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} "
    "program=${COMP_WORDS[0]/#\\~/$HOME}\n"
    "\tlocal first='' second='' i project=()\n"
    "\tCOMPREPLY=()\n"
    "\t# --option=value is three words to bash.\n"
    "\tif [ \"$word\" = = ]; then\n"
    "\t\tword=''\n"
    "\telif [ \"$before\" = = ]; then\n"
    "\t\tbefore=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "\tfi\n"
    "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
    "\t\tcase ${COMP_WORDS[i]} in\n"
    "\t\t=) ;;\n"
    "\t\t-C | --project-dir)\n"
    "\t\t\tif [ \"${COMP_WORDS[i + 1]}\" = = ]; then i=$((i + 1)); fi\n"
    "\t\t\ti=$((i + 1)); project=(-C \"${COMP_WORDS[i]/#\\~/$HOME}\") ;;\n"
    "\t\t--format) i=$((i + 1)); if [ \"${COMP_WORDS[i]}\" = = ]; then i=$((i + 1)); fi ;;\n"
    "\t\t-*) ;;\n"
    "\t\thelp) if [ -n \"$first\" ] && [ -z \"$second\" ]; then second=help; fi ;;\n"
    "\t\t*) if [ -z \"$first\" ]; then first=${COMP_WORDS[i]}; elif [ -z \"$second\" ]; then "
    "second=${COMP_WORDS[i]}; fi ;;\n"
    "\t\tesac\n"
    "\tdone\n"
    "\n";

/* The completion of a value. */
static void
put_action(struct buf *out, const struct value *v)
{
	if (v == NULL)
		return;
	if (v->words != NULL)
		buf_printf(out, "_carrel_words %s; ", v->words);
	else if (value_is_path(v))
		buf_printf(out, "_carrel_%s; ", v->names);
	else
		buf_printf(out, "_carrel_names %s; ", v->names);
}

static void
put_options(struct buf *out, const struct option *list, const char *indent)
{
	buf_printf(out, "%scase $before in\n", indent);
	for (const struct option *o = list; o != NULL && o->name != NULL; o++) {
		if (o->value == NULL)
			continue;
		buf_str(out, indent);
		if (o->letter != 0)
			buf_printf(out, "-%c | ", o->letter);
		buf_printf(out, "--%s) ", o->name);
		put_action(out, value_of(o->value));
		buf_str(out, "return ;;\n");
	}
	buf_printf(out, "%sesac\n", indent);
}

static void
put_option_words(struct buf *out, const struct option *list)
{
	for (const struct option *o = list; o != NULL && o->name != NULL; o++)
		buf_printf(out, " --%s", o->name);
}

static void
put_command(struct buf *out, const struct command *c)
{
	size_t n;
	const char *second = command_second(c, &n);

	buf_printf(out, "\t'%.*s %s'%s)\n", (int)n, c->name, second != NULL ? second : "", second != NULL ? "" : "*");
	if (c->options != NULL)
		put_options(out, c->options, "\t\t");
	buf_str(out, "\t\tif [[ $word == -* ]]; then _carrel_words");
	put_option_words(out, c->options);
	put_option_words(out, cli_global);
	buf_str(out, "; return; fi\n");
	if (value_of(c->operands) != NULL) {
		buf_str(out, "\t\t");
		put_action(out, value_of(c->operands));
		buf_byte(out, '\n');
	}
	buf_str(out, "\t\t;;\n");
}

/* The completion after a first word that needs a second. */
static void
put_group(struct buf *out, const struct command *first)
{
	size_t n;

	(void)command_second(first, &n);
	buf_printf(out, "\t'%.*s ') _carrel_words", (int)n, first->name);
	for (const struct command *c = first; c->name != NULL && command_is_beside(first, c); c++)
		buf_printf(out, " %s", command_second(c, &n));
	buf_str(out, " ;;\n");
}

void
completion_bash(struct buf *out)
{
	size_t n;

	buf_str(out, head);
	put_options(out, cli_global, "\t");
	buf_str(out, "\tcase \"$first $second\" in\n");
	for (const struct command *c = commands; c->name != NULL; c++) {
		if (command_second(c, &n) != NULL && command_is_first(c))
			put_group(out, c);
		put_command(out, c);
	}
	buf_str(out, "\t' ')\n\t\tif [[ $word == -* ]]; then _carrel_words");
	put_option_words(out, cli_global);
	buf_str(out, "; return; fi\n\t\t_carrel_words help");
	for (const struct command *c = commands; c->name != NULL; c++)
		if (command_is_first(c)) {
			(void)command_second(c, &n);
			buf_printf(out, " %.*s", (int)n, c->name);
		}
	buf_str(out, "\n\t\t;;\n\tesac\n}\n\ncomplete -F _carrel carrel\n");
}
