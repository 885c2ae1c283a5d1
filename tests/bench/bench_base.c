/* bench_base.c - how fast values become JSON and back; numbers for one core, best of several runs. */
#include <stdio.h>
#include <stdlib.h>

#include "base/system/clock.h"
#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "base/mp.h"

#define ROWS	1000
#define RUNS	200

static struct buf rows, json, escaped, scratch;

/* 1000 rows of 3 integers, 2 doubles and 5 texts, as a query on a shop would give. */
static void
make_rows(void)
{
	static const char *const words[] = {
		"shipped", "Wolfsburg", "2024-05-17T09:30:00Z", "customer no. 118", "Zo\xc3\xab & Sons",
	};

	mp_put_array(&rows, ROWS);
	for (unsigned i = 0; i < ROWS; i++) {
		mp_put_array(&rows, 10);
		mp_put_uint(&rows, i);
		mp_put_uint(&rows, 100000 + i * 7);
		mp_put_int(&rows, -(int64_t)i * 1000);
		mp_put_double(&rows, (double)(i * 1999) / 100);
		mp_put_double(&rows, 1.0 / (i + 3));
		for (unsigned j = 0; j < 5; j++)
			mp_put_cstr(&rows, words[(i + j) % 5]);
	}
}

static void
write_cells(void)
{
	struct mp_value all, row, cell;
	struct mp_iter ri, ci;

	json.len = 0;
	(void)mp_value(buf_view(&rows), &all);
	for (ri = mp_iter(&all); mp_next(&ri, &row);) {
		buf_byte(&json, json.len == 0 ? '[' : ',');
		buf_byte(&json, '[');
		for (ci = mp_iter(&row); mp_next(&ci, &cell);) {
			json_write_cell(&json, &cell);
			buf_byte(&json, ci.left > 0 ? ',' : ']');
		}
	}
}

static void
escape(void)
{
	escaped.len = 0;
	json_escape(&escaped, buf_view(&json));
}

static void
scan(void)
{
	if (mp_scan(buf_view(&rows)) != MP_OK)
		abort();
}

static void
read_back(void)
{
	struct span text = buf_view(&json);
	size_t at;

	/* The first row of json, again and again. */
	text = span_of(text.p + 1, text.len - 1);
	text.len = (size_t)((const uint8_t *)memchr(text.p, ']', text.len) - text.p) + 1;
	for (unsigned i = 0; i < ROWS; i++) {
		scratch.len = 0;
		if (json_read(text, &scratch, &at) != JSON_OK)
			abort();
	}
}

static void
read_request(void)
{
	static const char request[] =
	    "{\"jsonrpc\":\"2.0\",\"id\":17,\"method\":\"tools/call\",\"params\":{\"name\":\"sql_execution\","
	    "\"arguments\":{\"connectionId\":\"shop\",\"sql\":\"select id, name\\nfrom customers\\n"
	    "where id = 4711\",\"maxRows\":100},\"_meta\":{\"progressToken\":3}}}";
	size_t at;

	for (unsigned i = 0; i < 1000; i++) {
		scratch.len = 0;
		if (json_read(SPAN(request), &scratch, &at) != JSON_OK)
			abort();
	}
}

static void
report(const char *what, void (*run)(void), const struct buf *bytes)
{
	uint64_t best = UINT64_MAX;

	for (unsigned i = 0; i < RUNS; i++) {
		uint64_t start = clock_ns(), took;

		run();
		took = clock_ns() - start;
		best = took < best ? took : best;
	}
	printf("%-44s %8.1f us", what, (double)best / 1000);
	if (bytes != NULL)
		printf("  %6zu bytes", bytes->len);
	printf("\n");
}

int
main(void)
{
	make_rows();
	report("mp_scan, 1000 x 10", scan, &rows);
	report("json_write_cell, 1000 x 10", write_cells, &json);
	report("json_escape of that", escape, &escaped);
	report("json_read, 1000 x one row", read_back, NULL);
	report("json_read, 1000 x tools/call", read_request, NULL);
	return 0;
}
