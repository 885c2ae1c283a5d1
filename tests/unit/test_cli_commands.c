// libs: carrel_cli
/* test_cli_commands - reading the command line and completing it; and that the manual knows every command. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/args.h"
#include "cli/completion/completion_line.h"

#define WORDS_MAX	6000

static int code;
static struct cli cli;

static const struct command *
parse(const char *const *words)
{
	static char *argv[WORDS_MAX];
	int argc = 0;

	argv[argc++] = (char *)(uintptr_t) "carrel";
	for (; *words != NULL; words++)
		argv[argc++] = (char *)(uintptr_t)*words;
	argv[argc] = NULL;
	cli = (struct cli){ .arena = arena_new(1 << 20) };
	code = -1;
	return cli_parse(&cli, argc, argv, &code);
}

#define PARSE(...)	parse((const char *const[]){ __VA_ARGS__, NULL })

static void
names(const struct command *command, const char *name)
{
	assert_non_null(command);
	assert_string_equal(command->name, name);
}

static void
usage_error(const struct command *command)
{
	assert_null(command);
	assert_int_equal(code, CLI_USAGE);
	arena_free(cli.arena);
}

static void
finds_commands(void **state)
{
	(void)state;
	names(PARSE("scan"), "scan");
	arena_free(cli.arena);
	names(PARSE("mcp", "start", "--port", "0"), "mcp start");
	assert_string_equal(cli_option(&cli, "port"), "0");
	arena_free(cli.arena);
	names(PARSE("-C", "/tmp", "--json", "connection", "add", "shop", "--path=x.db"), "connection add");
	assert_string_equal(cli.project_option, "/tmp");
	assert_true(cli.json);
	assert_string_equal(cli_option(&cli, "path"), "x.db");
	assert_string_equal(cli_operand(&cli, 0), "shop");
	arena_free(cli.arena);
}

/* A group's word alone shows what there is; it never changes anything. */
static void
a_group_alone_shows(void **state)
{
	static const char *const groups[][2] = { { "connection", "connection list" }, { "mcp", "mcp status" },
		{ "wiki", "wiki list" }, { "sl", "sl list" }, { "memory", "memory log" } };

	(void)state;
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		names(PARSE(groups[i][0]), groups[i][1]);
		arena_free(cli.arena);
		names(PARSE("--json", groups[i][0], "-C", "/tmp"), groups[i][1]);
		assert_true(cli.json);
		assert_string_equal(cli.project_option, "/tmp");
		arena_free(cli.arena);
		assert_null(PARSE(groups[i][0], "--help"));
		assert_int_equal(code, CLI_OK);
		arena_free(cli.arena);
	}
	names(PARSE("wiki", "--format=csv"), "wiki list");
	arena_free(cli.arena);
}

static void
options_may_stand_anywhere(void **state)
{
	size_t n;
	const char **kinds;

	(void)state;
	names(PARSE("discover", "-kwiki", "net", "--kind", "table", "revenue", "-n", "5"), "discover");
	kinds = cli_options(&cli, "kind", &n);
	assert_int_equal(n, 2);
	assert_string_equal(kinds[0], "wiki");
	assert_string_equal(kinds[1], "table");
	assert_int_equal(cli.noperands, 2);
	arena_free(cli.arena);
	names(PARSE("sql", "--", "--1"), "sql");
	assert_string_equal(cli_operand(&cli, 0), "--1");
	arena_free(cli.arena);
	names(PARSE("sql", "-"), "sql");
	assert_string_equal(cli_operand(&cli, 0), "-");
	arena_free(cli.arena);
}

/* As many files as a shell gives to one command. */
static void
operands_are_any_number(void **state)
{
	static const char *words[WORDS_MAX - 2] = { "dataset", "document", "orders" };
	static char files[WORDS_MAX][8];

	(void)state;
	for (size_t i = 3; i < WORDS_MAX - 3; i++) {
		snprintf(files[i], sizeof(files[i]), "%zu.md", i);
		words[i] = files[i];
	}
	names(parse(words), "dataset document");
	assert_int_equal(cli.noperands, WORDS_MAX - 5);
	assert_string_equal(cli_operand(&cli, 0), "orders");
	assert_string_equal(cli_operand(&cli, WORDS_MAX - 6), files[WORDS_MAX - 4]);
	assert_null(cli_operand(&cli, WORDS_MAX - 5));
	arena_free(cli.arena);
	/* But not as many words of one text. */
	words[0] = "discover";
	usage_error(parse(words));
}

