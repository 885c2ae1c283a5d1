/* project.c - see project.h. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "tests/relevance/project.h"
#include "workers/search/follow.h"

struct library *
project_open(const char *dir, const char *connection, const char *driver)
{
	const struct follow_budget budget = { .items = 1000, .ns = UINT64_C(1000000000) };
	struct buf json = { 0 }, list = { 0 };
	struct mp_value connections;
	struct library *l;
	struct err err;
	size_t at;

	buf_printf(&json, "[{\"id\":\"%s\",\"driver\":\"%s\"}]", connection, driver);
	if (json_read(buf_view(&json), &list, &at) != JSON_OK || !mp_value(buf_view(&list), &connections) ||
	    (l = library_new(span_str(dir), SPAN("local"), SPAN("carrel"), &connections, &err)) == NULL ||
	    follow_open(l, &err) != 0) {
		fprintf(stderr, "%s cannot be read\n", dir);
		exit(1);
	}
	do
		(void)follow_step(l, &budget);
	while (follow_is_busy(l));
	buf_fini(&json);
	buf_fini(&list);
	return l;
}
