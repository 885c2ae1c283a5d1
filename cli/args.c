#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/args.h"
#include "cli/say.h"
#include "cli/show/table_text.h"
#include "semantic/problem.h"

const struct option cli_global[] = {
	{ "project-dir", 'C', "DIR", "the project; default: CARREL_PROJECT_DIR, else the nearest directory upwards with carrel.yaml" },
	{ "format",      0,   "FORMAT", "table (also in a pipe: plain and whole), csv, json or jsonl" },
	{ "json",        0,   NULL,  "print JSON, one object" },
	{ "help",        'h', NULL,  "show this" },
	{ "version",     'V', NULL,  "show the version" },
	OPTION_END
};

static const struct option *
find_option(const struct option *list, struct span name)
{
	for (; list != NULL && list->name != NULL; list++)
		if (span_is_str(name, list->name))
			return list;
	return NULL;
}

static const struct option *
find_letter(const struct option *list, char letter)
{
	for (; list != NULL && list->name != NULL; list++)
		if (list->letter == letter)
			return list;
	return NULL;
}

bool
args_first_word_is(const char *name, const char *word, const char **rest)
{
	size_t n = strlen(word);

	if (strncmp(name, word, n) != 0 || (name[n] != '\0' && name[n] != ' '))
		return false;
	*rest = name[n] == ' ' ? name + n + 1 : NULL;
	return true;
}

static bool
is_group(const char *word)
{
	const char *rest;

	for (const struct command *c = commands; c->name != NULL; c++)
		if (args_first_word_is(c->name, word, &rest) && rest != NULL)
			return true;
	return false;
}

const struct command *
args_command(const char *first, const char *second)
{
	const char *rest;

	for (const struct command *c = commands; c->name != NULL; c++)
		if (args_first_word_is(c->name, first, &rest) &&
		    (rest == NULL || (second != NULL && strcmp(rest, second) == 0)))
			return c;
	return NULL;
}

/* The command that a group's word alone stands for; it changes nothing.  NULL: a second word is needed. */
static const struct command *
find_alone(const char *group)
{
	static const char *const showing[] = { "connection list", "mcp status", "wiki list", "sl list", "memory log" };
	const char *rest;

	for (size_t i = 0; i < sizeof(showing) / sizeof(showing[0]); i++)
		if (args_first_word_is(showing[i], group, &rest))
			return args_command(group, rest);
	return NULL;
}

/* without: options of the command, which those of every command of the same name do not show as well. */
static void
print_options(const struct option *list, const struct option *without, struct buf *out)
{
	for (; list != NULL && list->name != NULL; list++) {
		char left[64];

		if (find_option(without, span_str(list->name)) != NULL)
			continue;
		snprintf(left, sizeof(left), "%s%c%s--%s%s%s", list->letter ? "-" : " ",
		    list->letter ? list->letter : ' ', list->letter ? ", " : "  ", list->name,
		    list->value != NULL ? " " : "", list->value != NULL ? list->value : "");
		buf_printf(out, "  %-28s %s\n", left, list->help);
	}
}

/* Whether name is that of the command, or of its group. */
static bool
is_named(const struct command *c, const char *name)
{
	const char *rest;

	return strcmp(c->name, name) == 0 || (args_first_word_is(c->name, name, &rest) && rest != NULL);
}

const struct command_section *
command_section_of(const struct command *c)
{
	for (const struct command_section *s = command_sections; s->title != NULL; s++)
		for (const char *name = s->names; *name != '\0'; name += strlen(name) + 1)
			if (is_named(c, name))
				return s;
	return NULL;
}

/* Those commands of a section that the name, of a command or a group, means. */
static void
print_commands(const struct command_section *section, const char *name, struct buf *out)
{
	for (const struct command *c = commands; c->name != NULL; c++) {
		char left[96];

		if (!is_named(c, name) || (section != NULL && command_section_of(c) != section))
			continue;
		snprintf(left, sizeof(left), "%s %s", c->name, c->operands);
		/* An ellipsis has more bytes than columns. */
		buf_printf(out, "  %s%*s %s\n", left, (int)(32 - table_width(span_str(left))), "", c->summary);
	}
}

