/* mysql_weight.c - see mysql_weight.h. */
#include "workers/sql/mysql/guard/mysql_weight.h"

#include <stdbool.h>

#include "workers/sql/mysql/grammar/mysql_functions.h"

#define MOST	((size_t)1000000)	/* more are not told apart */
#define BUSY	SIZE_MAX

/* A query of WITH; the innermost first. */
struct copies_with {
	struct span			 name;
	const struct mysql_node		*query;
	size_t				 count;		/* 0: not known yet; BUSY: it is being counted */
	struct copies_with		*outer;
	struct copies_with *const	*sees;		/* what its query sees */
};

static size_t count_in(const struct mysql_node *node, struct copies_with *with);

static size_t
count_with(struct copies_with *with)
{
	if (with->count == BUSY)
		return 1;
	if (with->count == 0) {
		with->count = BUSY;
		with->count = count_in(with->query, *with->sees);
		with->count += with->count == 0;
	}
	return with->count;
}

static size_t
count_table(const struct mysql_node *names, struct copies_with *with)
{
	const struct mysql_node *name = names->first;

	if (name->next != NULL)
		return 1;
	while (with != NULL && !span_is_folded(with->name, name->text))
		with = with->outer;
	return with == NULL ? 1 : count_with(with);
}

static size_t
count_children(const struct mysql_node *node, struct copies_with *with)
{
	size_t count = 0;

	for (const struct mysql_node *n = node->first; n != NULL && count < MOST; n = n->next)
		if (n->kind != MYSQL_NODE_with)
			count += count_in(n, with);
	return count < MOST ? count : MOST;
}

/* The query without its WITH, once all of that is known; with RECURSIVE all queries of it see all of them. */
static size_t
count_body(const struct mysql_node *query, const struct mysql_node *cte, bool recursive, struct copies_with *with,
    struct copies_with **all)
{
	struct copies_with own = { .outer = with, .sees = recursive ? all : &own.outer };
	size_t count;

	if (cte == NULL) {
		*all = with;
		return count_children(query, with);
	}
	own.name = cte->first->text;
	own.query = mysql_tree_child(cte, MYSQL_NODE_QUERY);
	count = count_body(query, mysql_tree_next(cte, MYSQL_NODE_cte), recursive, &own, all) + count_with(&own);
	return count < MOST ? count : MOST;
}

static size_t
count_in(const struct mysql_node *node, struct copies_with *with)
{
	const struct mysql_node *list = mysql_tree_child(node, MYSQL_NODE_with);
	struct copies_with *all = NULL;

	if (node->kind == MYSQL_NODE_table_name)
		return count_table(node, with);
	if (node->kind != MYSQL_NODE_QUERY || list == NULL)
		return count_children(node, with);
	return count_body(node, mysql_tree_child(list, MYSQL_NODE_cte), mysql_tree_has(list, "RECURSIVE"), with, &all);
}

#define LITERAL_SMALL	100u	/* characters: what people write */
#define PADDED_SMALL	1000u

struct weight_walk {
	size_t				 nsets;
	size_t				 made;		/* the product of what makes values, up to MYSQL_MADE_MAX + 1 */
	const struct mysql_node		*maker, *set;	/* where it is too much; NULL: nowhere */
	const struct mysql_node		*rewrites;	/* a function with MYSQL_REWRITES; NULL: none is called */
	const struct mysql_node		*with;		/* a WITH with too many queries; NULL: none */
	bool				 spatial;	/* geometries are read */
	const struct mysql_node		*grows;		/* bytes that could be read as one; NULL: none are made */
};

static void
make(struct weight_walk *w, const struct mysql_node *node, size_t times)
{
	if (w->made <= MYSQL_MADE_MAX)
		w->made = times > MYSQL_MADE_MAX ? MYSQL_MADE_MAX + 1 : w->made * (times > 0 ? times : 1);
	if (w->made > MYSQL_MADE_MAX && w->maker == NULL)
		w->maker = node;
}

/* Argument n of a call, from 0; NULL: it has not as many. */
static const struct mysql_node *
argument_of(const struct mysql_node *call, unsigned n)
{
	const struct mysql_node *argument = call->first->next;

	for (; argument != NULL; argument = argument->next)
		if (argument->kind != MYSQL_NODE_WORD && n-- == 0)
			return argument;
	return NULL;
}

/* A number as it is written, also that of LEAST(x, 10); SIZE_MAX: it is something else, or large. */
static size_t
number_of(const struct mysql_node *node)
{
	const struct mysql_node *n = mysql_tree_child(node, MYSQL_NODE_NUMBER);
	size_t number = 0;

	if (node == NULL)
		return SIZE_MAX;
	if (node->kind == MYSQL_NODE_CALL && span_is_str(node->first->text, "LEAST"))
		return number_of(mysql_tree_child(node, MYSQL_NODE_literal));
	if (node->kind != MYSQL_NODE_literal || n == NULL || n->text.len > 6)
		return SIZE_MAX;
	for (size_t i = 0; i < n->text.len; i++) {
		if (n->text.p[i] < '0' || n->text.p[i] > '9')
			return SIZE_MAX;
		number = number * 10 + (size_t)(n->text.p[i] - '0');
	}
	return number;
}

