/* infer - the types of a file's columns, from all of their texts. */
#ifndef WORKERS_IMPORT_INFER_H
#define WORKERS_IMPORT_INFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "workers/import/rows.h"
#include "workers/import/value.h"

enum column_type { COLUMN_TEXT, COLUMN_BOOLEAN, COLUMN_INTEGER, COLUMN_REAL, COLUMN_DATE, COLUMN_TIMESTAMP };

struct column {
	unsigned	 readings;	/* VALUE_*: the ways that fit all texts so far */
	bool		 filled;	/* there was a text that says something */
	/* infer_end() */
	enum column_type type;
	unsigned	 as;		/* how its texts are read: one of VALUE_*, for times one day and one clock */
};

struct columns {
	struct column	*v;
	size_t		 n, cap;
};

/* Take note of one row; columns that are new are added. */
void infer_row(struct columns *c, const struct row *row);

/* Decide. */
void infer_end(struct columns *c);
void infer_free(struct columns *c);

/* "INTEGER", as it is declared. */
const char *column_type_name(enum column_type type);

#endif
