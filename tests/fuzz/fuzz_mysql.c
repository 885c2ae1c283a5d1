// libs: carrel_guard_mysql carrel_policy carrel_base
/*
 * fuzz_mysql.c - any text as a statement for MariaDB: no crash, and of what is read the printed text is the same tree,
 * one statement without what no statement may have.  What the column policy makes of it can be read again.
 */
#include "base/buf.h"
#include "tests/fuzz/fuzz.h"
#include "workers/sql/mysql/grammar/mysql_lex.h"
#include "workers/sql/mysql/grammar/mysql_parse.h"
#include "workers/sql/mysql/grammar/mysql_print.h"
#include "workers/sql/mysql/guard/mysql_columns.h"
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

	require(mysql_lex(a, sql, false, &tokens, &at, &err) == 0);
	for (size_t i = 0; i < tokens.n; i++) {
		bool called = span_is_word(tokens.list[i].text, "INSERT") && span_is_str(tokens.list[i + 1].text, "(");
		bool plain = tokens.list[i].kind == MYSQL_TOKEN_WORD || tokens.list[i].kind == MYSQL_TOKEN_PUNCT;

		require(!plain || called || !span_is_any_word(tokens.list[i].text, never));
	}
}

#define S(text)	{ (const uint8_t *)(text), sizeof(text) - 1 }

static const struct mysql_column columns[] = { { .name = S("a") }, { .name = S("b") }, { .name = S("c") } };
static const struct mysql_relation relations[] = {
	{ .schema = S("s"), .name = S("t"), .ncolumns = 3, .columns = columns, .partitioned = S("b") },
	{ .schema = S("s"), .name = S("u"), .ncolumns = 3, .columns = columns },
	{ .schema = S("s"),
	    .name = S("v"),
	    .is_view = true,
	    .definition = S("select `a` AS `a`,`c` AS `b`,1 AS `c` from `s`.`t`"),
	    .ncolumns = 3,
	    .columns = columns },
	{ .schema = S("information_schema"), .name = S("COLUMNS"), .ncolumns = 3, .columns = columns },
};
static const struct mysql_catalogue catalogue = { .schema = S("s"), .n = 4, .relations = relations };

/* t.b is hidden, t.c masked. */
static struct mysql_columns *
policy_columns(void)
{
	static const char rules[] = "\x92\x82\xa6"
				    "action"
				    "\xa4"
				    "hide"
				    "\xa7"
				    "pattern"
				    "\xa3"
				    "t.b"
				    "\x82\xa6"
				    "action"
				    "\xa4"
				    "mask"
				    "\xa7"
				    "pattern"
				    "\xa3"
				    "t.c";
	struct columns *policy;
	struct err err;

	require(columns_new(&policy, span_of(rules, sizeof(rules) - 1), &err) == 0);
	return mysql_columns_new(policy, 0, &catalogue);
}

static void
apply_policy(struct arena *a, struct mysql_node *tree)
{
	static struct mysql_columns *policy;
	struct buf out = { 0 };
	struct err err;
	size_t at;

	if (policy == NULL)
		policy = policy_columns();
	if (mysql_columns_apply(policy, a, tree, &at, &err) == 0) {
		mysql_print(&out, tree);
		require(mysql_parse(a, buf_view(&out), &at, &err) != NULL || err.code == ERR_SQL_TOO_LONG ||
		    err.code == ERR_FORBIDDEN_SQL);
	}
	buf_fini(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct mysql_guard guard = { .mariadb = true, .version = 101119 };
	static struct arena *arena;
	struct mysql_node *tree, *again;
	bool allowed;
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
	allowed = mysql_guard_judge(&guard, tree, &at, &err) == 0;
	mysql_print(&out, tree);
	must_read(arena, buf_view(&out));
	again = mysql_parse(arena, buf_view(&out), &at, &err);
	/* The printed text is longer, so it may be too large where the text was not. */
	require(again == NULL ? err.code == ERR_SQL_TOO_LONG : mysql_tree_equal(tree, again));
	buf_fini(&out);
	if (allowed)
		apply_policy(arena, tree);
	return 0;
}
