/* mysql_functions.c - see mysql_functions.h. */
#include "workers/sql/mysql/grammar/mysql_functions.h"

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
