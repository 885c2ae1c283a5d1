#include "workers/sql/mysql/mysql_values.h"

#include <string.h>

#include "base/ascii.h"
#include "base/mp.h"
#include "base/text/num.h"
#include "workers/sql/mysql/mysql_geometry.h"
#include "workers/sql/value.h"

#define CHARSET_BINARY	63u
#define BITS_MAX	64u

static const struct mysql_type {
	enum enum_field_types	 type;
	const char		*name, *binary;	/* binary: of values without a character set; NULL: the same */
	enum mysql_value	 kind;
} types[] = {
	{ MYSQL_TYPE_TINY, "tinyint", NULL, MYSQL_VALUE_INTEGER },
	{ MYSQL_TYPE_SHORT, "smallint", NULL, MYSQL_VALUE_INTEGER },
	{ MYSQL_TYPE_INT24, "mediumint", NULL, MYSQL_VALUE_INTEGER },
	{ MYSQL_TYPE_LONG, "int", NULL, MYSQL_VALUE_INTEGER },
	{ MYSQL_TYPE_LONGLONG, "bigint", NULL, MYSQL_VALUE_INTEGER },
	{ MYSQL_TYPE_YEAR, "year", NULL, MYSQL_VALUE_INTEGER },
	{ MYSQL_TYPE_DECIMAL, "decimal", NULL, MYSQL_VALUE_DECIMAL },
	{ MYSQL_TYPE_NEWDECIMAL, "decimal", NULL, MYSQL_VALUE_DECIMAL },
	{ MYSQL_TYPE_FLOAT, "float", NULL, MYSQL_VALUE_FLOAT },
	{ MYSQL_TYPE_DOUBLE, "double", NULL, MYSQL_VALUE_FLOAT },
	{ MYSQL_TYPE_BIT, "bit", NULL, MYSQL_VALUE_BITS },
	{ MYSQL_TYPE_DATE, "date", NULL, MYSQL_VALUE_DATE },
	{ MYSQL_TYPE_NEWDATE, "date", NULL, MYSQL_VALUE_DATE },
	{ MYSQL_TYPE_DATETIME, "datetime", NULL, MYSQL_VALUE_DATE },
	{ MYSQL_TYPE_TIMESTAMP, "timestamp", NULL, MYSQL_VALUE_DATE },
	{ MYSQL_TYPE_TIME, "time", NULL, MYSQL_VALUE_TEXT },
	{ MYSQL_TYPE_NULL, "null", NULL, MYSQL_VALUE_TEXT },
	{ MYSQL_TYPE_JSON, "json", NULL, MYSQL_VALUE_TEXT },
	{ MYSQL_TYPE_ENUM, "enum", NULL, MYSQL_VALUE_TEXT },
	{ MYSQL_TYPE_SET, "set", NULL, MYSQL_VALUE_TEXT },
	{ MYSQL_TYPE_GEOMETRY, "geometry", NULL, MYSQL_VALUE_GEOMETRY },
	{ MYSQL_TYPE_VARCHAR, "varchar", "varbinary", MYSQL_VALUE_TEXT },
	{ MYSQL_TYPE_VAR_STRING, "varchar", "varbinary", MYSQL_VALUE_TEXT },
	{ MYSQL_TYPE_STRING, "char", "binary", MYSQL_VALUE_TEXT },
	{ MYSQL_TYPE_TINY_BLOB, "text", "blob", MYSQL_VALUE_TEXT },
	{ MYSQL_TYPE_MEDIUM_BLOB, "text", "blob", MYSQL_VALUE_TEXT },
	{ MYSQL_TYPE_LONG_BLOB, "text", "blob", MYSQL_VALUE_TEXT },
	{ MYSQL_TYPE_BLOB, "text", "blob", MYSQL_VALUE_TEXT },
};

/* NULL: a type that is not known, whose values are text. */
static const struct mysql_type *
find_type(const MYSQL_FIELD *field)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i].type == field->type)
			return &types[i];
	return NULL;
}

static bool
is_binary(const struct mysql_type *type, const MYSQL_FIELD *field)
{
	return type->binary != NULL && field->charsetnr == CHARSET_BINARY;
}

