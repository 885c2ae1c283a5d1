#include "workers/sql/mysql/mysql_bound.h"

#include <string.h>

#include "workers/sql/mysql/grammar/mysql_print.h"
#include "workers/sql/mysql/mysql_text.h"

/* Other placeholders the lexer refuses. */
static const struct sql_bound_style numbers = { SQLTEXT_MYSQL, "", NULL, ':' };

int
mysql_bound_write(struct arena *a, const struct sql_bound *bound, struct span *sql, struct err *err)
{
	return sql_bound_text(&numbers, a, bound, sql, err);
}

static size_t
number_of(const struct mysql_node *leaf)
{
	size_t number = 0;

	for (size_t i = 1; i < leaf->text.len; i++) /* no NUL is behind it: digits of other things may be */
		number = number * 10 + (size_t)(leaf->text.p[i] - '0');
	return number;
}

struct measured {
	const struct sql_bound	*bound;
	bool			 strange;
};

static void
measure_leaf(void *arg, struct mysql_node *leaf)
{
	struct measured *m = arg;
	size_t number = number_of(leaf);

	if (number < 1 || number > m->bound->n)
		m->strange = true;
	else if (m->bound->v[number - 1].text != NULL)
		leaf->length = (unsigned)strlen(m->bound->v[number - 1].text);
}

int
mysql_bound_measure(struct mysql_node *tree, const struct sql_bound *bound, struct err *err)
{
	struct measured m = { bound, false };

	mysql_tree_each(tree, MYSQL_NODE_PARAMETER, measure_leaf, &m);
	return !m.strange ? 0 : err_set(err, ERR_INVALID_SQL, "the statement has a parameter that is not declared");
}

void
mysql_bound_put_set(struct buf *out, const struct sql_bound *bound)
{
	static const char *const casts[PARAMETER_TYPES] = { [PARAMETER_STRING] = "?",
		[PARAMETER_INTEGER] = "CAST(? AS SIGNED)", [PARAMETER_NUMBER] = "CAST(? AS DOUBLE)",
		[PARAMETER_BOOLEAN] = "? = 'true'", [PARAMETER_DATE] = "?", [PARAMETER_TIMESTAMP] = "?" };

	for (size_t i = 0; i < bound->n; i++)
		buf_printf(out, "%s @carrel_%zu = %s", i == 0 ? "SET" : ",", i + 1, casts[bound->v[i].type]);
}

static void
put_variable(void *arg, struct mysql_node *leaf)
{
	struct buf *out = arg;

	buf_printf(out, "%s @carrel_%zu", out->p[out->len - 1] == 'l' ? " USING" : ",", number_of(leaf));
}

void
mysql_bound_put_execute(struct buf *out, struct mysql_node *tree)
{
	buf_str(out, "EXECUTE carrel_tool");
	mysql_tree_each(tree, MYSQL_NODE_PARAMETER, put_variable, out);
}

void
mysql_bound_put_prepare(struct buf *out, struct span printed)
{
	buf_str(out, "PREPARE carrel_tool FROM ");
	mysql_print_string(out, printed);
}