static void
print_sections(struct buf *out)
{
	for (const struct command_section *s = command_sections; s->title != NULL; s++) {
		buf_printf(out, "%s:\n", s->title);
		for (const char *name = s->names; *name != '\0'; name += strlen(name) + 1)
			print_commands(s, name, out);
		buf_byte(out, '\n');
	}
}

static int
help(const struct command *command, const char *group)
{
	struct buf out = { 0 };
	int code;

	if (command != NULL) {
		buf_printf(&out, "Usage: carrel %s%s%s%s\n\n%s.\n", command->name,
		    command->options != NULL ? " [OPTION]…" : "", *command->operands ? " " : "", command->operands,
		    command->summary);
		if (command->help != NULL)
			buf_printf(&out, "\n%s\n", command->help);
		if (command->options != NULL) {
			buf_str(&out, "\nOptions:\n");
			print_options(command->options, NULL, &out);
		}
	} else if (group != NULL) {
		buf_printf(&out, "Usage: carrel %s COMMAND [OPTION]… [ARGUMENT]…\n\nCommands:\n", group);
		print_commands(NULL, group, &out);
	} else {
		buf_str(&out,
		    "Usage: carrel COMMAND [OPTION]… [ARGUMENT]…\n\n"
		    "Read-only research access to SQL databases for AI agents.\n\n");
		print_sections(&out);
		buf_str(&out, "`carrel help COMMAND` or `carrel COMMAND --help` says more about one.\n");
	}
	buf_str(&out, "\nOptions of every command:\n");
	print_options(cli_global, command != NULL ? command->options : NULL, &out);
	if (command == NULL && group == NULL)
		buf_str(&out,
		    "\nExit status: 0 ok, 1 failed, 2 wrong usage, 3 the daemon is not running; those of "
		    "questions: `carrel ask --help`.\n");
	code = cli_write(buf_view(&out));
	buf_fini(&out);
	return code;
}

struct args_words {
	int	  argc, at;
	char	**argv;
};

static const char *
next_word(struct args_words *w)
{
	return w->at < w->argc ? w->argv[w->at++] : NULL;
}

static bool
add_option(struct cli *cli, const struct option *option, const char *value)
{
	if (cli->noptions == CLI_OPTIONS_MAX) {
		cli_fail(CLI_USAGE, "too many options in one call; %d are allowed", CLI_OPTIONS_MAX);
		return false;
	}
	cli->options[cli->noptions].option = option;
	cli->options[cli->noptions++].value = value;
	return true;
}

static const char *
help_hint(const struct cli *cli)
{
	if (cli->command == NULL)
		return "carrel --help";
	return arena_printf(cli->arena, "carrel %s --help", cli->command->name);
}

/* " (did you mean …?)", or "". */
static const char *
meant(const struct cli *cli, const struct sem_problem *p, const char *before)
{
	return p->ncandidates == 0 ? "" : arena_printf(cli->arena, " (did you mean `%s%s`?)", before, p->candidates[0]);
}

static const char *
meant_option(const struct cli *cli, const char *word)
{
	const struct option *lists[] = { cli->command == NULL ? NULL : cli->command->options, cli_global };
	struct sem_problem p = { 0 };
	size_t n = strcspn(word, "=");

	if (word[1] != '-' || n < 3)
		return "";
	for (size_t k = 0; k < 2; k++)
		for (const struct option *o = lists[k]; o != NULL && o->name != NULL; o++)
			sem_candidate(&p, span_of(word + 2, n - 2), span_str(o->name));
	return meant(cli, &p, "--");
}

