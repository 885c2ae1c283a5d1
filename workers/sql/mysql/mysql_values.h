/* mysql_values - the columns of an answer of the server, and its values in the text protocol as cells of a result. */
#pragma once

#include <mysql.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"

enum mysql_value {
	MYSQL_VALUE_TEXT, MYSQL_VALUE_INTEGER, MYSQL_VALUE_DECIMAL, MYSQL_VALUE_FLOAT, MYSQL_VALUE_BITS,
	MYSQL_VALUE_BYTES, MYSQL_VALUE_GEOMETRY, MYSQL_VALUE_DATE
};

struct mysql_header {
	enum mysql_value kind;
	unsigned	 bits;		/* of a BIT */
	bool		 zero_dates;	/* a date without a month or day came */
};

struct mysql_header mysql_values_column(const MYSQL_FIELD *field);

/* The type as the server names it: "bigint unsigned", "json". */
void mysql_values_put_type(struct buf *out, const MYSQL_FIELD *field);

/* Writes a value that is not NULL.  True if JSON cannot hold the number (value.h). */
bool mysql_values_put(struct buf *out, struct mysql_header *column, struct span cell);
