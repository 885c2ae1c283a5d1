// libs: carrel_memory carrel_project carrel_base
/* test_definitions.c - what a note's definitions become, and that what limits them is never lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "tests/unit/definition_notes.h"
#include "workers/memory/ingest/page.h"
#include "workers/memory/read/propose.h"

static struct source_column columns[] = {
	{ .name = "id", .type = "number" }, { .name = "a", .type = "number" }, { .name = "b", .type = "number" },
	{ .name = "status", .type = "string" }, { .name = "country", .type = "string" }, { .name = "is_test", .type = "boolean" },
	{ .name = "is_paid", .type = "boolean" }, { .name = "cancelled", .type = "boolean" }, { .name = "is_gift", .type = "boolean" },
	{ .name = "gift_flag", .type = "boolean" }, { .name = "made_at", .type = "time" }, { .name = "price_ct", .type = "number" },
	{ .name = "amount_usd", .type = "number" }, { .name = "duration_min", .type = "number" },
	{ .name = "is_secret", .type = "boolean", .visibility = SOURCE_HIDDEN },
};
static const struct source orders = { .name = "orders", .ncolumns = sizeof(columns) / sizeof(columns[0]), .columns = columns };

static const struct source *
known_source(void *arg, struct span name)
{
	(void)arg;
	return span_is_str(name, "orders") ? &orders : NULL;
}

/* The measures that the text becomes, as definition_notes.h writes them. */
static void
put_measures(struct arena *a, const char *text, struct buf *out, struct buf *reasons)
{
	struct proposals *list = arena_alloc(a, sizeof(*list));
	struct note note;

	assert_int_equal(page_note_read(a, span_str(text), 0, &note), 0);
	propose(a, &(struct propose_text){ note.text, note.title, note.above }, known_source, NULL, list);
	for (size_t i = 0; i < list->n; i++) {
		const struct proposal *p = &list->v[i];

		if (p->kind == PROPOSAL_MEASURE && p->refused.len > 0)
			buf_printf(reasons, "%.*s; ", SPAN_FMT(p->refused));
		if (p->kind != PROPOSAL_MEASURE || p->refused.len > 0)
			continue;
		buf_printf(out, "%s%.*s = %.*s%s%.*s", out->len > 0 ? "; " : "", SPAN_FMT(p->measure.name),
		    SPAN_FMT(p->measure.expr), p->measure.filter.len > 0 ? " where " : "", SPAN_FMT(p->measure.filter));
	}
}

static void
nothing_that_limits_is_lost(void **state)
{
	struct arena *a = arena_new(32 << 20);
	unsigned wrong = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(definition_notes) / sizeof(definition_notes[0]); i++) {
		struct buf got = { 0 }, reasons = { 0 };

		put_measures(a, definition_notes[i].text, &got, &reasons);
		if (strcmp(buf_cstr(&got), definition_notes[i].want) != 0) {
			print_error("%s: %s\n  became \"%s\", not \"%s\"; %s\n", definition_notes[i].class,
			    definition_notes[i].text, buf_cstr(&got), definition_notes[i].want, buf_cstr(&reasons));
			wrong++;
		}
		buf_fini(&got);
		buf_fini(&reasons);
		arena_reset(a);
	}
	assert_int_equal(wrong, 0);
	arena_free(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(nothing_that_limits_is_lost) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
