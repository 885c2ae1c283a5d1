// libs: carrel_guard_pg carrel_policy carrel_base
/*
 * fuzz_guard.c - any text: no crash, and what is allowed is one statement that
 * reads.  The first byte chooses what is tried: the text as it is, or as a
 * parse tree that libpg_query could have written.
 */
#include <pg_query.h>
#include <stdint.h>
#include <stdlib.h>

#include "workers/sql/postgres/guard/guard_pg.h"
#include "workers/sql/postgres/guard/guard_tree.h"
#include "tests/fuzz/fuzz.h"

static struct guard_catalogue *catalogue;
static struct guard_pg *guard;

static void
set_up(void)
{
	static const char *const names[] = { "count", "sum", "repeat", "generate_series", "array_fill", "format",
		"lower", "coalesce", "replace", "lpad", "current_setting" };

	catalogue = guard_catalogue_new();
	guard = guard_pg_new();
	guard_catalogue_add_path(catalogue, SPAN("pg_catalog"));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		guard_catalogue_add_function(catalogue, SPAN("pg_catalog"), span_str(names[i]), SPAN(""),
		    GUARD_FN_SYSTEM, 0, 9);
	guard_catalogue_add_function(catalogue, SPAN("pg_catalog"), SPAN("nextval"), SPAN(""),
	    GUARD_FN_SYSTEM | GUARD_FN_VOLATILE | GUARD_FN_ONE_ARGUMENT, 1, 1);
	guard_catalogue_seal(catalogue);
}

/* Asked again, in another way: one statement, of a kind that reads. */
static void
must_read(const char *sql)
{
	static const char *const kinds[] = { "{\"version\":150001,\"stmts\":[{\"stmt\":{\"SelectStmt\":",
		"{\"version\":150001,\"stmts\":[{\"stmt\":{\"ExplainStmt\":",
		"{\"version\":150001,\"stmts\":[{\"stmt\":{\"VariableShowStmt\":" };
	static const char *const never[] = { "\"InsertStmt\":", "\"UpdateStmt\":", "\"DeleteStmt\":", "\"IntoClause\":",
		"\"intoClause\":", "\"LockingClause\":", "\"CopyStmt\":", "\"DoStmt\":", "\"CallStmt\":", "\"MergeStmt\":" };
	PgQuerySplitResult split = pg_query_split_with_parser(sql);
	PgQueryParseResult parsed = pg_query_parse(sql);
	bool reads = false;

	if (split.error != NULL || split.n_stmts != 1 || parsed.error != NULL)
		abort();
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		reads |= strncmp(parsed.parse_tree, kinds[i], strlen(kinds[i])) == 0;
	if (!reads)
		abort();
	/* A string may hold the words, but not with quotes that are not escaped. */
	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		if (strstr(parsed.parse_tree, never[i]) != NULL)
			abort();
	if (strstr(parsed.parse_tree, "\"funcname\":[{\"String\":{\"sval\":\"nextval\"}}]") != NULL)
		abort();
	pg_query_free_split_result(split);
	pg_query_free_parse_result(parsed);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct guard_finding found;
	struct err err;
	char *text;

	if (catalogue == NULL)
		set_up();
	if (size == 0 || size > GUARD_TEXT_MAX + 1 || (text = malloc(size)) == NULL)
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	if (data[0] == '{') {
		struct guard_tree t = { 0 };

		(void)guard_tree_read(&t, text);
		guard_tree_fini(&t);
	} else if (guard_pg_check(guard, catalogue, span_of(text, size - 1), 0, &found, &err) == 0)
		must_read(text);
	free(text);
	return 0;
}
