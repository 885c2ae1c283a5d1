#include "workers/sql/mysql/mysql_policy.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/system/clock.h"
#include "workers/sql/mysql/mysql_catalogue.h"
#include "workers/sql/mysql/mysql_statement.h"

#define MAX_AGE		(5 * CLOCK_SECOND)
#define MEMORY		((size_t)256 << 20)	/* of all names and definitions */
#define VIEWS		8u	/* kinds of callers, by their scopes, that are remembered */

struct mysql_policy {
	struct arena		*arena;		/* of the catalogue */
	struct mysql_catalogue	 catalogue;
	bool			 known;
	uint64_t		 looked_ns;
	size_t			 nviews;
	struct policy_view {
		uint32_t		 view;
		struct mysql_columns	*columns;
	}			 views[VIEWS];
};

static void
forget_views(struct mysql_policy *p)
{
	for (size_t i = 0; i < p->nviews; i++)
		mysql_columns_free(p->views[i].columns);
	p->nviews = 0;
}

void
mysql_policy_free(struct mysql_policy *p)
{
	if (p == NULL)
		return;
	forget_views(p);
	arena_free(p->arena);
	free(p);
}

/* Takes, of what is asked for, the answers that are given, and asks for the others. */
static int
read_database(struct sql_db *db, struct call *c, MYSQL_RES *const given[MYSQL_CATALOGUE_PARTS], struct err *err)
{
	struct mysql_policy *p = db->policy;
	MYSQL_RES *answers[MYSQL_CATALOGUE_PARTS] = { NULL };
	int rc = 0;

	for (unsigned part = 0; part < MYSQL_CATALOGUE_PARTS && rc == 0; part++)
		if ((answers[part] = given[part]) == NULL &&
		    (answers[part] = mysql_statement_ask_of_schemas(db, c, mysql_catalogue_asks[part].text,
			 mysql_catalogue_asks[part].shape, err)) == NULL)
			rc = -1;
	if (rc == 0) {
		forget_views(p);
		arena_reset(p->arena);
		p->catalogue.schema = span_str(db->database);
		p->catalogue.folded = db->guard.folded;
		p->looked_ns = clock_ns();
		p->known = mysql_catalogue_learn(p->arena, answers, &p->catalogue) == 0;
		if (!p->known)
			rc =
			    err_set(err, ERR_DATABASE_ERROR, "the databases have too many columns for a column policy");
	}
	for (unsigned part = 0; part < MYSQL_CATALOGUE_PARTS; part++)
		if (answers[part] != given[part])
			mysql_free_result(answers[part]);
	return rc;
}

static const struct mysql_columns *
view_of(struct mysql_policy *p, const struct columns *policy, uint32_t scopes)
{
	uint32_t view = columns_view(policy, scopes);

	for (size_t i = 0; i < p->nviews; i++)
		if (p->views[i].view == view)
			return p->views[i].columns;
	if (p->nviews == VIEWS)
		forget_views(p);
	p->views[p->nviews] = (struct policy_view){ view, mysql_columns_new(policy, scopes, &p->catalogue) };
	return p->views[p->nviews++].columns;
}

static int
enter_policy(struct sql_db *db, struct call *c, uint32_t scopes, MYSQL_RES *const given[MYSQL_CATALOGUE_PARTS],
    uint64_t age, const struct mysql_columns **out, struct err *err)
{
	*out = NULL;
	if (columns_is_empty(db->cfg->columns))
		return 0;
	if (db->policy == NULL) {
		db->policy = mem_new(1, sizeof(*db->policy));
		db->policy->arena = arena_new(MEMORY);
	}
	if ((!db->policy->known || clock_ns() - db->policy->looked_ns > age) && read_database(db, c, given, err) == -1)
		return -1;
	*out = view_of(db->policy, db->cfg->columns, scopes);
	return 0;
}

int
mysql_policy_enter(struct sql_db *db, struct call *c, uint32_t scopes, const struct mysql_columns **out,
    struct err *err)
{
	return enter_policy(db, c, scopes, (MYSQL_RES *[MYSQL_CATALOGUE_PARTS]){ NULL }, MAX_AGE, out, err);
}

int
mysql_policy_enter_scan(struct sql_db *db, struct call *c, MYSQL_RES *views, MYSQL_RES *indexes,
    const struct mysql_columns **out, struct err *err)
{
	MYSQL_RES *const given[MYSQL_CATALOGUE_PARTS] = { [MYSQL_CATALOGUE_VIEWS] = views,
		[MYSQL_CATALOGUE_INDEXES] = indexes };

	return enter_policy(db, c, COLUMNS_ANYBODY, given, 0, out, err);
}

int
mysql_policy_readable(struct sql_db *db, struct call *c,
    void (*fn)(void *arg, struct span schema, struct span relation, struct span column), void *arg, struct err *err)
{
	const struct mysql_columns *p;

	if (mysql_policy_enter(db, c, COLUMNS_ANYBODY, &p, err) == -1)
		return -1;
	for (size_t i = 0; p != NULL && i < db->policy->catalogue.n; i++) {
		const struct mysql_relation *r = &db->policy->catalogue.relations[i];

		for (size_t k = 0; k < r->ncolumns; k++)
			if (!r->columns[k].unread &&
			    mysql_columns_action(p, r->schema, r->name, r->columns[k].name) >= COLUMNS_MASK)
				fn(arg, r->schema, r->name, r->columns[k].name);
	}
	return 0;
}

int
mysql_policy_column(struct sql_db *db, struct call *c, uint32_t scopes, const char *schema, const char *table,
    const char *column, enum columns_action *action, struct err *err)
{
	const struct mysql_columns *p;

	if (mysql_policy_enter(db, c, scopes, &p, err) == -1)
		return -1;
	*action = mysql_columns_action(p, span_str(schema == NULL ? db->database : schema), span_str(table),
	    span_str(column));
	return 0;
}

bool
mysql_policy_matches(struct sql_db *db, size_t rule)
{
	return db->policy != NULL && db->policy->nviews > 0 &&
	    mysql_columns_matches(db->policy->views[0].columns, rule);
}