static void
wrong_usage_is_2(void **state)
{
	(void)state;
	usage_error(PARSE("nonsense"));
	usage_error(PARSE("sandbox"));
	usage_error(PARSE("ingest"));
	usage_error(PARSE("connection", "--format", "xml"));
	usage_error(PARSE("mcp", "nonsense"));
	usage_error(PARSE("scan", "--nonsense"));
	usage_error(PARSE("scan", "-x"));
	usage_error(PARSE("scan", "a", "b"));
	usage_error(PARSE("scan", "--deep=yes"));
	usage_error(PARSE("wiki", "read"));
	usage_error(PARSE("sql", "--max-rows"));
	usage_error(PARSE("sql", "--connection", ""));
	usage_error(PARSE("--json"));
}

static void
numbers_are_checked(void **state)
{
	static const char *const wrong[] = { "0", "10001", "x", "5x", "-1", "+5", " 5", "99999999999999999999" };
	uint64_t n = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char word[64];

		snprintf(word, sizeof(word), "--max-rows=%s", wrong[i]);
		names(PARSE("sql", word), "sql");
		assert_false(cli_number(&cli, "max-rows", 1, 10000, &n));
		arena_free(cli.arena);
	}
	names(PARSE("sql", "-n", "10000"), "sql");
	assert_true(cli_number(&cli, "max-rows", 1, 10000, &n));
	assert_int_equal(n, 10000);
	arena_free(cli.arena);
	names(PARSE("sql"), "sql");
	n = 7;
	assert_true(cli_number(&cli, "max-rows", 1, 10000, &n));
	assert_int_equal(n, 7);
	arena_free(cli.arena);
}

static char *
read_text(const char *path)
{
	char *text = calloc(1, 1 << 20);
	FILE *f = fopen(path, "r");

	assert_non_null(text);
	assert_non_null(f);
	assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
	fclose(f);
	return text;
}

/* Each word of name stands in text. */
static void
mentions(const char *text, const char *where, const char *name)
{
	char copy[128];

	snprintf(copy, sizeof(copy), "%s", name);
	for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " "))
		if (strstr(text, word) == NULL)
			fail_msg("%s does not mention \"%s\"", where, name);
}

static void
manual_knows_every_command(void **state)
{
	char *manual = read_text(SOURCE_DIR "/packaging/man/carrel.1");

	(void)state;
	for (const struct command *c = commands; c->name != NULL; c++) {
		char item[64];

		snprintf(item, sizeof(item), "Ic %s", c->name);
		if (strstr(manual, item) == NULL)
			fail_msg("carrel.1 does not describe \"%s\"", c->name);
	}
	free(manual);
}

/* What completes the last of the words, without what it does. */
static void
completes(const char *const *words, const char *expected)
{
	struct buf out = { 0 }, names = { 0 };
	size_t n = 0;

	cli = (struct cli){ .arena = arena_new(1 << 20) };
	while (words[n] != NULL)
		n++;
	completion_line(&cli, words, n, &out);
	for (const char *line = buf_cstr(&out); *line != '\0'; line = strchr(line, '\n') + 1)
		buf_printf(&names, "%.*s ", (int)strcspn(line, "\t\n"), line);
	assert_string_equal(buf_cstr(&names), expected);
	buf_fini(&names);
	buf_fini(&out);
	arena_free(cli.arena);
}

#define COMPLETES(expected, ...)	completes((const char *const[]){ __VA_ARGS__, NULL }, expected)

static void
what_is_typed_is_completed(void **state)
{
	(void)state;
	COMPLETES("help ", "he");
	COMPLETES("connection connectivity completion ", "co");
	COMPLETES("start stop status stdio ", "mcp", "st");
	COMPLETES("start stop status stdio ", "help", "mcp", "st");
	COMPLETES("start stop status stdio ", "--json", "--project-dir", "/nowhere", "mcp", "st");
	COMPLETES("", "mcp", "help", "");
	COMPLETES("", "nothing", "");
	COMPLETES("--port --project-dir ", "mcp", "start", "--p");
	COMPLETES("--project-dir ", "--p");
	COMPLETES("csv ", "--format=c");
	COMPLETES("csv ", "status", "--format", "c");
	COMPLETES("", "mcp", "start", "--port", "");
	COMPLETES("", "mcp", "start", "--foreground=");
	COMPLETES(":files ", "init", "--path", "");
	COMPLETES("postgres ", "connection", "add", "x", "--driver", "post");
	COMPLETES("", "mcp", "start", "--port=1", "");
	COMPLETES("zsh ", "completion", "z");
}

