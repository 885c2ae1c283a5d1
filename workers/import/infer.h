/*
 * infer - infers the types of a file's columns from all of their texts.
 *
 * A column may be of three kinds: flags, numbers, times.  Each kind keeps the ways to read that fit every text of it,
 * and counts the texts that are not of it.  The column's type is of the kind that fits all texts, or else TEXT, and
 * then the kind that fits most texts tells which text made it so.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "workers/import/notes.h"
#include "workers/import/rows_records.h"

enum column_type {
	COLUMN_TEXT,
	COLUMN_BOOLEAN,
	COLUMN_INTEGER,
	COLUMN_REAL,
	COLUMN_DATE,
	COLUMN_TIMESTAMP,
	/* Of formats that say their types. */
	COLUMN_BLOB,
	COLUMN_DECIMAL
};

enum infer_kind { INFER_FLAG, INFER_NUMBER, INFER_TIME, INFER_KINDS };

/* The texts that are not of the kind. */
struct infer_misfits {
	uint64_t	 n, line;		/* line: of the first one */
	const char	*reason;		/* for the first one; NULL: it is another kind of text */
	char		 text[NOTES_QUOTED + 8];	/* the first one, quoted */
};

struct infer_column {
	unsigned	 readings;	/* VALUE_*: of each kind those that fit all its texts; none: it is given up */
	uint64_t	 filled;	/* texts that are not empty */
	struct infer_misfits	misfits[INFER_KINDS];
	/* infer_end() */
	enum column_type type;
	unsigned	 as;		/* how texts are read: one of VALUE_*, for times one day and one clock */
	bool		 declared;	/* the type was given: a text that does not fit rejects its row */
	bool		 fixed;		/* the file says the type: texts are the values, and only nulls are null */
	char		 given[24];	/* of a COLUMN_DECIMAL: "DECIMAL(10,2)" */
};

struct infer_columns {
	struct infer_column	*v;
	size_t		 n, cap;
	uint8_t		 decimal;	/* '.' or ',': the only decimal sign there is; 0: found out */
	bool		 comma;		/* infer_end(): numbers have decimal commas where both are possible */
};

/* Make room for n columns. */
void infer_columns(struct infer_columns *c, size_t n);

/* Take one row into account; new columns are added. */
void infer_row(struct infer_columns *c, const struct import_row *row);

/* Decide the types; wishes: "COLUMN=word" with a word of import_words.def.  names: c->n of them.  -1: *err. */
int infer_end(struct infer_columns *c, const struct span *names, const char *const *wishes, size_t nwishes,
    struct err *err);
void infer_free(struct infer_columns *c);

/* Say why columns are TEXT that nearly are of another type. */
void infer_explain(const struct infer_columns *c, const struct span *names, struct import_notes *notes);

/* Whether every declared type fits the row; *column: the first one that does not. */
bool infer_fits(const struct infer_columns *c, const struct import_row *row, size_t *column);

/* Whether the field is null in a column of this type. */
bool infer_is_null(enum column_type type, const struct import_field *f);

/* The declared type, such as "INTEGER"; of a column also "DECIMAL(10,2)". */
const char *column_type_name(enum column_type type);
const char *infer_type_name(const struct infer_column *c);
