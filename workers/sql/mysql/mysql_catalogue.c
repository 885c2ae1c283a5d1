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
	MYSQL_RES		*answers[MYSQL_CATALOGUE_PARTS];
	MYSQL_ROW		 next[MYSQL_CATALOGUE_PARTS];
};

int
mysql_catalogue_order(const MYSQL_ROW a, const MYSQL_ROW b)
{
	int order = strcmp(a[0], b[0]);

	return order != 0 ? order : strcmp(a[1], b[1]);
}

static struct span
keep_name(struct learning *l, const char *text)
{
	return text == NULL ? SPAN_NONE : arena_span(l->arena, span_str(text));
}

static void
advance_part(struct learning *l, enum mysql_catalogue_part part)
{
	l->next[part] = mysql_fetch_row(l->answers[part]);
}

/* The next row of the answer if it is of this relation. */
static MYSQL_ROW
row_of(const struct learning *l, enum mysql_catalogue_part part, const MYSQL_ROW relation)
{
	MYSQL_ROW row = l->next[part];

	return row != NULL && mysql_catalogue_order(row, relation) == 0 ? row : NULL;
}

/* How many rows of the answer from the next on are of this relation. */
static size_t
count_rows(struct learning *l, enum mysql_catalogue_part part, const MYSQL_ROW relation)
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
pass_others(struct learning *l, enum mysql_catalogue_part part, const MYSQL_ROW relation)
{
	while (l->next[part] != NULL && mysql_catalogue_order(l->next[part], relation) < 0)
		advance_part(l, part);
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
	struct mysql_column *v =
	    arena_array(l->arena, count_rows(l, MYSQL_CATALOGUE_COLUMNS, relation) + 1, sizeof(*v));

	r->columns = v;
	for (MYSQL_ROW row; v != NULL && (row = row_of(l, MYSQL_CATALOGUE_COLUMNS, relation)) != NULL;
	     advance_part(l, MYSQL_CATALOGUE_COLUMNS))
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
	struct mysql_part *v = arena_array(l->arena, count_rows(l, MYSQL_CATALOGUE_INDEXES, relation) + 1, sizeof(*v));

	r->parts = v;
	for (MYSQL_ROW row; v != NULL && (row = row_of(l, MYSQL_CATALOGUE_INDEXES, relation)) != NULL;
	     advance_part(l, MYSQL_CATALOGUE_INDEXES))
		v[r->nparts++] = (struct mysql_part){ keep_name(l, row[INDEX]), keep_name(l, row[COLUMN]) };
	return v != NULL;
}

static bool
learn_relation(struct learning *l, struct mysql_relation *r, const MYSQL_ROW relation)
{
	enum { IS_VIEW = 2, ENGINE, TEXT = 2, KEYED };
	MYSQL_ROW row;

	for (unsigned part = MYSQL_CATALOGUE_COLUMNS; part < MYSQL_CATALOGUE_PARTS; part++)
		pass_others(l, (enum mysql_catalogue_part)part, relation);
	*r = (struct mysql_relation){ .schema = keep_name(l, relation[SCHEMA]),
		.name = keep_name(l, relation[NAME]),
		.is_view = relation[IS_VIEW][0] == '1',
		.elsewhere = strcmp(relation[SCHEMA], "information_schema") != 0 && !keeps_rows(relation[ENGINE]) };
	if ((row = row_of(l, MYSQL_CATALOGUE_VIEWS, relation)) != NULL)
		r->definition = keep_name(l, row[TEXT]);
	if ((row = row_of(l, MYSQL_CATALOGUE_PARTITIONS, relation)) != NULL) {
		r->partitioned = keep_name(l, row[TEXT]);
		r->keyed = row[KEYED][0] == '1';
	}
	return learn_columns(l, r, relation) && learn_indexes(l, r, relation);
}

int
mysql_catalogue_learn(struct arena *a, MYSQL_RES *const answers[MYSQL_CATALOGUE_PARTS], struct mysql_catalogue *out)
{
	struct learning l = { .arena = a };
	struct mysql_relation *v =
	    arena_array(a, (size_t)mysql_num_rows(answers[MYSQL_CATALOGUE_RELATIONS]) + 1, sizeof(*v));

	for (unsigned part = 0; part < MYSQL_CATALOGUE_PARTS; part++) {
		l.answers[part] = answers[part];
		mysql_data_seek(l.answers[part], 0);
		advance_part(&l, (enum mysql_catalogue_part)part);
	}
	out->relations = v;
	out->n = 0;
	for (MYSQL_ROW row; v != NULL && (row = l.next[MYSQL_CATALOGUE_RELATIONS]) != NULL;
	     advance_part(&l, MYSQL_CATALOGUE_RELATIONS))
		if (!learn_relation(&l, &v[out->n++], row))
			return -1;
	return v == NULL ? -1 : 0;
}
