// libs: carrel_base
/*
 * test_messages.c - what is said between processes is listened to: each field of ipc/messages.def is read somewhere in
 * the product.  Fields named "unused" stand where a message has nothing to say.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "tests/unit/harness.h"

#define FIELDS_MAX	1000
#define NAMES_MAX	4000
#define FILES_MAX	2000

struct token {
	struct span	text;
};

struct source {
	struct buf	 text;		/* without comments and strings */
	struct token	*tokens;
	size_t		 n, cap;
	bool		 header;
};

static struct field {
	struct span	message, name;	/* the message as in its struct's name */
	bool		read;
} fields[FIELDS_MAX];
static size_t nfields;

/* That a variable, a parameter or a member is of a message's struct. */
static struct typed {
	struct span	message, name;
	size_t		file;	/* FILES_MAX: a header's, which all may mean */
} names[NAMES_MAX];
static size_t nnames;

static struct source sources[FILES_MAX];
static size_t nsources;

/* --- reading ------------------------------------------------------------------------------------- */

static void
read_whole(const char *path, struct buf *out)
{
	FILE *f = fopen(path, "re");
	uint8_t *p;
	size_t n;

	if (f == NULL)
		fail_msg("%s cannot be read", path);
	do {
		p = buf_reserve(out, 65536);
		n = fread(p, 1, 65536, f);
		out->len += n;
	} while (n > 0);
	fclose(f);
}

/* Comments and what is quoted become spaces. */
static void
blank_out(struct buf *text)
{
	uint8_t *p = text->p, *end = text->p + text->len;

	while (p < end) {
		uint8_t *from = p, quote = *p;

		if (end - p > 1 && p[0] == '/' && p[1] == '*') {
			for (p += 2; p < end && !(p[-1] == '*' && *p == '/' && p - from > 2); p++)
				continue;
			p += p < end;
		} else if (quote == '"' || quote == '\'') {
			for (p++; p < end && *p != quote && *p != '\n'; p++)
				p += *p == '\\';
			p = p < end ? p + 1 : end;
		} else {
			p++;
			continue;
		}
		memset(from, ' ', (size_t)(p - from));
	}
}

static bool
is_name(uint8_t c)
{
	return ascii_is_alnum(c) || c == '_';
}

/* Names and numbers; "->" and "=="; other characters one by one. */
static void
source_cut(struct source *s)
{
	const uint8_t *p = s->text.p, *end = p + s->text.len;

	while (p < end) {
		const uint8_t *from = p++;

		if (*from <= ' ' || *from == '\\')
			continue;
		if (is_name(*from))
			while (p < end && is_name(*p))
				p++;
		else if (p < end && ((*from == '-' && *p == '>') || (*from == '=' && *p == '=')))
			p++;
		s->tokens = mem_grow(s->tokens, s->n, &s->cap, sizeof(*s->tokens));
		s->tokens[s->n++].text = span_of(from, (size_t)(p - from));
	}
}

static void
source_add(const char *path)
{
	struct source *s = &sources[nsources++];

	assert_true(nsources < FILES_MAX);
	s->header = path[strlen(path) - 1] == 'h';
	read_whole(path, &s->text);
	blank_out(&s->text);
	source_cut(s);
}

static void
walk(const char *folder)
{
	DIR *d = opendir(folder);
	const struct dirent *e;
	struct stat st;
	char path[400];

	assert_non_null(d);
	while ((e = readdir(d)) != NULL) {
		size_t n = strlen(e->d_name);

		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
			walk(path);
		else if (n > 2 && e->d_name[n - 2] == '.' && (e->d_name[n - 1] == 'c' || e->d_name[n - 1] == 'h'))
			source_add(path);
	}
	closedir(d);
}

static bool
is(const struct source *s, size_t i, const char *text)
{
	return i < s->n && span_is_str(s->tokens[i].text, text);
}

/* --- the table -------------------------------------------------------------------------------------- */

/* What its struct is called, behind "ipc_": "MESSAGE(NAME, struct, …)". */
static struct span
struct_of(const struct source *s, struct span message)
{
	for (size_t i = 0; i + 4 < s->n; i++)
		if (is(s, i, "MESSAGE") && span_is(s->tokens[i + 2].text, message))
			return s->tokens[i + 4].text;
	return span_of(NULL, 0);
}

