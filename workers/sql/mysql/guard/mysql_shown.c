/* mysql_shown.c - see mysql_shown.h. */
#include "workers/sql/mysql/guard/mysql_shown.h"

#include "base/buf.h"
#include "workers/sql/mysql/grammar/mysql_lex.h"
#include "workers/sql/mysql/grammar/mysql_parse.h"
#include "workers/sql/mysql/grammar/mysql_print.h"

#define TEXT_MAX	((size_t)4 << 20)	/* of one sub-select */

static bool
token_names(const struct mysql_token *t, struct span name)
{
	return (t->kind == MYSQL_TOKEN_WORD || t->kind == MYSQL_TOKEN_NAME) && span_is_folded(t->value, name);
}

enum columns_action
mysql_shown_named(struct arena *a, const struct mysql_seen *seen, struct span sql)
{
	enum columns_action worst = COLUMNS_CLEAR;
	struct mysql_tokens tokens;
	struct err err;
	size_t at;

	if (sql.len == 0)
		return COLUMNS_CLEAR;
	if (mysql_lex(a, sql, false, &tokens, &at, &err) == -1)
		return COLUMNS_HIDE;
	for (size_t t = 0; t < tokens.n; t++)
		for (size_t i = 0; i < seen->relation->ncolumns; i++)
			if (seen->actions[i] > worst && token_names(&tokens.list[t], seen->relation->columns[i].name))
				worst = seen->actions[i];
	return worst;
}

/* Where the key is meant, the parser was given its name as that of a column. */
static void
name_key(struct mysql_node *node)
{
	if (node->kind == MYSQL_NODE_NAME && span_is_str(node->text, MYSQL_COLUMNS_KEY))
		node->kind = MYSQL_NODE_WORD;
	for (struct mysql_node *n = node->first; n != NULL; n = n->next)
		name_key(n);
}

/* The query that the text is; the buffer is used up. */
static struct mysql_node *
parse_own(struct mysql_lineage *l, struct buf *text, size_t at)
{
	struct span kept = text->full ? SPAN_NONE : arena_span(l->arena, buf_view(text));
	struct mysql_node *tree = NULL;
	size_t where;

	buf_fini(text);
	if (kept.p != NULL)
		tree = mysql_parse(l->arena, kept, &where, l->err);
	if (tree == NULL) {
		mysql_lineage_full(l);
		return NULL;
	}
	name_key(tree);
	tree->first->at = at;
	return tree->first;
}

static void
put_name(struct buf *out, struct span name)
{
	buf_quoted(out, name, '`');
}

/* digest_text() in SQL. */
static void
put_digest(struct buf *out, const struct mysql_column *c)
{
	buf_str(out,
	    "INSERT(INSERT(INSERT(INSERT(LEFT(SHA2(CONCAT(`" MYSQL_COLUMNS_KEY "`, SHA2(CONCAT(`" MYSQL_COLUMNS_KEY
	    "`, ");
	buf_str(out, c->binary ? "" : "CONVERT(");
	put_name(out, c->name);
	buf_str(out, c->binary ? "" : " USING utf8mb4)");
	buf_str(out, "), 256)), 256), 32), 21, 0, '-'), 17, 0, '-'), 13, 0, '-'), 9, 0, '-')");
}

/* The column as callers see it; nothing for a hidden one. */
static void
put_column(struct buf *out, const struct mysql_column *c, enum columns_action action, bool first)
{
	buf_str(out, first ? "" : ", ");
	if (action == COLUMNS_MASK && c->unread)
		buf_str(out, "'" COLUMNS_MASKED "' AS ");
	else if (action == COLUMNS_MASK) {
		buf_str(out, "IF(");
		put_name(out, c->name);
		buf_str(out, " IS NULL, NULL, '" COLUMNS_MASKED "') AS ");
	} else if (action == COLUMNS_HASH) {
		put_digest(out, c);
		buf_str(out, " AS ");
	}
	put_name(out, c->name);
}

/* A column with the name of the key would be taken for it. */
bool
mysql_shown_column(const struct mysql_seen *seen, size_t column)
{
	const struct mysql_column *c = &seen->relation->columns[column];

	return seen->actions[column] != COLUMNS_HIDE && !c->invisible && !span_is_str(c->name, MYSQL_COLUMNS_KEY);
}

