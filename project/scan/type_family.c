#include "project/scan/type_family.h"

#include <string.h>

#include "base/ascii.h"
#include "project/config/drivers.h"

struct family_row {
	const char	*word;
	const char	*family;
};

/* Legend: the type's first word, in lower case and without size, to its family. */
static const struct family_row words[] = {
	{ "int", "integer" }, { "integer", "integer" }, { "int2", "integer" }, { "int4", "integer" },
	{ "int8", "integer" },
	{ "bigint", "integer" }, { "smallint", "integer" }, { "tinyint", "integer" }, { "mediumint", "integer" },
	{ "uint", "integer" }, { "serial", "integer" }, { "bigserial", "integer" }, { "smallserial", "integer" },
	{ "oid", "integer" }, { "int64", "integer" }, { "byteint", "integer" }, { "unsigned", "integer" },
	{ "numeric", "decimal" }, { "decimal", "decimal" }, { "dec", "decimal" }, { "number", "decimal" },
	{ "money", "decimal" }, { "smallmoney", "decimal" }, { "currency", "decimal" }, { "bignumeric", "decimal" },
	{ "real", "float" }, { "float", "float" }, { "float4", "float" }, { "float8", "float" }, { "double", "float" },
	{ "float64", "float" },
	{ "text", "text" }, { "varchar", "text" }, { "char", "text" }, { "character", "text" }, { "bpchar", "text" },
	{ "nchar", "text" }, { "nvarchar", "text" }, { "varchar2", "text" }, { "nvarchar2", "text" },
	{ "citext", "text" },
	{ "name", "text" }, { "string", "text" }, { "clob", "text" }, { "nclob", "text" }, { "native", "text" },
	{ "varying", "text" }, { "tinytext", "text" }, { "mediumtext", "text" }, { "longtext", "text" },
	{ "ntext", "text" }, { "bool", "boolean" }, { "boolean", "boolean" },
	{ "date", "date" }, { "datetime", "timestamp" }, { "datetime2", "timestamp" }, { "smalldatetime", "timestamp" },
	{ "datetimeoffset", "timestamptz" }, { "timestamptz", "timestamptz" }, { "timestamp_tz", "timestamptz" },
	{ "timestamp_ltz", "timestamptz" }, { "timestamp_ntz", "timestamp" }, { "timetz", "time" },
	{ "interval", "interval" }, { "uuid", "uuid" }, { "uniqueidentifier", "uuid" }, { "guid", "uuid" },
	{ "json", "json" }, { "jsonb", "json" },
	{ "bytea", "binary" }, { "blob", "binary" }, { "binary", "binary" }, { "varbinary", "binary" },
	{ "bytes", "binary" },
	{ "tinyblob", "binary" }, { "mediumblob", "binary" }, { "longblob", "binary" }, { "image", "binary" },
	{ "array", "array" }, { "enum", "enum" }, { "set", "text" }, { "year", "integer" },
};

/* Legend: what SQLite looks for anywhere in a declared type, in its order (its documentation, "Determination Of Column Affinity"). */
static const struct family_row affinities[] = {
	{ "int", "integer" }, { "char", "text" }, { "clob", "text" }, { "text", "text" }, { "blob", "binary" },
	{ "real", "float" }, { "floa", "float" }, { "doub", "float" },
};

struct span
type_bare(struct span type)
{
	bool quoted = false;

	for (size_t i = 0; i < type.len && (quoted || (type.p[i] != '(' && type.p[i] != ' ')); i++)
		if (type.p[i] == '"')
			quoted = !quoted;
		else if (type.p[i] == '.' && !quoted)
			return span_of(type.p + i + 1, type.len - i - 1);
	return type;
}

static bool
is_word(uint8_t c)
{
	return ascii_is_alnum(c) || c == '_';
}

static bool
is_same(struct span s, const char *word)
{
	return s.len == strlen(word) && span_begins_word(s, word);
}

/* The next word of s from *at. */
static struct span
next_word(struct span s, size_t *at)
{
	size_t from;

	while (*at < s.len && !is_word(s.p[*at]))
		++*at;
	for (from = *at; *at < s.len && is_word(s.p[*at]);)
		++*at;
	return span_of(s.p + from, *at - from);
}

static bool
has_word(struct span type, const char *word)
{
	struct span w;
	size_t at = 0;

	while ((w = next_word(type, &at)).len > 0)
		if (is_same(w, word))
			return true;
	return false;
}

/* "timestamp(3) with time zone", "time without time zone", and "with local time zone" elsewhere. */
static const char *
clock_family(struct span first, struct span type)
{
	if (is_same(first, "time"))
		return "time";
	if (!is_same(first, "timestamp"))
		return NULL;
	return has_word(type, "with") && has_word(type, "zone") ? "timestamptz" : "timestamp";
}

static const char *
affinity_family(struct span type)
{
	for (size_t i = 0; i < sizeof(affinities) / sizeof(affinities[0]); i++)
		for (size_t at = 0; at + strlen(affinities[i].word) <= type.len; at++)
			if (is_same(span_of(type.p + at, strlen(affinities[i].word)), affinities[i].word))
				return affinities[i].family;
	return type.len == 0 ? "other" : "decimal";
}

const char *
type_family(struct span driver, struct span type)
{
	const struct db_driver *d = drivers_find(driver);
	bool affinity = d != NULL && (d->traits & DRIVER_AFFINITY) != 0;
	struct span bare = affinity ? type : type_bare(type), first;
	const char *family;
	size_t at = 0;

	if (type.len == 0)
		return affinity ? "other" : "";
	if (type.len > 2 && memcmp(type.p + type.len - 2, "[]", 2) == 0)
		return "array";
	first = next_word(bare, &at);
	/* "char" in quotes is PostgreSQL's own, a user's type may be called anything. */
	if (!affinity && bare.p != type.p && bare.p[0] == '"')
		return "other";
	if ((family = clock_family(first, type)) != NULL)
		return family;
	/* What MariaDB and MySQL make of BOOLEAN. */
	if (!affinity && is_same(type, "tinyint(1)"))
		return "boolean";
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (is_same(first, words[i].word))
			return words[i].family;
	return affinity ? affinity_family(type) : "other";
}
