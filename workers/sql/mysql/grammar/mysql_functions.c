/* mysql_functions.c - see mysql_functions.h. */
#include "workers/sql/mysql/grammar/mysql_functions.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <strings.h>

#define ARGUMENTS	"( [ expr% ] )"
#define AGGREGATE	"( [ { DISTINCT | ALL } ] expr% )"

static const struct mysql_function functions[] = {
#define FUNCTION(name, properties, form)	{ name, properties, form },
#include "workers/sql/mysql/grammar/mysql_functions.def"
#undef FUNCTION
};

static int
function_order(const void *key, const void *element)
{
	const struct span *name = key;
	const char *other = ((const struct mysql_function *)element)->name;
	int r = strncasecmp((const char *)name->p, other, name->len);

	return r != 0 ? r : -(int)(other[name->len] != '\0');
}

const struct mysql_function *
mysql_functions_find(struct span name)
{
	return bsearch(&name, functions, sizeof(functions) / sizeof(functions[0]), sizeof(functions[0]),
	    function_order);
}

#define NEVER	ULONG_MAX

static const struct {
	const char	*name;
	unsigned long	 mariadb, mysql;
} since[] = {
#define SINCE(name, mariadb, mysql)	{ name, mariadb, mysql },
#include "workers/sql/mysql/grammar/mysql_since.def"
#undef SINCE
};

bool
mysql_functions_has(struct span name, bool mariadb, unsigned long version)
{
	for (size_t i = 0; i < sizeof(since) / sizeof(since[0]); i++)
		if (span_is_word(name, since[i].name))
			return version >= (mariadb ? since[i].mariadb : since[i].mysql);
	return true;
}