/* A relation without visible columns still has a number of rows. */
static size_t
put_columns(struct buf *out, const struct mysql_seen *seen)
{
	size_t n = 0;

	buf_str(out, "SELECT ");
	for (size_t i = 0; i < seen->relation->ncolumns; i++)
		if (mysql_shown_column(seen, i))
			put_column(out, &seen->relation->columns[i], seen->actions[i], n++ == 0);
	buf_str(out, n == 0 ? "NULL AS nothing FROM " : " FROM ");
	return n;
}

static void
put_relation(struct buf *out, const struct mysql_relation *r)
{
	put_name(out, r->schema);
	buf_byte(out, '.');
	put_name(out, r->name);
}

/* Whether an index has a protected column in it; what is not a column, and not known, may be of one. */
static bool
is_telling(struct mysql_lineage *l, const struct mysql_seen *seen, const struct mysql_part *part)
{
	if (part->column.len == 0)
		return true;
	for (size_t i = 0; i < seen->relation->ncolumns; i++)
		if (span_is_folded(seen->relation->columns[i].name, part->column))
			return seen->actions[i] != COLUMNS_CLEAR;
	return mysql_shown_named(l->arena, seen, part->column) != COLUMNS_CLEAR;
}

bool
mysql_shown_divides(struct mysql_lineage *l, const struct mysql_seen *seen)
{
	const struct mysql_relation *r = seen->relation;

	for (size_t i = 0; i < r->nparts && r->keyed; i++)
		if (is_telling(l, seen, &r->parts[i]))
			return true;
	return r->partitioned.len > 0 && mysql_shown_named(l->arena, seen, r->partitioned) != COLUMNS_CLEAR;
}

/*
 * Rows that come through an index with protected columns, or lie in their order, tell that order.  Such indexes are
 * not used; true: the table itself is in such an order.
 */
static bool
put_indexes(struct mysql_lineage *l, struct buf *out, const struct mysql_seen *seen)
{
	const struct mysql_relation *r = seen->relation;
	bool ordered = mysql_shown_divides(l, seen), any = false, primary = false;
	struct span last = SPAN_NONE;

	for (size_t i = 0; i < r->nparts; i++)
		primary = primary || span_is_str(r->parts[i].index, "PRIMARY");
	for (size_t i = 0; i < r->nparts; i++) {
		if (span_is(r->parts[i].index, last) || !is_telling(l, seen, &r->parts[i]))
			continue;
		last = r->parts[i].index;
		ordered = ordered || !primary || span_is_str(last, "PRIMARY");
		buf_str(out, any ? ", " : " IGNORE INDEX (");
		put_name(out, last);
		any = true;
	}
	buf_str(out, any ? ")" : "");
	return ordered;
}

/*
 * In an order of what is shown, and of all its bytes: the server compares by the collation, and the beginning of long
 * values.  LIMIT makes the server keep the order.
 */
static void
put_order(struct buf *out, const struct mysql_seen *seen, size_t n)
{
	for (size_t i = 1; i <= n; i++)
		buf_printf(out, i == 1 ? " ORDER BY %zu" : ", %zu", i);
	for (size_t i = 0; i < seen->relation->ncolumns; i++)
		if (mysql_shown_column(seen, i) && seen->actions[i] == COLUMNS_CLEAR) {
			buf_str(out, ", CRC32(");
			put_name(out, seen->relation->columns[i].name);
			buf_byte(out, ')');
		}
	buf_str(out, " LIMIT 18446744073709551615");
}

struct mysql_node *
mysql_shown_table(struct mysql_lineage *l, const struct mysql_seen *seen, size_t at)
{
	struct buf text = BUF_MAX(TEXT_MAX), indexes = { 0 };
	size_t n = put_columns(&text, seen);

	put_relation(&text, seen->relation);
	if (put_indexes(l, &indexes, seen)) {
		buf_span(&text, buf_view(&indexes));
		put_order(&text, seen, n);
	} else
		buf_span(&text, buf_view(&indexes));
	buf_fini(&indexes);
	return parse_own(l, &text, at);
}

enum lineage_rows { COLUMN, TABLE, EACH };

static const struct lineage_tells {
	const char		*relation, *column;
	enum lineage_rows	 rows;
} tells[] = {
#define TELLS(relation, column, rows)	{ relation, column, rows },
#include "workers/sql/mysql/guard/mysql_tells.def"
#undef TELLS
};

#define TELLS_ROWS	(sizeof(tells) / sizeof(tells[0]))

