/*
 * random_sqlite.c - databases and policies drawn by lot, each database made
 * twice with other protected values: what the worker says must be the same to
 * the byte, whatever is asked and whatever is scanned.
 *
 * CARREL_FUZZ_SECONDS is how long (60), CARREL_FUZZ_SEED where it begins (1).
 * Each database has a seed of its own, which a failure tells with the schema,
 * the policy and the statement.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "tests/integration/columns/random_sqlite_schema.h"
#include "tests/integration/columns/random_sqlite_words.h"
#include "tests/integration/sql/sql_harness.h"

#define SECONDS		60
#define STATEMENTS	80	/* of each database */

static char dir[] = "/tmp/carrel-random-XXXXXX";

struct pair {
	struct drawn	 drawn;
	uint64_t	 seed;
	char		 path[2][64];
	struct driver	*worker[2];
	unsigned long	 asked, answered, defined;
};

/* --- the two databases ------------------------------------------------------------------ */

/* A line that fails is left out: it does in both. */
static void
run_lines(sqlite3 *db, struct span text)
{
	while (text.len > 0) {
		const uint8_t *end = memchr(text.p, '\n', text.len);
		size_t n = end == NULL ? text.len : (size_t)(end - text.p) + 1;
		char *line = strndup((const char *)text.p, n);

		(void)sqlite3_exec(db, line, NULL, NULL, NULL);
		free(line);
		text = span_of(text.p + n, text.len - n);
	}
}

