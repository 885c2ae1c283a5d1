/* columns_cases.c - see columns_cases.h. */
#include "tests/integration/columns/columns_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "tests/integration/columns/columns_random.h"

/* What a statement says itself may come back; a value of the database may not. */
static bool
holds_value(const char *text)
{
	for (const char *at = text; at != NULL && (at = strstr(at, CANARY)) != NULL; at += strlen(CANARY))
		if (strncmp(at, CANARY "_MINE", strlen(CANARY "_MINE")) != 0)
			return true;
	return false;
}

void
columns_assert_clean(struct driver *d, const char *sql, const struct driver_answer *a)
{
	const char *const texts[] = { a->result, a->rows, a->message, a->details, a->progress, driver_log(d) };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (holds_value(texts[i]))
			fail_msg("a protected value came out (%zu) of: %s\n%.600s", i, sql, texts[i]);
}

static bool
run_case(struct driver *d, const char *verdict, const char *piece, const char *sql)
{
	const struct driver_answer *a = sql_run(d, sql, 0);
	bool allowed = a->kind == DRIVER_RESULT, wanted = strcmp(verdict, "allow") == 0;
	const char *text = allowed ? a->result : a->message;

	columns_assert_clean(d, sql, a);
	if (allowed == wanted && text != NULL && strstr(text, piece) != NULL)
		return true;
	print_error("%s [%s] %s\n  -> %s %.500s\n", verdict, piece, sql, a->code == NULL ? "" : a->code,
	    text == NULL ? "" : text);
	return false;
}

size_t
columns_run_cases(struct driver *d, const char *name)
{
	char path[4096], *line = NULL, *verdict, *piece, *sql, *rest;
	size_t cap = 0, n = 0, wrong = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/integration/columns/%s", SOURCE_DIR, name);
	if ((f = fopen(path, "r")) == NULL)
		fail_msg("%s cannot be opened", path);
	while (getline(&line, &cap, f) > 0) {
		rest = line;
		line[strcspn(line, "\n")] = '\0';
		if (*line == '#' || *line == '\0')
			continue;
		verdict = strsep(&rest, "\t");
		piece = strsep(&rest, "\t");
		sql = rest;
		if (sql == NULL)
			fail_msg("%s: no three parts: %s", name, verdict);
		wrong += !run_case(d, verdict, piece, sql);
		n++;
	}
	free(line);
	fclose(f);
	if (wrong > 0)
		fail_msg("%s: %zu of %zu statements went otherwise", name, wrong, n);
	return n;
}

#define DRAWN		1500		/* CARREL_DRAWN: another number */

/* An answer as text, without how long it took. */
static void
put_answer(const struct driver_answer *a, struct buf *out)
{
	static const char elapsed[] = ",\"elapsedMs\":";
	const char *at = a->result == NULL ? NULL : strstr(a->result, elapsed);

	buf_reset(out, 1 << 20);
	if (a->kind == DRIVER_RESULT) {
		buf_append(out, a->result, at == NULL ? strlen(a->result) : (size_t)(at - a->result));
		return;
	}
	buf_str(out, a->code == NULL ? "lost" : a->code);
	buf_byte(out, ' ');
	buf_str(out, a->message == NULL ? "" : a->message);
	buf_str(out, a->details == NULL ? "" : a->details);
}

void
columns_compare(struct driver *one, struct driver *other, bool postgres)
{
	const char *wanted = getenv("CARREL_DRAWN");
	unsigned long n = wanted == NULL ? DRAWN : strtoul(wanted, NULL, 10), answered = 0;
	struct buf sql = { 0 }, first = { 0 }, second = { 0 };

	for (unsigned long i = 0; i < n; i++) {
		const struct driver_answer *a;

		buf_reset(&sql, 1 << 20);
		columns_random(i, postgres ? COLUMNS_POSTGRES : COLUMNS_SQLITE, &sql);
		a = sql_run(one, buf_cstr(&sql), 0);
		columns_assert_clean(one, buf_cstr(&sql), a);
		put_answer(a, &first);
		answered += a->kind == DRIVER_RESULT;
		a = sql_run(other, buf_cstr(&sql), 0);
		columns_assert_clean(other, buf_cstr(&sql), a);
		put_answer(a, &second);
		if (!span_is(buf_view(&first), buf_view(&second)))
			fail_msg("number %lu tells protected values apart: %s\n%.800s\n%.800s", i, buf_cstr(&sql),
			    buf_cstr(&first), buf_cstr(&second));
	}
	/* Else the lots are drawn badly, and nothing was tried. */
	if (answered * 8 < n)
		fail_msg("only %lu of %lu statements were answered", answered, n);
	print_message("%lu of %lu statements were answered, the others refused\n", answered, n);
	buf_fini(&sql);
	buf_fini(&first);
	buf_fini(&second);
}
