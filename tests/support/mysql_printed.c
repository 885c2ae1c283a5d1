/*
 * mysql_printed - what would be sent of statements for MariaDB: reads statements that end with NUL, and writes for
 * each "+" and the printed text, or "-" and the refusal with its position, again with NUL.  A tree that does not read
 * as itself again is a "!".
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "workers/sql/mysql/grammar/mysql_parse.h"
#include "workers/sql/mysql/grammar/mysql_print.h"

#define ARENA_MAX	(64u << 20)

static void
answer(char sign, const char *text, size_t len)
{
	putchar(sign);
	fwrite(text, 1, len, stdout);
	putchar('\0');
	fflush(stdout);
}

static void
read_statement(struct arena *a, struct span sql)
{
	struct err err = { 0 };
	size_t at, ignored;
	const struct mysql_node *tree = mysql_parse(a, sql, &at, &err), *again;
	struct buf out = { 0 };
	char refusal[1200];

	if (tree == NULL) {
		snprintf(refusal, sizeof(refusal), "%s %zd %s", err_name(err.code), (ssize_t)at, err.message);
		answer('-', refusal, strlen(refusal));
		return;
	}
	mysql_print(&out, tree);
	again = mysql_parse(a, buf_view(&out), &ignored, &err);
	answer(again != NULL && mysql_tree_equal(tree, again) ? '+' : '!', (const char *)out.p, out.len);
	buf_fini(&out);
}

int
main(void)
{
	struct arena *a = arena_new(ARENA_MAX);
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	while ((n = getdelim(&line, &size, '\0', stdin)) > 0) {
		read_statement(a, span_of(line, (size_t)n - 1));
		arena_reset(a);
	}
	free(line);
	arena_free(a);
	return 0;
}
