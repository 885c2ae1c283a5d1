/*
 * declared - the generated columns and the checks of a CREATE TABLE statement, read from the text that the engine keeps
 * of it.  The engine accepted the statement, so that its reserved words are keywords wherever they are not quoted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text/sqltext.h"

#define DECLARED_TABLE	SIZE_MAX	/* the column of a constraint of the whole table */

enum declared_kind { DECLARED_END, DECLARED_GENERATED, DECLARED_CHECK };

struct declared {
	/* What declared_next() found. */
	enum declared_kind	 kind;
	size_t			 column;	/* from 0; DECLARED_TABLE: behind all columns */
	struct span		 name;		/* of a check, with its quotes; SPAN_NONE: none */
	struct span		 expression;	/* without the parentheses around it */
	/* Private. */
	struct sqltext		 sql;
	size_t			 columns;
	bool			 within;	/* a definition of a column or a constraint was begun */
};

/* Begins to read sql, which is borrowed.  Any other statement than CREATE TABLE declares nothing. */
void declared_begin(struct declared *d, enum sqltext_dialect dialect, struct span sql);

/* Moves to the next generated column or check, in the order of the text.  False with DECLARED_END at the end. */
bool declared_next(struct declared *d);