/* "create, list or revoke": the words that may stand behind the group's. */
static const char *
words_of_group(const struct cli *cli, const char *group)
{
	const char *text = "", *last = NULL, *rest;

	for (const struct command *c = commands; c->name != NULL; c++) {
		if (!args_first_word_is(c->name, group, &rest) || rest == NULL)
			continue;
		if (last != NULL)
			text = arena_printf(cli->arena, "%s%s%s", text, *text == '\0' ? "" : ", ", last);
		last = rest;
	}
	return *text == '\0' ? last : arena_printf(cli->arena, "%s or %s", text, last);
}

/* second: NULL if only one word was given. */
static const char *
meant_command(const struct cli *cli, const char *word, const char *second)
{
	const char *typed = second == NULL ? word : arena_printf(cli->arena, "%s %s", word, second), *rest;
	struct sem_problem p = { 0 };

	for (const struct command *c = commands; c->name != NULL; c++) {
		struct span first = span_of(c->name, strcspn(c->name, " "));

		/* If the group exists, only its own commands are suggested. */
		if (second != NULL && is_group(word) && !args_first_word_is(c->name, word, &rest))
			continue;
		sem_candidate(&p, span_str(typed), span_str(c->name));
		if (second == NULL)
			sem_candidate(&p, span_str(typed), first);
	}
	return meant(cli, &p, "carrel ");
}

const struct option *
args_option(const struct option *list, const char *word)
{
	return word[1] == '-' ? find_option(list, span_of(word + 2, strcspn(word + 2, "="))) :
				find_letter(list, word[1]);
}

/* --name value or --name=value, of a command that does not know the names. */
static bool
take_any(struct cli *cli, const struct option *option, const char *name, struct args_words *w)
{
	const char *value = strchr(name, '=') != NULL ? "" : next_word(w);

	if (value != NULL)
		return add_option(cli, option, *value == '\0' ? name : arena_printf(cli->arena, "%s=%s", name, value));
	cli_fail(CLI_USAGE, "--%s needs a value: --%s VALUE", name, name);
	return false;
}

/* word starts with a dash and is not just one. */
static bool
take_option(struct cli *cli, const char *word, struct args_words *w)
{
	const struct option *own = cli->command == NULL ? NULL : cli->command->options;
	const struct option *option = args_option(own, word);
	const char *value = word[1] == '-' ? strchr(word, '=') : word + 2;

	if (option == NULL)
		option = args_option(cli_global, word);
	if (option == NULL && word[1] == '-' && (option = find_option(own, SPAN(ARGS_ANY))) != NULL)
		return take_any(cli, option, word + 2, w);
	if (word[1] == '-')
		value = value == NULL ? NULL : value + 1;
	else if (*value == '\0')
		value = NULL;
	if (option == NULL) {
		cli_fail(CLI_USAGE, "there is no option %s here%s; see `%s`", word, meant_option(cli, word),
		    help_hint(cli));
		return false;
	}
	if (option->value == NULL && value != NULL) {
		cli_fail(CLI_USAGE, "--%s takes no value; see `%s`", option->name, help_hint(cli));
		return false;
	}
	if (option->value != NULL && value == NULL && (value = next_word(w)) == NULL) {
		cli_fail(CLI_USAGE, "--%s needs a value: --%s %s", option->name, option->name, option->value);
		return false;
	}
	/* An empty list of scopes is a wish that is refused, not a slip. */
	if (option->value != NULL && *value == '\0' && option != &cli_global[0] &&
	    strcmp(option->value, "SCOPES") != 0) {
		cli_fail(CLI_USAGE, "--%s must not be empty; give a %s or leave the option out", option->name,
		    option->value);
		return false;
	}
	return add_option(cli, option, value);
}

/*
 * The options between a group's word and the command's word.  An option that not
 * every command has selects the command that the group's word alone stands for:
 * carrel sl -c warehouse.
 */
