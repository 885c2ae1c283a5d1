#include "workers/sql/mysql/mysql_types.h"

#include <stddef.h>

#include "base/span.h"

enum mysql_types_class
mysql_types_class(const char *type)
{
	static const char *const bytes[] = { "binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob",
		NULL };
	static const char *const geometries[] = { "geometry", "point", "linestring", "polygon", "multipoint",
		"multilinestring", "multipolygon", "geometrycollection", "geomcollection", NULL };

	return span_is_any_word(span_str(type), bytes)   ? MYSQL_TYPES_BYTES :
	    span_is_any_word(span_str(type), geometries) ? MYSQL_TYPES_GEOMETRY :
	    span_is_word(span_str(type), "bit")          ? MYSQL_TYPES_BITS :
							   MYSQL_TYPES_OTHER;
}

const char *
mysql_types_dimension(const char *type)
{
	static const char *const numbers[] = { "tinyint", "smallint", "mediumint", "int", "bigint", "decimal", "float",
		"double", "year", NULL };
	static const char *const times[] = { "date", "datetime", "timestamp", "time", NULL };

	return span_is_any_word(span_str(type), numbers) ? "number" :
	    span_is_any_word(span_str(type), times)      ? "time" :
							   "string";
}
