/* completion_zsh.c - see completion_zsh.h. */
#include <string.h>

#include "cli/completion/cmd_completion.h"
#include "cli/completion/completion_zsh.h"

static const char head[] =
    "#compdef carrel\n"
    "# zsh completion for carrel(1); `carrel completion zsh` writes it.\n"
    "\n"
    "_carrel_names() {\n"
    "\tlocal -a names\n"
    "\tnames=(${(f)\"$($_carrel_program $_carrel_project completion $1 2>/dev/null)\"})\n"
    "\tcompadd -a names\n"
    "}\n"
    "\n"
    "\n";

static const char body[] =
    "_carrel() {\n"
    "\tlocal -a _carrel_project _carrel_command choice\n"
    "\tlocal _carrel_program=${(Q)~words[1]} i at=1\n"
    "\tfor ((i = 2; i < CURRENT; i++)); do\n"
    "\t\tcase $words[i] in\n"
    "\t\t-C | --project-dir) ((i++)); _carrel_project=(-C ${(Q)~words[i]}) ;;\n"
    "\t\t--project-dir=*) _carrel_project=(-C ${(Q)~${words[i]#*=}}) ;;\n"
    "\t\t--format) ((i++)) ;;\n"
    "\t\t-*) ;;\n"
    "\t\thelp) if (($#_carrel_command == 1)); then _carrel_command+=help; fi ;;\n"
    "\t\t*)\n"
    "\t\t\tif ((at == 1 && $#_carrel_command < 2)); then\n"
    "\t\t\t\t_carrel_command+=$words[i]\n"
    "\t\t\t\t# What stands from here on is the command's own.\n"
    "\t\t\t\tif (($+functions[_carrel_at_${(j:_:)_carrel_command//-/_}])); then at=$i; fi\n"
    "\t\t\tfi ;;\n"
    "\t\tesac\n"
    "\tdone\n"
    "\tif ((at > 1)); then\n"
    "\t\twords=($words[1] \"${(@)words[at + 1,-1]}\")\n"
    "\t\t((CURRENT -= at - 1))\n"
    "\t\t_carrel_at_${(j:_:)_carrel_command//-/_}\n"
    "\t\treturn\n"
    "\tfi\n"
    "\tcase $_carrel_command[1] in\n";

/* Text within a specification. */
static void
put_help(struct buf *spec, const char *text)
{
	for (; *text != '\0'; text++) {
		if (strchr("[]:\\", *text) != NULL)
			buf_byte(spec, '\\');
		buf_byte(spec, (uint8_t)*text);
	}
}

/* The end of a specification: the value's name, and its completion. */
static void
put_action(struct buf *spec, const char *called)
{
	const struct value *v = value_of(called);

	buf_str(spec, ":value:");
	if (v == NULL)
		buf_str(spec, "( )");
	else if (v->words != NULL)
		buf_printf(spec, "(%s)", v->words);
	else if (value_is_path(v))
		buf_str(spec, strcmp(v->names, "files") == 0 ? "_files" : "_directories");
	else
		buf_printf(spec, "{_carrel_names %s}", v->names);
}

static void
put_spec(struct buf *out, struct buf *spec)
{
	buf_str(out, " \\\n\t\t");
	completion_quote(out, buf_cstr(spec));
	buf_fini(spec);
}

static void
put_options(struct buf *out, const struct option *list)
{
	for (const struct option *o = list; o != NULL && o->name != NULL; o++)
		for (int is_long = o->letter == 0; is_long <= 1; is_long++) {
			struct buf spec = { 0 };

			if (is_long)
				buf_printf(&spec, "*--%s%s[", o->name, o->value != NULL ? "=" : "");
			else
				buf_printf(&spec, "*-%c%s[", o->letter, o->value != NULL ? "+" : "");
			put_help(&spec, o->help);
			buf_byte(&spec, ']');
			if (o->value != NULL)
				put_action(&spec, o->value);
			put_spec(out, &spec);
		}
}

static void
put_command(struct buf *out, const struct command *c)
{
	buf_str(out, "_carrel_at_");
	for (const char *p = c->name; *p != '\0'; p++)
		buf_byte(out, (uint8_t)(*p == ' ' || *p == '-' ? '_' : *p));
	buf_str(out, "() {\n\t_carrel_options");
	put_options(out, c->options);
	if (c->max > 0) {
		struct buf spec = { 0 };

		buf_byte(&spec, '*');
		put_action(&spec, c->operands);
		put_spec(out, &spec);
	}
	buf_str(out, "\n}\n\n");
}

/* A word and what it does, for _describe. */
static void
put_choice(struct buf *out, const char *word, size_t n, const char *about)
{
	struct buf text = { 0 };

	buf_printf(&text, "%.*s", (int)n, word);
	if (about != NULL)
		buf_printf(&text, ":%s", about);
	put_spec(out, &text);
}

static void
put_group(struct buf *out, const struct command *first)
{
	size_t n;

	(void)command_second(first, &n);
	buf_printf(out, "\t%.*s) choice=(", (int)n, first->name);
	for (const struct command *c = first; c->name != NULL && command_is_beside(first, c); c++) {
		const char *second = command_second(c, &n);

		put_choice(out, second, strlen(second), c->summary);
	}
	buf_str(out, ") ;;\n");
}

void
completion_zsh(struct buf *out)
{
	size_t n;

	buf_str(out, head);
	buf_str(out, "_carrel_options() {\n\t_arguments -s");
	put_options(out, cli_global);
	buf_str(out, " \\\n\t\t\"$@\"\n}\n\n");
	for (const struct command *c = commands; c->name != NULL; c++)
		put_command(out, c);
	buf_str(out, body);
	for (const struct command *c = commands; c->name != NULL; c++)
		if (command_second(c, &n) != NULL && command_is_first(c))
			put_group(out, c);
	buf_str(out, "\t'') choice=(");
	put_choice(out, "help", 4, "say more about a command");
	for (const struct command *c = commands; c->name != NULL; c++)
		if (command_is_first(c)) {
			const char *second = command_second(c, &n);

			put_choice(out, c->name, n, second == NULL ? c->summary : NULL);
		}
	buf_str(out,
	    ") ;;\n\tesac\n"
	    "\t_carrel_options '*:command:{_describe command choice}'\n}\n\n"
	    "# Autoloaded, this file is the function's body; otherwise it defines it.\n"
	    "if [[ $funcstack[1] == _carrel ]]; then _carrel \"$@\"; else compdef _carrel carrel; fi\n");
}
