/* knowledge_parts.c - what the files of an import share; see knowledge_parts.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/utf8.h"
#include "workers/memory/ingest/consult.h"
#include "workers/memory/ingest/knowledge_parts.h"
#include "workers/shared/ask_worker.h"
#include "workers/shared/call.h"

#define WHY_MAX	400

void
know_skip(struct know *k, struct know_fate *f, const char *fmt, ...)
{
	char text[WHY_MAX + 200];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	f->why = arena_span(k->a, span_of(text, utf8_cut((const uint8_t *)text, n < 0 ? 0 : strlen(text), WHY_MAX)));
}

struct know_model *
know_find_model(struct know *k, struct span name)
{
	uint64_t hash = hash_of(name);
	uint32_t row;

	for (size_t at = table_start(hash); (row = table_next(&k->names, hash, &at)) != TABLE_NONE;)
		if (span_is(k->models[row].name, name))
			return &k->models[row];
	return NULL;
}

int
know_run(struct call *c, struct know *k, struct span sql, struct know_fate *fate, struct mp_value *head,
    struct err *err)
{
	struct buf args = { 0 };
	int status;

	mp_put_pairs(&args, mp_str("connectionId", k->r->connection), mp_str("sql", sql), mp_uint("maxRows", 1));
	status = call_sub(c, &(struct call_ask){ .tool = "sl_execution", .connection = k->r->connection,
	    .args = buf_view(&args), .on_rows = consult_ignore_rows }, head, err);
	buf_fini(&args);
	if (status == 0)
		return 0;
	if (err->code != ERR_DATABASE_ERROR && err->code != ERR_INVALID_SQL && err->code != ERR_FORBIDDEN_SQL &&
	    err->code != ERR_INVALID_ARGUMENTS && err->code != ERR_SQL_TOO_LONG)
		return -1;
	know_skip(k, fate, "the database refuses it: %s", err->message);
	return 0;
}