struct mysql_header
mysql_values_column(const MYSQL_FIELD *field)
{
	const struct mysql_type *type = find_type(field);
	struct mysql_header column = { .kind = type == NULL ? MYSQL_VALUE_TEXT : type->kind };

	if (type != NULL && is_binary(type, field))
		column.kind = MYSQL_VALUE_BYTES;
	column.bits = field->length < BITS_MAX ? (unsigned)field->length : BITS_MAX;
	return column;
}

/* MariaDB tells its own types, "uuid" or "point", and that a text is JSON. */
static bool
put_own_type(struct buf *out, const MYSQL_FIELD *field)
{
	static const enum mariadb_field_attr_t attributes[] = { MARIADB_FIELD_ATTR_DATA_TYPE_NAME,
		MARIADB_FIELD_ATTR_FORMAT_NAME };
	MARIADB_CONST_STRING name;

	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
		if (mariadb_field_attr(&name, field, attributes[i]) == 0 && name.length > 0) {
			buf_append(out, name.str, name.length);
			return true;
		}
	return false;
}

void
mysql_values_put_type(struct buf *out, const MYSQL_FIELD *field)
{
	const struct mysql_type *type = find_type(field);

	if (put_own_type(out, field))
		return;
	if (type == NULL)
		buf_printf(out, "type:%d", (int)field->type);
	else if (field->flags & ENUM_FLAG)
		buf_str(out, "enum");
	else if (field->flags & SET_FLAG)
		buf_str(out, "set");
	else
		buf_str(out, is_binary(type, field) ? type->binary : type->name);
	if (type != NULL && type->kind == MYSQL_VALUE_INTEGER && (field->flags & UNSIGNED_FLAG) != 0 &&
	    type->type != MYSQL_TYPE_YEAR)
		buf_str(out, " unsigned");
}

static bool
put_integer(struct buf *out, struct span s)
{
	bool negative = s.len > 0 && s.p[0] == '-';
	uint64_t v = 0;

	for (size_t i = negative; i < s.len; i++)
		v = v * 10 + (uint64_t)(s.p[i] - '0');
	return negative ? value_int(out, (int64_t)(0 - v)) : value_uint(out, v);
}

/* ZEROFILL puts zeros in front. */
static bool
put_decimal(struct buf *out, struct span s)
{
	while (s.len > 1 && s.p[0] == '0' && ascii_is_digit(s.p[1]))
		s = span_of(s.p + 1, s.len - 1);
	return value_decimal(out, s);
}

static bool
put_float(struct buf *out, struct span s)
{
	double v;

	if (num_read_double((const char *)s.p, s.len, &v))
		return value_double(out, v);
	value_text(out, s);
	return false;
}

/* The bytes of a BIT as digits, as many as the type has. */
static void
put_bits(struct buf *out, unsigned n, struct span s)
{
	char digits[BITS_MAX];

	for (unsigned i = 0; i < n; i++) {
		size_t back = n - 1 - i; /* the number of the bit, from the end */

		digits[i] = back / 8 < s.len && (s.p[s.len - 1 - back / 8] >> back % 8 & 1) != 0 ? '1' : '0';
	}
	mp_put_str(out, span_of(digits, n));
}

static bool
is_zero_date(struct span s)
{
	return s.len >= 10 && (memcmp(s.p + 5, "00", 2) == 0 || memcmp(s.p + 8, "00", 2) == 0);
}

bool
mysql_values_put(struct buf *out, struct mysql_header *column, struct span cell)
{
	switch (column->kind) {
	case MYSQL_VALUE_INTEGER:
		return put_integer(out, cell);
	case MYSQL_VALUE_DECIMAL:
		return put_decimal(out, cell);
	case MYSQL_VALUE_FLOAT:
		return put_float(out, cell);
	case MYSQL_VALUE_BITS:
		put_bits(out, column->bits, cell);
		break;
	case MYSQL_VALUE_BYTES:
		value_bytes(out, cell);
		break;
	case MYSQL_VALUE_GEOMETRY:
		mysql_geometry_put(out, cell);
		break;
	case MYSQL_VALUE_DATE:
		column->zero_dates = column->zero_dates || is_zero_date(cell);
		value_text(out, cell);
		break;
	case MYSQL_VALUE_TEXT:
		value_text(out, cell);
		break;
	}
	return false;
}
