/* columns_cases.c - see columns_cases.h. */
#include "tests/integration/columns/columns_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

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
