// libs: carrel_memory carrel_project carrel_base
/* test_note.c - what analysts write: kept, under a title that says what it is about; what is said in passing is not. */
#include "base/arena.h"
#include "tests/unit/definition_notes.h"
#include "tests/unit/harness.h"
#include "tests/unit/note_sentences.h"
#include "workers/memory/read/mention.h"
#include "workers/memory/ingest/page.h"
#include "workers/memory/read/signals.h"
#include "workers/memory/read/statements.h"

static const char kept_sources[] =
    "tables:\n"
    "  orders:\n    table: orders\n    columns:\n"
    "      - {name: id, type: number, pk: true}\n      - {name: shipped_date, type: time}\n"
    "      - {name: required_date, type: time}\n      - {name: freight, type: number}\n"
    "      - {name: ship_via, type: number}\n      - {name: ship_region, type: string}\n"
    "      - {name: ship_country, type: string}\n"
    "  order_details:\n    table: order_details\n    columns:\n"
    "      - {name: order_id, type: number}\n      - {name: unit_price, type: number}\n"
    "      - {name: discount, type: number}\n"
    "  products:\n    table: products\n    columns:\n"
    "      - {name: id, type: number, pk: true}\n      - {name: unit_price, type: number}\n"
    "      - {name: units_in_stock, type: number}\n      - {name: units_on_order, type: number}\n"
    "      - {name: reorder_level, type: number}\n      - {name: discontinued, type: number}\n"
    "  employees:\n    table: employees\n    columns:\n"
    "      - {name: employee_id, type: number, pk: true}\n      - {name: reports_to, type: number}\n"
    "      - {name: birth_date, type: time}\n"
    "  customers:\n    table: customers\n    columns:\n"
    "      - {name: id, type: number, pk: true}\n      - {name: fax, type: string}\n"
    "      - {name: region, type: string}\n"
    "  shippers:\n    table: shippers\n    columns:\n      - {name: shipper_id, type: number, pk: true}\n";

static struct source_set *set;
static struct arena *arena;

static int
begin(void **state)
{
	struct err err;

	(void)state;
	arena = arena_new(64 << 20);
	set = source_set_new();
	assert_int_equal(source_set_put(set, "_schema/main.yaml", span_str(kept_sources), &err), 0);
	assert_int_equal(source_set_put(set, "orders.yaml",
			     SPAN("name: orders\nmeasures:\n  - {name: arr, expr: sum(freight), label: ARR}\n"), &err),
	    0);
	source_set_compose(set, NULL, NULL);
	return 0;
}

static int
end(void **state)
{
	(void)state;
	source_set_free(set);
	arena_free(arena);
	return 0;
}

static bool
is_known(void *arg, struct span name, bool subject)
{
	return mention_is_known(arg, name, subject);
}

static bool
is_kept(const char *text)
{
	return signals_read(arena, span_str(text), is_known, set) != 0;
}

/* How many of the sentences are kept under their title; each that is not is told. */
static unsigned
count_kept(const struct note_sentence *v, size_t n)
{
	unsigned good = 0;

	for (size_t i = 0; i < n; i++) {
		struct note note;

		assert_int_equal(page_note_read(arena, span_str(v[i].text), 0, &note), 0);
		if (!is_kept(v[i].text))
			print_message("not kept: %s\n", v[i].text);
		else if (!span_is_str(note.title, v[i].title))
			print_message("title \"%.*s\", not \"%s\": %s\n", SPAN_FMT(note.title), v[i].title, v[i].text);
		else
			good++;
		arena_reset(arena);
	}
	return good;
}

#define ALL(list)	sizeof(list) / sizeof((list)[0])

static void
statements_are_kept_under_their_subject(void **state)
{
	(void)state;
	assert_int_equal(count_kept(reviewed_sentences, ALL(reviewed_sentences)), ALL(reviewed_sentences));
	assert_int_equal(count_kept(tuned_sentences, ALL(tuned_sentences)), ALL(tuned_sentences));
	assert_int_equal(count_kept(held_sentences, ALL(held_sentences)), ALL(held_sentences));
}

/* What each sentence says of one column or measure reaches its description, and nothing else's. */
static unsigned
count_described(const struct note_sentence *v, size_t n)
{
	unsigned good = 0;

	for (size_t i = 0; i < n; i++) {
		struct proposals *p = arena_alloc(arena, sizeof(*p));
		struct buf of = { 0 };

		p->n = p->more = 0;
		statements_propose(arena, span_str(v[i].text), set, p);
		for (size_t k = 0; k < p->n; k++)
			buf_printf(&of, "%s%.*s.%.*s", k > 0 ? " " : "", SPAN_FMT(p->v[k].measure.source),
			    SPAN_FMT(p->v[k].measure.name));
		if (strcmp(buf_cstr(&of), v[i].describes) == 0)
			good++;
		else
			print_message("described \"%s\", not \"%s\": %s\n", buf_cstr(&of), v[i].describes, v[i].text);
		buf_fini(&of);
		arena_reset(arena);
	}
	return good;
}

static void
statements_reach_descriptions(void **state)
{
	(void)state;
	assert_int_equal(count_described(reviewed_sentences, ALL(reviewed_sentences)), ALL(reviewed_sentences));
	assert_int_equal(count_described(tuned_sentences, ALL(tuned_sentences)), ALL(tuned_sentences));
	assert_int_equal(count_described(held_sentences, ALL(held_sentences)), ALL(held_sentences));
}

/* Any text is read within its bounds, also where it ends in the middle of a word, code or mark. */
static void
every_beginning_of_a_note_is_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < ALL(definition_notes); i++)
		for (size_t n = strlen(definition_notes[i].text), len = n; len > 0; len -= len > n / 2 ? 1 : len) {
			struct proposals *p = arena_alloc(arena, sizeof(*p));
			struct span text = arena_span(arena, span_of(definition_notes[i].text, len));
			struct note note;

			p->n = p->more = 0;
			(void)signals_read(arena, text, is_known, set);
			if (page_note_read(arena, text, 0, &note) == 0)
				statements_propose(arena, text, set, p);
			arena_reset(arena);
		}
}

static void
passing_remarks_are_not(void **state)
{
	unsigned kept = 0;

	(void)state;
	for (size_t i = 0; i < ALL(idle_sentences); i++)
		if (is_kept(idle_sentences[i])) {
			print_message("kept: %s\n", idle_sentences[i]);
			kept++;
		}
	assert_int_equal(kept, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(statements_are_kept_under_their_subject, begin, end),
		cmocka_unit_test_setup_teardown(statements_reach_descriptions, begin, end),
		cmocka_unit_test_setup_teardown(every_beginning_of_a_note_is_read, begin, end),
		cmocka_unit_test_setup_teardown(passing_remarks_are_not, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
