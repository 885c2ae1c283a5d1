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

struct dialect {
	enum sqltext_dialect	 text;	/* how its statements are cut into tokens */

	/* The longest column name in bytes, longer ones are cut by the database; SIZE_MAX: no limit. */
	size_t		 name_max;

	/* A time expression cut to its bucket, as ISO text; weeks start on Monday. */
	void	(*bucket)(struct buf *out, enum dialect_grain grain, struct span expr);

	/* The text between the dividend and NULLIF(divisor, 0), for division in double precision. */
	const char	*divide;

	/* Around AVG(…): the average of numbers is double precision. */
	const char	*avg_open, *avg_close;

	/* A type of amounts that does not mix with numbers: its columns are cast to numeric; NULL: none. */
	const char	*money;

	/* MEDIAN and PERCENTILE(p) of the values x. */
	void	(*percentile)(struct buf *out, struct span x, struct span p);

	/* Aggregates the database has under their own name, NULL-terminated, lower case. */
	const char	*const *aggregates;

	/* One ORDER BY item: NULL is the smallest value, text sorts by bytes. */
	void	(*order)(struct buf *out, struct span expr, bool text, bool descending);

	/* Around the text that MIN and MAX compare: by bytes, as ORDER BY does. */
	const char	*text_open, *text_close;

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
void dialect_identifier(struct buf *out, struct span name);

/*
 * Append a table's dotted name.  exact: it is the database's own spelling, so
 * parts with capitals are quoted, and one that has dots itself comes in quotes;
 * otherwise it stays as its author wrote it,
 * save parts that could not be read at all.
 */
void dialect_table(struct buf *out, struct span name, bool exact);
