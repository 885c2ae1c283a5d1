/*
 * dialect - how a database spells the compiler's output.
 *
 * A printer is a table of small functions; everything else is the same SQL in all dialects.  A new database is another
 * table.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"
#include "base/text/sqltext.h"

enum dialect_grain {
	GRAIN_NONE, GRAIN_HOUR, GRAIN_DAY, GRAIN_WEEK, GRAIN_MONTH, GRAIN_QUARTER, GRAIN_YEAR, GRAIN_DECADE
};

/* "hour"; NULL for GRAIN_NONE. */
const char *dialect_grain_name(enum dialect_grain grain);

/* GRAIN_NONE when no grain has this name. */
enum dialect_grain dialect_grain(struct span name);

/* What stands around a call, and around its argument. */
struct dialect_around {
	const char	*open, *close;
	const char	*argument_open, *argument_close;
};

struct dialect {
	enum sqltext_dialect	 text;	/* how its statements are cut into tokens */

	/* The longest column name in bytes, longer ones are cut or refused by the database; SIZE_MAX: no limit. */
	size_t		 name_max;

	/* An identifier; NULL: in double quotes unless it is plain. */
	void	(*identifier)(struct buf *out, struct span name);

	/*
	 * What of an expression stays as it was written, in the database's words; NULL: as it is.  False: the database
	 * has nothing for it, or reads it otherwise.
	 */
	bool	(*respell)(struct buf *out, struct span text);

	/* A time expression cut to its bucket, as ISO text; weeks start on Monday. */
	void	(*bucket)(struct buf *out, enum dialect_grain grain, struct span expr);

	/* A time expression as a date. */
	struct dialect_around	 day;

	/* The text between the dividend and NULLIF(divisor, 0), for division in double precision. */
	const char	*divide;

	/* The function in place of the operator ||; NULL: it has the operator. */
	const char	*concat;

	/* AVG(…), STDDEV(…) and VARIANCE(…): of numbers they are double precision. */
	struct dialect_around	 mean;

	/*
	 * What is around a column of this native type (empty: it is not known) that the model says is text, or is not;
	 * NULL: nothing, as is the member.
	 */
	const struct dialect_around	*(*column)(struct span type, bool text);

	/* Joins compare keys as they are, for the index of the column, and by what column() makes of them as well. */
	bool	keys_twice;

	/* Aggregates have FILTER (WHERE …). */
	bool	has_filter;

	/* Between the two arguments of aggregates of text, behind their ORDER BY; NULL: a comma, in front of it. */
	const char	*separator;

	/* MEDIAN and PERCENTILE(p) of the values x; NULL: there is no aggregate for it, and ranked() is used. */
	void	(*percentile)(struct buf *out, struct span x, struct span p);

	/* The same of numbers x of which `before` others come first, where `place` come before the percentile: 1.5. */
	void	(*ranked)(struct buf *out, struct span x, struct span before, struct span place);

	/* Aggregates the database has under their own name, NULL-terminated, lower case. */
	const char	*const *aggregates;

	/* One ORDER BY item: NULL is the smallest value, text sorts by bytes. */
	void	(*order)(struct buf *out, struct span expr, bool text, bool descending);

	/* MIN and MAX of text: by bytes, as ORDER BY does. */
	struct dialect_around	 extreme;

	/* The aggregate that picks the one boolean among NULLs. */
	const char	*boolean_side;

	/* UNION ALL needs typed NULLs from the third branch on. */
	bool	typed_nulls;
};

/* One for each driver of project/config/drivers.def. */
#define DRIVER(name)	extern const struct dialect dialect_##name;
#define LISTED(name, type, shard)
#include "project/config/drivers.def"
#undef DRIVER
#undef LISTED

/* The dialect of a driver's name or alias; NULL: the driver is not served. */
const struct dialect *dialect_find(struct span driver);

/* The name of the driver that has it: "sqlite". */
const char *dialect_name(const struct dialect *d);

/* Append an identifier, quoted where it needs to be. */
void dialect_identifier(const struct dialect *d, struct buf *out, struct span name);

/*
 * Append a table's dotted name.  exact: it is the database's own spelling, so
 * parts with capitals are quoted, and one that has dots itself comes in quotes;
 * otherwise it stays as its author wrote it,
 * save parts that could not be read at all.
 */
void dialect_table(const struct dialect *d, struct buf *out, struct span name, bool exact);
