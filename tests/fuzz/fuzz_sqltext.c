// libs: carrel_sql_postgres carrel_base
/* fuzz_sqltext.c - SQL text of any bytes through the tokenizer and the guard: always ends, never reads beyond. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/text/sqltext.h"
#include "tests/fuzz/fuzz.h"
#include "workers/sql/declared.h"
#include "workers/sql/postgres/postgres_guard.h"
#include "workers/sql/postgres/postgres_text.h"
#include "workers/sql/sqlite/sqlite_text.h"

/* The pieces are the text, one behind the other; the tokens are those pieces that are neither space nor comment. */
static void
walk(enum sqltext_dialect dialect, struct span text)
{
	struct sqltext s = { .dialect = dialect, .text = text }, tokens = s;
	struct sqltext_token t;

	for (size_t at = 0; (t = sqltext_piece(&s)).kind != SQLTEXT_END; at = s.at) {
		if (t.text.len == 0 || t.text.p != text.p + at || s.at != at + t.text.len)
			abort();
		if (t.kind != SQLTEXT_SPACE && t.kind != SQLTEXT_COMMENT && sqltext_next(&tokens).text.p != t.text.p)
			abort();
	}
	if (s.at != text.len || sqltext_next(&tokens).kind != SQLTEXT_END)
		abort();
}

/* What a table declares lies in the statement's text, each behind the one before. */
static void
walk_declared(struct span text)
{
	const uint8_t *at = text.p;
	struct declared d;

	for (declared_begin(&d, SQLTEXT_SQLITE, text); declared_next(&d); at = d.expression.p)
		if (d.expression.p <= at || d.expression.p + d.expression.len >= text.p + text.len)
			abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span text = span_of(data, size), body;
	struct pg_statement st;
	struct err err;

	walk(SQLTEXT_PLAIN, text);
	walk(SQLTEXT_EXPRESSION, text);
	walk(SQLTEXT_SQLITE, text);
	walk(SQLTEXT_POSTGRES, text);
	walk_declared(text);
	(void)sqltext_statement(SQLTEXT_SQLITE, text, &body);
	if (postgres_guard_check(text, size % 2 == 1, &st, &err) == 0 &&
	    (st.text.p < data || st.text.p + st.text.len > data + size))
		abort();
	(void)postgres_guard_culprit(text);
	return 0;
}
