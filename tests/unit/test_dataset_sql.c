// libs: carrel_search
/* test_dataset_sql.c - the database that a statement over datasets goes to, and the datasets that count as named. */
#include <stdio.h>

#include "tests/unit/harness.h"
#include "workers/search/datasets/tools_dataset_sql.h"

#define LITE	"00000000-0000-4000-8000-000000000001"
#define PG	"00000000-0000-4000-8000-000000000002"
#define PG_TOO	"00000000-0000-4000-8000-000000000003"
#define OTHER	"00000000-0000-4000-8000-000000000004"
#define N_LITE	"dataset_00000000_0000_4000_8000_000000000001"
#define N_PG	"dataset_00000000_0000_4000_8000_000000000002"
#define N_TOO	"dataset_00000000_0000_4000_8000_000000000003"
#define N_OTHER	"dataset_00000000_0000_4000_8000_000000000004"

static struct dataset published[] = {
	{ .id = SPAN(LITE), .connection = SPAN("lite") },
	{ .id = SPAN(PG), .connection = SPAN("pg") },
	{ .id = SPAN(PG_TOO), .connection = SPAN("pg") },
	{ .id = SPAN(OTHER), .connection = SPAN("other") },
};
static struct connection lite = { .driver = "sqlite" }, pg = { .driver = "postgres" }, other = { .driver = "postgres" };
static struct library library = { .limits = { .characters = 1000 } };
static struct arena *arena;
static char went[64], named[256];

void *__wrap_call_state(struct call *c);
struct arena *__wrap_call_arena(struct call *c);
int __wrap_datasets_ask(struct call *c, struct span id, struct datasets *out, struct err *err);
struct connection *__wrap_library_connection(struct library *l, struct span id);
void __wrap_search_stands_on(struct call *call, const struct connection *c);
void __wrap_call_continue(struct call *c, const char *tool, struct span connection, struct span args, struct span head);

void *
__wrap_call_state(struct call *c)
{
	(void)c;
	return &library;
}

struct arena *
__wrap_call_arena(struct call *c)
{
	(void)c;
	return arena;
}

int
__wrap_datasets_ask(struct call *c, struct span id, struct datasets *out, struct err *err)
{
	(void)c, (void)id, (void)err;
	*out = (struct datasets){ .n = sizeof(published) / sizeof(published[0]), .v = published };
	return 0;
}

struct connection *
__wrap_library_connection(struct library *l, struct span id)
{
	(void)l;
	return span_is_str(id, "lite") ? &lite : span_is_str(id, "pg") ? &pg : &other;
}

void
__wrap_search_stands_on(struct call *call, const struct connection *c)
{
	(void)call, (void)c;
}

void
__wrap_call_continue(struct call *c, const char *tool, struct span connection, struct span args, struct span head)
{
	struct mp_value all, list, one;
	struct mp_iter it;

	(void)c, (void)tool, (void)head;
	snprintf(went, sizeof(went), "%.*s", SPAN_FMT(connection));
	named[0] = '\0';
	assert_true(mp_value(args, &all) && mp_get(&all, "datasets", &list));
	it = mp_iter(&list);
	while (mp_next(&it, &one))
		snprintf(named + strlen(named), sizeof(named) - strlen(named), "%.*s ",
		    SPAN_FMT(mp_get_str(&one, "id", SPAN(""))));
}

/* Where sql goes; the error's name where it goes nowhere. */
static const char *
place_of(const char *sql)
{
	struct buf packed = { 0 };
	struct mp_value args;
	struct err err;
	int result;

	mp_put_map(&packed, 1);
	mp_pair_cstr(&packed, "sql", sql);
	assert_true(mp_value(buf_view(&packed), &args));
	named[0] = '\0';
	arena = arena_new(65536);
	result = tool_sql(NULL, &args, &err);
	arena_free(arena);
	buf_fini(&packed);
	return result == 0 ? went : err_name(err.code);
}

static void
goes_to_its_database(void **state)
{
	static const struct {
		const char *sql, *place, *named;
	} rows[] = {
		{ "SELECT 1 FROM " N_LITE, "lite", LITE " " },
		{ "SELECT 1 FROM " N_PG " JOIN " N_TOO " USING (id)", "pg", PG " " PG_TOO " " },
		{ "SELECT 1", "lite", "" },
		{ "SELECT 1 FROM " N_LITE ", " N_PG, "invalid_sql", "" },
		{ "SELECT 1 FROM " N_PG ", " N_OTHER, "invalid_sql", "" },
		/* PostgreSQL's comments nest, SQLite's end at the first end. */
		{ "SELECT 1 FROM " N_PG " /* /* */ " N_LITE " */", "pg", PG " " },
		{ "SELECT 1 /* /* */ FROM " N_LITE " --*/ */", "lite", LITE " " },
		/* Neither reads a name of its own: the database of the named one refuses the statement, naming none. */
		{ "SELECT 1 /* /* */ FROM " N_PG " --*/ */", "pg", "" },
		{ "SELECT 1 /* /* */ FROM " N_OTHER ", " N_PG " --*/ */", "other", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *place = place_of(rows[i].sql);

		if (strcmp(place, rows[i].place) != 0 || strcmp(named, rows[i].named) != 0)
			fail_msg("%s\nwent to %s, naming %s", rows[i].sql, place, named);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(goes_to_its_database),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
