/* guard_statements.c - see guard_statements.h. */
#include "tests/integration/guard/guard_statements.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
statements_expand(struct buf *out, const char *text)
{
	const char *open, *bar, *close;

	while ((open = strstr(text, "{{")) != NULL && (close = strstr(open, "}}")) != NULL) {
		for (bar = close; *bar != '|'; bar--)
			if (bar == open)
				abort();
		buf_append(out, text, (size_t)(open - text));
		for (unsigned long n = strtoul(bar + 1, NULL, 10); n > 0; n--)
			buf_append(out, open + 2, (size_t)(bar - open) - 2);
		text = close + 2;
	}
	buf_str(out, text);
}

static size_t
each_of_file(const char *path, void (*fn)(const char *sql, void *arg), void *arg)
{
	struct buf sql = { 0 };
	char *line = NULL;
	size_t cap = 0, n = 0;
	FILE *f = fopen(path, "r");
	ssize_t len;

	if (f == NULL)
		abort();
	do {
		len = getline(&line, &cap, f);
		if (len > 1) {
			if (strcmp(line, "\\n\n") == 0)
				buf_byte(&sql, '\n');
			else
				statements_expand(&sql, line);
		} else if (sql.len > 0) {
			sql.len--; /* the end of its last line */
			fn(buf_cstr(&sql), arg);
			buf_reset(&sql, SIZE_MAX);
			n++;
		}
	} while (len > 0);
	fclose(f);
	free(line);
	buf_fini(&sql);
	return n;
}

size_t
statements_each(const char *folder, const char *prefix, void (*fn)(const char *sql, void *arg), void *arg)
{
	char pattern[1024];
	glob_t found;
	size_t n = 0;

	snprintf(pattern, sizeof(pattern), "%s/tests/guard/%s/%s*.sql", SOURCE_DIR, folder, prefix);
	if (glob(pattern, 0, NULL, &found) != 0)
		return 0;
	for (size_t i = 0; i < found.gl_pathc; i++)
		n += each_of_file(found.gl_pathv[i], fn, arg);
	globfree(&found);
	return n;
}
