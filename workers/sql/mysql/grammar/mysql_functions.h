/* mysql_functions - the functions that a statement may call: mysql_functions.def. */
#pragma once

#include <stdbool.h>

#include "base/span.h"

#define MYSQL_OF_SERVER		1u	/* tells of the server and the account */
#define MYSQL_GATHERS		2u	/* its value is as large as its rows are many, up to a megabyte */
#define MYSQL_MAKES		4u	/* its value is as large as an argument says */
#define MYSQL_SPATIAL		16u	/* reads geometries */
#define MYSQL_GROWS		32u	/* its value may be larger than its arguments, and of any bytes */
#define MYSQL_REWRITES		8u	/* its time or memory is the product of its arguments, without interrupts */
#define MYSQL_SEARCHES_1	64u	/* its time is the product of two arguments; the pattern is the first */
#define MYSQL_SEARCHES_2	128u	/* the pattern is the second */

struct mysql_function {
	const char	*name;
	unsigned	 properties;
	const char	*form;		/* a template of its arguments */
};

/* The function with this name, in any case; NULL: it is not listed. */
const struct mysql_function *mysql_functions_find(struct span name);

/* Whether a server of that version has a listed function, which it would else take for a stored one. */
bool mysql_functions_has(struct span name, bool mariadb, unsigned long version);