static bool
take_group_options(struct cli *cli, const char *group, struct args_words *w)
{
	const struct command *alone = find_alone(group);

	while (w->at < w->argc && w->argv[w->at][0] == '-' && w->argv[w->at][1] != '\0') {
		const char *word = w->argv[w->at];

		if (strcmp(word, "--") != 0 && args_option(cli_global, word) == NULL) {
			if (alone != NULL && args_option(alone->options, word) != NULL) {
				cli->command = alone;
				return true;
			}
			cli_fail(CLI_USAGE,
			    "`carrel %s` has no option %s; name the command first, as `carrel %s --help` lists them",
			    group, word, group);
			return false;
		}
		w->at++;
		if (!take_option(cli, word, w))
			return false;
	}
	return true;
}

/* The command's words may stand behind global options: carrel --json status. */
static bool
take_command(struct cli *cli, const char *word, struct args_words *w, const char **group)
{
	const char *second = NULL;

	if (is_group(word)) {
		*group = word;
		if (!take_group_options(cli, word, w))
			return false;
		if (cli->command != NULL)
			return true;
		second = next_word(w);
		if (second == NULL)
			return true;
		if (strcmp(second, "help") == 0)
			return cli->help = true;
	}
	cli->command = args_command(word, second);
	if (cli->command != NULL)
		return true;
	if (second != NULL)
		cli_fail(CLI_USAGE, "there is no command \"%s %s\"%s; see `carrel %s --help`", word, second,
		    meant_command(cli, word, second), word);
	else
		cli_fail(CLI_USAGE, "there is no command \"%s\"%s; see `carrel --help`", word,
		    meant_command(cli, word, NULL));
	return false;
}

static bool
read_words(struct cli *cli, struct args_words *w, const char **group)
{
	bool options = true;
	const char *word;

	while ((word = next_word(w)) != NULL) {
		if (options && strcmp(word, "--") == 0)
			options = false;
		else if (options && word[0] == '-' && word[1] != '\0') {
			if (!take_option(cli, word, w))
				return false;
		} else if (cli->command == NULL && *group == NULL && !cli->help && strcmp(word, "help") == 0) {
			cli->help = true;
		} else if (cli->command == NULL) {
			if (!take_command(cli, word, w, group))
				return false;
		} else
			cli->operands[cli->noperands++] = word;
	}
	return true;
}

/* The format of errors in the command line itself, before it has been read. */
static bool
asks_for_json(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--json") == 0 || strncmp(argv[i], "--format=json", 13) == 0 ||
		    (strcmp(argv[i], "--format") == 0 && i + 1 < argc && strncmp(argv[i + 1], "json", 4) == 0))
			return true;
	return false;
}

static bool
choose_format(struct cli *cli)
{
	static const char *const names[] = { [FORMAT_TABLE] = "table", [FORMAT_CSV] = "csv", [FORMAT_JSON] = "json",
		[FORMAT_JSONL] = "jsonl" };
	const char *asked = cli_option(cli, "format"), *rows = cli->command == NULL ? NULL : cli->command->rows;

	/* Scripts may still say `dataset import --format tsv` for --input-format; its own output is no such thing. */
	if (asked != NULL && cli->command != NULL && strcmp(asked, "table") != 0 && strcmp(asked, "json") != 0 &&
	    find_option(cli->command->options, SPAN("input-format")) != NULL)
		asked = NULL;
	cli->format = cli_flag(cli, "json") ? FORMAT_JSON : FORMAT_TABLE;
	for (unsigned i = 0; asked != NULL; i++) {
		if (i > FORMAT_JSONL) {
			cli_fail(CLI_USAGE, "--format is table, csv, json or jsonl, not \"%s\"", asked);
			return false;
		}
		if (strcmp(asked, names[i]) == 0) {
			cli->format = (enum cli_format)i;
			break;
		}
	}
	if (cli->command != NULL && rows == NULL && (cli->format == FORMAT_CSV || cli->format == FORMAT_JSONL)) {
		cli_fail(CLI_USAGE, "`carrel %s` prints no single table, so its --format is table or json",
		    cli->command->name);
		return false;
	}
	cli->json = cli->format == FORMAT_JSON || cli->format == FORMAT_JSONL;
	cli_speak(cli->format, rows);
	return true;
}

