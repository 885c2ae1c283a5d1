#include "workers/sql/mysql/mysql_routines.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "workers/sql/mysql/mysql_sql.h"
#include "workers/sql/mysql/mysql_statement.h"

static void
add_routine(struct mysql_routine *v, size_t *n, struct span schema, struct span name)
{
	v[(*n)++] = (struct mysql_routine){ span_str(mem_text(schema)), span_str(mem_text(name)) };
}

void
mysql_routines_forget(struct sql_db *db)
{
	for (size_t i = 0; i < db->guard.nroutines; i++) {
		free((void *)(uintptr_t)db->guard.routines[i].schema.p);
		free((void *)(uintptr_t)db->guard.routines[i].name.p);
	}
	free((void *)(uintptr_t)db->guard.routines);
	db->guard.routines = NULL;
	db->guard.nroutines = 0;
}

/* Of a connection with an identity only those that the owner lists: others could set its variables. */
static int
list_routines(struct sql_db *db, struct call *c, MYSQL_RES **result, struct err *err)
{
	*result = NULL;
	if (db->cfg->identity != NULL)
		return 0;
	*result = mysql_statement_ask_of_schemas(db, c, mysql_routines_sql, "!!", err);
	return *result == NULL ? -1 : 0;
}

static int
read_routines(struct sql_db *db, struct call *c, struct err *err)
{
	const struct sql_config *cfg = db->cfg;
	MYSQL_RES *result;
	struct mysql_routine *v;
	MYSQL_ROW row;
	size_t n = 0;

	if (list_routines(db, c, &result, err) == -1)
		return -1;
	v = mem_new((result == NULL ? 0 : (size_t)mysql_num_rows(result)) + cfg->nfunctions + 1, sizeof(*v));
	while (result != NULL && (row = mysql_fetch_row(result)) != NULL)
		add_routine(v, &n, span_str(row[0]), span_str(row[1]));
	mysql_free_result(result);
	for (size_t i = 0; i < cfg->nfunctions; i++) {
		const char *text = cfg->functions[i], *dot = strchr(text, '.');

		if (dot != NULL)
			add_routine(v, &n, span_of(text, (size_t)(dot - text)), span_str(dot + 1));
	}
	db->guard.routines = v;
	db->guard.nroutines = n;
	return 0;
}

/* Whether a function is called by the name of its schema, as only stored ones are. */
static bool
calls_routine(const struct mysql_node *node)
{
	const struct mysql_node *name =
	    node->kind == MYSQL_NODE_CALL ? mysql_tree_child(node->first, MYSQL_NODE_NAME) : NULL;
	bool calls = name != NULL && mysql_tree_next(name, MYSQL_NODE_NAME) != NULL;

	for (const struct mysql_node *n = node->first; n != NULL && !calls; n = n->next)
		calls = calls_routine(n);
	return calls;
}

/* The verdict stands on the catalogue of now: a list that was read is not kept for the next statement. */
int
mysql_routines_judge(struct sql_db *db, struct call *c, const struct mysql_node *tree, size_t *at, struct err *err)
{
	int rc;

	if (columns_is_empty(db->cfg->columns) && calls_routine(tree) && read_routines(db, c, err) == -1)
		return -1;
	rc = mysql_guard_judge(&db->guard, tree, at, err);
	mysql_routines_forget(db);
	return rc;
}
