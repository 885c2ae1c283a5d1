/* agent_sheet.h - sheets of answers for tests: "region:key revenue:value:EUR:+" and rows as JSON. */
#pragma once

#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "tests/unit/harness.h"
#include "workers/agent/data/sheet.h"

/*
 * columns: name:role[:unit][:+], role "id" for a key of numbers that are names, "_" in a name for a blank; rows: an
 * array of arrays.
 */
static inline struct sheet *
sheet_of(struct arena *a, const char *columns, const char *rows)
{
	struct buf packed = { 0 };
	struct mp_value all, row, cell;
	struct mp_iter it, in;
	struct sheet *s;
	size_t n = 0, at;
	char *copy = arena_cstr(a, span_str(columns)), *save = NULL, *field;

	for (const char *p = columns; *p != '\0'; p++)
		n += *p == ' ';
	assert_int_equal(json_read(span_str(rows), &packed, &at), JSON_OK);
	assert_true(mp_value(arena_span(a, buf_view(&packed)), &all));
	buf_fini(&packed);
	s = sheet_new(a, n + 1, all.n);
	n = 0;
	for (field = strtok_r(copy, " ", &save); field != NULL; field = strtok_r(NULL, " ", &save)) {
		struct sheet_column *c = &s->columns[n++];
		char *part = strchr(field, ':');

		*part++ = '\0';
		for (char *p = field; *p != '\0'; p++)
			*p = *p == '_' ? ' ' : *p;
		c->name = span_str(field);
		c->names = *part == 'i';
		c->role = *part == 'k' || c->names ? SHEET_KEY : *part == 't' ? SHEET_TIME : SHEET_VALUE;
		while ((part = strchr(part, ':')) != NULL) {
			part++;
			if (*part == '+')
				c->additive = true;
			else
				c->unit = span_of(part, strcspn(part, ":"));
		}
	}
	n = 0;
	for (it = mp_iter(&all); mp_next(&it, &row);)
		for (in = mp_iter(&row); mp_next(&in, &cell);)
			s->cells[n++] = cell;
	assert_int_equal(n, s->ncolumns * s->nrows);
	return s;
}
