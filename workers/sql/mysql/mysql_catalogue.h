/* mysql_catalogue - what a column policy has to know of a database (guard/mysql_columns.h), by the server's answers. */
#pragma once

#include <mysql.h>

#include "base/arena.h"
#include "workers/sql/mysql/guard/mysql_columns.h"

/* The answers, each sorted by schema and relation. */
enum mysql_catalogue_part {
	MYSQL_CATALOGUE_RELATIONS, MYSQL_CATALOGUE_COLUMNS, MYSQL_CATALOGUE_VIEWS, MYSQL_CATALOGUE_INDEXES,
	MYSQL_CATALOGUE_PARTITIONS, MYSQL_CATALOGUE_PARTS
};

/* What is asked for them, and the shape that they must have (mysql_statement_ask()). */
extern const struct mysql_catalogue_ask {
	const char	*text, *shape;
} mysql_catalogue_asks[MYSQL_CATALOGUE_PARTS];

/* Fills the relations of *out; they are in the arena.  -1: it is full. */
int mysql_catalogue_learn(struct arena *a, MYSQL_RES *const answers[MYSQL_CATALOGUE_PARTS],
    struct mysql_catalogue *out);

/* An answer, sorted by schema and relation, that is read along the relations, from its first row on. */
struct mysql_listing {
	MYSQL_RES	*answer;
	MYSQL_ROW	 next;
};
struct mysql_listing mysql_catalogue_list(MYSQL_RES *answer);

/* The next row if it is of this relation, else NULL; rows of those before it are passed.  take() passes it, too. */
MYSQL_ROW mysql_catalogue_peek(struct mysql_listing *l, const MYSQL_ROW relation);
MYSQL_ROW mysql_catalogue_take(struct mysql_listing *l, const MYSQL_ROW relation);
