/* mysql_guard.c - see mysql_guard.h. */
#include "workers/sql/mysql/guard/mysql_guard.h"

#include "workers/sql/mysql/grammar/mysql_functions.h"
#include "workers/sql/mysql/guard/mysql_weight.h"

struct mysql_walk {
	const struct mysql_guard	*g;
	size_t				*at;
	struct err			*err;
};

static int
place(const struct mysql_walk *w, const struct mysql_node *node)
{
	*w->at = node->at;
	return -1;
}

/* The name that many parts after the first; the empty span if none. */
static struct span
name_part(const struct mysql_node *names, unsigned n)
{
	const struct mysql_node *name = mysql_tree_child(names, MYSQL_NODE_NAME);

	while (n-- > 0 && name != NULL)
		name = mysql_tree_next(name, MYSQL_NODE_NAME);
	return name == NULL ? SPAN_NONE : name->text;
}

/* Only ASCII is folded: the servers fold more, and what they take for a system schema is not served here. */
static bool
is_schema(const struct mysql_guard *g, struct span served, struct span named)
{
	return g->folded ? span_is_folded(served, named) : span_is(served, named);
}

static bool
is_routine(const struct mysql_guard *g, struct span schema, struct span name)
{
	for (size_t i = 0; i < g->nroutines; i++)
		if (is_schema(g, g->routines[i].schema, schema) && span_is_folded(g->routines[i].name, name))
			return true;
	return false;
}

/* The server would call a stored function of the default database in the place of one that it does not have. */
static int
judge_function(struct mysql_walk *w, const struct mysql_node *name)
{
	if (mysql_functions_has(name->text, w->g->mariadb, w->g->version))
		return 0;
	err_set(w->err, ERR_FORBIDDEN_SQL, "this server has no function %.*s(); use one of %s", SPAN_FMT(name->text),
	    w->g->mariadb ? "MariaDB" : "MySQL");
	return place(w, name);
}

/* A routine is named with its schema: a name alone is a function of the server. */
static int
judge_call(struct mysql_walk *w, const struct mysql_node *call)
{
	const struct mysql_node *names = call->first;
	struct span schema = name_part(names, 0), name = name_part(names, 1);

	if (w->g->mode == MYSQL_GUARD_ONLY_FORM)
		return 0;
	if (names->kind == MYSQL_NODE_FUNCTION)
		return judge_function(w, names);
	if (name.len == 0)
		err_set(w->err, ERR_FORBIDDEN_SQL,
		    "the function %.*s() is not allowed here; use functions that compute, for example DATE_FORMAT, "
		    "COALESCE or JSON_EXTRACT, and write a stored function with its schema",
		    SPAN_FMT(schema));
	else if (name_part(names, 2).len != 0 || !is_routine(w->g, schema, name))
		err_set(w->err, ERR_FORBIDDEN_SQL,
		    "%.*s.%.*s() is not a stored function of this connection that only reads and has its caller's "
		    "rights",
		    SPAN_FMT(schema), SPAN_FMT(name));
	else
		return 0;
	return place(w, names);
}

static bool
is_described(struct span name)
{
	static const char *const relations[] = {
#define RELATION(name)	name,
#include "workers/sql/mysql/guard/mysql_relations.def"
#undef RELATION
		NULL
	};

	return span_is_any_word(name, relations);
}

static int
judge_schema(struct mysql_walk *w, const struct mysql_node *names, struct span schema)
{
	for (size_t i = 0; i < w->g->nschemas; i++)
		if (is_schema(w->g, w->g->schemas[i], schema))
			return 0;
	err_set(w->err, ERR_FORBIDDEN_SQL, "the schema %.*s is not served by this connection; leave it out",
	    SPAN_FMT(schema));
	return place(w, names);
}

/* What of information_schema has numbers of all rows: estimates, sizes, the next value of a key. */
static bool
does_count(struct span name)
{
	static const char *const relations[] = { "TABLES", "PARTITIONS", "STATISTICS", "COLUMN_STATISTICS", NULL };

	return span_is_any_word(name, relations);
}

static int
refuse_counts(struct mysql_walk *w, const struct mysql_node *node, struct span what)
{
	err_set(w->err, ERR_FORBIDDEN_SQL,
	    "%.*s is not allowed on a connection that applies row security by caller: it tells how many rows "
	    "there are in all; SHOW TABLES, SHOW COLUMNS and information_schema.COLUMNS describe what there is",
	    SPAN_FMT(what));
	return place(w, node);
}

static int
judge_show(struct mysql_walk *w, const struct mysql_node *show)
{
	static const char *const counting[] = { "STATUS", "INDEX", "INDEXES", "KEYS", NULL };

	if (!w->g->counted)
		return 0;
	for (size_t i = 0; counting[i] != NULL; i++)
		if (mysql_tree_has(show, counting[i]))
			return refuse_counts(w, show, span_str(counting[i]));
	/* AUTO_INCREMENT is part of it. */
	return mysql_tree_has(show, "CREATE") && mysql_tree_has(show, "TABLE") ?
	    refuse_counts(w, show, SPAN("SHOW CREATE TABLE")) :
	    0;
}

static int
judge_table(struct mysql_walk *w, const struct mysql_node *names)
{
	struct span schema = name_part(names, 0), name = name_part(names, 1);

	if (name.len == 0)
		return 0;
	if (!span_is_word(schema, "information_schema"))
		return judge_schema(w, names, schema);
	if (w->g->counted && does_count(name))
		return refuse_counts(w, names, name);
	if (is_described(name))
		return 0;
	err_set(w->err, ERR_FORBIDDEN_SQL,
	    "information_schema.%.*s is not allowed: it tells of the server or of other sessions; TABLES, COLUMNS and "
	    "the "
	    "like are",
	    SPAN_FMT(name));
	return place(w, names);
}

static int
judge_node(struct mysql_walk *w, const struct mysql_node *node)
{
	if (node->kind == MYSQL_NODE_CALL)
		return judge_call(w, node);
	if (w->g->mode == MYSQL_GUARD_ONLY_FUNCTIONS)
		return 0;
	switch (node->kind) {
	case MYSQL_NODE_table_name:
		return judge_table(w, node);
	case MYSQL_NODE_show:
		return judge_show(w, node);
	case MYSQL_NODE_schema:
		return judge_schema(w, node, name_part(node, 0));
	default:
		return 0;
	}
}

static int
walk_tree(struct mysql_walk *w, const struct mysql_node *node)
{
	if (judge_node(w, node) == -1)
		return -1;
	for (const struct mysql_node *n = node->first; n != NULL; n = n->next)
		if (n->first != NULL && walk_tree(w, n) == -1)
			return -1;
	return 0;
}

int
mysql_guard_judge(const struct mysql_guard *g, const struct mysql_node *tree, size_t *at, struct err *err)
{
	struct mysql_walk w = { .g = g, .at = at, .err = err };

	if (walk_tree(&w, tree) == -1)
		return -1;
	return g->mode == MYSQL_GUARD_ONLY_FUNCTIONS ? 0 : mysql_weight_judge(tree, at, err);
}
