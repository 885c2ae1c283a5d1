// libs: carrel_sql_duckdb carrel_sql carrel_base
/*
 * fuzz_duckdb_tree.c - parse trees as json_serialize_sql() gives them, and whatever else: refused with a reason, or
 * judged and followed; what the guard lets pass names no function that it does not allow.
 */
#include "base/mem.h"
#include "tests/fuzz/fuzz.h"
#include "workers/sql/duckdb/duckdb_guard.h"
#include "workers/sql/duckdb/duckdb_lineage.h"
#include "workers/sql/duckdb/duckdb_tree.h"

static struct duckdb_shape_column columns[] = { { { 0 }, COLUMNS_CLEAR }, { { 0 }, COLUMNS_MASK } };
static const struct duckdb_seen table = { DUCKDB_SEEN, { 2, 2, columns, false } };

static const struct duckdb_seen *
find(void *arg, struct span schema, struct span name)
{
	(void)arg, (void)schema;
	return span_is_word(name, "t") ? &table : NULL;
}

/* Every function of the tree. */
static void
check_functions(struct arena *a, const struct duckdb_node *node)
{
	if (span_is_str(duckdb_tree_text(a, node, "class"), "CONSTANT"))
		return;
	if (span_is_str(duckdb_tree_text(a, node, "class"), "FUNCTION"))
		require(duckdb_guard_allows_function(duckdb_tree_text(a, node, "function_name")));
	for (const struct duckdb_node *n = node->first; n != NULL; n = n->next)
		check_functions(a, n);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new((size_t)16 << 20);
	struct duckdb_names names = { .database = mem_text(SPAN("x")) };
	struct duckdb_guard g = { .names = &names };
	struct duckdb_lineage l = { .find = find, .arena = a };
	struct span tree = span_of(data, size), sql = SPAN("SELECT 1");
	struct duckdb_shape shape;
	struct err err = { .code = ERR_NONE };
	size_t at;

	columns[0].name = SPAN("a");
	columns[1].name = SPAN("m");
	duckdb_names_add(&names, SPAN("main"), SPAN("t"));
	if (duckdb_guard_judge(&g, a, tree, sql, &at, &err) == 0)
		check_functions(a, duckdb_tree_read(a, tree, &err));
	else
		require(err.code != ERR_NONE && err.message[0] != '\0');
	if (duckdb_lineage_follow(&l, tree, &shape, &err) == 0)
		for (size_t i = 0; i < shape.n; i++)
			require(shape.columns[i].action <= COLUMNS_HIDE);
	duckdb_names_fini(&names);
	arena_free(a);
	return 0;
}
