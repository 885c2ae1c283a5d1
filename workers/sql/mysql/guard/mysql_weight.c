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

/* Where a node stands: what is computed there comes into … */
#define IN_QUERY	1u	/* … a column of a query in FROM or WITH */
#define IN_SPATIAL	2u	/* … a function that reads geometries */
#define IN_SEARCH	4u	/* … a function that searches */
#define SEES_NAMES	8u	/* what is read there may be any item of SELECT, by its name */

/* A product, up to a bound and one more; the node with which it was passed, or NULL. */
struct weight_product {
	size_t			 times, most;
	const struct mysql_node	*passed;
};

/* Functions that read large values, and what makes such values for them. */
struct weight_reads {
	const struct mysql_node	*reader;	/* NULL: none is called */
	bool			 by_name;	/* one of them stands where it sees names */
	struct weight_product	 within, any;	/* what makes values that come into one; anywhere */
};

struct weight_walk {
	size_t			 nsets;
	struct weight_product	 made;		/* what constants make, one within the other */
	size_t			 sum;		/* what they make at the outside */
	struct weight_product	 inner;		/* what they make in queries that others read */
	const struct mysql_node	*set;		/* where it is too much; NULL: nowhere */
	const struct mysql_node	*rewrites;	/* a function with MYSQL_REWRITES; NULL: none is called */
	const struct mysql_node	*with;		/* a WITH with too many queries; NULL: none */
	const struct mysql_node	*sums;		/* what makes too much in all; NULL: nothing */
	struct weight_reads	 spatial, search;
};

/* Up to a bound and one more. */
static size_t
multiply(size_t a, size_t b, size_t most)
{
	if (a == 0 || b == 0)
		return 0;
	return a > most / b ? most + 1 : a * b;
}

static void
grow(struct weight_product *p, const struct mysql_node *node, size_t times)
{
	p->times = multiply(p->times, times > 0 ? times : 1, p->most);
	if (p->times > p->most && p->passed == NULL)
		p->passed = node;
}