/* REPEAT(x, n) multiplies; SPACE(n), LPAD(x, n, y) and RPAD(x, n, y) have that size. */
static void
measure_call(struct weight_walk *w, const struct mysql_node *call, bool inner)
{
	const struct mysql_function *f = mysql_functions_find(call->first->text); /* NULL: INTERVAL */
	unsigned properties = f == NULL ? 0 : f->properties;
	size_t times;

	if ((properties & MYSQL_REWRITES) != 0)
		w->rewrites = call;
	if ((properties & MYSQL_GROWS) != 0 && inner)
		w->grows = call;
	w->spatial = w->spatial || (properties & MYSQL_SPATIAL) != 0;
	if ((properties & MYSQL_MAKES) == 0)
		return;
	times = number_of(argument_of(call, span_is_str(call->first->text, "SPACE") ? 0 : 1));
	if (times > PADDED_SMALL || span_is_str(call->first->text, "REPEAT"))
		make(w, call, times);
}

static bool
is_spatial(const struct mysql_node *node)
{
	const struct mysql_function *f = node->kind != MYSQL_NODE_CALL || node->first->kind != MYSQL_NODE_FUNCTION ?
	    NULL :
	    mysql_functions_find(node->first->text);

	return f != NULL && (f->properties & MYSQL_SPATIAL) != 0;
}

static void
measure_literal(struct weight_walk *w, const struct mysql_node *node, bool inner)
{
	if (node->kind == MYSQL_NODE_STRING && node->text.len > LITERAL_SMALL)
		make(w, node, node->text.len);
	if (inner && (node->kind == MYSQL_NODE_STRING || node->kind == MYSQL_NODE_BITS) &&
	    node->text.len > MYSQL_GEOMETRY_MAX)
		w->grows = node;
}

/* inner: what is computed there may come into a function that reads geometries, as its argument or by a column. */
static void
measure_node(struct weight_walk *w, const struct mysql_node *node, bool inner)
{
	const struct mysql_node *cte = mysql_tree_child(node, MYSQL_NODE_cte);
	size_t queries = 0;

	if (node->kind == MYSQL_NODE_CALL && node->first->kind == MYSQL_NODE_FUNCTION)
		measure_call(w, node, inner);
	else if (node->first == NULL)
		measure_literal(w, node, inner);
	else if (node->kind == MYSQL_NODE_set_operation && ++w->nsets > MYSQL_SETS_MAX && w->set == NULL)
		w->set = node;
	for (; cte != NULL; cte = mysql_tree_next(cte, MYSQL_NODE_cte))
		if (++queries > MYSQL_QUERIES_MAX)
			w->with = node;
	inner = inner || node->kind == MYSQL_NODE_SUBQUERY || node->kind == MYSQL_NODE_cte ||
	    node->kind == MYSQL_NODE_json_table || is_spatial(node);
	for (const struct mysql_node *n = node->first; n != NULL; n = n->next)
		measure_node(w, n, inner);
}

static int
refuse_weight(const struct mysql_node *node, size_t *at)
{
	*at = node->at;
	return -1;
}

int
mysql_weight_judge(const struct mysql_node *tree, size_t *at, struct err *err)
{
	struct weight_walk w = { .made = 1 };

	measure_node(&w, tree, false);
	if (w.set != NULL) {
		err_set(err, ERR_FORBIDDEN_SQL,
		    "the statement has more than %u set operations; join a VALUES list instead", MYSQL_SETS_MAX);
		return refuse_weight(w.set, at);
	}
	if (w.with != NULL) {
		err_set(err, ERR_FORBIDDEN_SQL, "WITH has more than %u queries; ask in several statements",
		    MYSQL_QUERIES_MAX);
		return refuse_weight(w.with, at);
	}
	if (w.rewrites != NULL && w.maker != NULL) {
		err_set(err, ERR_FORBIDDEN_SQL,
		    "this makes values of more than %u characters, and with %.*s() the server could compute for hours; "
		    "write a smaller number, or LEAST(…, 100)",
		    MYSQL_MADE_MAX, SPAN_FMT(w.rewrites->first->text));
		return refuse_weight(w.maker, at);
	}
	if (w.spatial && w.grows != NULL) {
		err_set(err, ERR_FORBIDDEN_SQL,
		    "geometries are read from columns and from ST_GeomFromText(…) of a literal with at most %u "
		    "characters, not from texts that a statement puts together: the server could crash",
		    MYSQL_GEOMETRY_MAX);
		return refuse_weight(w.grows, at);
	}
	if (count_in(tree, NULL) <= MYSQL_TABLES_MAX)
		return 0;
	err_set(err, ERR_FORBIDDEN_SQL,
	    "the server would copy the queries of WITH until the statement has more than %u tables; name each of them "
	    "in fewer places, or ask in several statements",
	    MYSQL_TABLES_MAX);
	return refuse_weight(tree, at);
}