static void
make_database(struct pair *p, unsigned which)
{
	struct buf rows = { 0 };
	sqlite3 *db;

	snprintf(p->path[which], sizeof(p->path[which]), "%s/%u", dir, which);
	unlink(p->path[which]);
	assert_int_equal(sqlite3_open(p->path[which], &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "PRAGMA synchronous=OFF; BEGIN", NULL, NULL, NULL), SQLITE_OK);
	run_lines(db, buf_view(&p->drawn.schema));
	/* The tables of statistics lie in the same places. */
	(void)sqlite3_exec(db, "ANALYZE", NULL, NULL, NULL);
	drawn_rows(&p->drawn, which, &rows);
	run_lines(db, buf_view(&rows));
	assert_int_equal(sqlite3_exec(db, "ANALYZE; COMMIT", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	buf_fini(&rows);
}

/* --- comparing ----------------------------------------------------------------------------- */

/* What is another in any two databases: how long it took, and the file. */
static bool
is_own(const char *at, size_t *n)
{
	static const char *const keys[] = { "\"elapsedMs\":", "\"file_size\":", "\"file_path\":", "\"dataVersion\":",
		"\"schema_fingerprint\":" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strncmp(at, keys[i], strlen(keys[i])) == 0) {
			*n = strlen(keys[i]) + strcspn(at + strlen(keys[i]), ",}");
			return true;
		}
	return false;
}

static bool
is_digest(const char *at)
{
	static const char shape[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

	for (size_t i = 0; i < sizeof(shape) - 1; i++)
		if (shape[i] == '-' ? at[i] != '-' : strchr("0123456789abcdef", at[i]) == NULL || at[i] == '\0')
			return false;
	return true;
}

static void
put_text(struct buf *out, const char *text)
{
	size_t n;

	while (text != NULL && *text != '\0')
		if (is_own(text, &n))
			text += n;
		else if (is_digest(text)) {
			buf_str(out, "digest");
			text += 36;
		} else if (strncmp(text, "vtab:", 5) == 0) /* an address, in EXPLAIN */
			text += 5 + strspn(text + 5, "0123456789ABCDEFabcdefx");
		else
			buf_byte(out, (uint8_t)*text++);
	buf_byte(out, '\n');
}

static void
put_answer(const struct driver_answer *a, struct buf *out)
{
	buf_reset(out, 1 << 20);
	buf_printf(out, "%d %s\n", (int)a->kind, a->code == NULL ? "" : a->code);
	put_text(out, a->message);
	put_text(out, a->details);
	put_text(out, a->result);
	put_text(out, a->rows);
}

static void
compare(struct pair *p, const char *tool, const char *what, const char *arguments)
{
	struct buf text[2] = { { 0 }, { 0 } };
	bool answered = false;

	for (unsigned i = 0; i < 2; i++) {
		const struct driver_answer *a =
		    tool == NULL ? sql_run(p->worker[i], what, 0) : driver_call(p->worker[i], tool, "db", arguments);

		if (a->kind == DRIVER_LOST)
			fail_msg("the worker is lost, seed %llu: %s", (unsigned long long)p->seed, what);
		answered = a->kind == DRIVER_RESULT;
		put_answer(a, &text[i]);
	}
	p->asked++;
	p->answered += answered;
	if (!span_is(buf_view(&text[0]), buf_view(&text[1]))) {
		fprintf(stderr, "%s%s\n%.1500s\n%.1500s\n", buf_cstr(&p->drawn.schema), buf_cstr(&p->drawn.policy),
		    buf_cstr(&text[0]), buf_cstr(&text[1]));
		fail_msg("seed %llu tells protected values apart: %s %s", (unsigned long long)p->seed, what,
		    arguments == NULL ? "" : arguments);
	}
	buf_fini(&text[0]);
	buf_fini(&text[1]);
}

/* --- scans ------------------------------------------------------------------------------------ */

static void
put_json(struct buf *out, const char *name)
{
	for (; *name != '\0'; name++)
		buf_printf(out, *name == '"' ? "\\\"" : "%c", *name);
}

static void
put_column(struct buf *out, const struct drawn_object *o, unsigned i)
{
	buf_str(out, "{\"name\":\"");
	put_json(out, o->name);
	buf_str(out, "\",\"columns\":[\"");
	put_json(out, o->columns[i].name);
	buf_str(out, "\"]}");
}

static void
compare_profile(struct pair *p, const struct drawn_object *o)
{
	struct buf ask = { 0 };

	buf_str(&ask, "{\"name\":\"");
	put_json(&ask, o->name);
	buf_str(&ask, "\",\"columns\":[");
	for (unsigned i = 0; i < o->n; i++) {
		buf_str(&ask, i > 0 ? ",{\"name\":\"" : "{\"name\":\"");
		put_json(&ask, o->columns[i].name);
		buf_str(&ask, "\",\"nativeType\":\"TEXT\"}");
	}
	buf_printf(&ask, "],\"sampleRows\":%u,\"valuesPerColumn\":50,\"timeoutMs\":10000}",
	    3 + drawn_lot(&p->drawn, 100));
	compare(p, "profile", "profile", buf_cstr(&ask));
	buf_fini(&ask);
}

/* What views and indexes compute from digests differs as the digests do. */
static bool
is_measured(const struct pair *p, const struct drawn_object *o)
{
	return o->n > 0 && (!p->drawn.hashed || o->kind == DRAWN_TABLE);
}

static void
compare_relation(struct pair *p)
{
	const struct drawn_object *a = &p->drawn.objects[drawn_lot(&p->drawn, p->drawn.n)];
	const struct drawn_object *b = &p->drawn.objects[drawn_lot(&p->drawn, p->drawn.n)];
	struct buf ask = { 0 };

	if (!is_measured(p, a) || !is_measured(p, b))
		return;
	buf_str(&ask, "{\"child\":");
	put_column(&ask, a, drawn_lot(&p->drawn, a->n));
	buf_str(&ask, ",\"parent\":");
	put_column(&ask, b, drawn_lot(&p->drawn, b->n));
	buf_printf(&ask, ",\"sampleRows\":%u,\"timeoutMs\":9000}", 3 + drawn_lot(&p->drawn, 50));
	compare(p, "relate", "relate", buf_cstr(&ask));
	buf_fini(&ask);
}

static void
compare_scans(struct pair *p)
{
	compare(p, "introspect", "introspect", "{}");
	for (unsigned i = 0; i < p->drawn.n; i++)
		if (is_measured(p, &p->drawn.objects[i]))
			compare_profile(p, &p->drawn.objects[i]);
	for (unsigned i = 0; i < 6; i++)
		compare_relation(p);
}

/* A view of a computed value, and one upon it that compares it: its text names neither table nor column. */
static void
define_upon_computed(struct pair *p, unsigned which, sqlite3 *db)
{
	for (unsigned i = 0; i < p->drawn.n; i++)
		for (unsigned k = 0; k < p->drawn.objects[i].n; k++) {
			const struct drawn_object *o = &p->drawn.objects[i];
			char *shows, *upon;

			if (o->columns[k].action == DRAWN_CLEAR)
				continue;
			shows =
			    sqlite3_mprintf("CREATE VIEW \"shows_%u_%u\" AS SELECT lower(\"%w\") AS made FROM \"%w\"",
				i, k, o->columns[k].name, o->name);
			upon = sqlite3_mprintf(
			    "CREATE VIEW \"upon_%u_%u\" AS SELECT 1 AS one FROM \"shows_%u_%u\" WHERE made = "
			    "'CANARY_DEFINED%u'",
			    i, k, i, k, which);
			if (sqlite3_exec(db, shows, NULL, NULL, NULL) == SQLITE_OK &&
			    sqlite3_exec(db, upon, NULL, NULL, NULL) == SQLITE_OK)
				p->defined++;
			sqlite3_free(shows);
			sqlite3_free(upon);
		}
}

/* Views and indexes that compare a protected column with a value; a line that fails does so in both. */
static void
define_with_values(struct pair *p, unsigned which)
{
	static const char *const ways[] = {
		"CREATE VIEW \"filters_%d_%d\" AS SELECT 1 AS one FROM \"%w\" WHERE \"%w\" = 'CANARY_DEFINED%u'",
		"CREATE VIEW \"cases_%d_%d\" AS SELECT count(*) AS n FROM \"%w\" AS t GROUP BY CASE t.\"%w\" WHEN 'CANARY_DEFINED%u' THEN 1 END",
		"CREATE VIEW \"sleeps_%d_%d\" AS WITH u AS (SELECT * FROM \"%w\" WHERE \"%w\" = 'CANARY_DEFINED%u') SELECT 1 AS one",
		"CREATE VIEW \"joins_%d_%d\" AS SELECT 1 AS one FROM (SELECT 1 AS a) JOIN \"%w\" AS t ON t.\"%w\" = 'CANARY_DEFINED%u'",
		"CREATE INDEX \"part_%d_%d\" ON \"%w\" (1) WHERE \"%w\" = 'CANARY_DEFINED%u'",
		"CREATE INDEX \"computed_%d_%d\" ON \"%w\" (\"%w\" || 'CANARY_DEFINED%u')",
	};
	sqlite3 *db;

	assert_int_equal(sqlite3_open(p->path[which], &db), SQLITE_OK);
	for (unsigned i = 0; i < p->drawn.n; i++)
		for (unsigned k = 0; k < p->drawn.objects[i].n; k++)
			for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++) {
				const struct drawn_object *o = &p->drawn.objects[i];
				char *sql = o->columns[k].action == DRAWN_CLEAR ?
				    NULL :
				    sqlite3_mprintf(ways[w], (int)i, (int)k, o->name, o->columns[k].name, which);

				if (sql != NULL && sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK)
					p->defined++;
				sqlite3_free(sql);
			}
	define_upon_computed(p, which, db);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* What the catalogue itself shows is not covered, so nothing else is asked of these. */
static void
compare_definitions(struct pair *p)
{
	for (unsigned i = 0; i < 2; i++)
		define_with_values(p, i);
	compare(p, "introspect", "introspect with definitions", "{}");
}

/* --------------------------------------------------------------------------------------------------- */

static void
try_seed(struct pair *p, uint64_t seed)
{
	struct buf sql = { 0 };

	p->seed = seed;
	drawn_make(&p->drawn, seed);
	for (unsigned i = 0; i < 2; i++) {
		make_database(p, i);
		p->worker[i] = sql_start(&(struct sql_setup){ .driver = "sqlite", .path = p->path[i],
			.columns = buf_cstr(&p->drawn.policy), .schemas = "[]" });
	}
	for (unsigned i = 0; i < STATEMENTS; i++) {
		buf_reset(&sql, 1 << 20);
		drawn_statement(&p->drawn, &sql);
		compare(p, NULL, buf_cstr(&sql), NULL);
	}
	compare_scans(p);
	compare_definitions(p);
	for (unsigned i = 0; i < 2; i++) {
		sql_stop(p->worker[i]);
		unlink(p->path[i]);
	}
	drawn_fini(&p->drawn);
	buf_fini(&sql);
}

static uint64_t
setting(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

static void
nothing_depends_on_protected_values(void **state)
{
	uint64_t end = clock_ns() + setting("CARREL_FUZZ_SECONDS", SECONDS) * CLOCK_SECOND;
	uint64_t first = setting("CARREL_FUZZ_SEED", 1), seed = first;
	struct pair p = { .asked = 0 };

	(void)state;
	do
		try_seed(&p, seed++);
	while (clock_ns() < end);
	/* Else the lots are drawn badly, and nothing was tried. */
	if (p.answered * 8 < p.asked)
		fail_msg("only %lu of %lu were answered", p.answered, p.asked);
	if (p.defined == 0)
		fail_msg("no view or index over a protected column was made");
	print_message("seeds %llu to %llu: %lu of %lu statements and scans were answered, the others refused\n",
	    (unsigned long long)first, (unsigned long long)seed - 1, p.answered, p.asked);
}

static int
set_up(void **state)
{
	(void)state;
	return mkdtemp(dir) == NULL ? -1 : 0;
}

static int
tear_down(void **state)
{
	(void)state;
	return rmdir(dir);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_depends_on_protected_values),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