const struct command *
cli_parse(struct cli *cli, int argc, char **argv, int *code)
{
	struct args_words w = { argc, 1, argv };
	const struct command *command;
	const char *group = NULL;

	*code = CLI_USAGE;
	cli_speak(asks_for_json(argc, argv) ? FORMAT_JSON : FORMAT_TABLE, NULL);
	cli->operands = arena_array(cli->arena, (size_t)argc + 1, sizeof(*cli->operands));
	if (!read_words(cli, &w, &group))
		return NULL;
	if (cli->command == NULL && group != NULL && !cli->help && !cli_flag(cli, "help"))
		cli->command = find_alone(group);
	if (!choose_format(cli))
		return NULL;
	command = cli->command;
	cli->project_option = cli_option(cli, "project-dir");
	if (cli->help || cli_flag(cli, "help")) {
		*code = help(command, group);
		return NULL;
	}
	if (cli_flag(cli, "version")) {
		*code = cli_print("carrel %s\n", CARREL_VERSION);
		return NULL;
	}
	if (command == NULL) {
		if (group != NULL)
			cli_fail(CLI_USAGE, "say which: `carrel %s` is followed by %s; see `carrel %s --help`", group,
			    words_of_group(cli, group), group);
		else
			cli_fail(CLI_USAGE,
			    "say what to do, `carrel --help` lists the commands; "
			    "`carrel init --demo` is a good start");
		return NULL;
	}
	if (cli->noperands > command->max && command->max == CLI_WORDS_MAX) {
		cli_fail(CLI_USAGE, "too many arguments; %d are allowed", CLI_WORDS_MAX);
		return NULL;
	}
	if (cli->noperands < command->min || cli->noperands > command->max) {
		if (command->max == 0)
			cli_fail(CLI_USAGE, "`carrel %s` takes no argument, so not \"%s\"; see `%s`", command->name,
			    cli->operands[0], help_hint(cli));
		else
			cli_fail(CLI_USAGE, "usage is `carrel %s %s`; see `%s`", command->name, command->operands,
			    help_hint(cli));
		return NULL;
	}
	return command;
}

bool
cli_flag(const struct cli *cli, const char *option)
{
	for (size_t i = 0; i < cli->noptions; i++)
		if (strcmp(cli->options[i].option->name, option) == 0)
			return true;
	return false;
}

const char *
cli_option(const struct cli *cli, const char *option)
{
	for (size_t i = cli->noptions; i-- > 0;)
		if (strcmp(cli->options[i].option->name, option) == 0)
			return cli->options[i].value;
	return NULL;
}

const char **
cli_options(const struct cli *cli, const char *option, size_t *n)
{
	const char **list = arena_array(cli->arena, cli->noptions + 1, sizeof(*list));

	if (list == NULL)
		abort();
	*n = 0;
	for (size_t i = 0; i < cli->noptions; i++)
		if (strcmp(cli->options[i].option->name, option) == 0)
			list[(*n)++] = cli->options[i].value;
	return list;
}

bool
cli_number(const struct cli *cli, const char *option, uint64_t low, uint64_t high, uint64_t *out)
{
	const char *text = cli_option(cli, option);
	unsigned long long value;
	char *end;

	if (text == NULL)
		return true;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || value < low || value > high) {
		cli_fail(CLI_USAGE, "--%s must be a number from %llu to %llu, not \"%s\"", option,
		    (unsigned long long)low, (unsigned long long)high, text);
		return false;
	}
	*out = value;
	return true;
}

const char *
cli_operand(const struct cli *cli, size_t i)
{
	return i < cli->noperands ? cli->operands[i] : NULL;
}
