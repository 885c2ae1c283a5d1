/* infer - infers the types of a file's columns from all of their texts. */
#ifndef WORKERS_IMPORT_INFER_H
#define WORKERS_IMPORT_INFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "workers/import/rows_records.h"

enum column_type { COLUMN_TEXT, COLUMN_BOOLEAN, COLUMN_INTEGER, COLUMN_REAL, COLUMN_DATE, COLUMN_TIMESTAMP };

struct infer_column {
	unsigned	 readings;	/* VALUE_*: the ways to read that fit all texts so far */
	bool		 filled;	/* some text was not empty */
	/* infer_end() */
	enum column_type type;
	unsigned	 as;		/* how texts are read: one of VALUE_*, for times one day and one clock */
};

struct infer_columns {
	struct infer_column	*v;
	size_t		 n, cap;
};

/* Take one row into account; new columns are added. */
void infer_row(struct infer_columns *c, const struct import_row *row);

/* Decide the types. */
void infer_end(struct infer_columns *c);
void infer_free(struct infer_columns *c);

/* The declared type, such as "INTEGER". */
const char *column_type_name(enum column_type type);

#endif