static const struct lineage_tells *
find_telling(struct span relation, struct span column)
{
	for (size_t i = 0; i < TELLS_ROWS; i++)
		if (span_is_word(relation, tells[i].relation) &&
		    (column.len == 0 || span_is_word(column, tells[i].column)))
			return &tells[i];
	return NULL;
}

bool
mysql_shown_tells(struct span relation)
{
	return find_telling(relation, SPAN_NONE) != NULL;
}

static void
put_row(struct buf *out, const struct mysql_relation *r, const struct mysql_column *c, size_t n)
{
	buf_str(out, n == 0 ? "(" : ", (");
	mysql_print_string(out, r->schema);
	buf_str(out, ", ");
	mysql_print_string(out, r->name);
	if (c != NULL) {
		buf_str(out, ", ");
		mysql_print_string(out, c->name);
	}
	buf_byte(out, ')');
}

/* The names of protected relations or columns, as rows; how many. */
static size_t
put_rows(struct mysql_lineage *l, struct buf *out, enum lineage_rows rows)
{
	const struct mysql_seen *seen = NULL;
	size_t n = 0;

	while ((seen = l->next(l->arg, seen)) != NULL)
		for (size_t i = 0; i < (rows == TABLE ? 1 : seen->relation->ncolumns); i++)
			if (rows == TABLE)
				put_row(out, seen->relation, NULL, n++);
			else if (seen->actions[i] != COLUMNS_CLEAR)
				put_row(out, seen->relation, &seen->relation->columns[i], n++);
	return n;
}

static void
put_described(struct mysql_lineage *l, struct buf *out, const struct lineage_tells *t, struct span column)
{
	struct buf rows = { 0 };

	if (t->rows == EACH)
		buf_str(out, "NULL AS ");
	else if (put_rows(l, &rows, t->rows) > 0) {
		buf_str(out, "IF((TABLE_SCHEMA, TABLE_NAME");
		buf_str(out, t->rows == COLUMN ? ", COLUMN_NAME) IN (" : ") IN (");
		buf_span(out, buf_view(&rows));
		buf_str(out, "), NULL, ");
		put_name(out, column);
		buf_str(out, ") AS ");
	}
	buf_fini(&rows);
	put_name(out, column);
}

struct mysql_node *
mysql_shown_described(struct mysql_lineage *l, const struct mysql_relation *r, size_t at)
{
	struct buf text = BUF_MAX(TEXT_MAX);

	buf_str(&text, "SELECT ");
	for (size_t i = 0; i < r->ncolumns; i++) {
		const struct lineage_tells *t = find_telling(r->name, r->columns[i].name);

		buf_str(&text, i == 0 ? "" : ", ");
		if (t == NULL)
			put_name(&text, r->columns[i].name);
		else
			put_described(l, &text, t, r->columns[i].name);
	}
	buf_str(&text, " FROM ");
	put_relation(&text, r);
	return parse_own(l, &text, at);
}

struct mysql_node *
mysql_shown_inner(struct mysql_node *query)
{
	return mysql_tree_child(mysql_tree_child(mysql_tree_child(query, MYSQL_NODE_select), MYSQL_NODE_joined),
	    MYSQL_NODE_table);
}

/* The definition within a sub-select for the rules that name the view's columns; only what it adds is done there. */
struct mysql_node *
mysql_shown_around(struct mysql_lineage *l, const struct mysql_seen *seen, const struct mysql_shape *shape,
    struct mysql_node *query)
{
	struct buf text = BUF_MAX(TEXT_MAX);
	struct mysql_node *around, *sub, *close;
	size_t n = 0;

	buf_str(&text, "SELECT ");
	for (size_t i = 0; i < shape->n; i++)
		if (mysql_shown_column(seen, i))
			put_column(&text, &seen->relation->columns[i],
			    seen->actions[i] > shape->columns[i].action ? seen->actions[i] : COLUMNS_CLEAR, n++ == 0);
	buf_str(&text, n == 0 ? "NULL AS nothing FROM (SELECT 1) AS " : " FROM (SELECT 1) AS ");
	put_name(&text, seen->relation->name);
	if ((around = parse_own(l, &text, query->at)) == NULL)
		return NULL;
	sub = mysql_tree_child(mysql_shown_inner(around), MYSQL_NODE_SUBQUERY);
	close = sub->last;
	sub->first->next = query;
	query->next = close;
	return around;
}

