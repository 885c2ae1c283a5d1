/* mysql_catalogue.c - see mysql_catalogue.h.  The answers are merged along the list of relations. */
#include "workers/sql/mysql/mysql_catalogue.h"

#include <string.h>

#include "workers/sql/mysql/mysql_sql.h"
#include "workers/sql/mysql/mysql_types.h"

enum { SCHEMA, NAME };

const struct mysql_catalogue_ask mysql_catalogue_asks[] = {
	[MYSQL_CATALOGUE_RELATIONS] = { mysql_policy_relations_sql, "!!!." },
	[MYSQL_CATALOGUE_COLUMNS] = { mysql_policy_columns_sql, "!!!.!!!" },
	[MYSQL_CATALOGUE_VIEWS] = { mysql_views_sql, "!!." },
	[MYSQL_CATALOGUE_INDEXES] = { mysql_indexes_sql, "!!!.!.." },
	[MYSQL_CATALOGUE_PARTITIONS] = { mysql_policy_partitions_sql, "!!.!" },
};

struct learning {
	struct arena		*arena;
	struct mysql_listing	 lists[MYSQL_CATALOGUE_PARTS];
};

struct mysql_listing
mysql_catalogue_list(MYSQL_RES *answer)
{
	mysql_data_seek(answer, 0);
	return (struct mysql_listing){ answer, mysql_fetch_row(answer) };
}

MYSQL_ROW
mysql_catalogue_peek(struct mysql_listing *l, const MYSQL_ROW relation)
{
	for (; l->next != NULL; l->next = mysql_fetch_row(l->answer)) {
		int order = strcmp(l->next[SCHEMA], relation[SCHEMA]);

		if (order == 0)
			order = strcmp(l->next[NAME], relation[NAME]);
		if (order >= 0)
			return order == 0 ? l->next : NULL;
	}
	return NULL;
}

MYSQL_ROW
mysql_catalogue_take(struct mysql_listing *l, const MYSQL_ROW relation)
{
	MYSQL_ROW row = mysql_catalogue_peek(l, relation);

	if (row != NULL)
		l->next = mysql_fetch_row(l->answer);
	return row;
}

static struct span
keep_name(struct learning *l, const char *text)
{
	return text == NULL ? SPAN_NONE : arena_span(l->arena, span_str(text));
}

/* Room for what the rows of the relation tell, and one more; NULL: the arena is full. */
static void *
make_room(struct learning *l, const struct mysql_listing *list, const MYSQL_ROW relation, size_t size)
{
	struct mysql_listing ahead = *list;
	MYSQL_ROW_OFFSET here = mysql_row_tell(list->answer);
	size_t n = 1;

	while (mysql_catalogue_take(&ahead, relation) != NULL)
		n++;
	mysql_row_seek(list->answer, here);
	return arena_array(l->arena, n, size);
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
	struct mysql_listing *list = &l->lists[MYSQL_CATALOGUE_COLUMNS];
	struct mysql_column *v = make_room(l, list, relation, sizeof(*v));

	r->columns = v;
	for (MYSQL_ROW row; v != NULL && (row = mysql_catalogue_take(list, relation)) != NULL;)
		v[r->ncolumns++] = (struct mysql_column){ .name = keep_name(l, row[COLUMN]),
			.computed = keep_name(l, row[COMPUTED]),
			.binary = mysql_types_class(row[TYPE]) != MYSQL_TYPES_OTHER,
			.invisible = strstr(row[EXTRA], "INVISIBLE") != NULL,
			.unread = row[READABLE][0] == '0' };
	return v != NULL;
}

static bool
learn_indexes(struct learning *l, struct mysql_relation *r, const MYSQL_ROW relation)
{
	enum { INDEX = 2, COLUMN = 5 };
	struct mysql_listing *list = &l->lists[MYSQL_CATALOGUE_INDEXES];
	struct mysql_part *v = make_room(l, list, relation, sizeof(*v));

	r->parts = v;
	for (MYSQL_ROW row; v != NULL && (row = mysql_catalogue_take(list, relation)) != NULL;)
		v[r->nparts++] = (struct mysql_part){ keep_name(l, row[INDEX]), keep_name(l, row[COLUMN]) };
	return v != NULL;
}

static bool
learn_relation(struct learning *l, struct mysql_relation *r, const MYSQL_ROW relation)
{
	enum { IS_VIEW = 2, ENGINE, TEXT = 2, KEYED };
	MYSQL_ROW row;

	*r = (struct mysql_relation){ .schema = keep_name(l, relation[SCHEMA]),
		.name = keep_name(l, relation[NAME]),
		.is_view = relation[IS_VIEW][0] == '1',
		.elsewhere = strcmp(relation[SCHEMA], "information_schema") != 0 && !keeps_rows(relation[ENGINE]) };
	if ((row = mysql_catalogue_take(&l->lists[MYSQL_CATALOGUE_VIEWS], relation)) != NULL)
		r->definition = keep_name(l, row[TEXT]);
	if ((row = mysql_catalogue_take(&l->lists[MYSQL_CATALOGUE_PARTITIONS], relation)) != NULL) {
		r->partitioned = keep_name(l, row[TEXT]);
		r->keyed = row[KEYED][0] == '1';
	}
	return learn_columns(l, r, relation) && learn_indexes(l, r, relation);
}

int
mysql_catalogue_learn(struct arena *a, MYSQL_RES *const answers[MYSQL_CATALOGUE_PARTS], struct mysql_catalogue *out)
{
	MYSQL_RES *relations = answers[MYSQL_CATALOGUE_RELATIONS];
	struct mysql_relation *v = arena_array(a, (size_t)mysql_num_rows(relations) + 1, sizeof(*v));
	struct learning l = { .arena = a };

	for (unsigned part = MYSQL_CATALOGUE_COLUMNS; part < MYSQL_CATALOGUE_PARTS; part++)
		l.lists[part] = mysql_catalogue_list(answers[part]);
	out->relations = v;
	out->n = 0;
	for (MYSQL_ROW row; v != NULL && (row = mysql_fetch_row(relations)) != NULL;)
		if (!learn_relation(&l, &v[out->n++], row))
			return -1;
	return v == NULL ? -1 : 0;
}
