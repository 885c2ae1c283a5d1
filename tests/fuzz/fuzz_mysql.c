// libs: carrel_guard_mysql carrel_policy carrel_base
/*
 * fuzz_mysql.c - any text as a statement for MariaDB: no crash, and of what is read the printed text is the same tree,
 * one statement without what no statement may have.
 */
#include "base/buf.h"
#include "tests/fuzz/fuzz.h"
#include "workers/sql/mysql/grammar/mysql_lex.h"
#include "workers/sql/mysql/grammar/mysql_parse.h"
#include "workers/sql/mysql/grammar/mysql_print.h"
#include "workers/sql/mysql/guard/mysql_guard.h"

#define TEXT_MAX	65536u
#define ARENA_MAX	(64u << 20)

/* By the tokens alone: no word that only statements that are refused have. */
static void
must_read(struct arena *a, struct span sql)
{
	static const char *const never[] = { "INTO", "UPDATE", "DELETE", "INSERT", "PROCEDURE", "LOCK", "CALL", "SET",
		";", NULL };
	struct mysql_tokens tokens;
	struct err err;
	size_t at;

	require(mysql_lex(a, sql, &tokens, &at, &err) == 0);
	for (size_t i = 0; i < tokens.n; i++) {
		bool called = span_is_word(tokens.list[i].text, "INSERT") && span_is_str(tokens.list[i + 1].text, "(");
		bool plain = tokens.list[i].kind == MYSQL_TOKEN_WORD || tokens.list[i].kind == MYSQL_TOKEN_PUNCT;

		require(!plain || called || !span_is_any_word(tokens.list[i].text, never));
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct mysql_guard guard;
	static struct arena *arena;
	const struct mysql_node *tree, *again;
	struct buf out = { 0 };
	struct err err;
	size_t at = 0;

	if (size > TEXT_MAX)
		return 0;
	if (arena == NULL)
		arena = arena_new(ARENA_MAX);
	arena_reset(arena);
	tree = mysql_parse(arena, span_of(data, size), &at, &err);
	require(tree != NULL || at <= size || at == MYSQL_PARSE_NOWHERE);
	if (tree == NULL)
		return 0;
	(void)mysql_guard_judge(&guard, tree, &at, &err);
	mysql_print(&out, tree);
	must_read(arena, buf_view(&out));
	again = mysql_parse(arena, buf_view(&out), &at, &err);
	/* The printed text is longer, so it may be too large where the text was not. */
	require(again == NULL ? err.code == ERR_SQL_TOO_LONG : mysql_tree_equal(tree, again));
	buf_fini(&out);
	return 0;
}
