// libs: carrel_agent
/* test_agent_interpret.c - how much of a catalogue a language model is told. */
#include <stdlib.h>

#include "base/mem.h"
#include "tests/unit/harness.h"
#include "workers/agent/interpret.h"

#define THINGS	2000u
#define MOST	(96u << 10)	/* of all things, as JSON */

static struct arena *arena;
static struct buf told;

struct arena *__wrap_call_arena(struct call *c);
enum ipc_model_data __wrap_model_data(const struct model_engine *e);
int __wrap_model_ask(struct model_use *u, const struct model_ask *ask, struct mp_value *answer, char why[160],
    struct err *err);

struct arena *
__wrap_call_arena(struct call *c)
{
	(void)c;
	return arena;
}

enum ipc_model_data
__wrap_model_data(const struct model_engine *e)
{
	(void)e;
	return IPC_MODEL_DATA_SCHEMA;
}

int
__wrap_model_ask(struct model_use *u, const struct model_ask *ask, struct mp_value *answer, char why[160],
    struct err *err)
{
	(void)u, (void)answer, (void)why, (void)err;
	buf_reset(&told, SIZE_MAX);
	buf_span(&told, ask->user);
	return 1;
}

/* What is told of a source of n measures and n columns, each with a description of this many bytes. */
static const char *
tell(size_t n, size_t description)
{
	static char text[256];
	struct ask_source_measure *measures = mem_new(n, sizeof(*measures));
	struct ask_column *columns = mem_new(n, sizeof(*columns));
	struct ask_source source = { .names = { .name = SPAN("shop") }, .nmeasures = n, .ncolumns = n,
		.measures = measures, .columns = columns };
	struct ask_model m = { .nsources = 1, .sources = &source };
	struct ask_context context = { .now = 1793000000 };
	struct model_use use = { .engine = NULL };
	struct reading_choice *choice;
	char why[160];
	struct err err;

	memset(text, 'd', sizeof(text));
	for (size_t i = 0; i < n; i++) {
		measures[i].names = (struct ask_names){ .name = SPAN("m"), .description = span_of(text, description) };
		columns[i].names = (struct ask_names){ .name = SPAN("c"), .description = span_of(text, description) };
	}
	arena = arena_new((size_t)1 << 20);
	assert_int_equal(interpret_ask(&use, &m, &context, SPAN("how much"), &choice, why, &err), 1);
	arena_free(arena);
	free(measures);
	free(columns);
	return buf_cstr(&told);
}

static void
a_catalogue_has_its_bound(void **state)
{
	static const char measure[] = "{\"id\":\"shop.m\"", column[] = "{\"id\":\"shop.c\"";
	size_t rest = strlen(tell(0, 0));

	(void)state;
	assert_holds(tell(3, 100), "\"complete\":true");
	for (size_t description = 1; description <= 200; description += 13) {
		const char *all = tell(THINGS, description), *columns = strstr(all, "\"columns\":[");
		size_t one = strcspn(strstr(all, measure), "}") + 2;

		assert_holds(all, "\"complete\":false");
		assert_non_null(columns);
		assert_holds(columns, column);
		assert_in_range(strlen(all), MOST - 3 * one, MOST + rest + 1);
		assert_in_range(columns - strstr(all, measure), MOST / 2 - one,
		    MOST / 2 + sizeof("],\"segments\":[],"));
	}
	buf_fini(&told);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_catalogue_has_its_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