/* Where help says which words there are, they are those that are completed. */
static void
words_are_those_of_the_help(const struct option *o)
{
	const struct value *v = o->value == NULL ? NULL : completion_value(o->value);

	if (v != NULL && v->words != NULL)
		mentions(o->help, o->name, v->words);
}

static bool
is_of_group(const struct command *a, const struct command *b)
{
	size_t n = strcspn(a->name, " ");

	return n == strcspn(b->name, " ") && memcmp(a->name, b->name, n) == 0;
}

static void
values_are_what_help_says(void **state)
{
	static const char *const known[] = { "CONNECTION", "SOURCE", "KEY", "RUN", "FILE", "SHELL" };

	(void)state;
	for (const struct option *o = cli_global; o->name != NULL; o++)
		words_are_those_of_the_help(o);
	for (const struct command *c = commands; c->name != NULL; c++) {
		for (const struct option *o = c->options; o != NULL && o->name != NULL; o++)
			words_are_those_of_the_help(o);
		/* The rows of a group stand together. */
		for (const struct command *before = commands; before + 1 < c; before++)
			if (is_of_group(before, c) && !is_of_group(c - 1, c))
				fail_msg("%s stands apart from its group", c->name);
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_non_null(completion_value(known[i]));
	assert_ptr_equal(completion_value("[CONNECTION]"), completion_value("CONNECTION"));
	assert_ptr_equal(completion_value("[FILE|-]"), completion_value("FILE"));
	assert_null(completion_value("N"));
	assert_null(completion_value(""));
	assert_null(completion_value("CONNECTIONS"));
}

/* Names that the contract gives to two commands each; `from` and `to`: also where a store is moved. */
static bool
is_of_contract(const char *name)
{
	return span_is_any(span_str(name), (const char *const[]){ "target", "token", "from", "to", NULL });
}

/*
 * A name has one letter and one kind of value, and a letter stands for one name; only numbers of what is shown, which
 * are called by what is counted, share theirs.
 */
static void
options_agree(const struct command *one, const struct option *a, const struct command *other, const struct option *b)
{
	bool named = strcmp(a->name, b->name) == 0, counts = a->value != NULL && strcmp(a->value, "N") == 0;
	bool alike = a->value == NULL ? b->value == NULL : b->value != NULL && strcmp(a->value, b->value) == 0;

	if ((named && !is_of_contract(a->name) && (a->letter != b->letter || !alike)) ||
	    (!named && a->letter != 0 && a->letter == b->letter && !(counts && alike)))
		fail_msg("--%s of `%s` and --%s of `%s` have not one meaning", a->name, one->name, b->name,
		    other->name);
}

static void
an_option_has_one_meaning(void **state)
{
	(void)state;
	for (const struct command *c = commands; c->name != NULL; c++)
		for (const struct option *a = c->options; a != NULL && a->name != NULL; a++) {
			for (const struct option *b = cli_global; b->name != NULL; b++)
				options_agree(c, a, c, b);
			for (const struct command *d = c; d->name != NULL; d++)
				for (const struct option *b = d->options; b != NULL && b->name != NULL; b++)
					options_agree(c, a, d, b);
		}
}

/* The sections of the help name every command, what they name exists, and the first has the ten of every day. */
static void
help_has_every_command_once(void **state)
{
	size_t every_day = 0;

	(void)state;
	for (const struct command *c = commands; c->name != NULL; c++) {
		if (command_section_of(c) == NULL)
			fail_msg("no section of the help has %s", c->name);
		every_day += command_section_of(c) == command_sections;
	}
	assert_int_equal(every_day, 10);
	for (const struct command_section *s = command_sections; s->title != NULL; s++)
		for (const char *name = s->names; *name != '\0'; name += strlen(name) + 1) {
			size_t found = 0, n = strlen(name);

			for (const struct command *c = commands; c->name != NULL; c++)
				found += command_section_of(c) == s && strncmp(c->name, name, n) == 0 &&
				    (c->name[n] == '\0' || c->name[n] == ' ');
			if (found == 0)
				fail_msg("\"%s\" of \"%s\" is no command, or shown before", name, s->title);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_commands),
		cmocka_unit_test(a_group_alone_shows),
		cmocka_unit_test(options_may_stand_anywhere),
		cmocka_unit_test(operands_are_any_number),
		cmocka_unit_test(wrong_usage_is_2),
		cmocka_unit_test(numbers_are_checked),
		cmocka_unit_test(manual_knows_every_command),
		cmocka_unit_test(what_is_typed_is_completed),
		cmocka_unit_test(values_are_what_help_says),
		cmocka_unit_test(an_option_has_one_meaning),
		cmocka_unit_test(help_has_every_command_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
