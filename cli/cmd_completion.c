/* cmd_completion.c - carrel completion: zsh's and fish's completions, out of the table of commands. */
#include <string.h>

#include "cli/cmd.h"

/* In single quotes, for both shells; and for zsh without what ends a description there. */
static void
put_quoted(struct buf *out, const char *text, bool zsh)
{
	for (; *text != '\0'; text++)
		if (*text == '\'')
			buf_str(out, zsh ? "'\\''" : "\\'");
		else if (zsh && strchr("[]:\\", *text) != NULL)
			buf_printf(out, "\\%c", *text);
		else
			buf_byte(out, (uint8_t)*text);
}

static const char *
second_word(const struct command *c, size_t *first)
{
	const char *space = strchr(c->name, ' ');

	*first = space != NULL ? (size_t)(space - c->name) : strlen(c->name);
	return space != NULL ? space + 1 : NULL;
}

/* True when no row before c begins with the same word. */
static bool
is_first_of_group(const struct command *c)
{
	size_t n, m;

	(void)second_word(c, &n);
	for (const struct command *before = commands; before < c; before++) {
		(void)second_word(before, &m);
		if (m == n && memcmp(before->name, c->name, n) == 0)
			return false;
	}
	return true;
}

static void
put_zsh(struct buf *out)
{
	buf_str(out, "#compdef carrel\n# zsh completion for carrel(1); `carrel completion zsh` writes it.\n_carrel() {\n"
	    "\tlocal -a words_before\n\twords_before=(${words[2,CURRENT-1]:#-*})\n\tcase \"${words_before[1]} ${words_before[2]}\" in\n");
	for (const struct command *c = commands; c->name != NULL; c++) {
		size_t n;
		const char *sub = second_word(c, &n);

		buf_printf(out, "\t'%.*s %s'%s)\n\t\t_arguments -s", (int)n, c->name, sub != NULL ? sub : "", sub != NULL ? "" : "*");
		for (const struct option *o = c->options; o != NULL && o->name != NULL; o++) {
			buf_printf(out, " \\\n\t\t\t'*--%s[", o->name);
			put_quoted(out, o->help, true);
			buf_str(out, o->value != NULL ? "]:value:_files'" : "]'");
		}
		buf_str(out, " \\\n\t\t\t'*:operand:_files' ;;\n");
	}
	for (const struct command *c = commands; c->name != NULL; c++) {
		size_t n, m;

		if (second_word(c, &n) == NULL || !is_first_of_group(c))
			continue;
		buf_printf(out, "\t'%.*s '*) compadd --", (int)n, c->name);
		for (const struct command *each = commands; each->name != NULL; each++) {
			const char *sub = second_word(each, &m);

			if (sub != NULL && m == n && memcmp(each->name, c->name, n) == 0)
				buf_printf(out, " %s", sub);
		}
		buf_str(out, " ;;\n");
	}
	buf_str(out, "\t*) compadd -- help");
	for (const struct command *c = commands; c->name != NULL; c++) {
		size_t n;

		(void)second_word(c, &n);
		if (is_first_of_group(c))
			buf_printf(out, " %.*s", (int)n, c->name);
	}
	buf_str(out, " ;;\n\tesac\n}\n_carrel \"$@\"\n");
}

static void
put_fish(struct buf *out)
{
	buf_str(out, "# fish completion for carrel(1); `carrel completion fish` writes it.\ncomplete -c carrel -f\n");
	for (const struct command *c = commands; c->name != NULL; c++) {
		size_t n;
		const char *sub = second_word(c, &n);

		if (is_first_of_group(c)) {
			buf_printf(out, "complete -c carrel -n __fish_use_subcommand -a %.*s -d '", (int)n, c->name);
			put_quoted(out, sub != NULL ? "" : c->summary, false);
			buf_str(out, "'\n");
		}
		if (sub != NULL) {
			buf_printf(out, "complete -c carrel -n '__fish_seen_subcommand_from %.*s' -a %s -d '", (int)n, c->name, sub);
			put_quoted(out, c->summary, false);
			buf_str(out, "'\n");
		}
		for (const struct option *o = c->options; o != NULL && o->name != NULL; o++) {
			buf_printf(out, "complete -c carrel -n '__fish_seen_subcommand_from %.*s", (int)n, c->name);
			if (sub != NULL)
				buf_printf(out, "; and __fish_seen_subcommand_from %s", sub);
			buf_printf(out, "' -l %s", o->name);
			if (o->letter != 0)
				buf_printf(out, " -s %c", o->letter);
			buf_str(out, o->value != NULL ? " -r -F -d '" : " -d '");
			put_quoted(out, o->help, false);
			buf_str(out, "'\n");
		}
	}
}

int
cmd_completion(struct cli *cli)
{
	const char *shell = cli_operand(cli, 0);
	struct buf out = { 0 };
	int code;

	if (strcmp(shell, "zsh") == 0)
		put_zsh(&out);
	else if (strcmp(shell, "fish") == 0)
		put_fish(&out);
	else
		return cli_fail(CLI_USAGE, "completions are written for zsh and fish; bash's is installed with carrel");
	code = cli_write(buf_view(&out));
	buf_fini(&out);
	return code;
}
