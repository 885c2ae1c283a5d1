// libs: carrel_sql_postgres carrel_base
/* fuzz_sqltext.c - SQL text of any bytes through the tokenizer and the guard: always ends, never reads beyond. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"
#include "workers/sql/postgres/postgres_guard.h"
#include "workers/sql/sqltext.h"

static void
walk(enum sqltext_dialect dialect, struct span text)
{
	struct sqltext s = { .dialect = dialect, .text = text };
	struct sqltext_token t;
	size_t at = 0;

	for (t = sqltext_next(&s); t.kind != SQLTEXT_END && t.kind != SQLTEXT_BROKEN; t = sqltext_next(&s)) {
		/* Each token is a piece of the text, behind the last one. */
		if (t.text.len == 0 || t.text.p < text.p + at || t.text.p + t.text.len > text.p + text.len)
			abort();
		at = (size_t)(t.text.p - text.p) + t.text.len;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span text = span_of(data, size), body;
	struct pg_statement st;
	struct err err;

	walk(SQLTEXT_SQLITE, text);
	walk(SQLTEXT_POSTGRES, text);
	(void)sqltext_statement(SQLTEXT_SQLITE, text, &body);
	if (postgres_guard_check(text, size % 2 == 1, &st, &err) == 0 &&
	    (st.text.p < data || st.text.p + st.text.len > data + size))
		abort();
	(void)postgres_guard_culprit(text);
	return 0;
}
