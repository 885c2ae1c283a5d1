// libs: carrel_semantic carrel_project carrel_base
/* The SQL of queries over a small model, compared with files; see tests/golden/semantic/README.md. */
#include "tests/unit/harness.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json/json_read.h"
#include "semantic/compile.h"

#define GOLDEN	SOURCE_DIR "/tests/golden/semantic/"

static struct source_set *set;
static struct sem_model *model;

static bool
read_file(const char *path, struct buf *out)
{
	FILE *f = fopen(path, "r");
	size_t n;

	if (f == NULL)
		return false;
	while ((n = fread(buf_reserve(out, 65536), 1, 65536, f)) > 0)
		out->len += n;
	fclose(f);
	return true;
}

static int
open_model(void **state)
{
	static const struct source *list[64];
	DIR *d = opendir(GOLDEN "sources");
	struct dirent *e;

	(void)state;
	if (d == NULL)
		return -1;
	set = source_set_new();
	while ((e = readdir(d)) != NULL) {
		struct buf text = { 0 };
		char path[1024];

		snprintf(path, sizeof(path), GOLDEN "sources/%s", e->d_name);
		if (e->d_name[0] != '.' && read_file(path, &text))
			source_set_put(set, e->d_name, buf_view(&text), NULL);
		buf_fini(&text);
	}
	closedir(d);
	source_set_compose(set, NULL, NULL);
	for (size_t i = 0; i < source_set_count(set); i++)
		list[i] = source_set_at(set, i);
	model = sem_model_new(list, source_set_count(set));
	return source_set_troubles(set) == 0 ? 0 : -1;
}

static int
close_model(void **state)
{
	(void)state;
	sem_model_free(model);
	source_set_free(set);
	return 0;
}

/* What the query becomes: its SQL, or the category and sentence of its refusal. */
static void
compile(const struct mp_value *query, const struct dialect *d, struct buf *out)
{
	struct arena *a = arena_new((size_t)16 << 20);
	struct sem_problem p = { 0 };
	struct sem_compiled c;
	struct sem_query q;

	if (sem_query_read(a, query, &q, &p) == 0 && sem_compile(model, d, &q, a, &c, &p) == 0)
		buf_printf(out, "%.*s\n", SPAN_FMT(c.sql));
	else
		buf_printf(out, "-- %s: %s\n", sem_category_name(p.category), p.message);
	arena_free(a);
}

static void
compare(const char *path, const struct buf *got)
{
	const char *mode = getenv("CARREL_GOLDEN");
	struct buf want = { 0 };

	if (mode != NULL && strcmp(mode, "write") == 0) {
		FILE *f = fopen(path, "w");

		assert_non_null(f);
		assert_int_equal(fwrite(got->p, 1, got->len, f), got->len);
		assert_int_equal(fclose(f), 0);
		return;
	}
	if (!read_file(path, &want))
		fail_msg("%s is missing; CARREL_GOLDEN=write makes it", path);
	if (want.len != got->len || memcmp(want.p, got->p, got->len) != 0)
		fail_msg("%s differs; now it is\n%.*s", path, (int)got->len, (const char *)got->p);
	buf_fini(&want);
}

static void
sql_is_as_shown(void **state)
{
	static const struct dialect *const dialects[] = { &dialect_sqlite, &dialect_postgres, &dialect_mysql };
	struct buf text = { 0 };
	size_t n = 0;

	(void)state;
	assert_true(read_file(GOLDEN "queries.jsonl", &text));
	for (size_t at = 0; at < text.len; n++) {
		const uint8_t *eol = memchr(text.p + at, '\n', text.len - at);
		size_t end = eol != NULL ? (size_t)(eol - text.p) : text.len, where;
		struct mp_value line, query;
		struct buf doc = { 0 };

		assert_int_equal(json_read(span_of(text.p + at, end - at), &doc, &where), JSON_OK);
		assert_true(mp_value(buf_view(&doc), &line) && mp_get(&line, "query", &query));
		for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++) {
			struct span name = mp_get_str(&line, "name", SPAN("?"));
			struct buf got = { 0 };
			char path[1024];

			compile(&query, dialects[i], &got);
			snprintf(path, sizeof(path), GOLDEN "%.*s.%s.sql", SPAN_FMT(name), dialect_name(dialects[i]));
			compare(path, &got);
			buf_fini(&got);
		}
		buf_fini(&doc);
		at = end + 1;
	}
	assert_true(n > 10);
	buf_fini(&text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(sql_is_as_shown) };

	return cmocka_run_group_tests(tests, open_model, close_model);
}
