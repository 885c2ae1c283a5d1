/* completion_fish.c - see completion_fish.h. */
#include <string.h>

#include "cli/completion/cmd_completion.h"
#include "cli/completion/completion_fish.h"

static const char head[] =
    "# fish completion for carrel(1); `carrel completion fish` writes it.\n"
    "\n"
    "# The first two words that are no options.\n"
    "function __carrel_command\n"
    "\tset -l found\n"
    "\tset -l skip 1\n"
    "\tfor token in (commandline -opc)\n"
    "\t\tif test $skip -gt 0\n"
    "\t\t\tset skip (math $skip - 1)\n"
    "\t\t\tcontinue\n"
    "\t\tend\n"
    "\t\tswitch $token\n"
    "\t\t\tcase -C --project-dir --format\n"
    "\t\t\t\tset skip 1\n"
    "\t\t\tcase '-*'\n"
    "\t\t\tcase help\n"
    "\t\t\t\tif test (count $found) -eq 1\n"
    "\t\t\t\t\tset -a found help\n"
    "\t\t\t\tend\n"
    "\t\t\tcase '*'\n"
    "\t\t\t\tset -a found $token\n"
    "\t\tend\n"
    "\tend\n"
    "\tstring join -- \\n $found[1..2]\n"
    "end\n"
    "function __carrel_is\n"
    "\tset -l found (__carrel_command)\n"
    "\ttest \"$found[1..\"(count $argv)\"]\" = \"$argv\"\n"
    "end\n"
    "function __carrel_is_exactly\n"
    "\tset -l found (__carrel_command)\n"
    "\ttest \"$found\" = \"$argv\"\n"
    "end\n"
    "function __carrel_names\n"
    "\tset -l tokens (commandline -opc)\n"
    "\tset -l project\n"
    "\tfor i in (seq 2 (count $tokens))\n"
    "\t\tif contains -- $tokens[$i] -C --project-dir\n"
    "\t\t\tset project -C (string replace -r '^~(?=/|$)' $HOME -- $tokens[(math $i + 1)])\n"
    "\t\telse if string match -q -- '--project-dir=*' $tokens[$i]\n"
    "\t\t\tset project -C (string replace -r '^--project-dir=' '' -- $tokens[$i])\n"
    "\t\tend\n"
    "\tend\n"
    "\tset -l program (string replace -r '^~(?=/|$)' $HOME -- $tokens[1])\n"
    "\t$program $project completion $argv[1] 2>/dev/null\n"
    "end\n"
    "\n"
    "complete -c carrel -f\n";

/* Quotes text with fish's single quotes. */
static void
put_quoted(struct buf *out, const char *text)
{
	buf_byte(out, '\'');
	for (; *text != '\0'; text++) {
		if (*text == '\'' || *text == '\\')
			buf_byte(out, '\\');
		buf_byte(out, (uint8_t)*text);
	}
	buf_byte(out, '\'');
}

static void
put_candidates(struct buf *out, const struct value *v)
{
	if (v == NULL)
		return;
	if (v->words != NULL)
		buf_printf(out, " -a '%s'", v->words);
	else if (strcmp(v->names, "files") == 0)
		buf_str(out, " -F");
	else if (value_is_path(v))
		buf_str(out, " -a '(__fish_complete_directories)'");
	else
		buf_printf(out, " -a '(__carrel_names %s)'", v->names);
}

/* command NULL: of every command. */
static void
put_options(struct buf *out, const char *command, const struct option *list)
{
	for (const struct option *o = list; o != NULL && o->name != NULL; o++) {
		buf_str(out, "complete -c carrel");
		if (command != NULL)
			buf_printf(out, " -n '__carrel_is %s'", command);
		buf_printf(out, " -l %s", o->name);
		if (o->letter != 0)
			buf_printf(out, " -s %c", o->letter);
		if (o->value != NULL) {
			const struct value *v = value_of(o->value);

			buf_str(out, value_is_path(v) ? " -r" : " -x");
			put_candidates(out, v);
		}
		buf_str(out, " -d ");
		put_quoted(out, o->help);
		buf_byte(out, '\n');
	}
}

static void
put_command(struct buf *out, const struct command *c)
{
	size_t n;
	const char *second = command_second(c, &n);
	const struct value *v = value_of(c->operands);

	if (command_is_first(c)) {
		buf_printf(out, "complete -c carrel -n '__carrel_is_exactly' -a %.*s", (int)n, c->name);
		if (second == NULL) {
			buf_str(out, " -d ");
			put_quoted(out, c->summary);
		}
		buf_byte(out, '\n');
	}
	if (second != NULL) {
		buf_printf(out, "complete -c carrel -n '__carrel_is_exactly %.*s' -a %s -d ", (int)n, c->name, second);
		put_quoted(out, c->summary);
		buf_byte(out, '\n');
	}
	if (v != NULL) {
		buf_printf(out, "complete -c carrel -n '__carrel_is %s'", c->name);
		put_candidates(out, v);
		buf_byte(out, '\n');
	}
	put_options(out, c->name, c->options);
}

void
completion_fish(struct buf *out)
{
	buf_str(out, head);
	put_options(out, NULL, cli_global);
	buf_str(out, "complete -c carrel -n '__carrel_is_exactly' -a help -d 'say more about a command'\n");
	for (const struct command *c = commands; c->name != NULL; c++)
		put_command(out, c);
}
