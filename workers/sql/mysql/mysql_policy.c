#include "workers/sql/mysql/mysql_policy.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/system/clock.h"
#include "workers/sql/mysql/mysql_sql.h"
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

/* The answers, each sorted by schema and relation; they are merged along the first. */
enum part { RELATIONS, COLUMNS, DEFINITIONS, INDEXES, PARTITIONS, PARTS };

enum { SCHEMA, NAME };

struct learning {
	struct mysql_policy	*p;
	MYSQL_RES		*answers[PARTS];
	MYSQL_ROW		 next[PARTS];
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

void
mysql_policy_expire(struct sql_db *db)
{
	if (db->policy != NULL)
		db->policy->known = false;
}

static struct span
keep_name(struct learning *l, const char *text)
{
	return text == NULL ? SPAN_NONE : arena_span(l->p->arena, span_str(text));
}

static void
advance_part(struct learning *l, enum part part)
{
	l->next[part] = mysql_fetch_row(l->answers[part]);
}

/* The next row of the answer if it is of this relation. */
static MYSQL_ROW
row_of(const struct learning *l, enum part part, const MYSQL_ROW relation)
{
	MYSQL_ROW row = l->next[part];

	return row != NULL && mysql_statement_order(row, relation) == 0 ? row : NULL;
}

/* How many rows of the answer from the next on are of this relation. */
static size_t
count_rows(struct learning *l, enum part part, const MYSQL_ROW relation)
{
	MYSQL_ROW first = l->next[part];
	MYSQL_ROW_OFFSET here = mysql_row_tell(l->answers[part]);
	size_t n = 0;

	for (; row_of(l, part, relation) != NULL; advance_part(l, part))
		n++;
	mysql_row_seek(l->answers[part], here);
	l->next[part] = first;
	return n;
}

/* Rows of relations before this one are passed: of those that came or went between the answers. */
static void
pass_others(struct learning *l, enum part part, const MYSQL_ROW relation)
{
	while (l->next[part] != NULL && mysql_statement_order(l->next[part], relation) < 0)
		advance_part(l, part);
}

static bool
is_binary(const char *type)
{
	static const char *const types[] = { "bit", "geometry", "point", "linestring", "polygon", "multipoint",
		"multilinestring", "multipolygon", "geometrycollection", "geomcollection", NULL };

	return strstr(type, "binary") != NULL || strstr(type, "blob") != NULL ||
	    span_is_any_word(span_str(type), types);
}

/* Engines that keep the rows of a table themselves; all others may show those of another one. */
static bool
keeps_rows(const char *engine)
{
	static const char *const engines[] = { "InnoDB", "MyISAM", "Aria", "MEMORY", "ARCHIVE", "CSV", "BLACKHOLE",
		"ROCKSDB", "TokuDB", "Mroonga", "ndbcluster", "Columnstore", NULL };

	return engine == NULL || span_is_any_word(span_str(engine), engines);
}

static bool
learn_columns(struct learning *l, struct mysql_relation *r, const MYSQL_ROW relation)
{
	enum { COLUMN = 2, COMPUTED, TYPE, EXTRA, READABLE };
	struct mysql_column *v = arena_array(l->p->arena, count_rows(l, COLUMNS, relation) + 1, sizeof(*v));

	r->columns = v;
	for (MYSQL_ROW row; v != NULL && (row = row_of(l, COLUMNS, relation)) != NULL; advance_part(l, COLUMNS))
		v[r->ncolumns++] = (struct mysql_column){ .name = keep_name(l, row[COLUMN]),
			.computed = keep_name(l, row[COMPUTED]),
			.binary = is_binary(row[TYPE]),
			.invisible = strstr(row[EXTRA], "INVISIBLE") != NULL,
			.unread = row[READABLE][0] == '0' };
	return v != NULL;
}

static bool
learn_indexes(struct learning *l, struct mysql_relation *r, const MYSQL_ROW relation)
{
	enum { INDEX = 2, COLUMN = 5 };
	struct mysql_part *v = arena_array(l->p->arena, count_rows(l, INDEXES, relation) + 1, sizeof(*v));

	r->parts = v;
	for (MYSQL_ROW row; v != NULL && (row = row_of(l, INDEXES, relation)) != NULL; advance_part(l, INDEXES))
		v[r->nparts++] = (struct mysql_part){ keep_name(l, row[INDEX]), keep_name(l, row[COLUMN]) };
	return v != NULL;
}

static bool
learn_relation(struct learning *l, struct mysql_relation *r, const MYSQL_ROW relation)
{
	enum { IS_VIEW = 2, ENGINE, TEXT = 2, KEYED };
	MYSQL_ROW row;

	for (unsigned part = COLUMNS; part < PARTS; part++)
		pass_others(l, (enum part)part, relation);
	*r = (struct mysql_relation){ .schema = keep_name(l, relation[SCHEMA]),
		.name = keep_name(l, relation[NAME]),
		.is_view = relation[IS_VIEW][0] == '1',
		.elsewhere = strcmp(relation[SCHEMA], "information_schema") != 0 && !keeps_rows(relation[ENGINE]) };
	if ((row = row_of(l, DEFINITIONS, relation)) != NULL)
		r->definition = keep_name(l, row[TEXT]);
	if ((row = row_of(l, PARTITIONS, relation)) != NULL) {
		r->partitioned = keep_name(l, row[TEXT]);
		r->keyed = row[KEYED][0] == '1';
	}
	return learn_columns(l, r, relation) && learn_indexes(l, r, relation);
}

static int
learn_all(struct learning *l, struct sql_db *db, struct err *err)
{
	struct mysql_policy *p = l->p;
	struct mysql_relation *v;
	size_t n = 0;

	forget_views(p);
	arena_reset(p->arena);
	v = arena_array(p->arena, (size_t)mysql_num_rows(l->answers[RELATIONS]) + 1, sizeof(*v));
	for (unsigned part = 0; part < PARTS; part++)
		advance_part(l, (enum part)part);
	for (; v != NULL && l->next[RELATIONS] != NULL; advance_part(l, RELATIONS))
		if (!learn_relation(l, &v[n++], l->next[RELATIONS]))
			v = NULL;
	if (v == NULL)
		return err_set(err, ERR_DATABASE_ERROR, "the databases have too many columns for a column policy");
	p->catalogue.schema = span_str(db->database);
	p->catalogue.folded = db->guard.folded;
	p->catalogue.n = n;
	p->catalogue.relations = v;
	p->known = true;
	p->looked_ns = clock_ns();
	return 0;
}

static int
read_database(struct sql_db *db, struct call *c, struct err *err)
{
	static const struct {
		const char *text, *shape;
	} asked[PARTS] = { { mysql_policy_relations_sql, "!!!." }, { mysql_policy_columns_sql, "!!!.!!!" },
		{ mysql_views_sql, "!!." }, { mysql_indexes_sql, "!!!.!.." }, { mysql_policy_partitions_sql, "!!.!" } };
	struct learning l = { .p = db->policy };
	int rc = 0;

	for (unsigned part = 0; part < PARTS && rc == 0; part++)
		if ((l.answers[part] =
			    mysql_statement_ask_of_schemas(db, c, asked[part].text, asked[part].shape, err)) == NULL)
			rc = -1;
	if (rc == 0)
		rc = learn_all(&l, db, err);
	for (unsigned part = 0; part < PARTS; part++)
		mysql_free_result(l.answers[part]);
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

int
mysql_policy_enter(struct sql_db *db, struct call *c, uint32_t scopes, const struct mysql_columns **out,
    struct err *err)
{
	*out = NULL;
	if (columns_is_empty(db->cfg->columns))
		return 0;
	if (db->policy == NULL) {
		db->policy = mem_new(1, sizeof(*db->policy));
		db->policy->arena = arena_new(MEMORY);
	}
	if ((!db->policy->known || clock_ns() - db->policy->looked_ns > MAX_AGE) && read_database(db, c, err) == -1)
		return -1;
	*out = view_of(db->policy, db->cfg->columns, scopes);
	return 0;
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
