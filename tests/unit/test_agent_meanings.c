// libs: carrel_agent
/* test_agent_meanings.c - how much of a catalogue a language model is told, and what it may say. */
#include <stdlib.h>

#include "base/json/json_read.h"
#include "base/mem.h"
#include "tests/unit/harness.h"
#include "workers/agent/meanings.h"

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

static const char *said;	/* by the model; NULL: it is not there */
static const char *wrong;	/* about that */

int
__wrap_model_ask(struct model_use *u, const struct model_ask *ask, struct mp_value *answer, char why[160],
    struct err *err)
{
	struct buf b = { 0 };
	size_t at;

	(void)u, (void)why, (void)err;
	buf_reset(&told, SIZE_MAX);
	buf_span(&told, ask->user);
	if (said == NULL)
		return 1;
	assert_int_equal(json_read(span_str(said), &b, &at), JSON_OK);
	assert_true(mp_value(arena_span(arena, buf_view(&b)), answer));
	buf_fini(&b);
	wrong = ask->check(ask->arg, arena, answer);
	return wrong == NULL ? 0 : 1;
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
	struct model_use use = { .engine = NULL };
	struct ask_meaning *chosen;
	char why[160];
	size_t nchosen;
	struct err err;

	memset(text, 'd', sizeof(text));
	for (size_t i = 0; i < n; i++) {
		measures[i].names = (struct ask_names){ .name = SPAN("m"), .description = span_of(text, description) };
		columns[i].names = (struct ask_names){ .name = SPAN("c"), .description = span_of(text, description) };
	}
	arena = arena_new((size_t)1 << 20);
	said = NULL;
	assert_int_equal(meanings_ask(&use, &(struct meanings_question){ .m = &m, .text = SPAN("how much") }, &chosen,
			     &nchosen, why, &err),
	    1);
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
		assert_in_range(columns - strstr(all, measure), MOST / 2 - 2 * one,
		    MOST / 2 + sizeof("],\"segments\":[],"));
	}
	buf_fini(&told);
}

/* What is heard from it, or what is wrong, when it says so of "turnover per Kopf and head". */
static const char *
hear(const char *words)
{
	static const struct span unknown[] = { SPAN("turnover"), SPAN("Kopf"), SPAN("head") };
	static const struct ask_source_measure measures[] = { { .names = { .name = SPAN("revenue") } } };
	static const struct ask_column columns[] = { { .names = { .name = SPAN("country") }, .type = ASK_TYPE_TEXT },
		{ .names = { .name = SPAN("secret") }, .masked = true },
		{ .names = { .name = SPAN("salt") }, .internal = true } };
	static const struct ask_segment segments[] = { { .names = { .name = SPAN("paid") } } };
	static const struct ask_source sources[] = { { .names = { .name = SPAN("shop.orders") }, .nmeasures = 1,
							 .measures = measures, .ncolumns = 3, .columns = columns,
							 .nsegments = 1, .segments = segments },
		{ .names = { .name = SPAN("raw") }, .covered = true, .ncolumns = 1, .columns = columns } };
	static const struct ask_model m = { .nsources = 2, .sources = sources };
	const struct meanings_question q = { &m, SPAN("turnover per Kopf and head"), 3, unknown };
	static struct buf out, text;
	struct model_use use = { .engine = NULL };
	struct ask_meaning *chosen;
	char why[160] = "";
	struct err err;
	size_t n = 0;
	int result;

	buf_reset(&text, SIZE_MAX);
	buf_printf(&text, "{\"words\":[%s]}", words);
	said = buf_cstr(&text);
	wrong = NULL;
	arena = arena_new((size_t)1 << 20);
	result = meanings_ask(&use, &q, &chosen, &n, why, &err);
	buf_reset(&out, SIZE_MAX);
	for (size_t i = 0; result == 0 && i < n; i++)
		buf_printf(&out, "%.*s=%.*s%s%.*s ", SPAN_FMT(chosen[i].word), SPAN_FMT(chosen[i].means),
		    chosen[i].value.len > 0 ? ":" : "", SPAN_FMT(chosen[i].value));
	buf_str(&out, result != 0 && wrong != NULL ? wrong : why);
	assert_holds(buf_cstr(&told), "\"unknown\":[\"turnover\",\"Kopf\",\"head\"]");
	assert_lacks(buf_cstr(&told), "secret");
	assert_lacks(buf_cstr(&told), "salt");
	arena_free(arena);
	return buf_cstr(&out);
}

#define MEANS(word, id) "{\"word\":\"" word "\",\"means\":\"" id "\",\"value\":null}"
#define VALUE(word, id, value) "{\"word\":\"" word "\",\"means\":\"" id "\",\"value\":\"" value "\"}"

/* Only unknown words get a meaning, and only what the catalogue has and shows is one. */
static void
meanings_are_of_the_catalogue(void **state)
{
	static const char no_word[] = "it found nothing in the catalogue that the words mean",
			  no_id[] = "is no id of the catalogue";
	static const struct {
		const char *said, *heard;
	} cases[] = {
		{ MEANS("turnover", "shop.orders.revenue") "," MEANS("Kopf head", "shop.orders"),
		    "turnover=shop.orders.revenue Kopf head=shop.orders " },
		{ MEANS("TURNOVER", "shop.orders.country"), "TURNOVER=shop.orders.country " },
		{ MEANS("head", "shop.orders.paid"), "head=shop.orders.paid " },
		{ "", no_word },
		{ MEANS("per", "shop.orders"), no_word },
		{ MEANS("", "shop.orders"), no_word },
		{ MEANS("turnover per Kopf", "shop.orders"), no_word },
		{ MEANS("head head head head head head head head head", "shop.orders"), no_word },
		{ MEANS("head", "shop.orders.secret"), no_id },
		{ MEANS("head", "shop.orders.salt"), no_id },
		{ MEANS("head", "raw.country"), no_id },
		{ MEANS("head", "raw"), no_id },
		{ MEANS("head", "shop.orders."), no_id },
		{ MEANS("head", "shop.ordersX"), no_id },
		{ MEANS("head", "shop.orders.revenue; DROP TABLE x"), no_id },
		{ MEANS("head", ""), no_id },
		{ VALUE("Kopf", "shop.orders.country", "France"), "Kopf=shop.orders.country:France " },
		{ VALUE("Kopf", "shop.orders", "France"), "is no id of a column of texts" },
		{ VALUE("Kopf", "shop.orders.revenue", "1"), "is no id of a column of texts" },
		{ VALUE("Kopf", "shop.orders.secret", "x"), no_id },
	};
	struct buf many = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_holds(hear(cases[i].said), cases[i].heard);
	for (size_t i = 0; i < 17; i++)
		buf_printf(&many, "%s%s", i > 0 ? "," : "", MEANS("head", "shop.orders"));
	assert_holds(hear(buf_cstr(&many)), "too many words");
	buf_fini(&many);
	buf_fini(&told);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_catalogue_has_its_bound),
		cmocka_unit_test(meanings_are_of_the_catalogue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
