#include "workers/sql/mysql/mysql_datasets.h"

#include "policy/datasets_names.h"

#define QUERIES_MAX	256u	/* WITH queries of a statement */

struct defining {
	struct sql_db			*db;
	struct arena			*arena;
	const struct sql_published	*published;
	size_t				 nqueries;
	struct span			 queries[QUERIES_MAX];
	size_t				 at;	/* of what is refused */
	struct err			*err;
};

static int
refuse_table(struct defining *d, const struct mysql_node *name)
{
	struct span id;

	d->at = name->at;
	if (name->text.len == DATASETS_NAME - 1 && datasets_is_named_at(name->text, 0, &id))
		return err_set(d->err, ERR_DATASET_NOT_FOUND,
		    "%.*s is not a published dataset; carrel_list_datasets shows which there are, carrel_get_schema "
		    "the name of each in SQL",
		    SPAN_FMT(name->text));
	return err_set(d->err, ERR_TABLE_NOT_FOUND,
	    "there is no table %.*s here: only published datasets can be read, each by its table_name from "
	    "carrel_get_schema (dataset_…)",
	    SPAN_FMT(name->text));
}

static int
fail_full(struct defining *d)
{
	return err_set(d->err, ERR_SQL_TOO_LONG, "the statement is too long once its datasets are written out");
}

/* The name that the query has in what is sent; one that is not known yet is added.  NULL: too many. */
static const char *
query_name(struct defining *d, struct span name, bool adds)
{
	size_t i = 0;

	while (i < d->nqueries && !span_is_folded(d->queries[i], name))
		i++;
	if (i == d->nqueries && (!adds || i == QUERIES_MAX))
		return NULL;
	d->queries[i] = name;
	d->nqueries += i == d->nqueries;
	return arena_printf(d->arena, "carrel_query_%zu", i);
}

static const struct sql_dataset *
find_dataset(const struct defining *d, struct span name)
{
	char written[DATASETS_NAME];

	for (size_t i = 0; i < d->published->n; i++)
		for (unsigned dashes = 0; dashes < 2; dashes++) {
			datasets_name(d->published->datasets[i].id, dashes != 0, written);
			if (span_is_str(name, written))
				return &d->published->datasets[i];
		}
	return NULL;
}

static int
name_dataset(struct defining *d, struct mysql_node *names, const struct sql_dataset *set)
{
	struct span schema = set->db.len > 0 ? set->db : span_str(d->db->database);
	struct mysql_node *dot = mysql_tree_leaf(d->arena, MYSQL_NODE_WORD, names->at, SPAN("."));
	struct mysql_node *table = mysql_tree_leaf(d->arena, MYSQL_NODE_NAME, names->at, set->table);

	if (dot == NULL || table == NULL)
		return fail_full(d);
	names->first->text = schema;
	mysql_tree_add(names, dot);
	mysql_tree_add(names, table);
	return 0;
}

/* owner: the node that a table name is in; one in FROM may have an alias. */
static int
define_table(struct defining *d, struct mysql_node *owner, struct mysql_node *names)
{
	struct span name = names->first->text;
	const struct sql_dataset *set = find_dataset(d, name);
	const char *query = query_name(d, name, false);

	if (names->first->next != NULL || (set == NULL && query == NULL))
		return refuse_table(d, names->first);
	/* An alias keeps the name for columns that are qualified with it. */
	if (owner->kind == MYSQL_NODE_table && !mysql_tree_name_table(d->arena, owner, name))
		return fail_full(d);
	if (query == NULL)
		return name_dataset(d, names, set);
	names->first->text = span_str(query);
	return 0;
}

/* The names of all WITH queries come first: a reference may come before its definition. */
static int
name_queries(struct defining *d, struct mysql_node *node)
{
	for (struct mysql_node *n = node->first; n != NULL; n = n->next) {
		if (n->kind == MYSQL_NODE_cte) {
			const char *name = query_name(d, n->first->text, true);

			if (name == NULL)
				return err_set(d->err, ERR_FORBIDDEN_SQL, "the statement has too many WITH queries");
			n->first->text = span_str(name);
		}
		if (name_queries(d, n) == -1)
			return -1;
	}
	return 0;
}

static int
define_tables(struct defining *d, struct mysql_node *node)
{
	for (struct mysql_node *n = node->first; n != NULL; n = n->next) {
		if (n->kind == MYSQL_NODE_table_name && define_table(d, node, n) == -1)
			return -1;
		if (n->kind == MYSQL_NODE_CALL && n->first->kind != MYSQL_NODE_FUNCTION) {
			d->at = n->at;
			return err_set(d->err, ERR_FORBIDDEN_SQL, "stored functions are not allowed on datasets");
		}
		if (define_tables(d, n) == -1)
			return -1;
	}
	return 0;
}

int
mysql_datasets_define(struct sql_db *db, struct arena *a, const struct sql_published *p, struct mysql_node *tree,
    size_t *at, struct err *err)
{
	struct defining *d = arena_alloc(a, sizeof(*d));
	int rc;

	*at = SIZE_MAX;
	if (d == NULL)
		return err_set(err, ERR_SQL_TOO_LONG, "the statement is too long");
	*d = (struct defining){ .db = db, .arena = a, .published = p, .at = SIZE_MAX, .err = err };
	if (tree->first->kind != MYSQL_NODE_QUERY)
		return err_set(err, ERR_FORBIDDEN_SQL, "EXPLAIN and SHOW are not allowed on datasets; write a SELECT");
	rc = name_queries(d, tree) == 0 ? define_tables(d, tree) : -1;
	*at = d->at;
	return rc;
}
