#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/args.h"
#include "cli/completion/completion_line.h"
#include "cli/completion/completion_names.h"

/* The names of the drivers, each after a blank. */
static const char driver_names[] = ""
#define DRIVER(name)	" " #name
#define LISTED(name, type, shard)
#include "project/config/drivers.def"
#undef DRIVER
#undef LISTED
    ;

/* The same of the platforms. */
static const char platform_names[] = ""
#define PLATFORM(name, ...)	" " #name
#include "project/platforms.def"
#undef PLATFORM
    ;

/* The same of the roles of users. */
static const char role_names[] = ""
#define ROLE(NAME, name, scopes)	" " name
#include "policy/scopes.def"
#undef ROLE
    ;

static const struct value values[] = {
#define VALUE(word, names, words) {word, names, words},
#include "cli/values.def"
#undef VALUE
};

const struct value *
completion_value(const char *word)
{
	size_t n;

	word += *word == '[';
	n = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (strlen(values[i].word) == n && memcmp(values[i].word, word, n) == 0)
			return &values[i];
	return NULL;
}

/* What comes before the word that is being typed. */
struct typed {
	const char		*group;		/* the first word of a command that needs a second; NULL: no word yet */
	const struct command	*command;
	const struct option	*awaits;	/* the next word is its value */
};

static const struct option *
find_option(const struct typed *t, const char *word)
{
	const struct option *own = t->command == NULL ? NULL : args_option(t->command->options, word);

	return own != NULL ? own : args_option(cli_global, word);
}

static void
take_value(struct cli *cli, const struct option *o, const char *value)
{
	const char *home = getenv("HOME");

	if (o == cli_global) /* --project-dir */
		cli->project_option = value[0] == '~' && value[1] == '/' && home != NULL ?
		    arena_printf(cli->arena, "%s%s", home, value + 1) :
		    value;
}

static void
take_word(struct cli *cli, struct typed *t, const char *word)
{
	if (t->awaits != NULL) {
		take_value(cli, t->awaits, word);
		t->awaits = NULL;
	} else if (word[0] == '-' && word[1] != '\0') {
		const struct option *o = find_option(t, word);
		const char *value = word[1] == '-' ? strchr(word, '=') : word + 1;

		if (o == NULL || o->value == NULL)
			return;
		if (value == NULL || value[1] == '\0')
			t->awaits = o;
		else
			take_value(cli, o, value + 1);
	} else if (t->command == NULL && t->group != NULL) {
		t->command = args_command(t->group, word);
		t->group = ""; /* of an unknown command nothing is known */
	} else if (t->command == NULL && strcmp(word, "help") != 0) {
		t->command = args_command(word, NULL);
		t->group = word;
	}
}

/* One text, if it begins with what is typed of it. */
static void
offer(struct buf *out, const char *typed, struct span text, const char *about)
{
	size_t n = strlen(typed);

	if (text.len == 0 || text.len < n || memcmp(text.p, typed, n) != 0)
		return;
	buf_span(out, text);
	if (about != NULL)
		buf_printf(out, "\t%s", about);
	buf_byte(out, '\n');
}

/* Each of the texts in list, between which end stands. */
static void
offer_list(struct buf *out, const char *typed, const char *list, const char *end)
{
	for (size_t n; *list != '\0'; list += n + (list[n] != '\0')) {
		n = strcspn(list, end);
		offer(out, typed, span_of(list, n), NULL);
	}
}

static void
offer_values(struct cli *cli, struct buf *out, const char *typed, const char *kind)
{
	const struct value *v = completion_value(kind);
	struct buf names = { 0 };

	if (v != NULL && v->words != NULL)
		offer_list(out, typed, v->words, " ");
	else if (v != NULL && !completion_names(cli, v->names, &names))
		buf_printf(out, ":%s\n", v->names);
	offer_list(out, typed, buf_cstr(&names), "\n");
	buf_fini(&names);
}

static void
offer_options(struct buf *out, const char *typed, const struct option *list)
{
	for (; list != NULL && list->name != NULL; list++) {
		char text[64];

		snprintf(text, sizeof(text), "--%s", list->name);
		offer(out, typed, span_str(text), list->help);
	}
}

/* Commands and groups, or those of a group. */
static void
offer_commands(struct buf *out, const char *typed, const char *group)
{
	const char *rest, *before = "";

	if (group == NULL)
		offer(out, typed, SPAN("help"), "say more about a command");
	for (const struct command *c = commands; c->name != NULL; before = c++->name) {
		struct span first = span_of(c->name, strcspn(c->name, " "));

		if (group != NULL && args_first_word_is(c->name, group, &rest) && rest != NULL)
			offer(out, typed, span_str(rest), c->summary);
		else if (group == NULL && !span_is(first, span_of(before, strcspn(before, " "))))
			offer(out, typed, first, c->name[first.len] == '\0' ? c->summary : NULL);
	}
}

void
completion_line(struct cli *cli, const char *const *words, size_t n, struct buf *out)
{
	const char *last = words[n - 1], *equals = strchr(last, '=');
	struct typed t = { 0 };

	for (size_t i = 0; i + 1 < n; i++)
		take_word(cli, &t, words[i]);
	if (t.awaits == NULL && equals != NULL && strncmp(last, "--", 2) == 0) {
		t.awaits = find_option(&t, last);
		last = equals + 1;
	}
	if (t.awaits != NULL)
		offer_values(cli, out, last, t.awaits->value != NULL ? t.awaits->value : "");
	else if (last[0] == '-') {
		offer_options(out, last, t.command != NULL ? t.command->options : NULL);
		offer_options(out, last, cli_global);
	} else if (t.command != NULL)
		offer_values(cli, out, last, t.command->operands);
	else
		offer_commands(out, last, t.group);
}