/* "FIELDS_NAME(F, T) F(T, TYPE, name, …) …", as tokens. */
static void
read_table(const struct source *s)
{
	struct span message = { NULL, 0 };

	for (size_t i = 0; i + 6 < s->n; i++) {
		if (is(s, i, "define"))
			message = span_begins(s->tokens[i + 1].text, "FIELDS_") ?
			    struct_of(s, span_of(s->tokens[i + 1].text.p + 7, s->tokens[i + 1].text.len - 7)) :
			    span_of(NULL, 0);
		if (message.len == 0 || !is(s, i, "F") || !is(s, i + 1, "(") || !is(s, i + 2, "T") ||
		    !is(s, i + 3, ",") || !is(s, i + 5, ","))
			continue;
		assert_true(nfields < FIELDS_MAX);
		fields[nfields++] = (struct field){ message, s->tokens[i + 6].text, false };
	}
}

/* --- the readers ------------------------------------------------------------------------------------ */

static struct span
message_of(struct span type)
{
	return span_begins(type, "ipc_") ? span_of(type.p + 4, type.len - 4) : span_of(NULL, 0);
}

static void
note_names(size_t file)
{
	const struct source *s = &sources[file];

	for (size_t i = 0; i + 2 < s->n; i++) {
		size_t at = i + 2;

		if (!is(s, i, "struct") || message_of(s->tokens[i + 1].text).len == 0)
			continue;
		while (is(s, at, "*") || is(s, at, "const"))
			at++;
		/* Several of one type, to the end of their declaration. */
		for (; at < s->n && is_name(s->tokens[at].text.p[0]) && !is(s, at, "struct") && !is(s, at, "const");
		     at += 2) {
			assert_true(nnames < NAMES_MAX);
			names[nnames++] = (struct typed){ message_of(s->tokens[i + 1].text), s->tokens[at].text,
				s->header ? FILES_MAX : file };
			if (!is(s, at + 1, ","))
				break;
			while (is(s, at + 2, "*"))
				at++;
		}
	}
}

/* Whether what is called so in this file may be such a message: a variable, or a member of union ipc_any. */
static bool
may_be(struct span name, struct span message, size_t file)
{
	if (span_is(name, message))
		return true;
	for (size_t i = 0; i < nnames; i++)
		if ((names[i].file == FILES_MAX || names[i].file == file) && span_is(names[i].name, name) &&
		    span_is(names[i].message, message))
			return true;
	return false;
}

static void
read_field(struct span name, struct span of, size_t file)
{
	for (size_t i = 0; i < nfields; i++)
		if (!fields[i].read && span_is(fields[i].name, name) && may_be(of, fields[i].message, file))
			fields[i].read = true;
}

static void
note_reads(size_t file)
{
	const struct source *s = &sources[file];

	for (size_t i = 1; i + 1 < s->n; i++) {
		if (is(s, i - 1, "offsetof") && is(s, i + 1, "struct") && i + 4 < s->n)
			for (size_t k = 0; k < nfields; k++)
				fields[k].read |= span_is(fields[k].name, s->tokens[i + 4].text) &&
				    span_is(fields[k].message, message_of(s->tokens[i + 2].text));
		if ((is(s, i, ".") || is(s, i, "->")) && is_name(s->tokens[i - 1].text.p[0]) && !is(s, i + 2, "="))
			read_field(s->tokens[i + 1].text, s->tokens[i - 1].text, file);
	}
}

static void
every_field_is_read(void **state)
{
	static const char *const folders[] = { "front", "supervisor", "workers" };
	static struct source table;
	unsigned unread = 0;

	(void)state;
	read_whole(SOURCE_DIR "/ipc/messages.def", &table.text);
	blank_out(&table.text);
	source_cut(&table);
	read_table(&table);
	assert_true(nfields > 300);
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		char path[400];

		snprintf(path, sizeof(path), "%s/%s", SOURCE_DIR, folders[i]);
		walk(path);
	}
	for (size_t i = 0; i < nsources; i++)
		note_names(i);
	for (size_t i = 0; i < nsources; i++)
		note_reads(i);
	for (size_t i = 0; i < nfields; i++)
		if (!fields[i].read && !span_is_str(fields[i].name, "unused")) {
			print_message("nobody reads %.*s of the message %.*s\n", SPAN_FMT(fields[i].name),
			    SPAN_FMT(fields[i].message));
			unread++;
		}
	assert_int_equal(unread, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
