#include "workers/sql/postgres/postgres_query.h"

#include <string.h>

#include "base/span.h"

static const char *
find_text(const struct pg_given *given, struct span name)
{
	while (given->name != NULL && !span_is_str(name, given->name))
		given++;
	return given->name == NULL ? "" : given->text;
}

void
pg_query_put(struct buf *out, const char *query, const struct pg_given *given)
{
	const char *place, *end;

	while ((place = strstr(query, "${")) != NULL && (end = strchr(place, '}')) != NULL) {
		buf_append(out, query, (size_t)(place - query));
		buf_str(out, find_text(given, span_of(place + 2, (size_t)(end - place - 2))));
		query = end + 1;
	}
	buf_str(out, query);
}
