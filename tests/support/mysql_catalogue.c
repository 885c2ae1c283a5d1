#include "tests/support/mysql_catalogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RELATIONS	1000u
#define COLUMNS		200u	/* of one relation; and parts of indexes */

struct reading {
	MYSQL			*server;
	struct arena		*arena;
	size_t			 n;
	struct mysql_relation	*relations;
};

static MYSQL_RES *
ask(struct reading *r, const char *sql)
{
	MYSQL_RES *result;

	if (mysql_query(r->server, sql) == 0 && (result = mysql_store_result(r->server)) != NULL)
		return result;
	fprintf(stderr, "%s: %s\n", sql, mysql_error(r->server));
	abort();
}

static struct span
keep(struct reading *r, const char *text)
{
	return text == NULL ? SPAN_NONE : arena_span(r->arena, span_str(text));
}

static struct mysql_relation *
relation_of(struct reading *r, const char *schema, const char *name)
{
	for (size_t i = r->n; i-- > 0;)
		if (span_is_str(r->relations[i].schema, schema) && span_is_str(r->relations[i].name, name))
			return &r->relations[i];
	r->relations[r->n] = (struct mysql_relation){ .schema = keep(r, schema),
		.name = keep(r, name),
		.columns = arena_array(r->arena, COLUMNS, sizeof(struct mysql_column)),
		.parts = arena_array(r->arena, COLUMNS, sizeof(struct mysql_part)) };
	return &r->relations[r->n++];
}

static bool
is_binary(const char *type)
{
	return strstr(type, "binary") != NULL || strstr(type, "blob") != NULL || strcmp(type, "bit") == 0 ||
	    strcmp(type, "point") == 0;
}

static void
read_columns(struct reading *r)
{
	MYSQL_RES *result = ask(r,
	    "SELECT c.TABLE_SCHEMA, c.TABLE_NAME, t.TABLE_TYPE, t.ENGINE, c.COLUMN_NAME, "
	    "CONCAT_WS(', ', c.GENERATION_EXPRESSION, c.COLUMN_DEFAULT), c.DATA_TYPE, c.EXTRA FROM "
	    "information_schema.COLUMNS c JOIN information_schema.TABLES t "
	    "ON t.TABLE_SCHEMA = c.TABLE_SCHEMA AND t.TABLE_NAME = c.TABLE_NAME "
	    "WHERE c.TABLE_SCHEMA IN (DATABASE(), 'information_schema') ORDER BY 1, 2, c.ORDINAL_POSITION");
	MYSQL_ROW row;

	while ((row = mysql_fetch_row(result)) != NULL) {
		struct mysql_relation *one = relation_of(r, row[0], row[1]);
		struct mysql_column *c = (struct mysql_column *)(uintptr_t)&one->columns[one->ncolumns++];

		one->is_view = strcmp(row[2], "VIEW") == 0;
		one->elsewhere = row[3] != NULL && strcmp(row[3], "MRG_MyISAM") == 0;
		*c = (struct mysql_column){ .name = keep(r, row[4]),
			.computed = keep(r, row[5]),
			.binary = is_binary(row[6]),
			.invisible = strstr(row[7], "INVISIBLE") != NULL };
	}
	mysql_free_result(result);
}

static void
read_views(struct reading *r)
{
	MYSQL_RES *result = ask(r,
	    "SELECT TABLE_SCHEMA, TABLE_NAME, VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_SCHEMA = "
	    "DATABASE()");
	MYSQL_ROW row;

	while ((row = mysql_fetch_row(result)) != NULL)
		relation_of(r, row[0], row[1])->definition = keep(r, row[2]);
	mysql_free_result(result);
}

static void
read_indexes(struct reading *r)
{
	MYSQL_RES *result = ask(r,
	    "SELECT TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, COLUMN_NAME FROM information_schema.STATISTICS "
	    "WHERE TABLE_SCHEMA = DATABASE() ORDER BY 1, 2, 3, SEQ_IN_INDEX");
	MYSQL_ROW row;

	while ((row = mysql_fetch_row(result)) != NULL) {
		struct mysql_relation *one = relation_of(r, row[0], row[1]);
		struct mysql_part *part = (struct mysql_part *)(uintptr_t)&one->parts[one->nparts++];

		*part = (struct mysql_part){ keep(r, row[2]), keep(r, row[3]) };
	}
	mysql_free_result(result);
}

static void
read_partitions(struct reading *r)
{
	MYSQL_RES *result = ask(r,
	    "SELECT DISTINCT TABLE_SCHEMA, TABLE_NAME, CONCAT_WS(', ', PARTITION_EXPRESSION, SUBPARTITION_EXPRESSION), "
	    "COALESCE(PARTITION_EXPRESSION, '') = '' FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = "
	    "DATABASE() AND PARTITION_NAME IS NOT NULL");
	MYSQL_ROW row;

	while ((row = mysql_fetch_row(result)) != NULL) {
		struct mysql_relation *one = relation_of(r, row[0], row[1]);

		one->partitioned = keep(r, row[2]);
		one->keyed = row[3][0] == '1';
	}
	mysql_free_result(result);
}

void
mysql_catalogue_read(MYSQL *server, struct arena *a, struct span schema, struct mysql_catalogue *out)
{
	struct reading r = {
		.server = server, .arena = a, .relations = arena_array(a, RELATIONS, sizeof(struct mysql_relation))
	};

	read_columns(&r);
	read_views(&r);
	read_indexes(&r);
	read_partitions(&r);
	*out = (struct mysql_catalogue){ .schema = schema, .n = r.n, .relations = r.relations };
}