static void
grow_for(struct weight_reads *r, const struct mysql_node *node, size_t times, bool within)
{
	grow(&r->any, node, times);
	if (within)
		grow(&r->within, node, times);
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

/* A number as it is written; SIZE_MAX: it is something else, or large. */
static size_t
number_in(const struct mysql_node *n)
{
	size_t number = 0;

	if (n == NULL || n->text.len > 6)
		return SIZE_MAX;
	for (size_t i = 0; i < n->text.len; i++) {
		if (n->text.p[i] < '0' || n->text.p[i] > '9')
			return SIZE_MAX;
		number = number * 10 + (size_t)(n->text.p[i] - '0');
	}
	return number;
}

/* The same of an argument, also that of LEAST(x, 10). */
static size_t
number_of(const struct mysql_node *node)
{
	if (node != NULL && node->kind == MYSQL_NODE_CALL && span_is_str(node->first->text, "LEAST"))
		node = mysql_tree_child(node, MYSQL_NODE_literal);
	return node == NULL || node->kind != MYSQL_NODE_literal ? SIZE_MAX :
								  number_in(mysql_tree_child(node, MYSQL_NODE_NUMBER));
}

static unsigned
properties_of(const struct mysql_node *node)
{
	const struct mysql_function *f = node->kind != MYSQL_NODE_CALL || node->first->kind != MYSQL_NODE_FUNCTION ?
	    NULL :
	    mysql_functions_find(node->first->text); /* NULL: INTERVAL */

	return f == NULL ? 0 : f->properties;
}

/* Strings one behind the other are one text. */
static size_t
length_of(const struct mysql_node *literal)
{
	size_t length = 0;

	for (const struct mysql_node *n = literal->first; n != NULL; n = n->next)
		length += n->kind == MYSQL_NODE_STRING || n->kind == MYSQL_NODE_BITS ? n->text.len :
		    n->kind == MYSQL_NODE_PARAMETER                                  ? n->length :
										       0;
	return length;
}

static size_t size_made(const struct mysql_node *call);

/* The characters that constants make in an expression, up to MYSQL_SUM_MAX + 1; at least 1. */
static size_t
size_of(const struct mysql_node *node)
{
	size_t size = node->kind == MYSQL_NODE_literal ? length_of(node) : 0;

	if ((properties_of(node) & MYSQL_MAKES) != 0)
		return size_made(node);
	for (const struct mysql_node *n = node->first; n != NULL && size <= MYSQL_SUM_MAX; n = n->next)
		size += n->first == NULL ? 0 : size_of(n);
	return size == 0 ? 1 : size;
}

/* REPEAT(x, n) multiplies; SPACE(n), LPAD(x, n, y) and RPAD(x, n, y) have that size. */
static size_t
size_made(const struct mysql_node *call)
{
	size_t times = number_of(argument_of(call, span_is_str(call->first->text, "SPACE") ? 0 : 1));

	return span_is_str(call->first->text, "REPEAT") ?
	    multiply(size_of(argument_of(call, 0)), times, MYSQL_SUM_MAX) :
	    times;
}

/* What makes values of that size: all at the outside are there at once, and others read what those within make. */
static void
add_made(struct weight_walk *w, const struct mysql_node *node, size_t size, bool inner)
{
	if (inner)
		grow(&w->inner, node, size);
	else
		w->sum += size > MYSQL_SUM_MAX ? MYSQL_SUM_MAX + 1 : size;
	if (w->sums == NULL && multiply(w->sum > 0 ? w->sum : 1, w->inner.times, MYSQL_SUM_MAX) > MYSQL_SUM_MAX)
		w->sums = node;
}

static void
measure_maker(struct weight_walk *w, const struct mysql_node *call, unsigned place)
{
	bool repeats = span_is_str(call->first->text, "REPEAT");
	size_t size = size_made(call), times = repeats ? number_of(argument_of(call, 1)) : size;

	if (!repeats && size <= PADDED_SMALL)
		return;
	grow(&w->made, call, times);
	grow_for(&w->search, call, times, true);
	add_made(w, call, size, (place & IN_QUERY) != 0);
}

/* BINARY(n) and WEIGHT_STRING(x AS BINARY(n)) pad. */
static void
measure_precision(struct weight_walk *w, const struct mysql_node *precision, unsigned place)
{
	size_t size = number_in(mysql_tree_child(precision, MYSQL_NODE_NUMBER));

	if (size > PADDED_SMALL)
		add_made(w, precision, size, (place & IN_QUERY) != 0);
}

/* How many times larger than its arguments a value may be: by those that are no literals. */
static size_t
growth_of(const struct mysql_node *call)
{
	size_t n = 0;

	for (const struct mysql_node *a = call->first->next; a != NULL; a = a->next)
		n += a->kind != MYSQL_NODE_WORD && a->kind != MYSQL_NODE_literal;
	return n < 2 ? 2 : n;
}

/* How many times larger than what it reads a value of an expression or query may be, without the queries in it. */
static size_t
growth_within(const struct mysql_node *node)
{
	size_t most = 1;

	for (const struct mysql_node *n = node->first; n != NULL; n = n->next) {
		size_t one = n->first == NULL || n->kind == MYSQL_NODE_QUERY ? 1 : growth_within(n);

		most = one > most ? one : most;
	}
	return (properties_of(node) & (MYSQL_GROWS | MYSQL_MAKES)) == MYSQL_GROWS ?
	    multiply(most, growth_of(node), MYSQL_SUM_MAX) :
	    most;
}

/* The same with the queries in a node, each of which reads what those in it make; those of WITH may read each other. */
static size_t
growth_below(const struct mysql_node *node)
{
	size_t most = 1, with = 1;

	for (const struct mysql_node *n = node->first; n != NULL; n = n->next) {
		size_t one = n->first == NULL ? 1 : growth_below(n);

		if (n->kind == MYSQL_NODE_QUERY)
			one = multiply(one, growth_within(n), MYSQL_SUM_MAX);
		if (n->kind == MYSQL_NODE_with || n->kind == MYSQL_NODE_cte)
			with = multiply(with, one, MYSQL_SUM_MAX);
		else
			most = one > most ? one : most;
	}
	return multiply(most, with, MYSQL_SUM_MAX);
}

static void
measure_call(struct weight_walk *w, const struct mysql_node *call, unsigned place)
{
	unsigned properties = properties_of(call);

	if ((properties & MYSQL_REWRITES) != 0)
		w->rewrites = call;
	if ((properties & MYSQL_GROWS) != 0)
		grow_for(&w->spatial, call, 2, (place & (IN_QUERY | IN_SPATIAL)) != 0);
	if ((properties & MYSQL_MAKES) != 0)
		measure_maker(w, call, place);
	else if ((properties & (MYSQL_GROWS | MYSQL_GATHERS)) != 0)
		grow_for(&w->search, call, (properties & MYSQL_GATHERS) != 0 ? SIZE_MAX : growth_of(call),
		    (place & (IN_QUERY | IN_SEARCH)) != 0);
}

static void
measure_literal(struct weight_walk *w, const struct mysql_node *literal, unsigned place)
{
	size_t length = length_of(literal);

	if (length > LITERAL_SMALL) {
		grow(&w->made, literal, length);
		grow_for(&w->search, literal, length, true);
	}
	if (length > MYSQL_GEOMETRY_MAX)
		grow_for(&w->spatial, literal, 2, (place & (IN_QUERY | IN_SPATIAL)) != 0);
}

/* CONVERT(x USING utf32) and the like have more bytes than x. */
static void
measure_charset(struct weight_walk *w, const struct mysql_node *node, unsigned place)
{
	static const char *const wide[] = { "UNICODE", "ucs2", "utf16", "utf16le", "utf32", NULL };

	if (span_is_any_word(node->first->text, wide))
		grow_for(&w->spatial, node, 2, (place & (IN_QUERY | IN_SPATIAL)) != 0);
}

/* The pattern of a search; NULL if node is not a search. */
static const struct mysql_node *
pattern_of(const struct mysql_node *node)
{
	unsigned properties = properties_of(node);

	if ((properties & (MYSQL_SEARCHES_1 | MYSQL_SEARCHES_2)) != 0)
		return argument_of(node, (properties & MYSQL_SEARCHES_1) != 0 ? 0 : 1);
	if (node->kind == MYSQL_NODE_EXPRESSION)
		for (const struct mysql_node *n = node->first; n != NULL; n = n->next)
			if (mysql_tree_is(n, "LIKE"))
				return n->next;
	return NULL;
}

/* What replaces does so for each place where the pattern is, however short that is. */
static bool
is_search(const struct mysql_node *node)
{
	const struct mysql_node *pattern = pattern_of(node);

	return pattern != NULL &&
	    ((properties_of(node) & MYSQL_REWRITES) != 0 || pattern->kind != MYSQL_NODE_literal ||
		length_of(pattern) > LITERAL_SMALL);
}

static void
read_by(struct weight_reads *r, const struct mysql_node *node, unsigned place)
{
	r->reader = node;
	r->by_name = r->by_name || (place & SEES_NAMES) != 0;
}

/* The place of what is in a node. */
static unsigned
place_within(const struct mysql_node *node, unsigned place)
{
	switch (node->kind) {
	case MYSQL_NODE_SUBQUERY:
	case MYSQL_NODE_cte:
	case MYSQL_NODE_json_table:
		return place | IN_QUERY;
	case MYSQL_NODE_grouping:
	case MYSQL_NODE_window:
	case MYSQL_NODE_window_spec:
		return place | SEES_NAMES;
	default:
		return place;
	}
}

/* A query in FROM, or an operand, sees no names of the query that it is in; one in an expression does. */
static bool
sees_names(const struct mysql_node *child, const struct mysql_node *before, const struct mysql_node *parent)
{
	return mysql_tree_is(before, "HAVING") ||
	    (child->kind == MYSQL_NODE_SUBQUERY && parent->kind != MYSQL_NODE_table &&
		parent->kind != MYSQL_NODE_QUERY && parent->kind != MYSQL_NODE_set_operation);
}

static void
measure_queries(struct weight_walk *w, const struct mysql_node *node)
{
	const struct mysql_node *cte = mysql_tree_child(node, MYSQL_NODE_cte);
	size_t queries = 0;

	if (node->kind == MYSQL_NODE_set_operation && ++w->nsets > MYSQL_SETS_MAX && w->set == NULL)
		w->set = node;
	for (; cte != NULL; cte = mysql_tree_next(cte, MYSQL_NODE_cte))
		if (++queries > MYSQL_QUERIES_MAX)
			w->with = node;
}

static void
measure_node(struct weight_walk *w, const struct mysql_node *node, unsigned place)
{
	const struct mysql_node *before = node;

	measure_queries(w, node);
	if (node->kind == MYSQL_NODE_precision)
		measure_precision(w, node, place);
	if (node->kind == MYSQL_NODE_CALL)
		measure_call(w, node, place);
	else if (node->kind == MYSQL_NODE_literal)
		measure_literal(w, node, place);
	else if (node->kind == MYSQL_NODE_name_or_binary || node->kind == MYSQL_NODE_charset)
		measure_charset(w, node, place);
	place = place_within(node, place);
	if ((properties_of(node) & MYSQL_SPATIAL) != 0) {
		read_by(&w->spatial, node, place);
		place |= IN_SPATIAL;
	}
	if (is_search(node)) {
		read_by(&w->search, node, place);
		place |= IN_SEARCH;
	}
	for (const struct mysql_node *n = node->first; n != NULL; before = n, n = n->next)
		if (n->first != NULL)
			measure_node(w, n, place | (sees_names(n, before, node) ? SEES_NAMES : 0));
}

/* What makes too much for a function that reads it; NULL: nothing. */
static const struct mysql_node *
too_much_for(const struct weight_reads *r)
{
	return r->reader == NULL ? NULL : r->by_name ? r->any.passed : r->within.passed;
}

static int
refuse_weight(const struct mysql_node *node, size_t *at)
{
	*at = node->at;
	return -1;
}

/* What the functions of the statement would do with the values that it makes. */
static int
judge_values(const struct weight_walk *w, size_t *at, struct err *err)
{
	const struct mysql_node *much;

	if (w->rewrites != NULL && w->made.passed != NULL) {
		err_set(err, ERR_FORBIDDEN_SQL,
		    "this makes values of more than %u characters, and with %.*s() the server could compute for hours; "
		    "write a smaller number, or LEAST(…, 100)",
		    MYSQL_MADE_MAX, SPAN_FMT(w->rewrites->first->text));
		return refuse_weight(w->made.passed, at);
	}
	if (w->sums != NULL) {
		err_set(err, ERR_FORBIDDEN_SQL,
		    "%.*s() would make values of more than %u characters in all, or of a number that is not known "
		    "before; "
		    "write a smaller number, or LEAST(…, 100)",
		    SPAN_FMT(w->sums->first->text), MYSQL_SUM_MAX);
		return refuse_weight(w->sums, at);
	}
	if ((much = too_much_for(&w->search)) != NULL) {
		err_set(err, ERR_FORBIDDEN_SQL,
		    "this makes values of more than %u characters, and the statement replaces texts, or searches for a "
		    "pattern that is no short literal: the server could compute for hours; replace before "
		    "GROUP_CONCAT(…), "
		    "give it a SEPARATOR, and search for a literal of at most %u characters",
		    MYSQL_MADE_MAX, LITERAL_SMALL);
		return refuse_weight(much, at);
	}
	if ((much = too_much_for(&w->spatial)) != NULL) {
		err_set(err, ERR_FORBIDDEN_SQL,
		    "geometries are read from columns and from ST_GeomFromText(…) of a literal with at most %u "
		    "characters, not from texts that a statement puts together: the server could crash; use the "
		    "functions "
		    "of geometries in the SELECT list, and order or filter by its names",
		    MYSQL_GEOMETRY_MAX);
		return refuse_weight(much, at);
	}
	return 0;
}

int
mysql_weight_judge(const struct mysql_node *tree, size_t *at, struct err *err)
{
	struct weight_walk w = { .made = { 1, MYSQL_MADE_MAX, NULL },
		.inner = { 1, MYSQL_SUM_MAX, NULL },
		.spatial = { .within = { 1, 1, NULL }, .any = { 1, 1, NULL } },
		.search = { .within = { 1, MYSQL_MADE_MAX, NULL }, .any = { 1, MYSQL_MADE_MAX, NULL } } };

	measure_node(&w, tree, 0);
	add_made(&w, tree, growth_below(tree), true);
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
	if (judge_values(&w, at, err) == -1)
		return -1;
	if (count_in(tree, NULL) <= MYSQL_TABLES_MAX)
		return 0;
	err_set(err, ERR_FORBIDDEN_SQL,
	    "the server would copy the queries of WITH until the statement has more than %u tables; name each of them "
	    "in fewer places, or ask in several statements",
	    MYSQL_TABLES_MAX);
	return refuse_weight(tree, at);
}
